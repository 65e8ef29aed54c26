#include "data/literal_borrow.h"

#include "data/literal_piece.h"

namespace xla {
namespace {

class BorrowedArray : public Literal {
 public:
  BorrowedArray(const Shape& shape, void* buffer) : Literal(shape, /*allocate_arrays=*/false) {
    piece_->Borrow(static_cast<char*>(buffer));
  }
};

}  // namespace

Literal BorrowArray(const Shape& shape, void* buffer) { return BorrowedArray(shape, buffer); }

}  // namespace xla
