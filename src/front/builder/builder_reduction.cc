// Reductions, windows, scans, maps and sorting.
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "front/builder/window.h"
#include "ir/dimension_numbers.h"
#include "ir/records.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// The result of a scan whose computation gives outputs and then carries: the outputs get the
// dimension they are stacked in.
absl::StatusOr<Shape> ScanShape(const Shape& step, size_t carry_count, int64_t dimension,
                                int64_t size) {
  std::vector<Shape> results;
  if (step.IsTuple()) {
    results.assign(step.tuple_shapes().begin(), step.tuple_shapes().end());
  } else {
    results.push_back(step);
  }
  for (size_t i = 0; i + carry_count < results.size(); ++i) {
    if (!results[i].IsArray() || dimension < 0 || dimension > results[i].dimensions_size()) {
      return InvalidArgument("scan: output %d of shape %s cannot be stacked in dimension %d", i,
                             results[i].ToString(), dimension);
    }
    Int64List sizes = ToInt64List(results[i].dimensions());
    sizes.insert(sizes.begin() + dimension, size);
    HILO_ASSIGN_OR_RETURN(results[i], MakeShapeChecked(results[i].element_type(), sizes));
  }
  if (!step.IsTuple()) return results[0];
  return ShapeUtil::MakeTupleShape(results);
}

}  // namespace

XlaOp Reduce(XlaBuilder* builder, absl::Span<const XlaOp> operands,
             absl::Span<const XlaOp> init_values, XlaComputationId computation,
             absl::Span<const int64_t> dimensions_to_reduce) {
  auto attributes = std::make_unique<DimensionsAttributes>();
  attributes->dimensions = ToInt64List(dimensions_to_reduce);
  return AddOp(builder, {HloOpcode::kReduce, std::move(attributes), {computation}},
               Joined(operands, init_values));
}

XlaOp Reduce(XlaBuilder* builder, absl::Span<const XlaOp> operands,
             absl::Span<const XlaOp> init_values, const XlaComputation& computation,
             absl::Span<const int64_t> dimensions_to_reduce) {
  return Reduce(builder, operands, init_values, builder->AddSubComputation(computation),
                dimensions_to_reduce);
}

XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
             absl::Span<const int64_t> dimensions_to_reduce) {
  return Reduce(operand.builder(), {operand}, {init_value}, computation, dimensions_to_reduce);
}

XlaOp ReduceAll(XlaOp operand, XlaOp init_value, const XlaComputation& computation) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operand));
    Int64List all(shape.dimensions_size());
    std::iota(all.begin(), all.end(), 0);
    return Reduce(operand, init_value, computation, all);
  });
}

XlaOp ReduceWindowWithGeneralPadding(absl::Span<const XlaOp> operands,
                                     absl::Span<const XlaOp> init_values,
                                     XlaComputationId computation,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides,
                                     absl::Span<const int64_t> base_dilations,
                                     absl::Span<const int64_t> window_dilations,
                                     absl::Span<const std::pair<int64_t, int64_t>> padding) {
  return WithBuilder(BuilderOf(operands), [&]() -> absl::StatusOr<XlaOp> {
    auto attributes = std::make_unique<WindowAttributes>();
    HILO_ASSIGN_OR_RETURN(attributes->window,
                          MakeWindow("reduce-window", window_dimensions, window_strides, padding,
                                     base_dilations, window_dilations));
    return AddOp({HloOpcode::kReduceWindow, std::move(attributes), {computation}},
                 Joined(operands, init_values));
  });
}

XlaOp ReduceWindowWithGeneralPadding(absl::Span<const XlaOp> operands,
                                     absl::Span<const XlaOp> init_values,
                                     const XlaComputation& computation,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides,
                                     absl::Span<const int64_t> base_dilations,
                                     absl::Span<const int64_t> window_dilations,
                                     absl::Span<const std::pair<int64_t, int64_t>> padding) {
  return ReduceWindowWithGeneralPadding(
      operands, init_values, BuilderOf(operands)->AddSubComputation(computation), window_dimensions,
      window_strides, base_dilations, window_dilations, padding);
}

