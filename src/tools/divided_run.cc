#include "tools/divided_run.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "passes/partition/axes.h"
#include "passes/partition/propagate.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// Many of a number that no result should depend on.
Literal Filler(const Shape& shape) {
  const PrimitiveType type = shape.element_type();
  const Literal number =
      primitive_util::IsComplexType(type) ? LiteralUtil::One(type) : LiteralUtil::MaxValue(type);
  return number.Broadcast(shape, {}).value();
}

// Where the device's part lies, and how much of it there is.
struct Extent {
  std::vector<int64_t> begin, end, sizes;

  Extent(const Shape& whole, const HloSharding& sharding, int64_t device)
      : begin(sharding.TileOffsetForDevice(whole, device)),
        end(sharding.TileLimitForDevice(whole, device)) {
    for (size_t d = 0; d < begin.size(); ++d)
      sizes.push_back(std::max<int64_t>(0, end[d] - begin[d]));
  }
  bool IsEmpty() const { return absl::c_linear_search(sizes, 0); }
};

absl::Status ExpectSame(const Literal& own, const Literal& of_others, size_t device) {
  if (own == of_others) return absl::OkStatus();
  return Internal("device %d has %s where others have %s", device, own.ToString(),
                  of_others.ToString());
}

absl::StatusOr<Literal> JoinArray(absl::Span<const Literal> parts, const HloSharding& sharding,
                                  const Shape& whole) {
  if (!sharding.IsTiled()) {
    for (size_t device = 1; device < parts.size(); ++device)
      HILO_RETURN_IF_ERROR(ExpectSame(parts[device], parts[0], device));
    return parts[0].Clone();
  }
  Literal joined(whole);
  const std::vector<int64_t> zeros(whole.dimensions_size(), 0);
  std::vector<Extent> extents;
  for (size_t device = 0; device < parts.size(); ++device) {
    const Extent& extent = extents.emplace_back(whole, sharding, static_cast<int64_t>(device));
    if (!extent.IsEmpty())
      HILO_RETURN_IF_ERROR(joined.CopySliceFrom(parts[device], zeros, extent.begin, extent.sizes));
  }
  // What one device has brought, another may have overwritten.
  for (size_t device = 0; device < parts.size(); ++device) {
    const Extent& extent = extents[device];
    if (extent.IsEmpty()) continue;
    HILO_RETURN_IF_ERROR(ExpectSame(parts[device].Slice(zeros, extent.sizes),
                                    joined.Slice(extent.begin, extent.end), device));
  }
  return joined;
}

// Which devices have zeros of an array that devices hold summands of: all but the first of those
// that hold summands of the same elements, which has what the whole array has.
std::vector<bool> DevicesWithZeros(const HloSharding& sharding, const Shape& shape,
                                   int64_t devices) {
  std::vector<bool> has_zeros(devices, false);
  if (!shape.IsArray()) return has_zeros;
  passes::DeviceAxes axes(devices);
  const auto tiling = axes.TilingOf(sharding, shape.dimensions_size());
  if (!tiling.ok() || tiling->summands.empty()) return has_zeros;
  for (int64_t device = 0; device < devices; ++device)
    has_zeros[device] = axes.Place(tiling->summands, device) > 0;
  return has_zeros;
}

Literal ZeroPart(const Shape& whole, const HloSharding& sharding) {
  const Shape shape = sharding.IsTiled() ? sharding.TileShape(whole) : whole;
  return LiteralUtil::Zero(shape.element_type()).Broadcast(shape, {}).value();
}

Literal PartOfArray(const Literal& whole, const DividedArray& array, int64_t device) {
  const HloSharding& sharding = array.sharding;
  if (array.has_zeros[device]) return ZeroPart(whole.shape(), sharding);
  if (!sharding.IsTiled()) return whole.Clone();
  Literal part = Filler(sharding.TileShape(whole.shape()));
  const Extent extent(whole.shape(), sharding, device);
  if (extent.IsEmpty()) return part;
  const std::vector<int64_t> zeros(extent.begin.size(), 0);
  CHECK_OK(part.CopySliceFrom(whole, extent.begin, zeros, extent.sizes));
  return part;
}

