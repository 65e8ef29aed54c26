// Makes the instruction once all of its text was read.
#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "front/text/instruction_checks.h"
#include "front/text/module_parser.h"
#include "ir/async.h"
#include "ir/graph.h"
#include "ir/shape_rules.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// What a thread runs it runs with all that is called there.
void SetThread(HloComputation* computation, absl::string_view thread) {
  computation->SetExecutionThread(thread);
  if (thread == HloInstruction::kMainExecutionThread) return;
  for (HloComputation* callee : computation->MakeEmbeddedComputationsList()) {
    callee->SetExecutionThread(thread);
  }
}

// What a get-tuple-element takes out of a tuple that was just put together; null for all others.
const HloInstruction* ElementSource(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kGetTupleElement ||
      instruction.operand(0)->opcode() != HloOpcode::kTuple) {
    return nullptr;
  }
  const HloInstruction& tuple = *instruction.operand(0);
  const int64_t index = instruction.tuple_index();
  return 0 <= index && index < tuple.operand_count() ? tuple.operand(index) : nullptr;
}

}  // namespace

bool ModuleParser::FinishInstruction(Scope& scope, absl::string_view name, Draft& draft,
                                     HloInstruction** result) {
  if (!draft.shape.has_value() && !InferMissingShape(draft)) return false;
  if (!draft.is_later_form() && !FillAttributes(draft)) return false;
  std::unique_ptr<HloInstruction> instruction;
  if (draft.async_form == AsyncForm::kStart) {
    if (!WrapAsync(draft, &instruction)) return false;
  } else if (draft.async != nullptr && draft.op->opcode != HloOpcode::kAsyncStart) {
    if (!FollowAsync(draft, &instruction)) return false;
  } else {
    if (draft.op->opcode == HloOpcode::kAsyncStart) FinishAsyncStart(draft);
    if (!FollowOperandShapes(draft)) return false;
    instruction = HloInstruction::Create(draft.op->opcode, *std::move(draft.shape), draft.operands,
                                         std::move(draft.attributes), draft.callees);
  }
  if (!CheckAndAnnotate(draft, *instruction)) return false;
  const std::string generated =
      name.empty() ? UnusedName(scope, absl::StrCat(draft.opcode_text, ".anon")) : "";
  *result = AddInstruction(scope, name.empty() ? generated : name, std::move(instruction));
  for (HloInstruction* predecessor : draft.annotations.control_predecessors) {
    const absl::Status status = predecessor->AddControlDependencyTo(*result);
    if (!status.ok()) return FailWith(draft.position, status);
  }
  return true;
}

// What the text leaves out of the attributes.
bool ModuleParser::FillAttributes(Draft& draft) {
  const Shape* operand = draft.operands.empty() ? nullptr : &draft.operands[0]->shape();
  if (draft.op->opcode == HloOpcode::kBroadcast && operand != nullptr &&
      !absl::c_linear_search(draft.seen, "dimensions") && !ShapeUtil::IsScalar(*operand)) {
    return FailAt(draft.position, "broadcast of an operand that is no scalar needs dimensions=");
  }
  // Text that does not say whether a scan is associative says that it is not.
  if (draft.op->opcode == HloOpcode::kScan &&
      !absl::c_linear_search(draft.seen, "is_associative")) {
    static_cast<ScanAttributes&>(*draft.attributes).is_associative = TRI_STATE_FALSE;
  }
  // The dimensions of a map are all that there are.
  if (draft.op->opcode == HloOpcode::kMap && operand != nullptr) {
    Int64List& dimensions = static_cast<MapAttributes&>(*draft.attributes).dimensions;
    if (dimensions.empty() && operand->IsArray()) {
      dimensions.resize(operand->dimensions_size());
      absl::c_iota(dimensions, 0);
    }
  }
  return true;
}

