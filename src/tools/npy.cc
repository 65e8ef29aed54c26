// File format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include "tools/npy.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
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
    {PRED, "|b1"}, {S8, "|i1"},  {S16, "<i2"}, {S32, "<i4"},   {S64, "<i8"},
    {U8, "|u1"},   {U16, "<u2"}, {U32, "<u4"}, {U64, "<u8"},   {F16, "<f2"},
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

// A header's fields are few: all but the longest lists of sizes take less.
constexpr int64_t kLongestHeader = 1 << 16;

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

// The shape of the array, with the layout that it has in the file.
absl::StatusOr<Shape> StoredShape(const Header& header, const Shape& wanted) {
  if (!wanted.IsArray() ||
      !SameDescriptor(header.descriptor, DescriptorOf(wanted.element_type())) ||
      absl::MakeConstSpan(header.dimensions) != wanted.dimensions()) {
    return InvalidArgument("npy: the array is %s[%s], but %s is wanted", header.descriptor,
                           absl::StrJoin(header.dimensions, ","), wanted.ToString());
  }
  std::vector<int64_t> minor_to_major(header.dimensions.size());
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    minor_to_major[i] = header.fortran_order ? i : minor_to_major.size() - 1 - i;
  }
  return ShapeUtil::MakeValidatedShapeWithDenseLayout(wanted.element_type(), header.dimensions,
                                                      minor_to_major);
}

absl::Status ExpectBytes(int64_t bytes, const Shape& stored) {
  const int64_t needed =
      ShapeUtil::ElementsIn(stored) * primitive_util::ByteWidth(stored.element_type());
  if (bytes >= needed) return absl::OkStatus();
  return InvalidArgument("npy: %s needs %d bytes, but the file has %d",
                         ShapeUtil::HumanString(stored), needed, bytes);
}

Literal InRows(Literal literal) {
  const Shape& shape = literal.shape();
  if (LayoutUtil::IsMonotonicWithDim0Major(shape.layout())) return literal;
  return literal.Relayout(LayoutUtil::MakeDescendingLayout(shape.dimensions_size()));
}

// Short reads that lie near each other become one.
class BufferedFile {
 public:
  explicit BufferedFile(const std::string& path)
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~BufferedFile() {
    if (file_ >= 0) close(file_);
  }

  absl::Status Read(int64_t offset, int64_t bytes, char* place) {
    if (bytes >= kBufferBytes) return ReadAll(offset, bytes, place);
    if (offset < begin_ || offset + bytes > begin_ + static_cast<int64_t>(buffer_.size())) {
      buffer_.resize(kBufferBytes);
      begin_ = offset;
      HILO_ASSIGN_OR_RETURN(const int64_t count, ReadSome(offset, kBufferBytes, buffer_.data()));
      buffer_.resize(count);
      if (count < bytes) return ReadAll(offset, bytes, place);
    }
    std::memcpy(place, buffer_.data() + (offset - begin_), bytes);
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kBufferBytes = 1 << 20;

  absl::StatusOr<int64_t> ReadSome(int64_t offset, int64_t bytes, char* place) const {
    const ssize_t count = pread(file_, place, bytes, offset);
    if (count < 0) return FailedPrecondition("npy: %s", std::strerror(errno));
    return count;
  }

  absl::Status ReadAll(int64_t offset, int64_t bytes, char* place) const {
    while (bytes > 0) {
      HILO_ASSIGN_OR_RETURN(const int64_t count, ReadSome(offset, bytes, place));
      if (count == 0) return InvalidArgument("npy: the file has become shorter");
      offset += count;
      place += count;
      bytes -= count;
    }
    return absl::OkStatus();
  }

  const int file_;
  std::string buffer_;
  int64_t begin_ = 0;  // of the buffer in the file
};

// Calls read(offset, bytes) for each run of elements of a part that lie one after the other in the
// array, in the order in which they lie there.
absl::Status ForEachRun(const Shape& array, absl::Span<const int64_t> begin,
                        absl::Span<const int64_t> end,
                        absl::FunctionRef<absl::Status(int64_t, int64_t)> read) {
  const absl::Span<const int64_t> order = array.layout().minor_to_major();
  int64_t run = primitive_util::ByteWidth(array.element_type());
  int64_t offset = 0, stride = run;
  std::vector<int64_t> counts, strides;  // of runs, minor dimensions first
  for (const int64_t d : order) {
    const int64_t count = end[d] - begin[d];
    if (count == 0) return absl::OkStatus();
    offset += begin[d] * stride;
    if (run == stride) {
      run *= count;
    } else {
      counts.push_back(count);
      strides.push_back(stride);
    }
    stride *= array.dimensions(static_cast<int>(d));
  }
  std::vector<int64_t> index(counts.size());
  while (true) {
    HILO_RETURN_IF_ERROR(read(offset, run));
    size_t d = 0;
    for (; d < index.size(); ++d) {
      offset += strides[d];
      if (++index[d] < counts[d]) break;
      offset -= strides[d] * counts[d];
      index[d] = 0;
    }
    if (d == index.size()) return absl::OkStatus();
  }
}

}  // namespace

