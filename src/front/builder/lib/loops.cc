#include "xla/hlo/builder/lib/loops.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

std::vector<XlaOp> Elements(XlaOp tuple, size_t count) {
  std::vector<XlaOp> elements;
  for (size_t i = 0; i < count; ++i) {
    elements.push_back(GetTupleElement(tuple, static_cast<int64_t>(i)));
  }
  return elements;
}

}  // namespace

absl::StatusOr<std::vector<XlaOp>> WhileLoopHelper(
    const WhileLoopHelperConditionFunction& condition_function,
    const WhileLoopHelperBodyFunction& body_function, absl::Span<const XlaOp> initial_values,
    absl::string_view name, XlaBuilder* builder) {
  const size_t count = initial_values.size();
  HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(initial_values));
  const Shape state = ShapeUtil::MakeTupleShape(shapes);

  std::unique_ptr<XlaBuilder> condition_builder =
      builder->CreateSubBuilder(absl::StrCat(name, "_condition"));
  const XlaOp condition_state = Parameter(condition_builder.get(), 0, state, "parameter");
  HILO_ASSIGN_OR_RETURN(const XlaOp goes_on, condition_function(Elements(condition_state, count),
                                                                condition_builder.get()));
  HILO_ASSIGN_OR_RETURN(const XlaComputation condition, condition_builder->Build(goes_on));

  std::unique_ptr<XlaBuilder> body_builder = builder->CreateSubBuilder(absl::StrCat(name, "_body"));
  const XlaOp body_state = Parameter(body_builder.get(), 0, state, "parameter");
  HILO_ASSIGN_OR_RETURN(const std::vector<XlaOp> next,
                        body_function(Elements(body_state, count), body_builder.get()));
  HILO_ASSIGN_OR_RETURN(const XlaComputation body,
                        body_builder->Build(Tuple(body_builder.get(), next)));

  return Elements(While(condition, body, Tuple(builder, initial_values)), count);
}

absl::StatusOr<std::vector<XlaOp>> ForEachIndex(int64_t num_iterations,
                                                PrimitiveType num_iterations_type,
                                                const ForEachIndexBodyFunction& body_function,
                                                absl::Span<const XlaOp> initial_values,
                                                absl::string_view name, XlaBuilder* builder) {
  const auto condition = [&](absl::Span<const XlaOp> values,
                             XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    return Lt(values[0], ConstantR0WithType(b, num_iterations_type, num_iterations));
  };
  const auto body = [&](absl::Span<const XlaOp> values,
                        XlaBuilder* b) -> absl::StatusOr<std::vector<XlaOp>> {
    const XlaOp step = values[0];
    HILO_ASSIGN_OR_RETURN(const std::vector<XlaOp> next, body_function(step, values.subspan(1), b));
    std::vector<XlaOp> all = {Add(step, One(b, num_iterations_type))};
    all.insert(all.end(), next.begin(), next.end());
    return all;
  };
  std::vector<XlaOp> values = {Zero(builder, num_iterations_type)};
  values.insert(values.end(), initial_values.begin(), initial_values.end());
  HILO_ASSIGN_OR_RETURN(values, WhileLoopHelper(condition, body, values, name, builder));
  values.erase(values.begin());
  return values;
}

}  // namespace xla
