// Values of a shape in host memory: arrays, tuples of them, tokens.
#ifndef HILO_INCLUDE_XLA_LITERAL_H_
#define HILO_INCLUDE_XLA_LITERAL_H_

#include <complex>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/primitive_util.h"
#include "xla/printer.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/types.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace tsl::core {
class Bitmap;
}  // namespace tsl::core

namespace xla {

template <typename T>
class Array;
template <typename T>
class Array2D;
template <typename T>
class Array3D;
template <typename T>
class Array4D;
template <typename T>
class ShapeTree;

class Literal;
class LiteralSlice;

namespace literal_internal {

class Piece;
struct Root;

struct RootDeleter {
  void operator()(Root* root) const;
};

}  // namespace literal_internal

// What all literals can do that does not change them. Elements of an array lie in memory densely,
// in the order of the layout's minor_to_major (tiles and memory spaces are kept in the shape and
// mean nothing here); every element takes whole bytes, so that types narrower than a byte take one
// and the layout has no element size.
// Of a dynamic array the whole bound is allocated and the dynamic sizes say how much of it counts.
//
// Functions with a ShapeIndex argument look at that subshape of a tuple. Wrong element types, wrong
// ranks and indices out of bounds are CHECK failures, unless the function returns a status.
class LiteralBase {
 public:
  using DynamicSizeType = ShapeUtil::DynamicSizeType;

  // kUnknown: the value exists but is not at hand. kUndetermined: there may be no value. Such
  // arrays have no elements in memory.
  enum class ArrayValueState { kKnown = 0, kUnknown = 1, kUndetermined = 2 };

  const Shape& shape() const;

  // Equal shapes (layouts count when layout_sensitive), equal dynamic sizes, and elements equal bit
  // for bit: -0 differs from +0 and a NaN equals the same NaN.
  bool Equal(const LiteralBase& other, bool layout_sensitive) const;
  bool operator==(const LiteralBase& other) const {
    return Equal(other, /*layout_sensitive=*/false);
  }
  bool operator!=(const LiteralBase& other) const { return !(*this == other); }

  // ---- Memory.

  template <typename NativeT>
  absl::Span<const NativeT> data(const ShapeIndex& shape_index = {}) const {
    const char* buffer = Buffer(primitive_util::NativeToPrimitiveType<NativeT>(), shape_index);
    return absl::Span<const NativeT>(reinterpret_cast<const NativeT*>(buffer),
                                     element_count(shape_index));
  }
  // Null for tuples, tokens and arrays that are not known.
  const void* untyped_data(const ShapeIndex& shape_index = {}) const;
  // Bytes of the array at the index, of its whole bound; 0 for tuples and tokens.
  int64_t size_bytes(const ShapeIndex& shape_index = {}) const;
  // Bytes of all arrays of a tuple.
  int64_t total_size_bytes(const ShapeIndex& shape_index = {}) const;
  // Elements of the array's bound.
  int64_t element_count(const ShapeIndex& index = {}) const;

  // ---- Elements.

  template <typename NativeT>
  NativeT Get(absl::Span<const int64_t> multi_index, const ShapeIndex& shape_index) const {
    return data<NativeT>(shape_index)[LinearIndex(multi_index, shape_index)];
  }
  template <typename NativeT>
  NativeT Get(absl::Span<const int64_t> multi_index) const {
    return Get<NativeT>(multi_index, {});
  }
  // By position in memory.
  template <typename NativeT>
  NativeT GetLinear(int64_t linear_index, const ShapeIndex& shape_index) const {
    return data<NativeT>(shape_index).at(linear_index);
  }
  template <typename NativeT>
  NativeT GetLinear(int64_t linear_index) const {
    return GetLinear<NativeT>(linear_index, {});
  }
  template <typename NativeT>
  NativeT GetFirstElement() const {
    return data<NativeT>().at(0);
  }
  // The size of a dimension: the dynamic one where the dimension is dynamic.
  DynamicSizeType GetDynamicSize(int64_t dim_index, const ShapeIndex& shape_index) const;
  DynamicSizeType GetDynamicSize(int64_t dim_index) const { return GetDynamicSize(dim_index, {}); }

