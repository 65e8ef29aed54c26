#include "tools/fake_inputs.h"

#include <complex>
#include <type_traits>
#include <utility>

#include "base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla {
namespace {

constexpr int64_t kPeriod = 1048573;

uint64_t Bits(int64_t element, int64_t number) {
  uint64_t h = (static_cast<uint64_t>(element % kPeriod) + 1) * 0x9E3779B97F4A7C15u +
               (static_cast<uint64_t>(number) + 1) * 0xBF58476D1CE4E5B9u;
  h ^= h >> 31;
  h *= 0x94D049BB133111EBu;
  h ^= h >> 29;
  return h >> 40;
}

double Real(int64_t element, int64_t number) {
  return (static_cast<double>(Bits(element, number)) / (1 << 24) - 0.5) * 0.2;
}

template <typename T>
T Element(int64_t element, int64_t number) {
  if constexpr (std::is_same_v<T, bool>) {
    return Bits(element, number) % 2 == 1;
  } else if constexpr (is_complex_v<T>) {
    return T(static_cast<typename T::value_type>(Real(2 * element, number)),
             static_cast<typename T::value_type>(Real(2 * element + 1, number)));
  } else if constexpr (std::numeric_limits<T>::is_integer) {
    return static_cast<T>(static_cast<int>(Bits(element, number) % 8));
  } else {
    return static_cast<T>(Real(element, number));
  }
}

absl::StatusOr<Literal> MakeFakeArray(const Shape& shape, int64_t number) {
  Shape rows = shape;
  *rows.mutable_layout() = LayoutUtil::MakeDescendingLayout(shape.dimensions_size());
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::Make(rows));
  primitive_util::ArrayTypeSwitch(
      [&](auto type) {
        using Native = primitive_util::NativeTypeOf<type>;
        absl::Span<Native> data = literal.data<Native>();
        for (size_t k = 0; k < data.size(); ++k) data[k] = Element<Native>(k, number);
      },
      shape.element_type());
  const bool is_elsewhere =
      shape.has_layout() && !LayoutUtil::IsMonotonicWithDim0Major(shape.layout());
  return is_elsewhere ? literal.Relayout(shape) : std::move(literal);
}

}  // namespace

absl::StatusOr<Literal> MakeFakeLiteral(const Shape& shape, int64_t* next_number) {
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      HILO_ASSIGN_OR_RETURN(Literal literal, MakeFakeLiteral(element, next_number));
      elements.push_back(std::move(literal));
    }
    return Literal::MoveIntoTuple(absl::MakeSpan(elements));
  }
  if (!shape.IsArray()) {
    return InvalidArgument("there are no fake inputs of shape %s", shape.ToString());
  }
  return MakeFakeArray(shape, (*next_number)++);
}

absl::StatusOr<std::vector<Literal>> MakeFakeInputs(const HloModule& module) {
  std::vector<Literal> inputs;
  int64_t next_number = 0;
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions()) {
    HILO_ASSIGN_OR_RETURN(Literal literal, MakeFakeLiteral(parameter->shape(), &next_number));
    inputs.push_back(std::move(literal));
  }
  return inputs;
}

}  // namespace xla
