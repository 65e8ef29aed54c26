// Kernels of scatter: updates are applied in row-major order, so that the result is the same
// however the work is divided. What divides it are places in the operand, not updates.
#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/folding.h"
#include "cpu/emit/kernel.h"
#include "cpu/emit/kernel_function.h"
#include "cpu/emit/loops.h"
#include "ir/records.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// With smaller windows, looking for one's own updates would take longer than making them.
constexpr int64_t kMinWindowOfParts = 16;
// Parts of rows, long enough for updates to be read as streams.
constexpr int64_t kBytesOfPart = 512;

class ScatterEmitter : public KernelFunction {
 public:
  ScatterEmitter(Unit& unit, const HloComputation& computation, const std::string& name)
      : KernelFunction(unit, computation, name),
        scatter_(*computation_.root_instruction()),
        attributes_(scatter_.attributes_as<ScatterAttributes>()),
        count_(scatter_.operand_count() / 2),
        indices_(*scatter_.operand(count_)),
        bounds_(scatter_.operand(0)->shape()),
        updates_(scatter_.operand(count_ + 1)->shape()) {}

  absl::StatusOr<Kernel> Emit();

 private:
  // Which elements of the window along one of its dimensions lie within the operand.
  struct Range {
    llvm::Value* begin;
    llvm::Value* end;
  };

  void FindDimensions();
  absl::Status FillOwnPart(int64_t number);
  absl::Status EmitUpdates();
  absl::Status EmitUpdate(absl::Span<llvm::Value* const> at);
  absl::Status EmitWindow(absl::Span<llvm::Value* const> at);
  absl::Status EmitElements(absl::Span<llvm::Value* const> at, llvm::Value* column, int lanes,
                            llvm::Value* mask, Elements* outer);
  // The columns that are the own part.
  bool HasOwnColumns() const { return divided_ == bounds_.dimensions_size() - 1; }
  int64_t ColumnsOfPart() const {
    return kBytesOfPart / primitive_util::ByteWidth(bounds_.element_type());
  }
  absl::Status ForEachOwnColumn(
      int64_t columns,
      absl::FunctionRef<absl::Status(llvm::Value* column, int lanes, llvm::Value* mask)> body);
  bool IsScattered(int64_t d) const {
    return absl::c_linear_search(attributes_.scatter_dims_to_operand_dims, d);
  }
  const Shape& ResultShape(int64_t k) const {
    return scatter_.shape().IsTuple() ? scatter_.shape().tuple_shapes(static_cast<int>(k))
                                      : scatter_.shape();
  }

  const HloInstruction& scatter_;
  const ScatterAttributes& attributes_;
  const int64_t count_;
  const HloInstruction& indices_;
  const Shape& bounds_;
  const Shape& updates_;

  Sizes window_;          // the operand's dimensions that windows have, in order
  Sizes window_sizes_;    // and the sizes of windows there
  Sizes index_sizes_;     // of the array of index vectors
  Sizes update_scatter_;  // the updates' dimensions that are not the window's
  // The operand's dimension along which the work is divided and, where it is a batch dimension,
  // that of the index vectors.
  std::optional<int64_t> divided_, divided_batch_;

  // While code for a window is emitted:
  std::vector<llvm::Value*> start_;   // of the window in each dimension of the operand
  std::vector<Range> ranges_;         // of each of the window's dimensions
  std::vector<llvm::Value*> within_;  // the index in the window
};

