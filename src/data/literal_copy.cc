// Copies of literals and of parts of them, in the same and in other shapes.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "data/literal_piece.h"
#include "data/strided_copy.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

using literal_internal::Piece;

namespace {

// Copies a box between two arrays of one element type.
void CopyBox(const Piece& source, absl::Span<const int64_t> source_base, Piece& destination,
             absl::Span<const int64_t> destination_base, absl::Span<const int64_t> sizes) {
  const DimensionVector source_strides = source.Strides();
  const DimensionVector destination_strides = destination.Strides();
  const int64_t bytes = source.element_bytes();
  const int64_t source_start = absl::c_inner_product(source_base, source_strides, int64_t{0});
  const int64_t destination_start =
      absl::c_inner_product(destination_base, destination_strides, int64_t{0});
  CopyStrided(bytes, sizes, source.buffer() + source_start * bytes, source_strides,
              destination.buffer() + destination_start * bytes, destination_strides);
}

absl::Status CopyArray(const Piece& source, Piece& destination, bool only_dynamic_bound) {
  destination.set_state(source.state());
  if (source.buffer() == nullptr) return absl::OkStatus();
  HILO_RETURN_IF_ERROR(destination.Allocate());
  if (!only_dynamic_bound) {
    const DimensionVector base(source.shape().dimensions_size(), 0);
    CopyBox(source, base, destination, base, source.shape().dimensions());
    destination.CopyDynamicSizes(source);
    return absl::OkStatus();
  }
  const DimensionVector base(source.shape().dimensions_size(), 0);
  DimensionVector sizes = source.Sizes();
  const absl::Span<const int64_t> bounds = destination.shape().dimensions();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] > bounds[d]) {
      return InvalidArgument("Size %d of dimension %d of %s does not fit into %s", sizes[d], d,
                             ShapeUtil::HumanString(source.shape()),
                             ShapeUtil::HumanString(destination.shape()));
    }
    if (destination.shape().is_dynamic_dimension(d)) destination.SetDynamicSize(d, sizes[d]);
  }
  CopyBox(source, base, destination, base, sizes);
  return absl::OkStatus();
}

bool CanCopy(const Shape& source, const Shape& destination, bool only_dynamic_bound) {
  if (source.IsTuple() && destination.IsTuple()) {
    return absl::c_equal(
        source.tuple_shapes(), destination.tuple_shapes(),
        [&](const Shape& a, const Shape& b) { return CanCopy(a, b, only_dynamic_bound); });
  }
  if (!only_dynamic_bound || !source.IsArray()) return ShapeUtil::Compatible(source, destination);
  return destination.IsArray() && source.element_type() == destination.element_type() &&
         source.dimensions_size() == destination.dimensions_size();
}

absl::Status CopyPieces(const Piece& source, Piece& destination, bool only_dynamic_bound) {
  for (size_t i = 0; i < source.children().size(); ++i) {
    HILO_RETURN_IF_ERROR(
        CopyPieces(source.children()[i], destination.children()[i], only_dynamic_bound));
  }
  return source.IsArray() ? CopyArray(source, destination, only_dynamic_bound) : absl::OkStatus();
}

// A zero literal for a shape that is known to be good.
Literal MakeOrDie(const Shape& shape, bool allocate_arrays = true) {
  absl::StatusOr<Literal> literal = Literal::Make(shape, allocate_arrays);
  CHECK(literal.ok()) << literal.status();
  return *std::move(literal);
}

std::string DimensionsString(absl::Span<const int64_t> dimensions) {
  return absl::StrCat("[", absl::StrJoin(dimensions, ","), "]");
}

}  // namespace

