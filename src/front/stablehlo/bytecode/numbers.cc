// Integers, floating-point numbers and tensors of them.
#include <cstring>
#include <string>
#include <utility>

#include "absl/base/casts.h"
#include "absl/strings/str_cat.h"
#include "front/stablehlo/bytecode/entry_reader.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::stablehlo {
namespace {

double ToDouble(uint64_t bits, PrimitiveType type) {
  return primitive_util::FloatingPointTypeSwitch(
      [bits](auto constant) {
        using T = primitive_util::NativeTypeOf<decltype(constant)::value>;
        T value;
        static_assert(sizeof(T) <= sizeof(bits));
        std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));  // both are little-endian
        return static_cast<double>(value);
      },
      type);
}

}  // namespace

// Up to 8 bits take a byte, more are the number extended with zeros to 64 bits.
uint64_t EntryReader::FixedWidthInteger(ByteReader& reader, int bits) {
  const uint64_t value = bits <= 8 ? reader.Byte() : static_cast<uint64_t>(reader.SignedVarint());
  return bits < 64 ? value & ((uint64_t{1} << bits) - 1) : value;
}

IntegerAttribute EntryReader::Integer(ByteReader& reader) {
  const PrimitiveType type = element_type(reader.Varint());
  if (type != PRED && !primitive_util::IsIntegralType(type)) {
    reader.Fail();
    return {S64, 0};
  }
  const int bits = primitive_util::BitWidth(type);
  uint64_t value = FixedWidthInteger(reader, bits);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  if (primitive_util::IsSignedIntegralType(type) && (value & sign) != 0) value -= sign << 1;
  return {type, static_cast<int64_t>(value)};
}

void EntryReader::IntegerOrBool(ByteReader& reader, Attribute& attribute) {
  const IntegerAttribute integer = Integer(reader);
  if (integer.type == PRED) {
    attribute.value = integer.value != 0;
  } else {
    attribute.value = integer;
  }
}

FloatAttribute EntryReader::Float(ByteReader& reader) {
  const PrimitiveType type = element_type(reader.Varint());
  if (!primitive_util::IsFloatingPointType(type)) {
    reader.Fail();
    return {F64, 0};
  }
  const uint64_t bits = FixedWidthInteger(reader, primitive_util::BitWidth(type));
  return {type, ToDouble(bits, type)};
}

double EntryReader::Double(ByteReader& reader) {
  return absl::bit_cast<double>(FixedWidthInteger(reader, 64));
}

Attribute EntryReader::Tensor(const Shape& shape, absl::string_view bytes) {
  if (!ok()) return Attribute{UnitAttribute()};
  weight_ -= bytes.size();
  const auto fail = [&](absl::string_view problem) {
    Fail(absl::InvalidArgumentError(
        absl::StrCat("StableHLO bytecode: a tensor of ", shape.ToString(), " ", problem)));
    return Attribute{UnitAttribute()};
  };
  if (!shape.IsArrayExcludingBuffer() || shape.is_dynamic()) return fail("cannot be constant");
  const int64_t count = ShapeUtil::ElementsIn(shape);
  const uint64_t width = primitive_util::ByteWidth(shape.element_type());
  if (shape.element_type() == PRED) bytes = Predicates(bytes, count);
  const bool is_splat = count != 1 && bytes.size() == width;
  if (!is_splat &&
      (bytes.size() % width != 0 || bytes.size() / width != static_cast<uint64_t>(count))) {
    return fail(absl::StrCat("has ", bytes.size(), " bytes"));
  }
  return Attribute{TensorAttribute{&shape, bytes, is_splat}};
}

// The predicates that `bytes` stand for, a byte for each, or one if all are equal. Empty if they
// are not as many as there should be.
absl::string_view EntryReader::Predicates(absl::string_view bytes, int64_t count) {
  const uint64_t size = count;
  const uint64_t packed = size / 8 + (size % 8 != 0);
  if (size > 0 && bytes == "\xff") return absl::string_view("\1", 1);
  const bool is_packed = bytes.size() == packed && packed != size;
  const bool is_one_false = bytes.size() == 1 && bytes[0] == 0;
  if (!is_packed && !is_one_false && bytes.size() != size) return absl::string_view();
  // Only tensors that are all false have no true element.
  if (bytes.find_first_not_of('\0') == absl::string_view::npos) return bytes.substr(0, 1);
  std::string predicates(size, '\0');
  for (uint64_t i = 0; i < size; ++i) {
    predicates[i] = is_packed ? bytes[i / 8] >> (i % 8) & 1 : bytes[i] != 0;
  }
  return program_.Keep(std::move(predicates));
}

}  // namespace xla::stablehlo
