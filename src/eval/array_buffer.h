// Arrays that several holders share, as arguments of runs.
#ifndef HILO_EVAL_ARRAY_BUFFER_H_
#define HILO_EVAL_ARRAY_BUFFER_H_

#include <memory>
#include <utility>

#include "xla/literal.h"

namespace xla {

// The memory of an array with its shape.
using ArrayBuffer = std::shared_ptr<Literal>;

// An array of an argument, lent to a run or given away.
class BufferArgument {
 public:
  // Nothing.
  BufferArgument() = default;
  // The run reads it only.
  static BufferArgument Lent(ArrayBuffer buffer) { return {std::move(buffer), false}; }
  // The run may use the memory for anything, and put a result there. A buffer that somebody else
  // holds too counts as lent.
  static BufferArgument Owned(ArrayBuffer buffer) { return {std::move(buffer), true}; }

  BufferArgument(BufferArgument&&) = default;
  BufferArgument& operator=(BufferArgument&&) = default;

  bool HasOwnership() const { return owned_; }
  const ArrayBuffer& buffer() const { return buffer_; }
  // Leaves nothing.
  ArrayBuffer Release() {
    owned_ = false;
    return std::move(buffer_);
  }

 private:
  BufferArgument(ArrayBuffer buffer, bool owned) : buffer_(std::move(buffer)), owned_(owned) {}

  ArrayBuffer buffer_;
  bool owned_ = false;
};

}  // namespace xla

#endif  // HILO_EVAL_ARRAY_BUFFER_H_
