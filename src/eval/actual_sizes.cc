#include "eval/actual_sizes.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "eval/dynamic_sizes.h"
#include "ir/kept_dimensions.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "ir/reshape_groups.h"
#include "ir/shape_rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

absl::StatusOr<Value> EvaluateInPlace(Frame& frame, const HloInstruction& instruction,
                                      const KeptDimensions& kept) {
  std::vector<std::pair<int64_t, int64_t>> sizes;
  for (size_t d = 0; d < kept.size(); ++d) {
    if (!kept[d].has_value()) continue;
    const Literal& array = frame.array(kept[d]->operand);
    if (!array.shape().is_dynamic_dimension(kept[d]->dimension)) continue;
    sizes.emplace_back(d, array.GetDynamicSize(kept[d]->dimension));
  }
  HILO_ASSIGN_OR_RETURN(Value value, FindOperation(instruction.opcode())(frame, instruction));
  Literal result = std::move(value).TakeArray();
  for (const auto& [d, size] : sizes) result.SetDynamicSize(d, static_cast<int32_t>(size));
  return Value(std::move(result));
}

// ---- Operations on arrays of the actual sizes -----------------------------------------------

// The sizes that operands are cut to.
class OperandSizes {
 public:
  explicit OperandSizes(const Frame& frame) : frame_(frame) {
    for (int64_t k = 0; k < frame.operand_count(); ++k) sizes_.push_back(DynamicSizes(array(k)));
    is_broadcast_.resize(sizes_.size());
  }

  const Literal& array(int64_t k) const { return frame_.array(k); }
  int64_t rank(int64_t k) const { return static_cast<int64_t>(sizes_[k].size()); }
  absl::Span<const int64_t> operator[](int64_t k) const { return sizes_[k]; }
  // Whether the array itself is what to take.
  bool AreBounds(int64_t k) const {
    return !is_broadcast_[k] && absl::c_equal(sizes_[k], bounds(k));
  }

  // Takes an operand in its bounds.
  void KeepBounds(int64_t k) { sizes_[k].assign(bounds(k).begin(), bounds(k).end()); }

  // Cuts a dimension that is static.
  void Cut(OperandDimension at, int64_t size) {
    int64_t& own = sizes_[at.operand][at.dimension];
    if (!IsDynamic(at)) own = std::min(own, size);
  }

  // Dimensions that must be equally long.
  void Tie(absl::Span<const OperandDimension> dimensions, bool broadcasts = false) {
    std::optional<int64_t> size;
    for (const OperandDimension& at : dimensions) {
      if (!IsDynamic(at)) continue;
      const int64_t own = sizes_[at.operand][at.dimension];
      if (!size.has_value() || (broadcasts && *size == 1)) size = own;
    }
    if (!size.has_value()) return;
    for (const OperandDimension& at : dimensions) {
      Cut(at, *size);
      int64_t& own = sizes_[at.operand][at.dimension];
      if (!broadcasts || own != 1 || *size == 1 || bounds(at.operand)[at.dimension] == 1) continue;
      own = *size;
      is_broadcast_[at.operand] = true;
    }
  }

  // The dimensions of operands [first, last), scalars aside, but for one.
  void TieArrays(int64_t first, int64_t last, bool broadcasts = false, int64_t except = -1) {
    int64_t most = 0;
    for (int64_t k = first; k < last; ++k) most = std::max(most, rank(k));
    for (int64_t d = 0; d < most; ++d) {
      if (d == except) continue;
      std::vector<OperandDimension> dimensions;
      for (int64_t k = first; k < last; ++k) {
        if (rank(k) == most) dimensions.push_back({k, d});
      }
      Tie(dimensions, broadcasts);
    }
  }

  // Dimensions of operands 0 and 1 in pairs.
  void TiePairs(absl::Span<const int64_t> lhs, absl::Span<const int64_t> rhs) {
    for (size_t i = 0; i < lhs.size(); ++i) Tie({{0, lhs[i]}, {1, rhs[i]}});
  }

 private:
  absl::Span<const int64_t> bounds(int64_t k) const { return array(k).shape().dimensions(); }
  bool IsDynamic(OperandDimension at) const {
    return array(at.operand).shape().is_dynamic_dimension(at.dimension);
  }

  const Frame& frame_;
  std::vector<DimensionVector> sizes_;
  std::vector<bool> is_broadcast_;
};

