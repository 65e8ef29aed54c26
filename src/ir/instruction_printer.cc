#include "ir/instruction_printer.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "ir/annotation_text.h"
#include "ir/async.h"
#include "ir/attribute_printer.h"
#include "ir/backend_config_text.h"
#include "ir/messages.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_original_value.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using SubcomputationMode = HloPrintOptions::PrintSubcomputationMode;

void PrintName(Printer* printer, absl::string_view name, const HloPrintOptions& options) {
  if (options.print_percent()) printer->Append("%");
  // Numbers at the end come and go; without them the name ends before its first point.
  printer->Append(options.print_ids() ? name : name.substr(0, name.find('.')));
}

void PrintShape(Printer* printer, const Shape& shape, const HloPrintOptions& options) {
  if (options.include_layout_in_shapes()) {
    ShapeUtil::PrintHumanStringWithLayout(printer, shape);
  } else {
    ShapeUtil::PrintHumanString(printer, shape);
  }
}

void PrintReference(Printer* printer, const HloInstruction& instruction,
                    const HloPrintOptions& options, const PrintContext& context) {
  if (options.canonicalize_instruction_names()) {
    if (context.canonical_names == nullptr) return;
    const auto [found, inserted] =
        context.canonical_names->try_emplace(&instruction, context.canonical_names->size());
    AppendCat(printer, "tmp_", found->second);
  } else if (options.print_operand_names()) {
    PrintName(printer, instruction.name(), options);
  }
}

// ---- Operands ----

void PrintConstant(Printer* printer, const HloInstruction& constant,
                   const HloPrintOptions& options) {
  constexpr int64_t kLargeElementCount = 10;
  const Shape& shape = constant.shape();
  if (!constant.HasLiteral()) return printer->Append("{...}");
  const Literal& literal = constant.literal();
  const bool is_large = !shape.IsArray() || ShapeUtil::ElementsIn(shape) > kLargeElementCount;
  if (options.print_only_essential_constants()) {
    // Zeros, ones and sizes decide what is computed.
    if (shape.IsArray() && literal.IsAll(0)) return printer->Append("0");
    if (shape.IsArray() && literal.IsAll(1)) return printer->Append("1");
    if (is_large || !ShapeUtil::ElementIsIntegral(shape)) return printer->Append("{...}");
  } else if (is_large && !options.print_large_constants()) {
    return printer->Append("{...}");
  }
  literal.PrintWithoutShapeOneline(printer);
}

void PrintOperand(Printer* printer, const HloInstruction* operand_or_null,
                  const HloPrintOptions& options, const PrintContext& context) {
  if (operand_or_null == nullptr) return printer->Append("null ");  // one that has died
  const HloInstruction& operand = *operand_or_null;
  if (options.print_operand_shape()) {
    PrintShape(printer, operand.shape(), options);
    if (options.print_operand_names() || context.canonical_names != nullptr) printer->Append(" ");
  }
  // %t#1#0 for elements of elements of %t.
  std::vector<int64_t> path;
  const HloInstruction* source = &operand;
  while (IsPrintedInUsers(*source, options)) {
    path.push_back(source->tuple_index());
    source = source->operand(0);
  }
  PrintReference(printer, *source, options, context);
  for (auto index = path.rbegin(); index != path.rend(); ++index) AppendCat(printer, "#", *index);
}

void PrintOperands(Printer* printer, const HloInstruction& instruction,
                   const HloPrintOptions& options, const PrintContext& context) {
  if (instruction.opcode() == HloOpcode::kConstant) {
    return PrintConstant(printer, instruction, options);
  }
  if (instruction.opcode() == HloOpcode::kParameter) {
    if (options.print_parameter_number()) printer->Append(instruction.parameter_number());
    return;
  }
  constexpr int64_t kCompactCount = 4;
  const int64_t count = instruction.operand_count();
  const bool is_cut = options.compact_operands() && count > kCompactCount;
  const int64_t interval = options.print_operand_index_annotation_interval();
  for (int64_t i = 0; i < (is_cut ? kCompactCount : count); ++i) {
    if (i > 0) printer->Append(", ");
    if (i > 0 && interval > 0 && i % interval == 0) AppendCat(printer, "/*index=", i, "*/");
    PrintOperand(printer, instruction.operand(i), options, context);
  }
  if (is_cut) AppendCat(printer, ", ...(+", count - kCompactCount, ")");
}