absl::Status MutableLiteralBase::CopyFrom(const LiteralSlice& src_literal,
                                          const ShapeIndex& dest_shape_index,
                                          const ShapeIndex& src_shape_index,
                                          bool only_dynamic_bound) {
  const Piece* source = src_literal.piece_->Find(src_shape_index);
  Piece* destination = const_cast<Piece*>(piece_->Find(dest_shape_index));
  if (source == nullptr || destination == nullptr ||
      !CanCopy(source->shape(), destination->shape(), only_dynamic_bound)) {
    return InvalidArgument(
        "Index %s of a literal of shape %s cannot be copied to index %s of one of shape %s",
        src_shape_index.ToString(), ShapeUtil::HumanString(src_literal.shape()),
        dest_shape_index.ToString(), ShapeUtil::HumanString(shape()));
  }
  return CopyPieces(*source, *destination, only_dynamic_bound);
}

absl::Status MutableLiteralBase::CopySliceFrom(const LiteralSlice& src_literal,
                                               absl::Span<const int64_t> src_base,
                                               absl::Span<const int64_t> dest_base,
                                               absl::Span<const int64_t> copy_size) {
  const Shape& source = src_literal.shape();
  if (!source.IsArray() || !shape().IsArray() || source.element_type() != shape().element_type()) {
    return InvalidArgument("A slice of a literal of shape %s cannot be copied to one of shape %s",
                           ShapeUtil::HumanString(source), ShapeUtil::HumanString(shape()));
  }
  // Between a scalar and another array goes one element, with an empty copy_size.
  const bool is_element = copy_size.empty() && (src_base.empty() || dest_base.empty());
  const auto fits = [&](absl::Span<const int64_t> base, const Shape& array) {
    if (base.size() != array.dimensions().size() ||
        (base.size() != copy_size.size() && !is_element)) {
      return false;
    }
    for (size_t d = 0; d < base.size(); ++d) {
      const int64_t size = is_element ? 1 : copy_size[d];
      if (base[d] < 0 || size < 0 || size > array.dimensions(d) ||
          base[d] > array.dimensions(d) - size) {
        return false;
      }
    }
    return true;
  };
  if (!fits(src_base, source) || !fits(dest_base, shape())) {
    return InvalidArgument("A box of %s elements does not fit at index %s of %s and index %s of %s",
                           DimensionsString(copy_size), DimensionsString(src_base),
                           ShapeUtil::HumanString(source), DimensionsString(dest_base),
                           ShapeUtil::HumanString(shape()));
  }
  if (src_literal.piece_->buffer() == nullptr || piece_->buffer() == nullptr) {
    return InvalidArgument("Literals without elements in memory cannot be copied in part");
  }
  if (is_element) {
    CopyElementFrom(src_literal, src_base, dest_base);
  } else {
    CopyBox(*src_literal.piece_, src_base, *piece_, dest_base, copy_size);
  }
  return absl::OkStatus();
}

void MutableLiteralBase::CopyElementFrom(const LiteralSlice& src_literal,
                                         absl::Span<const int64_t> src_index,
                                         absl::Span<const int64_t> dest_index) {
  CHECK(shape().element_type() == src_literal.shape().element_type());
  const int64_t bytes = piece_->element_bytes();
  const int64_t source = src_literal.piece_->LinearIndex(src_index);
  const int64_t destination = piece_->LinearIndex(dest_index);
  std::memcpy(piece_->buffer() + destination * bytes, src_literal.piece_->buffer() + source * bytes,
              bytes);
}

Literal LiteralBase::Clone() const {
  Literal clone(*Literal::MakeRoot(shape(), /*allocate_arrays=*/false, ArrayValueState::kKnown));
  const absl::Status copied = clone.CopyFrom(LiteralSlice(*this));
  CHECK(copied.ok()) << copied;
  return clone;
}

std::unique_ptr<Literal> LiteralBase::CloneToUnique() const {
  return std::make_unique<Literal>(Clone());
}

Literal Literal::SubLiteral(ShapeIndexView shape_index) {
  return LiteralSlice(*this, ShapeIndex(shape_index)).Clone();
}

