#include "codegen/loops/merge_dimensions.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/loops/indexed_rows.h"
#include "codegen/loops/kernel.h"
#include "codegen/loops/touched_dimensions.h"
#include "data/sizes.h"
#include "ir/index_map.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::loops {
namespace {

Sizes Strides(const Shape& shape) {
  const DimensionVector strides = RowMajorStrides(shape);
  return {strides.begin(), strides.end()};
}

// `size` elements of two arrays that follow one another with these strides and are the same in
// both.
struct Run {
  int64_t stride = 0, other = 0, size = 0;
};

// Whether a reshape's result and operand have the same borders: all of them, those of dimensions
// that both have before anything is merged, or none.
enum class Reshapes { kSplit, kGrouped, kApart };

class Merger {
 public:
  Merger(const HloComputation& computation, Reshapes reshapes)
      : computation_(computation),
        order_(computation.MakeInstructionPostOrder()),
        reshapes_(reshapes) {}

  // Null when some instruction cannot have the dimensions that the others need.
  std::unique_ptr<HloComputation> Merge() {
    for (const HloInstruction* instruction : order_) Relate(*instruction);
    RelateReduces();
    RelateRoots();
    if (!Propagate()) return nullptr;
    return Rewrite();
  }

 private:
  struct Link {
    const HloInstruction* other;
    Run run;
  };
  // Borders between dimensions, as strides, ascending; and ranges that have none inside.
  struct Borders {
    Sizes strides;
    std::vector<std::pair<int64_t, int64_t>> whole;
    std::vector<Link> links;
  };

  // ---- What instructions ask of one another

  void Cut(const HloInstruction& instruction, int64_t stride) {
    if (stride > 1 && stride < ShapeUtil::ElementsIn(ArrayShape(instruction)))
      waiting_.push_back({&instruction, stride});
  }
  void KeepWhole(const HloInstruction& instruction, int64_t stride, int64_t size) {
    Cut(instruction, stride);
    KeepRange(instruction, stride, size);
  }
  void KeepRange(const HloInstruction& instruction, int64_t stride, int64_t size) {
    Cut(instruction, stride * size);
    borders_[&instruction].whole.push_back({stride, stride * size});
  }
  void KeepAll(const HloInstruction& instruction) {
    const Sizes strides = Strides(ArrayShape(instruction));
    for (size_t d = 0; d < strides.size(); ++d)
      KeepWhole(instruction, strides[d], ArrayShape(instruction).dimensions(d));
  }
  void Connect(const HloInstruction& x, const HloInstruction& y, const Run& run) {
    Cut(x, run.stride);
    Cut(x, run.stride * run.size);
    Cut(y, run.other);
    Cut(y, run.other * run.size);
    Link(x, y, run);
  }
  void Link(const HloInstruction& x, const HloInstruction& y, const Run& run) {
    borders_[&x].links.push_back({&y, run});
    borders_[&y].links.push_back({&x, {run.other, run.stride, run.size}});
  }
  void ConnectAll(const HloInstruction& x, const HloInstruction& y) {
    Connect(x, y, {1, 1, ShapeUtil::ElementsIn(ArrayShape(x))});
  }

  // Runs of dimensions of an instruction that are adjacent in its operand as well. `from[d]` is
  // the operand's dimension that dimension d is, or -1.
  static std::vector<Run> Runs(const Shape& shape, const Shape& operand, const Sizes& from) {
    const Sizes strides = Strides(shape), others = Strides(operand);
    std::vector<Run> runs;
    int64_t after = -1;
    for (int d = shape.dimensions_size() - 1; d >= 0; --d) {
      if (shape.dimensions(d) == 1) continue;
      if (from[d] < 0) {
        after = -1;
        continue;
      }
      const int64_t other = others[from[d]];
      if (after >= 0 && other == after) {
        runs.back().size *= shape.dimensions(d);
      } else {
        runs.push_back({strides[d], other, shape.dimensions(d)});
      }
      after = other * shape.dimensions(d);
    }
    return runs;
  }

