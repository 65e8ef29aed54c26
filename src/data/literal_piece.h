// How literals are stored: a tree of pieces beside a tree of shapes.
#ifndef HILO_DATA_LITERAL_PIECE_H_
#define HILO_DATA_LITERAL_PIECE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "data/sizes.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla::literal_internal {

// The storage of one subshape: the elements of an array or the pieces of a tuple.
class Piece {
 public:
  using State = LiteralBase::ArrayValueState;
  using IndexVisitor = absl::FunctionRef<bool(absl::Span<const int64_t>, int64_t)>;

  // The shape, with layouts, must stay where it is. Makes the pieces of a tuple, too; arrays have
  // no memory yet.
  explicit Piece(Shape* shape, State state = State::kKnown);
  Piece(Piece&& other) noexcept;
  Piece& operator=(Piece&& other) noexcept;
  ~Piece() { Release(); }

  const Shape& shape() const { return *shape_; }
  Shape* mutable_shape() { return shape_; }
  // After a move to another tree of shapes.
  void Reattach(Shape* shape);
  bool IsArray() const { return shape_->IsArray(); }
  std::vector<Piece>& children() { return children_; }
  const std::vector<Piece>& children() const { return children_; }
  State state() const { return state_; }
  void set_state(State state) { state_ = state; }

  int64_t element_count() const { return ShapeUtil::ElementsIn(*shape_); }
  int64_t element_bytes() const { return primitive_util::ByteWidth(shape_->element_type()); }
  int64_t size_bytes() const { return IsArray() ? element_count() * element_bytes() : 0; }
  // Null where there is no memory.
  char* buffer() const { return buffer_; }

  // Gives all known arrays below this piece that have no memory zeros. ResourceExhausted when there
  // is not enough.
  absl::Status Allocate();
  // Memory that someone else owns.
  void Borrow(char* buffer);

  // Of each dimension, in elements, by the layout.
  DimensionVector Strides() const;
  // Of each dimension: the dynamic sizes where there are any.
  DimensionVector Sizes() const;
  int64_t DynamicSize(int64_t dimension) const;
  // size must be at most the bound.
  void SetDynamicSize(int64_t dimension, int64_t size);
  void CopyDynamicSizes(const Piece& other);
  bool has_dynamic_sizes() const { return dynamic_sizes_ != nullptr; }
  // CHECKs that the index lies within the bounds.
  int64_t LinearIndex(absl::Span<const int64_t> multi_index) const;

  // Null unless every number of the index is one of a tuple's element.
  const Piece* Find(ShapeIndexView index) const;
  // Every array or token below this piece, in order. Stops at an error.
  absl::Status ForEachLeaf(absl::FunctionRef<absl::Status(const Piece&)> visit) const;
  absl::Status ForEachMutableLeaf(absl::FunctionRef<absl::Status(Piece&)> visit);

 private:
  void Release();
  void TakeBuffer(Piece& other);
  absl::Status AllocateArray();

  static constexpr int64_t kInlineBytes = 16;

  Shape* shape_;
  std::vector<Piece> children_;
  std::unique_ptr<int64_t[]>
      dynamic_sizes_;  // One per dimension, or null where all are the bounds.
  char* buffer_ = nullptr;
  State state_;
  bool owns_buffer_ = false;
  alignas(kInlineBytes) char inline_[kInlineBytes];  // Holds the elements when they fit: owned
                                                     // without an allocation.
};

struct Root {
  explicit Root(Shape root_shape, Piece::State state = Piece::State::kKnown)
      : shape(std::move(root_shape)), piece(&shape, state) {}
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  Shape shape;
  Piece piece;
};

// The piece of the empty tuple, which all empty literals share.
Piece* EmptyTuplePiece();

// The shape of a literal: every array with a layout, buffers as their arrays. InvalidArgument for
// shapes that no literal has.
absl::StatusOr<Shape> MakeLiteralShape(const Shape& shape);

// Calls visit(index, position) for each index of a box in row-major order, where position is the
// sum of the indices times the strides, until it returns false. Returns whether it never did.
bool WalkRowMajor(absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides,
                  Piece::IndexVisitor visit);

}  // namespace xla::literal_internal

#endif  // HILO_DATA_LITERAL_PIECE_H_
