// dot and its relatives.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "cpu/kernels/contraction.h"
#include "cpu/kernels/epilogue.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/scratch.h"
#include "cpu/kernels/store.h"
#include "data/literal_convert.h"
#include "data/sizes.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Dimensions that are neither batch dimensions nor contracted.
template <typename Dimensions>
std::vector<int64_t> FreeDimensions(const Shape& shape, const Dimensions& batch,
                                    const Dimensions& contracting) {
  std::vector<int64_t> free;
  for (int64_t d = 0; d < shape.dimensions_size(); ++d) {
    if (!absl::c_linear_search(batch, d) && !absl::c_linear_search(contracting, d))
      free.push_back(d);
  }
  return free;
}

// The loops over the dimensions of a dot, in the order of its result. `groups` are dimensions of
// the right side that are none of them.
Contraction MakeContraction(const runtime::LibraryCall& call, const DotDimensionNumbers& numbers,
                            absl::Span<const int64_t> groups = {}) {
  const Shape &lhs = call.operands[0], &rhs = call.operands[1], &result = call.results[0];
  Contraction c;
  c.instruction_set = call.instruction_set;
  c.factor_bytes = call.factor_bytes;
  c.types = {lhs.element_type(), rhs.element_type(), result.element_type()};
  c.counts = {ShapeUtil::ElementsIn(lhs), ShapeUtil::ElementsIn(rhs),
              ShapeUtil::ElementsIn(result)};
  const DimensionVector left = RowMajorStrides(lhs), right = RowMajorStrides(rhs);
  const auto add_pairs = [&](const auto& of_lhs, const auto& of_rhs, Loops& loops) {
    for (int i = 0; i < of_lhs.size(); ++i) {
      const int64_t l = of_lhs.Get(i), r = of_rhs.Get(i);
      loops.push_back({lhs.dimensions(l), {left[l], right[r], 0}});
    }
  };
  add_pairs(numbers.lhs_batch_dimensions(), numbers.rhs_batch_dimensions(), c.groups);
  add_pairs(numbers.lhs_contracting_dimensions(), numbers.rhs_contracting_dimensions(), c.depth);
  for (int64_t d :
       FreeDimensions(lhs, numbers.lhs_batch_dimensions(), numbers.lhs_contracting_dimensions())) {
    c.rows.push_back({lhs.dimensions(d), {left[d], 0, 0}});
  }
  for (int64_t d :
       FreeDimensions(rhs, numbers.rhs_batch_dimensions(), numbers.rhs_contracting_dimensions())) {
    if (!absl::c_linear_search(groups, d))
      c.columns.push_back({rhs.dimensions(d), {0, right[d], 0}});
  }
  int64_t stride = 1;
  for (Loops* loops : {&c.columns, &c.rows, &c.groups}) {
    for (size_t i = loops->size(); i-- > 0;) {
      (*loops)[i].strides[kResult] = stride;
      stride *= (*loops)[i].size;
    }
  }
  return c;
}

class Dot : public runtime::LibraryKernel {
 public:
  Dot(std::unique_ptr<Product> product, int result)
      : product_(std::move(product)), result_(result) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    return product_->Run(arrays[0], arrays[1], arrays[result_]);
  }

 private:
  std::unique_ptr<Product> product_;
  int result_;  // its number among the arrays
};

