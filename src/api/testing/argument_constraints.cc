#include "api/testing/argument_constraints.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/records.h"
#include "passes/reducer.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal_util.h"

namespace xla::testing_internal {
namespace {

// True for operations whose result has no elements but those of operand `operand`.
bool KeepsElements(const HloInstruction& user, int64_t operand) {
  switch (user.opcode()) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kConvert:
    case HloOpcode::kCopy:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
    case HloOpcode::kWhile:
      return true;
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather:
      return operand == 0;
    default:
      return false;
  }
}

// The computation whose only parameter, or whose parameter `operand`, the operand becomes.
std::vector<const HloInstruction*> CalledParameters(const HloInstruction& user, int64_t operand) {
  switch (user.opcode()) {
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
      return {user.called_computations()[0]->parameter_instruction(operand)};
    case HloOpcode::kWhile:
      return {user.while_body()->parameter_instruction(0),
              user.while_condition()->parameter_instruction(0)};
    case HloOpcode::kConditional:
      if (operand == 0) return {};
      return {user.branch_computation(operand - 1)->parameter_instruction(0)};
    default:
      return {};
  }
}

// The value that a reduction with this computation may begin with without changing its result; zero
// when it is not a known one.
Literal NeutralElement(const HloComputation& reducer, PrimitiveType type) {
  return passes::NeutralElement(reducer.root_instruction()->opcode(), type)
      .value_or(LiteralUtil::Zero(type));
}

// The computation of the reduction that operand `operand` is an initial value of, or null.
const HloComputation* ReducerFor(const HloInstruction& user, int64_t operand) {
  switch (user.opcode()) {
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
      return operand >= user.operand_count() / 2 ? user.to_apply() : nullptr;
    case HloOpcode::kSelectAndScatter:
      return operand == 2 ? user.scatter() : nullptr;
    default:
      return nullptr;
  }
}

// Whether the function has no real value, or none that is finite, for some number that is not
// positive.
bool IsForPositiveNumbers(HloOpcode opcode) {
  return opcode == HloOpcode::kLog || opcode == HloOpcode::kLog1p || opcode == HloOpcode::kRsqrt ||
         opcode == HloOpcode::kSqrt;
}

// The size of what a scatter writes along a dimension of its operand.
int64_t ScatterWindowSize(const HloInstruction& scatter, int64_t dimension) {
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  const auto is_left_out = [&](int64_t d) {
    return absl::c_linear_search(attributes.inserted_window_dims, d) ||
           absl::c_linear_search(attributes.input_batching_dims, d);
  };
  if (is_left_out(dimension)) return 1;
  int64_t position = 0;
  for (int64_t d = 0; d < dimension; ++d) position += is_left_out(d) ? 0 : 1;
  const Shape& updates = scatter.operand(scatter.operand_count() - 1)->shape();
  return updates.dimensions(attributes.update_window_dims[position]);
}

// The largest start of a slice along some dimensions, each of which is (size, size of the slice).
int64_t LargestStart(const std::vector<std::pair<int64_t, int64_t>>& dimensions) {
  int64_t largest = std::numeric_limits<int32_t>::max();
  for (const auto& [size, slice] : dimensions) largest = std::min(largest, size - slice);
  return std::max<int64_t>(largest, 0);
}

// The dimensions that operand `operand` is an index into, with the sizes of the slices taken; empty
// when it is no index.
std::vector<std::pair<int64_t, int64_t>> IndexedDimensions(const HloInstruction& user,
                                                           int64_t operand) {
  std::vector<std::pair<int64_t, int64_t>> dimensions;
  const auto slices = [&](int64_t first_index, auto slice_size) {
    const Shape& operand_shape = user.operand(0)->shape();
    const bool is_vector = user.operand(operand)->shape().dimensions_size() == 1;
    for (int64_t d = 0; d < operand_shape.dimensions_size(); ++d) {
      if (is_vector || d == operand - first_index) {
        dimensions.emplace_back(operand_shape.dimensions(d), slice_size(d));
      }
    }
  };
  if (user.opcode() == HloOpcode::kDynamicSlice && operand >= 1) {
    slices(1, [&](int64_t d) { return user.dynamic_slice_sizes()[d]; });
  } else if (user.opcode() == HloOpcode::kDynamicUpdateSlice && operand >= 2) {
    slices(2, [&](int64_t d) { return user.operand(1)->shape().dimensions(d); });
  } else if (user.opcode() == HloOpcode::kGather && operand == 1) {
    const auto& attributes = user.attributes_as<GatherAttributes>();
    for (const int64_t d : attributes.start_index_map) {
      dimensions.emplace_back(user.operand(0)->shape().dimensions(d), attributes.slice_sizes[d]);
    }
  } else if (user.opcode() == HloOpcode::kScatter && operand == user.operand_count() / 2) {
    for (const int64_t d : user.attributes_as<ScatterAttributes>().scatter_dims_to_operand_dims) {
      dimensions.emplace_back(user.operand(0)->shape().dimensions(d), ScatterWindowSize(user, d));
    }
  }
  return dimensions;
}

class ConstraintFinder {
 public:
  explicit ConstraintFinder(const ConstraintOptions& options) : options_(options) {}

