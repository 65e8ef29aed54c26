#include "tools/repeated_run.h"

#include <utility>

#include "base/status_macros.h"
#include "data/literal_borrow.h"
#include "ir/arguments.h"
#include "tools/files.h"
#include "xla/shape_util.h"

namespace xla {

absl::Status RepeatedRun::AddArgument(Literal array) {
  const bool is_aligned =
      reinterpret_cast<uintptr_t>(array.untyped_data()) % runtime::kAlignment == 0;
  if (is_aligned && IsRowMajor(array.shape())) {
    parameters_.push_back(array.untyped_data());
    arguments_.push_back(std::move(array));
    return absl::OkStatus();
  }
  const Shape shape = RowMajor(array.shape());
  HILO_ASSIGN_OR_RETURN(memory_.emplace_back(), runtime::Allocate(ShapeUtil::ByteSizeOf(shape)));
  parameters_.push_back(memory_.back().get());
  return BorrowArray(shape, memory_.back().get()).CopyFrom(array);
}

absl::Status RepeatedRun::AddResult(const Shape& array) {
  HILO_ASSIGN_OR_RETURN(memory_.emplace_back(), runtime::Allocate(ShapeUtil::ByteSizeOf(array)));
  results_.push_back(memory_.back().get());
  return absl::OkStatus();
}

absl::StatusOr<RepeatedRun> RepeatedRun::Make(CompiledModule& compiled,
                                              std::vector<Literal> arguments) {
  const HloModule& module = compiled.module();
  HILO_RETURN_IF_ERROR(CheckArgumentCount(module, static_cast<int64_t>(arguments.size())));
  for (size_t i = 0; i < arguments.size(); ++i) {
    HILO_RETURN_IF_ERROR(CheckArgumentShape(module, static_cast<int64_t>(i), arguments[i].shape(),
                                            ShapeUtil::Compatible));
  }
  const ProgramInterface& interface = compiled.interface();
  RepeatedRun run(compiled);
  size_t next_size = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ProgramValue& parameter = interface.parameters[i];
    for (const auto& [array, dimension] : parameter.dynamic_dimensions)
      *run.argument_sizes_[next_size++] =
          arguments[i].GetDynamicSize(dimension, parameter.leaves[array]);
    for (Literal& leaf : Leaves(std::move(arguments[i]))) {
      if (leaf.shape().IsArray()) HILO_RETURN_IF_ERROR(run.AddArgument(std::move(leaf)));
    }
  }
  for (size_t i = 0; i < next_size; ++i) run.parameters_.push_back(run.argument_sizes_[i]);
  for (const Shape& array : interface.result.arrays) HILO_RETURN_IF_ERROR(run.AddResult(array));
  for (size_t i = 0; i < run.result_sizes_.size(); ++i)
    run.results_.push_back(run.result_sizes_[i]);
  return run;
}

absl::Status RepeatedRun::Run() { return RunInstead(*compiled_, RunContext()); }

absl::Status RepeatedRun::RunInstead(CompiledModule& other, const RunContext& context) {
  return other.RunOnMemory(parameters_, results_, context);
}

}  // namespace xla