void TieScatter(const HloInstruction& scatter, OperandSizes& sizes) {
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  const int64_t indices = scatter.operand_count() / 2, updates = indices + 1;
  for (int64_t k = 0; k < indices; ++k) sizes.KeepBounds(k);
  sizes.TieArrays(updates, scatter.operand_count());
  int64_t batch = 0;
  for (int64_t d = 0; d < sizes.rank(updates); ++d) {
    if (absl::c_linear_search(attributes.update_window_dims, d)) continue;
    if (batch == attributes.index_vector_dim) ++batch;
    std::vector<OperandDimension> dimensions = {{indices, batch++}};
    for (int64_t k = updates; k < scatter.operand_count(); ++k) dimensions.push_back({k, d});
    sizes.Tie(dimensions);
  }
}

void TieConvolution(const HloInstruction& convolution, OperandSizes& sizes) {
  if (convolution.attributes_as<ConvolutionAttributes>().feature_group_count != 1) return;
  const ConvolutionDimensionNumbers& numbers =
      convolution.attributes_as<ConvolutionAttributes>().dimension_numbers;
  sizes.Tie(
      {{0, numbers.input_feature_dimension()}, {1, numbers.kernel_input_feature_dimension()}});
}

// How often a window fits. The sums are wide enough for any padding.
int64_t WindowCount(const WindowDimension& window, int64_t size) {
  using Wide = __int128;
  const Wide dilated = size == 0 ? 0 : Wide{size - 1} * window.base_dilation() + 1;
  const Wide padded = dilated + window.padding_low() + window.padding_high();
  const Wide extent = Wide{window.size() - 1} * window.window_dilation() + 1;
  return padded < extent ? 0 : static_cast<int64_t>((padded - extent) / window.stride() + 1);
}

// The source has an element for each window.
void TieSelectAndScatter(const HloInstruction& instruction, OperandSizes& sizes) {
  for (int64_t d = 0; d < sizes.rank(0); ++d) {
    const WindowDimension& window = instruction.window().dimensions(static_cast<int>(d));
    sizes.Cut({1, d}, WindowCount(window, sizes[0][d]));
  }
}

void TieBatchNorm(const HloInstruction& instruction, OperandSizes& sizes) {
  std::vector<OperandDimension> features = {
      {0, instruction.attributes_as<BatchNormAttributes>().feature_index}};
  const bool is_grad = instruction.opcode() == HloOpcode::kBatchNormGrad;
  if (is_grad) {
    for (int64_t d = 0; d < sizes.rank(0); ++d) sizes.Tie({{0, d}, {4, d}});
    features.push_back({4, features[0].dimension});
  }
  for (int64_t k = 1; k < (is_grad ? 4 : instruction.operand_count()); ++k)
    features.push_back({k, 0});
  sizes.Tie(features);
}

// Square matrices, and what is solved for.
void TieMatrices(const HloInstruction& instruction, OperandSizes& sizes) {
  const int64_t row = sizes.rank(0) - 2, column = row + 1;
  std::vector<OperandDimension> sides = {{0, row}, {0, column}};
  if (instruction.opcode() == HloOpcode::kTriangularSolve) {
    const bool left = instruction.attributes_as<TriangularSolveAttributes>().left_side;
    sides.push_back({1, left ? row : column});
    for (int64_t d = 0; d < row; ++d) sizes.Tie({{0, d}, {1, d}});
  }
  sizes.Tie(sides);
}

template <typename Record>
void TieDot(const HloInstruction& dot, OperandSizes& sizes) {
  const auto& attributes = dot.attributes_as<Record>();
  sizes.TiePairs(attributes.lhs_batch, attributes.rhs_batch);
  sizes.TiePairs(attributes.lhs_contracting, attributes.rhs_contracting);
}

// A scalar predicate chooses one of two arrays with its own size.
bool SelectsWhole(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kSelect &&
         instruction.operand(0)->shape().dimensions_size() == 0;
}

// False for operations that pass arrays on or look after padding themselves.
bool CutsOperands(const HloInstruction& instruction, OperandSizes& sizes) {
  const int64_t count = instruction.operand_count();
  switch (instruction.opcode()) {
    case HloOpcode::kFft:
    case HloOpcode::kPad:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kTopK:
      return true;
    case HloOpcode::kBatchNormGrad:
    case HloOpcode::kBatchNormInference:
    case HloOpcode::kBatchNormTraining:
      TieBatchNorm(instruction, sizes);
      return true;
    case HloOpcode::kCholesky:
    case HloOpcode::kTriangularSolve:
      TieMatrices(instruction, sizes);
      return true;
    case HloOpcode::kConcatenate:
      sizes.TieArrays(0, count, /*broadcasts=*/false,
                      instruction.attributes_as<OneDimensionAttributes>().dimension);
      return true;
    case HloOpcode::kConvolution:
      TieConvolution(instruction, sizes);
      return true;
    case HloOpcode::kDot:
    case HloOpcode::kScaledDot:
      TieDot<DotAttributes>(instruction, sizes);
      return true;
    case HloOpcode::kRaggedDot:
      TieDot<RaggedDotAttributes>(instruction, sizes);
      return true;
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
      sizes.TieArrays(0, count / 2);
      return true;
    case HloOpcode::kScatter:
      TieScatter(instruction, sizes);
      return true;
    case HloOpcode::kSelectAndScatter:
      TieSelectAndScatter(instruction, sizes);
      return true;
    case HloOpcode::kSort:
      sizes.TieArrays(0, count);
      return true;
    default:
      if (!HasTrait(instruction.opcode(), kElementwise) || SelectsWhole(instruction)) return false;
      sizes.TieArrays(0, count, /*broadcasts=*/true);
      return true;
  }
}