  static std::vector<Run> RunsOf(const HloInstruction& instruction, int64_t number) {
    const Shape& shape = ArrayShape(instruction);
    const Shape& operand = instruction.operand(number)->shape();
    Sizes from(shape.dimensions_size(), -1);
    if (instruction.opcode() == HloOpcode::kDynamicUpdateSlice) {
      for (size_t d = 0; d < from.size(); ++d) {
        if (!IsTouched(instruction, static_cast<int64_t>(d))) from[d] = static_cast<int64_t>(d);
      }
      return Runs(shape, operand, from);
    }
    const std::optional<IndexMap> map = OperandMap(instruction, number);
    for (size_t i = 0; i < map->results.size(); ++i) {
      const int d = map->results[i].AsVariable();
      if (d >= 0 && d < map->dimensions &&
          shape.dimensions(d) == operand.dimensions(static_cast<int>(i)) &&
          (instruction.opcode() != HloOpcode::kConcatenate || d != instruction.dimensions(0)))
        from[d] = static_cast<int64_t>(i);
    }
    return Runs(shape, operand, from);
  }

  // The operands whose elements lie where those of the result do, whatever else is done with them.
  static int64_t PlacedOperands(const HloInstruction& instruction) {
    switch (instruction.opcode()) {
      case HloOpcode::kConcatenate:
        return instruction.operand_count();
      case HloOpcode::kReduce:
        return instruction.operand_count() / 2;
      case HloOpcode::kDynamicUpdateSlice:
        return 2;
      default:
        return 1;
    }
  }

  static bool HasOwnDimensions(const Rows& rows, const HloInstruction& instruction) {
    return rows.elements > 1 || PicksOf(instruction).count > 0;
  }

  void Relate(const HloInstruction& instruction) {
    borders_[&instruction];
    switch (instruction.opcode()) {
      case HloOpcode::kParameter:
      case HloOpcode::kConstant:
      case HloOpcode::kTuple:
        return;
      case HloOpcode::kGetTupleElement:
        ConnectAll(instruction, *instruction.operand(0));
        return;
      case HloOpcode::kIota: {
        const int64_t d = instruction.attributes_as<IotaAttributes>().iota_dimension;
        KeepWhole(instruction, Strides(instruction.shape())[d], instruction.shape().dimensions(d));
        return;
      }
      case HloOpcode::kReshape:
      case HloOpcode::kBitcast:
        RelateReshape(instruction);
        return;
      case HloOpcode::kBroadcast:
      case HloOpcode::kTranspose:
      case HloOpcode::kReduce:
      case HloOpcode::kSlice:
      case HloOpcode::kPad:
      case HloOpcode::kReverse:
      case HloOpcode::kConcatenate:
      case HloOpcode::kDynamicSlice:
        for (int64_t i = 0; i < PlacedOperands(instruction); ++i) RelateByRuns(instruction, i);
        return;
      case HloOpcode::kDynamicUpdateSlice:
        ConnectAll(instruction, *instruction.operand(0));
        RelateByRuns(instruction, 1);
        return;
      default:
        break;
    }
    if (instruction.IsElementwise()) {
      for (const HloInstruction* operand : instruction.operands()) {
        if (!ShapeUtil::IsScalar(operand->shape()) || ShapeUtil::IsScalar(instruction.shape()))
          ConnectAll(instruction, *operand);
      }
      return;
    }
    if (const Rows rows = RowsOf(instruction); HasOwnDimensions(rows, instruction))
      return RelateRows(instruction, rows);
    // Rows of products may be parts of what their library kernel takes for a row.
    if (loops::IsProduct(instruction)) {
      for (int64_t stride : Strides(instruction.shape())) Cut(instruction, stride);
    } else {
      KeepAll(instruction);
    }
    for (const HloInstruction* operand : instruction.operands()) KeepAll(*operand);
  }

