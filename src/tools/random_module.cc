#include "tools/random_module.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "tools/random_recipes.h"
#include "tools/random_values.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr int kAttempts = 60;  // to find operands and attributes that an operation takes
constexpr int kCalleeDepth = 2;

// A computation to be: its signature, and whether it gives false rather than anything made of its
// parameters.
struct CalleeSketch {
  ProgramShape shape;
  bool is_false = false;
};

CalleeSketch Sketch(std::vector<Shape> parameters, Shape result, bool is_false = false) {
  CalleeSketch sketch;
  for (size_t i = 0; i < parameters.size(); ++i)
    sketch.shape.AddParameter(std::move(parameters[i]), absl::StrCat("p", i));
  *sketch.shape.mutable_result() = std::move(result);
  sketch.is_false = is_false;
  return sketch;
}

using Shapes = absl::Span<const Shape* const>;

// Scalars of the element types of the first `count` operands, `times` over; pred where an operand
// is no array.
std::vector<Shape> ScalarsOf(Shapes operands, size_t count, int times) {
  std::vector<Shape> scalars;
  for (int repeat = 0; repeat < times; ++repeat) {
    for (size_t i = 0; i < std::min(count, operands.size()); ++i) {
      const bool is_array = operands[i]->IsArrayExcludingBuffer();
      scalars.push_back(ShapeUtil::MakeShape(is_array ? operands[i]->element_type() : PRED, {}));
    }
  }
  return scalars;
}

Shape OneOrTuple(std::vector<Shape> shapes) {
  return shapes.size() == 1 ? shapes[0] : ShapeUtil::MakeTupleShape(shapes);
}

CalleeSketch SketchReducer(Shapes operands, size_t count) {
  return Sketch(ScalarsOf(operands, count, 2), OneOrTuple(ScalarsOf(operands, count, 1)));
}

// A slice of each input, and the carries; one output for each input.
std::optional<CalleeSketch> ScanBody(Shapes operands, const ScanAttributes& attributes) {
  const int inputs = static_cast<int>(operands.size()) - static_cast<int>(attributes.num_carries);
  std::vector<Shape> parameters;
  for (int i = 0; i < static_cast<int>(operands.size()); ++i) {
    Shape shape = *operands[i];
    if (!shape.IsArrayExcludingBuffer()) return std::nullopt;
    if (i < inputs) {
      if (attributes.dimension < 0 || attributes.dimension >= shape.dimensions_size())
        return std::nullopt;
      shape.clear_layout();
      shape.DeleteDimension(attributes.dimension);
      LayoutUtil::SetToDefaultLayout(&shape);
    }
    parameters.push_back(std::move(shape));
  }
  return Sketch(parameters, OneOrTuple(parameters));
}

std::vector<CalleeSketch> SketchCallees(HloOpcode opcode, Shapes operands,
                                        const Attributes& attributes) {
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
    case HloOpcode::kScan: {
      const auto body = ScanBody(operands, static_cast<const ScanAttributes&>(attributes));
      return body.has_value() ? std::vector<CalleeSketch>{*body} : std::vector<CalleeSketch>();
    }
    case HloOpcode::kSort: {
      std::vector<Shape> parameters;
      for (const Shape& scalar : ScalarsOf(operands, all.size(), 1))
        parameters.insert(parameters.end(), 2, scalar);
      return {Sketch(std::move(parameters), pred)};
    }
    case HloOpcode::kSelectAndScatter:
      return {Sketch(ScalarsOf(operands, 1, 2), pred), SketchReducer(operands, 1)};
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kScatter:
      return {SketchReducer(operands, all.size() / 2)};
    default:
      if (GetOpInfo(opcode).callees.form != CalleeForm::kNamed ||
          GetOpInfo(opcode).callees.count == 0)
        return {};
      return {SketchReducer(operands, 1)};
  }
}