bool ModuleParser::InferMissingShape(Draft& draft) {
  if (draft.async != nullptr || HasTrait(draft.op->opcode, kShapeRequired)) {
    return FailAt(draft.position, "the shape of ", draft.opcode_text, " cannot be left out");
  }
  std::vector<const Shape*> operands;
  for (const HloInstruction* operand : draft.operands) operands.push_back(&operand->shape());
  std::vector<const ProgramShape*> callees;
  for (const HloComputation* callee : draft.callees) callees.push_back(&GetProgramShape(*callee));
  absl::StatusOr<Shape> shape = InferShape(OpDescription{
      draft.op->opcode, operands, draft.attributes.get(), callees, /*declared=*/nullptr,
      /*allow_mixed_precision=*/true});
  if (!shape.ok()) return FailWith(draft.position, shape.status());
  draft.shape = *std::move(shape);
  if (options().fill_missing_layouts()) FillMissingLayouts(&*draft.shape);
  return CheckUnwrittenShape(draft.position, *draft.shape);
}

const ProgramShape& ModuleParser::GetProgramShape(const HloComputation& computation) {
  std::unique_ptr<ProgramShape>& shape = program_shapes_[&computation];
  if (shape == nullptr) shape = std::make_unique<ProgramShape>(computation.ComputeProgramShape());
  return *shape;
}

bool ModuleParser::CheckUnwrittenShape(const char* position, const Shape& shape) {
  if (!shape.IsTuple()) return true;
  const absl::Status valid = ShapeUtil::ValidateShapeWithOptionalLayout(shape);
  if (!valid.ok()) return FailWith(position, valid);
  return CheckUnwritten(position, ShapeUtil::SubshapeCount(shape));
}

// Few words can stand for large tuples: one that holds the other twice, and so on. Together they
// must stay in proportion.
bool ModuleParser::CheckUnwritten(const char* position, int64_t parts) {
  constexpr int64_t kMaxParts = int64_t{1} << 20;
  unwritten_parts_ += parts;
  return unwritten_parts_ <= kMaxParts ||
         FailAt(position, "the tuple shapes that the text leaves out have more than ", kMaxParts,
                " parts");
}

void ModuleParser::FillMissingLayouts(Shape* shape) {
  ShapeUtil::ForEachMutableSubshape(shape, [](Shape* subshape, const ShapeIndex&) {
    if (subshape->IsArray() && !subshape->has_layout()) LayoutUtil::SetToDefaultLayout(subshape);
  });
}

// Results that follow from the operands whatever the text says: old text gives outfeed the shape
// (), for example.
bool ModuleParser::FollowOperandShapes(Draft& draft) {
  const Shape token = ShapeUtil::MakeTokenShape();
  const Shape context = ShapeUtil::MakeShape(U32, {});
  switch (draft.op->opcode) {
    case HloOpcode::kOutfeed: {
      auto& attributes = static_cast<OutfeedAttributes&>(*draft.attributes);
      draft.shape = token;
      if (attributes.shape.has_value()) return true;
      attributes.shape = draft.operands[0]->shape();
      return CheckUnwrittenShape(draft.position, *attributes.shape);
    }
    case HloOpcode::kSend:
      draft.shape = ShapeUtil::MakeTupleShape({draft.operands[0]->shape(), context, token});
      return CheckUnwrittenShape(draft.position, *draft.shape);
    case HloOpcode::kRecv:
      if (!draft.shape->IsTuple() || draft.shape->tuple_shapes_size() == 0) {
        return FailAt(draft.position, "the shape of recv must be (data, u32[], token[]), got ",
                      draft.shape->ToString());
      }
      draft.shape = ShapeUtil::MakeTupleShape({draft.shape->tuple_shapes(0), context, token});
      return true;
    case HloOpcode::kSendDone:
      draft.shape = token;
      return true;
    case HloOpcode::kRecvDone: {
      const Shape& recv = draft.operands[0]->shape();
      if (!recv.IsTuple() || recv.tuple_shapes_size() == 0) {
        return FailAt(draft.position, "recv-done takes a recv, got an operand of shape ",
                      recv.ToString());
      }
      draft.shape = ShapeUtil::MakeTupleShape({recv.tuple_shapes(0), token});
      return CheckUnwrittenShape(draft.position, *draft.shape);
    }
    default:
      return true;
  }
}

