// Literals as messages and as bytes.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "absl/base/config.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "data/literal_convert.h"
#include "data/literal_piece.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

#ifndef ABSL_IS_LITTLE_ENDIAN
#error "Literals are read and written as little-endian memory."
#endif

namespace xla {

using literal_internal::Piece;

namespace {

// X(element type, field): the fields that hold bytes, and those that hold numbers.
#define HILO_FOR_EACH_BYTES_FIELD(X)                                                          \
  X(S1, s1s)                                                                                  \
  X(S2, s2s)                                                                                  \
  X(S4, s4s) X(S8, s8s) X(S16, s16s) X(U1, u1s) X(U2, u2s) X(U4, u4s) X(U8, u8s) X(U16, u16s) \
      X(F16, f16s) X(BF16, bf16s) X(F4E2M1FN, f4e2m1fns) X(F6E2M3FN, f6e2m3fns)               \
          X(F6E3M2FN, f6e3m2fns) X(F8E3M4, f8e3m4s) X(F8E4M3, f8e4m3s) X(F8E4M3FN, f8e4m3fns) \
              X(F8E4M3B11FNUZ, f8e4m3b11fnuzs) X(F8E4M3FNUZ, f8e4m3fnuzs) X(F8E5M2, f8e5m2s)  \
                  X(F8E5M2FNUZ, f8e5m2fnuzs) X(F8E8M0FNU, f8e8m0fnus)
#define HILO_FOR_EACH_NUMBERS_FIELD(X) \
  X(PRED, preds)                       \
  X(S32, s32s)                         \
  X(S64, s64s) X(U32, u32s) X(U64, u64s) X(F32, f32s) X(F64, f64s) X(C64, c64s) X(C128, c128s)

void WriteElements(const Piece& array, LiteralProto* proto) {
  const int64_t bytes = array.size_bytes();
  switch (array.shape().element_type()) {
#define HILO_WRITE_BYTES(kType, field)         \
  case kType:                                  \
    proto->set_##field(array.buffer(), bytes); \
    break;
    HILO_FOR_EACH_BYTES_FIELD(HILO_WRITE_BYTES)
#undef HILO_WRITE_BYTES
#define HILO_WRITE_NUMBERS(kType, field)                                        \
  case kType: {                                                                 \
    auto* numbers = proto->mutable_##field();                                   \
    using Number = std::decay_t<decltype(numbers->Get(0))>;                     \
    numbers->Resize(static_cast<int>(bytes / sizeof(Number)), Number());        \
    if (bytes > 0) std::memcpy(numbers->mutable_data(), array.buffer(), bytes); \
    break;                                                                      \
  }
    HILO_FOR_EACH_NUMBERS_FIELD(HILO_WRITE_NUMBERS)
#undef HILO_WRITE_NUMBERS
    default:
      LOG(FATAL) << "No array type: " << PrimitiveType_Name(array.shape().element_type());
  }
}

// The bytes of the payload that belongs to the element type.
absl::string_view Payload(const LiteralProto& proto, PrimitiveType type) {
  switch (type) {
#define HILO_READ_BYTES(kType, field) \
  case kType:                         \
    return proto.field();
    HILO_FOR_EACH_BYTES_FIELD(HILO_READ_BYTES)
#undef HILO_READ_BYTES
#define HILO_READ_NUMBERS(kType, field)                                           \
  case kType:                                                                     \
    return absl::string_view(reinterpret_cast<const char*>(proto.field().data()), \
                             proto.field().size() * sizeof(proto.field().Get(0)));
    HILO_FOR_EACH_NUMBERS_FIELD(HILO_READ_NUMBERS)
#undef HILO_READ_NUMBERS
    default:
      return {};
  }
}

// Clears the bits of bytes from elsewhere that elements narrower than a byte do not have.
void ClearUnusedBits(Piece& array) {
  const int bits = primitive_util::StorageBitWidth(array.shape().element_type());
  if (bits >= 8) return;
  const char mask = static_cast<char>((1 << bits) - 1);
  char* const buffer = array.buffer();
  for (int64_t i = 0; i < array.element_count(); ++i) buffer[i] &= mask;
}

void WritePiece(const Piece& piece, LiteralProto* proto) {
  piece.shape().ToProto(*proto->mutable_shape());
  for (const Piece& child : piece.children()) WritePiece(child, proto->add_tuple_literals());
  if (!piece.IsArray()) return;
  if (piece.shape().is_dynamic()) {
    for (const int64_t size : piece.Sizes()) proto->add_dynamic_sizes(static_cast<int32_t>(size));
  }
  if (piece.buffer() != nullptr) WriteElements(piece, proto);
}

absl::Status SetDynamicSizes(absl::Span<const int32_t> sizes, Piece& array) {
  const Shape& shape = array.shape();
  if (static_cast<int64_t>(sizes.size()) != shape.dimensions_size()) {
    return InvalidArgument(
        "A literal of shape %s has %d dynamic sizes; it needs one for each dimension",
        ShapeUtil::HumanString(shape), sizes.size());
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool fits = shape.is_dynamic_dimension(d)
                          ? sizes[d] >= 0 && sizes[d] <= shape.dimensions(d)
                          : sizes[d] == shape.dimensions(d);
    if (!fits) {
      return InvalidArgument("Dynamic size %d does not fit dimension %d of a literal of shape %s",
                             sizes[d], d, ShapeUtil::HumanString(shape));
    }
    if (shape.is_dynamic_dimension(d)) array.SetDynamicSize(d, sizes[d]);
  }
  return absl::OkStatus();
}

absl::Status ReadArray(const LiteralProto& proto, bool prohibit_empty, Piece& array) {
  const absl::string_view payload = Payload(proto, array.shape().element_type());
  const bool is_empty = payload.empty() && !prohibit_empty;
  if (!is_empty && static_cast<int64_t>(payload.size()) != array.size_bytes()) {
    return InvalidArgument(
        "LiteralProto: a literal of shape %s needs %d elements, %d bytes; the message has %d bytes",
        ShapeUtil::HumanString(array.shape()), array.element_count(), array.size_bytes(),
        payload.size());
  }
  HILO_RETURN_IF_ERROR(array.Allocate());
  if (!payload.empty()) std::memcpy(array.buffer(), payload.data(), payload.size());
  ClearUnusedBits(array);
  if (proto.dynamic_sizes().empty() && (array.shape().is_static() || is_empty))
    return absl::OkStatus();
  return SetDynamicSizes(proto.dynamic_sizes(), array);
}

absl::Status ReadPiece(const LiteralProto& proto, bool prohibit_empty, Piece& piece) {
  if (piece.IsArray()) return ReadArray(proto, prohibit_empty, piece);
  if (proto.tuple_literals_size() != static_cast<int>(piece.children().size())) {
    return InvalidArgument(
        "LiteralProto: a literal of shape %s needs %d tuple_literals; the message has %d",
        ShapeUtil::HumanString(piece.shape()), piece.children().size(),
        proto.tuple_literals_size());
  }
  for (int i = 0; i < proto.tuple_literals_size(); ++i) {
    const LiteralProto& element = proto.tuple_literals(i);
    Piece& child = piece.children()[i];
    HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::FromProto(element.shape()));
    if (shape != child.shape()) {
      return InvalidArgument("LiteralProto: tuple_literals[%d] has shape %s; the tuple says %s", i,
                             ShapeUtil::HumanStringWithLayout(shape),
                             ShapeUtil::HumanStringWithLayout(child.shape()));
    }
    HILO_RETURN_IF_ERROR(ReadPiece(element, prohibit_empty, child));
  }
  return absl::OkStatus();
}

}  // namespace

