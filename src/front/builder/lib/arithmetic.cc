#include "xla/hlo/builder/lib/arithmetic.h"

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

XlaComputation CreateScalarComputation(const std::string& name, PrimitiveType type,
                                       XlaBuilder* builder, XlaOpGenerator generator) {
  std::unique_ptr<XlaBuilder> scalars =
      type == PRED ? builder->CreateSubBuilder(name)
                   : builder->CreateSubBuilder(
                         absl::StrCat(name, "_", primitive_util::LowercasePrimitiveTypeName(type)));
  if (!primitive_util::IsArrayType(type)) {
    builder->ReportError(InvalidArgument("computation %s: %s is no type of a scalar", name,
                                         PrimitiveType_Name(type)));
    return XlaComputation();
  }
  const Shape scalar = ShapeUtil::MakeShape(type, {});
  const XlaOp lhs = Parameter(scalars.get(), 0, scalar, "lhs");
  const XlaOp rhs = Parameter(scalars.get(), 1, scalar, "rhs");
  generator(lhs, rhs);
  return scalars->BuildAndNoteError();
}

XlaComputation CreateScalarAddComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("add", type, builder, [type](XlaOp lhs, XlaOp rhs) {
    return type == PRED ? Or(lhs, rhs) : Add(lhs, rhs);
  });
}

XlaComputation CreateScalarMultiplyComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("mul", type, builder, [type](XlaOp lhs, XlaOp rhs) {
    return type == PRED ? And(lhs, rhs) : Mul(lhs, rhs);
  });
}

XlaComputation CreateScalarGeComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("ge", type, builder,
                                 [](XlaOp lhs, XlaOp rhs) { return Ge(lhs, rhs); });
}

XlaComputation CreateScalarMaxComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("max", type, builder,
                                 [](XlaOp lhs, XlaOp rhs) { return Max(lhs, rhs); });
}

XlaComputation CreateScalarMinComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("min", type, builder,
                                 [](XlaOp lhs, XlaOp rhs) { return Min(lhs, rhs); });
}

XlaComputation CreateScalarAndComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("and", type, builder,
                                 [](XlaOp lhs, XlaOp rhs) { return And(lhs, rhs); });
}

XlaComputation CreateScalarOrComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("or", type, builder,
                                 [](XlaOp lhs, XlaOp rhs) { return Or(lhs, rhs); });
}

XlaComputation CreateScalarIdentityWithZeroComputation(PrimitiveType type, XlaBuilder* builder) {
  XlaComputation reducer =
      CreateScalarComputation("identity_with_zero", type, builder, [type](XlaOp lhs, XlaOp rhs) {
        return type == PRED ? Or(lhs, rhs) : Select(Eq(lhs, Zero(lhs.builder(), type)), rhs, lhs);
      });
  return reducer;
}

XlaOp Any(XlaOp predicates) {
  XlaBuilder* builder = predicates.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_RETURN_IF_ERROR(builder->GetShape(predicates).status());
    return ReduceAll(predicates, ConstantR0<bool>(builder, false),
                     CreateScalarOrComputation(PRED, builder));
  });
}

namespace {

// (value, place, value, place) -> the pair that wins: the value that is not ordered, as NaN is, or
// the extreme one; among equal ones the first place.
XlaComputation CreateMinMaxComputation(XlaBuilder* outer, PrimitiveType value_type,
                                       PrimitiveType index_type, bool is_min) {
  std::unique_ptr<XlaBuilder> builder = outer->CreateSubBuilder(is_min ? "argmin" : "argmax");
  XlaBuilder* b = builder.get();
  const Shape value = ShapeUtil::MakeShape(value_type, {});
  const Shape index = ShapeUtil::MakeShape(index_type, {});
  const XlaOp lhs_value = Parameter(b, 0, value, "lhs_value");
  const XlaOp lhs_index = Parameter(b, 1, index, "lhs_index");
  const XlaOp rhs_value = Parameter(b, 2, value, "rhs_value");
  const XlaOp rhs_index = Parameter(b, 3, index, "rhs_index");
  XlaOp wins = is_min ? Le(lhs_value, rhs_value) : Ge(lhs_value, rhs_value);
  if (primitive_util::IsFloatingPointType(value_type)) wins = Or(wins, Ne(lhs_value, lhs_value));
  const XlaOp best = Select(wins, lhs_value, rhs_value);
  const XlaOp tie = Eq(lhs_value, rhs_value);
  const XlaOp place = Select(wins, lhs_index, rhs_index);
  Tuple(b, {best, Select(tie, Min(lhs_index, rhs_index), place)});
  return builder->BuildAndNoteError();
}

}  // namespace

XlaOp ArgMinMax(XlaOp input, PrimitiveType output_type, int axis, bool is_min) {
  XlaBuilder* builder = input.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(input));
    if (!shape.IsArray() || axis < 0 || axis >= shape.dimensions_size()) {
      return InvalidArgument("argmin/argmax: %s has no dimension %d", shape.ToString(), axis);
    }
    if (!primitive_util::IsIntegralType(output_type)) {
      return InvalidArgument("argmin/argmax: %s is no integer type for places",
                             PrimitiveType_Name(output_type));
    }
    const XlaOp first_value =
        is_min ? MaxValue(builder, shape.element_type()) : MinValue(builder, shape.element_type());
    HILO_ASSIGN_OR_RETURN(const Shape places,
                          ShapeUtil::MakeValidatedShape(output_type, shape.dimensions()));
    const XlaComputation reducer =
        CreateMinMaxComputation(builder, shape.element_type(), output_type, is_min);
    return GetTupleElement(Reduce(builder, {input, Iota(builder, places, axis)},
                                  {first_value, Zero(builder, output_type)}, reducer, {axis}),
                           1);
  });
}

XlaOp ArgMax(XlaOp input, PrimitiveType output_type, int axis) {
  return ArgMinMax(input, output_type, axis, /*is_min=*/false);
}

}  // namespace xla
