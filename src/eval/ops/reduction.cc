// Operations that fold elements with a computation: reductions, windows, scans.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "eval/dynamic_sizes.h"
#include "eval/frame.h"
#include "eval/reducer.h"
#include "eval/scalar_function.h"
#include "eval/sliding_window.h"
#include "eval/walk.h"
#include "eval/windows.h"
#include "ir/records.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

// Arrays for the results of an operation with one result, or a tuple of them.
absl::StatusOr<std::vector<Literal>> MakeResults(const Shape& shape) {
  std::vector<Literal> results;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      HILO_ASSIGN_OR_RETURN(results.emplace_back(), MakeArray(element));
    }
  } else {
    HILO_ASSIGN_OR_RETURN(results.emplace_back(), MakeArray(shape));
  }
  return results;
}

Value ToValue(std::vector<Literal> results, const Shape& shape) {
  if (!shape.IsTuple()) return Value(std::move(results[0]));
  std::vector<Value> elements;
  for (Literal& result : results) elements.emplace_back(std::move(result));
  return Value(std::move(elements));
}

std::vector<const Literal*> Arrays(const Frame& frame, int64_t first, int64_t count) {
  std::vector<const Literal*> arrays;
  for (int64_t k = first; k < first + count; ++k) arrays.push_back(&frame.array(k));
  return arrays;
}

// The dimensions that stay and those that are reduced, with sizes and strides in the operands.
struct ReducedDimensions {
  DimensionVector kept_sizes, kept_strides;
  DimensionVector sizes, strides;

  ReducedDimensions(const Literal& operand, absl::Span<const int64_t> reduced) {
    const auto all_sizes = operand.shape().dimensions();
    const DimensionVector all_strides = RowMajorStrides(operand.shape().dimensions());
    for (int64_t d = 0; d < operand.shape().dimensions_size(); ++d) {
      if (absl::c_linear_search(reduced, d)) {
        sizes.push_back(all_sizes[d]);
        strides.push_back(all_strides[d]);
      } else {
        kept_sizes.push_back(all_sizes[d]);
        kept_strides.push_back(all_strides[d]);
      }
    }
  }
};

// One result at a time, from rows of neighbouring elements.
absl::Status ReduceByRows(const ReducedDimensions& dimensions, Reducer& reducer) {
  const int64_t row = dimensions.sizes.back();
  const absl::Span<const int64_t> outer =
      absl::MakeConstSpan(dimensions.sizes).first(dimensions.sizes.size() - 1);
  int64_t result = 0;
  for (Walk<1> at(dimensions.kept_sizes, {dimensions.kept_strides}); !at.done();
       at.Next(), ++result) {
    reducer.Start(1);
    for (Walk<1> from(outer, {absl::MakeConstSpan(dimensions.strides).first(outer.size())},
                      {at[0]});
         !from.done(); from.Next()) {
      HILO_RETURN_IF_ERROR(reducer.FoldRow(from[0], row));
    }
    reducer.Finish(result);
  }
  return absl::OkStatus();
}

