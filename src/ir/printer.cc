// The text of computations and modules.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "ir/annotation_text.h"
#include "ir/instruction_printer.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"

namespace xla {

std::vector<HloInstruction*> PrintOrder(const HloComputation& computation) {
  const HloModule* module = computation.parent();
  if (module != nullptr && module->has_schedule() &&
      module->schedule().is_computation_scheduled(&computation)) {
    std::vector<HloInstruction*> sequence =
        module->schedule().sequence(&computation).instructions();
    // A schedule that no longer knows all instructions is not the order of anything.
    if (static_cast<int64_t>(sequence.size()) == computation.instruction_count()) return sequence;
  }
  return computation.MakeInstructionPostOrder();
}

void PrintComputation(Printer* printer, const HloComputation& computation,
                      const HloPrintOptions& options,
                      absl::Span<const HloInstruction* const> instruction_order,
                      const PrintContext& outer_context) {
  const std::string indent(2 * options.indent_amount(), ' ');
  printer->Append(indent);
  if (!options.is_in_nested_computation() && options.print_ids()) {
    AppendCat(printer, options.print_percent() ? "%" : "", computation.name(), " ");
  }
  // A body that stands in an attribute is a list of instructions and no more.
  if (options.print_program_shape() && !options.is_in_nested_computation()) {
    ShapeUtil::PrintHumanString(printer, computation.ComputeProgramShape(options.print_ids()));
    printer->Append(" ");
  }
  printer->Append("{\n");
  HloPrintOptions nested = options;
  nested.set_indent_amount(options.indent_amount() + 1).set_is_in_nested_computation(true);
  absl::flat_hash_map<const HloInstruction*, int64_t> canonical_names;
  PrintContext context = outer_context;
  context.canonical_names = &canonical_names;
  for (const HloInstruction* instruction : instruction_order) {
    if (IsPrintedInUsers(*instruction, nested)) continue;
    AppendCat(printer, indent, "  ", instruction == computation.root_instruction() ? "ROOT " : "");
    PrintInstruction(printer, *instruction, nested, context);
    printer->Append("\n");
  }
  AppendCat(printer, indent, "}");
  constexpr int64_t kManyInstructions = 5;
  if (options.print_name_after_closing_brace() &&
      computation.instruction_count() > kManyInstructions) {
    AppendCat(printer, " // ", computation.name());
  }
  if (!computation.IsMainThread()) {
    AppendCat(printer, ", execution_thread=\"", absl::CEscape(computation.execution_thread()),
              "\"");
  }
}

void HloComputation::Print(Printer* printer, const HloPrintOptions& options) const {
  const std::vector<HloInstruction*> order = PrintOrder(*this);
  const std::vector<const HloInstruction*> const_order(order.begin(), order.end());
  Print(printer, options, const_order);
}

void HloComputation::Print(Printer* printer, const HloPrintOptions& options,
                           absl::Span<const HloInstruction* const> instruction_order) const {
  PrintState state;
  PrintComputation(printer, *this, options, instruction_order, {.state = &state});
}

std::string HloComputation::ToString() const { return ToString(HloPrintOptions::Default()); }

std::string HloComputation::ToString(const HloPrintOptions& options) const {
  StringPrinter printer;
  Print(&printer, options);
  return std::move(printer).ToString();
}

std::string HloComputation::ToString(
    const HloPrintOptions& options,
    absl::Span<const HloInstruction* const> instruction_order) const {
  StringPrinter printer;
  Print(&printer, options, instruction_order);
  return std::move(printer).ToString();
}

// ---- Modules ----

namespace {

void PrintFlags(Printer* printer, absl::string_view name, absl::Span<const bool> flags) {
  if (flags.size() == 1 && !flags[0]) return;
  AppendCat(printer, ", ", name, "={");
  AppendJoin(printer, flags, ",",
             [](Printer* out, bool flag) { out->Append(flag ? "true" : "false"); });
  printer->Append("}");
}

std::string PrintRecoveryModule(const HloModuleProto& proto) {
  absl::StatusOr<HloModuleConfig> config =
      HloModule::CreateModuleConfigFromProto(proto, DebugOptions());
  if (!config.ok()) return "";
  absl::StatusOr<std::unique_ptr<HloModule>> module = HloModule::CreateFromProto(proto, *config);
  if (!module.ok()) return "";
  return (*module)->ToString(HloPrintOptions::Default().set_print_large_constants(true));
}

void PrintHeader(Printer* printer, const HloModule& module, const HloPrintOptions& options) {
  const HloModuleConfig& config = module.config();
  printer->Append("HloModule");
  // Names with numbers in them say nothing in a fingerprint.
  if (options.print_ids()) AppendCat(printer, " ", module.name());
  if (module.has_schedule()) printer->Append(", is_scheduled=true");
  if (!module.input_output_alias_config().empty()) {
    AppendCat(printer, ", input_output_alias=", module.input_output_alias_config().ToString());
  }
  if (!module.buffer_donor_config().empty()) {
    AppendCat(printer, ", buffer_donor=", module.buffer_donor_config().ToString());
  }
  if (config.alias_passthrough_params()) printer->Append(", alias_passthrough_params=true");
  if (config.has_entry_computation_layout()) {
    printer->Append(", entry_computation_layout={");
    config.entry_computation_layout().Print(printer);
    printer->Append("}");
  }
  PrintFlags(printer, "allow_spmd_sharding_propagation_to_parameters",
             config.allow_spmd_sharding_propagation_to_parameters());
  PrintFlags(printer, "allow_spmd_sharding_propagation_to_output",
             config.allow_spmd_sharding_propagation_to_output());
  if (config.replica_count() != 1) AppendCat(printer, ", replica_count=", config.replica_count());
  if (config.num_partitions() != 1) {
    AppendCat(printer, ", num_partitions=", config.num_partitions());
  }
  if (!module.frontend_attributes().map().empty()) {
    printer->Append(", frontend_attributes={");
    PrintFrontendAttributes(printer, module.frontend_attributes());
    printer->Append("}");
  }
  if (module.original_value_recovery_table().entries_size() > 0) {
    printer->Append(", origin_recovery_table={");
    PrintOriginalValueRecoveryTable(printer, module.original_value_recovery_table(),
                                    PrintRecoveryModule);
    printer->Append("}\n");
  }
  if (!module.debug_attributes().empty()) {
    printer->Append(",\ndebug_attributes={");
    PrintDebugAttributes(printer, module.debug_attributes());
    printer->Append("}");
  }
  printer->Append("\n\n");
  if (options.print_metadata() && !options.print_inline_stack_frames() &&
      !module.stack_frames().empty()) {
    module.stack_frames().Print(printer);
    printer->Append("\n");
  }
}

// The computations that are left out because those who call them say all about them.
absl::flat_hash_set<const HloComputation*> ComputationsInSugar(const HloModule& module,
                                                               const HloPrintOptions& options) {
  absl::flat_hash_set<const HloComputation*> left_out;
  if (!options.syntax_sugar_async_ops()) return left_out;
  PrintState state;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (HloOpcodeIsAsync(instruction->opcode()) && IsPrintedAsAsyncSugar(*instruction, options, state)) {
        left_out.insert(instruction->called_computations()[0]);
      }
    }
  }
  return left_out;
}

