#include "cpu/plan/library.h"

#include <string>
#include <vector>

#include "cpu/plan/memory.h"

namespace xla::cpu {

absl::string_view LibraryKernelName(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kCholesky:
      return "cholesky";
    case HloOpcode::kRngGetAndUpdateState:
      return "random-state";
    case HloOpcode::kConvolution:
      return "convolution";
    case HloOpcode::kDot:
      return "dot";
    default:
      return "";
  }
}

runtime::LibraryCall MakeLibraryCall(const HloInstruction& instruction) {
  runtime::LibraryCall call = {std::string(LibraryKernelName(instruction)), instruction.ToProto()};
  for (const HloInstruction* operand : instruction.operands()) {
    for (Shape& leaf : ArrayLeaves(operand->shape())) call.operands.push_back(std::move(leaf));
  }
  call.results = ArrayLeaves(instruction.shape());
  return call;
}

}  // namespace xla::cpu