XlaOp ReduceWindowWithGeneralPadding(XlaOp operand, XlaOp init_value,
                                     const XlaComputation& computation,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides,
                                     absl::Span<const int64_t> base_dilations,
                                     absl::Span<const int64_t> window_dilations,
                                     absl::Span<const std::pair<int64_t, int64_t>> padding) {
  return ReduceWindowWithGeneralPadding({&operand, 1}, {&init_value, 1}, computation,
                                        window_dimensions, window_strides, base_dilations,
                                        window_dilations, padding);
}

XlaOp ReduceWindow(absl::Span<const XlaOp> operands, absl::Span<const XlaOp> init_values,
                   const XlaComputation& computation, absl::Span<const int64_t> window_dimensions,
                   absl::Span<const int64_t> window_strides, Padding padding) {
  return WithBuilder(BuilderOf(operands), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operands[0]));
    HILO_ASSIGN_OR_RETURN(const auto pairs, PaddingFor("reduce-window", shape.dimensions(),
                                                       window_dimensions, window_strides, padding));
    return ReduceWindowWithGeneralPadding(operands, init_values, computation, window_dimensions,
                                          window_strides, {}, {}, pairs);
  });
}

XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                   absl::Span<const int64_t> window_dimensions,
                   absl::Span<const int64_t> window_strides, Padding padding) {
  return ReduceWindow({&operand, 1}, {&init_value, 1}, computation, window_dimensions,
                      window_strides, padding);
}

XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, XlaComputationId select,
                                         absl::Span<const int64_t> window_dimensions,
                                         absl::Span<const int64_t> window_strides,
                                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                                         XlaOp source, XlaOp init_value, XlaComputationId scatter) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    auto attributes = std::make_unique<WindowAttributes>();
    HILO_ASSIGN_OR_RETURN(attributes->window, MakeWindow("select-and-scatter", window_dimensions,
                                                         window_strides, padding, {}, {}));
    return AddOp({HloOpcode::kSelectAndScatter, std::move(attributes), {select, scatter}},
                 {operand, source, init_value});
  });
}

XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, const XlaComputation& select,
                                         absl::Span<const int64_t> window_dimensions,
                                         absl::Span<const int64_t> window_strides,
                                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                                         XlaOp source, XlaOp init_value,
                                         const XlaComputation& scatter) {
  const XlaComputationId select_id = operand.builder()->AddSubComputation(select);
  const XlaComputationId scatter_id = operand.builder()->AddSubComputation(scatter);
  return SelectAndScatterWithGeneralPadding(operand, select_id, window_dimensions, window_strides,
                                            padding, source, init_value, scatter_id);
}

XlaOp SelectAndScatter(XlaOp operand, XlaComputationId select,
                       absl::Span<const int64_t> window_dimensions,
                       absl::Span<const int64_t> window_strides, Padding padding, XlaOp source,
                       XlaOp init_value, XlaComputationId scatter) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operand));
    HILO_ASSIGN_OR_RETURN(const auto pairs, PaddingFor("select-and-scatter", shape.dimensions(),
                                                       window_dimensions, window_strides, padding));
    return SelectAndScatterWithGeneralPadding(operand, select, window_dimensions, window_strides,
                                              pairs, source, init_value, scatter);
  });
}

XlaOp SelectAndScatter(XlaOp operand, const XlaComputation& select,
                       absl::Span<const int64_t> window_dimensions,
                       absl::Span<const int64_t> window_strides, Padding padding, XlaOp source,
                       XlaOp init_value, const XlaComputation& scatter) {
  const XlaComputationId select_id = operand.builder()->AddSubComputation(select);
  const XlaComputationId scatter_id = operand.builder()->AddSubComputation(scatter);
  return SelectAndScatter(operand, select_id, window_dimensions, window_strides, padding, source,
                          init_value, scatter_id);
}