  // The first element of an integral (or PRED) array; nothing for other types, empty arrays and
  // values beyond int64_t.
  std::optional<int64_t> GetFirstInteger() const;
  // The characters of a U8 array of rank 1.
  std::string GetR1U8AsString() const;
  // The element as HLO text has it; PRED is true or false.
  std::string GetAsString(absl::Span<const int64_t> multi_index,
                          const ShapeIndex& shape_index = {}) const;
  // The element as another type; nothing when the array's type is not integral or PRED (for S64),
  // is complex (for double) or is integral or PRED (for complex128), or the value lies outside of
  // the range of int64_t.
  std::optional<int64_t> GetIntegralAsS64(absl::Span<const int64_t> multi_index) const;
  std::optional<double> GetAsDouble(absl::Span<const int64_t> multi_index) const;
  std::optional<complex128> GetAsComplex128(absl::Span<const int64_t> multi_index) const;
  // The sum of elements at positions in memory; nothing for complex arrays.
  std::optional<double> GetSumAsDouble(absl::Span<const int64_t> linear_indices) const;

  // Compare an element as a number, whatever the type.
  template <typename T, std::enable_if_t<std::numeric_limits<T>::is_specialized, int> = 0>
  bool IsEqualAt(absl::Span<const int64_t> multi_index, T value) const {
    if constexpr (std::is_same_v<T, uint64_t> || std::is_same_v<T, unsigned long long>) {
      return IsUnsignedEqualAt(multi_index, value);
    } else if constexpr (std::numeric_limits<T>::is_integer) {
      return IsSignedEqualAt(multi_index, static_cast<int64_t>(value));
    } else {
      return IsEqualAt(multi_index, complex128(static_cast<double>(value)));
    }
  }
  bool IsEqualAt(absl::Span<const int64_t> multi_index, complex128 value) const;

  // ---- Walks over the elements of an array in row-major order; dynamic dimensions end at their
  // dynamic sizes.

  void EachCellAsString(
      absl::FunctionRef<void(absl::Span<const int64_t> indices, const std::string& value)> per_cell)
      const;
  template <typename NativeT>
  void EachCell(
      absl::FunctionRef<void(absl::Span<const int64_t> indices, NativeT value)> per_cell) const {
    const absl::Span<const NativeT> values = data<NativeT>();
    ForEachDynamicIndex([&](absl::Span<const int64_t> indices, int64_t linear_index) {
      per_cell(indices, values[linear_index]);
      return true;
    });
  }
  // Stops when per_cell returns false; returns whether it never did.
  template <typename NativeT>
  bool EachCellUntilFailure(
      absl::FunctionRef<bool(absl::Span<const int64_t> indices, NativeT value)> per_cell) const {
    const absl::Span<const NativeT> values = data<NativeT>();
    return ForEachDynamicIndex([&](absl::Span<const int64_t> indices, int64_t linear_index) {
      return per_cell(indices, values[linear_index]);
    });
  }

  // ---- Questions about all elements of an array. They are false for tuples and tokens and, unless
  // said otherwise, look at the bound of dynamic arrays. Floating-point numbers compare by value:
  // -0 is 0, a NaN is any other NaN.