// ---- Called computations ----

void PrintCallee(Printer* printer, const HloComputation& callee, bool with_body,
                 const HloPrintOptions& options, const PrintContext& context) {
  if (context.callee_texts != nullptr) {
    const auto found = context.callee_texts->find(&callee);
    if (found != context.callee_texts->end()) return printer->Append(found->second);
  }
  PrintState& state = *context.state;
  if (!with_body || state.depth == PrintState::kMaxDepth ||
      callee.instruction_count() > state.body_instructions_left) {
    return PrintName(printer, callee.name(), options);
  }
  ++state.depth;
  state.body_instructions_left -= callee.instruction_count();
  printer->Append("\n");
  HloPrintOptions nested = options;
  nested.set_is_in_nested_computation(true);
  const std::vector<HloInstruction*> order = PrintOrder(callee);
  const std::vector<const HloInstruction*> const_order(order.begin(), order.end());
  PrintComputation(printer, callee, nested, const_order, context);
  --state.depth;
}

void PrintCallees(Printer* printer, const HloInstruction& caller, const OpInfo& op,
                  const HloPrintOptions& options, const PrintContext& context) {
  const SubcomputationMode mode = options.print_subcomputation_mode();
  const std::vector<HloComputation*>& callees = caller.called_computations();
  if (mode == SubcomputationMode::kOff || op.callees.count == 0 || callees.empty()) return;
  const bool with_body =
      mode == SubcomputationMode::kFullBodies ||
      (mode == SubcomputationMode::kNonSequentialBodies && !HasTrait(op.opcode, kControlFlow));
  const auto print = [&](absl::string_view name, int index) {
    AppendCat(printer, ", ", name, "=");
    PrintCallee(printer, *callees[index], with_body, options, context);
  };
  if (op.callees.form == CalleeForm::kNamed) {
    for (int i = 0; i < op.callees.count; ++i) {
      const CalleeName& name = op.callees.names[i];
      if (static_cast<size_t>(name.index) < callees.size()) print(name.text, name.index);
    }
    return;
  }
  const bool is_pred = op.callees.form == CalleeForm::kBranches && callees.size() == 2 &&
                       caller.operand(0) != nullptr && caller.operand(0)->shape().IsArray() &&
                       caller.operand(0)->shape().element_type() == PRED;
  if (is_pred) {
    print("true_computation", 0);
    print("false_computation", 1);
    return;
  }
  AppendCat(printer, ", ", op.callees.names[0].text, "={");
  // Each body begins on a line of its own.
  AppendJoin(printer, callees, with_body ? "," : ", ",
             [&](Printer* out, const HloComputation* callee) {
               PrintCallee(out, *callee, with_body, options, context);
             });
  printer->Append(with_body ? "\n}" : "}");
}

// ---- Attributes ----

void PrintMetadata(Printer* printer, const HloInstruction& instruction,
                   const HloPrintOptions& options) {
  OpMetadata metadata = instruction.metadata();
  if (options.print_inline_stack_frames() && instruction.GetModule() != nullptr) {
    // The frame itself in place of its number.
    const StackFrames& frames = instruction.GetModule()->stack_frames();
    const StackFrameId id{metadata.stack_frame_id()};
    if (frames.IsValidId(id)) {
      const HloStackFrame frame = frames.GetStackFrame(id);
      metadata.set_source_file(frame.file_name);
      metadata.set_source_line(frame.line);
      metadata.set_source_end_line(frame.end_line);
      metadata.set_source_column(frame.column);
      metadata.set_source_end_column(frame.end_column);
    }
    metadata.clear_stack_frame_id();
  }
  if (!HasPrintedMetadata(metadata)) return;
  if (options.print_metadata_only_op_name() && metadata.op_name().empty()) return;
  printer->Append(", metadata={");
  PrintOpMetadata(printer, metadata, options.print_metadata_only_op_name());
  printer->Append("}");
}

