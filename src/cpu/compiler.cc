#include "cpu/compiler.h"

#include <cstring>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "cpu/emit/program.h"
#include "cpu/jit/machine_code.h"
#include "cpu/kernels/kernels.h"
#include "cpu/plan/fusion.h"
#include "cpu/plan/memory.h"
#include "cpu/plan/products.h"
#include "passes/passes.h"
#include "runtime/object_code.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

constexpr passes::Pass kPasses[] = {
    {"strip-annotations", passes::StripAnnotations},
    {"expand-async", passes::ExpandAsync},
    {"inline-calls", passes::InlineCalls},
    {"flatten-control-flow", passes::FlattenControlFlow},
    {"resolve-dynamic-sizes", passes::ResolveDynamicSizes},
    {"expand-constants", passes::ExpandConstants},
    {"expand-maps", passes::ExpandMaps},
    {"expand-tuple-operations", passes::ExpandTupleOperations},
    {"expand-index-vectors", passes::ExpandIndexVectors},
    {"expand-bitcasts", passes::ExpandBitcasts},
    {"expand-batch-norms", passes::ExpandBatchNorms},
    {"expand-random-numbers", passes::ExpandRandomNumbers},
    {"expand-random-bits", passes::ExpandRandomBits},
    {"expand-small-dots", ExpandSmallDots},
    {"fuse-loops", FuseLoops},
};

// One block, each constant aligned.
absl::Status AddConstants(const MemoryPlan& plan, runtime::Program& program) {
  std::vector<int64_t> offsets;
  int64_t bytes = 0;
  for (const HloInstruction* constant : plan.constants()) {
    offsets.push_back(bytes);
    bytes += (constant->literal().size_bytes() + runtime::kAlignment - 1) / runtime::kAlignment *
             runtime::kAlignment;
  }
  HILO_ASSIGN_OR_RETURN(program.constant_memory, runtime::Allocate(bytes));
  for (size_t i = 0; i < offsets.size(); ++i) {
    const Literal& literal = plan.constants()[i]->literal();
    char* const place = program.constant_memory.get() + offsets[i];
    std::memcpy(place, literal.untyped_data(), literal.size_bytes());
    program.constants.push_back(place);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<runtime::Program> Compile(const HloModule& module) {
  HILO_RETURN_IF_ERROR(CheckHost());
  const std::unique_ptr<HloModule> own = module.Clone("");
  own->clear_schedule();
  HILO_RETURN_IF_ERROR(passes::Run(kPasses, *own));
  HILO_ASSIGN_OR_RETURN(const MemoryPlan plan, MemoryPlan::Make(*own));

  HILO_ASSIGN_OR_RETURN(const EmittedProgram emitted, EmitProgram(*own, plan));
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<const runtime::ObjectCode> code,
                        runtime::ObjectCode::Load({emitted.object}));

  runtime::Program program;
  for (const runtime::LibraryCall& call : emitted.calls) {
    HILO_ASSIGN_OR_RETURN(program.calls.emplace_back(), MakeKernel(call));
  }
  HILO_ASSIGN_OR_RETURN(void* entry, code->Find(kEntryName));
  program.entry = reinterpret_cast<HiloEntry*>(entry);
  program.code = std::move(code);
  program.arena_bytes = plan.arena_bytes();
  HILO_RETURN_IF_ERROR(AddConstants(plan, program));
  const HloComputation& entry_computation = *own->entry_computation();
  for (const HloInstruction* parameter : entry_computation.parameter_instructions()) {
    for (const Shape& leaf : ArrayLeaves(parameter->shape()))
      program.parameter_bytes.push_back(ShapeUtil::ByteSizeOf(leaf));
  }
  for (const Shape& leaf : ArrayLeaves(entry_computation.root_instruction()->shape()))
    program.result_bytes.push_back(ShapeUtil::ByteSizeOf(leaf));
  return program;
}

}  // namespace xla::cpu