// Both sides are multiplied by their scales first, each element of which holds for a block.
class ScaledDot : public runtime::LibraryKernel {
 public:
  ScaledDot(const runtime::LibraryCall& call, PrimitiveType type, std::unique_ptr<Product> product)
      : operands_(call.operands), type_(type), product_(std::move(product)) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    Scratch<char> sides[2];
    for (int side : {kLeft, kRight}) {
      const Shape &shape = operands_[side], &scale = operands_[side + 2];
      const int64_t count = ShapeUtil::ElementsIn(shape), scales = ShapeUtil::ElementsIn(scale);
      const int64_t bytes = primitive_util::ByteWidth(type_);
      sides[side] = Scratch<char>(count * bytes);
      const Scratch<char> factors(scales * bytes);
      if (sides[side].get() == nullptr || factors.get() == nullptr)
        return ResourceExhausted("no memory for %d elements", count);
      ConvertElements(shape.element_type(), arrays[side], type_, sides[side].get(), count);
      ConvertElements(scale.element_type(), arrays[side + 2], type_, factors.get(), scales);
      if (type_ == C128) {
        Multiply(shape, scale, reinterpret_cast<complex128*>(sides[side].get()),
                 reinterpret_cast<const complex128*>(factors.get()));
      } else {
        Multiply(shape, scale, reinterpret_cast<double*>(sides[side].get()),
                 reinterpret_cast<const double*>(factors.get()));
      }
    }
    return product_->Run(sides[kLeft].get(), sides[kRight].get(), arrays[4]);
  }

 private:
  template <typename T>
  static void Multiply(const Shape& shape, const Shape& scale, T* values, const T* scales) {
    const int64_t count = ShapeUtil::ElementsIn(shape);
    const bool is_one = scale.dimensions_size() != shape.dimensions_size();
    const bool is_none = ShapeUtil::IsZeroElementArray(scale);
    const DimensionVector strides = RowMajorStrides(shape);
    const DimensionVector scale_strides = RowMajorStrides(scale);
    for (int64_t i = 0; i < count; ++i) {
      int64_t position = 0;
      for (int d = 0; d < shape.dimensions_size() && !is_one; ++d) {
        const int64_t index = i / strides[d] % shape.dimensions(d);
        position += index * scale.dimensions(d) / shape.dimensions(d) * scale_strides[d];
      }
      values[i] = is_none ? T(0) : values[i] * scales[position];
    }
  }

  const std::vector<Shape> operands_;
  const PrimitiveType type_;
  const std::unique_ptr<Product> product_;
};

// The groups of places along the ragged dimension lie one after the other; what is left after the
// last one belongs to none.
class RaggedDot : public runtime::LibraryKernel {
 public:
  explicit RaggedDot(const runtime::LibraryCall& call) : sizes_(call.operands[2]) {
    const RaggedDotDimensionNumbers& ragged = call.instruction.ragged_dot_dimension_numbers();
    const DotDimensionNumbers& numbers = ragged.dot_dimension_numbers();
    const Shape &lhs = call.operands[0], &rhs = call.operands[1], &result = call.results[0];
    const int64_t dimension = ragged.lhs_ragged_dimensions(0);
    whole_ = MakeContraction(call, numbers, ragged.rhs_group_dimensions());
    is_contracting_ = absl::c_linear_search(numbers.lhs_contracting_dimensions(), dimension);
    const auto& contracting = numbers.lhs_contracting_dimensions();
    const std::vector<int64_t> along =
        is_contracting_ ? std::vector<int64_t>(contracting.begin(), contracting.end())
                        : FreeDimensions(lhs, numbers.lhs_batch_dimensions(), contracting);
    ragged_ = absl::c_find(along, dimension) - along.begin();
    if (is_contracting_) {
      group_strides_[kResult] =
          ShapeUtil::ElementsIn(result) / std::max<int64_t>(1, result.dimensions(0));
    } else {
      group_strides_[kRight] = RowMajorStrides(rhs)[ragged.rhs_group_dimensions(0)];
    }
    // Sizes of groups may differ with what comes before the ragged dimension.
    if (sizes_.dimensions_size() < 2) return;
    for (size_t i = 0; i < whole_.groups.size(); ++i) outer_.push_back({false, i});
    for (int64_t d = 0; d < dimension; ++d) {
      const auto found = absl::c_find(along, d);
      if (found != along.end())
        outer_.push_back({true, static_cast<size_t>(found - along.begin())});
    }
  }

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    std::vector<int64_t> sizes(ShapeUtil::ElementsIn(sizes_));
    ConvertElements(sizes_.element_type(), arrays[2], S64, sizes.data(),
                    static_cast<int64_t>(sizes.size()));
    std::memset(arrays[3], ZeroByte(whole_.types[kResult]),
                whole_.counts[kResult] * primitive_util::ByteWidth(whole_.types[kResult]));
    const int64_t groups = sizes_.dimensions().back();
    for (size_t first = 0; first < sizes.size(); first += groups) {
      Contraction outer = whole_;
      int64_t rest = static_cast<int64_t>(first) / groups;
      for (size_t i = outer_.size(); i-- > 0;) {
        Loop& loop =
            outer_[i].first ? Along(outer)[outer_[i].second] : outer.groups[outer_[i].second];
        Restrict(outer, loop, rest % loop.size, 1, rest);
      }
      int64_t begin = 0;
      uint64_t end = 0;
      for (int64_t group = 0; group < groups; ++group) {
        end += static_cast<uint64_t>(sizes[first + group]);
        Contraction part = outer;
        Loop& loop = Along(part)[ragged_];
        const int64_t last = std::min(static_cast<int64_t>(end), loop.size);
        if (last <= begin) continue;
        int64_t ignored = 0;
        Restrict(part, loop, begin, last - begin, ignored);
        for (int array = 0; array < kArrays; ++array)
          part.offsets[array] += group * group_strides_[array];
        HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Product> product, MakeProduct(std::move(part)));
        HILO_RETURN_IF_ERROR(product->Run(arrays[0], arrays[1], arrays[3]));
        begin = last;
      }
    }
    return absl::OkStatus();
  }

  // Whether groups of one sum are found in several places, whose products would have to be added
  // up.
  bool HasScatteredSums() const {
    return is_contracting_ && absl::c_any_of(outer_, [](const auto& loop) { return loop.first; });
  }

 private:
  Loops& Along(Contraction& contraction) const {
    return is_contracting_ ? contraction.depth : contraction.rows;
  }
  static void Restrict(Contraction& contraction, Loop& loop, int64_t begin, int64_t size,
                       int64_t& rest) {
    for (int array = 0; array < kArrays; ++array)
      contraction.offsets[array] += begin * loop.strides[array];
    rest /= loop.size;
    loop.size = size;
  }

  const Shape sizes_;
  Contraction whole_;
  bool is_contracting_;
  size_t ragged_;  // among the loops over rows or depth
  std::array<int64_t, kArrays> group_strides_ = {};
  std::vector<std::pair<bool, size_t>> outer_;  // loops over rows or depth, or else over batches
};

}  // namespace