// What any instruction may carry, apart from metadata and the configuration of the back end. A
// start in its short form has the frontend attributes of the operation where it has none of its
// own.
void PrintAnnotations(Printer* printer, const HloInstruction& instruction, bool is_sugar,
                      const HloPrintOptions& options) {
  if (instruction.has_sharding()) {
    printer->Append(", sharding=");
    instruction.sharding().Print(printer, options.print_metadata());
  }
  const bool speaks_for_operation = is_sugar && instruction.opcode() == HloOpcode::kAsyncStart &&
                                    instruction.frontend_attributes().map().empty();
  const FrontendAttributes& frontend_attributes =
      (speaks_for_operation ? *instruction.async_wrapped_instruction() : instruction)
          .frontend_attributes();
  if (options.print_frontend_attributes() && !frontend_attributes.map().empty()) {
    printer->Append(", frontend_attributes={");
    PrintFrontendAttributes(printer, frontend_attributes);
    printer->Append("}");
  }
  if (options.print_control_dependencies() && !instruction.control_predecessors().empty()) {
    printer->Append(", control-predecessors={");
    AppendJoin(printer, instruction.control_predecessors(), ", ",
               [&](Printer* out, const HloInstruction* predecessor) {
                 PrintName(out, predecessor->name(), options);
               });
    printer->Append("}");
  }
  if (instruction.statistics_viz().statistics_size() > 0) {
    printer->Append(", statistics={");
    PrintStatisticsViz(printer, instruction.statistics_viz());
    printer->Append("}");
  }
  if (HasPrintedAccuracy(instruction.result_accuracy())) {
    printer->Append(", result_accuracy={");
    PrintResultAccuracy(printer, instruction.result_accuracy());
    printer->Append("}");
  }
  if (options.print_original_value() && instruction.original_value() != nullptr) {
    printer->Append(", origin={");
    PrintOriginalValue(printer, instruction.original_value()->ToProto());
    printer->Append("}");
  }
}

absl::string_view AsyncSuffix(HloOpcode opcode) {
  return opcode == HloOpcode::kAsyncStart    ? "-start"
         : opcode == HloOpcode::kAsyncUpdate ? "-update"
                                             : "-done";
}

// Whether a step follows another one, which says what it calls.
bool FollowsAsyncStep(const HloInstruction& step) {
  return step.opcode() != HloOpcode::kAsyncStart && step.operand_count() > 0 &&
         step.operand(0) != nullptr && HloOpcodeIsAsync(step.operand(0)->opcode());
}

// Only the start says in which thread it runs and what, or the first step in a computation that
// gets the context from elsewhere; sugar says it with the attributes of the operation itself.
void PrintAsyncAttributes(Printer* printer, const HloInstruction& instruction, bool is_sugar,
                          const HloPrintOptions& options, const PrintContext& context) {
  const bool is_start = !FollowsAsyncStep(instruction);
  AsyncAttributes thread = instruction.attributes_as<AsyncAttributes>();
  AsyncAttributes aliasing;
  aliasing.output_to_operand_aliasing = std::move(thread.output_to_operand_aliasing);
  thread.output_to_operand_aliasing.clear();
  if (is_start) PrintAttributes(printer, thread, options);
  const HloInstruction& source = is_sugar ? *instruction.async_wrapped_instruction() : instruction;
  if (is_start && is_sugar) PrintAttributes(printer, source.attributes(), options);
  PrintAttributes(printer, aliasing, options);
  if (!is_start) return;
  PrintCallees(printer, source, GetOpInfo(source.opcode()), options, context);
  PrintAttributesAfterCallees(printer, source.attributes(), options);
}