// What an asynchronous operation carries, the operation that it starts carries as well.
void ModuleParser::CopyAnnotations(const Annotations& annotations, HloInstruction& instruction) {
  if (annotations.metadata.has_value()) instruction.set_metadata(*annotations.metadata);
  if (annotations.backend_config.has_value()) {
    instruction.set_raw_backend_config_string(*annotations.backend_config);
  }
  if (annotations.frontend_attributes.has_value()) {
    instruction.set_frontend_attributes(*annotations.frontend_attributes);
  }
  if (annotations.original_value != nullptr) {
    instruction.set_original_value(annotations.original_value);
  }
  if (annotations.statistics.has_value()) instruction.set_statistics_viz(*annotations.statistics);
}

void ModuleParser::FinishAsyncStart(Draft& draft) {
  HloComputation* callee = draft.callees[0];
  if (absl::c_linear_search(draft.seen, "async_execution_thread")) {
    SetThread(callee, draft.async->execution_thread);
  }
  CopyAnnotations(draft.annotations, *callee->root_instruction());
}

// The computation that <op>-start stands for: parameters and the operation. Operands that are not
// known yet are as many as the operation takes, and those of what a call calls.
bool ModuleParser::MakeWrapped(Draft& draft, const Shape& operands, const Shape& result,
                               HloComputation** wrapped) {
  const bool is_call =
      draft.op->opcode == HloOpcode::kCall || draft.op->opcode == HloOpcode::kFusion;
  const HloComputation* called = is_call ? draft.callees[0] : nullptr;
  const int64_t bound = operands.tuple_shapes_size();
  const int64_t count =
      std::max<int64_t>(bound, is_call ? called->num_parameters() : draft.op->operands.min);
  Scope scope;
  std::vector<HloInstruction*> parameters;
  for (int64_t i = 0; i < count; ++i) {
    Shape shape = i < bound ? operands.tuple_shapes(static_cast<int>(i))
                  : is_call ? called->parameter_instruction(i)->shape()
                            : ShapeUtil::MakeNil();
    if (i >= bound && !CheckUnwritten(draft.position, ShapeUtil::SubshapeCount(shape))) return false;
    const std::string name = i == 0 ? "async_param" : absl::StrCat("async_param.", i);
    scope.instructions.push_back(HloInstruction::CreateParameter(i, std::move(shape), name));
    parameters.push_back(scope.instructions.back().get());
  }
  scope.instructions.push_back(HloInstruction::Create(
      draft.op->opcode, result, parameters, std::move(draft.attributes), draft.callees));
  HloInstruction* const root = scope.root = scope.instructions.back().get();
  if (bound == count && !CheckComplete(draft, *root)) return false;
  CopyAnnotations(draft.annotations, *root);
  if (!FinishComputation(draft.position, "async_wrapped", scope, wrapped)) return false;
  (*wrapped)->SetExecutionThread(draft.async->execution_thread);
  for (HloComputation* callee : draft.callees) SetThread(callee, draft.async->execution_thread);
  wrapped_.insert(*wrapped);
  return true;
}

bool ModuleParser::CheckComplete(const Draft& draft, HloInstruction& operation) {
  const absl::Status sound = CheckSound(operation);
  if (!sound.ok()) return FailWith(draft.position, sound);
  NormalizeAttributes(operation);
  return true;
}

