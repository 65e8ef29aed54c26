#include "ir/source_place.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

SourcePlace SourcePlaceOf(const HloInstruction& instruction) {
  const OpMetadata& metadata = instruction.metadata();
  if (!metadata.source_file().empty()) return {metadata.source_file(), metadata.source_line()};
  const HloComputation* const computation = instruction.parent();
  if (metadata.stack_frame_id() == 0 || computation == nullptr || computation->parent() == nullptr)
    return {};
  HloStackFrame frame =
      computation->parent()->get_stack_frame(StackFrameId{metadata.stack_frame_id()});
  return {std::move(frame.file_name), frame.line};
}

std::string SourcePlaceText(const HloInstruction& instruction) {
  const SourcePlace place = SourcePlaceOf(instruction);
  return place.file.empty() ? "" : absl::StrCat(place.file, ":", place.line);
}

}  // namespace xla
