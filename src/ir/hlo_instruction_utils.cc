#include "xla/hlo/ir/hlo_instruction_utils.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/primitive_util.h"

namespace xla::hlo_instruction_utils {

bool IsUnstridedSlice(const HloInstruction* hlo) {
  return hlo->opcode() == HloOpcode::kSlice &&
         absl::c_all_of(hlo->slice_strides(), [](int64_t stride) { return stride == 1; });
}

bool KeepsBitwidth(const HloInstruction& hlo) {
  return hlo.operand_count() > 0 && hlo.shape().IsArray() && hlo.operand(0)->shape().IsArray() &&
         primitive_util::BitWidth(hlo.shape().element_type()) ==
             primitive_util::BitWidth(hlo.operand(0)->shape().element_type());
}

void AddOrUpdateVectorOfPairsAsAttribute(HloInstruction* instr, std::string attr_name,
                                         std::vector<Interval> intervals) {
  const auto append = [](std::string* text, const Interval& pair) {
    absl::StrAppend(text, "{", pair.first, ",", pair.second, "}");
  };
  instr->set_frontend_attribute(attr_name,
                                absl::StrCat("{", absl::StrJoin(intervals, ",", append), "}"));
}

}  // namespace xla::hlo_instruction_utils
