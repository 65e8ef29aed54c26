#include "data/literal_piece.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::literal_internal {
namespace {

constexpr size_t kAlignment = 64;

// Zeros with the pointer to free just before them. calloc leaves large blocks untouched until they
// are used.
char* AllocateZeros(size_t bytes) {
  void* block = std::calloc(1, bytes + kAlignment);
  if (block == nullptr) return nullptr;
  const uintptr_t address = reinterpret_cast<uintptr_t>(block);
  char* zeros = static_cast<char*>(block) + (kAlignment - address % kAlignment);
  std::memcpy(zeros - sizeof(block), &block, sizeof(block));
  return zeros;
}

void FreeZeros(char* zeros) {
  void* block;
  std::memcpy(&block, zeros - sizeof(block), sizeof(block));
  std::free(block);
}

absl::Status CompleteShape(Shape* shape) {
  if (shape->IsTuple()) {
    for (Shape& element : *shape->mutable_tuple_shapes())
      HILO_RETURN_IF_ERROR(CompleteShape(&element));
    return absl::OkStatus();
  }
  if (shape->IsToken()) return absl::OkStatus();
  if (shape->IsBuffer()) {
    Shape array = shape->buffer_shape();
    *shape = std::move(array);
  }
  if (!shape->IsArray()) {
    return InvalidArgument("A literal cannot have shape %s", ShapeUtil::HumanString(*shape));
  }
  int64_t elements = primitive_util::ByteWidth(shape->element_type());
  for (const int64_t size : shape->dimensions()) {
    if (size < 0) {
      return InvalidArgument("A literal cannot have an unbounded dimension: %s",
                             ShapeUtil::HumanString(*shape));
    }
  }
  const bool is_empty = ShapeUtil::IsZeroElementArray(*shape);
  for (const int64_t size : shape->dimensions()) {
    if (!is_empty && __builtin_mul_overflow(elements, size, &elements))
      elements = Literal::kMaxArrayBytes + 1;
    if (elements > Literal::kMaxArrayBytes) {
      return ResourceExhausted(
          "An array of shape %s is larger than the %d bytes that a literal may have",
          ShapeUtil::HumanString(*shape), Literal::kMaxArrayBytes);
    }
  }
  if (!shape->has_layout()) *shape->mutable_layout() = LayoutUtil::GetDefaultLayoutForShape(*shape);
  // Elements take whole bytes here.
  shape->mutable_layout()->set_element_size_in_bits(0);
  return absl::OkStatus();
}

}  // namespace

Piece::Piece(Shape* shape, State state) : shape_(shape), state_(state) {
  if (!shape->IsTuple()) return;
  children_.reserve(shape->tuple_shapes_size());
  for (Shape& element : *shape->mutable_tuple_shapes()) children_.emplace_back(&element, state);
}

Piece::Piece(Piece&& other) noexcept
    : shape_(other.shape_),
      children_(std::move(other.children_)),
      dynamic_sizes_(std::move(other.dynamic_sizes_)),
      state_(other.state_) {
  TakeBuffer(other);
}

Piece& Piece::operator=(Piece&& other) noexcept {
  if (this == &other) return *this;
  Release();
  shape_ = other.shape_;
  children_ = std::move(other.children_);
  dynamic_sizes_ = std::move(other.dynamic_sizes_);
  state_ = other.state_;
  TakeBuffer(other);
  return *this;
}

void Piece::TakeBuffer(Piece& other) {
  const bool is_inline = other.buffer_ == other.inline_;
  if (is_inline) std::memcpy(inline_, other.inline_, kInlineBytes);
  buffer_ = is_inline ? inline_ : other.buffer_;
  owns_buffer_ = other.owns_buffer_;
  other.buffer_ = nullptr;
  other.owns_buffer_ = false;
}

void Piece::Release() {
  if (owns_buffer_ && buffer_ != inline_) FreeZeros(buffer_);
  buffer_ = nullptr;
  owns_buffer_ = false;
}

void Piece::Reattach(Shape* shape) {
  shape_ = shape;
  for (size_t i = 0; i < children_.size(); ++i)
    children_[i].Reattach(shape->mutable_tuple_shapes(i));
}

absl::Status Piece::AllocateArray() {
  if (!IsArray() || buffer_ != nullptr || state_ != State::kKnown) return absl::OkStatus();
  const int64_t bytes = size_bytes();
  if (bytes <= kInlineBytes) {
    std::memset(inline_, 0, kInlineBytes);
    buffer_ = inline_;
  } else {
    buffer_ = AllocateZeros(bytes);
    if (buffer_ == nullptr) {
      return ResourceExhausted("No memory for the %d bytes of a literal of shape %s", bytes,
                               ShapeUtil::HumanString(*shape_));
    }
  }
  owns_buffer_ = true;
  return absl::OkStatus();
}

