#include "tools/random_module.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "tools/fake_inputs.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr int kAttempts = 200;  // to find operands and attributes that an operation takes
constexpr int64_t kMostElements = 200;
constexpr PrimitiveType kTypes[] = {PRED,   S4,  S8,   S32, S64, U8,  U32, U64,
                                    F8E5M2, F16, BF16, F32, F64, C64, C128};

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(limit));
  }
  bool Coin() { return Below(2) == 0; }
  template <typename List>
  auto& OneOf(List& list) {
    return list[Below(std::size(list))];
  }

  // A permutation of [0, count).
  Int64List Permutation(int64_t count) {
    Int64List list(count);
    std::iota(list.begin(), list.end(), 0);
    for (int64_t i = count - 1; i > 0; --i) std::swap(list[i], list[Below(i + 1)]);
    return list;
  }

 private:
  std::mt19937_64 engine_;
};

Shape RandomArray(Random& random, absl::Span<const PrimitiveType> types) {
  Shape shape(random.OneOf(types));
  const int64_t rank = random.Below(4);
  for (int64_t i = 0; i < rank; ++i)
    shape.add_dimensions(random.Below(10) == 0 ? 0 : 1 + random.Below(3));
  return ShapeUtil::MakeShape(shape.element_type(), shape.dimensions());
}

// Sets a field to a value that may go with an array of `rank` dimensions. Some kinds keep the value
// of a fresh record.
struct FieldSetter {
  Random& random;
  int64_t rank;
  absl::Span<const PrimitiveType> types;

  // Counts, which are 1 in a fresh record, are never 0.
  void operator()(int64_t* value) const {
    *value = *value == 1 ? 1 + random.Below(3) : random.Below(4);
  }
  void operator()(bool* value) const { *value = random.Coin(); }
  void operator()(float* value) const { *value = static_cast<float>(1 + random.Below(4)) / 4; }
  void operator()(std::string* value) const { *value = "name"; }
  void operator()(std::optional<int64_t>* value) const {
    if (random.Coin())
      *value = 1 + random.Below(3);  // protobuf does not tell a channel 0 from none
  }
  void operator()(std::optional<bool>* value) const {
    if (random.Coin()) *value = random.Coin();
  }
  void operator()(Int64List* value) const {
    if (random.Below(3) == 0) {  // sizes
      for (int64_t i = 0; i < rank; ++i) value->push_back(random.Below(3));
      return;
    }
    *value = random.Permutation(rank);
    if (random.Coin()) return;
    value->resize(random.Below(rank + 1));
    absl::c_sort(*value);
  }
  void operator()(const EnumReference& reference) const {
    *reference.value = random.OneOf(reference.names).value;
  }
  void operator()(const OptionalEnumReference& reference) const {
    if (random.Coin()) *reference.value = random.OneOf(reference.names).value;
  }
  void operator()(Window* window) const {
    for (int64_t i = 0; i < rank; ++i) {
      WindowDimension* dimension = window->add_dimensions();
      dimension->set_size(1 + random.Below(2));
      dimension->set_stride(1 + random.Below(2));
      dimension->set_padding_low(random.Below(3) - 1);
      dimension->set_padding_high(random.Below(3) - 1);
      dimension->set_window_dilation(1 + random.Below(2));
      dimension->set_base_dilation(1 + random.Below(2));
    }
  }
  void operator()(PaddingConfig* padding) const {
    for (int64_t i = 0; i < rank; ++i) {
      PaddingConfig::PaddingConfigDimension* dimension = padding->add_dimensions();
      dimension->set_edge_padding_low(random.Below(4) - 1);
      dimension->set_edge_padding_high(random.Below(4) - 1);
      dimension->set_interior_padding(random.Below(2));
    }
  }
  void operator()(ConvolutionDimensionNumbers* numbers) const {
    if (rank < 2) return;
    const Int64List input = random.Permutation(rank);
    const Int64List kernel = random.Permutation(rank);
    const Int64List output = random.Permutation(rank);
    numbers->set_input_batch_dimension(input[0]);
    numbers->set_input_feature_dimension(input[1]);
    numbers->set_kernel_input_feature_dimension(kernel[0]);
    numbers->set_kernel_output_feature_dimension(kernel[1]);
    numbers->set_output_batch_dimension(output[0]);
    numbers->set_output_feature_dimension(output[1]);
    for (int64_t i = 2; i < rank; ++i) {
      numbers->add_input_spatial_dimensions(input[i]);
      numbers->add_kernel_spatial_dimensions(kernel[i]);
      numbers->add_output_spatial_dimensions(output[i]);
    }
  }
  void operator()(std::vector<SliceRange>* ranges) const {
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t start = random.Below(2);
      ranges->push_back({start, start + random.Below(3), 1 + random.Below(2)});
    }
  }
  void operator()(SharedLiteral* literal) const {
    int64_t number = random.Below(100);
    absl::StatusOr<Literal> made = MakeFakeLiteral(RandomArray(random, types), &number);
    if (made.ok()) *literal = std::make_shared<const Literal>(*std::move(made));
  }
  template <typename Other>
  void operator()(const Other&) const {}
};

