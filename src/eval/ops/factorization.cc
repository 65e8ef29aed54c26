// Custom calls that factorise matrices, for batches of matrices in the last two dimensions.
#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "eval/field.h"
#include "eval/known_calls.h"
#include "eval/wide_array.h"
#include "linalg/factorizations.h"
#include "linalg/matrix_shape.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::eval {
namespace {

// The matrices of an array.
struct Batch {
  explicit Batch(const Shape& shape)
      : rows(shape.dimensions(shape.dimensions_size() - 2)),
        columns(shape.dimensions().back()),
        small(std::min(rows, columns)),
        count(1) {
    for (int64_t size : shape.dimensions().first(shape.dimensions_size() - 2)) count *= size;
  }

  int64_t rows, columns, small, count;
};

// An S32 array of `shape`.
absl::StatusOr<Value> StoreIndices(const std::vector<int32_t>& values, const Shape& shape) {
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(shape));
  absl::c_copy(values, result.data<int32_t>().begin());
  return Value(std::move(result));
}

absl::StatusOr<Value> Tuple(std::initializer_list<absl::StatusOr<Value>> elements) {
  std::vector<Value> values;
  for (const absl::StatusOr<Value>& element : elements) {
    HILO_RETURN_IF_ERROR(element.status());
    values.push_back(*element);
  }
  return Value(std::move(values));
}

absl::StatusOr<Value> Qr(Frame& frame, const HloInstruction& instruction) {
  const Batch batch(frame.array(0).shape());
  return ForField(frame.array(0).shape().element_type(), [&](auto wide) {
    using Wide = decltype(wide);
    std::vector<Wide> a = LoadAs<Wide>(frame.array(0));
    std::vector<Wide> taus(batch.count * batch.small);
    for (int64_t b = 0; b < batch.count; ++b) {
      linalg::HouseholderQr(a.data() + b * batch.rows * batch.columns,
                            taus.data() + b * batch.small, batch.rows, batch.columns);
    }
    return Tuple({Store(a, instruction.shape().tuple_shapes(0)),
                  Store(taus, instruction.shape().tuple_shapes(1))});
  });
}

absl::StatusOr<Value> ProductOfReflections(Frame& frame, const HloInstruction& instruction) {
  const Batch batch(frame.array(0).shape());
  const int64_t reflections = frame.array(1).shape().dimensions().back();
  return ForField(frame.array(0).shape().element_type(), [&](auto wide) {
    using Wide = decltype(wide);
    std::vector<Wide> a = LoadAs<Wide>(frame.array(0));
    const std::vector<Wide> taus = LoadAs<Wide>(frame.array(1));
    for (int64_t b = 0; b < batch.count; ++b) {
      linalg::ProductOfReflections(a.data() + b * batch.rows * batch.columns,
                                   taus.data() + b * reflections, batch.rows, batch.columns,
                                   reflections);
    }
    return Store(a, instruction.shape());
  });
}

absl::StatusOr<Value> LuDecomposition(Frame& frame, const HloInstruction& instruction) {
  const Batch batch(frame.array(0).shape());
  return ForField(frame.array(0).shape().element_type(), [&](auto wide) {
    using Wide = decltype(wide);
    std::vector<Wide> a = LoadAs<Wide>(frame.array(0));
    std::vector<int32_t> pivots(batch.count * batch.small);
    std::vector<int32_t> permutation(batch.count * batch.rows);
    for (int64_t b = 0; b < batch.count; ++b) {
      linalg::LuDecomposition(a.data() + b * batch.rows * batch.columns,
                              pivots.data() + b * batch.small, permutation.data() + b * batch.rows,
                              batch.rows, batch.columns);
    }
    return Tuple({Store(a, instruction.shape().tuple_shapes(0)),
                  StoreIndices(pivots, instruction.shape().tuple_shapes(1)),
                  StoreIndices(permutation, instruction.shape().tuple_shapes(2))});
  });
}