// Neighbouring results side by side.
absl::Status ReduceByLanes(const ReducedDimensions& dimensions, Reducer& reducer) {
  const bool is_scalar = dimensions.kept_sizes.empty();
  const int64_t width = is_scalar ? 1 : dimensions.kept_sizes.back();
  const int64_t stride = is_scalar ? 0 : dimensions.kept_strides.back();
  const size_t outer = is_scalar ? 0 : dimensions.kept_sizes.size() - 1;
  int64_t result = 0;
  for (Walk<1> at(absl::MakeConstSpan(dimensions.kept_sizes).first(outer),
                  {absl::MakeConstSpan(dimensions.kept_strides).first(outer)});
       !at.done(); at.Next()) {
    for (int64_t first = 0; first < width; first += kLanes) {
      const int64_t count = std::min(kLanes, width - first);
      reducer.Start(count);
      for (Walk<1> from(dimensions.sizes, {dimensions.strides}, {at[0] + first * stride});
           !from.done(); from.Next()) {
        HILO_RETURN_IF_ERROR(reducer.Fold(from[0], stride, 0, count));
      }
      reducer.Finish(result + first);
    }
    result += width;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Value> Reduce(Frame& frame, const HloInstruction& instruction) {
  const int64_t count = frame.operand_count() / 2;
  HILO_ASSIGN_OR_RETURN(std::vector<Literal> results, MakeResults(instruction.shape()));
  const ReducedDimensions dimensions(frame.array(0),
                                     instruction.attributes_as<DimensionsAttributes>().dimensions);
  Reducer reducer(frame.evaluator(), *instruction.to_apply(), Arrays(frame, 0, count),
                  Arrays(frame, count, count), absl::MakeSpan(results));
  if (results[0].element_count() > 0) {
    const bool minor_is_reduced = !dimensions.strides.empty() && dimensions.strides.back() == 1;
    const bool is_narrow = dimensions.kept_sizes.empty() || dimensions.kept_sizes.back() < 32;
    HILO_RETURN_IF_ERROR(minor_is_reduced && is_narrow ? ReduceByRows(dimensions, reducer)
                                                       : ReduceByLanes(dimensions, reducer));
  }
  return ToValue(std::move(results), instruction.shape());
}

// Elements of padding and holes are left out, which is the same as the initial value in their
// place.
absl::StatusOr<Value> ReduceWindow(Frame& frame, const HloInstruction& instruction) {
  const int64_t count = frame.operand_count() / 2;
  HILO_ASSIGN_OR_RETURN(std::vector<Literal> results, MakeResults(instruction.shape()));
  Reducer reducer(frame.evaluator(), *instruction.to_apply(), Arrays(frame, 0, count),
                  Arrays(frame, count, count), absl::MakeSpan(results));
  const auto sizes = results[0].shape().dimensions();
  const std::optional<int> sliding = SlidingDimension(instruction.window());
  if (sliding.has_value() && reducer.commutative_step() != nullptr &&
      results[0].element_count() > 0 && frame.array(0).element_count() > 0) {
    SlideWindow(*reducer.commutative_step(), instruction.window().dimensions(*sliding), *sliding,
                frame.array(0), frame.array(1), results[0]);
    return ToValue(std::move(results), instruction.shape());
  }
  const Windows windows(instruction.window(), frame.array(0).shape().dimensions());
  // A row of results along the last dimension is done at once.
  const int64_t rank = static_cast<int64_t>(sizes.size());
  const int64_t width = rank == 0 ? 1 : sizes[rank - 1];
  const absl::Span<const int64_t> outer = sizes.first(std::max<int64_t>(rank - 1, 0));
  int64_t result = 0;
  for (Walk<0> at(outer, {}); !at.done(); at.Next(), result += width) {
    for (int64_t first = 0; first < width; first += kLanes) {
      const int64_t lanes = std::min(kLanes, width - first);
      reducer.Start(lanes);
      absl::Status status;
      windows.ForEachOfRow(at.index(), first, lanes, [&](const Windows::Run& run) {
        if (status.ok()) status = reducer.Fold(run.position, run.stride, run.first_lane, run.count);
      });
      HILO_RETURN_IF_ERROR(status);
      reducer.Finish(result + first);
    }
  }
  return ToValue(std::move(results), instruction.shape());
}

// Each window of the operand chooses one of its elements, to whose place the source's element goes.
absl::StatusOr<Value> SelectAndScatter(Frame& frame, const HloInstruction& instruction) {
  const Literal& operand = frame.array(0);
  const Literal& source = frame.array(1);
  const int64_t bytes = primitive_util::ByteWidth(operand.shape().element_type());
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  for (int64_t i = 0; i < result.element_count(); ++i) {
    std::memcpy(MutableData(result) + i * bytes, Data(frame.array(2)), bytes);
  }
  ScalarFunction select(frame.evaluator(), *instruction.select());
  ScalarFunction scatter(frame.evaluator(), *instruction.scatter());
  const auto sizes = source.shape().dimensions();
  const Windows windows(instruction.window(), operand.shape().dimensions());
  int64_t source_position = 0;
  for (Walk<0> at(sizes, {}); !at.done(); at.Next(), ++source_position) {
    int64_t chosen = -1;
    absl::Status status;
    windows.ForEach(at.index(), [&](int64_t position) {
      if (!status.ok()) return;
      char keeps = 0;
      char* keeps_at = &keeps;
      if (chosen >= 0) {
        status = select({Data(operand) + chosen * bytes, Data(operand) + position * bytes},
                        {&keeps_at, 1});
      }
      if (keeps == 0) chosen = position;
    });
    HILO_RETURN_IF_ERROR(status);
    if (chosen < 0) continue;
    char* target = MutableData(result) + chosen * bytes;
    HILO_RETURN_IF_ERROR(scatter({target, Data(source) + source_position * bytes}, {&target, 1}));
  }
  return Value(std::move(result));
}

absl::StatusOr<Value> Map(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  ScalarFunction function(frame.evaluator(), *instruction.to_apply());
  const int64_t result_bytes = primitive_util::ByteWidth(result.shape().element_type());
  std::vector<const char*> arguments;
  std::vector<int64_t> bytes;
  for (int64_t k = 0; k < frame.operand_count(); ++k) {
    arguments.push_back(Data(frame.array(k)));
    bytes.push_back(primitive_util::ByteWidth(frame.array(k).shape().element_type()));
  }
  char* target = MutableData(result);
  for (int64_t i = 0; i < result.element_count(); ++i) {
    HILO_RETURN_IF_ERROR(function(arguments, {&target, 1}));
    for (size_t k = 0; k < arguments.size(); ++k) arguments[k] += bytes[k];
    target += result_bytes;
  }
  return Value(std::move(result));
}

namespace {

// One index of a dimension of an array: a slice without that dimension. Dynamic sizes of the other
// dimensions go with it.
struct SliceAt {
  SliceAt(const Literal& array, int64_t dimension, int64_t index) : dimension(dimension) {
    const auto sizes = array.shape().dimensions();
    bytes = primitive_util::ByteWidth(array.shape().element_type());
    for (size_t d = dimension + 1; d < sizes.size(); ++d) inner *= sizes[d];
    outer = array.element_count() / std::max<int64_t>(1, inner * sizes[dimension]);
    stride = inner * sizes[dimension];
    start = index * inner;
  }

  void CopyOut(const Literal& array, Literal& slice) const {
    for (int64_t i = 0; i < outer; ++i) {
      std::memcpy(MutableData(slice) + i * inner * bytes,
                  Data(array) + (start + i * stride) * bytes, inner * bytes);
    }
    for (int d = 0; d < slice.shape().dimensions_size(); ++d)
      CopyDynamicSize(array, d < dimension ? d : d + 1, slice, d);
  }
  void CopyIn(const Literal& slice, Literal& array) const {
    for (int64_t i = 0; i < outer; ++i) {
      std::memcpy(MutableData(array) + (start + i * stride) * bytes,
                  Data(slice) + i * inner * bytes, inner * bytes);
    }
    for (int d = 0; d < slice.shape().dimensions_size(); ++d)
      CopyDynamicSize(slice, d, array, d < dimension ? d : d + 1);
  }

  int64_t dimension, bytes, outer, stride, start, inner = 1;
};

}  // namespace

// computation(slices of the inputs..., carries...) = (slices of the outputs..., carries...), one
// index of the dimension after the other. The result has the outputs, then the last carries.
absl::StatusOr<Value> Scan(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<ScanAttributes>();
  const HloComputation& computation = *instruction.to_apply();
  const int64_t inputs = frame.operand_count() - attributes.num_carries;
  HILO_ASSIGN_OR_RETURN(std::vector<Literal> results, MakeResults(instruction.shape()));
  const int64_t outputs = static_cast<int64_t>(results.size()) - attributes.num_carries;
  int64_t length = frame.array(0).shape().dimensions(attributes.dimension);
  for (int64_t k = 0; k < inputs; ++k)
    length = std::min(length, DynamicSizes(frame.array(k))[attributes.dimension]);
  std::vector<Value> carries;
  for (int64_t k = inputs; k < frame.operand_count(); ++k) carries.push_back(frame.operand(k));

  for (int64_t step = 0; step < length; ++step) {
    const int64_t index = attributes.is_reverse ? length - 1 - step : step;
    std::vector<Value> arguments;
    for (int64_t k = 0; k < inputs; ++k) {
      HILO_ASSIGN_OR_RETURN(Literal slice,
                            MakeArray(computation.parameter_instruction(k)->shape()));
      SliceAt(frame.array(k), attributes.dimension, index).CopyOut(frame.array(k), slice);
      arguments.emplace_back(std::move(slice));
    }
    for (Value& carry : carries) arguments.push_back(std::move(carry));
    HILO_ASSIGN_OR_RETURN(Value value, frame.Call(computation, std::move(arguments)));
    if (!value.IsTuple()) value = Value(std::vector<Value>{std::move(value)});
    for (int64_t k = 0; k < outputs; ++k) {
      SliceAt(results[k], attributes.dimension, index)
          .CopyIn(value.elements()[k].array(), results[k]);
    }
    for (int64_t k = 0; k < attributes.num_carries; ++k)
      carries[k] = value.TakeElement(outputs + k);
  }
  std::vector<Value> elements;
  for (int64_t k = 0; k < outputs; ++k) {
    if (length != results[k].shape().dimensions(attributes.dimension))
      results[k].SetDynamicSize(attributes.dimension, static_cast<int32_t>(length));
    elements.emplace_back(std::move(results[k]));
  }
  for (Value& carry : carries) elements.push_back(std::move(carry));
  if (!instruction.shape().IsTuple()) return std::move(elements[0]);
  return Value(std::move(elements));
}

}  // namespace xla::eval