  // Every element is the scalar, which must have the same element type. True for no elements.
  bool IsAll(const Literal& scalar) const;
  // False when the type cannot represent the value exactly.
  bool IsAll(int8_t value) const;
  // The value is rounded to the element type; false unless that is floating point, or complex.
  bool IsAllFloat(float value) const;
  bool IsAllComplex(complex64 value) const;
  // Every element is the first one, bit for bit. False for no elements.
  bool IsAllFirst() const;
  bool IsR1Iota() const;
  // The stride of an integral array {0, s, 2s, ...} of rank 1 with at least two elements.
  std::optional<int64_t> IsR1StridedIota() const;
  bool IsZero(absl::Span<const int64_t> indices) const;
  // The number of elements that equal the value, which is rounded to a floating-point element type;
  // 0 for tuples and tokens.
  template <typename T>
  int64_t CountEqual(T value) const {
    if constexpr (std::is_same_v<T, uint64_t> || std::is_same_v<T, unsigned long long>) {
      return CountEqualUnsigned(value);
    } else if constexpr (std::numeric_limits<T>::is_integer) {
      return CountEqualSigned(static_cast<int64_t>(value));
    } else {
      return CountEqualComplex(complex128(static_cast<double>(value)));
    }
  }
  template <typename T>
  int64_t CountEqual(std::complex<T> value) const {
    return CountEqualComplex(complex128(value));
  }

  // A hash of shape and elements (of the first kByteLimit bytes of each array). Without layout
  // sensitivity it agrees with operator==.
  template <typename H, bool kIsLayoutSensitive = true,
            int64_t kByteLimit = std::numeric_limits<int64_t>::max()>
  static H Hash(H state, const LiteralBase& literal) {
    if constexpr (kIsLayoutSensitive) state = Shape::Hash(std::move(state), literal.shape());
    return H::combine(std::move(state), literal.ContentHash(kIsLayoutSensitive, kByteLimit));
  }
  template <typename H>
  friend H AbslHashValue(H state, const LiteralBase& literal) {
    return Hash<H, /*kIsLayoutSensitive=*/false>(std::move(state), literal);
  }

  // ---- Text, as in HLO. "Oneline" has blanks where the others have line breaks; without shape
  // only the values; with layout the shapes show theirs.

  void Print(Printer* printer) const;
  void PrintOneline(Printer* printer) const;
  void PrintWithoutShape(Printer* printer) const;
  void PrintWithoutShapeOneline(Printer* printer) const;
  void PrintWithLayout(Printer* printer) const;
  void PrintWithLayoutOneline(Printer* printer) const;
  std::string ToString() const;
  std::string ToStringOneline() const;
  std::string ToStringWithoutShape() const;
  std::string ToStringWithoutShapeOneline() const;
  std::string ToStringWithLayout() const;
  std::string ToStringWithLayoutOneline() const;

  // ---- Messages and bytes. Arrays that are not known cannot be written.

  LiteralProto ToProto() const;
  // A compact form, also for more than the two gigabytes of a message: the size of the shape's
  // message (int64), that message, then every array: the dynamic sizes (int32) if the shape is
  // dynamic, the elements in memory order, little-endian. Types narrower than a byte are packed,
  // the first element in the low bits.
  absl::StatusOr<int64_t> SerializedSize() const;
  template <typename OutputIterator>
  absl::Status Serialize(OutputIterator output) const {
    std::string bytes;
    if (absl::Status status = SerializeToString(&bytes); !status.ok()) return status;
    for (const char byte : bytes) *output++ = byte;
    return absl::OkStatus();
  }
  absl::Status SerializeToString(std::string* output) const;
  absl::StatusOr<std::string> SerializeAsString() const;

  // ---- New literals from this one.

