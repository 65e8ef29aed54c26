// Makers of literals. Of arrays given as lists or Array objects the elements are in row-major
// order.
#ifndef HILO_INCLUDE_XLA_LITERAL_UTIL_H_
#define HILO_INCLUDE_XLA_LITERAL_UTIL_H_

#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/log/check.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/array.h"
#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"
#include "xla/layout.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/tests/constraint_state.h"
#include "xla/types.h"
#include "xla/xla_data.pb.h"

namespace xla {

class LiteralUtil {
  template <typename T>
  using List = std::initializer_list<T>;

 public:
  LiteralUtil() = delete;

  // ---- Scalars and arrays.

  template <typename NativeT>
  static Literal CreateR0(NativeT value) {
    Literal literal(ShapeUtil::MakeShapeWithType<NativeT>({}));
    literal.data<NativeT>()[0] = value;
    return literal;
  }
  // The value converted to the type, as by LiteralBase::Convert.
  template <typename T>
  static Literal CreateR0(PrimitiveType primitive_type, T value) {
    return CreateR0<T>(value).Convert(primitive_type).value();
  }
  template <typename NativeT>
  static Literal CreateR1(absl::Span<const NativeT> values) {
    Literal literal(ShapeUtil::MakeShapeWithType<NativeT>({static_cast<int64_t>(values.size())}));
    literal.PopulateR1(values);
    return literal;
  }
  // PRED.
  static Literal CreateR1(const tsl::core::Bitmap& values);
  // U8.
  static Literal CreateR1U8(absl::string_view value);

  template <typename NativeT>
  static Literal CreateR2(List<List<NativeT>> values) {
    const int64_t columns = SizeOfFirst(values);
    Literal literal(ShapeUtil::MakeShapeWithType<NativeT>({Size(values), columns}));
    NativeT* next = literal.data<NativeT>().data();
    AppendRows(values, columns, next);
    return literal;
  }
  template <typename NativeT>
  static Literal CreateR2WithLayout(List<List<NativeT>> values, const Layout& layout) {
    return CreateR2<NativeT>(values).Relayout(layout);
  }
  template <typename NativeT>
  static Literal CreateR3(List<List<List<NativeT>>> values) {
    const int64_t rows = SizeOfFirst(values);
    const int64_t columns = rows == 0 ? 0 : SizeOfFirst(*values.begin());
    Literal literal(ShapeUtil::MakeShapeWithType<NativeT>({Size(values), rows, columns}));
    NativeT* next = literal.data<NativeT>().data();
    for (const auto& matrix : values) AppendMatrix(matrix, rows, columns, next);
    return literal;
  }
  template <typename NativeT>
  static Literal CreateR3WithLayout(List<List<List<NativeT>>> values, const Layout& layout) {
    return CreateR3<NativeT>(values).Relayout(layout);
  }
  template <typename NativeT>
  static Literal CreateR4(List<List<List<List<NativeT>>>> values) {
    const int64_t depth = SizeOfFirst(values);
    const int64_t rows = depth == 0 ? 0 : SizeOfFirst(*values.begin());
    const int64_t columns = rows == 0 ? 0 : SizeOfFirst(*values.begin()->begin());
    Literal literal(ShapeUtil::MakeShapeWithType<NativeT>({Size(values), depth, rows, columns}));
    NativeT* next = literal.data<NativeT>().data();
    for (const auto& volume : values) {
      CHECK_EQ(Size(volume), depth) << "Lists of different lengths.";
      for (const auto& matrix : volume) AppendMatrix(matrix, rows, columns, next);
    }
    return literal;
  }
  template <typename NativeT>
  static Literal CreateR4WithLayout(List<List<List<List<NativeT>>>> values, const Layout& layout) {
    return CreateR4<NativeT>(values).Relayout(layout);
  }

