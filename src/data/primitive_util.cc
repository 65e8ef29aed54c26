#include "xla/primitive_util.h"

#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "xla/util.h"

namespace xla::primitive_util {
namespace {

struct FloatFormat {
  PrimitiveType type;
  int significand_width;
  int exponent_width;
  int underflow_exponent;
  int overflow_exponent;
  int exponent_bias;
  bool has_infinity;
  bool has_nan;
  bool has_negative_zero;
  bool has_zero;
};

constexpr FloatFormat kFloatFormats[] = {
    {F4E2M1FN, 2, 2, 1, 3, 1, false, false, true, true},
    {F6E2M3FN, 4, 2, 1, 3, 1, false, false, true, true},
    {F6E3M2FN, 3, 3, -1, 5, 3, false, false, true, true},
    {F8E3M4, 5, 3, -1, 4, 3, true, true, true, true},
    {F8E4M3, 4, 4, -5, 8, 7, true, true, true, true},
    {F8E4M3FN, 4, 4, -5, 9, 7, false, true, true, true},
    {F8E4M3B11FNUZ, 4, 4, -9, 5, 11, false, true, false, true},
    {F8E4M3FNUZ, 4, 4, -6, 8, 8, false, true, false, true},
    {F8E5M2, 3, 5, -13, 16, 15, true, true, true, true},
    {F8E5M2FNUZ, 3, 5, -14, 16, 16, false, true, false, true},
    {F8E8M0FNU, 1, 8, -126, 128, 127, false, true, false, false},
    {F16, 11, 5, -13, 16, 15, true, true, true, true},
    {BF16, 8, 8, -125, 128, 127, true, true, true, true},
    {F32, 24, 8, -125, 128, 127, true, true, true, true},
    {F64, 53, 11, -1021, 1024, 1023, true, true, true, true},
};

const FloatFormat& Format(PrimitiveType type) {
  for (const FloatFormat& format : kFloatFormats) {
    if (format.type == type) return format;
  }
  LOG(FATAL) << "Not a floating-point type: " << LowercasePrimitiveTypeName(type);
}

// Digits of the largest value of an integral type or PRED.
int IntegralDigits(PrimitiveType type) { return BitWidth(type) - IsSignedIntegralType(type); }

bool IntegralCastPreservesValues(PrimitiveType from, PrimitiveType to) {
  const int digits = IntegralDigits(from);
  const bool is_signed = IsSignedIntegralType(from);
  if (IsIntegralType(to)) {
    return (!is_signed || IsSignedIntegralType(to)) && digits <= IntegralDigits(to);
  }
  // The largest power of two among the values is 2^(digits-1), or 2^digits for the smallest signed
  // number.
  const FloatFormat& format = Format(to);
  return format.has_zero && digits <= format.significand_width &&
         digits + is_signed <= format.overflow_exponent;
}

bool FloatCastPreservesValues(PrimitiveType from_type, PrimitiveType to_type) {
  const FloatFormat& from = Format(from_type);
  const FloatFormat& to = Format(to_type);
  return from.has_infinity <= to.has_infinity && from.has_nan <= to.has_nan &&
         from.has_negative_zero <= to.has_negative_zero && from.has_zero <= to.has_zero &&
         from.significand_width <= to.significand_width &&
         from.overflow_exponent <= to.overflow_exponent &&
         // The smallest subnormal of `from` is no smaller than that of `to`.
         from.underflow_exponent - from.significand_width >=
             to.underflow_exponent - to.significand_width;
}

struct NamedType {
  PrimitiveType type;
  absl::string_view name;
};

// Protobuf's own names would first need its description of all messages, which takes as long to
// make as a small module to compile.
#define HILO_NAMED_TYPE(type, native) {type, #type},
constexpr NamedType kTypes[] = {{TUPLE, "TUPLE"},
                                {OPAQUE_TYPE, "OPAQUE"},
                                {TOKEN, "TOKEN"},
                                {BUFFER, "BUFFER"},
                                XLA_FOR_EACH_ARRAY_TYPE(HILO_NAMED_TYPE)};
#undef HILO_NAMED_TYPE

struct NameTables {
  std::string names[PrimitiveType_ARRAYSIZE];
  absl::flat_hash_map<std::string, PrimitiveType> types;
};

const NameTables& Names() {
  static const NameTables* const tables = [] {
    auto* result = new NameTables;
    for (std::string& name : result->names) name = "invalid";
    for (const NamedType& named : kTypes) {
      std::string& name = result->names[named.type];
      name = absl::AsciiStrToLower(named.name);
      result->types[name] = named.type;
    }
    return result;
  }();
  return *tables;
}

}  // namespace

int SignificandWidth(PrimitiveType type) { return Format(type).significand_width; }
int ExponentWidth(PrimitiveType type) { return Format(type).exponent_width; }
int UnderflowExponent(PrimitiveType type) { return Format(type).underflow_exponent; }
int OverflowExponent(PrimitiveType type) { return Format(type).overflow_exponent; }
int ExponentBias(PrimitiveType type) { return Format(type).exponent_bias; }

bool HasInfinity(PrimitiveType type) {
  if (IsComplexType(type)) return true;
  return IsFloatingPointType(type) && Format(type).has_infinity;
}

bool HasNaN(PrimitiveType type) {
  if (IsComplexType(type)) return true;
  return IsFloatingPointType(type) && Format(type).has_nan;
}

bool HasNegativeZero(PrimitiveType type) {
  if (IsComplexType(type)) return true;
  return IsFloatingPointType(type) && Format(type).has_negative_zero;
}

bool HasPositiveZero(PrimitiveType type) {
  return IsFloatingPointType(type) ? Format(type).has_zero : IsArrayType(type);
}

PrimitiveType UnsignedIntegralTypeForBitWidth(int64_t src_bitwidth) {
  for (PrimitiveType type : {U1, U2, U4, U8, U16, U32, U64}) {
    if (BitWidth(type) == src_bitwidth) return type;
  }
  return PRIMITIVE_TYPE_INVALID;
}

PrimitiveType SignedIntegralTypeForBitWidth(int64_t src_bitwidth) {
  for (PrimitiveType type : {S1, S2, S4, S8, S16, S32, S64}) {
    if (BitWidth(type) == src_bitwidth) return type;
  }
  return PRIMITIVE_TYPE_INVALID;
}

PrimitiveType ComplexComponentType(PrimitiveType complex_type) {
  CHECK(IsComplexType(complex_type))
      << "Not a complex type: " << LowercasePrimitiveTypeName(complex_type);
  return complex_type == C64 ? F32 : F64;
}

PrimitiveType ComplexType(PrimitiveType base_type) {
  if (base_type == F32) return C64;
  return base_type == F64 ? C128 : PRIMITIVE_TYPE_INVALID;
}

PrimitiveType HigherPrecisionType(PrimitiveType a, PrimitiveType b) {
  auto rank = [](PrimitiveType type) {
    const bool is_complex = IsComplexType(type);
    const PrimitiveType component = is_complex ? ComplexComponentType(type) : type;
    const bool is_float = IsFloatingPointType(component);
    return std::make_tuple(is_complex, is_float, IsIntegralType(component),
                           is_float ? OverflowExponent(component) : 0,
                           is_float ? SignificandWidth(component) : BitWidth(component),
                           BitWidth(component), IsSignedIntegralType(component));
  };
  return rank(a) >= rank(b) ? a : b;
}

bool CastPreservesValues(PrimitiveType from_type, PrimitiveType to_type) {
  if (from_type == to_type) return true;
  if (!IsArrayType(from_type) || !IsArrayType(to_type) || to_type == PRED) return false;
  if (from_type == PRED && to_type == S1) return true;
  if (IsComplexType(to_type)) {
    const PrimitiveType from =
        IsComplexType(from_type) ? ComplexComponentType(from_type) : from_type;
    return CastPreservesValues(from, ComplexComponentType(to_type));
  }
  if (IsComplexType(from_type)) return false;
  if (!IsFloatingPointType(from_type)) return IntegralCastPreservesValues(from_type, to_type);
  return IsFloatingPointType(to_type) && FloatCastPreservesValues(from_type, to_type);
}

const std::string& LowercasePrimitiveTypeName(PrimitiveType s) {
  const NameTables& tables = Names();
  return tables.names[s >= 0 && s < PrimitiveType_ARRAYSIZE ? s : PRIMITIVE_TYPE_INVALID];
}

absl::StatusOr<PrimitiveType> StringToPrimitiveType(absl::string_view lower_name) {
  const auto& types = Names().types;
  if (auto it = types.find(lower_name); it != types.end()) return it->second;
  return InvalidArgument("Invalid element type string: \"%s\".", lower_name);
}

bool IsPrimitiveTypeName(absl::string_view name) { return Names().types.contains(name); }

bool FitsInIntegralType(int64_t x, PrimitiveType ty) {
  CHECK(IsIntegralType(ty)) << "Not an integral type: " << LowercasePrimitiveTypeName(ty);
  const int digits = IntegralDigits(ty);
  if (IsUnsignedIntegralType(ty)) return x >= 0 && (digits >= 63 || x < int64_t{1} << digits);
  return digits >= 63 || (x >= -(int64_t{1} << digits) && x < int64_t{1} << digits);
}

void PackIntN(PrimitiveType input_type, absl::Span<const char> input, absl::Span<char> output) {
  xla::PackIntN(BitWidth(input_type), input, output);
}

void UnpackIntN(PrimitiveType input_type, absl::Span<const char> input, absl::Span<char> output) {
  xla::UnpackIntN(BitWidth(input_type), input, output);
}

}  // namespace xla::primitive_util