  Constraint Find(const HloInstruction& parameter, const ShapeIndex& index) {
    Visit(&parameter, index);
    while (!pending_.empty()) {
      const auto [value, value_index] = std::move(pending_.back());
      pending_.pop_back();
      for (const HloInstruction* user : value->users()) {
        for (int64_t i = 0; i < user->operand_count(); ++i) {
          if (user->operand(i) == value) VisitUse(*user, i, value_index);
        }
      }
    }
    return std::move(constraint_);
  }

 private:
  void Visit(const HloInstruction* value, const ShapeIndex& index) {
    if (visited_.insert({value, std::vector<int64_t>(index.begin(), index.end())}).second) {
      pending_.emplace_back(value, index);
    }
  }

  void VisitUse(const HloInstruction& user, int64_t operand, const ShapeIndex& index) {
    for (const HloInstruction* parameter : CalledParameters(user, operand)) Visit(parameter, index);
    if (user.opcode() == HloOpcode::kTuple) {
      ShapeIndex element = index;
      element.insert(element.begin(), operand);
      Visit(&user, element);
    } else if (user.opcode() == HloOpcode::kGetTupleElement) {
      if (index.empty() || index.front() != user.tuple_index()) return;
      Visit(&user, ShapeIndex(index.begin() + 1, index.end()));
    } else if (KeepsElements(user, operand)) {
      Visit(&user, index);
    }
    if (index.empty()) Add(user, operand);
  }

  void Add(const HloInstruction& user, int64_t operand) {
    const PrimitiveType type = user.operand(operand)->shape().element_type();
    if (const HloComputation* reducer = ReducerFor(user, operand)) {
      if (!constraint_.constant.has_value() && !primitive_util::IsComplexType(type)) {
        constraint_.constant = NeutralElement(*reducer, type);
      }
    } else if (user.opcode() == HloOpcode::kSort) {
      constraint_.distinct = true;
    } else if (IsForPositiveNumbers(user.opcode())) {
      constraint_.positive = true;
    } else if (user.opcode() == HloOpcode::kSetDimensionSize && operand == 1) {
      Limit(user.operand(0)->shape().dimensions(user.dimension()));
    } else if (user.opcode() == HloOpcode::kConditional && operand == 0 && type == S32) {
      Limit(user.branch_count() - 1);
    } else {
      AddIndex(user, operand);
    }
  }

  void AddIndex(const HloInstruction& user, int64_t operand) {
    const std::vector<std::pair<int64_t, int64_t>> dimensions = IndexedDimensions(user, operand);
    if (dimensions.empty()) return;
    Limit(LargestStart(dimensions));
    if (options_.align_dynamic_slices && dimensions.size() == 1) {
      constraint_.alignment = std::max(constraint_.alignment, dimensions[0].second);
    }
    if (options_.known_zeroes == nullptr) return;
    const std::optional<uint64_t> zeroes = options_.known_zeroes(&user, operand);
    constraint_.zero_bits |= zeroes.value_or(0);
  }

  void Limit(int64_t largest) {
    const int64_t least_so_far =
        constraint_.limit.has_value() ? constraint_.limit->second : largest;
    constraint_.limit = std::make_pair(int64_t{0}, std::min(least_so_far, largest));
  }

  const ConstraintOptions& options_;
  Constraint constraint_;
  std::set<std::pair<const HloInstruction*, std::vector<int64_t>>> visited_;
  std::vector<std::pair<const HloInstruction*, ShapeIndex>> pending_;
};

}  // namespace

Constraint ConstraintOf(const HloInstruction& parameter, const ShapeIndex& index,
                        const ConstraintOptions& options) {
  return ConstraintFinder(options).Find(parameter, index);
}

}  // namespace xla::testing_internal