// A 128-bit FNV-1a hash as 32 hexadecimal digits.
std::string Hash128(absl::string_view text) {
  using Word = unsigned __int128;
  constexpr Word kPrime = (Word{1} << 88) + 0x13b;
  Word hash = (Word{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * kPrime;
  return absl::StrFormat("%016x%016x", static_cast<uint64_t>(hash >> 64),
                         static_cast<uint64_t>(hash));
}

}  // namespace

void HloModule::Print(Printer* printer, const HloPrintOptions& options) const {
  PrintHeader(printer, *this, options);
  const absl::flat_hash_set<const HloComputation*> left_out = ComputationsInSugar(*this, options);
  for (const HloComputation* computation : MakeComputationPostOrder()) {
    if (left_out.contains(computation)) continue;
    if (computation == entry_computation_) printer->Append("ENTRY ");
    computation->Print(printer, options);
    printer->Append("\n\n");
  }
}

std::string HloModule::ToString(const HloPrintOptions& options) const {
  StringPrinter printer;
  Print(&printer, options);
  return std::move(printer).ToString();
}

std::string HloModule::ToString() const {
  const DebugOptions& debug = config_->debug_options();
  return ToString((debug.xla_dump_hlo_as_long_text() ? HloPrintOptions::Default()
                                                     : HloPrintOptions::ShortParsable())
                      .set_print_large_constants(debug.xla_dump_large_constants())
                      .set_print_metadata(!debug.xla_dump_disable_metadata())
                      .set_syntax_sugar_async_ops(debug.xla_syntax_sugar_async_ops())
                      .set_print_inline_stack_frames(debug.xla_hlo_print_inline_stack_frames())
                      .set_compact_gte(debug.xla_dump_compact_gte()));
}

// The text of each computation holds the hashes of those it calls, so that the time is that of
// printing each once.
std::string HloModule::GetFingerprint128(const HloPrintOptions& options) const {
  HloPrintOptions plain = options;
  plain.set_syntax_sugar_async_ops(false);
  absl::flat_hash_map<const HloComputation*, std::string> hashes;
  PrintState state;
  std::vector<std::string> texts;
  for (const HloComputation* computation : MakeComputationPostOrder()) {
    StringPrinter text;
    if (computation == entry_computation_) text.Append("ENTRY ");
    const std::vector<HloInstruction*> order = PrintOrder(*computation);
    const std::vector<const HloInstruction*> const_order(order.begin(), order.end());
    PrintComputation(&text, *computation, plain, const_order,
                     {.state = &state, .callee_texts = &hashes});
    texts.push_back(std::move(text).ToString());
    hashes[computation] = Hash128(texts.back());
  }
  if (options.canonicalize_computations()) absl::c_sort(texts);
  StringPrinter all;
  PrintHeader(&all, *this, plain);
  for (const std::string& text : texts) all.Append(text);
  return Hash128(std::move(all).ToString());
}

}  // namespace xla