Literal LiteralBase::Relayout(const Layout& new_layout, const ShapeIndex& shape_index) const {
  Shape new_shape = shape();
  *ShapeUtil::GetMutableSubshape(&new_shape, shape_index)->mutable_layout() = new_layout;
  return Relayout(new_shape);
}

Literal LiteralBase::Relayout(const Shape& shape_with_layout) const {
  CHECK(ShapeUtil::Compatible(shape_with_layout, shape()))
      << "A literal of shape " << ShapeUtil::HumanString(shape()) << " cannot get the layout of "
      << ShapeUtil::HumanStringWithLayout(shape_with_layout);
  Shape new_shape = shape();
  const absl::Status has_layouts =
      LayoutUtil::CopyLayoutBetweenShapes(shape_with_layout, &new_shape);
  CHECK(has_layouts.ok()) << has_layouts;
  Literal result = MakeOrDie(new_shape, /*allocate_arrays=*/false);
  const absl::Status copied = result.CopyFrom(LiteralSlice(*this));
  CHECK(copied.ok()) << copied;
  return result;
}

Literal LiteralBase::ToStatic() const {
  Shape new_shape = shape();
  ShapeUtil::ForEachMutableSubshape(&new_shape, [&](Shape* subshape, const ShapeIndex& index) {
    if (!subshape->IsArray()) return;
    const DimensionVector sizes = piece(index).Sizes();
    for (size_t d = 0; d < sizes.size(); ++d)
      subshape->set_dimensions(d, sizes[d], /*is_dynamic=*/false);
  });
  Literal result = MakeOrDie(new_shape, /*allocate_arrays=*/false);
  const absl::Status copied =
      result.CopyFrom(LiteralSlice(*this), {}, {}, /*only_dynamic_bound=*/true);
  CHECK(copied.ok()) << copied;
  return result;
}

Literal LiteralBase::ToBoundedDynamic(const Shape& bounded_shape) const {
  Literal result = MakeOrDie(bounded_shape);
  const absl::Status copied =
      result.CopyFrom(LiteralSlice(*this), {}, {}, /*only_dynamic_bound=*/true);
  CHECK(copied.ok()) << copied;
  return result;
}

absl::StatusOr<Literal> LiteralBase::Reshape(absl::Span<const int64_t> dimensions) const {
  if (!shape().IsArray() || shape().is_dynamic()) {
    return InvalidArgument("A literal of shape %s cannot be reshaped",
                           ShapeUtil::HumanString(shape()));
  }
  HILO_ASSIGN_OR_RETURN(const Shape new_shape,
                        ShapeUtil::MakeValidatedShape(shape().element_type(), dimensions));
  if (ShapeUtil::ElementsIn(new_shape) != element_count()) {
    return InvalidArgument(
        "A literal of shape %s cannot be reshaped to %s: it has %d elements and not %d",
        ShapeUtil::HumanString(shape()), ShapeUtil::HumanString(new_shape), element_count(),
        ShapeUtil::ElementsIn(new_shape));
  }
  HILO_ASSIGN_OR_RETURN(Literal result, Literal::Make(new_shape));
  result.piece_->set_state(piece_->state());
  if (piece_->buffer() != nullptr) {
    CopyStrided(piece_->element_bytes(), shape().dimensions(), piece_->buffer(), piece_->Strides(),
                result.piece_->buffer(), RowMajorStrides(shape().dimensions()));
  }
  return result;
}