void ScatterEmitter::FindDimensions() {
  const auto is_in = [](const auto& list, int64_t d) { return absl::c_linear_search(list, d); };
  for (int64_t d = 0; d < bounds_.dimensions_size(); ++d) {
    if (!is_in(attributes_.inserted_window_dims, d) && !is_in(attributes_.input_batching_dims, d))
      window_.push_back(d);
  }
  for (int64_t d : attributes_.update_window_dims) window_sizes_.push_back(updates_.dimensions(d));
  for (int64_t d = 0; d < updates_.dimensions_size(); ++d) {
    if (!is_in(attributes_.update_window_dims, d)) update_scatter_.push_back(d);
  }
  for (int64_t d = 0; d < indices_.shape().dimensions_size(); ++d) {
    if (d != attributes_.index_vector_dim) index_sizes_.push_back(indices_.shape().dimensions(d));
  }
  const int64_t last = bounds_.dimensions_size() - 1;
  if (!attributes_.input_batching_dims.empty()) {
    if (attributes_.input_batching_dims[0] == last) return;
    divided_ = attributes_.input_batching_dims[0];
    const int64_t d = attributes_.scatter_indices_batching_dims[0];
    divided_batch_ = d < attributes_.index_vector_dim ? d : d - 1;
  } else if (!window_.empty() && window_.back() == last && !IsScattered(last) &&
             attributes_.update_window_dims.back() == updates_.dimensions_size() - 1 &&
             bounds_.dimensions(last) >= 2 * ColumnsOfPart()) {
    // However the updates are spread over the rows, all parts have as much to do.
    divided_ = last;
  } else if (Product(window_sizes_) >= kMinWindowOfParts) {
    for (int64_t d : attributes_.inserted_window_dims) {
      if (IsScattered(d) && d != last &&
          (!divided_ || bounds_.dimensions(d) > bounds_.dimensions(*divided_)))
        divided_ = d;
    }
  }
}

// Operands that are computed here do not lie in the result's memory yet.
absl::Status ScatterEmitter::FillOwnPart(int64_t number) {
  const HloInstruction& operand = *scatter_.operand(number);
  if (operand.opcode() == HloOpcode::kParameter) return absl::OkStatus();
  const Shape& shape = operand.shape();
  const int64_t rank = shape.dimensions_size();
  Position position;
  const auto nest = [&](const auto& self, int64_t d) -> absl::Status {
    if (d < rank - 1) {
      const bool is_divided = divided_ == d;
      return EmitLoop(b_, is_divided ? begin_ : b_.getInt64(0),
                      is_divided ? end_ : b_.getInt64(static_cast<uint64_t>(shape.dimensions(d))),
                      1, [&](llvm::Value* i) {
                        position.push_back({i});
                        const absl::Status status = self(self, d + 1);
                        position.pop_back();
                        return status;
                      });
    }
    const auto fill = [&](llvm::Value* column, int lanes, llvm::Value* mask) -> absl::Status {
      Position at = position;
      if (rank > 0) at.push_back({column, 1});
      HILO_ASSIGN_OR_RETURN(const Lanes value, Elements(b_, lanes, Leaf()).At(operand, at, mask));
      StoreAt(b_, shape, value, ResultArray(number), at, mask);
      return absl::OkStatus();
    };
    if (HasOwnColumns()) return ForEachOwnColumn(shape.dimensions(d), fill);
    return ForEachColumn(rank == 0 ? 1 : shape.dimensions(d),
                         [&](llvm::Value* column, int lanes, llvm::Value* mask, Builder&) {
                           return fill(column, lanes, mask);
                         });
  };
  return nest(nest, 0);
}

absl::Status ScatterEmitter::ForEachOwnColumn(
    int64_t columns,
    absl::FunctionRef<absl::Status(llvm::Value* column, int lanes, llvm::Value* mask)> body) {
  const int lanes = LanesFor(ColumnsOfPart());
  llvm::Value* size = b_.getInt64(static_cast<uint64_t>(ColumnsOfPart()));
  llvm::Value* count = b_.getInt64(static_cast<uint64_t>(columns));
  llvm::Value* end =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateMul(end_, size), count);
  return EmitLoop(b_, b_.CreateMul(begin_, size), end, lanes, [&](llvm::Value* column) {
    llvm::Value* mask = nullptr;
    if (columns % lanes != 0) {
      llvm::Value* rest = b_.CreateSub(count, column);
      mask = b_.CreateICmpSLT(LaneNumbers(b_, lanes),
                              lanes == 1 ? rest : b_.CreateVectorSplat(lanes, rest));
    }
    return body(column, lanes, mask);
  });
}