// Of an array, a token or a tuple.
Literal PartOf(const Literal& whole, absl::Span<const DividedArray> arrays, int64_t device) {
  if (whole.shape().IsArray()) return PartOfArray(whole, arrays[0], device);
  if (!whole.shape().IsTuple()) return whole.Clone();
  std::vector<Literal> parts;
  for (const Literal& element : whole.Clone().DecomposeTuple()) {
    const size_t leaves = passes::CountLeaves(element.shape());
    parts.push_back(PartOf(element, arrays.first(leaves), device));
    arrays.remove_prefix(leaves);
  }
  return LiteralUtil::MakeTupleOwned(std::move(parts));
}

// What is put together again must not be left as summands.
void ClearSummandsOfResult(HloModule& module) {
  HloInstruction& root = *module.entry_computation()->root_instruction();
  if (!root.has_sharding() || root.opcode() == HloOpcode::kParameter) return;
  passes::DeviceAxes axes(module.config().num_partitions());
  const auto tilings = passes::StatedTilings(root, axes);
  if (tilings.ok() && absl::c_any_of(*tilings, [](const passes::Tiling& tiling) {
        return !tiling.summands.empty();
      })) {
    root.clear_sharding();
  }
}

absl::StatusOr<Literal> ReadPart(const NpyFile& file, const HloSharding& sharding, int64_t device) {
  const Shape& whole = file.shape();
  if (!sharding.IsTiled()) {
    const std::vector<int64_t> zeros(whole.dimensions_size(), 0);
    return file.Read(zeros, whole.dimensions());
  }
  const Shape shape = sharding.TileShape(whole);
  const Extent extent(whole, sharding, device);
  if (absl::MakeConstSpan(extent.sizes) == shape.dimensions())
    return file.Read(extent.begin, extent.end);
  Literal part = Filler(shape);
  if (extent.IsEmpty()) return part;
  HILO_ASSIGN_OR_RETURN(const Literal piece, file.Read(extent.begin, extent.end));
  const std::vector<int64_t> zeros(extent.begin.size(), 0);
  HILO_RETURN_IF_ERROR(part.CopySliceFrom(piece, zeros, zeros, extent.sizes));
  return part;
}

bool HasShardings(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions())
      if (instruction->has_sharding()) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<Literal> JoinParts(absl::Span<const Literal> parts, const HloSharding& sharding,
                                  const Shape& whole) {
  Literal joined(whole);
  size_t leaf = 0;
  HILO_RETURN_IF_ERROR(ShapeUtil::ForEachSubshapeWithStatus(
      whole, [&](const Shape& shape, const ShapeIndex& index) -> absl::Status {
        if (shape.IsTuple()) return absl::OkStatus();
        const HloSharding& own = sharding.IsTuple() ? sharding.tuple_elements()[leaf++] : sharding;
        if (!shape.IsArray()) return absl::OkStatus();
        std::vector<Literal> arrays;
        for (const Literal& part : parts) arrays.push_back(LiteralSlice(part, index).Clone());
        HILO_ASSIGN_OR_RETURN(const Literal array, JoinArray(arrays, own, shape));
        return joined.CopyFrom(array, index, {});
      }));
  return joined;
}

absl::StatusOr<DividedProgram> DividedProgram::Compile(ExecutionBackend& backend,
                                                       std::unique_ptr<HloModule> module,
                                                       int64_t devices) {
  DividedProgram program;
  HloModuleConfig& config = module->mutable_config();
  const int64_t made_for = config.replica_count() * config.num_partitions();
  program.is_divided_ = made_for == 1 || HasShardings(*module);
  if (made_for != 1 && made_for != devices) {
    return InvalidArgument("module %s is made for %d devices, not for %d", module->name(), made_for,
                           devices);
  }
  if (program.is_divided_) {
    config.set_num_partitions(devices / config.replica_count());
    config.set_use_spmd_partitioning(true);
    program.whole_ = module->entry_computation()->root_instruction()->shape();
    HILO_RETURN_IF_ERROR(VerifyForCompiler(*module));
    ClearSummandsOfResult(*module);
    HILO_RETURN_IF_ERROR(passes::Partition(*module).status());
    int64_t number = 0;
    for (const HloSharding& sharding : module->spmd_parameters_shardings()) {
      const HloInstruction& parameter = *module->entry_computation()->parameter_instruction(number);
      std::vector<DividedArray>& arrays = program.inputs_.emplace_back();
      for (const Shape* leaf : passes::LeavesOf(parameter.shape())) {
        const HloSharding& own =
            sharding.IsTuple() ? sharding.tuple_elements()[arrays.size()] : sharding;
        arrays.push_back({own, DevicesWithZeros(own, *leaf, config.num_partitions())});
      }
      ++number;
    }
    program.result_sharding_ = module->spmd_output_sharding();
  }
  program.replicas_ = config.replica_count();
  program.partitions_ = config.num_partitions();
  HILO_ASSIGN_OR_RETURN(program.compiled_, backend.Compile(std::move(module)));
  return program;
}