// The configuration "lower,sort,iterations,tolerance" of Eigh. The result is always as exact as the
// type allows, so that the last two do not matter.
struct EighOptions {
  static std::optional<EighOptions> Parse(absl::string_view config) {
    const std::vector<absl::string_view> fields = absl::StrSplit(config, ',');
    int lower = 0, sort = 0;
    if (fields.size() != 4 || !absl::SimpleAtoi(fields[0], &lower) ||
        !absl::SimpleAtoi(fields[1], &sort)) {
      return std::nullopt;
    }
    return EighOptions{lower != 0, sort != 0};
  }

  bool lower, sort;
};

absl::StatusOr<Value> Eigh(Frame& frame, const HloInstruction& instruction) {
  const Batch batch(frame.array(0).shape());
  const EighOptions options = *EighOptions::Parse(instruction.raw_backend_config_string());
  return ForField(frame.array(0).shape().element_type(), [&](auto wide) {
    using Wide = decltype(wide);
    const int64_t n = batch.columns;
    std::vector<Wide> a = LoadAs<Wide>(frame.array(0));
    std::vector<double> w(batch.count * n);
    for (int64_t b = 0; b < batch.count; ++b) {
      linalg::HermitianEigen(a.data() + b * n * n, w.data() + b * n, n, options.lower,
                             options.sort);
    }
    return Tuple({Store(a, instruction.shape().tuple_shapes(0)),
                  Store(w, instruction.shape().tuple_shapes(1))});
  });
}

bool IsTupleOf(const Shape& shape, std::initializer_list<Shape> elements) {
  return ShapeUtil::Compatible(shape, ShapeUtil::MakeTupleShape(std::vector<Shape>(elements)));
}

}  // namespace

Operation FindFactorization(const HloInstruction& instruction) {
  static constexpr absl::string_view kTargets[] = {"Qr", "ProductOfElementaryHouseholderReflectors",
                                                   "LuDecomposition", "Eigh"};
  if (!instruction.IsCustomCall(kTargets) || instruction.operand_count() == 0) return nullptr;
  const Shape& a = instruction.operand(0)->shape();
  if (!a.IsArray() || !a.is_static() || a.dimensions_size() < 2) return nullptr;
  const PrimitiveType type = a.element_type();
  const bool is_complex = primitive_util::IsComplexType(type);
  if (!is_complex && !primitive_util::IsFloatingPointType(type)) return nullptr;
  const Batch batch(a);
  const std::string& target = instruction.custom_call_target();
  if (target == "ProductOfElementaryHouseholderReflectors") {
    if (instruction.operand_count() != 2) return nullptr;
    const Shape& taus = instruction.operand(1)->shape();
    if (!taus.IsArray() || taus.dimensions_size() + 1 != a.dimensions_size()) return nullptr;
    const int64_t reflections = taus.dimensions().back();
    const bool fits =
        ShapeUtil::Compatible(taus, linalg::InPlaceOfMatrix(a, type, {reflections})) &&
        reflections <= batch.columns && batch.columns <= batch.rows &&
        ShapeUtil::Compatible(instruction.shape(), a);
    return fits ? &ProductOfReflections : nullptr;
  }
  if (instruction.operand_count() != 1) return nullptr;
  const Shape& result = instruction.shape();
  if (target == "Qr") {
    return IsTupleOf(result, {a, linalg::InPlaceOfMatrix(a, type, {batch.small})}) ? &Qr : nullptr;
  }
  if (target == "LuDecomposition") {
    const bool fits = IsTupleOf(result, {a, linalg::InPlaceOfMatrix(a, S32, {batch.small}),
                                         linalg::InPlaceOfMatrix(a, S32, {batch.rows})});
    return fits ? &LuDecomposition : nullptr;
  }
  const PrimitiveType real = is_complex ? primitive_util::ComplexComponentType(type) : type;
  const bool fits = batch.rows == batch.columns &&
                    IsTupleOf(result, {a, linalg::InPlaceOfMatrix(a, real, {batch.columns})}) &&
                    EighOptions::Parse(instruction.raw_backend_config_string()).has_value();
  return fits ? &Eigh : nullptr;
}

}  // namespace xla::eval