  // Rows have the same dimensions in both arrays, and so have indices and what they pick; all
  // others keep their own.
  void RelateRows(const HloInstruction& instruction, const Rows& rows) {
    const Picks picks = PicksOf(instruction);
    for (const HloInstruction* array : {rows.array, rows.picked}) {
      const Sizes strides = Strides(array->shape());
      for (size_t d = 0; d < strides.size(); ++d) {
        if (strides[d] < rows.elements || (array == rows.picked && picks.Has(d))) continue;
        KeepWhole(*array, strides[d], array->shape().dimensions(static_cast<int>(d)));
      }
    }
    Connect(*rows.array, *rows.picked, {1, 1, rows.elements});
    if (instruction.opcode() == HloOpcode::kScatter) ConnectAll(instruction, *rows.array);
    const HloInstruction& indices = *instruction.operand(1);
    if (picks.count == 0) return KeepAll(indices);
    Connect(*rows.picked, indices, {picks.stride, picks.index, picks.elements});
    KeepWhole(indices, 1, picks.index);
  }

  void RelateReshape(const HloInstruction& reshape) {
    const HloInstruction& operand = *reshape.operand(0);
    if (reshapes_ == Reshapes::kSplit) ConnectAll(reshape, operand);
    if (reshapes_ != Reshapes::kGrouped) return;
    Sizes strides = Strides(reshape.shape()), others = Strides(operand.shape());
    for (Sizes* each : {&strides, &others}) {
      absl::c_reverse(*each);
      each->push_back(ShapeUtil::ElementsIn(reshape.shape()));
      each->erase(std::unique(each->begin(), each->end()), each->end());
    }
    // Dimensions that both have, one next to the other, may become one in both.
    size_t next = 1;
    for (size_t i = 0; i + 1 < strides.size(); i = next) {
      next = i + 1;
      const auto at = absl::c_find(others, strides[i]);
      if (at == others.end()) continue;
      const auto [end, other_end] = std::mismatch(strides.begin() + static_cast<int64_t>(next),
                                                  strides.end(), at + 1, others.end());
      if (other_end == at + 1) {
        Cut(reshape, strides[i]);
        Cut(operand, strides[i]);
        continue;
      }
      Connect(reshape, operand, {strides[i], strides[i], *(end - 1) / strides[i]});
      next = static_cast<size_t>(end - 1 - strides.begin());
    }
  }

  void RelateByRuns(const HloInstruction& instruction, int64_t number) {
    const HloInstruction& operand = *instruction.operand(number);
    const int64_t ranges = DimensionOfRanges(instruction);
    const int64_t inner = ranges < 0 ? 0 : Strides(instruction.shape())[ranges];
    for (const Run& run : RunsOf(instruction, number)) {
      if (run.stride == 1 && run.other == 1 && run.size == inner) {
        Link(instruction, operand, run);
      } else {
        Connect(instruction, operand, run);
      }
    }
    if (instruction.opcode() == HloOpcode::kReduce && number > 0)
      ConnectAll(operand, *instruction.operand(0));
    if (!TouchesDimensions(instruction)) return;
    const Sizes strides = Strides(instruction.shape()), others = Strides(operand.shape());
    for (size_t d = 0; d < strides.size(); ++d) {
      const int64_t size = instruction.shape().dimensions(d), other = operand.shape().dimensions(d);
      if (static_cast<int64_t>(d) == ranges) {
        KeepRange(instruction, strides[d], size);
        KeepRange(operand, others[d], other);
      } else if (IsTouched(instruction, static_cast<int64_t>(d))) {
        KeepWhole(instruction, strides[d], size);
        KeepWhole(operand, others[d], other);
      }
    }
  }

  // Reductions of one kernel run in the same loops.
  void RelateReduces() {
    const HloInstruction* first = nullptr;
    for (const HloInstruction* each : order_) {
      if (each->opcode() != HloOpcode::kReduce || each->dimensions().empty()) continue;
      if (first == nullptr) {
        first = each;
      } else if (ShapeUtil::SameDimensions(first->operand(0)->shape(), each->operand(0)->shape())) {
        ConnectAll(*first->operand(0), *each->operand(0));
      }
    }
  }

