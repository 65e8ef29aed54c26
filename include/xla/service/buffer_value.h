// An array that an instruction makes: its result, or an array in a result that is a tuple.
#ifndef XLA_SERVICE_BUFFER_VALUE_H_
#define XLA_SERVICE_BUFFER_VALUE_H_

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {

class BufferValue {
 public:
  using Id = int64_t;
  // Bytes that a value takes.
  using SizeFunction = std::function<int64_t(const BufferValue&)>;

  BufferValue(HloInstruction* instruction, ShapeIndex index, Id id)
      : instruction_(instruction), index_(std::move(index)), id_(id) {}

  Id id() const { return id_; }
  HloInstruction* instruction() const { return instruction_; }
  const ShapeIndex& index() const { return index_; }
  // Of the array or, where the index is that of a tuple, of the tuple.
  const Shape& shape() const { return ShapeUtil::GetSubshape(instruction_->shape(), index_); }
  bool IsTopLevel() const { return index_.empty(); }
  bool IsTuple() const { return shape().IsTuple(); }
  bool IsArray() const { return shape().IsArray(); }
  // "add{1}", and without an index "add".
  std::string ToString() const {
    return absl::StrCat(instruction_->name(), index_.empty() ? "" : index_.ToString());
  }

  friend bool operator==(const BufferValue& a, const BufferValue& b) { return a.id_ == b.id_; }
  friend bool operator!=(const BufferValue& a, const BufferValue& b) { return a.id_ != b.id_; }
  friend bool operator<(const BufferValue& a, const BufferValue& b) { return a.id_ < b.id_; }

 private:
  HloInstruction* instruction_;
  ShapeIndex index_;
  Id id_;
};

inline std::ostream& operator<<(std::ostream& out, const BufferValue& value) {
  return out << value.ToString();
}

}  // namespace xla

#endif  // XLA_SERVICE_BUFFER_VALUE_H_
