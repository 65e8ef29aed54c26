// The operations that artifacts hold, and the attributes that are encoded with them.
#ifndef HILO_FRONT_STABLEHLO_BYTECODE_OPERATION_FORMS_H_
#define HILO_FRONT_STABLEHLO_BYTECODE_OPERATION_FORMS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla::stablehlo {

// One version of an operation.
struct OperationForm {
  struct Property {
    absl::string_view name;
    bool is_optional;  // then it says whether it is there
  };
  std::string name;                  // of the newest version: stablehlo.gather for gather_v1
  int version;                       // 1 where the dialect has no versions
  std::vector<Property> properties;  // in the order of their encoding
};

// Null if there is no such operation. `name` is as in the file: gather_v1.
const OperationForm* FindOperationForm(absl::string_view dialect, absl::string_view name);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_BYTECODE_OPERATION_FORMS_H_
