// Products of matrices and their generalisations. Products are summed in wide types and rounded
// once at the end.
#include <functional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "eval/frame.h"
#include "eval/walk.h"
#include "eval/wide_array.h"
#include "ir/records.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

// One side of a product as a batch of matrices: the dimensions in the order batch, then free and
// contracting ones in the order that suits the side.
struct Side {
  DimensionVector batch_sizes, free_sizes, contracting_sizes;
  DimensionVector batch_strides, free_strides, contracting_strides;

  Side(absl::Span<const int64_t> sizes, absl::Span<const int64_t> batch,
       absl::Span<const int64_t> contracting) {
    const DimensionVector strides = RowMajorStrides(sizes);
    for (int64_t d : batch) batch_sizes.push_back(sizes[d]), batch_strides.push_back(strides[d]);
    for (int64_t d : contracting)
      contracting_sizes.push_back(sizes[d]), contracting_strides.push_back(strides[d]);
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
      if (absl::c_linear_search(batch, d) || absl::c_linear_search(contracting, d)) continue;
      free_sizes.push_back(sizes[d]), free_strides.push_back(strides[d]);
    }
  }

  template <typename Wide>
  std::vector<Wide> Matrices(const std::vector<Wide>& array, bool contracting_last) const {
    DimensionVector sizes = batch_sizes, strides = batch_strides;
    const auto append = [&](const DimensionVector& more_sizes,
                            const DimensionVector& more_strides) {
      sizes.insert(sizes.end(), more_sizes.begin(), more_sizes.end());
      strides.insert(strides.end(), more_strides.begin(), more_strides.end());
    };
    if (contracting_last) append(free_sizes, free_strides);
    append(contracting_sizes, contracting_strides);
    if (!contracting_last) append(free_sizes, free_strides);
    return Pack(array, sizes, strides);
  }
};

// result[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, k, j]
template <typename Wide>
std::vector<Wide> MultiplyMatrices(const std::vector<Wide>& lhs, const std::vector<Wide>& rhs,
                                   int64_t batch, int64_t rows, int64_t depth, int64_t columns) {
  std::vector<Wide> result(batch * rows * columns);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < rows; ++i) {
      const Wide* left = lhs.data() + (b * rows + i) * depth;
      const Wide* right = rhs.data() + b * depth * columns;
      Wide* sums = result.data() + (b * rows + i) * columns;
      for (int64_t k = 0; k < depth; ++k) AddScaledRow(left[k], right + k * columns, columns, sums);
    }
  }
  return result;
}

template <typename Wide>
absl::StatusOr<Value> Contract(const std::vector<Wide>& lhs, const Side& lhs_side,
                               const std::vector<Wide>& rhs, const Side& rhs_side,
                               const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  std::vector<Wide> product =
      MultiplyMatrices(lhs_side.Matrices(lhs, /*contracting_last=*/true),
                       rhs_side.Matrices(rhs, /*contracting_last=*/false),
                       Product(lhs_side.batch_sizes), Product(lhs_side.free_sizes),
                       Product(lhs_side.contracting_sizes), Product(rhs_side.free_sizes));
  RoundProducts(instruction, product);
  StoreFrom(product, result);
  return Value(std::move(result));
}

// Names the elements of each product.
void Trace(const Side& lhs, const Side& rhs, const Shape& result,
           const std::function<void(int64_t, int64_t, int64_t)>& handler) {
  // All dimensions once, and how far the next element along each is in the result and both sides.
  DimensionVector sizes, of_result = RowMajorStrides(result.dimensions()), of_lhs, of_rhs;
  const auto add = [](DimensionVector& to, const DimensionVector& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  add(sizes, lhs.batch_sizes), add(of_lhs, lhs.batch_strides), add(of_rhs, rhs.batch_strides);
  add(sizes, lhs.free_sizes), add(of_lhs, lhs.free_strides);
  of_rhs.resize(sizes.size(), 0);
  add(sizes, rhs.free_sizes), add(of_rhs, rhs.free_strides);
  of_lhs.resize(sizes.size(), 0);
  add(sizes, lhs.contracting_sizes), add(of_lhs, lhs.contracting_strides);
  add(of_rhs, rhs.contracting_strides);
  of_result.resize(sizes.size(), 0);
  for (Walk<3> at(sizes, {of_result, of_lhs, of_rhs}); !at.done(); at.Next())
    handler(at[0], at[1], at[2]);
}

}  // namespace

absl::StatusOr<Value> Dot(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<DotAttributes>();
  const Literal& lhs = frame.array(0);
  const Literal& rhs = frame.array(1);
  HILO_ASSIGN_OR_RETURN(const Kind kind, ProductKind(instruction));
  const Side lhs_side(lhs.shape().dimensions(), attributes.lhs_batch, attributes.lhs_contracting);
  const Side rhs_side(rhs.shape().dimensions(), attributes.rhs_batch, attributes.rhs_contracting);
  if (const auto& handler = frame.evaluator().options().trace_mac_handler)
    Trace(lhs_side, rhs_side, instruction.shape(), handler);
  return KindSwitch(
      [&](auto wide) {
        using Wide = decltype(wide);
        return Contract(LoadAs<Wide>(lhs), lhs_side, LoadAs<Wide>(rhs), rhs_side, instruction);
      },
      kind);
}

