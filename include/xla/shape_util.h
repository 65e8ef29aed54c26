// Functions on shapes. Static members of ShapeUtil, except for ShapeIndex.
#ifndef HILO_INCLUDE_XLA_SHAPE_UTIL_H_
#define HILO_INCLUDE_XLA_SHAPE_UTIL_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/log/check.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/layout.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/printer.h"
#include "xla/shape.h"
#include "xla/shape_util.pb.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {

using ShapeIndexView = absl::Span<const int64_t>;

// The path to a subshape: {} is the whole shape, {1, 0} the first element of the second element of
// a tuple.
struct ShapeIndex : public absl::InlinedVector<int64_t, 2> {
  using InlinedVector::InlinedVector;
  ShapeIndex() = default;
  explicit ShapeIndex(ShapeIndexView view) : InlinedVector(view.begin(), view.end()) {}

  void push_front(int64_t value) { insert(begin(), value); }
  void pop_front() { erase(begin()); }

  // "{1,0}".
  std::string ToString() const;

  static ShapeIndex FromProto(const ShapeIndexProto& proto) {
    return ShapeIndex(proto.indexes().begin(), proto.indexes().end());
  }
  ShapeIndexProto ToProto() const;
};

std::ostream& operator<<(std::ostream& out, const ShapeIndex& shape_index);

class ShapeUtil {
 public:
  ShapeUtil() = delete;

  using DynamicSizeType = int32_t;

  struct IndexedShape {
    IndexedShape() = default;
    IndexedShape(ShapeIndex index, Shape shape)
        : index(std::move(index)), shape(std::move(shape)) {}
    ShapeIndex index;
    Shape shape;
  };

  // ---- Counting elements and bytes. Counts saturate at the largest int64_t (a validated shape
  // never gets there); a bounded dynamic dimension counts with its bound, an unbounded one is left
  // out of the product.

  // The product of the sizes, and whether it overflowed. Without kBoundedDynamicOk the shape must
  // have no unbounded dimension.
  template <bool kBoundedDynamicOk>
  static std::pair<int64_t, bool> ExtentProduct(const Shape& shape) {
    if constexpr (!kBoundedDynamicOk) CHECK(!shape.is_unbounded_dynamic()) << shape.ToString();
    return ExtentProductImpl(shape);
  }
  static int64_t StaticExtentProduct(const Shape& shape) { return ExtentProductImpl(shape).first; }
  // Elements of an array; 1 for a scalar; 0 for shapes that are no arrays.
  static int64_t ElementsIn(const Shape& shape);
  // Over all arrays of a tuple.
  static int64_t ElementsInRecursive(const Shape& shape);
  static bool IsZeroElementArray(const Shape& shape);

  // Bytes of an array's elements; of the table of pointers of a tuple; one pointer for an opaque
  // shape; 0 for a token. pointer_size < 0 means that of this machine.
  static int64_t ByteSizeOf(const Shape& shape, int64_t pointer_size = -1);
  // Bytes of the elements of all arrays.
  static int64_t ByteSizeOfElementsRecursive(const Shape& shape);
  // Bytes of one element that is not packed.
  static int64_t ByteSizeOfPrimitiveType(PrimitiveType primitive_type);
  static int64_t ByteSizeOfTupleIndexTable(const Shape& shape, int64_t pointer_size);
  // Bytes of an array's elements: one byte or more for each, packed when the layout gives an
  // element size.
  static int64_t ByteSizeOfElements(const Shape& shape);
  // Bytes that Literal::Serialize writes. InvalidArgument for malformed shapes, Unimplemented for
  // opaque leaves.
  static absl::StatusOr<int64_t> SerializedSize(const Shape& shape);
  // The same when the shape's proto is at hand.
  static absl::StatusOr<int64_t> SerializedSizeWithProto(const Shape& shape,
                                                         const ShapeProto& proto);
  // Bits of one element in memory: the layout's element size or the natural one.
  static int64_t ElementSizeInBits(const Shape& shape);
  // Bytes in memory with the padding of the tiles. ArrayDataSize goes only up to the last element
  // where there is at most one level of tiles.
  static int64_t ArraySize(const Shape& shape);
  static int64_t ArrayDataSize(const Shape& shape);
  // Sets the element size of each array's layout to the bit width for types narrower than a byte,
  // or to 0.
  static void UpdateElementSizeInBits(Shape* s, bool pack_subbyte_types);