absl::StatusOr<Literal> LiteralBase::Broadcast(const Shape& result_shape,
                                               absl::Span<const int64_t> dimensions) const {
  if (!shape().IsArray() || !result_shape.IsArray() ||
      result_shape.element_type() != shape().element_type() ||
      static_cast<int64_t>(dimensions.size()) != shape().dimensions_size()) {
    return InvalidArgument("A literal of shape %s cannot be broadcast to %s in dimensions %s",
                           ShapeUtil::HumanString(shape()), ShapeUtil::HumanString(result_shape),
                           DimensionsString(dimensions));
  }
  const DimensionVector strides = piece_->Strides();
  DimensionVector source_strides(result_shape.dimensions_size(), 0);
  std::vector<bool> is_used(result_shape.dimensions_size(), false);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t d = dimensions[i];
    if (d < 0 || d >= result_shape.dimensions_size() || is_used[d] ||
        result_shape.dimensions(d) != shape().dimensions(i)) {
      return InvalidArgument("Dimension %d of %s cannot become dimension %d of %s", i,
                             ShapeUtil::HumanString(shape()), d,
                             ShapeUtil::HumanString(result_shape));
    }
    is_used[d] = true;
    source_strides[d] = strides[i];
  }
  HILO_ASSIGN_OR_RETURN(Literal result, Literal::Make(result_shape));
  if (!IsKnown() || piece_->buffer() == nullptr) {
    return InvalidArgument("A literal of shape %s without values cannot be broadcast",
                           ShapeUtil::HumanString(shape()));
  }
  CopyStrided(piece_->element_bytes(), result.shape().dimensions(), piece_->buffer(),
              source_strides, result.piece_->buffer(), result.piece_->Strides());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (shape().is_dynamic_dimension(i) || result_shape.is_dynamic_dimension(dimensions[i])) {
      result.SetDynamicSize(dimensions[i], piece_->DynamicSize(i));
    }
  }
  return result;
}

Literal LiteralBase::Transpose(absl::Span<const int64_t> permutation) const {
  CHECK(shape().IsArray()) << ShapeUtil::HumanString(shape());
  CHECK(IsPermutation(permutation) &&
        static_cast<int64_t>(permutation.size()) == shape().dimensions_size())
      << DimensionsString(permutation) << " is no permutation of the dimensions of "
      << ShapeUtil::HumanString(shape());
  Literal result = MakeOrDie(ShapeUtil::PermuteDimensions(permutation, shape()));
  result.piece_->set_state(piece_->state());
  if (size_bytes() > 0 && piece_->buffer() != nullptr) {
    std::memcpy(result.piece_->buffer(), piece_->buffer(), size_bytes());
  }
  for (size_t i = 0; i < permutation.size() && piece_->has_dynamic_sizes(); ++i) {
    result.piece_->SetDynamicSize(i, piece_->DynamicSize(permutation[i]));
  }
  return result;
}

Literal LiteralBase::Slice(absl::Span<const int64_t> start_indices,
                           absl::Span<const int64_t> limit_indices) const {
  CHECK(shape().IsArray()) << ShapeUtil::HumanString(shape());
  CHECK_EQ(static_cast<int64_t>(start_indices.size()), shape().dimensions_size());
  CHECK_EQ(start_indices.size(), limit_indices.size());
  Shape result_shape = shape();
  DimensionVector sizes(start_indices.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    CHECK(start_indices[d] >= 0 && start_indices[d] <= limit_indices[d] &&
          limit_indices[d] <= shape().dimensions(d))
        << "No slice from " << start_indices[d] << " to " << limit_indices[d] << " in dimension "
        << d << " of " << ShapeUtil::HumanString(shape());
    sizes[d] = limit_indices[d] - start_indices[d];
    result_shape.set_dimensions(d, sizes[d]);
  }
  Literal result = MakeOrDie(result_shape);
  const absl::Status copied = result.CopySliceFrom(LiteralSlice(*this), start_indices,
                                                   DimensionVector(sizes.size(), 0), sizes);
  CHECK(copied.ok()) << copied;
  for (size_t d = 0; d < sizes.size() && piece_->has_dynamic_sizes(); ++d) {
    if (!shape().is_dynamic_dimension(d)) continue;
    result.piece_->SetDynamicSize(
        d, std::clamp<int64_t>(piece_->DynamicSize(d) - start_indices[d], 0, sizes[d]));
  }
  return result;
}

}  // namespace xla
