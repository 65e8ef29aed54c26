#include "passes/partition/search.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// The shardings along axes of a mesh that divide an array of this shape into equal parts, none of
// them among these.
std::vector<HloSharding> WaysToDivide(const Shape& shape, const Mesh& mesh) {
  std::vector<HloSharding> ways = {HloSharding::Replicate()};
  if (!shape.IsArray() || !shape.is_static()) return ways;
  // The dimension that each axis divides, or -1: all combinations, counted up like a number.
  std::vector<int> divided(mesh.num_axes(), -1);
  while (true) {
    size_t digit = 0;
    while (digit < divided.size() && ++divided[digit] == shape.dimensions_size())
      divided[digit++] = -1;
    if (digit == divided.size()) return ways;
    NamedSharding::Axes axes;
    bool is_even = true;
    for (int dimension = 0; dimension < shape.dimensions_size(); ++dimension) {
      std::vector<AxisRef> own;
      int64_t parts = 1;
      for (size_t axis = 0; axis < divided.size(); ++axis) {
        if (divided[axis] != dimension) continue;
        own.emplace_back(static_cast<int64_t>(axis));
        parts *= mesh.axis_size(static_cast<int64_t>(axis));
      }
      is_even = is_even && shape.dimensions(dimension) % parts == 0;
      axes.dimensions.emplace_back(own, /*is_closed=*/true);
    }
    if (!is_even) continue;
    absl::StatusOr<NamedSharding> sharding = NamedSharding::Create(mesh, std::move(axes));
    if (sharding.ok()) ways.push_back(HloSharding::Named(*std::move(sharding)));
  }
}

bool IsCheaper(const ProgramCost& a, const ProgramCost& b) {
  constexpr double kSame = 1e-9;
  if (a.seconds() < b.seconds() * (1 - kSame)) return true;
  return a.seconds() <= b.seconds() * (1 + kSame) && a.parameter_bytes < b.parameter_bytes;
}

class Search {
 public:
  Search(const HloModule& module, const Mesh& mesh, const DeviceModel& model, int64_t most_tries)
      : module_(module.Clone("")), mesh_(mesh), model_(model), most_tries_(most_tries) {}

  absl::StatusOr<ShardingSearch> Run() {
    const HloComputation& entry = *module_->entry_computation();
    std::vector<HloSharding> whole, own;
    for (const HloInstruction* parameter : entry.parameter_instructions()) {
      whole.push_back(HloSharding::Replicate());
      own.push_back(parameter->has_sharding() ? parameter->sharding() : whole.back());
    }
    Open();
    absl::StatusOr<DividedParameters> first = Divide(whole);
    const bool fits = first.ok();
    if (!fits) {
      ClearShardings();
      first = Divide(whole);
    }
    HILO_ASSIGN_OR_RETURN(search_.best, std::move(first));
    if (fits && own != whole) {
      absl::StatusOr<DividedParameters> stated = Divide(own);
      if (stated.ok() && IsCheaper(stated->cost, search_.best.cost))
        search_.best = *std::move(stated);
    }
    std::vector<int64_t> order(whole.size());
    absl::c_iota(order, 0);
    absl::c_stable_sort(order, [&](int64_t a, int64_t b) { return SizeOf(a) > SizeOf(b); });
    for (bool improves = true; improves;) {
      improves = false;
      for (const int64_t parameter : order) improves |= Improve(parameter);
    }
    return std::move(search_);
  }

 private:
  const Shape& ShapeOf(int64_t parameter) const {
    return module_->entry_computation()->parameter_instruction(parameter)->shape();
  }
  int64_t SizeOf(int64_t parameter) const {
    return ShapeOf(parameter).IsArray() ? ShapeUtil::ByteSizeOf(ShapeOf(parameter)) : 0;
  }

  // For the devices of the mesh, with parameters and results that are open.
  void Open() {
    HloComputation& entry = *module_->entry_computation();
    for (HloInstruction* parameter : entry.parameter_instructions()) parameter->clear_sharding();
    entry.root_instruction()->clear_sharding();
    HloModuleConfig& config = module_->mutable_config();
    config.set_num_partitions(mesh_.num_devices());
    config.set_use_spmd_partitioning(true);
    config.set_allow_spmd_sharding_propagation_to_output({true});
    config.set_allow_spmd_sharding_propagation_to_parameters({false});
  }
  void ClearShardings() {
    for (HloComputation* computation : module_->computations()) {
      for (HloInstruction* instruction : computation->instructions()) instruction->clear_sharding();
    }
  }

  // Results that share memory with a parameter are divided as that.
  void SetResults(const std::vector<HloSharding>& parameters, HloModule& module) const {
    HloInstruction& root = *module.entry_computation()->root_instruction();
    if (!root.shape().IsTuple()) return;
    std::vector<HloSharding> results;
    bool is_any_known = false;
    for (const ShapeUtil::IndexedShape& leaf : ShapeUtil::GetLeafShapes(root.shape())) {
      const auto alias = module.input_output_alias_config().GetAliasedParameter(leaf.index);
      const bool is_known = alias.has_value() && alias->parameter_index.empty();
      results.push_back(is_known ? parameters[alias->parameter_number] : HloSharding::Unknown());
      is_any_known |= is_known;
    }
    if (is_any_known) root.set_sharding(HloSharding::FlatTuple(std::move(results)));
  }

  absl::StatusOr<DividedParameters> Divide(const std::vector<HloSharding>& shardings) {
    ++search_.tries;
    std::unique_ptr<HloModule> module = module_->Clone("");
    HloComputation& entry = *module->entry_computation();
    for (size_t i = 0; i < shardings.size(); ++i) {
      HloInstruction& parameter = *entry.parameter_instruction(static_cast<int64_t>(i));
      if (parameter.shape().IsArray()) parameter.set_sharding(shardings[i]);
    }
    SetResults(shardings, *module);
    HILO_RETURN_IF_ERROR(Partition(*module).status());
    ProgramCost cost = EstimateProgram(*module, model_);
    return DividedParameters{shardings, std::move(module), std::move(cost)};
  }

  bool Improve(int64_t parameter) {
    const HloSharding own = search_.best.shardings[parameter];
    bool improves = false;
    for (const HloSharding& way : WaysToDivide(ShapeOf(parameter), mesh_)) {
      if (way == own || search_.tries >= most_tries_) continue;
      std::vector<HloSharding> shardings = search_.best.shardings;
      shardings[parameter] = way;
      absl::StatusOr<DividedParameters> divided = Divide(shardings);
      if (!divided.ok() || !IsCheaper(divided->cost, search_.best.cost)) continue;
      search_.best = *std::move(divided);
      improves = true;
    }
    return improves;
  }

  const std::unique_ptr<HloModule> module_;
  const Mesh& mesh_;
  const DeviceModel& model_;
  const int64_t most_tries_;
  ShardingSearch search_;
};

}  // namespace

absl::StatusOr<ShardingSearch> FindCheapestShardings(const HloModule& module, const Mesh& mesh,
                                                     const DeviceModel& model, int64_t most_tries) {
  return Search(module, mesh, model, most_tries).Run();
}

}  // namespace xla::passes