  // A copy with the same shape.
  Literal Clone() const;
  std::unique_ptr<Literal> CloneToUnique() const;
  // The elements as another type, as the operation convert does: to nearest even; to integers
  // towards zero, out of range to the nearest end, NaN to 0; integers to narrower ones wrap; to
  // PRED nonzero is true; to complex with imaginary part 0. Unimplemented for tuples, tokens and
  // complex to real.
  absl::StatusOr<Literal> Convert(PrimitiveType primitive_dest_type) const;
  // Also for tuples of the same structure, element by element. Sizes must agree; the result has
  // dest_shape's layouts.
  absl::StatusOr<Literal> ConvertToShape(const Shape& dest_shape) const;
  // The bits as another shape of as many bits, as the operation bitcast-convert: elements in
  // row-major order, the first of several narrow elements in the low bits of a wide one.
  absl::StatusOr<Literal> BitcastConvert(const Shape& dest_shape) const;
  // The same values in another order in memory. The first form changes the layout of one array and
  // keeps the others.
  Literal Relayout(const Layout& new_layout, const ShapeIndex& shape_index = {}) const;
  Literal Relayout(const Shape& shape_with_layout) const;
  // Static dimensions of the dynamic sizes; the elements beyond are dropped.
  Literal ToStatic() const;
  // The inverse: the shape of bounded_shape with the sizes of this literal as dynamic sizes.
  Literal ToBoundedDynamic(const Shape& bounded_shape) const;
  // As many elements in row-major order with other dimensions; the result has the default layout.
  absl::StatusOr<Literal> Reshape(absl::Span<const int64_t> dimensions) const;
  // Dimension i of this array is dimension dimensions[i] of the result (strictly increasing numbers
  // not needed); the sizes must agree, dynamic dimensions stay dynamic. The others repeat the
  // elements.
  absl::StatusOr<Literal> Broadcast(const Shape& result_shape,
                                    absl::Span<const int64_t> dimensions) const;
  // Dimension i of the result is dimension permutation[i] of this array. The layout is permuted
  // likewise, no element moves.
  Literal Transpose(absl::Span<const int64_t> permutation) const;
  // The elements from start (inclusive) to limit (exclusive) in each dimension.
  Literal Slice(absl::Span<const int64_t> start_indices,
                absl::Span<const int64_t> limit_indices) const;
  // The array `times` times along a new first dimension.
  template <typename NativeT>
  Literal Replicate(int64_t times) const;

  // ---- Arrays without values.

  // True unless a leaf is undetermined (unknown or undetermined for IsKnown).
  bool IsDetermined(const ShapeIndex& shape_index = {}) const;
  bool IsKnown(const ShapeIndex& shape_index = {}) const;
  // Zeros.
  static Literal CreateFromShape(const Shape& shape);
  static Literal CreateFromShapeWithUnknownLeafArrays(const Shape& shape);
  static Literal CreateFromShapeWithUndeterminedLeafArrays(const Shape& shape);

 protected:
  using Piece = literal_internal::Piece;
  using Root = literal_internal::Root;

  explicit LiteralBase(Piece* piece) : piece_(piece) {}
  LiteralBase(const LiteralBase&) = default;
  LiteralBase& operator=(const LiteralBase&) = default;
  ~LiteralBase() = default;

  const Piece& piece(const ShapeIndex& shape_index) const;
  // Memory of the array, which must have that element type and be known.
  char* Buffer(PrimitiveType type, const ShapeIndex& shape_index) const;
  int64_t LinearIndex(absl::Span<const int64_t> multi_index, const ShapeIndex& shape_index) const;
  // Calls visit(index, position in memory) for every element in row-major order until it returns
  // false; up to the dynamic sizes, or the bounds for the second form. Returns whether it never
  // did.
  using IndexVisitor = absl::FunctionRef<bool(absl::Span<const int64_t>, int64_t)>;
  bool ForEachDynamicIndex(IndexVisitor visit) const;
  bool ForEachBoundedIndex(IndexVisitor visit) const;
  // The same from several threads at once; visit also gets the number of the thread.
  using ParallelIndexVisitor = absl::FunctionRef<void(absl::Span<const int64_t>, int64_t, int)>;
  void ForEachBoundedIndexParallel(ParallelIndexVisitor visit) const;

  Piece* piece_;

 private:
  friend class Literal;
  friend class LiteralSlice;
  friend class MutableLiteralBase;
  friend class MutableBorrowingLiteral;