  template <typename NativeT>
  static Literal CreateFromArray(const Array<NativeT>& values) {
    Literal literal(ShapeUtil::MakeShapeWithType<NativeT>(values.dimensions()));
    literal.PopulateFromArray(values);
    return literal;
  }
  template <typename NativeT>
  static Literal CreateFromArrayWithLayout(const Array<NativeT>& values, const Layout& layout) {
    return CreateFromArray(values).Relayout(layout);
  }
  template <typename NativeT>
  static Literal CreateR2FromArray2D(const Array2D<NativeT>& values) {
    return CreateFromArray<NativeT>(values);
  }
  template <typename NativeT>
  static Literal CreateR2FromArray2DWithLayout(const Array2D<NativeT>& values,
                                               const Layout& layout) {
    return CreateFromArrayWithLayout<NativeT>(values, layout);
  }
  template <typename NativeT>
  static Literal CreateR3FromArray3D(const Array3D<NativeT>& values) {
    return CreateFromArray<NativeT>(values);
  }
  template <typename NativeT>
  static Literal CreateR3FromArray3DWithLayout(const Array3D<NativeT>& values,
                                               const Layout& layout) {
    return CreateFromArrayWithLayout<NativeT>(values, layout);
  }
  template <typename NativeT>
  static Literal CreateR4FromArray4D(const Array4D<NativeT>& values) {
    return CreateFromArray<NativeT>(values);
  }
  template <typename NativeT>
  static Literal CreateR4FromArray4DWithLayout(const Array4D<NativeT>& values,
                                               const Layout& layout) {
    return CreateFromArrayWithLayout<NativeT>(values, layout);
  }

  // ---- Values that each type has.

  static Literal Zero(PrimitiveType primitive_type);
  static Literal One(PrimitiveType primitive_type);
  // The ends of the range, infinities where the type has them. CHECK that the type is not complex.
  static Literal MinValue(PrimitiveType primitive_type);
  static Literal MaxValue(PrimitiveType primitive_type);
  static Literal MaxFiniteValue(PrimitiveType primitive_type);
  // InvalidArgument for types without NaN. Complex types get it in both parts.
  static absl::StatusOr<Literal> NanValue(PrimitiveType primitive_type);

  // ---- Patterns.

  template <typename NativeT>
  static Literal CreateFull(absl::Span<const int64_t> dimensions, NativeT value) {
    Literal literal(ShapeUtil::MakeShapeWithType<NativeT>(dimensions));
    literal.PopulateWithValue(value);
    return literal;
  }
  template <typename NativeT>
  static Literal CreateFullWithDescendingLayout(absl::Span<const int64_t> dimensions,
                                                NativeT value) {
    return CreateFull<NativeT>(dimensions, value);
  }
  // Zeros.
  static Literal CreateFromDimensions(PrimitiveType primitive_type,
                                      absl::Span<const int64_t> dimensions);
  // rows x cols numbers in equal steps.
  static Literal CreateR2F32Linspace(float from, float to, int64_t rows, int64_t cols);
  // The matrix `projection` times along a new first dimension; along two new ones.
  template <typename NativeT>
  static Literal CreateR3Projected(List<List<NativeT>> values, int64_t projection) {
    return CreateR2<NativeT>(values).template Replicate<NativeT>(projection);
  }
  template <typename NativeT>
  static Literal CreateR4Projected(List<List<NativeT>> values, int64_t projection_p,
                                   int64_t projection_z) {
    return CreateR3Projected<NativeT>(values, projection_z)
        .template Replicate<NativeT>(projection_p);
  }
  template <typename NativeT>
  static Literal MakeScalarMatrixR2(int64_t size, NativeT scalar) {
    Literal literal(ShapeUtil::MakeShapeWithType<NativeT>({size, size}));
    for (int64_t i = 0; i < size; ++i) literal.Set<NativeT>({i, i}, scalar);
    return literal;
  }
  template <typename NativeT>
  static Literal MakeIdentityR2(int64_t size) {
    return MakeScalarMatrixR2<NativeT>(size, static_cast<NativeT>(1));
  }
  // Element (i, j) is scale * (i * (log10(m) + 1) + j * (log10(n) + 1)).
  template <typename NativeT>
  static Literal CreateFingerprintMatixR2(int64_t m, int64_t n, NativeT scale = NativeT(1)) {
    const NativeT row_factor = static_cast<NativeT>(std::log10(static_cast<double>(m)) + 1);
    const NativeT column_factor = static_cast<NativeT>(std::log10(static_cast<double>(n)) + 1);
    Array2D<NativeT> array(m, n);
    array.Each([&](int64_t i, int64_t j, NativeT* element) {
      *element =
          scale * (static_cast<NativeT>(i) * row_factor + static_cast<NativeT>(j) * column_factor);
    });
    return CreateR2FromArray2D(array);
  }