bool IsSmall(const Shape& shape, int64_t most_elements) {
  bool is_small = true;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsBuffer() || part.is_unbounded_dynamic() ||
        (part.IsArray() && ShapeUtil::ElementsIn(part) > most_elements)) {
      is_small = false;
    }
  });
  return is_small && ShapeUtil::GetLeafCount(shape) < 20;
}

// What no run on one device without a host gets past, mostly.
bool NeedsHost(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kCustomCall:
    case HloOpcode::kInfeed:
    case HloOpcode::kOutfeed:
    case HloOpcode::kRecv:
    case HloOpcode::kRecvDone:
    case HloOpcode::kSend:
    case HloOpcode::kSendDone:
      return true;
    default:
      return false;
  }
}

// What a start is followed by.
std::optional<HloOpcode> DoneOf(HloOpcode start) {
  switch (start) {
    case HloOpcode::kAllGatherStart:
      return HloOpcode::kAllGatherDone;
    case HloOpcode::kAllReduceStart:
      return HloOpcode::kAllReduceDone;
    case HloOpcode::kAsyncStart:
      return HloOpcode::kAsyncDone;
    case HloOpcode::kCollectivePermuteStart:
      return HloOpcode::kCollectivePermuteDone;
    case HloOpcode::kCopyStart:
      return HloOpcode::kCopyDone;
    default:
      return std::nullopt;
  }
}

bool StandsAlone(HloOpcode opcode) {
  if (opcode == HloOpcode::kSendDone || opcode == HloOpcode::kRecvDone) return true;
  return opcode != HloOpcode::kParameter && opcode != HloOpcode::kAsyncUpdate &&
         !absl::EndsWith(HloOpcodeString(opcode), "-done");
}

// The operations of a module or of a computation in it.
std::vector<const OpInfo*> ChooseOps(bool with_host, bool with_devices, bool only_elementwise) {
  std::vector<const OpInfo*> ops;
  for (const OpInfo& op : AllOps()) {
    if (!StandsAlone(op.opcode) || (!with_host && NeedsHost(op.opcode)) ||
        (!with_devices && SpeaksOfDevices(op.opcode)))
      continue;
    if (!only_elementwise || (op.traits & kElementwise)) ops.push_back(&op);
  }
  return ops;
}

class ComputationMaker {
 public:
  ComputationMaker(Random& random, HloModule& module, std::vector<PrimitiveType> types,
                   std::vector<const OpInfo*> ops, bool with_devices, int depth)
      : random_(random),
        module_(module),
        types_(std::move(types)),
        ops_(std::move(ops)),
        with_devices_(with_devices),
        depth_(depth),
        builder_(depth == 0 ? "entry" : "callee"),
        pool_(random, builder_, types_) {}

  void AddParameter(const Shape& shape) {
    parameters_.push_back(pool_.Add(HloInstruction::CreateParameter(
        static_cast<int64_t>(parameters_.size()), shape, absl::StrCat("p", parameters_.size()))));
  }

  void AddOperations(int count) {
    for (int i = 0; i < count; ++i) AddOperation(*random_.OneOf(ops_));
  }

  // A computation that gives all values that nothing else uses.
  std::unique_ptr<HloComputation> BuildAll() {
    std::vector<HloInstruction*> results;
    for (HloInstruction* value : pool_.values()) {
      if (value->user_count() == 0) results.push_back(value);
    }
    return builder_.Build(builder_.AddInstruction(HloInstruction::CreateTuple(results)));
  }

  // A computation that gives a value of this shape; null where there is none.
  std::unique_ptr<HloComputation> Build(const Shape& result) {
    HloInstruction* root = MakeValue(result);
    return root == nullptr ? nullptr : builder_.Build(root);
  }