  bool IsSignedEqualAt(absl::Span<const int64_t> multi_index, int64_t value) const;
  bool IsUnsignedEqualAt(absl::Span<const int64_t> multi_index, uint64_t value) const;
  int64_t CountEqualSigned(int64_t value) const;
  int64_t CountEqualUnsigned(uint64_t value) const;
  int64_t CountEqualComplex(complex128 value) const;
  uint64_t ContentHash(bool layout_sensitive, int64_t byte_limit) const;
};

std::ostream& operator<<(std::ostream& out, const LiteralBase& literal);

// What a literal whose elements may be written can do.
class MutableLiteralBase : public LiteralBase {
 public:
  template <typename NativeT>
  absl::Span<NativeT> data(const ShapeIndex& shape_index = {}) {
    char* buffer = Buffer(primitive_util::NativeToPrimitiveType<NativeT>(), shape_index);
    return absl::Span<NativeT>(reinterpret_cast<NativeT*>(buffer), element_count(shape_index));
  }
  using LiteralBase::data;
  void* untyped_data(const ShapeIndex& shape_index = {});
  using LiteralBase::untyped_data;

  // For changes that leave sizes and structure as they are. Not for the empty tuple.
  Shape* mutable_shape_do_not_use();

  // Makes the dimension dynamic and sets its size, at most the bound.
  void SetDynamicSize(int64_t dim_index, const ShapeIndex& shape_index, DynamicSizeType size);
  void SetDynamicSize(int64_t dim_index, DynamicSizeType size) {
    SetDynamicSize(dim_index, {}, size);
  }

  template <typename NativeT>
  void Set(absl::Span<const int64_t> multi_index, const ShapeIndex& shape_index, NativeT value) {
    data<NativeT>(shape_index)[LinearIndex(multi_index, shape_index)] = value;
  }
  template <typename NativeT>
  void Set(absl::Span<const int64_t> multi_index, NativeT value) {
    Set<NativeT>(multi_index, {}, value);
  }
  // Store the value converted to the array's type. InvalidArgument when that is not integral or
  // PRED, or is complex for SetFromDouble.
  absl::Status SetIntegralAsS64(absl::Span<const int64_t> multi_index, int64_t value);
  absl::Status SetFromDouble(absl::Span<const int64_t> multi_index, double value);
  template <typename NativeT>
  void MutableEachCell(
      absl::FunctionRef<NativeT(absl::Span<const int64_t> indices, NativeT value)> per_cell) {
    const absl::Span<NativeT> values = data<NativeT>();
    ForEachDynamicIndex([&](absl::Span<const int64_t> indices, int64_t linear_index) {
      values[linear_index] = per_cell(indices, values[linear_index]);
      return true;
    });
  }

  // Copies a subshape of src_literal, which must be compatible, onto one of this literal. Dynamic
  // sizes are copied; with only_dynamic_bound the static sizes of the two may differ and only what
  // lies within both is copied.
  absl::Status CopyFrom(const LiteralSlice& src_literal, const ShapeIndex& dest_shape_index = {},
                        const ShapeIndex& src_shape_index = {}, bool only_dynamic_bound = false);
  // Copies a box of copy_size elements from src_base in the source to dest_base; one element where
  // either is a scalar, and copy_size is empty. InvalidArgument when element types differ or a box
  // reaches out of its array.
  absl::Status CopySliceFrom(const LiteralSlice& src_literal, absl::Span<const int64_t> src_base,
                             absl::Span<const int64_t> dest_base,
                             absl::Span<const int64_t> copy_size);
  void CopyElementFrom(const LiteralSlice& src_literal, absl::Span<const int64_t> src_index,
                       absl::Span<const int64_t> dest_index);

