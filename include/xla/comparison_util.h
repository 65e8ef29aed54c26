// What a compare instruction compares: direction, element type and order.
#ifndef HILO_INCLUDE_XLA_COMPARISON_UTIL_H_
#define HILO_INCLUDE_XLA_COMPARISON_UTIL_H_

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {

class Comparison {
 public:
  // Floating-point numbers can be compared as IEEE 754 comparisons do (partial order: NaN is not
  // comparable, -0 equals 0) or in the total order -NaN < -Inf < -1 < -0 < 0 < 1 < Inf < NaN.
  // Integers have a total order.
  enum class Order : uint8_t { kTotal, kPartial };
  enum class Direction : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
  // Kind of element type and order in one.
  enum class Type : uint8_t { kFloat, kFloatTotalOrder, kSigned, kUnsigned };

  Comparison() = delete;
  // In the default order of the element type: partial for floating-point and complex types.
  explicit Comparison(Direction dir, PrimitiveType type);
  explicit Comparison(Direction dir, PrimitiveType type, Order order);
  // The element type is F32, S32 or U32.
  explicit Comparison(Direction dir, Type type);

  Direction GetDirection() const { return dir_; }
  PrimitiveType GetPrimitiveType() const { return primitive_type_; }
  Order GetOrder() const { return order_; }
  Type GetType() const { return type_; }

  bool IsEq() const { return dir_ == Direction::kEq; }
  bool IsNe() const { return dir_ == Direction::kNe; }
  bool IsGe() const { return dir_ == Direction::kGe; }
  bool IsGt() const { return dir_ == Direction::kGt; }
  bool IsLe() const { return dir_ == Direction::kLe; }
  bool IsLt() const { return dir_ == Direction::kLt; }
  bool IsTotalOrder() const { return order_ == Order::kTotal; }
  bool IsPartialOrder() const { return order_ == Order::kPartial; }

  bool IsF32TotalOrder() const { return primitive_type_ == F32 && IsTotalOrder(); }
  bool IsStandardF32() const { return primitive_type_ == F32 && IsPartialOrder(); }
  bool IsStandardS32() const { return primitive_type_ == S32 && IsTotalOrder(); }
  bool IsStandardU32() const { return primitive_type_ == U32 && IsTotalOrder(); }
  bool IsIntegralPrimitiveType() const { return primitive_util::IsIntegralType(primitive_type_); }
  bool IsFloatingPointPrimitiveType() const {
    return primitive_util::IsFloatingPointType(primitive_type_);
  }

  // x op x is true (false) for every x.
  bool IsReflexive() const;
  bool IsAntireflexive() const;

  // The comparison that says of (y, x) what this one says of (x, y).
  Comparison Converse() const;
  // The comparison that is true where this one is false; none in a partial order.
  std::optional<Comparison> Inverse() const;

  // ".GT.F32.PARTIALORDER".
  std::string ToString(std::string prefix1 = ".", std::string prefix2 = ".",
                       std::string prefix3 = ".") const;

  // The C++ comparison of the direction, not aware of the order. For complex T only kEq and kNe.
  template <typename T>
  auto GetComparator() const -> bool (*)(T, T) {
    switch (dir_) {
      case Direction::kEq:
        return [](T a, T b) { return a == b; };
      case Direction::kNe:
        return [](T a, T b) { return a != b; };
      default:
        break;
    }
    if constexpr (is_complex_v<T>) {
      LOG(FATAL) << "Complex numbers have no order: " << ToString();
    } else {
      switch (dir_) {
        case Direction::kGe:
          return [](T a, T b) { return a >= b; };
        case Direction::kGt:
          return [](T a, T b) { return a > b; };
        case Direction::kLe:
          return [](T a, T b) { return a <= b; };
        default:
          return [](T a, T b) { return a < b; };
      }
    }
  }

  // CHECKs that T is the C++ type of the element type.
  template <typename T>
  bool Compare(const T a, const T b) const {
    CHECK(primitive_util::CanRepresent<T>(primitive_type_)) << ToString();
    if constexpr (is_specialized_floating_point_v<T>) {
      if (IsTotalOrder()) {
        using Ordered = decltype(ToSignMagnitude(a));
        return GetComparator<Ordered>()(ToSignMagnitude(a), ToSignMagnitude(b));
      }
    }
    return GetComparator<T>()(a, b);
  }

  static Type DefaultComparisonType(PrimitiveType type);

  bool operator==(const Comparison& other) const {
    return dir_ == other.dir_ && primitive_type_ == other.primitive_type_ && order_ == other.order_;
  }
  bool operator!=(const Comparison& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const Comparison& c) {
    return H::combine(std::move(h), c.dir_, static_cast<int>(c.primitive_type_), c.order_);
  }
  template <typename Sink>
  friend void AbslStringify(Sink& sink, const Comparison& c) {
    sink.Append(c.ToString());
  }

 private:
  Direction dir_;
  PrimitiveType primitive_type_;
  Order order_;
  Type type_;
};

std::ostream& operator<<(std::ostream& os, const Comparison& cmp);

using ComparisonDirection = Comparison::Direction;
using ComparisonOrder = Comparison::Order;

// "EQ", "NE", "GE", "GT", "LE", "LT".
std::string ComparisonDirectionToString(Comparison::Direction direction);
// "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED".
std::string ComparisonTypeToString(Comparison::Type type);
// "F32", ...
absl::string_view ComparisonPrimitiveTypeToString(PrimitiveType type);
// "TOTALORDER", "PARTIALORDER".
absl::string_view ComparisonOrderToString(Comparison::Order order);

// The inverses; InvalidArgument for any other text.
absl::StatusOr<Comparison::Direction> StringToComparisonDirection(absl::string_view direction);
absl::StatusOr<Comparison::Type> StringToComparisonType(absl::string_view comparison);

// A function that says whether the key of its first argument is less than that of its second.
template <typename KeyFn>
auto LessThanByKey(KeyFn&& key_fn) {
  return [key_fn = std::forward<KeyFn>(key_fn)](const auto& a, const auto& b) {
    return std::invoke(key_fn, a) < std::invoke(key_fn, b);
  };
}

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_COMPARISON_UTIL_H_