  // Results of one kernel are computed in the same loops: results of a row belong to the first
  // dimensions of what else there is.
  void RelateRoots() {
    const HloInstruction& root = *computation_.root_instruction();
    if (root.opcode() != HloOpcode::kTuple) return;
    const HloInstruction* largest =
        *absl::c_max_element(root.operands(), [](const HloInstruction* x, const HloInstruction* y) {
          return ShapeUtil::ElementsIn(ArrayShape(*x)) < ShapeUtil::ElementsIn(ArrayShape(*y));
        });
    const int64_t most = ShapeUtil::ElementsIn(ArrayShape(*largest));
    for (const HloInstruction* other : root.operands()) {
      const int64_t size = ShapeUtil::ElementsIn(ArrayShape(*other));
      if (other != largest && most % size == 0) Connect(*largest, *other, {most / size, 1, size});
    }
  }

  // ---- Borders until nothing asks for another one

  bool Propagate() {
    while (!waiting_.empty()) {
      const auto [instruction, stride] = waiting_.back();
      waiting_.pop_back();
      Borders& borders = borders_[instruction];
      const auto at = absl::c_lower_bound(borders.strides, stride);
      if (at != borders.strides.end() && *at == stride) continue;
      // Each stride divides the next one.
      if (at != borders.strides.end() && *at % stride != 0) return false;
      if (at != borders.strides.begin() && stride % *(at - 1) != 0) return false;
      borders.strides.insert(at, stride);
      for (const auto& [other, run] : borders.links) {
        if (stride < run.stride || stride > run.stride * run.size || stride % run.stride != 0)
          continue;
        Cut(*other, stride / run.stride * run.other);
      }
    }
    for (const auto& [instruction, borders] : borders_) {
      for (const auto& [begin, end] : borders.whole) {
        for (int64_t stride : borders.strides) {
          // Each index is a number of whole new ones.
          if (stride < end && (stride > begin || begin % stride != 0)) return false;
        }
      }
    }
    return true;
  }

  // ---- The new computation

  // Strides of the dimensions that an instruction has now, the outermost first.
  Sizes NewStrides(const HloInstruction& instruction) const {
    const Sizes& inner = borders_.at(&instruction).strides;
    Sizes strides(inner.rbegin(), inner.rend());
    if (ShapeUtil::ElementsIn(ArrayShape(instruction)) > 1) strides.push_back(1);
    return strides;
  }
  Sizes NewSizes(const HloInstruction& instruction) const {
    Sizes sizes = NewStrides(instruction);
    int64_t above = ShapeUtil::ElementsIn(ArrayShape(instruction));
    for (int64_t& size : sizes) {
      const int64_t stride = size;
      size = above / stride;
      above = stride;
    }
    return sizes;
  }
  Shape NewShape(const HloInstruction& instruction) const {
    const Sizes sizes = NewSizes(instruction);
    if (!instruction.shape().IsTuple())
      return ShapeUtil::MakeShape(instruction.shape().element_type(), sizes);
    std::vector<Shape> leaves;
    for (const Shape& leaf : instruction.shape().tuple_shapes())
      leaves.push_back(ShapeUtil::MakeShape(leaf.element_type(), sizes));
    return ShapeUtil::MakeTupleShape(leaves);
  }

  HloInstruction* Reshaped(HloInstruction* array, const Sizes& sizes) {
    if (absl::MakeConstSpan(sizes) == array->shape().dimensions()) return array;
    return builder_->AddInstruction(HloInstruction::CreateReshape(
        ShapeUtil::MakeShape(array->shape().element_type(), sizes), array));
  }
  HloInstruction* Add(const HloInstruction& old, const Shape& shape,
                      absl::Span<HloInstruction* const> operands) {
    return builder_->AddInstruction(old.CloneWithNewOperands(shape, operands));
  }

  // For each new dimension of the instruction the one of its operand, or -1.
  Sizes NewDimensionsIn(const HloInstruction& instruction, int64_t number) const {
    const Sizes strides = NewStrides(instruction);
    const Sizes others = NewStrides(*instruction.operand(number));
    Sizes from(strides.size(), -1);
    for (const Run& run : RunsOf(instruction, number)) {
      for (size_t d = 0; d < strides.size(); ++d) {
        if (strides[d] < run.stride || strides[d] >= run.stride * run.size) continue;
        const int64_t other = strides[d] / run.stride * run.other;
        from[d] = absl::c_find(others, other) - others.begin();
      }
    }
    return from;
  }