// A computation to be: its signature, and whether it gives false rather than anything made of its
// parameters.
struct CalleeSketch {
  ProgramShape shape;
  bool is_false = false;
};

CalleeSketch Sketch(std::vector<Shape> parameters, Shape result, bool is_false = false) {
  CalleeSketch sketch;
  for (size_t i = 0; i < parameters.size(); ++i) {
    sketch.shape.AddParameter(std::move(parameters[i]), absl::StrCat("p", i));
  }
  *sketch.shape.mutable_result() = std::move(result);
  sketch.is_false = is_false;
  return sketch;
}

using Operands = absl::Span<const Shape* const>;

// Scalars of the element types of the first `count` operands, `times` over; pred where an operand
// is no array.
std::vector<Shape> ScalarsOf(Operands operands, size_t count, int times) {
  std::vector<Shape> scalars;
  for (int repeat = 0; repeat < times; ++repeat) {
    for (size_t i = 0; i < std::min(count, operands.size()); ++i) {
      const bool is_array = operands[i]->IsArrayExcludingBuffer();
      scalars.push_back(ShapeUtil::MakeShape(is_array ? operands[i]->element_type() : PRED, {}));
    }
  }
  return scalars;
}

CalleeSketch Reducer(Operands operands, size_t count) {
  const std::vector<Shape> results = ScalarsOf(operands, count, 1);
  return Sketch(ScalarsOf(operands, count, 2),
                results.size() == 1 ? results[0] : ShapeUtil::MakeTupleShape(results));
}

std::vector<CalleeSketch> SketchCallees(HloOpcode opcode, Operands operands) {
  const Shape pred = ShapeUtil::MakeShape(PRED, {});
  std::vector<Shape> all;
  for (const Shape* operand : operands) all.push_back(*operand);
  switch (opcode) {
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
      return {Sketch(all, all.empty() ? pred : all[0])};
    case HloOpcode::kWhile:
      return {Sketch(all, all[0]), Sketch(all, pred, /*is_false=*/true)};
    case HloOpcode::kConditional: {
      std::vector<CalleeSketch> branches;
      for (size_t i = 1; i < all.size(); ++i) branches.push_back(Sketch({all[i]}, all[1]));
      return branches;
    }
    case HloOpcode::kMap:
      return {Sketch(ScalarsOf(operands, all.size(), 1), ScalarsOf(operands, 1, 1)[0])};
    case HloOpcode::kSort: {
      std::vector<Shape> parameters;
      for (const Shape& scalar : ScalarsOf(operands, all.size(), 1))
        parameters.insert(parameters.end(), 2, scalar);
      return {Sketch(std::move(parameters), pred)};
    }
    case HloOpcode::kSelectAndScatter:
      return {Sketch(ScalarsOf(operands, 1, 2), pred), Reducer(operands, 1)};
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kScatter:
      return {Reducer(operands, all.size() / 2)};
    default:
      if (GetOpInfo(opcode).callees.form != CalleeForm::kNamed ||
          GetOpInfo(opcode).callees.count == 0)
        return {};
      return {Reducer(operands, 1)};
  }
}

HloInstruction* Constant(HloComputation::Builder& builder, Literal literal) {
  return builder.AddInstruction(HloInstruction::CreateConstant(std::move(literal)));
}