XlaOp Scan(absl::Span<const XlaOp> inputs, absl::Span<const XlaOp> inits,
           XlaComputationId computation, int64_t scan_dimension,
           std::optional<int64_t> scan_dimension_size, bool is_reverse, TriState is_associative) {
  const std::vector<XlaOp> operands = Joined(inputs, inits);
  XlaBuilder* builder = BuilderOf(operands);
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const auto* callee, StateOf(builder).Find(computation));
    auto attributes = std::make_unique<ScanAttributes>();
    attributes->dimension = scan_dimension;
    attributes->num_carries = static_cast<int64_t>(inits.size());
    attributes->is_reverse = is_reverse;
    attributes->is_associative = is_associative;
    internal::BuilderState::Description description{
        HloOpcode::kScan, std::move(attributes), {computation}};
    if (scan_dimension_size.has_value()) {
      HILO_ASSIGN_OR_RETURN(description.shape, ScanShape(callee->shape.result(), inits.size(),
                                                         scan_dimension, *scan_dimension_size));
    }
    return AddOp(std::move(description), operands);
  });
}

XlaOp Scan(absl::Span<const XlaOp> inputs, absl::Span<const XlaOp> inits,
           const XlaComputation& computation, int64_t scan_dimension,
           std::optional<int64_t> scan_dimension_size, bool is_reverse, TriState is_associative) {
  XlaBuilder* builder = BuilderOf(Joined(inputs, inits));
  return Scan(inputs, inits, builder->AddSubComputation(computation), scan_dimension,
              scan_dimension_size, is_reverse, is_associative);
}

XlaOp Map(XlaBuilder* builder, absl::Span<const XlaOp> operands, XlaComputationId computation,
          absl::Span<const int64_t> dimensions, absl::Span<const XlaOp> static_operands) {
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    if (!static_operands.empty()) return Unimplemented("map: static operands are not supported");
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(operands));
    std::vector<XlaOp> stretched(operands.begin(), operands.end());
    RepeatScalars(shapes, absl::MakeSpan(stretched));
    auto attributes = std::make_unique<MapAttributes>();
    attributes->dimensions = ToInt64List(dimensions);
    return AddOp(builder, {HloOpcode::kMap, std::move(attributes), {computation}}, stretched);
  });
}

XlaOp Map(XlaBuilder* builder, absl::Span<const XlaOp> operands, const XlaComputation& computation,
          absl::Span<const int64_t> dimensions, absl::Span<const XlaOp> static_operands) {
  return Map(builder, operands, builder->AddSubComputation(computation), dimensions,
             static_operands);
}

XlaOp Sort(absl::Span<const XlaOp> operands, XlaComputationId comparator, int64_t dimension,
           bool is_stable) {
  return WithBuilder(BuilderOf(operands), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape keys, BuilderOf(operands)->GetShape(operands[0]));
    auto attributes = std::make_unique<SortAttributes>();
    attributes->dimension = dimension == -1 ? keys.dimensions_size() - 1 : dimension;
    attributes->is_stable = is_stable;
    return AddOp({HloOpcode::kSort, std::move(attributes), {comparator}}, operands);
  });
}

XlaOp Sort(absl::Span<const XlaOp> operands, const XlaComputation& comparator, int64_t dimension,
           bool is_stable) {
  return Sort(operands, BuilderOf(operands)->AddSubComputation(comparator), dimension, is_stable);
}

XlaOp TopK(XlaOp operand, int64_t k, bool largest, bool is_stable) {
  auto attributes = std::make_unique<TopKAttributes>();
  attributes->k = k;
  attributes->largest = largest;
  attributes->is_stable = is_stable;
  return AddOp({HloOpcode::kTopK, std::move(attributes)}, {operand});
}

}  // namespace xla