  std::unique_ptr<HloComputation> Rewrite() {
    HloComputation::Builder builder(computation_.name());
    builder_ = &builder;
    for (const HloInstruction* instruction : order_) new_[instruction] = Rewrite(*instruction);
    return builder.Build(new_.at(computation_.root_instruction()));
  }

  HloInstruction* Rewrite(const HloInstruction& old) {
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : old.operands()) operands.push_back(new_.at(operand));
    switch (old.opcode()) {
      case HloOpcode::kParameter:
        return builder_->AddInstruction(HloInstruction::CreateParameter(
            old.parameter_number(), KeepsRows(old) ? ShapeOfRows(old) : NewShape(old), old.name()));
      case HloOpcode::kConstant:
        if (ShapeUtil::IsEffectiveScalar(old.shape()))
          return Reshaped(Add(old, old.shape(), {}), NewSizes(old));
        return Add(old, old.shape(), {});
      case HloOpcode::kTuple:
        return builder_->AddInstruction(HloInstruction::CreateTuple(operands));
      case HloOpcode::kGetTupleElement:
        return Add(old, NewShape(old), operands);
      case HloOpcode::kReshape:
      case HloOpcode::kBitcast:
        return Reshaped(operands[0], NewSizes(old));
      case HloOpcode::kIota:
        return RewriteIota(old);
      case HloOpcode::kBroadcast:
      case HloOpcode::kTranspose:
      case HloOpcode::kReduce:
        return RewriteDimensions(old, operands);
      default:
        break;
    }
    if (TouchesDimensions(old)) return RewriteDimensionwise(old, operands);
    if (old.IsElementwise()) return Add(old, NewShape(old), operands);
    if (const Rows rows = RowsOf(old); HasOwnDimensions(rows, old))
      return RewriteRows(old, rows, operands);
    for (int64_t i = 0; i < old.operand_count(); ++i) {
      const auto& own = old.operand(i)->shape().dimensions();
      operands[i] = Reshaped(operands[i], Sizes(own.begin(), own.end()));
    }
    HloInstruction* added = Add(old, old.shape(), operands);
    return old.shape().IsTuple() ? added : Reshaped(added, NewSizes(old));
  }