  // Elements from generator(index). T is the C++ type of `type`.
  template <PrimitiveType type, typename T = primitive_util::NativeTypeOf<type>>
  static absl::StatusOr<Literal> CreateLiteralWithGenerator(
      const Shape& shape, absl::FunctionRef<T(absl::Span<const int64_t>)> generator) {
    static_assert(primitive_util::NativeToPrimitiveType<T>() == type);
    absl::StatusOr<Literal> literal = Literal::Make(shape);
    if (!literal.ok()) return literal;
    if (absl::Status status = literal->Populate(generator); !status.ok()) return status;
    return literal;
  }
  // Normally distributed numbers.
  template <PrimitiveType type, typename E, typename T = primitive_util::NativeTypeOf<type>>
  static absl::StatusOr<Literal> CreateRandomLiteral(const Shape& shape, E* engine, T mean,
                                                     T stddev) {
    using NativeT = primitive_util::NativeTypeOf<type>;
    std::normal_distribution<double> distribution(static_cast<double>(mean),
                                                  static_cast<double>(stddev));
    return CreateLiteralWithGenerator<type, NativeT>(shape, [&](absl::Span<const int64_t>) {
      return static_cast<NativeT>(distribution(*engine));
    });
  }
  template <PrimitiveType type, typename T = primitive_util::NativeTypeOf<type>>
  static absl::StatusOr<Literal> CreateRandomLiteral(const Shape& shape, T mean, T stddev) {
    std::minstd_rand0 engine;
    return CreateRandomLiteral<type, std::minstd_rand0, T>(shape, &engine, mean, stddev);
  }

  // ---- Tuples and tokens.

  static Literal MakeTuple(absl::Span<const Literal* const> elements);
  static Literal MakeTupleFromSlices(absl::Span<const LiteralSlice> elements);
  static Literal MakeTupleOwned(std::vector<Literal> elements);
  template <typename... Ts, std::enable_if_t<(std::is_same_v<Ts, Literal> && ...), int> = 0>
  static Literal MakeTupleOwned(Ts... elements) {
    Literal array[sizeof...(Ts) + 1] = {std::move(elements)...};
    return Literal::MoveIntoTuple({array, sizeof...(Ts)});
  }
  static Literal CreateToken();

  // ---- Elements of literals.

  // As scalars.
  static Literal GetFirstScalarLiteral(const LiteralSlice& literal);
  static Literal GetScalarLiteral(const LiteralBase& literal,
                                  absl::Span<const int64_t> multi_index);
  static void SetScalarLiteral(MutableLiteralBase& literal, absl::Span<const int64_t> multi_index,
                               const LiteralBase& scalar);
  // The largest element as a scalar; NaNs do not count unless there is nothing else. The array must
  // be real and not empty.
  static Literal MaxElement(const LiteralSlice& literal);
  // The value of an integral array of one element.
  static std::optional<int64_t> LiteralAsScalarInt64(const Literal& l);
  // As many elements with other dimensions: the elements in the order in which they lie in memory,
  // laid out in an array of the new dimensions with this minor_to_major. The result has the default
  // layout.
  static Literal ReshapeSlice(absl::Span<const int64_t> new_dimensions,
                              absl::Span<const int64_t> minor_to_major,
                              const LiteralSlice& literal);

  // ---- Conversions of all arrays of the one type in a literal, which may be a tuple, to the
  // other.