LiteralProto LiteralBase::ToProto() const {
  LiteralProto proto;
  WritePiece(*piece_, &proto);
  return proto;
}

absl::StatusOr<Literal> MutableLiteralBase::CreateFromProto(const LiteralProto& proto,
                                                            bool prohibit_empty_literal) {
  if (!proto.has_shape()) return InvalidArgument("LiteralProto: the shape is missing");
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::FromProto(proto.shape()));
  if (!LayoutUtil::HasLayout(shape)) {
    return InvalidArgument("LiteralProto: shape %s has no layout", ShapeUtil::HumanString(shape));
  }
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape, /*allocate_arrays=*/false));
  HILO_RETURN_IF_ERROR(ReadPiece(proto, prohibit_empty_literal, *literal.piece_));
  return literal;
}

// ---- Bytes.

namespace {

template <typename Number>
void AppendNumber(Number number, std::string* out) {
  out->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

int64_t PackedBytes(const Piece& array) {
  return (array.element_count() * primitive_util::StorageBitWidth(array.shape().element_type()) +
          7) /
         8;
}

absl::Status AppendArray(const Piece& array, std::string* out) {
  if (!array.IsArray()) return absl::OkStatus();
  if (array.buffer() == nullptr) {
    return InvalidArgument("A literal of shape %s without values cannot be serialized",
                           ShapeUtil::HumanString(array.shape()));
  }
  if (array.shape().is_dynamic()) {
    for (const int64_t size : array.Sizes()) AppendNumber(static_cast<int32_t>(size), out);
  }
  const int bits = primitive_util::StorageBitWidth(array.shape().element_type());
  if (bits < 8) {
    out->append(PackBits(array.buffer(), array.element_count(), bits));
  } else {
    out->append(array.buffer(), array.size_bytes());
  }
  return absl::OkStatus();
}

// Takes bytes from the front of the data.
class ByteReader {
 public:
  explicit ByteReader(absl::string_view data) : rest_(data) {}

  absl::StatusOr<absl::string_view> Take(int64_t size) {
    if (size < 0 || size > static_cast<int64_t>(rest_.size())) {
      return InvalidArgument("A serialized literal ends too early: %d bytes are missing",
                             size - rest_.size());
    }
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  bool done() const { return rest_.empty(); }

 private:
  absl::string_view rest_;
};

absl::Status ReadArray(ByteReader& reader, Piece& array) {
  if (!array.IsArray()) return absl::OkStatus();
  if (array.shape().is_dynamic()) {
    std::vector<int32_t> sizes(array.shape().dimensions_size());
    HILO_ASSIGN_OR_RETURN(const absl::string_view bytes,
                          reader.Take(sizes.size() * sizeof(int32_t)));
    std::memcpy(sizes.data(), bytes.data(), bytes.size());
    HILO_RETURN_IF_ERROR(SetDynamicSizes(sizes, array));
  }
  HILO_ASSIGN_OR_RETURN(const absl::string_view bytes, reader.Take(PackedBytes(array)));
  HILO_RETURN_IF_ERROR(array.Allocate());
  const int bits = primitive_util::StorageBitWidth(array.shape().element_type());
  if (bits < 8) {
    UnpackBits(bytes, array.element_count(), bits, array.buffer());
  } else if (array.shape().element_type() == PRED) {
    std::transform(bytes.begin(), bytes.end(), array.buffer(),
                   [](char byte) -> char { return byte != 0; });
  } else if (!bytes.empty()) {
    std::memcpy(array.buffer(), bytes.data(), bytes.size());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> LiteralBase::SerializedSize() const {
  return ShapeUtil::SerializedSize(shape());
}

absl::Status LiteralBase::SerializeToString(std::string* output) const {
  HILO_ASSIGN_OR_RETURN(const int64_t size, SerializedSize());
  output->clear();
  output->reserve(size);
  const ShapeProto shape_proto = shape().ToProto();
  AppendNumber(static_cast<int64_t>(shape_proto.ByteSizeLong()), output);
  shape_proto.AppendToString(output);
  return piece_->ForEachLeaf([&](const Piece& leaf) { return AppendArray(leaf, output); });
}

absl::StatusOr<std::string> LiteralBase::SerializeAsString() const {
  std::string bytes;
  HILO_RETURN_IF_ERROR(SerializeToString(&bytes));
  return bytes;
}

absl::StatusOr<Literal> Literal::DeserializeFromString(absl::string_view data) {
  ByteReader reader(data);
  int64_t shape_size = 0;
  HILO_ASSIGN_OR_RETURN(const absl::string_view size_bytes, reader.Take(sizeof(shape_size)));
  std::memcpy(&shape_size, size_bytes.data(), sizeof(shape_size));
  HILO_ASSIGN_OR_RETURN(const absl::string_view shape_bytes, reader.Take(shape_size));
  ShapeProto shape_proto;
  if (shape_size > std::numeric_limits<int32_t>::max() ||
      !shape_proto.ParseFromArray(shape_bytes.data(), static_cast<int>(shape_size))) {
    return InvalidArgument("A serialized literal does not begin with a ShapeProto");
  }
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::FromProto(shape_proto));
  HILO_ASSIGN_OR_RETURN(Literal literal, Make(shape, /*allocate_arrays=*/false));
  HILO_RETURN_IF_ERROR(
      literal.piece_->ForEachMutableLeaf([&](Piece& leaf) { return ReadArray(reader, leaf); }));
  if (!reader.done()) return InvalidArgument("A serialized literal has bytes after its end");
  return literal;
}

}  // namespace xla