// Attributes that repeat sizes of operands.
void AdaptAttributes(const HloInstruction& instruction, const OperandSizes& sizes,
                     Attributes& attributes) {
  if (auto* convolution = dynamic_cast<ConvolutionAttributes*>(&attributes)) {
    for (int d = 0; d < convolution->window.dimensions_size(); ++d) {
      const int64_t from = convolution->dimension_numbers.kernel_spatial_dimensions(d);
      convolution->window.mutable_dimensions(d)->set_size(sizes[1][from]);
    }
  } else if (auto* fft = dynamic_cast<FftAttributes*>(&attributes)) {
    const int64_t axes = static_cast<int64_t>(fft->fft_length.size());
    for (int64_t i = 0; i < axes; ++i) {
      const int64_t size = sizes[0][sizes.rank(0) - axes + i];
      int64_t& length = fft->fft_length[i];
      const bool is_half = fft->fft_type == IRFFT && i == axes - 1;
      if (!is_half) {
        length = size;
      } else if (size != length / 2 + 1) {
        length = size == 0 ? 0 : 2 * (size - 1) + length % 2;
      }
    }
  } else if (auto* top = dynamic_cast<TopKAttributes*>(&attributes)) {
    top->k = std::min(top->k, sizes[0].back());
  }
}

// Dimensions [first, last) of a reshape's result get `count` elements: the first one that may
// change and can takes what the others leave.
bool ShrinkOne(const HloInstruction& reshape, int64_t first, int64_t last, int64_t count,
               DimensionVector& sizes) {
  const int64_t inferred = reshape.attributes_as<ReshapeAttributes>().inferred_dimension;
  const auto all = absl::MakeSpan(sizes).subspan(first, last - first);
  if (Product(all) == count) return true;
  const auto shrinks = [&](auto&& may_change) {
    for (int64_t d = first; d < last; ++d) {
      if (!may_change(d)) continue;
      const int64_t bound = std::exchange(sizes[d], 1);
      const int64_t others = Product(all);
      if (others > 0 && count % others == 0 && count / others <= bound) {
        sizes[d] = count / others;
        return true;
      }
      sizes[d] = bound;
    }
    return false;
  };
  return (inferred >= first && shrinks([&](int64_t d) { return d == inferred; })) ||
         shrinks([&](int64_t d) { return reshape.shape().is_dynamic_dimension(d); }) ||
         shrinks([](int64_t) { return true; });
}

// Each group of dimensions of the operand that becomes a group of the result's keeps its elements.
absl::StatusOr<DimensionVector> ReshapedSizes(const HloInstruction& reshape, const Shape& operand,
                                              absl::Span<const int64_t> operand_sizes) {
  DimensionVector sizes(reshape.shape().dimensions().begin(), reshape.shape().dimensions().end());
  for (const auto [from, from_end, to, to_end] : ReshapeGroups(operand, reshape.shape())) {
    const int64_t count = Product(operand_sizes.subspan(from, from_end - from));
    if (!ShrinkOne(reshape, to, to_end, count, sizes)) {
      return InvalidArgument(
          "reshape %s: an operand with the sizes {%s} cannot become %s: no dimension can take what "
          "the others leave",
          reshape.name(), absl::StrJoin(operand_sizes, ","),
          ShapeUtil::HumanString(reshape.shape()));
    }
  }
  return sizes;
}

// The shape to declare; nothing for operations that need none.
absl::StatusOr<std::optional<Shape>> DeclaredShape(const HloInstruction& instruction,
                                                   const OperandSizes& sizes) {
  if (!HasTrait(instruction.opcode(), kShapeRequired)) return std::nullopt;
  DimensionVector dimensions(sizes[0].begin(), sizes[0].end());
  if (instruction.opcode() == HloOpcode::kReshape) {
    HILO_ASSIGN_OR_RETURN(dimensions, ReshapedSizes(instruction, sizes.array(0).shape(), sizes[0]));
  }
  return ShapeUtil::MakeShape(instruction.shape().element_type(), dimensions);
}

