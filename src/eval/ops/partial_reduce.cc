// The custom call PartialReduce: the best of each of several groups along a dimension.
#include <cstring>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "base/status_macros.h"
#include "eval/element.h"
#include "eval/known_calls.h"
#include "eval/scalar_function.h"
#include "eval/walk.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla::eval {
namespace {

// The integer after "name": in a configuration that is JSON.
std::optional<int64_t> IntegerOf(absl::string_view config, absl::string_view name) {
  const size_t found = config.find(name);
  if (found == absl::string_view::npos) return std::nullopt;
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(config.substr(found + name.size()));
  if (rest.empty() || rest[0] != ':') return std::nullopt;
  rest = absl::StripLeadingAsciiWhitespace(rest.substr(1));
  int64_t value = 0;
  const size_t end = rest.find_first_not_of("-0123456789");
  if (!absl::SimpleAtoi(rest.substr(0, end), &value)) return std::nullopt;
  return value;
}

// Operands are arrays of equal dimensions and a scalar for each.
bool HasArraysAndScalars(const HloInstruction& call) {
  const int64_t arrays = call.operand_count() / 2;
  if (arrays == 0 || call.operand_count() % 2 != 0) return false;
  for (int64_t k = 0; k < arrays; ++k) {
    const Shape& array = call.operand(k)->shape();
    const Shape& scalar = call.operand(arrays + k)->shape();
    if (!array.IsArray() || !array.is_static() ||
        !ShapeUtil::SameDimensions(array, call.operand(0)->shape()) ||
        !ShapeUtil::IsScalarWithElementType(scalar, array.element_type())) {
      return false;
    }
  }
  return true;
}

// The callee takes the scalars x_0, y_0, x_1, y_1, ... and says whether x is the better one.
bool HasComparator(const HloInstruction& call) {
  if (call.called_computations().size() != 1) return false;
  const HloComputation& comparator = *call.called_computations()[0];
  if (comparator.num_parameters() != call.operand_count()) return false;
  for (int64_t k = 0; k < comparator.num_parameters(); ++k) {
    const PrimitiveType type = call.operand(k / 2)->shape().element_type();
    if (!ShapeUtil::IsScalarWithElementType(comparator.parameter_instruction(k)->shape(), type)) {
      return false;
    }
  }
  return ShapeUtil::IsScalarWithElementType(comparator.root_instruction()->shape(), PRED);
}

std::optional<int64_t> ReductionDimension(const HloInstruction& call) {
  return IntegerOf(call.raw_backend_config_string(), "\"reduction_dim\"");
}

// The best elements so far.
class Best {
 public:
  Best(Frame& frame, const HloComputation& comparator) : better_(frame.evaluator(), comparator) {
    const int64_t arrays = frame.operand_count() / 2;
    for (int64_t k = 0; k < arrays; ++k) {
      arrays_.push_back(Data(frame.array(k)));
      initial_.push_back(Data(frame.array(arrays + k)));
      bytes_.push_back(FormatOf(frame.array(k).shape().element_type()).bytes);
    }
  }

  void Start() { best_ = initial_; }

  absl::Status Add(int64_t position) {
    std::vector<const char*> arguments, candidate;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      candidate.push_back(arrays_[k] + position * bytes_[k]);
      arguments.insert(arguments.end(), {candidate[k], best_[k]});
    }
    char is_better = 0;
    char* result = &is_better;
    HILO_RETURN_IF_ERROR(better_(arguments, {&result, 1}));
    if (is_better != 0) best_ = candidate;
    return absl::OkStatus();
  }

  void Store(int64_t position, std::vector<Literal>& results) const {
    for (size_t k = 0; k < best_.size(); ++k) {
      std::memcpy(MutableData(results[k]) + position * bytes_[k], best_[k], bytes_[k]);
    }
  }

 private:
  ScalarFunction better_;
  std::vector<const char*> arrays_, initial_, best_;
  std::vector<int> bytes_;
};

// With g groups, elements i, i + g, i + 2 g, ... are group i.
absl::StatusOr<Value> PartialReduce(Frame& frame, const HloInstruction& instruction) {
  const int64_t dimension = *ReductionDimension(instruction);
  std::vector<Literal> results;
  for (const Shape& shape : instruction.shape().tuple_shapes()) {
    HILO_ASSIGN_OR_RETURN(results.emplace_back(), MakeArray(shape));
  }
  const auto sizes = frame.array(0).shape().dimensions();
  const auto groups = results[0].shape().dimensions();
  const DimensionVector from = RowMajorStrides(sizes), to = RowMajorStrides(groups);
  Best best(frame, *instruction.called_computations()[0]);
  for (Walk<2> at(groups, {from, to}); !at.done(); at.Next()) {
    best.Start();
    int64_t position = at[0];
    for (int64_t i = at.index()[dimension]; i < sizes[dimension]; i += groups[dimension]) {
      HILO_RETURN_IF_ERROR(best.Add(position));
      position += groups[dimension] * from[dimension];
    }
    best.Store(at[1], results);
  }
  std::vector<Value> elements;
  for (Literal& result : results) elements.emplace_back(std::move(result));
  return Value(std::move(elements));
}

}  // namespace

std::optional<int64_t> PartialReduceDimension(const HloInstruction& instruction) {
  if (!instruction.IsCustomCall("PartialReduce") || !HasArraysAndScalars(instruction) ||
      !HasComparator(instruction)) {
    return std::nullopt;
  }
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& result = instruction.shape();
  const std::optional<int64_t> dimension = ReductionDimension(instruction);
  if (!dimension.has_value() || *dimension < 0 || *dimension >= operand.dimensions_size() ||
      !result.IsTuple() || result.tuple_shapes_size() != instruction.operand_count() / 2) {
    return std::nullopt;
  }
  for (int k = 0; k < result.tuple_shapes_size(); ++k) {
    const Shape& element = result.tuple_shapes(k);
    if (!element.IsArray() || !ShapeUtil::SameDimensions(element, result.tuple_shapes(0)) ||
        element.dimensions_size() != operand.dimensions_size()) {
      return std::nullopt;
    }
    Shape expected = instruction.operand(k)->shape();
    expected.set_dimensions(static_cast<int>(*dimension),
                            element.dimensions(static_cast<int>(*dimension)));
    if (!ShapeUtil::Compatible(element, expected)) return std::nullopt;
  }
  return dimension;
}

Operation FindPartialReduce(const HloInstruction& instruction) {
  return PartialReduceDimension(instruction).has_value() ? &PartialReduce : nullptr;
}

}  // namespace xla::eval