  HloInstruction* RewriteRows(const HloInstruction& old, const Rows& rows,
                              std::vector<HloInstruction*> operands) {
    const Picks picks = PicksOf(old);
    const Sizes of_row = SizesOfRow(rows), of_picks = SizesOfPicks(old, picks);
    const auto with_row = [&](absl::Span<const int64_t> sizes) {
      return WithRow(sizes, rows, of_row);
    };
    for (size_t i = 0; i < operands.size(); ++i) {
      const auto own = old.operand(static_cast<int64_t>(i))->shape().dimensions();
      operands[i] = Reshaped(operands[i], i == 1 ? SizesOfIndices(old, picks) : with_row(own));
    }
    Sizes sizes = with_row(old.shape().dimensions());
    const auto first = sizes.begin() + static_cast<int64_t>(picks.first);
    sizes.insert(sizes.erase(first, first + static_cast<int64_t>(picks.count)), of_picks.begin(),
                 of_picks.end());
    HloInstruction* added =
        Add(old, ShapeUtil::MakeShape(old.shape().element_type(), sizes), operands);
    const auto replace_row = [&](auto& in_picked) {
      in_picked.resize(in_picked.size() - rows.window);
      for (size_t d = 0; d < of_row.size(); ++d) {
        in_picked.push_back(rows.picked->shape().dimensions_size() - rows.window +
                            static_cast<int64_t>(d));
      }
    };
    if (old.opcode() == HloOpcode::kScatter) {
      replace_row(added->mutable_attributes_as<ScatterAttributes>().update_window_dims);
      if (&old == computation_.root_instruction()) return added;
    } else {
      auto& gather = added->mutable_attributes_as<GatherAttributes>();
      gather.slice_sizes = with_row(gather.slice_sizes);
      replace_row(gather.offset_dims);
      if (picks.count > 0) MovePicks(picks, of_picks.size(), gather);
    }
    return Reshaped(added, NewSizes(old));
  }
  static void MovePicks(const Picks& picks, size_t count, GatherAttributes& gather) {
    gather.index_vector_dim = static_cast<int64_t>(count);
    for (int64_t& d : gather.offset_dims) {
      if (d >= static_cast<int64_t>(picks.first))
        d += static_cast<int64_t>(count) - static_cast<int64_t>(picks.count);
    }
  }
  // The new dimensions of what indices pick.
  Sizes SizesOfPicks(const HloInstruction& gather, const Picks& picks) const {
    if (picks.count == 0) return {};
    const Sizes strides = NewStrides(*gather.operand(1)), sizes = NewSizes(*gather.operand(1));
    Sizes of_picks;
    for (size_t d = 0; d < strides.size(); ++d) {
      if (strides[d] >= picks.index) of_picks.push_back(sizes[d]);
    }
    return of_picks;
  }
  Sizes SizesOfIndices(const HloInstruction& instruction, const Picks& picks) const {
    const absl::Span<const int64_t> own = instruction.operand(1)->shape().dimensions();
    if (picks.count == 0) return {own.begin(), own.end()};
    Sizes sizes = SizesOfPicks(instruction, picks);
    if (own.size() > picks.count) sizes.push_back(picks.index);
    return sizes;
  }
  // The new dimensions of a row.
  Sizes SizesOfRow(const Rows& rows) const {
    const Sizes strides = NewStrides(*rows.array), sizes = NewSizes(*rows.array);
    Sizes of_row;
    for (size_t d = 0; d < strides.size(); ++d) {
      if (strides[d] < rows.elements) of_row.push_back(sizes[d]);
    }
    return of_row;
  }
  static Sizes WithRow(absl::Span<const int64_t> sizes, const Rows& rows, const Sizes& of_row) {
    Sizes all(sizes.begin(), sizes.end() - rows.window);
    all.insert(all.end(), of_row.begin(), of_row.end());
    return all;
  }
  // What the root scatters into keeps dimensions of one element before the rows, as the root does.
  bool KeepsRows(const HloInstruction& x) const {
    return loops::IsScatteredInto(*computation_.root_instruction(), x);
  }
  Shape ShapeOfRows(const HloInstruction& parameter) const {
    const Rows rows = RowsOf(*computation_.root_instruction());
    return ShapeUtil::MakeShape(parameter.shape().element_type(),
                                WithRow(parameter.shape().dimensions(), rows, SizesOfRow(rows)));
  }

  HloInstruction* RewriteIota(const HloInstruction& old) {
    const int64_t d = old.attributes_as<IotaAttributes>().iota_dimension;
    if (old.shape().dimensions(d) == 1) return Reshaped(Add(old, old.shape(), {}), NewSizes(old));
    const Sizes strides = NewStrides(old);
    return builder_->AddInstruction(HloInstruction::CreateIota(
        NewShape(old), absl::c_find(strides, Strides(old.shape())[d]) - strides.begin()));
  }

  HloInstruction* RewriteDimensions(const HloInstruction& old,
                                    absl::Span<HloInstruction* const> operands) {
    HloInstruction* added = Add(old, NewShape(old), operands);
    const Sizes from = NewDimensionsIn(old, 0);
    if (old.opcode() == HloOpcode::kTranspose) {
      added->mutable_attributes_as<DimensionsAttributes>().dimensions = from;
      return added;
    }
    Sizes dimensions;
    const int64_t rank = operands[0]->shape().dimensions_size();
    for (int64_t d = 0; d < rank; ++d) {
      const auto at = absl::c_find(from, d);
      if (old.opcode() == HloOpcode::kBroadcast) dimensions.push_back(at - from.begin());
      if (old.opcode() == HloOpcode::kReduce && at == from.end()) dimensions.push_back(d);
    }
    if (old.opcode() == HloOpcode::kBroadcast)
      added->mutable_attributes_as<BroadcastAttributes>().dimensions = dimensions;
    else
      added->mutable_attributes_as<DimensionsAttributes>().dimensions = dimensions;
    return added;
  }