KernelOrStatus MakeRaggedDot(const runtime::LibraryCall& call) {
  const RaggedDotDimensionNumbers& ragged = call.instruction.ragged_dot_dimension_numbers();
  const DotDimensionNumbers& numbers = ragged.dot_dimension_numbers();
  if (absl::c_linear_search(numbers.lhs_batch_dimensions(), ragged.lhs_ragged_dimensions(0))) {
    // A dot, to which groups mean nothing.
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<Product> product,
                          MakeProduct(MakeContraction(call, numbers)));
    return std::make_unique<Dot>(std::move(product), 3);
  }
  auto kernel = std::make_unique<RaggedDot>(call);
  if (kernel->HasScatteredSums()) {
    return Unimplemented(
        "ragged-dot %s with group sizes %s that differ along a contracted dimension",
        call.instruction.name(), ShapeUtil::HumanString(call.operands[2]));
  }
  return kernel;
}

KernelOrStatus MakeScaledDot(const runtime::LibraryCall& call) {
  const auto is_complex = [](const Shape& shape) { return ShapeUtil::ElementIsComplex(shape); };
  const bool has_complex_sides =
      is_complex(call.operands[0]) || is_complex(call.operands[1]) || is_complex(call.results[0]);
  if (!has_complex_sides && absl::c_any_of(call.operands, is_complex)) {
    return InvalidArgument("scaled-dot %s: complex scales cannot scale real numbers",
                           call.instruction.name());
  }
  const PrimitiveType type = has_complex_sides ? C128 : F64;
  Contraction contraction = MakeContraction(call, call.instruction.dot_dimension_numbers());
  contraction.types[kLeft] = contraction.types[kRight] = type;
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Product> product, MakeProduct(std::move(contraction)));
  return std::make_unique<ScaledDot>(call, type, std::move(product));
}

KernelOrStatus MakeDot(const runtime::LibraryCall& call) {
  if (call.epilogue_columns > 0) {
    HILO_ASSIGN_OR_RETURN(const runtime::LibraryCall product, ProductOf(call));
    return MakeProductWithEpilogue(
        call, product.results[0],
        MakeContraction(product, call.instruction.dot_dimension_numbers()));
  }
  if (call.operands.size() != 2)
    return Unimplemented("dot %s with sparse operands", call.instruction.name());
  HILO_ASSIGN_OR_RETURN(
      std::unique_ptr<Product> product,
      MakeProduct(MakeContraction(call, call.instruction.dot_dimension_numbers())));
  return std::make_unique<Dot>(std::move(product), 2);
}

}  // namespace xla::cpu