  static Literal ConvertF8E4M3FNToF32(const LiteralSlice& f8e4m3fn_literal);
  static Literal ConvertF8E5M2ToF32(const LiteralSlice& f8e5m2_literal);
  static Literal ConvertS8ToF32(const LiteralSlice& s8_literal);
  static Literal ConvertBF16ToF32(const LiteralSlice& bf16_literal);
  static Literal ConvertBF16ToF64(const LiteralSlice& bf16_literal);
  static Literal ConvertF32ToF8E4M3FNUZ(const LiteralSlice& f32_literal);
  static Literal ConvertF32ToF8E5M2FNUZ(const LiteralSlice& f32_literal);
  static Literal ConvertF32ToF8E5M2(const LiteralSlice& f32_literal);
  static Literal ConvertF32ToF8E4M3FN(const LiteralSlice& f32_literal);
  static Literal ConvertF32ToBF16(const LiteralSlice& f32_literal);
  static Literal ConvertF32ToS8(const LiteralSlice& f32_literal);
  static Literal ConvertF32ToF64(const LiteralSlice& f32_literal);
  static Literal ConvertF64ToBF16(const LiteralSlice& f64_literal);
  static Literal ConvertF64ToF32(const LiteralSlice& f64_literal);
  static Literal ConvertS32ToF32(const LiteralSlice& s32_literal);
  static Literal ConvertS32ToS1(const LiteralSlice& s32_literal);

  // ---- Helpers.

  // "{1,0}".
  static std::string MultiIndexAsString(absl::Span<const int64_t> multi_index);
  static std::vector<const Literal*> MakePointers(absl::Span<const Literal> literals);

 private:
  template <typename T>
  static int64_t Size(const List<T>& list) {
    return static_cast<int64_t>(list.size());
  }
  template <typename T>
  static int64_t SizeOfFirst(const List<T>& list) {
    return list.size() == 0 ? 0 : Size(*list.begin());
  }
  template <typename NativeT>
  static void AppendRows(const List<List<NativeT>>& rows, int64_t columns, NativeT*& next) {
    for (const List<NativeT>& row : rows) {
      CHECK_EQ(Size(row), columns) << "Lists of different lengths.";
      for (const NativeT& value : row) *next++ = value;
    }
  }
  template <typename NativeT>
  static void AppendMatrix(const List<List<NativeT>>& matrix, int64_t rows, int64_t columns,
                           NativeT*& next) {
    CHECK_EQ(Size(matrix), rows) << "Lists of different lengths.";
    AppendRows(matrix, columns, next);
  }
};

// The dense array of a structured sparse one: along the dimension of the config, each element of
// `values` is the only one that is not zero among block_size elements of the result, which lie
// `stride` elements apart, and the element of `indices` (integers, of the same dimensions) says
// which. InvalidArgument for arrays that do not fit together or an index outside of its block,
// Unimplemented for blocks with more elements (num_non_zero).
absl::StatusOr<Literal> MaterializeSparseOperand(
    const LiteralSlice& values, const LiteralSlice& indices,
    const SparsityConfig::TensorSparsityConfig& config);

// Numbers for trying a computation out: integers and floating-point numbers of small magnitude (of
// the type's whole finite range with use_large_range), the same in every run; zeros when not
// pseudo_random. Tokens stay tokens.
absl::StatusOr<Literal> MakeFakeLiteral(const Shape& shape, bool pseudo_random = true,
                                        bool use_large_range = false);

// The same from an engine; zeros without one. Integers lie within `limit`, both ends included, are
// multiples of index_alignment and have zeros where index_known_zeroes has ones, as far as the
// limit allows. Integers without duplicates differ where there are enough of them. Floating-point
// numbers come from float_generator, lie in `interval` or have at most max_bits_of_precision digits
// behind the point. InvalidArgument when the interval is empty.
absl::StatusOr<Literal> MakeFakeLiteral(
    const Shape& shape, std::minstd_rand0* engine, std::optional<std::pair<int64_t, int64_t>> limit,
    bool is_sorted, bool no_duplicates, bool use_large_range,
    std::optional<int64_t> max_bits_of_precision,
    std::optional<int64_t> index_alignment = std::nullopt,
    std::optional<uint64_t> index_known_zeroes = std::nullopt,
    std::function<double(std::minstd_rand0*)> float_generator = nullptr,
    std::optional<ConstraintInterval> interval = std::nullopt);

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_LITERAL_UTIL_H_