  // How many elements of a new dimension are one of a dimension that the operation touches.
  int64_t ElementsOfIndex(const HloInstruction& instruction, int64_t d) const {
    if (d != DimensionOfRanges(instruction)) return 1;
    const int64_t stride = Strides(instruction.shape())[d];
    const Sizes strides = NewStrides(instruction);
    return stride / *absl::c_find_if(strides, [&](int64_t each) { return each <= stride; });
  }

  // Dimensions that the operation touches are those there were, whatever their size, perhaps with
  // those inside of them; the others become what the rest of the computation makes of them.
  HloInstruction* RewriteDimensionwise(const HloInstruction& old,
                                       std::vector<HloInstruction*> operands) {
    const Sizes strides = Strides(old.shape());
    const Sizes new_strides = NewStrides(old), new_sizes = NewSizes(old);
    Sizes touched;  // the old dimension, or -1
    Sizes sizes;
    size_t next = 0;
    for (size_t d = 0; d < strides.size(); ++d) {
      const int64_t size = old.shape().dimensions(d);
      if (IsTouched(old, static_cast<int64_t>(d))) {
        touched.push_back(static_cast<int64_t>(d));
        sizes.push_back(size * ElementsOfIndex(old, static_cast<int64_t>(d)));
        if (size > 1) ++next;
        continue;
      }
      // All new dimensions that begin inside of this old one.
      for (; size > 1 && next < new_strides.size() && new_strides[next] >= strides[d]; ++next) {
        touched.push_back(-1);
        sizes.push_back(new_sizes[next]);
      }
    }
    const int64_t arrays = PlacedOperands(old);
    for (int64_t i = 0; i < arrays; ++i) {
      Sizes own = sizes;
      for (size_t k = 0; k < own.size(); ++k) {
        const int64_t d = touched[k];
        if (d >= 0) own[k] = old.operand(i)->shape().dimensions(d) * ElementsOfIndex(old, d);
      }
      operands[i] = Reshaped(operands[i], own);
    }
    if (old.opcode() == HloOpcode::kDynamicSlice ||
        old.opcode() == HloOpcode::kDynamicUpdateSlice) {
      std::vector<HloInstruction*> starts(operands.begin(), operands.begin() + arrays);
      for (int64_t d : touched) {
        starts.push_back(d < 0 ? Number(old, 0)
                               : Start(old, d, operands[arrays + d], ElementsOfIndex(old, d)));
      }
      operands = std::move(starts);
    }
    HloInstruction* added =
        Add(old, ShapeUtil::MakeShape(old.shape().element_type(), sizes), operands);
    SetAttributes(old, touched, *added);
    return Reshaped(added, new_sizes);
  }

  // Of the type of the starts of a slice.
  HloInstruction* Number(const HloInstruction& slice, int64_t number) {
    const Shape& start = slice.operands().back()->shape();
    return builder_->AddInstruction(HloInstruction::CreateConstant(
        LiteralUtil::CreateR0(number).Convert(start.element_type()).value()));
  }
  // In new elements, of which an index is several: within bounds first, as its multiple may not be
  // a number of its type otherwise.
  HloInstruction* Start(const HloInstruction& slice, int64_t d, HloInstruction* start,
                        int64_t elements) {
    if (elements == 1) return start;
    const Shape& shape = start->shape();
    const bool is_update = slice.opcode() == HloOpcode::kDynamicUpdateSlice;
    const Shape& part = is_update ? slice.operand(1)->shape() : slice.shape();
    const int64_t most = slice.operand(0)->shape().dimensions(static_cast<int>(d)) -
                         part.dimensions(static_cast<int>(d));
    HloInstruction* within = builder_->AddInstruction(HloInstruction::CreateTernary(
        shape, HloOpcode::kClamp, Number(slice, 0), start, Number(slice, most)));
    return builder_->AddInstruction(
        HloInstruction::CreateBinary(shape, HloOpcode::kMultiply, within, Number(slice, elements)));
  }