  // ---- Text.

  static void PrintHumanString(Printer* printer, const Shape& shape);
  static void PrintHumanStringWithLayout(Printer* printer, const Shape& shape);
  static void PrintHumanString(Printer* printer, const ProgramShape& program_shape);
  static std::string HumanString(const Shape& shape);
  static std::string HumanStringWithLayout(const Shape& shape);
  static std::string HumanString(const ProgramShape& program_shape);

  // ---- Comparison.

  static bool HasPrimitiveType(const Shape& shape, PrimitiveType primitive_type);
  // Of arrays: same rank and sizes.
  static bool SameDimensions(const Shape& lhs, const Shape& rhs);
  static bool SameRank(const Shape& lhs, const Shape& rhs);
  static bool SameElementType(const Shape& lhs, const Shape& rhs);
  static bool SameElementTypeIgnoringFpPrecision(const Shape& a, const Shape& b);
  static PrimitiveType HigherPrecisionElementType(const Shape& a, const Shape& b);
  // Equal but for layouts and for which dimensions are dynamic.
  static bool Compatible(const Shape& lhs, const Shape& rhs);
  static bool CompatibleIgnoringElementType(const Shape& lhs, const Shape& rhs);
  // Same tuple structure and ranks.
  static bool CompatibleKind(const Shape& lhs, const Shape& rhs, bool ignore_buffer = false);
  static bool CompatibleIgnoringFpPrecision(const Shape& lhs, const Shape& rhs);
  static bool Equal(const Shape& lhs, const Shape& rhs);
  static bool EqualIgnoringElementType(const Shape& lhs, const Shape& rhs);
  static bool EqualIgnoringFpPrecision(const Shape& lhs, const Shape& rhs);
  // Same tuple structure.
  static bool EqualStructure(const Shape& lhs, const Shape& rhs);
  // True when expected_prefix is shape, or is a tuple whose elements are so of the first elements
  // of the tuple shape.
  static bool IsPrefix(
      const Shape& expected_prefix, const Shape& shape,
      absl::FunctionRef<bool(const Shape&, const Shape&)> equal_fn = Shape::Equal());
  // True when a value of dynamic_shape fits a buffer of bounded_shape: same rank, no size beyond
  // the bound.
  static bool DynamicArrayShapeIsCompatible(const Shape& dynamic_shape, const Shape& bounded_shape);
  static bool DynamicShapeIsCompatible(const Shape& dynamic_shape, const Shape& bounded_shape);

  // ---- Queries.