void PrintExtraAttributes(Printer* printer, const HloInstruction& instruction, bool is_sugar,
                          const HloPrintOptions& options, const PrintContext& context) {
  if (!HloOpcodeIsAsync(instruction.opcode())) {
    PrintAttributes(printer, instruction.attributes(), options);
    PrintCallees(printer, instruction, GetOpInfo(instruction.opcode()), options, context);
    PrintAttributesAfterCallees(printer, instruction.attributes(), options);
  } else {
    PrintAsyncAttributes(printer, instruction, is_sugar, options, context);
  }
  PrintAnnotations(printer, instruction, is_sugar, options);
}

bool ConsistsOfParametersAndRoot(const HloComputation& computation) {
  const HloInstruction& root = *computation.root_instruction();
  if (computation.instruction_count() != computation.num_parameters() + 1 ||
      root.operand_count() != computation.num_parameters()) {
    return false;
  }
  for (int64_t i = 0; i < root.operand_count(); ++i) {
    if (root.operand(i) != computation.parameter_instruction(i)) return false;
  }
  return root.control_predecessors().empty();
}

// Whether an aliasing of the start would be read as one of the operation.
bool MistakesAliasing(const HloInstruction& start, const HloInstruction& operation) {
  return !start.attributes_as<AsyncAttributes>().output_to_operand_aliasing.empty() &&
         (operation.opcode() == HloOpcode::kCustomCall || operation.opcode() == HloOpcode::kFusion);
}

// A start and what follows it, in order.
std::vector<const HloInstruction*> AsyncChain(const HloInstruction& start) {
  std::vector<const HloInstruction*> chain;
  for (const HloInstruction* next = &start; next != nullptr;) {
    chain.push_back(next);
    next = nullptr;
    for (const HloInstruction* user : chain.back()->users()) {
      const bool follows =
          user->opcode() == HloOpcode::kAsyncUpdate || user->opcode() == HloOpcode::kAsyncDone;
      if (follows) next = user;
    }
  }
  return chain;
}

// Whether the reader finds the parameters and the result of the operation in the text of the steps.
// Operands that never come are those of what a call calls, or empty tuples.
bool SayShapes(absl::Span<const HloInstruction* const> chain, const HloComputation& wrapped) {
  const HloInstruction& last = *chain.back();
  const HloInstruction& root = *wrapped.root_instruction();
  const bool is_done = last.opcode() == HloOpcode::kAsyncDone;
  const Shape& context = is_done ? last.operand(0)->shape() : last.shape();
  if (!IsAsyncContext(context) || !IsAsyncContext(chain[0]->shape())) return false;
  const bool is_call = root.opcode() == HloOpcode::kCall || root.opcode() == HloOpcode::kFusion;
  const HloComputation* called = is_call ? root.called_computations()[0] : nullptr;
  const int64_t bound = context.tuple_shapes(0).tuple_shapes_size();
  const int64_t taken = is_call ? called->num_parameters() : GetOpInfo(root.opcode()).operands.min;
  if (wrapped.num_parameters() != std::max(bound, taken)) return false;
  const Shape nothing = ShapeUtil::MakeNil();
  for (int64_t i = 0; i < wrapped.num_parameters(); ++i) {
    const Shape& said = i < bound ? context.tuple_shapes(0).tuple_shapes(static_cast<int>(i))
                        : is_call ? called->parameter_instruction(i)->shape()
                                  : nothing;
    if (said != wrapped.parameter_instruction(i)->shape()) return false;
  }
  const Shape& result = root.shape();
  const Shape& started = chain[0]->shape().tuple_shapes(1);
  return started == result ||
         (ShapeUtil::IsEmptyTuple(started) && is_done && last.shape() == result);
}

