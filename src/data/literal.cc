#include "xla/literal.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "data/literal_piece.h"
#include "data/strided_copy.h"
#include "xla/layout_util.h"
#include "xla/shape_tree.h"
#include "xla/shape_util.h"
#include "xla/tsl/lib/core/bitmap.h"
#include "xla/util.h"

namespace xla {

using literal_internal::Piece;
using literal_internal::Root;

// ---- LiteralBase: memory and elements.

const Shape& LiteralBase::shape() const { return piece_->shape(); }

const Piece& LiteralBase::piece(const ShapeIndex& shape_index) const {
  if (shape_index.empty()) return *piece_;
  const Piece* found = piece_->Find(shape_index);
  CHECK(found != nullptr) << "No subshape " << shape_index << " in "
                          << ShapeUtil::HumanString(shape());
  return *found;
}

char* LiteralBase::Buffer(PrimitiveType type, const ShapeIndex& shape_index) const {
  const Piece& array = piece(shape_index);
  CHECK(array.shape().element_type() == type)
      << "Wrong C++ type for the elements of " << ShapeUtil::HumanString(array.shape())
      << ", that of " << PrimitiveType_Name(type);
  CHECK(array.buffer() != nullptr || array.size_bytes() == 0)
      << "An array of shape " << ShapeUtil::HumanString(array.shape())
      << " has no elements in memory";
  return array.buffer();
}

const void* LiteralBase::untyped_data(const ShapeIndex& shape_index) const {
  return piece(shape_index).buffer();
}

int64_t LiteralBase::size_bytes(const ShapeIndex& shape_index) const {
  return piece(shape_index).size_bytes();
}

int64_t LiteralBase::total_size_bytes(const ShapeIndex& shape_index) const {
  int64_t total = 0;
  piece(shape_index)
      .ForEachLeaf([&](const Piece& leaf) {
        total += leaf.size_bytes();
        return absl::OkStatus();
      })
      .IgnoreError();
  return total;
}

int64_t LiteralBase::element_count(const ShapeIndex& index) const {
  return piece(index).element_count();
}

int64_t LiteralBase::LinearIndex(absl::Span<const int64_t> multi_index,
                                 const ShapeIndex& shape_index) const {
  return piece(shape_index).LinearIndex(multi_index);
}

LiteralBase::DynamicSizeType LiteralBase::GetDynamicSize(int64_t dim_index,
                                                         const ShapeIndex& shape_index) const {
  return static_cast<DynamicSizeType>(piece(shape_index).DynamicSize(dim_index));
}

// ---- LiteralBase: walks.

bool LiteralBase::ForEachDynamicIndex(IndexVisitor visit) const {
  CHECK(piece_->IsArray()) << ShapeUtil::HumanString(shape());
  return literal_internal::WalkRowMajor(piece_->Sizes(), piece_->Strides(), visit);
}

bool LiteralBase::ForEachBoundedIndex(IndexVisitor visit) const {
  CHECK(piece_->IsArray()) << ShapeUtil::HumanString(shape());
  return literal_internal::WalkRowMajor(shape().dimensions(), piece_->Strides(), visit);
}

void LiteralBase::ForEachBoundedIndexParallel(ParallelIndexVisitor visit) const {
  ShapeUtil::ForEachIndexParallel(
      shape(), [&](absl::Span<const int64_t> indices, int thread) -> absl::StatusOr<bool> {
        visit(indices, piece_->LinearIndex(indices), thread);
        return true;
      });
}

// ---- LiteralBase: equality.

namespace {

// The bits of a byte that belong to an element of this type.
uint8_t UsedBits(PrimitiveType type) {
  return LsbMask<uint8_t>(std::min(primitive_util::StorageBitWidth(type), 8));
}

// The elements in row-major order, up to the dynamic sizes, without unused bits.
std::string DenseElements(const Piece& array) {
  const DimensionVector sizes = array.Sizes();
  std::string dense(Product(sizes) * array.element_bytes(), '\0');
  CopyStrided(array.element_bytes(), sizes, array.buffer(), array.Strides(), dense.data(),
              RowMajorStrides(sizes));
  const uint8_t used = UsedBits(array.shape().element_type());
  if (used != 0xff) {
    for (char& byte : dense) byte &= used;
  }
  return dense;
}

bool EqualArrays(const Piece& a, const Piece& b, bool layout_sensitive) {
  if (layout_sensitive && a.shape().layout() != b.shape().layout()) return false;
  const DimensionVector sizes = a.Sizes();
  if (sizes != b.Sizes() || a.state() != b.state()) return false;
  if (a.buffer() == nullptr || b.buffer() == nullptr) return a.buffer() == b.buffer();
  return EqualStrided(a.element_bytes(), sizes, a.buffer(), a.Strides(), b.buffer(), b.Strides()) ||
         (UsedBits(a.shape().element_type()) != 0xff && DenseElements(a) == DenseElements(b));
}

bool EqualPieces(const Piece& a, const Piece& b, bool layout_sensitive) {
  if (a.shape().element_type() != b.shape().element_type()) return false;
  if (a.IsArray()) return EqualArrays(a, b, layout_sensitive);
  return std::equal(
      a.children().begin(), a.children().end(), b.children().begin(), b.children().end(),
      [&](const Piece& x, const Piece& y) { return EqualPieces(x, y, layout_sensitive); });
}

uint64_t HashArray(const Piece& array, bool layout_sensitive, int64_t byte_limit) {
  const DimensionVector sizes = array.Sizes();
  const uint64_t start = absl::HashOf(sizes, static_cast<int>(array.state()));
  if (array.buffer() == nullptr) return start;
  const bool is_whole = absl::MakeConstSpan(sizes) == array.shape().dimensions();
  const bool lies_in_order = layout_sensitive || array.Strides() == RowMajorStrides(sizes);
  if (is_whole && lies_in_order && UsedBits(array.shape().element_type()) == 0xff) {
    return absl::HashOf(
        start, absl::string_view(array.buffer(), std::min(byte_limit, array.size_bytes())));
  }
  return absl::HashOf(start, absl::string_view(DenseElements(array)).substr(0, byte_limit));
}

}  // namespace

bool LiteralBase::Equal(const LiteralBase& other, bool layout_sensitive) const {
  return EqualPieces(*piece_, *other.piece_, layout_sensitive);
}

uint64_t LiteralBase::ContentHash(bool layout_sensitive, int64_t byte_limit) const {
  uint64_t hash = piece_->children().size();
  piece_
      ->ForEachLeaf([&](const Piece& leaf) {
        hash = absl::HashOf(hash, static_cast<int>(leaf.shape().element_type()));
        if (leaf.IsArray())
          hash = absl::HashOf(hash, HashArray(leaf, layout_sensitive, byte_limit));
        return absl::OkStatus();
      })
      .IgnoreError();
  return hash;
}

bool LiteralBase::IsDetermined(const ShapeIndex& shape_index) const {
  return piece(shape_index)
      .ForEachLeaf([](const Piece& leaf) {
        return leaf.state() != ArrayValueState::kUndetermined ? absl::OkStatus()
                                                              : absl::CancelledError();
      })
      .ok();
}

bool LiteralBase::IsKnown(const ShapeIndex& shape_index) const {
  return piece(shape_index)
      .ForEachLeaf([](const Piece& leaf) {
        return leaf.state() == ArrayValueState::kKnown ? absl::OkStatus() : absl::CancelledError();
      })
      .ok();
}

std::ostream& operator<<(std::ostream& out, const LiteralBase& literal) {
  return out << literal.ToString();
}

// ---- MutableLiteralBase: access.

Piece& MutableLiteralBase::mutable_piece(const ShapeIndex& shape_index) {
  return const_cast<Piece&>(piece(shape_index));
}

void* MutableLiteralBase::untyped_data(const ShapeIndex& shape_index) {
  return piece(shape_index).buffer();
}

Shape* MutableLiteralBase::mutable_shape_do_not_use() {
  CHECK(piece_ != literal_internal::EmptyTuplePiece()) << "All empty tuples share one shape.";
  return piece_->mutable_shape();
}

void MutableLiteralBase::SetDynamicSize(int64_t dim_index, const ShapeIndex& shape_index,
                                        DynamicSizeType size) {
  Piece& array = mutable_piece(shape_index);
  CHECK(array.IsArray() && dim_index >= 0 && dim_index < array.shape().dimensions_size())
      << "No dimension " << dim_index << " in " << ShapeUtil::HumanString(array.shape());
  array.mutable_shape()->set_dynamic_dimension(dim_index, true);
  array.SetDynamicSize(dim_index, size);
}

void MutableLiteralBase::PopulateR1(const tsl::core::Bitmap& values) {
  const int64_t count = static_cast<int64_t>(values.bits());
  const std::unique_ptr<bool[]> elements(new bool[count]);
  for (int64_t i = 0; i < count; ++i) elements[i] = values.get(i);
  PopulateFlat(PRED, {count}, elements.get());
}

void MutableLiteralBase::PopulateFlat(PrimitiveType type, absl::Span<const int64_t> dimensions,
                                      const void* values) {
  char* buffer = Buffer(type, {});
  const DimensionVector sizes = piece_->Sizes();
  CHECK(absl::MakeConstSpan(sizes) == dimensions)
      << "Elements of dimensions [" << absl::StrJoin(dimensions, ",") << "] for a literal of shape "
      << ShapeUtil::HumanString(shape()) << " and sizes [" << absl::StrJoin(sizes, ",") << "]";
  CopyStrided(piece_->element_bytes(), dimensions, static_cast<const char*>(values),
              RowMajorStrides(dimensions), buffer, piece_->Strides());
}

absl::Status MutableLiteralBase::CheckPopulate(PrimitiveType type) const {
  if (shape().IsArray() && shape().element_type() == type && IsKnown()) return absl::OkStatus();
  return InvalidArgument("Elements of type %s cannot populate a literal of shape %s",
                         primitive_util::LowercasePrimitiveTypeName(type),
                         ShapeUtil::HumanString(shape()));
}

absl::Status MutableLiteralBase::PopulateInplace(
    absl::FunctionRef<void(void*, absl::Span<const int64_t>)> populator) {
  HILO_RETURN_IF_ERROR(CheckPopulate(shape().element_type()));
  ForEachBoundedIndex([&](absl::Span<const int64_t> indices, int64_t linear_index) {
    populator(piece_->buffer() + linear_index * piece_->element_bytes(), indices);
    return true;
  });
  return absl::OkStatus();
}

absl::Status MutableLiteralBase::PopulateInplaceParallel(
    absl::FunctionRef<void(void*, absl::Span<const int64_t>, int)> populator) {
  HILO_RETURN_IF_ERROR(CheckPopulate(shape().element_type()));
  ForEachBoundedIndexParallel(
      [&](absl::Span<const int64_t> indices, int64_t linear_index, int thread) {
        populator(piece_->buffer() + linear_index * piece_->element_bytes(), indices, thread);
      });
  return absl::OkStatus();
}

absl::Status MutableLiteralBase::PopulateLinearInplace(
    absl::FunctionRef<void(void*, int64_t)> populator) {
  HILO_RETURN_IF_ERROR(CheckPopulate(shape().element_type()));
  for (int64_t i = 0; i < element_count(); ++i)
    populator(piece_->buffer() + i * piece_->element_bytes(), i);
  return absl::OkStatus();
}

absl::Status MutableLiteralBase::PopulateLinearInplaceParallel(
    absl::FunctionRef<void(void*, int64_t, int)> populator) {
  HILO_RETURN_IF_ERROR(CheckPopulate(shape().element_type()));
  ForEachBoundedIndexParallel([&](absl::Span<const int64_t>, int64_t linear_index, int thread) {
    populator(piece_->buffer() + linear_index * piece_->element_bytes(), linear_index, thread);
  });
  return absl::OkStatus();
}

// ---- Literal.

Literal::Literal() : MutableLiteralBase(literal_internal::EmptyTuplePiece()) {}

Literal::Literal(OwnedRoot root) : MutableLiteralBase(&root->piece), root_(std::move(root)) {}

Literal::Literal(const Shape& shape, bool allocate_arrays, ArrayValueState leaf_array_value_state)
    : Literal() {
  absl::StatusOr<Literal> made = Make(shape, allocate_arrays, leaf_array_value_state);
  CHECK(made.ok()) << made.status();
  *this = *std::move(made);
}

Literal::Literal(Literal&& other) noexcept
    : MutableLiteralBase(other.piece_), root_(std::move(other.root_)) {
  other.piece_ = literal_internal::EmptyTuplePiece();
}

Literal& Literal::operator=(Literal&& other) noexcept {
  root_ = std::move(other.root_);
  piece_ = std::exchange(other.piece_, literal_internal::EmptyTuplePiece());
  return *this;
}

absl::StatusOr<Literal::OwnedRoot> Literal::MakeRoot(Shape shape, bool allocate_arrays,
                                                     ArrayValueState state) {
  OwnedRoot root(new Root(std::move(shape), state));
  if (allocate_arrays) HILO_RETURN_IF_ERROR(root->piece.Allocate());
  return root;
}

absl::StatusOr<Literal> Literal::Make(const Shape& shape, bool allocate_arrays,
                                      ArrayValueState leaf_array_value_state) {
  HILO_ASSIGN_OR_RETURN(Shape literal_shape, literal_internal::MakeLiteralShape(shape));
  HILO_ASSIGN_OR_RETURN(
      OwnedRoot root, MakeRoot(std::move(literal_shape), allocate_arrays, leaf_array_value_state));
  return Literal(std::move(root));
}

absl::StatusOr<std::unique_ptr<Literal>> Literal::MakeUnique(
    const Shape& shape, bool allocate_arrays, ArrayValueState leaf_array_value_state) {
  HILO_ASSIGN_OR_RETURN(Literal literal, Make(shape, allocate_arrays, leaf_array_value_state));
  return std::make_unique<Literal>(std::move(literal));
}

Literal LiteralBase::CreateFromShape(const Shape& shape) { return Literal(shape); }

Literal LiteralBase::CreateFromShapeWithUnknownLeafArrays(const Shape& shape) {
  return Literal(shape, /*allocate_arrays=*/false, ArrayValueState::kUnknown);
}

Literal LiteralBase::CreateFromShapeWithUndeterminedLeafArrays(const Shape& shape) {
  return Literal(shape, /*allocate_arrays=*/false, ArrayValueState::kUndetermined);
}

Literal MutableLiteralBase::MoveIntoTuple(absl::Span<Literal> elements) {
  Shape shape(TUPLE);
  for (const Literal& element : elements) *shape.add_tuple_shapes() = element.shape();
  absl::StatusOr<Literal::OwnedRoot> root =
      Literal::MakeRoot(std::move(shape), /*allocate_arrays=*/false, ArrayValueState::kKnown);
  CHECK(root.ok()) << root.status();
  Literal tuple(*std::move(root));
  for (size_t i = 0; i < elements.size(); ++i) {
    Literal element = std::move(elements[i]);
    if (element.root_ == nullptr) continue;
    Piece& child = tuple.piece_->children()[i];
    child = std::move(*element.piece_);
    child.Reattach(tuple.piece_->mutable_shape()->mutable_tuple_shapes(i));
  }
  return tuple;
}

std::vector<Literal> Literal::DecomposeTuple() {
  CHECK(shape().IsTuple()) << ShapeUtil::HumanString(shape());
  Literal tuple = std::move(*this);
  std::vector<Literal> elements;
  elements.reserve(tuple.piece_->children().size());
  for (Piece& child : tuple.piece_->children()) {
    OwnedRoot root(new Root(Shape(TUPLE)));
    root->shape = std::move(*child.mutable_shape());
    root->piece = std::move(child);
    root->piece.Reattach(&root->shape);
    elements.push_back(Literal(std::move(root)));
  }
  return elements;
}

absl::Status Literal::MoveFrom(Literal&& src_literal, const ShapeIndex& dest_shape_index) {
  const Piece* found = piece_->Find(dest_shape_index);
  if (found == nullptr || found->shape() != src_literal.shape()) {
    return InvalidArgument("A literal of shape %s cannot be moved to index %s of one of shape %s",
                           ShapeUtil::HumanStringWithLayout(src_literal.shape()),
                           dest_shape_index.ToString(), ShapeUtil::HumanStringWithLayout(shape()));
  }
  Literal source = std::move(src_literal);
  if (source.root_ == nullptr) return absl::OkStatus();
  if (dest_shape_index.empty()) {
    *this = std::move(source);
    return absl::OkStatus();
  }
  Piece& destination = mutable_piece(dest_shape_index);
  Shape* shape = destination.mutable_shape();
  destination = std::move(*source.piece_);
  destination.Reattach(shape);
  return absl::OkStatus();
}

// ---- Views.

namespace {

std::shared_ptr<Root> BorrowedRoot(const Shape& shape) {
  absl::StatusOr<Shape> literal_shape = literal_internal::MakeLiteralShape(shape);
  CHECK(literal_shape.ok()) << literal_shape.status();
  return std::make_shared<Root>(*std::move(literal_shape));
}

std::shared_ptr<Root> BorrowArray(const char* buffer, const Shape& shape) {
  CHECK(shape.IsArray()) << ShapeUtil::HumanString(shape);
  std::shared_ptr<Root> root = BorrowedRoot(shape);
  root->piece.Borrow(const_cast<char*>(buffer));
  return root;
}

template <typename Pointer>
std::shared_ptr<Root> BorrowTuple(absl::Span<Pointer const> buffers, const Shape& shape) {
  CHECK(shape.IsTuple() && !ShapeUtil::IsNestedTuple(shape)) << ShapeUtil::HumanString(shape);
  CHECK_EQ(static_cast<int64_t>(buffers.size()), ShapeUtil::TupleElementCount(shape));
  std::shared_ptr<Root> root = BorrowedRoot(shape);
  for (size_t i = 0; i < buffers.size(); ++i) {
    Piece& element = root->piece.children()[i];
    if (element.IsArray()) element.Borrow(const_cast<char*>(buffers[i]));
  }
  return root;
}

template <typename Pointer>
std::shared_ptr<Root> BorrowTree(const ShapeTree<Pointer>& buffers) {
  std::shared_ptr<Root> root = BorrowedRoot(buffers.shape());
  for (const auto& [index, buffer] : buffers) {
    Piece* piece = const_cast<Piece*>(root->piece.Find(index));
    if (piece->IsArray()) piece->Borrow(const_cast<char*>(buffer));
  }
  return root;
}

}  // namespace

MutableBorrowingLiteral::MutableBorrowingLiteral()
    : MutableLiteralBase(literal_internal::EmptyTuplePiece()) {}

MutableBorrowingLiteral::MutableBorrowingLiteral(MutableLiteralBase* literal)
    : MutableLiteralBase(literal->piece_) {}

MutableBorrowingLiteral::MutableBorrowingLiteral(MutableBorrowingLiteral literal,
                                                 const ShapeIndex& view_root)
    : MutableLiteralBase(&literal.mutable_piece(view_root)), root_(std::move(literal.root_)) {}

MutableBorrowingLiteral::MutableBorrowingLiteral(const char* src_buf_ptr, const Shape& shape)
    : MutableLiteralBase(nullptr), root_(BorrowArray(src_buf_ptr, shape)) {
  piece_ = &root_->piece;
}

MutableBorrowingLiteral::MutableBorrowingLiteral(absl::Span<char*> src_buf_ptrs, const Shape& shape)
    : MutableLiteralBase(nullptr), root_(BorrowTuple<char*>(src_buf_ptrs, shape)) {
  piece_ = &root_->piece;
}

MutableBorrowingLiteral::MutableBorrowingLiteral(ShapeTree<char*> src_buf_ptrs)
    : MutableLiteralBase(nullptr), root_(BorrowTree(src_buf_ptrs)) {
  piece_ = &root_->piece;
}

LiteralSlice::LiteralSlice() : LiteralBase(literal_internal::EmptyTuplePiece()) {}
LiteralSlice::LiteralSlice(const LiteralBase& literal) : LiteralBase(literal.piece_) {}
LiteralSlice::LiteralSlice(const LiteralBase& literal, const ShapeIndex& view_root)
    : LiteralBase(const_cast<Piece*>(&literal.piece(view_root))) {}

BorrowingLiteral::BorrowingLiteral() : LiteralBase(literal_internal::EmptyTuplePiece()) {}

BorrowingLiteral::BorrowingLiteral(const char* src_buf_ptr, const Shape& shape)
    : LiteralBase(nullptr), root_(BorrowArray(src_buf_ptr, shape)) {
  piece_ = &root_->piece;
}

BorrowingLiteral::BorrowingLiteral(absl::Span<const char* const> src_buf_ptrs, const Shape& shape)
    : LiteralBase(nullptr), root_(BorrowTuple<const char*>(src_buf_ptrs, shape)) {
  piece_ = &root_->piece;
}

BorrowingLiteral::BorrowingLiteral(ShapeTree<const char*> src_buf_ptrs)
    : LiteralBase(nullptr), root_(BorrowTree(src_buf_ptrs)) {
  piece_ = &root_->piece;
}

}  // namespace xla