void CopyElementTypes(const Shape& from, Shape& to) {
  if (!from.IsTuple()) return to.set_element_type(from.element_type());
  for (int i = 0; i < from.tuple_shapes_size(); ++i)
    CopyElementTypes(from.tuple_shapes(i), *to.mutable_tuple_shapes(i));
}

// The same operation on static arrays, with parameters for them.
struct StaticInstruction {
  std::vector<std::unique_ptr<HloInstruction>> parameters;
  std::unique_ptr<HloInstruction> operation;
};

absl::StatusOr<StaticInstruction> MakeStatic(const HloInstruction& instruction,
                                             const OperandSizes& sizes) {
  StaticInstruction result;
  std::vector<HloInstruction*> operands;
  std::vector<const Shape*> shapes;
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    result.parameters.push_back(HloInstruction::CreateParameter(
        k, ShapeUtil::MakeShape(sizes.array(k).shape().element_type(), sizes[k]), "operand"));
    operands.push_back(result.parameters.back().get());
    shapes.push_back(&operands.back()->shape());
  }
  std::unique_ptr<Attributes> attributes = instruction.attributes().Clone();
  AdaptAttributes(instruction, sizes, *attributes);
  std::vector<ProgramShape> callees;
  for (const HloComputation* callee : instruction.called_computations())
    callees.push_back(callee->ComputeProgramShape(/*include_ids=*/false));
  std::vector<const ProgramShape*> callee_pointers;
  for (const ProgramShape& callee : callees) callee_pointers.push_back(&callee);

  HILO_ASSIGN_OR_RETURN(const std::optional<Shape> declared, DeclaredShape(instruction, sizes));
  absl::StatusOr<Shape> shape =
      InferShape({instruction.opcode(), shapes, attributes.get(), callee_pointers,
                  declared.has_value() ? &*declared : nullptr});
  if (!shape.ok()) {
    return InvalidArgument("%s; these are the sizes at run time of %s", shape.status().message(),
                           instruction.name());
  }
  CopyElementTypes(instruction.shape(), *shape);
  result.operation =
      HloInstruction::Create(instruction.opcode(), *std::move(shape), operands,
                             std::move(attributes), instruction.called_computations());
  result.operation->SetAndSanitizeName(instruction.name());
  return result;
}

absl::StatusOr<Value> InBounds(Value value, const Shape& shape) {
  if (value.IsArray()) {
    HILO_ASSIGN_OR_RETURN(Literal array, WithBounds(std::move(value).TakeArray(), shape));
    return Value(std::move(array));
  }
  std::vector<Value> elements;
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    HILO_ASSIGN_OR_RETURN(elements.emplace_back(),
                          InBounds(value.TakeElement(i), shape.tuple_shapes(i)));
  }
  return Value(std::move(elements));
}

absl::StatusOr<Value> EvaluateCut(Frame& frame, const HloInstruction& instruction,
                                  const OperandSizes& sizes) {
  HILO_ASSIGN_OR_RETURN(const StaticInstruction on_static, MakeStatic(instruction, sizes));
  std::vector<Value> operands;
  for (int64_t k = 0; k < frame.operand_count(); ++k) {
    if (sizes.AreBounds(k)) {
      operands.push_back(frame.operand(k));
      continue;
    }
    HILO_ASSIGN_OR_RETURN(Literal array, WithSizes(frame.array(k), sizes[k]));
    operands.emplace_back(std::move(array));
  }
  Frame cut(frame.evaluator(), absl::MakeSpan(operands));
  HILO_ASSIGN_OR_RETURN(Value result,
                        FindOperation(instruction.opcode())(cut, *on_static.operation));
  return InBounds(std::move(result), instruction.shape());
}

bool AllAreArrays(const Frame& frame) {
  for (int64_t k = 0; k < frame.operand_count(); ++k) {
    if (!frame.operand(k).IsArray()) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Value> EvaluateWithoutPadding(Frame& frame, const HloInstruction& instruction) {
  if (instruction.shape().IsArray() && AllAreArrays(frame)) {
    const std::optional<KeptDimensions> kept = FindKeptDimensions(instruction);
    if (kept.has_value()) return EvaluateInPlace(frame, instruction, *kept);
  }
  if (AllAreArrays(frame)) {
    OperandSizes sizes(frame);
    if (CutsOperands(instruction, sizes)) return EvaluateCut(frame, instruction, sizes);
  }
  return FindOperation(instruction.opcode())(frame, instruction);
}

}  // namespace xla::eval
