// Which operands an instruction may write its result over.
#ifndef XLA_HLO_ANALYSIS_ALIAS_INFO_H_
#define XLA_HLO_ANALYSIS_ALIAS_INFO_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla {

// An array of an operand.
struct HloOperandIndex {
  int64_t operand_number = 0;
  ShapeIndex operand_index;

  friend bool operator==(const HloOperandIndex& a, const HloOperandIndex& b) {
    return a.operand_number == b.operand_number && a.operand_index == b.operand_index;
  }
  friend bool operator!=(const HloOperandIndex& a, const HloOperandIndex& b) { return !(a == b); }
};

// What holds for all machines. Back ends of their own derive from it.
class AliasInfo {
 public:
  using InPlacePair = std::pair<HloOperandIndex, ShapeIndex>;

  AliasInfo() = default;
  virtual ~AliasInfo() = default;

  // Whether an array of `operand` and one of the result of `user` may share memory. Absent where
  // this is for others to decide.
  virtual std::optional<bool> MayAlias(const HloInstruction* /*operand*/,
                                       const ShapeIndex& /*operand_index*/,
                                       const HloInstruction* /*user*/,
                                       const ShapeIndex& /*user_index*/) const {
    return std::nullopt;
  }

  // The arrays of operands that the operation updates, each with the array of the result that is
  // the updated one: of dynamic-update-slice, scatter and all-reduce-start, of what says so itself
  // (output_to_operand_aliasing), of a while each array of its state.
  std::vector<InPlacePair> GetInPlaceInputOutputPairs(const HloInstruction* user) const;

 protected:
  // What the back end says instead, if it does.
  virtual std::optional<std::vector<InPlacePair>> GetNonDefaultInPlaceInputOutputPairs(
      const HloInstruction* /*user*/) const {
    return std::nullopt;
  }
};

}  // namespace xla

#endif  // XLA_HLO_ANALYSIS_ALIAS_INFO_H_
