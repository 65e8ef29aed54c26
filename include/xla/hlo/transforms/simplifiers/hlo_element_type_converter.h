// Computes in another element type.
#ifndef XLA_HLO_TRANSFORMS_SIMPLIFIERS_HLO_ELEMENT_TYPE_CONVERTER_H_
#define XLA_HLO_TRANSFORMS_SIMPLIFIERS_HLO_ELEMENT_TYPE_CONVERTER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/pass/hlo_pass_interface.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Operations whose operands or results have the type `eliminate_type` compute in
// `replace_with_type` instead: operands are converted before, results converted back after. What
// has its type for another reason keeps it: parameters and constants, tuples and their elements,
// conversions, operations with side effects, and those that call computations, in which the same is
// done.
class HloElementTypeConverter : public HloModulePass {
 public:
  HloElementTypeConverter(PrimitiveType eliminate_type, PrimitiveType replace_with_type)
      : eliminate_type_(eliminate_type), replace_with_type_(replace_with_type) {}

  absl::string_view name() const override { return "element_type_converter"; }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module,
                               const ExecutionThreads& execution_threads) override;

 private:
  PrimitiveType eliminate_type_;
  PrimitiveType replace_with_type_;
};

}  // namespace xla

#endif  // XLA_HLO_TRANSFORMS_SIMPLIFIERS_HLO_ELEMENT_TYPE_CONVERTER_H_