absl::StatusOr<Literal> ParseNpy(absl::string_view bytes, const Shape& wanted) {
  HILO_ASSIGN_OR_RETURN(const Header header, ParseHeader(bytes));
  HILO_ASSIGN_OR_RETURN(const Shape stored, StoredShape(header, wanted));
  HILO_RETURN_IF_ERROR(ExpectBytes(static_cast<int64_t>(header.data.size()), stored));
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::Make(stored));
  std::memcpy(literal.untyped_data(), header.data.data(), literal.size_bytes());
  return InRows(std::move(literal));
}

absl::StatusOr<NpyFile> NpyFile::Open(const std::string& path, const Shape& wanted) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("npy: %s", std::strerror(errno));
  std::string bytes(kLongestHeader, 0);
  file.read(bytes.data(), kLongestHeader);
  bytes.resize(file.gcount());
  HILO_ASSIGN_OR_RETURN(const Header header, ParseHeader(bytes));
  HILO_ASSIGN_OR_RETURN(const Shape stored, StoredShape(header, wanted));
  const int64_t begin = header.data.data() - bytes.data();
  std::error_code error;
  const auto size = static_cast<int64_t>(std::filesystem::file_size(path, error));
  if (error) return FailedPrecondition("npy: %s", error.message());
  HILO_RETURN_IF_ERROR(ExpectBytes(size - begin, stored));
  return NpyFile(path, stored, begin);
}

absl::StatusOr<Literal> NpyFile::Read(absl::Span<const int64_t> begin,
                                      absl::Span<const int64_t> end) const {
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < begin.size(); ++d) sizes.push_back(end[d] - begin[d]);
  HILO_ASSIGN_OR_RETURN(const Shape shape,
                        ShapeUtil::MakeValidatedShapeWithDenseLayout(
                            stored_.element_type(), sizes, stored_.layout().minor_to_major()));
  HILO_ASSIGN_OR_RETURN(Literal part, Literal::Make(shape));
  BufferedFile file(path_);
  char* next = static_cast<char*>(part.untyped_data());
  HILO_RETURN_IF_ERROR(ForEachRun(stored_, begin, end, [&](int64_t offset, int64_t bytes) {
    char* const place = std::exchange(next, next + bytes);
    return file.Read(data_begin_ + offset, bytes, place);
  }));
  return InRows(std::move(part));
}

absl::StatusOr<std::string> FormatNpy(const Literal& literal) {
  if (!literal.shape().IsArray()) {
    return InvalidArgument("npy: %s is not an array", literal.shape().ToString());
  }
  const auto dimensions = literal.shape().dimensions();
  const Literal rows =
      literal.Relayout(LayoutUtil::MakeDescendingLayout(static_cast<int64_t>(dimensions.size())));
  std::string header =
      absl::StrCat("{'descr': '", DescriptorOf(literal.shape().element_type()),
                   "', 'fortran_order': False, 'shape': (", absl::StrJoin(dimensions, ", "),
                   dimensions.size() == 1 ? ",), }" : "), }");
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