// <op>-start: a computation, and an instruction that starts it.
bool ModuleParser::WrapAsync(Draft& draft, std::unique_ptr<HloInstruction>* instruction) {
  const Shape& shape = *draft.shape;
  if (!IsAsyncContext(shape) ||
      shape.tuple_shapes(0).tuple_shapes_size() != static_cast<int>(draft.operands.size())) {
    return FailAt(draft.position, draft.opcode_text,
                  " needs a shape ((shapes of the operands), shape of the result, ...) with ",
                  draft.operands.size(), " operands, got ", shape.ToString());
  }
  HloComputation* computation = nullptr;
  if (!MakeWrapped(draft, shape.tuple_shapes(0), shape.tuple_shapes(1), &computation)) return false;
  *instruction =
      HloInstruction::Create(HloOpcode::kAsyncStart, *std::move(draft.shape), draft.operands,
                             std::move(draft.sugar_attributes), {computation});
  return true;
}

// What <op>-update and <op>-done tell about the computation that stands for <op>-start: further
// operands, and the result where the start left it open.
bool ModuleParser::BindOperands(const Draft& draft, const HloInstruction& previous,
                                HloComputation& wrapped) {
  if (!wrapped_.contains(&wrapped)) return true;
  HloInstruction& root = *wrapped.root_instruction();
  int64_t number = previous.shape().tuple_shapes(0).tuple_shapes_size();
  for (size_t i = 1; i < draft.operands.size(); ++i, ++number) {
    const Shape& shape = draft.operands[i]->shape();
    if (number < wrapped.num_parameters()) {
      *wrapped.parameter_instruction(number)->mutable_shape() = shape;
    } else {
      root.AppendOperand(wrapped.AddParameter(HloInstruction::CreateParameter(
          wrapped.num_parameters(), shape, absl::StrCat("async_param.", number))));
    }
  }
  if (ShapeUtil::IsEmptyTuple(previous.shape().tuple_shapes(1))) {
    const bool is_context = draft.async_form == AsyncForm::kUpdate && IsAsyncContext(*draft.shape);
    const Shape& result = is_context ? draft.shape->tuple_shapes(1) : *draft.shape;
    if (!is_context || !ShapeUtil::IsEmptyTuple(result)) *root.mutable_shape() = result;
  }
  return draft.operands.size() == 1 || number < wrapped.num_parameters() ||
         CheckComplete(draft, root);
}

std::unique_ptr<HloInstruction> ModuleParser::MakeAsyncEnd(Draft& draft, HloComputation* callee) {
  const bool is_update = draft.async_form == AsyncForm::kUpdate ||
                         (draft.async_form == AsyncForm::kNone &&
                          draft.op->opcode == HloOpcode::kAsyncUpdate);
  CopyAnnotations(draft.annotations, *callee->root_instruction());
  return HloInstruction::Create(is_update ? HloOpcode::kAsyncUpdate : HloOpcode::kAsyncDone,
                                *std::move(draft.shape), draft.operands,
                                std::make_unique<AsyncAttributes>(std::move(*draft.async)),
                                {callee});
}

// A later step of what was started in another computation.
bool ModuleParser::ContinueAsync(Draft& draft, std::unique_ptr<HloInstruction>* instruction) {
  const HloInstruction& previous = *draft.operands[0];
  if (!IsAsyncContext(previous.shape())) {
    return FailAt(draft.position, draft.opcode_text,
                  " takes the start or update of an asynchronous operation, got ", previous.name(),
                  ", which is a ", HloOpcodeString(previous.opcode()));
  }
  HloComputation* callee = nullptr;
  if (draft.async_form == AsyncForm::kNone) {
    callee = draft.callees[0];
    if (callee == nullptr) {
      return FailAt(draft.position, draft.opcode_text, " needs the attribute calls=, since ",
                    previous.name(), " does not say it");
    }
    if (!absl::c_linear_search(draft.seen, "async_execution_thread")) {
      draft.async->execution_thread = std::string(callee->execution_thread());
    }
  } else {
    Shape operands = previous.shape().tuple_shapes(0);
    for (size_t i = 1; i < draft.operands.size(); ++i) {
      *operands.add_tuple_shapes() = draft.operands[i]->shape();
    }
    if (!CheckUnwrittenShape(draft.position, operands)) return false;
    const bool is_context = draft.async_form == AsyncForm::kUpdate && IsAsyncContext(*draft.shape);
    const Shape result = is_context ? draft.shape->tuple_shapes(1) : *draft.shape;
    if (!MakeWrapped(draft, operands, result, &callee)) return false;
  }
  *instruction = MakeAsyncEnd(draft, callee);
  return true;
}