// The reader gives the operation what the start and those that follow it carry; of each annotation
// the last one counts.
bool CarryTheSame(const HloInstruction& start, const HloInstruction& operation,
                  const HloPrintOptions& options) {
  const std::vector<const HloInstruction*> chain = AsyncChain(start);
  const auto same = [&](auto has, auto are_equal) {
    const auto last = std::find_if(chain.rbegin(), chain.rend(),
                                   [&](const HloInstruction* each) { return has(*each); });
    if (last == chain.rend()) return !has(operation);
    return has(operation) && are_equal(**last, operation);
  };
  using Instruction = const HloInstruction&;
  return same([](Instruction a) { return a.original_value() != nullptr; },
              [](Instruction a, Instruction b) {
                return *a.original_value() == *b.original_value();
              }) &&
         same([](Instruction a) { return !a.frontend_attributes().map().empty(); },
              [](Instruction a, Instruction b) {
                return AreEqual(a.frontend_attributes(), b.frontend_attributes());
              }) &&
         same([](Instruction a) { return a.statistics_viz().statistics_size() > 0; },
              [](Instruction a, Instruction b) {
                return AreEqual(a.statistics_viz(), b.statistics_viz());
              }) &&
         same([](Instruction a) { return a.has_backend_config(); },
              [](Instruction a, Instruction b) {
                return a.raw_backend_config_string() == b.raw_backend_config_string();
              }) &&
         (!options.print_metadata() ||
          same([](Instruction a) { return HasPrintedMetadata(a.metadata()); },
               [](Instruction a, Instruction b) { return AreEqual(a.metadata(), b.metadata()); }));
}

// What the chain of operands of an asynchronous instruction begins with.
const HloInstruction& FindAsyncStart(const HloInstruction& instruction, PrintState& state) {
  std::vector<const HloInstruction*> way;
  const HloInstruction* start = &instruction;
  while (start->opcode() != HloOpcode::kAsyncStart && start->operand_count() > 0 &&
         HloOpcodeIsAsync(start->operand(0)->opcode())) {
    const auto known = state.async_starts.find(start);
    if (known != state.async_starts.end()) {
      start = known->second;
      break;
    }
    way.push_back(start);
    start = start->operand(0);
  }
  for (const HloInstruction* passed : way) state.async_starts[passed] = start;
  return *start;
}

// Whether a step whose start is elsewhere names the computation, which then has to be printed.
bool IsNamedByLaterStep(const HloComputation& wrapped, PrintState& state) {
  if (wrapped.parent() == nullptr) return false;
  if (!state.named_by_later_steps.has_value()) {
    absl::flat_hash_set<const HloComputation*>& named = state.named_by_later_steps.emplace();
    const HloModule& module = *wrapped.parent();
    for (const HloComputation* computation : module.computations()) {
      for (const HloInstruction* instruction : computation->instructions()) {
        const bool is_later = instruction->opcode() == HloOpcode::kAsyncUpdate ||
                              instruction->opcode() == HloOpcode::kAsyncDone;
        if (!is_later || FollowsAsyncStep(*instruction)) continue;
        for (const HloComputation* callee : instruction->called_computations()) {
          named.insert(callee);
        }
      }
    }
  }
  return state.named_by_later_steps->contains(&wrapped);
}

}  // namespace

bool IsPrintedAsAsyncSugar(const HloInstruction& instruction, const HloPrintOptions& options,
                           PrintState& state) {
  if (!options.syntax_sugar_async_ops() || !HloOpcodeIsAsync(instruction.opcode()) ||
      instruction.called_computations().empty()) {
    return false;
  }
  const HloInstruction& start = FindAsyncStart(instruction, state);
  const auto [found, inserted] = state.has_async_sugar.try_emplace(&start, false);
  if (inserted) {
    const HloComputation& wrapped = *instruction.called_computations()[0];
    const HloInstruction& root = *wrapped.root_instruction();
    found->second = start.opcode() == HloOpcode::kAsyncStart && TakesAsyncSuffix(root.opcode()) &&
                    ConsistsOfParametersAndRoot(wrapped) && !MistakesAliasing(start, root) &&
                    SayShapes(AsyncChain(start), wrapped) && CarryTheSame(start, root, options) &&
                    !IsNamedByLaterStep(wrapped, state);
  }
  return found->second;
}

