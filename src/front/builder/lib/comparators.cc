#include "xla/hlo/builder/lib/comparators.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using Generator = XlaOp (*)(XlaOp, XlaOp, absl::Span<const int64_t>);

XlaComputation CompareFirstOperand(const std::string& name,
                                   const std::vector<PrimitiveType>& operand_types,
                                   Generator generator, XlaBuilder* builder) {
  std::vector<std::optional<Generator>> generators(operand_types.size());
  if (!generators.empty()) generators[0] = generator;
  return CreateScalarComparisonComputation(name, operand_types, generators, builder);
}

}  // namespace

XlaComputation CreateScalarLtComputation(const std::vector<PrimitiveType>& operand_types,
                                         XlaBuilder* builder) {
  return CompareFirstOperand("compare-less-than", operand_types, LtTotalOrder, builder);
}

XlaComputation CreateScalarGtComputation(const std::vector<PrimitiveType>& operand_types,
                                         XlaBuilder* builder) {
  return CompareFirstOperand("compare-greater-than", operand_types, GtTotalOrder, builder);
}

XlaComputation CreateScalarComparisonComputation(
    const std::string& name, const std::vector<PrimitiveType>& operand_types,
    const std::vector<std::optional<Generator>>& generators, XlaBuilder* builder) {
  if (operand_types.empty() || operand_types.size() != generators.size()) {
    builder->ReportError(InvalidArgument("comparison %s: %d operand types and %d generators", name,
                                         operand_types.size(), generators.size()));
    return XlaComputation();
  }
  std::unique_ptr<XlaBuilder> b = builder->CreateSubBuilder(name);
  std::vector<std::pair<XlaOp, XlaOp>> keys;
  std::vector<Generator> compare;
  for (size_t i = 0; i < operand_types.size(); ++i) {
    const absl::StatusOr<Shape> scalar = ShapeUtil::MakeValidatedScalarShape(operand_types[i]);
    if (!scalar.ok()) {
      builder->ReportError(scalar.status());
      return XlaComputation();
    }
    const int64_t number = 2 * static_cast<int64_t>(i);
    const XlaOp lhs = Parameter(b.get(), number, *scalar, absl::StrCat("p.", i, ".lhs"));
    const XlaOp rhs = Parameter(b.get(), number + 1, *scalar, absl::StrCat("p.", i, ".rhs"));
    if (!generators[i].has_value()) continue;
    keys.emplace_back(lhs, rhs);
    compare.push_back(*generators[i]);
  }
  if (keys.empty()) {
    builder->ReportError(InvalidArgument("comparison %s: no operand is a key", name));
    return XlaComputation();
  }
  // From the last key to the first: an earlier one decides unless it is equal.
  XlaOp result = compare.back()(keys.back().first, keys.back().second, {});
  for (size_t i = keys.size() - 1; i-- > 0;) {
    const auto [lhs, rhs] = keys[i];
    result = Select(EqTotalOrder(lhs, rhs), result, compare[i](lhs, rhs, {}));
  }
  return b->BuildAndNoteError();
}

}  // namespace xla