absl::Status Piece::Allocate() {
  return ForEachMutableLeaf([](Piece& leaf) { return leaf.AllocateArray(); });
}

void Piece::Borrow(char* buffer) {
  Release();
  buffer_ = buffer == nullptr && size_bytes() == 0 ? inline_ : buffer;
}

DimensionVector Piece::Strides() const {
  return DenseStrides(shape_->dimensions(), shape_->layout().minor_to_major());
}

DimensionVector Piece::Sizes() const {
  DimensionVector sizes(shape_->dimensions().begin(), shape_->dimensions().end());
  if (dynamic_sizes_ != nullptr) std::copy_n(dynamic_sizes_.get(), sizes.size(), sizes.begin());
  return sizes;
}

int64_t Piece::DynamicSize(int64_t dimension) const {
  return dynamic_sizes_ != nullptr ? dynamic_sizes_[dimension] : shape_->dimensions(dimension);
}

void Piece::SetDynamicSize(int64_t dimension, int64_t size) {
  CHECK(size >= 0 && size <= shape_->dimensions(dimension))
      << "Dynamic size " << size << " of dimension " << dimension << " of "
      << ShapeUtil::HumanString(*shape_);
  if (dynamic_sizes_ == nullptr) {
    const int rank = shape_->dimensions_size();
    dynamic_sizes_ = std::make_unique<int64_t[]>(rank);
    absl::c_copy(shape_->dimensions(), dynamic_sizes_.get());
  }
  dynamic_sizes_[dimension] = size;
}

void Piece::CopyDynamicSizes(const Piece& other) {
  if (other.dynamic_sizes_ == nullptr && dynamic_sizes_ == nullptr) return;
  for (int d = 0; d < shape_->dimensions_size(); ++d) {
    if (shape_->is_dynamic_dimension(d)) SetDynamicSize(d, other.DynamicSize(d));
  }
}

int64_t Piece::LinearIndex(absl::Span<const int64_t> multi_index) const {
  const absl::Span<const int64_t> dimensions = shape_->dimensions();
  CHECK_EQ(multi_index.size(), dimensions.size())
      << "An index into " << ShapeUtil::HumanString(*shape_);
  int64_t position = 0;
  int64_t stride = 1;
  for (const int64_t d : shape_->layout().minor_to_major()) {
    CHECK(multi_index[d] >= 0 && multi_index[d] < dimensions[d])
        << "Index " << multi_index[d] << " in dimension " << d << " of "
        << ShapeUtil::HumanString(*shape_);
    position += multi_index[d] * stride;
    stride *= dimensions[d];
  }
  return position;
}

const Piece* Piece::Find(ShapeIndexView index) const {
  const Piece* piece = this;
  for (const int64_t i : index) {
    if (i < 0 || i >= static_cast<int64_t>(piece->children_.size())) return nullptr;
    piece = &piece->children_[i];
  }
  return piece;
}

absl::Status Piece::ForEachLeaf(absl::FunctionRef<absl::Status(const Piece&)> visit) const {
  if (!shape_->IsTuple()) return visit(*this);
  for (const Piece& child : children_) HILO_RETURN_IF_ERROR(child.ForEachLeaf(visit));
  return absl::OkStatus();
}

absl::Status Piece::ForEachMutableLeaf(absl::FunctionRef<absl::Status(Piece&)> visit) {
  if (!shape_->IsTuple()) return visit(*this);
  for (Piece& child : children_) HILO_RETURN_IF_ERROR(child.ForEachMutableLeaf(visit));
  return absl::OkStatus();
}

void RootDeleter::operator()(Root* root) const { delete root; }

Piece* EmptyTuplePiece() {
  static Root& empty = *new Root(ShapeUtil::MakeNil());
  return &empty.piece;
}

absl::StatusOr<Shape> MakeLiteralShape(const Shape& shape) {
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
  Shape result = shape;
  HILO_RETURN_IF_ERROR(CompleteShape(&result));
  return result;
}

bool WalkRowMajor(absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides,
                  Piece::IndexVisitor visit) {
  if (absl::c_linear_search(sizes, 0)) return true;
  DimensionVector index(sizes.size(), 0);
  int64_t position = 0;
  while (true) {
    if (!visit(index, position)) return false;
    int d = static_cast<int>(sizes.size()) - 1;
    for (; d >= 0; --d) {
      position += strides[d];
      if (++index[d] < sizes[d]) break;
      position -= strides[d] * sizes[d];
      index[d] = 0;
    }
    if (d < 0) return true;
  }
}

}  // namespace xla::literal_internal
