// File format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include "tools/npy.h"

#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);

struct Descriptor {
  PrimitiveType type;
  absl::string_view text;
};

constexpr Descriptor kDescriptors[] = {
    {PRED, "|b1"}, {S8, "|i1"},  {S16, "<i2"}, {S32, "<i4"}, {S64, "<i8"},
    {U8, "|u1"},   {U16, "<u2"}, {U32, "<u4"}, {U64, "<u8"}, {F16, "<f2"},
    {F32, "<f4"},  {F64, "<f8"}, {C64, "<c8"}, {C128, "<c16"},
};

std::string DescriptorOf(PrimitiveType type) {
  for (const Descriptor& descriptor : kDescriptors) {
    if (descriptor.type == type) return std::string(descriptor.text);
  }
  return absl::StrCat("|V", primitive_util::ByteWidth(type));
}

// NumPy writes '|' or '<' before one-byte and raw types alike.
bool SameDescriptor(absl::string_view a, absl::string_view b) {
  const bool order_free = absl::EndsWith(a, "1") || absl::StrContains(a, "V");
  return order_free ? a.substr(1) == b.substr(1) : a == b;
}

// The text of the value after 'key': in the header's dictionary, up to `end`.
absl::StatusOr<absl::string_view> HeaderValue(absl::string_view header, absl::string_view key,
                                              absl::string_view end) {
  const std::string quoted = absl::StrCat("'", key, "':");
  const size_t start = header.find(quoted);
  if (start == absl::string_view::npos) return InvalidArgument("npy: the header has no '%s'", key);
  const absl::string_view rest = header.substr(start + quoted.size());
  const size_t stop = rest.find(end);
  if (stop == absl::string_view::npos) return InvalidArgument("npy: '%s' has no end", key);
  return absl::StripAsciiWhitespace(rest.substr(0, stop));
}

struct Header {
  std::string descriptor;
  bool fortran_order = false;
  std::vector<int64_t> dimensions;
  absl::string_view data;
};

absl::StatusOr<Header> ParseHeader(absl::string_view bytes) {
  if (bytes.size() < 12 || bytes.substr(0, 6) != kMagic) {
    return InvalidArgument("npy: the file does not begin as a .npy file does");
  }
  const int version = static_cast<unsigned char>(bytes[6]);
  const size_t length_bytes = version == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<size_t>(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  }
  const size_t start = 8 + length_bytes;
  if (bytes.size() < start || bytes.size() - start < length) {
    return InvalidArgument("npy: the header ends after the file does");
  }
  const absl::string_view text = bytes.substr(start, length);
  Header header;
  header.data = bytes.substr(start + length);
  HILO_ASSIGN_OR_RETURN(absl::string_view descriptor, HeaderValue(text, "descr", ","));
  if (!absl::ConsumePrefix(&descriptor, "'") || !absl::ConsumeSuffix(&descriptor, "'") ||
      descriptor.size() < 2) {
    return InvalidArgument("npy: arrays of records are not supported (descr %s)", descriptor);
  }
  header.descriptor = std::string(descriptor);
  HILO_ASSIGN_OR_RETURN(const absl::string_view order, HeaderValue(text, "fortran_order", ","));
  header.fortran_order = order == "True";
  HILO_ASSIGN_OR_RETURN(absl::string_view shape, HeaderValue(text, "shape", ")"));
  absl::ConsumePrefix(&shape, "(");
  for (absl::string_view size : absl::StrSplit(shape, ',', absl::SkipWhitespace())) {
    int64_t value;
    if (!absl::SimpleAtoi(size, &value) || value < 0) {
      return InvalidArgument("npy: the shape (%s) is not a list of sizes", shape);
    }
    header.dimensions.push_back(value);
  }
  return header;
}

}  // namespace

absl::StatusOr<Literal> ParseNpy(absl::string_view bytes, const Shape& wanted) {
  HILO_ASSIGN_OR_RETURN(const Header header, ParseHeader(bytes));
  if (!wanted.IsArray() || !SameDescriptor(header.descriptor, DescriptorOf(wanted.element_type())) ||
      absl::MakeConstSpan(header.dimensions) != wanted.dimensions()) {
    return InvalidArgument("npy: the array is %s[%s], but %s is wanted", header.descriptor,
                           absl::StrJoin(header.dimensions, ","), wanted.ToString());
  }
  std::vector<int64_t> minor_to_major(header.dimensions.size());
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    minor_to_major[i] = header.fortran_order ? i : minor_to_major.size() - 1 - i;
  }
  HILO_ASSIGN_OR_RETURN(
      const Shape stored,
      ShapeUtil::MakeValidatedShapeWithDenseLayout(wanted.element_type(), header.dimensions,
                                                   minor_to_major));
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::Make(stored));
  if (static_cast<int64_t>(header.data.size()) < literal.size_bytes()) {
    return InvalidArgument("npy: %s needs %d bytes, but the file has %d", wanted.ToString(),
                           literal.size_bytes(), header.data.size());
  }
  std::memcpy(literal.untyped_data(), header.data.data(), literal.size_bytes());
  return header.fortran_order ? literal.Relayout(LayoutUtil::MakeDescendingLayout(
                                    static_cast<int64_t>(header.dimensions.size())))
                              : std::move(literal);
}

absl::StatusOr<std::string> FormatNpy(const Literal& literal) {
  if (!literal.shape().IsArray()) {
    return InvalidArgument("npy: %s is not an array", literal.shape().ToString());
  }
  const auto dimensions = literal.shape().dimensions();
  const Literal rows =
      literal.Relayout(LayoutUtil::MakeDescendingLayout(static_cast<int64_t>(dimensions.size())));
  std::string header = absl::StrCat(
      "{'descr': '", DescriptorOf(literal.shape().element_type()), "', 'fortran_order': False, 'shape': (",
      absl::StrJoin(dimensions, ", "), dimensions.size() == 1 ? ",), }" : "), }");
  // Padded so that the data begins at a multiple of 64 bytes.
  const size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header.push_back('\n');
  std::string file(kMagic);
  file += std::string("\x01\x00", 2);
  file.push_back(static_cast<char>(header.size() & 0xff));
  file.push_back(static_cast<char>(header.size() >> 8));
  file += header;
  file.append(static_cast<const char*>(rows.untyped_data()), rows.size_bytes());
  return file;
}

}  // namespace xla