// A value of this shape made of the parameters where there are such, else of zeros; null where
// there is none.
HloInstruction* MakeValue(HloComputation::Builder& builder, const Shape& shape,
                          absl::Span<HloInstruction* const> parameters) {
  std::vector<HloInstruction*> same;
  for (HloInstruction* parameter : parameters) {
    if (ShapeUtil::Equal(parameter->shape(), shape)) same.push_back(parameter);
  }
  if (same.size() >= 2 && shape.IsArrayExcludingBuffer()) {
    return builder.AddInstruction(
        HloInstruction::CreateBinary(shape, HloOpcode::kAdd, same[0], same.back()));
  }
  if (!same.empty()) return same[0];
  if (shape.IsTuple()) {
    std::vector<HloInstruction*> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      elements.push_back(MakeValue(builder, element, parameters));
      if (elements.back() == nullptr) return nullptr;
    }
    return builder.AddInstruction(HloInstruction::CreateTuple(elements));
  }
  if (!shape.IsArrayExcludingBuffer() || !shape.is_static()) return nullptr;
  if (shape.element_type() == PRED && parameters.size() >= 2 && shape.dimensions_size() == 0 &&
      ShapeUtil::Equal(parameters[0]->shape(), parameters[1]->shape()) &&
      parameters[0]->shape().IsArrayExcludingBuffer() &&
      parameters[0]->shape().dimensions_size() == 0 &&
      !primitive_util::IsComplexType(parameters[0]->shape().element_type())) {
    return builder.AddInstruction(HloInstruction::CreateCompare(shape, parameters[0], parameters[1],
                                                                ComparisonDirection::kLt));
  }
  return Constant(builder, Literal::CreateFromShape(shape));
}

std::unique_ptr<HloComputation> MakeCallee(const CalleeSketch& sketch) {
  HloComputation::Builder builder("callee");
  std::vector<HloInstruction*> parameters;
  for (int i = 0; i < sketch.shape.parameters_size(); ++i) {
    parameters.push_back(builder.AddInstruction(
        HloInstruction::CreateParameter(i, sketch.shape.parameters(i), absl::StrCat("p", i))));
  }
  HloInstruction* root = sketch.is_false ? Constant(builder, LiteralUtil::CreateR0<bool>(false))
                                         : MakeValue(builder, sketch.shape.result(), parameters);
  return root == nullptr ? nullptr : builder.Build(root);
}

bool IsSmall(const Shape& shape) {
  bool is_small = true;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsBuffer() || part.is_unbounded_dynamic() ||
        (part.IsArray() && ShapeUtil::ElementsIn(part) > kMostElements)) {
      is_small = false;
    }
  });
  return is_small && ShapeUtil::GetLeafCount(shape) < 20;
}

class ModuleMaker {
 public:
  explicit ModuleMaker(uint64_t seed)
      : random_(seed),
        module_(std::make_unique<HloModule>(absl::StrCat("random", seed), HloModuleConfig())),
        builder_("entry") {
    types_ = {S32};
    for (int i = 0; i < 2; ++i) types_.push_back(random_.OneOf(kTypes));
    for (PrimitiveType type : types_) AddParameter(ShapeUtil::MakeShape(type, {}));
    for (int i = 0; i < 4; ++i) AddParameter(RandomArray(random_, types_));
    for (const OpInfo& op : AllOps()) {
      if (IsInRandomModules(op.opcode)) ops_.push_back(&op);
    }
  }

  std::unique_ptr<HloModule> Make(int size) {
    for (int i = 0; i < size; ++i) AddOperation(*random_.OneOf(ops_));
    std::vector<HloInstruction*> results;
    for (HloInstruction* value : values_) {
      if (value->user_count() == 0) results.push_back(value);
    }
    module_->AddEntryComputation(
        builder_.Build(builder_.AddInstruction(HloInstruction::CreateTuple(results))));
    return std::move(module_);
  }

 private:
  void AddParameter(const Shape& shape) {
    values_.push_back(builder_.AddInstruction(
        HloInstruction::CreateParameter(static_cast<int64_t>(values_.size()), shape, "p")));
  }

  std::vector<HloInstruction*> PickOperands(const OperandCount& count) {
    const int more = std::min(count.max - count.min, 3);
    const int64_t wanted = count.min + random_.Below(more + 1);
    std::vector<HloInstruction*> operands;
    for (int64_t i = 0; i < wanted; ++i) {
      HloInstruction* operand = random_.OneOf(values_);
      // Most operations want operands that are alike.
      for (int tries = 0;
           tries < 10 && i > 0 && operand->shape() != operands[0]->shape() && random_.Coin();
           ++tries) {
        operand = random_.OneOf(values_);
      }
      if (i > 0 && random_.Coin()) operand = random_.OneOf(operands);
      operands.push_back(operand);
    }
    return operands;
  }