absl::Status ScatterEmitter::EmitUpdates() {
  std::vector<llvm::Value*> at;
  const auto nest = [&](const auto& self) -> absl::Status {
    const int64_t d = static_cast<int64_t>(at.size());
    if (at.size() == index_sizes_.size()) return EmitUpdate(at);
    const bool is_divided = divided_batch_ == d;
    return EmitLoop(b_, is_divided ? begin_ : b_.getInt64(0),
                    is_divided ? end_ : b_.getInt64(static_cast<uint64_t>(index_sizes_[d])), 1,
                    [&](llvm::Value* i) {
                      at.push_back(i);
                      const absl::Status status = self(self);
                      at.pop_back();
                      return status;
                    });
  };
  return nest(nest);
}

// Goes on with the window where its index vector points into the operand, and into the own part of
// it.
absl::Status ScatterEmitter::EmitUpdate(absl::Span<llvm::Value* const> at) {
  start_.assign(bounds_.dimensions_size(), b_.getInt64(0));
  const int64_t vector_dimension = attributes_.index_vector_dim;
  for (size_t k = 0; k < attributes_.input_batching_dims.size(); ++k) {
    const int64_t d = attributes_.scatter_indices_batching_dims[k];
    start_[attributes_.input_batching_dims[k]] = at[d < vector_dimension ? d : d - 1];
  }
  llvm::Value* inside = nullptr;
  Elements elements(b_, 1, Leaf());
  for (size_t k = 0; k < attributes_.scatter_dims_to_operand_dims.size(); ++k) {
    const int64_t d = attributes_.scatter_dims_to_operand_dims[k];
    Position position;
    for (llvm::Value* i : at) position.push_back({i});
    if (vector_dimension < indices_.shape().dimensions_size())
      position.insert(position.begin() + vector_dimension, Coordinate{b_.getInt64(k)});
    HILO_ASSIGN_OR_RETURN(const Lanes index, elements.At(indices_, position, nullptr));
    // Unsigned numbers that become negative are outside as well.
    const PrimitiveType type = indices_.shape().element_type();
    llvm::Value* start =
        b_.CreateIntCast(index.re, b_.getInt64Ty(), !primitive_util::IsUnsignedIntegralType(type));
    start_[d] = start;
    if (absl::c_linear_search(window_, d)) continue;
    const bool is_divided = divided_ == d;
    llvm::Value* first = is_divided ? begin_ : b_.getInt64(0);
    llvm::Value* size = is_divided ? b_.CreateSub(end_, begin_)
                                   : b_.getInt64(static_cast<uint64_t>(bounds_.dimensions(d)));
    inside = And(b_, inside, b_.CreateICmpULT(b_.CreateSub(start, first), size));
  }
  if (inside == nullptr) return EmitWindow(at);
  llvm::BasicBlock* update = llvm::BasicBlock::Create(b_.getContext(), "update", function_);
  llvm::BasicBlock* next = llvm::BasicBlock::Create(b_.getContext(), "next", function_);
  b_.CreateCondBr(inside, update, next);
  b_.SetInsertPoint(update);
  HILO_RETURN_IF_ERROR(EmitWindow(at));
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
  return absl::OkStatus();
}