std::vector<Literal> DividedProgram::InputsOf(int64_t device,
                                              absl::Span<const Literal> inputs) const {
  std::vector<Literal> parts;
  for (size_t i = 0; i < inputs.size(); ++i) {
    parts.push_back(is_divided_ ? PartOf(inputs[i], inputs_[i], device % partitions_)
                                : inputs[i].Clone());
  }
  return parts;
}

std::vector<std::pair<int64_t, Literal>> DividedProgram::ShardsOf(int64_t device,
                                                                  const Literal& result) const {
  std::vector<std::pair<int64_t, Literal>> shards;
  int64_t number = 0;
  size_t leaf = 0;
  ShapeUtil::ForEachSubshape(is_divided_ ? whole_ : result.shape(), [&](const Shape& whole,
                                                                        const ShapeIndex& index) {
    if (whole.IsTuple()) return;
    const size_t own_leaf = leaf++;
    if (!whole.IsArray()) return;
    const int64_t own_number = number++;
    Literal array = LiteralSlice(result, index).Clone();
    if (!is_divided_) {
      shards.emplace_back(own_number, std::move(array));
      return;
    }
    const HloSharding& sharding =
        result_sharding_.IsTuple() ? result_sharding_.tuple_elements()[own_leaf] : result_sharding_;
    if (!sharding.IsTiled()) {
      if (device == 0) shards.emplace_back(own_number, std::move(array));
      return;
    }
    const Extent extent(whole, sharding, device % partitions_);
    for (int64_t other = 0; other < device; ++other) {
      if (Extent(whole, sharding, other % partitions_).begin == extent.begin) return;
    }
    if (extent.IsEmpty()) return;
    const std::vector<int64_t> zeros(extent.begin.size(), 0);
    shards.emplace_back(own_number, array.Slice(zeros, extent.sizes));
  });
  return shards;
}

absl::StatusOr<Literal> DividedProgram::Join(absl::Span<const Literal> parts) const {
  return JoinParts(parts.subspan(0, partitions_), result_sharding_, whole_);
}

absl::StatusOr<std::vector<Literal>> DividedProgram::ReadInputsOf(
    int64_t device, absl::Span<const NpyFile> files) const {
  std::vector<Literal> parts;
  for (size_t i = 0; i < files.size(); ++i) {
    const HloSharding sharding = is_divided_ ? inputs_[i][0].sharding : HloSharding::Replicate();
    if (is_divided_ && inputs_[i][0].has_zeros[device % partitions_]) {
      parts.push_back(ZeroPart(files[i].shape(), sharding));
      continue;
    }
    HILO_ASSIGN_OR_RETURN(parts.emplace_back(), ReadPart(files[i], sharding, device % partitions_));
  }
  return parts;
}

absl::StatusOr<std::vector<Literal>> DividedProgram::Run(
    absl::Span<const std::vector<Literal>> parts, const RunContext& context) const {
  std::vector<std::vector<const Literal*>> arguments(parts.size());
  for (size_t device = 0; device < parts.size(); ++device) {
    for (const Literal& part : parts[device]) arguments[device].push_back(&part);
  }
  return compiled_->RunReplicated(arguments, replicas_, partitions_, context);
}

absl::StatusOr<Literal> RunDivided(ExecutionBackend& backend, std::unique_ptr<HloModule> module,
                                   absl::Span<const Literal> inputs, int64_t devices,
                                   const RunContext& context) {
  HILO_ASSIGN_OR_RETURN(const DividedProgram program,
                        DividedProgram::Compile(backend, std::move(module), devices));
  std::vector<std::vector<Literal>> parts;
  for (int64_t device = 0; device < devices; ++device)
    parts.push_back(program.InputsOf(device, inputs));
  HILO_ASSIGN_OR_RETURN(const std::vector<Literal> results, program.Run(parts, context));
  return program.Join(results);
}

}  // namespace xla