  // The number of dimensions that are not of size 1.
  static int64_t TrueNumDimensions(const Shape& array_shape);
  static bool IsScalar(const Shape& shape) {
    return shape.IsArray() && shape.dimensions_size() == 0;
  }
  // An array whose dimensions are all of size 1.
  static bool IsEffectiveScalar(const Shape& shape) {
    return shape.IsArray() && TrueNumDimensions(shape) == 0;
  }
  static bool IsScalarWithElementType(const Shape& shape, PrimitiveType element_type);
  static DimensionVector CreateDimensionVectorFromShape(const Shape& shape);
  // A negative dimension number counts from the end. CHECKs that it is within rank.
  static int64_t GetDimension(const Shape& shape, int64_t dimension_number);
  static int64_t GetDimensionNumber(const Shape& shape, int64_t dimension_number);
  static bool IsInitialized(const Shape& shape);
  static bool ElementIsIntegral(const Shape& shape);
  static bool ElementIsFloating(const Shape& shape);
  static bool ElementIsComplex(const Shape& shape);
  static bool ElementHasBitWidth(const Shape& shape, int bits);
  static bool ElementIsIntegralWithBits(const Shape& shape, int bits);
  // Signed integral or floating point.
  static bool ElementIsSigned(const Shape& shape);
  // True when every value of from's element type is one of to's.
  static bool ElementCanUpcast(const Shape& from, const Shape& to);
  static bool HasDegenerateDimensions(const Shape& shape);
  // All dimensions that are more major in the layout have size 1.
  static bool IsEffectivelyMostMajorDimension(const Shape& shape, int64_t dimension);
  static bool LastDimIsMinorMost(const Shape& shape);
  // The factor by which the third tile of a 1-D layout T(..)(..)(n,1) packs elements; 1 for other
  // layouts.
  static absl::StatusOr<int64_t> PackedFactorFor1DInterleavedArray(const Shape& shape);

  // ---- Making shapes. The Make... functions CHECK what the MakeValidated... functions return as
  // InvalidArgument: see ValidateShape.