bool IsPrintedInUsers(const HloInstruction& instruction, const HloPrintOptions& options) {
  if (!options.compact_gte() || options.canonicalize_instruction_names() ||
      instruction.opcode() != HloOpcode::kGetTupleElement) {
    return false;
  }
  // Nothing but its users may need it, or it would be lost.
  return !instruction.IsRoot() && instruction.user_count() > 0 &&
         !instruction.HasControlDependencies() && !instruction.has_sharding() &&
         !instruction.has_backend_config() && instruction.original_value() == nullptr &&
         instruction.frontend_attributes().map().empty() &&
         instruction.statistics_viz().statistics_size() == 0 &&
         !(options.print_metadata() && HasPrintedMetadata(instruction.metadata())) &&
         !(instruction.GetModule() != nullptr && instruction.GetModule()->has_schedule()) &&
         ShapeUtil::Equal(instruction.shape(), instruction.operand(0)->shape().tuple_shapes(
                                                   static_cast<int>(instruction.tuple_index())));
}

void PrintInstruction(Printer* printer, const HloInstruction& instruction,
                      const HloPrintOptions& options, const PrintContext& context) {
  if (!options.canonicalize_instruction_names()) {
    PrintName(printer, instruction.name(), options);
    printer->Append(" = ");
  } else if (context.canonical_names != nullptr) {
    PrintReference(printer, instruction, options, context);
    printer->Append(" = ");
  }
  if (options.print_result_shape()) {
    PrintShape(printer, instruction.shape(), options);
    printer->Append(" ");
  }
  const bool is_sugar = IsPrintedAsAsyncSugar(instruction, options, *context.state);
  if (is_sugar) {
    AppendCat(printer, HloOpcodeString(instruction.async_wrapped_opcode()),
              AsyncSuffix(instruction.opcode()));
  } else {
    printer->Append(HloOpcodeString(instruction.opcode()));
  }
  printer->Append("(");
  PrintOperands(printer, instruction, options, context);
  printer->Append(")");
  if (options.print_extra_attributes()) {
    PrintExtraAttributes(printer, instruction, is_sugar, options, context);
  }
  if (options.print_metadata()) PrintMetadata(printer, instruction, options);
  if (options.print_backend_config() && instruction.has_backend_config()) {
    const std::string& config = instruction.raw_backend_config_string();
    printer->Append(", backend_config=");
    PrintStringOrJson(printer, options.sort_backend_config() ? SortedJson(config) : config);
  }
}

void HloInstruction::PrintWithCanonicalNameMap(Printer* printer, const HloPrintOptions& options,
                                               CanonicalNameMap* canonical_name_map) const {
  PrintState state;
  PrintInstruction(printer, *this, options,
                   {.state = &state, .canonical_names = canonical_name_map});
}

void HloInstruction::Print(Printer* printer, const HloPrintOptions& options) const {
  PrintState state;
  PrintInstruction(printer, *this, options, {.state = &state});
}

std::string HloInstruction::ToString(const HloPrintOptions& options) const {
  StringPrinter printer;
  Print(&printer, options);
  return std::move(printer).ToString();
}

std::string HloInstruction::ToString() const { return ToString(HloPrintOptions::Default()); }

std::string HloInstruction::ToShortString() const {
  return absl::StrCat("%", name(), " = ", HloOpcodeString(opcode_), "(",
                      absl::StrJoin(operands_, ", ",
                                    [](std::string* out, const HloInstruction* operand) {
                                      absl::StrAppend(out, "%", operand->name());
                                    }),
                      ")");
}

}  // namespace xla
