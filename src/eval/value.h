// The values of instructions while a module is evaluated.
#ifndef HILO_EVAL_VALUE_H_
#define HILO_EVAL_VALUE_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "data/sizes.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"

namespace xla::eval {

// An array, a tuple of values, or a token. Copies share the array or the tuple, so that tuples,
// get-tuple-element, parameters and loop state cost nothing; whoever holds the only copy may change
// it in place.
//
// Arrays lie in memory in row-major order, whatever layout the instruction's shape has. Narrow
// types take a byte each.
class Value {
 public:
  Value() = default;  // a token, or nothing
  explicit Value(Literal array) : array_(std::make_shared<Literal>(std::move(array))) {}
  explicit Value(std::vector<Value> elements)
      : elements_(std::make_shared<std::vector<Value>>(std::move(elements))) {}

  // The value of a literal of any shape, which is relaid where it is not row-major.
  static Value FromLiteral(Literal literal);
  // The same without a copy where possible: `literal` must outlive the value.
  static Value Borrow(const Literal& literal);

  bool IsArray() const { return array_ != nullptr; }
  bool IsTuple() const { return elements_ != nullptr; }

  const Literal& array() const { return *array_; }
  absl::Span<const Value> elements() const { return *elements_; }

  // The array as this value's own, copied first when it is shared.
  Literal TakeArray() &&;
  // Element `index` of a tuple. It is moved out when nobody else holds the tuple.
  Value TakeElement(int64_t index) &;

  // Same structure and equal bytes.
  bool SameAs(const Value& other) const;

  // A literal of `shape`, with its layouts. The value must have that shape otherwise.
  absl::StatusOr<Literal> ToLiteral(const Shape& shape) &&;

 private:
  std::shared_ptr<const Literal> array_;
  std::shared_ptr<std::vector<Value>> elements_;
};

// A zero array of the element type and bounds of `shape`, in row-major order. ResourceExhausted
// when there is no memory.
absl::StatusOr<Literal> MakeArray(const Shape& shape);
absl::StatusOr<Literal> MakeArray(PrimitiveType type, absl::Span<const int64_t> dimensions);

// A value of the shape with zeros.
absl::StatusOr<Value> ZeroValue(const Shape& shape);
// A tuple whose first elements are given; the others, such as the contexts that a start hands to
// its done, are zero.
absl::StatusOr<Value> FillTuple(std::vector<Value> elements, const Shape& shape);

// The first element of an array, the bytes of one, and the strides of a row-major array in
// elements.
inline const char* Data(const Literal& array) {
  return static_cast<const char*>(array.untyped_data());
}
inline char* MutableData(Literal& array) { return static_cast<char*>(array.untyped_data()); }
inline int64_t ElementBytes(const Literal& array) {
  return primitive_util::ByteWidth(array.shape().element_type());
}

inline DimensionVector Pick(absl::Span<const int64_t> values, absl::Span<const int64_t> positions) {
  DimensionVector picked;
  for (int64_t position : positions) picked.push_back(values[position]);
  return picked;
}

}  // namespace xla::eval

#endif  // HILO_EVAL_VALUE_H_
