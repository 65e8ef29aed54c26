// The attributes that operations define, as StableHLO text groups and spells them.
#ifndef HILO_FRONT_STABLEHLO_PRINT_ATTRIBUTES_H_
#define HILO_FRONT_STABLEHLO_PRINT_ATTRIBUTES_H_

#include <string>
#include <vector>

#include "front/stablehlo/program.h"

namespace xla::stablehlo {

struct AttributeText {
  std::string name;
  std::string value;  // empty for a unit attribute
};

// Sorted by name. What text writes as one attribute, such as the dimension numbers of a gather, is
// one here, too.
std::vector<AttributeText> AttributeTexts(const Operation& operation);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_PRINT_ATTRIBUTES_H_