  // What may be declared where the operands do not say it all.
  Shape PickDeclared(absl::Span<HloInstruction* const> operands) {
    Shape array = RandomArray(random_, types_);
    const Shape token = ShapeUtil::MakeTokenShape();
    Shape like = operands.empty() ? array : operands[0]->shape();
    switch (random_.Below(7)) {
      case 0:
        return array;
      case 1:
        return ShapeUtil::MakeTupleShape({array, token});
      case 2:
        return ShapeUtil::MakeTupleShape({array, ShapeUtil::MakeShape(U32, {}), token});
      case 3:
        if (like.IsArrayExcludingBuffer()) like.set_element_type(random_.OneOf(types_));
        return like;
      case 4:
        return ShapeUtil::MakeTupleShape({like, array});
      case 5: {
        if (!like.IsArrayExcludingBuffer()) return like;
        like.clear_layout();
        like.add_dimensions(2);
        return like;
      }
      default:
        return like;
    }
  }

  // Tries until an operation fits; there may be none that does.
  void AddOperation(const OpInfo& op) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (TryOperation(op)) return;
    }
  }

  bool TryOperation(const OpInfo& op) {
    const std::vector<HloInstruction*> operands = PickOperands(op.operands);
    std::vector<const Shape*> shapes;
    for (const HloInstruction* operand : operands) shapes.push_back(&operand->shape());
    const Shape declared = PickDeclared(operands);
    const bool of_operand =
        !shapes.empty() && shapes[0]->IsArrayExcludingBuffer() && op.opcode != HloOpcode::kIota;
    const int64_t rank = of_operand ? shapes[0]->dimensions_size() : 1;
    // HLO text has no word for the padding of a scalar.
    if (op.opcode == HloOpcode::kPad && rank == 0) return false;
    std::unique_ptr<Attributes> attributes = op.make_attributes();
    for (const Field& field : op.fields()) {
      if (random_.Below(4) == 0 && field.presence != Presence::kRequired) continue;
      std::visit(FieldSetter{random_, rank, types_}, field.reference(*attributes));
    }
    const std::vector<CalleeSketch> sketches = SketchCallees(op.opcode, shapes);
    std::vector<const ProgramShape*> callee_shapes;
    for (const CalleeSketch& sketch : sketches) callee_shapes.push_back(&sketch.shape);
    const bool is_declared = (op.traits & kShapeRequired) && op.opcode != HloOpcode::kConstant;
    const absl::StatusOr<Shape> shape = InferShape(
        {op.opcode, shapes, attributes.get(), callee_shapes, is_declared ? &declared : nullptr});
    if (!shape.ok() || !IsSmall(*shape)) return false;
    std::vector<std::unique_ptr<HloComputation>> made;
    for (const CalleeSketch& sketch : sketches) {
      made.push_back(MakeCallee(sketch));
      if (made.back() == nullptr) return false;
    }
    std::vector<HloComputation*> callees;
    for (auto& callee : made) callees.push_back(module_->AddEmbeddedComputation(std::move(callee)));
    values_.push_back(builder_.AddInstruction(
        HloInstruction::Create(op.opcode, *shape, operands, std::move(attributes), callees)));
    return true;
  }

  Random random_;
  std::unique_ptr<HloModule> module_;
  HloComputation::Builder builder_;
  std::vector<PrimitiveType> types_;
  std::vector<const OpInfo*> ops_;
  std::vector<HloInstruction*> values_;
};

}  // namespace

bool IsInRandomModules(HloOpcode opcode) {
  const absl::string_view name = HloOpcodeString(opcode);
  return opcode != HloOpcode::kParameter && opcode != HloOpcode::kScan &&
         !HasTrait(opcode, kAsync) && !absl::EndsWith(name, "-start") &&
         !absl::EndsWith(name, "-done");
}

std::unique_ptr<HloModule> MakeRandomModule(uint64_t seed, int size) {
  return ModuleMaker(seed).Make(size);
}

}  // namespace xla