  // Set all elements of an array, up to the dynamic sizes. The sizes must be those of the argument.
  template <typename NativeT>
  void PopulateR1(absl::Span<const NativeT> values) {
    PopulateFlat(primitive_util::NativeToPrimitiveType<NativeT>(),
                 {static_cast<int64_t>(values.size())}, values.data());
  }
  void PopulateR1(const tsl::core::Bitmap& values);
  template <typename NativeT>
  void PopulateR2(std::initializer_list<std::initializer_list<NativeT>> values);
  template <typename NativeT>
  void PopulateFromArray(const Array<NativeT>& values) {
    PopulateFlat(primitive_util::NativeToPrimitiveType<NativeT>(), values.dimensions(),
                 values.begin());
  }
  template <typename NativeT>
  void PopulateR2FromArray2D(const Array2D<NativeT>& values) {
    PopulateFromArray<NativeT>(values);
  }
  template <typename NativeT>
  void PopulateR3FromArray3D(const Array3D<NativeT>& values) {
    PopulateFromArray<NativeT>(values);
  }
  template <typename NativeT>
  void PopulateR4FromArray4D(const Array4D<NativeT>& values) {
    PopulateFromArray<NativeT>(values);
  }
  template <typename NativeT>
  void PopulateWithValue(NativeT value) {
    for (NativeT& element : data<NativeT>()) element = value;
  }

  // Set each element (of the whole bound) to generator(index), converted to NativeT, which must be
  // the array's element type. The Parallel forms call generator(index, thread number) from several
  // threads.
  template <typename NativeTOrVoid = void, typename Generator>
  absl::Status Populate(Generator&& generator) {
    using NativeT = typename ElementOf<NativeTOrVoid, Generator, absl::Span<const int64_t>>::type;
    if (absl::Status status = CheckType<NativeT>(); !status.ok()) return status;
    NativeT* values = data<NativeT>().data();
    ForEachBoundedIndex([&](absl::Span<const int64_t> indices, int64_t linear_index) {
      values[linear_index] = static_cast<NativeT>(generator(indices));
      return true;
    });
    return absl::OkStatus();
  }
  template <typename NativeTOrVoid = void, typename Generator>
  absl::Status PopulateParallel(Generator&& generator) {
    using NativeT =
        typename ElementOf<NativeTOrVoid, Generator, absl::Span<const int64_t>, int>::type;
    if (absl::Status status = CheckType<NativeT>(); !status.ok()) return status;
    NativeT* values = data<NativeT>().data();
    ForEachBoundedIndexParallel(
        [&](absl::Span<const int64_t> indices, int64_t linear_index, int thread) {
          values[linear_index] = static_cast<NativeT>(generator(indices, thread));
        });
    return absl::OkStatus();
  }
  // By position in memory.
  template <typename NativeTOrVoid = void, typename Generator>
  absl::Status PopulateLinear(Generator&& generator) {
    using NativeT = typename ElementOf<NativeTOrVoid, Generator, int64_t>::type;
    if (absl::Status status = CheckType<NativeT>(); !status.ok()) return status;
    int64_t linear_index = 0;
    for (NativeT& element : data<NativeT>())
      element = static_cast<NativeT>(generator(linear_index++));
    return absl::OkStatus();
  }
  template <typename NativeTOrVoid = void, typename Generator>
  absl::Status PopulateLinearParallel(Generator&& generator) {
    using NativeT = typename ElementOf<NativeTOrVoid, Generator, int64_t, int>::type;
    if (absl::Status status = CheckType<NativeT>(); !status.ok()) return status;
    NativeT* values = data<NativeT>().data();
    ForEachBoundedIndexParallel([&](absl::Span<const int64_t>, int64_t linear_index, int thread) {
      values[linear_index] = static_cast<NativeT>(generator(linear_index, thread));
    });
    return absl::OkStatus();
  }
  // Call populator(pointer to the element, index) (and the thread number), which writes the
  // element.
  absl::Status PopulateInplace(absl::FunctionRef<void(void*, absl::Span<const int64_t>)> populator);
  absl::Status PopulateInplaceParallel(
      absl::FunctionRef<void(void*, absl::Span<const int64_t>, int)> populator);
  absl::Status PopulateLinearInplace(absl::FunctionRef<void(void*, int64_t)> populator);
  absl::Status PopulateLinearInplaceParallel(
      absl::FunctionRef<void(void*, int64_t, int)> populator);