// async-update, async-done, <op>-update, <op>-done: what they say again must be what the start
// said.
bool ModuleParser::FollowAsync(Draft& draft, std::unique_ptr<HloInstruction>* instruction) {
  const HloInstruction& previous = *draft.operands[0];
  if (!IsAsyncBegin(previous)) return ContinueAsync(draft, instruction);
  HloComputation* callee = previous.called_computations()[0];
  if (!draft.callees.empty() && draft.callees[0] != nullptr && draft.callees[0] != callee) {
    return FailAt(draft.position, draft.opcode_text, " calls ", draft.callees[0]->name(),
                  ", but its start calls ", callee->name());
  }
  const bool is_sugar = draft.async_form != AsyncForm::kNone;
  if (is_sugar && previous.async_wrapped_opcode() != draft.op->opcode) {
    return FailAt(draft.position, draft.opcode_text, " follows the start of a ",
                  HloOpcodeString(previous.async_wrapped_opcode()));
  }
  const std::string& thread = previous.attributes_as<AsyncAttributes>().execution_thread;
  if (absl::c_linear_search(draft.seen, "async_execution_thread") &&
      draft.async->execution_thread != thread) {
    return FailAt(draft.position, draft.opcode_text, " runs in thread ",
                  draft.async->execution_thread, ", but its start in thread ", thread);
  }
  if (is_sugar && !BindOperands(draft, previous, *callee)) return false;
  draft.async->execution_thread = thread;
  *instruction = MakeAsyncEnd(draft, callee);
  return true;
}

bool ModuleParser::CheckAndAnnotate(Draft& draft, HloInstruction& instruction) {
  const absl::Status sound = CheckSound(instruction);
  if (!sound.ok()) return FailWith(draft.position, sound);
  NormalizeAttributes(instruction);
  Annotations& annotations = draft.annotations;
  if (annotations.metadata.has_value()) instruction.set_metadata(*annotations.metadata);
  if (annotations.sharding.has_value()) {
    instruction.set_sharding(annotations.sharding->NormalizeTupleSharding(instruction.shape()));
  }
  if (annotations.backend_config.has_value()) {
    instruction.set_raw_backend_config_string(*std::move(annotations.backend_config));
  }
  if (annotations.frontend_attributes.has_value()) {
    instruction.set_frontend_attributes(*std::move(annotations.frontend_attributes));
  }
  if (annotations.statistics.has_value()) {
    instruction.set_statistics_viz(*std::move(annotations.statistics));
  }
  if (annotations.result_accuracy.has_value()) {
    instruction.set_result_accuracy(*std::move(annotations.result_accuracy));
  }
  if (annotations.original_value != nullptr) {
    instruction.set_original_value(std::move(annotations.original_value));
  } else if (const HloInstruction* source = ElementSource(instruction)) {
    constexpr size_t kBytesOfPart = 64;
    std::shared_ptr<OriginalValue> origin = source->original_value();
    if (origin == nullptr) return true;
    if (!CheckUnwritten(draft.position,
                        static_cast<int64_t>(origin->ToProto().ByteSizeLong() / kBytesOfPart)))
      return false;
    instruction.set_original_value(std::move(origin));
  }
  return true;
}

}  // namespace xla
