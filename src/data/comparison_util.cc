#include "xla/comparison_util.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

using Direction = Comparison::Direction;
using Order = Comparison::Order;
using Type = Comparison::Type;

constexpr std::pair<Direction, const char*> kDirectionNames[] = {
    {Direction::kEq, "EQ"}, {Direction::kNe, "NE"}, {Direction::kGe, "GE"},
    {Direction::kGt, "GT"}, {Direction::kLe, "LE"}, {Direction::kLt, "LT"},
};

constexpr std::pair<Type, const char*> kTypeNames[] = {
    {Type::kFloat, "FLOAT"},
    {Type::kFloatTotalOrder, "TOTALORDER"},
    {Type::kSigned, "SIGNED"},
    {Type::kUnsigned, "UNSIGNED"},
};

Order DefaultOrder(PrimitiveType type) {
  return primitive_util::IsFloatingPointType(type) || primitive_util::IsComplexType(type)
             ? Order::kPartial
             : Order::kTotal;
}

PrimitiveType ElementTypeOf(Type type) {
  switch (type) {
    case Type::kFloat:
    case Type::kFloatTotalOrder:
      return F32;
    case Type::kSigned:
      return S32;
    case Type::kUnsigned:
      return U32;
  }
  LOG(FATAL) << "Not a comparison type: " << static_cast<int>(type);
}

Direction ConverseDirection(Direction direction) {
  switch (direction) {
    case Direction::kEq:
    case Direction::kNe:
      return direction;
    case Direction::kGe:
      return Direction::kLe;
    case Direction::kGt:
      return Direction::kLt;
    case Direction::kLe:
      return Direction::kGe;
    case Direction::kLt:
      return Direction::kGt;
  }
  LOG(FATAL) << "Not a direction: " << static_cast<int>(direction);
}

Direction InverseDirection(Direction direction) {
  switch (direction) {
    case Direction::kEq:
      return Direction::kNe;
    case Direction::kNe:
      return Direction::kEq;
    case Direction::kGe:
      return Direction::kLt;
    case Direction::kGt:
      return Direction::kLe;
    case Direction::kLe:
      return Direction::kGt;
    case Direction::kLt:
      return Direction::kGe;
  }
  LOG(FATAL) << "Not a direction: " << static_cast<int>(direction);
}

}  // namespace

Comparison::Comparison(Direction dir, PrimitiveType type)
    : Comparison(dir, type, DefaultOrder(type)) {}

Comparison::Comparison(Direction dir, PrimitiveType type, Order order)
    : dir_(dir), primitive_type_(type), order_(order), type_(DefaultComparisonType(type)) {
  if (type_ == Type::kFloat && order == Order::kTotal) type_ = Type::kFloatTotalOrder;
}

Comparison::Comparison(Direction dir, Type type)
    : Comparison(dir, ElementTypeOf(type), type == Type::kFloat ? Order::kPartial : Order::kTotal) {
}

bool Comparison::IsReflexive() const { return (IsEq() || IsGe() || IsLe()) && IsTotalOrder(); }

bool Comparison::IsAntireflexive() const { return IsGt() || IsLt() || (IsNe() && IsTotalOrder()); }

Comparison Comparison::Converse() const {
  return Comparison(ConverseDirection(dir_), primitive_type_, order_);
}

std::optional<Comparison> Comparison::Inverse() const {
  if (IsPartialOrder()) return std::nullopt;
  return Comparison(InverseDirection(dir_), primitive_type_, order_);
}

std::string Comparison::ToString(std::string prefix1, std::string prefix2,
                                 std::string prefix3) const {
  return absl::StrCat(prefix1, ComparisonDirectionToString(dir_), prefix2,
                      ComparisonPrimitiveTypeToString(primitive_type_), prefix3,
                      ComparisonOrderToString(order_));
}

Comparison::Type Comparison::DefaultComparisonType(PrimitiveType type) {
  if (primitive_util::IsFloatingPointType(type) || primitive_util::IsComplexType(type)) {
    return Type::kFloat;
  }
  return primitive_util::IsSignedIntegralType(type) ? Type::kSigned : Type::kUnsigned;
}

std::ostream& operator<<(std::ostream& os, const Comparison& cmp) { return os << cmp.ToString(); }

std::string ComparisonDirectionToString(Comparison::Direction direction) {
  for (const auto& [value, name] : kDirectionNames) {
    if (value == direction) return name;
  }
  LOG(FATAL) << "Not a direction: " << static_cast<int>(direction);
}

std::string ComparisonTypeToString(Comparison::Type type) {
  for (const auto& [value, name] : kTypeNames) {
    if (value == type) return name;
  }
  LOG(FATAL) << "Not a comparison type: " << static_cast<int>(type);
}

absl::string_view ComparisonPrimitiveTypeToString(PrimitiveType type) {
  return PrimitiveType_Name(type);
}

absl::string_view ComparisonOrderToString(Comparison::Order order) {
  return order == Order::kTotal ? "TOTALORDER" : "PARTIALORDER";
}

absl::StatusOr<Comparison::Direction> StringToComparisonDirection(absl::string_view direction) {
  for (const auto& [value, name] : kDirectionNames) {
    if (direction == name) return value;
  }
  return InvalidArgument("Unknown comparison direction: %s", direction);
}

absl::StatusOr<Comparison::Type> StringToComparisonType(absl::string_view comparison) {
  for (const auto& [value, name] : kTypeNames) {
    if (comparison == name) return value;
  }
  return InvalidArgument("Unknown comparison type: %s", comparison);
}

}  // namespace xla