absl::Status ScatterEmitter::EmitWindow(absl::Span<llvm::Value* const> at) {
  ranges_.clear();
  for (size_t k = 0; k < window_.size(); ++k) {
    llvm::Value* size = b_.getInt64(static_cast<uint64_t>(window_sizes_[k]));
    ranges_.push_back({b_.getInt64(0), size});
    if (!IsScattered(window_[k])) continue;
    // From further away it would not reach the operand either.
    llvm::Value* bound = b_.getInt64(static_cast<uint64_t>(bounds_.dimensions(window_[k])));
    llvm::Value*& start = start_[window_[k]];
    start = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, start, b_.CreateNeg(size));
    start = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, start, bound);
    ranges_.back().begin =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b_.CreateNeg(start), b_.getInt64(0));
    ranges_.back().end =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateSub(bound, start), size);
  }
  const bool has_columns = !window_.empty() && window_.back() == bounds_.dimensions_size() - 1 &&
                           attributes_.update_window_dims.back() == updates_.dimensions_size() - 1;
  const size_t outer = window_.size() - (has_columns ? 1 : 0);
  within_.clear();
  const auto nest = [&](const auto& self) -> absl::Status {
    if (within_.size() < outer) {
      const Range& range = ranges_[within_.size()];
      return EmitLoop(b_, range.begin, range.end, 1, [&](llvm::Value* i) {
        within_.push_back(i);
        const absl::Status status = self(self);
        within_.pop_back();
        return status;
      });
    }
    if (!has_columns) return EmitElements(at, nullptr, 1, nullptr, nullptr);
    if (HasOwnColumns()) {
      return ForEachOwnColumn(window_sizes_.back(),
                              [&](llvm::Value* column, int lanes, llvm::Value* mask) {
                                return EmitElements(at, column, lanes, mask, nullptr);
                              });
    }
    if (!IsScattered(window_.back())) {
      return ForEachColumn(window_sizes_.back(), [&](llvm::Value* column, int lanes,
                                                     llvm::Value* mask, Builder& before) {
        Elements invariant(before, 1, Leaf());
        return EmitElements(at, column, lanes, mask, &before == &b_ ? nullptr : &invariant);
      });
    }
    const int lanes = LanesFor(window_sizes_.back());
    const Range& range = ranges_.back();
    return EmitLoop(b_, range.begin, range.end, lanes, [&](llvm::Value* column) {
      llvm::Value* rest = b_.CreateSub(range.end, column);
      llvm::Value* mask = b_.CreateICmpSLT(LaneNumbers(b_, lanes),
                                           lanes == 1 ? rest : b_.CreateVectorSplat(lanes, rest));
      return EmitElements(at, column, lanes, mask, nullptr);
    });
  };
  return nest(nest);
}

absl::Status ScatterEmitter::EmitElements(absl::Span<llvm::Value* const> at, llvm::Value* column,
                                          int lanes, llvm::Value* mask, Elements* outer) {
  std::vector<Coordinate> within;
  for (llvm::Value* i : within_) within.push_back({i});
  if (column != nullptr) within.push_back({column, 1, nullptr, outer == nullptr ? 0 : 1});
  Position target, source(updates_.dimensions_size());
  for (llvm::Value* start : start_) target.push_back({start});
  for (size_t k = 0; k < window_.size(); ++k) {
    const int64_t d = window_[k];
    source[attributes_.update_window_dims[k]] = within[k];
    target[d] = within[k];
    if (IsScattered(d)) target[d].base = b_.CreateAdd(target[d].base, start_[d]);
  }
  for (size_t k = 0; k < update_scatter_.size(); ++k) source[update_scatter_[k]] = {at[k]};

  Elements elements(b_, lanes, Leaf(), outer);
  std::vector<Lanes> current, updates;
  for (int64_t k = 0; k < count_; ++k) {
    current.push_back(LoadAt(b_, ResultShape(k), ResultArray(k), target, lanes, mask));
    HILO_ASSIGN_OR_RETURN(updates.emplace_back(),
                          elements.At(*scatter_.operand(count_ + 1 + k), source, mask));
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> next,
                        Fold(b_, *scatter_.to_apply(), current, updates));
  for (int64_t k = 0; k < count_; ++k)
    StoreAt(b_, ResultShape(k), next[k], ResultArray(k), target, mask);
  return absl::OkStatus();
}

absl::StatusOr<Kernel> ScatterEmitter::Emit() {
  FindDimensions();
  for (int64_t k = 0; k < count_; ++k) HILO_RETURN_IF_ERROR(FillOwnPart(k));
  if (!ShapeUtil::IsZeroElementArray(updates_)) HILO_RETURN_IF_ERROR(EmitUpdates());
  Finish();
  int64_t rows = divided_ ? bounds_.dimensions(*divided_) : 1;
  if (HasOwnColumns()) rows = (rows + ColumnsOfPart() - 1) / ColumnsOfPart();
  const double work = static_cast<double>(2 * count_ * ShapeUtil::ElementsIn(updates_));
  return Kernel{function_, rows, work / static_cast<double>(std::max<int64_t>(1, rows))};
}

}  // namespace

absl::StatusOr<Kernel> EmitScatter(Unit& unit, const HloComputation& computation,
                                   const std::string& name) {
  return ScatterEmitter(unit, computation, name).Emit();
}

}  // namespace xla::cpu