  static ProgramShape MakeProgramShape(std::initializer_list<Shape> parameters, Shape result);
  // Arrays get the default layout.
  static Shape MakeShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions);
  static Shape MakeShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
                         const std::vector<bool>& dynamic_dimensions);
  static Shape MakeScalarShape(PrimitiveType element_type);
  static absl::StatusOr<Shape> MakeValidatedScalarShape(PrimitiveType element_type);
  static absl::StatusOr<Shape> MakeValidatedShape(PrimitiveType element_type,
                                                  absl::Span<const int64_t> dimensions);
  static absl::StatusOr<Shape> MakeValidatedShape(PrimitiveType element_type,
                                                  absl::Span<const int64_t> dimensions,
                                                  const std::vector<bool>& dynamic_dimensions);
  static absl::StatusOr<Shape> MakeValidatedBufferShape(PrimitiveType element_type,
                                                        absl::Span<const int64_t> dimensions);
  static absl::StatusOr<Shape> MakeValidatedBufferShape(Shape element_shape);
  template <typename T>
  static Shape MakeShapeWithType(absl::Span<const int64_t> dimensions) {
    return MakeShape(primitive_util::NativeToPrimitiveType<T>(), dimensions);
  }
  template <typename T>
  static absl::StatusOr<Shape> MakeValidatedShapeWithType(absl::Span<const int64_t> dimensions) {
    return MakeValidatedShape(primitive_util::NativeToPrimitiveType<T>(), dimensions);
  }
  static Shape MakeShapeWithDenseLayout(PrimitiveType element_type,
                                        absl::Span<const int64_t> dimensions,
                                        absl::Span<const int64_t> minor_to_major,
                                        absl::Span<const Tile> tiles = {},
                                        int64_t tail_padding_alignment_in_elements = 1,
                                        int64_t element_size_in_bits = 0, int64_t memory_space = 0,
                                        absl::Span<const SplitConfig> split_configs = {});
  static absl::StatusOr<Shape> MakeValidatedShapeWithDenseLayout(
      PrimitiveType element_type, absl::Span<const int64_t> dimensions,
      absl::Span<const int64_t> minor_to_major, absl::Span<const Tile> tiles = {},
      int64_t tail_padding_alignment_in_elements = 1, int64_t element_size_in_bits = 0,
      int64_t memory_space = 0, absl::Span<const SplitConfig> split_configs = {});
  // Sparse layouts have been withdrawn from XLA; always Unimplemented.
  static absl::StatusOr<Shape> MakeValidatedShapeWithSparseLayout(
      PrimitiveType element_type, absl::Span<const int64_t> dimensions,
      absl::Span<const int64_t> minor_to_major);
  static Shape MakeShapeWithDescendingLayout(PrimitiveType element_type,
                                             absl::Span<const int64_t> dimensions);
  static absl::StatusOr<Shape> MakeValidatedShapeWithDescendingLayout(
      PrimitiveType element_type, absl::Span<const int64_t> dimensions);
  // The row-major array that lies in memory as this one does: its dimensions in physical order.
  static Shape MakeShapeWithDescendingLayoutAndSamePhysicalLayout(const Shape& shape);
  static absl::StatusOr<Shape> MakeValidatedShapeWithDescendingLayoutAndSamePhysicalLayout(
      const Shape& shape);
  static Shape MakeTupleShape(absl::Span<const Shape> shapes);
  static Shape MakeTupleShapeWithPtrs(absl::Span<const Shape* const> shapes);
  static absl::StatusOr<Shape> MakeValidatedTupleShape(absl::Span<const Shape> shapes);
  static absl::StatusOr<Shape> MakeValidatedTupleShapeWithPtrs(
      absl::Span<const Shape* const> shapes);
  // The shape itself when there is just one, else the tuple.
  static Shape MakeMaybeTupleShape(absl::Span<const Shape> shapes);
  static absl::StatusOr<Shape> MakeValidatedMaybeTupleShape(absl::Span<const Shape> shapes);
  static Shape MakeOpaqueShape() { return Shape(OPAQUE_TYPE); }
  static Shape MakeTokenShape() { return Shape(TOKEN); }
  static Shape MakeNil() { return Shape(std::vector<Shape>()); }

  // Makes *shape the array with the default layout.
  static absl::Status PopulateShape(PrimitiveType element_type,
                                    absl::Span<const int64_t> dimensions, Shape* shape);

  // InvalidArgument, saying what is wrong, unless the shape and all of its subshapes are well
  // formed: a known element type, sizes >= 0 (or unbounded and dynamic), element counts and byte
  // sizes that fit int64_t even when sizes of 0 are taken as 1, layouts that fit (required of
  // arrays by ValidateShape, optional with ValidateShapeWithOptionalLayout), buffers of arrays
  // only, no deeper nesting than Shape::kMaxNestingDepth.
  static absl::Status ValidateShape(const Shape& shape);
  static absl::Status ValidateShapeWithOptionalLayout(const Shape& shape);

  // ---- Changing shapes. Each returns or changes a copy; layouts follow unless it says otherwise.

  static Shape ChangeElementType(const Shape& original, PrimitiveType type);
  // Dynamic dimensions become static, also inside tuples.
  static Shape MakeStaticShape(const Shape& original);
  static Shape MakeShapeWithStaticDimensions(const Shape& shape);
  static void AppendShapeToTuple(const Shape& shape, Shape* tuple_shape);
  static void UpdateTupleShape(const Shape& shape, int64_t index, Shape* tuple_shape);
  static void UpdateDynamicDimension(Shape* shape, ShapeIndexView index, int64_t dim,
                                     bool is_dynamic);
  // A new last dimension, which is the most major (minor) one in the layout.
  static void AppendMajorDimension(int bound, Shape* shape);
  static void AppendMinorDimension(int bound, Shape* shape);
  // A new first dimension, which is the most major one in the layout.
  static Shape PrependMajorDimension(int64_t bound, Shape shape);
  // A new dimension before dim_idx, in the layout just more major than the dimension that was
  // there.
  static Shape InsertDimensionAtIndex(Shape shape, int64_t dim_idx, int64_t bound);
  static Shape InsertDimensionsAtIndex(Shape shape, int64_t dim_idx,
                                       absl::Span<const int64_t> bounds);
  static void CopyDynamicDimensions(Shape* to, const Shape& from);
  // The dimension becomes the most major one of every array's layout; a missing layout counts as
  // the default one.
  static Shape MoveDimToMajor(const Shape& shape, int64_t dim);
  static Shape DropDegenerateDimensions(const Shape& shape);
  static Shape DeleteDimension(int64_t dim_to_delete, Shape shape);
  static Shape DeleteDimensions(absl::Span<int64_t const> dims_to_delete, Shape shape);
  // Keeps the dimensions whose number satisfies p.
  static Shape FilterDimensions(absl::FunctionRef<bool(int64_t)> p, Shape shape);
  // Dimension i of the result is dimension permutation[i] of the shape. PermuteDimensions permutes
  // the layout too, so that the data need not move; PermuteDimensionsIgnoringLayout keeps it.
  static Shape PermuteDimensionsIgnoringLayout(absl::Span<const int64_t> permutation,
                                               const Shape& shape);
  static Shape PermuteDimensions(absl::Span<const int64_t> permutation, const Shape& shape);
  static Shape ReorderLogicalDimensions(const Shape& shape, absl::Span<const int64_t> permutation);
  static Shape ComplexComponentShape(const Shape& complex_shape);
  // Without tiles, memory space and the rest that only devices care for.
  static bool DeviceShapeIsHostShape(const Shape& shape);
  static Shape DeviceShapeToHostShape(Shape s);

  // ---- Tuples and subshapes.

  static bool IsNestedTuple(const Shape& shape);
  static bool IsEmptyTuple(const Shape& shape);
  static int64_t TupleElementCount(const Shape& shape);
  static const Shape& GetTupleElementShape(const Shape& shape, int64_t index);
  // The elements [start, limit) of a tuple.
  static Shape SliceTuple(const Shape& tuple, int64_t start, int64_t limit);
  // The number of subshapes, the shape itself included.
  static int64_t SubshapeCount(const Shape& shape);
  static bool IndexIsValid(const Shape& shape, ShapeIndexView index);
  // CHECKs that the index is valid; TryGetSubshape returns InvalidArgument.
  static const Shape& GetSubshape(const Shape& shape, ShapeIndexView index);
  static absl::StatusOr<const Shape*> TryGetSubshape(const Shape& shape, ShapeIndexView index);
  static Shape* GetMutableSubshape(Shape* shape, ShapeIndexView index);
  // A leaf is a subshape that is no tuple.
  static bool IsLeafIndex(const Shape& shape, const ShapeIndex& index);
  static int64_t GetLeafCount(const Shape& shape);
  static int64_t GetLeafCountTuple(const Shape& shape);
  static std::vector<IndexedShape> GetLeafShapes(const Shape& shape);
  // Pointers into `shape` to its leaves, in order.
  static std::vector<const Shape*> FlattenTupleShape(const Shape& shape);
  static void FlattenTupleShape(const Shape& shape, std::vector<const Shape*>& flattened);

  // Call fn(subshape, index) for every subshape, a tuple before its elements (after them with
  // PostOrder), or for the leaves only. With the mutable forms the subshape is a Shape*. The
  // WithStatus forms stop at the first error.
  template <typename Fn>
  static void ForEachSubshape(const Shape& shape, Fn&& fn) {
    Walk<kPreOrder>(&shape, WithoutStatus<const Shape>(fn)).IgnoreError();
  }
  template <typename Fn>
  static void ForEachMutableSubshape(Shape* shape, Fn&& fn) {
    Walk<kPreOrder>(shape, WithoutStatus<Shape>(fn)).IgnoreError();
  }
  template <typename Fn>
  static absl::Status ForEachSubshapeWithStatus(const Shape& shape, Fn&& fn) {
    return Walk<kPreOrder>(&shape, WithStatus<const Shape>(fn));
  }
  template <typename Fn>
  static absl::Status ForEachMutableSubshapeWithStatus(Shape* shape, Fn&& fn) {
    return Walk<kPreOrder>(shape, WithStatus<Shape>(fn));
  }
  template <typename Fn>
  static void ForEachSubshapePostOrder(const Shape& shape, Fn&& fn) {
    Walk<kPostOrder>(&shape, WithoutStatus<const Shape>(fn)).IgnoreError();
  }
  template <typename Fn>
  static void ForEachMutableSubshapePostOrder(Shape* shape, Fn&& fn) {
    Walk<kPostOrder>(shape, WithoutStatus<Shape>(fn)).IgnoreError();
  }
  template <typename Fn>
  static absl::Status ForEachSubshapePostOrderWithStatus(const Shape& shape, Fn&& fn) {
    return Walk<kPostOrder>(&shape, WithStatus<const Shape>(fn));
  }
  template <typename Fn>
  static absl::Status ForEachMutableSubshapePostOrderWithStatus(Shape* shape, Fn&& fn) {
    return Walk<kPostOrder>(shape, WithStatus<Shape>(fn));
  }
  template <typename Fn>
  static void ForEachLeafShape(const Shape& shape, Fn&& fn) {
    Walk<kLeaves>(&shape, WithoutStatus<const Shape>(fn)).IgnoreError();
  }
  template <typename Fn>
  static void ForEachMutableLeafShape(Shape* shape, Fn&& fn) {
    Walk<kLeaves>(shape, WithoutStatus<Shape>(fn)).IgnoreError();
  }
  template <typename Fn>
  static absl::Status ForEachLeafShapeWithStatus(const Shape& shape, Fn&& fn) {
    return Walk<kLeaves>(&shape, WithStatus<const Shape>(fn));
  }
  template <typename Fn>
  static absl::Status ForEachMutableLeafShapeWithStatus(Shape* shape, Fn&& fn) {
    return Walk<kLeaves>(shape, WithStatus<Shape>(fn));
  }

  // ---- Reshapes, transposes and bitcasts. These look at dense layouts; a tiled array is a bitcast
  // of an equal one only.

  // The shape of a transpose with neighbouring dimensions that stay neighbours merged and
  // dimensions of size 1 dropped: returns the sizes of the merged output dimensions and sets
  // `permutation`.
  static absl::StatusOr<absl::InlinedVector<int64_t, 3>> GetNormalizedLogicalTransposeShape(
      const Shape& input_shape, const Shape& output_shape, absl::Span<int64_t const> dimensions,
      absl::InlinedVector<int64_t, 3>& permutation);
  // The size-1 dimensions in which two shapes differ; numbers of dimensions of the shape before and
  // after.
  struct ShapeEqualityDescriptor {
    std::vector<int64_t> deleted_dimensions;
    std::vector<int64_t> inserted_dimensions;
  };
  // Set when the shapes differ only in dimensions of size 1.
  static std::optional<ShapeEqualityDescriptor> InsertedOrDeleted1SizedDimensions(
      const Shape& shape_pre, const Shape& shape_post);
  // Pairs (input dimension, output dimension), in order, that a row-major reshape leaves as they
  // are.
  static std::vector<std::pair<int64_t, int64_t>> DimensionsUnmodifiedByReshape(
      const Shape& input_shape, const Shape& output_shape);
  // The output dimensions that the given input dimensions become, when all are unmodified.
  static std::optional<std::vector<int64_t>> ReshapeLeavesDimensionsUnmodified(
      const Shape& from_shape, const Shape& to_shape, absl::Span<const int64_t> input_dim_indices);
  // True when the operation moves no data. Both shapes must have layouts. Dimension i of the
  // transpose's output is dimension dimension_mapping[i] of its input. With ignore_element_type
  // only the dimensions and their order in memory are compared.
  static bool TransposeIsBitcast(const Shape& input_shape, const Shape& output_shape,
                                 absl::Span<const int64_t> dimension_mapping,
                                 bool ignore_element_type = false);
  static bool ReshapeIsBitcast(const Shape& input_shape, const Shape& output_shape,
                               bool ignore_element_type = false);
  static bool IsReshapeOrTransposeBitcast(const Shape& a, const Shape& b,
                                          bool ignore_element_type = false);
  // Dimensions of the transpose that a bitcast is, if it is one.
  static std::optional<std::vector<int64_t>> DeduceTransposeDimensionsForBitcast(
      const Shape& input_shape, const Shape& output_shape);

  struct BitcastDecompositionReshape {};
  struct BitcastDecompositionTranspose {
    DimensionVector transpose_dims;
  };
  // A transpose to row-major order, a reshape, a transpose from row-major order.
  struct BitcastDecompositionTrt {
    DimensionVector transpose1_dims;
    Shape transpose1_shape;
    Shape reshape_shape;
    DimensionVector transpose2_dims;
    bool IsTranspose1Identity() const;
    bool IsTranspose2Identity() const;
  };
  using BitcastDecomposition = std::variant<BitcastDecompositionReshape, BitcastDecompositionTrt,
                                            BitcastDecompositionTranspose>;
  // Same element type and element count, dense layouts.
  static bool IsDecomposableBitcast(const Shape& input_shape, const Shape& output_shape);
  static std::optional<BitcastDecompositionTrt> DecomposeBitcastToTrt(const Shape& input_shape,
                                                                      const Shape& output_shape);
  // CHECKs IsDecomposableBitcast.
  static BitcastDecomposition DecomposeBitcast(const Shape& input_shape, const Shape& output_shape);
  // output_shape with the layout that makes reshape(input) a bitcast, if there is one.
  static std::optional<Shape> AlignLayouts(const Shape& input_shape, const Shape& output_shape);

  // ---- Strides, in bytes, one per dimension. UnpackedByteStrides takes the natural element size,
  // ByteStrides the layout's. InvalidArgument (nullopt) without a layout, for tiled layouts and for
  // elements that are not whole bytes.

  static absl::Status UnpackedByteStrides(const Shape& shape, absl::Span<int64_t> strides);
  static absl::Status ByteStrides(const Shape& shape, absl::Span<int64_t> strides);
  static std::optional<absl::InlinedVector<int64_t, 4>> UnpackedByteStrides(const Shape& shape);
  static std::optional<absl::InlinedVector<int64_t, 4>> ByteStrides(const Shape& shape);

  // ---- Walks over the elements of an array, in memory order (row-major without a layout). The
  // visitor gets the index and returns whether to go on. base, count and incr have one entry per
  // dimension: dimension d runs over base[d], base[d] + incr[d], ... below base[d] + count[d], and
  // stays at base[d] where incr[d] is 0. A scalar is visited once.

  using ForEachVisitorFunction = absl::FunctionRef<absl::StatusOr<bool>(absl::Span<const int64_t>)>;
  using ForEachVisitorFunctionNoStatus = absl::FunctionRef<bool(absl::Span<const int64_t>)>;
  // Also gets the number of the thread, below GetForEachIndexParallelThreadCount().
  using ForEachParallelVisitorFunction =
      absl::FunctionRef<absl::StatusOr<bool>(absl::Span<const int64_t>, int)>;

  struct IndexIterationSpace {
    std::vector<int64_t> index_base;
    std::vector<int64_t> index_count;
    std::vector<int64_t> index_incr;
  };

  static absl::Status ForEachIndexWithStatus(const Shape& shape, absl::Span<const int64_t> base,
                                             absl::Span<const int64_t> count,
                                             absl::Span<const int64_t> incr,
                                             const ForEachVisitorFunction& visitor_function);
  template <typename FnTy>
  static absl::Status ForEachIndexWithStatus(const Shape& shape,
                                             const IndexIterationSpace& iteration_space,
                                             FnTy&& function) {
    return ForEachIndexWithStatus(shape, iteration_space.index_base, iteration_space.index_count,
                                  iteration_space.index_incr,
                                  ForEachVisitorFunction(std::forward<FnTy>(function)));
  }
  static absl::Status ForEachIndexWithStatus(const Shape& shape,
                                             const ForEachVisitorFunction& visitor_function);
  // CHECK that the visitor returns no error.
  static void ForEachIndex(const Shape& shape, absl::Span<const int64_t> base,
                           absl::Span<const int64_t> count, absl::Span<const int64_t> incr,
                           const ForEachVisitorFunction& visitor_function);
  static void ForEachIndex(const Shape& shape, const ForEachVisitorFunction& visitor_function);
  static void ForEachIndexNoStatus(const Shape& shape, absl::Span<const int64_t> base,
                                   absl::Span<const int64_t> count, absl::Span<const int64_t> incr,
                                   const ForEachVisitorFunctionNoStatus& visitor_function);
  static void ForEachIndexNoStatus(const Shape& shape,
                                   const ForEachVisitorFunctionNoStatus& visitor_function);
  // In no order, from several threads at once. The first error wins; after an error or a `false`
  // the threads stop soon.
  static absl::Status ForEachIndexParallelWithStatus(
      const Shape& shape, absl::Span<const int64_t> base, absl::Span<const int64_t> count,
      absl::Span<const int64_t> incr, const ForEachParallelVisitorFunction& visitor_function);
  static absl::Status ForEachIndexParallelWithStatus(
      const Shape& shape, const ForEachParallelVisitorFunction& visitor_function);
  static void ForEachIndexParallel(const Shape& shape, absl::Span<const int64_t> base,
                                   absl::Span<const int64_t> count, absl::Span<const int64_t> incr,
                                   const ForEachParallelVisitorFunction& visitor_function);
  static void ForEachIndexParallel(const Shape& shape,
                                   const ForEachParallelVisitorFunction& visitor_function);
  static int GetForEachIndexParallelThreadCount();

 private:
  enum VisitOrder { kPreOrder, kPostOrder, kLeaves };

  static std::pair<int64_t, bool> ExtentProductImpl(const Shape& shape);

  // A mutable visitor gets a Shape*, a const one a const Shape&.
  static const Shape& Argument(const Shape* shape) { return *shape; }
  static Shape* Argument(Shape* shape) { return shape; }
  template <typename S, typename Fn>
  static auto WithStatus(Fn& fn) {
    return [&fn](S* shape, const ShapeIndex& index) -> absl::Status {
      return fn(Argument(shape), index);
    };
  }
  template <typename S, typename Fn>
  static auto WithoutStatus(Fn& fn) {
    return [&fn](S* shape, const ShapeIndex& index) {
      fn(Argument(shape), index);
      return absl::OkStatus();
    };
  }
  static std::vector<Shape>& Elements(Shape* shape) { return *shape->mutable_tuple_shapes(); }
  static const std::vector<Shape>& Elements(const Shape* shape) { return shape->tuple_shapes(); }

  template <VisitOrder kOrder, typename S, typename Fn>
  static absl::Status Walk(S* shape, const Fn& fn) {
    ShapeIndex index;
    return WalkFrom<kOrder>(shape, index, fn);
  }
  template <VisitOrder kOrder, typename S, typename Fn>
  static absl::Status WalkFrom(S* shape, ShapeIndex& index, const Fn& fn) {
    if (kOrder == kPreOrder || (kOrder == kLeaves && !shape->IsTuple())) {
      if (absl::Status status = fn(shape, index); !status.ok()) return status;
    }
    if (shape->IsTuple()) {
      auto& elements = Elements(shape);
      for (size_t i = 0; i < elements.size(); ++i) {
        index.push_back(i);
        if (absl::Status status = WalkFrom<kOrder>(&elements[i], index, fn); !status.ok()) {
          return status;
        }
        index.pop_back();
      }
    }
    return kOrder == kPostOrder ? fn(shape, index) : absl::OkStatus();
  }
};

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_SHAPE_UTIL_H_
