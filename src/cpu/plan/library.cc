#include "cpu/plan/library.h"

#include <string>
#include <vector>

#include "codegen/loops/kernel.h"
#include "codegen/loops/merge_dimensions.h"
#include "codegen/program/plan.h"
#include "cpu/plan/epilogues.h"
#include "cpu/plan/sort_keys.h"
#include "ir/source_place.h"
#include "runtime/custom_call.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/layout_util.h"

namespace xla::cpu {

namespace {

constexpr absl::string_view kFactorizations[] = {"Qr", "ProductOfElementaryHouseholderReflectors",
                                                 "LuDecomposition", "Eigh"};

absl::string_view SortKernelName(KeyOrder order) {
  switch (order) {
    case KeyOrder::kNone:
      return "sort";
    case KeyOrder::kTotal:
      return "sort-by-key";
    case KeyOrder::kPartial:
      break;
  }
  return "sort-by-partial-key";
}

void AddRowMajorLeaves(const Shape& shape, std::vector<Shape>& leaves) {
  for (Shape& leaf : program::ArrayLeaves(shape)) {
    LayoutUtil::SetToDefaultLayout(&leaf);
    leaves.push_back(std::move(leaf));
  }
}

// In the one form of each attribute that kernels know, with the place in its source that errors
// name.
HloInstructionProto ToProto(const HloInstruction& instruction) {
  HloInstructionProto proto = instruction.ToProto();
  proto.clear_metadata();
  const SourcePlace place = SourcePlaceOf(instruction);
  if (!place.file.empty()) {
    proto.mutable_metadata()->set_source_file(place.file);
    proto.mutable_metadata()->set_source_line(place.line);
  }
  if (proto.replica_group_list_case() != HloInstructionProto::REPLICA_GROUP_LIST_NOT_SET) {
    CollectiveDeviceList(instruction.replica_groups()).ToProto(&proto);
  }
  return proto;
}

}  // namespace

std::vector<const HloComputation*> CompiledFunctions(const HloInstruction& instruction) {
  // What a custom call names is the target's own affair.
  if (instruction.opcode() == HloOpcode::kCustomCall) return {};
  if (instruction.opcode() == HloOpcode::kSort && KeyOrderOf(instruction) != KeyOrder::kNone)
    return {};
  return {instruction.called_computations().begin(), instruction.called_computations().end()};
}

absl::string_view LibraryKernelName(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kCholesky:
    case HloOpcode::kConcatenate:
    case HloOpcode::kConvolution:
    case HloOpcode::kDot:
    case HloOpcode::kFft:
    case HloOpcode::kPad:
    case HloOpcode::kRaggedDot:
    case HloOpcode::kScaledDot:
    case HloOpcode::kTriangularSolve:
    case HloOpcode::kAllGather:
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllToAll:
    case HloOpcode::kCollectiveBroadcast:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kRaggedAllToAll:
    case HloOpcode::kReduceScatter:
    case HloOpcode::kPartitionId:
    case HloOpcode::kReplicaId:
    case HloOpcode::kInfeed:
    case HloOpcode::kOutfeed:
    case HloOpcode::kSend:
    case HloOpcode::kSendDone:
    case HloOpcode::kRecv:
    case HloOpcode::kRecvDone:
      return HloOpcodeString(instruction.opcode());
    case HloOpcode::kFusion: {
      const HloInstruction* product = ProductOf(instruction);
      return product == nullptr ? "" : HloOpcodeString(product->opcode());
    }
    case HloOpcode::kSort:
      return SortKernelName(KeyOrderOf(instruction));
    case HloOpcode::kTopK:
      return "topk";
    case HloOpcode::kRngGetAndUpdateState:
      return "random-state";
    case HloOpcode::kCustomCall:
      if (instruction.IsCustomCall(kFactorizations)) return "factorization";
      if (instruction.IsCustomCall("GetRngSeed")) return "random-seed";
      return HloOpcodeString(instruction.opcode());
    default:
      return "";
  }
}

runtime::LibraryCall MakeLibraryCall(const HloInstruction& instruction) {
  const HloInstruction* product = ProductOf(instruction);
  runtime::LibraryCall call = {std::string(LibraryKernelName(instruction)),
                               ToProto(product == nullptr ? instruction : *product)};
  for (const HloInstruction* operand : instruction.operands()) {
    AddRowMajorLeaves(operand->shape(), call.operands);
    call.whole_operands.push_back(operand->shape());
  }
  AddRowMajorLeaves(instruction.shape(), call.results);
  for (const HloComputation* function : CompiledFunctions(instruction))
    call.function_arguments.push_back(function->num_parameters());
  if (product != nullptr) {
    const auto merged = loops::MergeDimensions(*instruction.fused_instructions_computation());
    const HloInstruction& result = *loops::ResultsOf(*merged)[0];
    call.epilogue_columns = loops::ComputedShape(result).dimensions().back();
  }
  const HloModuleConfig& config = instruction.GetModule()->config();
  call.replicas = config.replica_count();
  call.partitions = config.num_partitions();
  call.may_call_any_function = runtime::MayCallAnyFunction(config.debug_options());
  return call;
}

}  // namespace xla::cpu