namespace {

// Which group the places along the ragged dimension of the left side belong to: groups lie one
// after the other, and what is left after the last one belongs to none.
class Groups {
 public:
  static constexpr int64_t kNone = -1;

  // `sizes` has one list of sizes for all, or one for each index of the leading dimensions, which
  // stand for `outer`.
  Groups(const Literal& sizes, absl::Span<const int64_t> outer, int64_t ragged, int64_t lhs_rank)
      : count_(sizes.shape().dimensions().back()),
        ends_(LoadAs<int64_t>(sizes)),
        outer_strides_(lhs_rank, 0),
        ragged_strides_(lhs_rank, 0) {
    const DimensionVector strides = RowMajorStrides(sizes.shape().dimensions());
    for (size_t i = 0; i + 1 < strides.size(); ++i) outer_strides_[outer[i]] = strides[i];
    ragged_strides_[ragged] = 1;
    for (size_t i = 0; i < ends_.size(); ++i) {
      if (static_cast<int64_t>(i) % count_ != 0)
        ends_[i] = MultiplyAdd(ends_[i - 1], int64_t{1}, ends_[i]);
    }
  }

  int64_t count() const { return count_; }

  // The groups of all indices of some dimensions of the left side, in row-major order.
  std::vector<int64_t> Of(absl::Span<const int64_t> dimensions,
                          absl::Span<const int64_t> lhs_sizes) const {
    DimensionVector sizes, outer, ragged;
    for (int64_t d : dimensions) {
      sizes.push_back(lhs_sizes[d]);
      outer.push_back(outer_strides_[d]);
      ragged.push_back(ragged_strides_[d]);
    }
    std::vector<int64_t> groups;
    for (Walk<2> at(sizes, {outer, ragged}); !at.done(); at.Next()) {
      const auto ends = absl::MakeConstSpan(ends_).subspan(at[0], count_);
      const auto group = absl::c_find_if(ends, [&](int64_t end) { return at[1] < end; });
      groups.push_back(group == ends.end() ? kNone : group - ends.begin());
    }
    return groups;
  }