  // A tuple of the elements, which become empty tuples.
  static Literal MoveIntoTuple(absl::Span<Literal> elements);
  // InvalidArgument when the message does not fit its own shape: wrong counts, layouts missing or
  // wrong, elements of tuples missing, dynamic sizes beyond the bounds. An array without any
  // payload is an error too when prohibit_empty_literal, else it is left zero.
  static absl::StatusOr<Literal> CreateFromProto(const LiteralProto& proto,
                                                 bool prohibit_empty_literal = true);

 protected:
  using LiteralBase::LiteralBase;
  MutableLiteralBase(const MutableLiteralBase&) = default;
  MutableLiteralBase& operator=(const MutableLiteralBase&) = default;
  ~MutableLiteralBase() = default;

  Piece& mutable_piece(const ShapeIndex& shape_index);

 private:
  // NativeT, or what a generator returns where that is void.
  template <typename NativeT, typename Generator, typename... Arguments>
  using ElementOf =
      std::conditional_t<std::is_void_v<NativeT>, std::invoke_result<Generator&, Arguments...>,
                         std::enable_if<true, NativeT>>;
  template <typename NativeT>
  absl::Status CheckType() const {
    return CheckPopulate(primitive_util::NativeToPrimitiveType<NativeT>());
  }
  absl::Status CheckPopulate(PrimitiveType type) const;
  // Elements in row-major order.
  void PopulateFlat(PrimitiveType type, absl::Span<const int64_t> dimensions, const void* values);
};

// A literal that owns its elements. Arrays of more than a few bytes are aligned to 64 bytes.
class Literal : public MutableLiteralBase {
 public:
  // The empty tuple; takes no memory.
  Literal();
  // Zeros. Arrays without a layout get the default one. CHECKs what Make returns as an error.
  explicit Literal(const Shape& shape, bool allocate_arrays = true,
                   ArrayValueState leaf_array_value_state = ArrayValueState::kKnown);
  // InvalidArgument for invalid shapes, unbounded dimensions and opaque leaves; ResourceExhausted
  // when there is no memory or an array is larger than kMaxArrayBytes. Without allocate_arrays the
  // arrays have no memory until something is moved or copied there.
  static absl::StatusOr<Literal> Make(
      const Shape& shape, bool allocate_arrays = true,
      ArrayValueState leaf_array_value_state = ArrayValueState::kKnown);
  static absl::StatusOr<std::unique_ptr<Literal>> MakeUnique(
      const Shape& shape, bool allocate_arrays = true,
      ArrayValueState leaf_array_value_state = ArrayValueState::kKnown);
  static constexpr int64_t kMaxArrayBytes = int64_t{1} << 42;

  // The other literal becomes the empty tuple.
  Literal(Literal&& other) noexcept;
  Literal& operator=(Literal&& other) noexcept;
  Literal(const Literal&) = delete;
  Literal& operator=(const Literal&) = delete;
  ~Literal() = default;

  // Moves a literal of an equal shape to a subshape of this one. The source becomes the empty
  // tuple.
  absl::Status MoveFrom(Literal&& src_literal, const ShapeIndex& dest_shape_index);
  absl::Status MoveFrom(Literal&& src_literal) { return MoveFrom(std::move(src_literal), {}); }
  // The elements of a tuple; this literal becomes the empty tuple.
  std::vector<Literal> DecomposeTuple();
  // A copy of a subshape.
  Literal SubLiteral(ShapeIndexView shape_index);