  void SetAttributes(const HloInstruction& old, const Sizes& touched, HloInstruction& added) const {
    const absl::Span<const int64_t> sizes = added.shape().dimensions();
    const auto place = [&](int64_t d) {
      return static_cast<int64_t>(absl::c_find(touched, d) - touched.begin());
    };
    switch (old.opcode()) {
      case HloOpcode::kSlice: {
        auto& ranges = added.mutable_attributes_as<SliceAttributes>().ranges;
        const auto before = ranges;
        ranges.clear();
        for (size_t k = 0; k < touched.size(); ++k) {
          auto range = before[0];
          range.start = 0, range.limit = sizes[k], range.stride = 1;
          if (touched[k] >= 0) {
            const int64_t elements = ElementsOfIndex(old, touched[k]);
            range = before[touched[k]];
            range.start *= elements, range.limit *= elements;
          }
          ranges.push_back(range);
        }
        break;
      }
      case HloOpcode::kPad: {
        PaddingConfig config;
        for (int64_t d : touched) {
          auto* padding = config.add_dimensions();
          if (d < 0) continue;
          const int64_t elements = ElementsOfIndex(old, d);
          *padding = old.padding_config().dimensions(static_cast<int>(d));
          padding->set_edge_padding_low(padding->edge_padding_low() * elements);
          padding->set_edge_padding_high(padding->edge_padding_high() * elements);
        }
        added.mutable_attributes_as<PadAttributes>().padding = config;
        break;
      }
      case HloOpcode::kReverse: {
        Sizes dimensions;
        for (int64_t d : old.dimensions()) dimensions.push_back(place(d));
        added.mutable_attributes_as<DimensionsAttributes>().dimensions = dimensions;
        break;
      }
      case HloOpcode::kConcatenate:
        added.mutable_attributes_as<OneDimensionAttributes>().dimension = place(old.dimensions(0));
        break;
      case HloOpcode::kDynamicUpdateSlice:
        break;
      default:
        added.mutable_attributes_as<DynamicSliceAttributes>().slice_sizes.assign(sizes.begin(),
                                                                                 sizes.end());
        break;
    }
  }

  const HloComputation& computation_;
  const std::vector<HloInstruction*> order_;
  const Reshapes reshapes_;
  absl::flat_hash_map<const HloInstruction*, Borders> borders_;
  std::vector<std::pair<const HloInstruction*, int64_t>> waiting_;
  HloComputation::Builder* builder_ = nullptr;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> new_;
};

// Whether the rows of a scatter may become other dimensions while it stays the root.
bool HasMergeableRows(const HloInstruction& scatter) {
  const Rows rows = RowsOf(scatter);
  return rows.elements > 1 && rows.window > 1;
}

// Arrays without elements have no strides, and those with dynamic sizes keep their dimensions.
bool HasPlainArrays(const HloComputation& computation) {
  // These tell all dimensions apart, and want the root to be what it is.
  const HloInstruction& root = *computation.root_instruction();
  if (IsScan(root) || (IsScattered(root) && !HasMergeableRows(root))) return false;
  return absl::c_all_of(computation.instructions(), [](const HloInstruction* instruction) {
    bool plain = true;
    ShapeUtil::ForEachSubshape(instruction->shape(), [&](const Shape& part, const ShapeIndex&) {
      plain = plain && !part.is_dynamic() &&
              (part.IsTuple() || (part.IsArray() && !ShapeUtil::IsZeroElementArray(part)));
    });
    return plain;
  });
}

}  // namespace

std::unique_ptr<HloComputation> MergeDimensions(const HloComputation& computation) {
  if (HasPlainArrays(computation)) {
    for (Reshapes reshapes : {Reshapes::kSplit, Reshapes::kGrouped, Reshapes::kApart}) {
      if (auto merged = Merger(computation, reshapes).Merge(); merged != nullptr) return merged;
    }
  }
  return computation.Clone();
}

}  // namespace xla::loops