 private:
  int64_t count_;
  std::vector<int64_t> ends_;  // along the ragged dimension
  DimensionVector outer_strides_, ragged_strides_;
};

DimensionVector Joined(absl::Span<const int64_t> first, absl::Span<const int64_t> second) {
  DimensionVector all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

struct RaggedProduct {
  const RaggedDotAttributes& attributes;
  absl::Span<const int64_t> lhs_sizes, rhs_sizes;
  int64_t ragged = attributes.lhs_ragged[0];
  bool is_contracting = absl::c_linear_search(attributes.lhs_contracting, ragged);
  // The group dimension of the right side goes before its batch dimensions.
  Side lhs_side{lhs_sizes, attributes.lhs_batch, attributes.lhs_contracting};
  Side rhs_side{rhs_sizes, Joined(attributes.rhs_group, attributes.rhs_batch),
                attributes.rhs_contracting};
  int64_t batch = Product(lhs_side.batch_sizes), rows = Product(lhs_side.free_sizes);
  int64_t depth = Product(lhs_side.contracting_sizes), columns = Product(rhs_side.free_sizes);

  Groups MakeGroups(const Literal& sizes) const {
    DimensionVector outer(attributes.lhs_batch.begin(), attributes.lhs_batch.end());
    for (int64_t d = 0; d < ragged; ++d) {
      if (absl::c_linear_search(attributes.lhs_batch, d)) continue;
      if (absl::c_linear_search(attributes.lhs_contracting, d) == is_contracting)
        outer.push_back(d);
    }
    return Groups(sizes, outer, ragged, static_cast<int64_t>(lhs_sizes.size()));
  }

  // Each row of the left side is multiplied by its group's matrices: [batch, rows, columns]. Rows
  // of no group give zero.
  template <typename Wide>
  std::vector<Wide> WithGroupsOfRows(const std::vector<Wide>& lhs, const std::vector<Wide>& rhs,
                                     const Groups& groups) const {
    DimensionVector dimensions(attributes.lhs_batch.begin(), attributes.lhs_batch.end());
    for (int64_t d = 0; d < static_cast<int64_t>(lhs_sizes.size()); ++d) {
      if (absl::c_linear_search(attributes.lhs_batch, d) ||
          absl::c_linear_search(attributes.lhs_contracting, d))
        continue;
      dimensions.push_back(d);
    }
    const std::vector<int64_t> group = groups.Of(dimensions, lhs_sizes);
    std::vector<Wide> result(batch * rows * columns);
    for (int64_t row = 0; row < batch * rows; ++row) {
      if (group[row] == Groups::kNone) continue;
      const Wide* right = rhs.data() + (group[row] * batch + row / rows) * depth * columns;
      for (int64_t k = 0; k < depth; ++k) {
        AddScaledRow(lhs[row * depth + k], right + k * columns, columns,
                     result.data() + row * columns);
      }
    }
    return result;
  }

  // Each group of the contracting dimension has its own sum: [group, batch, rows, columns].
  template <typename Wide>
  std::vector<Wide> WithGroupsOfProducts(const std::vector<Wide>& lhs, const std::vector<Wide>& rhs,
                                         const Groups& groups) const {
    const std::vector<int64_t> group =
        groups.Of(Joined(attributes.lhs_batch, attributes.lhs_contracting), lhs_sizes);
    std::vector<Wide> result(groups.count() * batch * rows * columns);
    for (int64_t product = 0; product < batch * depth; ++product) {
      if (group[product] == Groups::kNone) continue;
      const int64_t b = product / depth, k = product % depth;
      for (int64_t i = 0; i < rows; ++i) {
        AddScaledRow(lhs[(b * rows + i) * depth + k], rhs.data() + product * columns, columns,
                     result.data() + ((group[product] * batch + b) * rows + i) * columns);
      }
    }
    return result;
  }
};

}  // namespace

// With groups along a batch dimension it is a dot.
absl::StatusOr<Value> RaggedDot(Frame& frame, const HloInstruction& instruction) {
  const RaggedProduct product{instruction.attributes_as<RaggedDotAttributes>(),
                              frame.array(0).shape().dimensions(),
                              frame.array(1).shape().dimensions()};
  const bool is_batch = absl::c_linear_search(product.attributes.lhs_batch, product.ragged);
  HILO_ASSIGN_OR_RETURN(const Kind kind, ProductKind(instruction));
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  if (result.element_count() == 0) return Value(std::move(result));
  return KindSwitch(
      [&](auto wide) -> absl::StatusOr<Value> {
        using Wide = decltype(wide);
        const std::vector<Wide> lhs = LoadAs<Wide>(frame.array(0)),
                                rhs = LoadAs<Wide>(frame.array(1));
        if (is_batch) return Contract(lhs, product.lhs_side, rhs, product.rhs_side, instruction);
        const std::vector<Wide> left = product.lhs_side.Matrices(lhs, /*contracting_last=*/true);
        const std::vector<Wide> right = product.rhs_side.Matrices(rhs, /*contracting_last=*/false);
        const Groups groups = product.MakeGroups(frame.array(2));
        std::vector<Wide> sums = product.is_contracting
                                     ? product.WithGroupsOfProducts(left, right, groups)
                                     : product.WithGroupsOfRows(left, right, groups);
        RoundProducts(instruction, sums);
        StoreFrom(sums, result);
        return Value(std::move(result));
      },
      kind);
}

namespace {

// An operand times its scale, each element of which holds for a block of the operand.
template <typename Wide>
std::vector<Wide> Scaled(const Literal& operand, const Literal& scale) {
  std::vector<Wide> values = LoadAs<Wide>(operand);
  const std::vector<Wide> scales = LoadAs<Wide>(scale);
  if (scales.empty()) return std::vector<Wide>(values.size());
  const auto sizes = operand.shape().dimensions();
  if (scale.shape().dimensions_size() != operand.shape().dimensions_size()) {
    for (Wide& value : values) value *= scales[0];
    return values;
  }
  const DimensionVector strides = RowMajorStrides(sizes);
  const DimensionVector scale_strides = RowMajorStrides(scale.shape().dimensions());
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t position = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t index = static_cast<int64_t>(i) / strides[d] % sizes[d];
      position += index * scale.shape().dimensions(d) / sizes[d] * scale_strides[d];
    }
    values[i] *= scales[position];
  }
  return values;
}

template <typename Wide>
absl::StatusOr<Value> ContractScaled(const Frame& frame, const Side& lhs_side, const Side& rhs_side,
                                     const HloInstruction& instruction) {
  return Contract(Scaled<Wide>(frame.array(0), frame.array(2)), lhs_side,
                  Scaled<Wide>(frame.array(1), frame.array(3)), rhs_side, instruction);
}

bool IsComplex(const Literal& array) {
  return FormatOf(array.shape().element_type()).kind == Kind::kComplex;
}

}  // namespace

absl::StatusOr<Value> ScaledDot(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<DotAttributes>();
  const Side lhs_side(frame.array(0).shape().dimensions(), attributes.lhs_batch,
                      attributes.lhs_contracting);
  const Side rhs_side(frame.array(1).shape().dimensions(), attributes.rhs_batch,
                      attributes.rhs_contracting);
  HILO_ASSIGN_OR_RETURN(const Kind kind, ProductKind(instruction));
  if (kind == Kind::kComplex)
    return ContractScaled<complex128>(frame, lhs_side, rhs_side, instruction);
  if (IsComplex(frame.array(2)) || IsComplex(frame.array(3))) {
    return InvalidArgument("scaled-dot %s: complex scales cannot scale real numbers",
                           instruction.name());
  }
  return ContractScaled<double>(frame, lhs_side, rhs_side, instruction);
}

}  // namespace xla::eval