  // The inverse of Serialize. InvalidArgument for anything that Serialize does not write.
  template <typename InputIterator>
  static absl::StatusOr<Literal> Deserialize(InputIterator begin, InputIterator end) {
    const std::string bytes(begin, end);
    return DeserializeFromString(bytes);
  }
  static absl::StatusOr<Literal> DeserializeFromString(absl::string_view data);

 private:
  friend class LiteralBase;
  friend class MutableLiteralBase;

  using OwnedRoot = std::unique_ptr<Root, literal_internal::RootDeleter>;
  explicit Literal(OwnedRoot root);
  // As Make, without the check of the shape, which may be moved from.
  static absl::StatusOr<OwnedRoot> MakeRoot(Shape shape, bool allocate_arrays,
                                            ArrayValueState state);

  OwnedRoot root_;
};

// A view of a literal's elements, or of memory from elsewhere, that may be written. Copies view the
// same.
class MutableBorrowingLiteral : public MutableLiteralBase {
 public:
  // The empty tuple.
  MutableBorrowingLiteral();
  MutableBorrowingLiteral(MutableLiteralBase* literal);  // NOLINT: implicit as in OpenXLA.
  MutableBorrowingLiteral(MutableBorrowingLiteral literal, const ShapeIndex& view_root);
  // An array.
  MutableBorrowingLiteral(const char* src_buf_ptr, const Shape& shape);
  // A tuple of arrays.
  MutableBorrowingLiteral(absl::Span<char*> src_buf_ptrs, const Shape& shape);
  explicit MutableBorrowingLiteral(ShapeTree<char*> src_buf_ptrs);

 private:
  std::shared_ptr<Root> root_;  // Null where another literal owns what is seen.
};

// A read-only view of a literal or of one of its subshapes. The literal must outlive it and keep
// its place: moving the literal as a whole is fine.
class LiteralSlice : public LiteralBase {
 public:
  // The empty tuple.
  LiteralSlice();
  LiteralSlice(const LiteralBase& literal);  // NOLINT: implicit as in OpenXLA.
  LiteralSlice(const LiteralBase& literal, const ShapeIndex& view_root);
};

// A read-only literal over memory from elsewhere, which must outlive it.
class BorrowingLiteral : public LiteralBase {
 public:
  // The empty tuple.
  BorrowingLiteral();
  // An array.
  BorrowingLiteral(const char* src_buf_ptr, const Shape& shape);
  // A tuple of arrays.
  BorrowingLiteral(absl::Span<const char* const> src_buf_ptrs, const Shape& shape);
  explicit BorrowingLiteral(ShapeTree<const char*> src_buf_ptrs);

 private:
  std::shared_ptr<Root> root_;
};

template <typename NativeT>
void MutableLiteralBase::PopulateR2(std::initializer_list<std::initializer_list<NativeT>> values) {
  const int64_t rows = values.size();
  const int64_t columns = rows == 0 ? 0 : values.begin()->size();
  std::unique_ptr<NativeT[]> flat(new NativeT[rows * columns]);
  NativeT* next = flat.get();
  for (const auto& row : values) {
    CHECK_EQ(static_cast<int64_t>(row.size()), columns) << "Rows of different lengths.";
    for (const NativeT& value : row) *next++ = value;
  }
  PopulateFlat(primitive_util::NativeToPrimitiveType<NativeT>(), {rows, columns}, flat.get());
}

template <typename NativeT>
Literal LiteralBase::Replicate(int64_t times) const {
  CHECK(primitive_util::NativeToPrimitiveType<NativeT>() == shape().element_type());
  DimensionVector dimensions = {times};
  dimensions.insert(dimensions.end(), shape().dimensions().begin(), shape().dimensions().end());
  std::vector<int64_t> operand_dimensions;
  for (int64_t i = 0; i < shape().dimensions_size(); ++i) operand_dimensions.push_back(i + 1);
  return Broadcast(ShapeUtil::MakeShape(shape().element_type(), dimensions), operand_dimensions)
      .value();
}

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_LITERAL_H_