 private:
  std::vector<HloInstruction*> PickOperands(const OperandCount& count) {
    const int more = std::min(count.max - count.min, 3);
    const int64_t wanted = count.min + random_.Below(more + 1);
    std::vector<HloInstruction*> operands;
    for (int64_t i = 0; i < wanted; ++i) {
      HloInstruction* operand = pool_.Any();
      // Most operations want operands that are alike.
      for (int tries = 0;
           tries < 10 && i > 0 && operand->shape() != operands[0]->shape() && random_.Coin();
           ++tries) {
        operand = pool_.Any();
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
    const Shape context = ShapeUtil::MakeShape(U32, {});
    Shape like = operands.empty() ? array : operands[0]->shape();
    switch (random_.Below(8)) {
      case 0:
        return array;
      case 1:
        return ShapeUtil::MakeTupleShape({array, token});
      case 2:
        return ShapeUtil::MakeTupleShape({array, context, token});
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
      case 6:
        return ShapeUtil::MakeTupleShape({like, like});
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

  Proposal ProposeAnything(const OpInfo& op) {
    Proposal proposal;
    proposal.operands = PickOperands(op.operands);
    proposal.declared = PickDeclared(proposal.operands);
    const auto& operands = proposal.operands;
    const bool of_operand = !operands.empty() && operands[0]->shape().IsArrayExcludingBuffer() &&
                            op.opcode != HloOpcode::kIota;
    const int64_t rank = of_operand ? operands[0]->shape().dimensions_size() : 1;
    // HLO text has no word for the padding of a scalar.
    if (op.opcode == HloOpcode::kPad && rank == 0) return {};
    proposal.attributes = op.make_attributes();
    for (const Field& field : op.fields()) {
      if (random_.Below(4) == 0 && field.presence != Presence::kRequired) continue;
      SetAtRandom(random_, rank, types_, field.reference(*proposal.attributes));
    }
    return proposal;
  }

  // The wrapped computation of an async-start has its own kind of result.
  Proposal ProposeAsync() {
    Proposal proposal;
    for (int64_t i = random_.Below(3); i >= 0; --i) proposal.operands.push_back(pool_.Any());
    std::vector<Shape> shapes;
    for (const HloInstruction* operand : proposal.operands) shapes.push_back(operand->shape());
    proposal.declared = ShapeUtil::MakeTupleShape(
        {ShapeUtil::MakeTupleShape(shapes), shapes[0], ShapeUtil::MakeShape(U32, {})});
    return proposal;
  }

  bool TryOperation(const OpInfo& op) {
    const Recipe recipe = FindRecipe(op.opcode);
    const bool is_async = op.opcode == HloOpcode::kAsyncStart;
    Proposal proposal = is_async            ? ProposeAsync()
                        : recipe != nullptr ? recipe(pool_)
                                            : ProposeAnything(op);
    if (proposal.operands.size() < static_cast<size_t>(op.operands.min)) return false;
    if (proposal.attributes == nullptr) proposal.attributes = op.make_attributes();
    std::vector<const Shape*> shapes;
    for (const HloInstruction* operand : proposal.operands) shapes.push_back(&operand->shape());
    std::vector<CalleeSketch> sketches = SketchCallees(op.opcode, shapes, *proposal.attributes);
    if (is_async) {
      std::vector<Shape> parameters;
      for (const Shape* shape : shapes) parameters.push_back(*shape);
      sketches = {Sketch(parameters, parameters[0])};
    }
    std::vector<const ProgramShape*> callee_shapes;
    for (const CalleeSketch& sketch : sketches) callee_shapes.push_back(&sketch.shape);
    const bool is_declared =
        recipe != nullptr || ((op.traits & kShapeRequired) && op.opcode != HloOpcode::kConstant);
    const absl::StatusOr<Shape> shape =
        InferShape({op.opcode, shapes, proposal.attributes.get(), callee_shapes,
                    is_declared && proposal.declared.has_value() ? &*proposal.declared : nullptr});
    return shape.ok() && IsSmall(*shape, random_.most_elements()) &&
           Add(op, std::move(proposal), *shape, sketches);
  }

  bool Add(const OpInfo& op, Proposal proposal, const Shape& shape,
           absl::Span<const CalleeSketch> sketches) {
    std::vector<std::unique_ptr<HloComputation>> made;
    for (const CalleeSketch& sketch : sketches) {
      made.push_back(MakeCallee(sketch));
      if (made.back() == nullptr) return false;
    }
    std::vector<HloComputation*> callees;
    for (auto& callee : made) callees.push_back(module_.AddEmbeddedComputation(std::move(callee)));
    std::unique_ptr<HloInstruction> instruction = HloInstruction::Create(
        op.opcode, shape, proposal.operands, std::move(proposal.attributes), callees);
    // A composite call says what it is.
    if (instruction->is_composite())
      instruction->set_frontend_attribute("composite.name", "random.call");
    if (DoneOf(op.opcode).has_value()) {
      AddDone(pool_.AddHidden(std::move(instruction)));
      return true;
    }
    HloInstruction* added = pool_.Add(std::move(instruction));
    if (op.opcode == HloOpcode::kSend) AddOperation(GetOpInfo(HloOpcode::kSendDone));
    if (op.opcode == HloOpcode::kRecv) AddOperation(GetOpInfo(HloOpcode::kRecvDone));
    return op.opcode != HloOpcode::kInfeed || InOrder(added);
  }

  // Infeeds come one after the other.
  bool InOrder(HloInstruction* infeed) {
    const bool is_in_order =
        last_infeed_ == nullptr || last_infeed_->AddControlDependencyTo(infeed).ok();
    last_infeed_ = infeed;
    return is_in_order;
  }

  // The end of what has begun, with updates between for async operations.
  void AddDone(HloInstruction* start) {
    const HloOpcode done = *DoneOf(start->opcode());
    const bool is_async = done == HloOpcode::kAsyncDone;
    const auto next = [&](HloOpcode opcode, const Shape& shape) {
      std::vector<HloComputation*> callees;
      if (is_async) callees = start->called_computations();
      return HloInstruction::Create(opcode, shape, {start}, nullptr, callees);
    };
    for (int64_t updates = is_async ? random_.Below(3) : 0; updates > 0; --updates)
      start = pool_.AddHidden(next(HloOpcode::kAsyncUpdate, start->shape()));
    Shape result = start->shape();
    if (done == HloOpcode::kCopyDone) result = start->shape().tuple_shapes(0);
    if (is_async || done == HloOpcode::kAllGatherDone || done == HloOpcode::kCollectivePermuteDone)
      result = start->shape().tuple_shapes(1);
    pool_.Add(next(done, result));
  }

  // Called computations have operations of their own, scalar ones only such as work on elements.
  std::unique_ptr<HloComputation> MakeCallee(const CalleeSketch& sketch) {
    std::vector<PrimitiveType> types = {sketch.is_false ? PRED : types_[0]};
    bool is_scalar = true;
    for (const Shape& shape : sketch.shape.parameters()) {
      is_scalar &= ShapeUtil::IsScalar(shape);
      if (shape.IsArrayExcludingBuffer()) types.push_back(shape.element_type());
    }
    ComputationMaker maker(random_, module_, types,
                           ChooseOps(/*with_host=*/false, with_devices_, is_scalar), with_devices_,
                           depth_ + 1);
    for (const Shape& shape : sketch.shape.parameters()) maker.AddParameter(shape);
    if (sketch.is_false) return maker.BuildFalse();
    const bool has_values = sketch.shape.parameters_size() > 0;
    if (has_values && depth_ < kCalleeDepth) maker.AddOperations(is_scalar ? 3 : 4);
    return maker.Build(sketch.shape.result());
  }

  std::unique_ptr<HloComputation> BuildFalse() {
    return builder_.Build(
        pool_.Add(HloInstruction::CreateConstant(LiteralUtil::CreateR0<bool>(false))));
  }

  // The newest value of this shape, else a sum, comparison or tuple of values, else zeros; null
  // where there is nothing.
  HloInstruction* MakeValue(const Shape& shape) {
    std::vector<HloInstruction*> same;
    for (HloInstruction* value : pool_.values()) {
      if (ShapeUtil::Equal(value->shape(), shape)) same.push_back(value);
    }
    if (same.size() == 2 && shape.IsArrayExcludingBuffer()) {
      return pool_.Add(HloInstruction::CreateBinary(shape, HloOpcode::kAdd, same[0], same[1]));
    }
    if (!same.empty()) return same.back();
    if (shape.IsTuple()) {
      std::vector<HloInstruction*> elements;
      for (const Shape& element : shape.tuple_shapes()) {
        elements.push_back(MakeValue(element));
        if (elements.back() == nullptr) return nullptr;
      }
      return pool_.Add(HloInstruction::CreateTuple(elements));
    }
    if (!shape.IsArrayExcludingBuffer() || !shape.is_static()) return nullptr;
    HloInstruction* comparison = shape.element_type() == PRED ? CompareParameters(shape) : nullptr;
    if (comparison != nullptr) return comparison;
    return pool_.Add(HloInstruction::CreateConstant(Literal::CreateFromShape(shape)));
  }

  // Whether the first parameter is less than the second, where both are scalars with an order.
  HloInstruction* CompareParameters(const Shape& pred) {
    if (parameters_.size() < 2 || pred.dimensions_size() != 0) return nullptr;
    const Shape& first = parameters_[0]->shape();
    if (!ShapeUtil::IsScalar(first) || !ShapeUtil::Equal(first, parameters_[1]->shape()) ||
        primitive_util::IsComplexType(first.element_type())) {
      return nullptr;
    }
    return pool_.Add(HloInstruction::CreateCompare(pred, parameters_[0], parameters_[1],
                                                   ComparisonDirection::kLt));
  }

  Random& random_;
  HloModule& module_;
  std::vector<PrimitiveType> types_;
  std::vector<const OpInfo*> ops_;
  bool with_devices_;
  int depth_;
  HloComputation::Builder builder_;
  ValuePool pool_;
  std::vector<HloInstruction*> parameters_;
  HloInstruction* last_infeed_ = nullptr;
};

// An array in any layout, now and then with a dynamic dimension.
Shape RandomParameter(Random& random, absl::Span<const PrimitiveType> types) {
  Shape shape = RandomArray(random, types);
  const int rank = shape.dimensions_size();
  if (random.Below(4) == 0)
    *shape.mutable_layout() = LayoutUtil::MakeLayout(random.Permutation(rank));
  if (rank > 0 && random.Below(6) == 0)
    shape.set_dynamic_dimension(static_cast<int>(random.Below(rank)), true);
  return shape;
}

}  // namespace

bool SpeaksOfDevices(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kInfeed:
    case HloOpcode::kOutfeed:
    case HloOpcode::kPartitionId:
    case HloOpcode::kRecv:
    case HloOpcode::kRecvDone:
    case HloOpcode::kReplicaId:
    case HloOpcode::kSend:
    case HloOpcode::kSendDone:
      return true;
    default:
      return HasTrait(opcode, kCollective);
  }
}

std::unique_ptr<HloModule> MakeRandomModule(uint64_t seed, int size, bool speaks_of_devices,
                                            int64_t most_elements) {
  Random random(seed, most_elements);
  auto module = std::make_unique<HloModule>(absl::StrCat("random", seed), HloModuleConfig());
  std::vector<PrimitiveType> types = {S32};
  for (int i = 0; i < 2; ++i) types.push_back(random.OneOf(ArrayTypes()));
  const bool with_host = random.Below(4) == 0;
  ComputationMaker maker(random, *module, types,
                         ChooseOps(with_host, speaks_of_devices, /*only_elementwise=*/false),
                         speaks_of_devices, /*depth=*/0);
  for (PrimitiveType type : types) maker.AddParameter(ShapeUtil::MakeShape(type, {}));
  for (int i = 0; i < 4; ++i) maker.AddParameter(RandomParameter(random, types));
  maker.AddOperations(size);
  module->AddEntryComputation(maker.BuildAll());
  return module;
}

}  // namespace xla
