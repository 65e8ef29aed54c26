#include "cpu/compiler.h"

#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/float_environment.h"
#include "base/status_macros.h"
#include "codegen/program/in_place.h"
#include "codegen/program/passes.h"
#include "cpu/describe.h"
#include "cpu/emit/program.h"
#include "cpu/jit/machine_code.h"
#include "cpu/loops.h"
#include "cpu/passes.h"
#include "cpu/program_report.h"
#include "ir/source_place.h"
#include "passes/table.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Times the stages of a compile where somebody asks for a report.
class Recorder {
 public:
  Recorder(CompileReport* report, const HloModule& module) : report_(report) {
    if (WantsTexts()) report_->input = module.ToString();
  }

  bool WantsTexts() const { return report_ != nullptr && report_->wants_texts; }

  void Ends(absl::string_view stage, const HloModule* changed = nullptr) {
    if (report_ == nullptr) return;
    const double milliseconds =
        std::chrono::duration<double, std::milli>(Clock::now() - begin_).count();
    report_->stages.push_back({std::string(stage), milliseconds, changed != nullptr,
                               changed != nullptr && WantsTexts() ? changed->ToString() : ""});
    begin_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  CompileReport* report_;
  Clock::time_point begin_ = Clock::now();
};

// Sums of sizes must not overflow. What is in fusions takes no memory.
absl::Status CheckSizes(const HloModule& module) {
  for (const HloComputation* computation : module.MakeNonfusionComputations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      for (const Shape& leaf : program::ArrayLeaves(instruction->shape())) {
        const int64_t bytes = ShapeUtil::ByteSizeOf(leaf);
        if (bytes <= Literal::kMaxArrayBytes) continue;
        const std::string source = SourcePlaceText(*instruction);
        return ResourceExhausted(
            "%s%s%s is an array of %d bytes, more than the %d that one may have",
            instruction->ToShortString(), source.empty() ? "" : " from ", source, bytes,
            Literal::kMaxArrayBytes);
      }
    }
  }
  return absl::OkStatus();
}

// One block, each constant aligned.
absl::Status AddConstants(const program::Plan& plan, runtime::ProgramImage& image) {
  for (const HloInstruction* constant : plan.constants) {
    image.constant_offsets.push_back(image.constant_bytes);
    image.constant_bytes += (constant->literal().size_bytes() + runtime::kAlignment - 1) /
                            runtime::kAlignment * runtime::kAlignment;
  }
  HILO_ASSIGN_OR_RETURN(image.constants, runtime::Allocate(image.constant_bytes));
  std::memset(image.constants.get(), 0, image.constant_bytes);
  for (size_t i = 0; i < image.constant_offsets.size(); ++i) {
    const Literal& literal = plan.constants[i]->literal();
    char* const place = image.constants.get() + image.constant_offsets[i];
    if (LayoutUtil::IsMonotonicWithDim0Major(literal.shape().layout())) {
      std::memcpy(place, literal.untyped_data(), literal.size_bytes());
    } else {
      const Literal row_major =
          literal.Relayout(LayoutUtil::GetDefaultLayoutForShape(literal.shape()));
      std::memcpy(place, row_major.untyped_data(), row_major.size_bytes());
    }
  }
  return absl::OkStatus();
}

// "BatchNormGrad" for batch-norm-grad.
std::string CapitalizedName(HloOpcode opcode) {
  std::string name;
  for (absl::string_view word : absl::StrSplit(HloOpcodeString(opcode), '-'))
    absl::StrAppend(&name, std::string(1, absl::ascii_toupper(word[0])), word.substr(1));
  return name;
}

// Clients that switch passes off rely on errors for operations that nothing but a pass can write as
// others. Whatever else has code of its own is compiled as always.
absl::Status CheckWithoutPasses(const HloModule& module) {
  if (!module.config().debug_options().xla_disable_all_hlo_passes()) return absl::OkStatus();
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      switch (instruction->opcode()) {
        case HloOpcode::kBatchNormGrad:
        case HloOpcode::kBatchNormInference:
        case HloOpcode::kBatchNormTraining:
        case HloOpcode::kGetDimensionSize:
        case HloOpcode::kSetDimensionSize:
          return Unimplemented(
              "instruction %s: without passes, %s should be rewritten for CPU by its user",
              instruction->name(), CapitalizedName(instruction->opcode()));
        default:
          break;
      }
    }
  }
  return absl::OkStatus();
}

// A module with the same parameters, result and configuration that only says what they are.
std::string InterfaceOf(const HloModule& module) {
  const HloComputation& entry = *module.entry_computation();
  HloComputation::Builder builder("interface");
  std::vector<HloInstruction*> parameters;
  for (const HloInstruction* parameter : entry.parameter_instructions()) {
    parameters.push_back(builder.AddInstruction(HloInstruction::CreateParameter(
        parameter->parameter_number(), parameter->shape(), parameter->name())));
  }
  HloInstruction* root = builder.AddInstruction(HloInstruction::CreateCustomCall(
      entry.root_instruction()->shape(), parameters, "hilo_saved_program"));
  HloModule interface(module.name(), module.config());
  interface.AddEntryComputation(builder.Build(root));
  interface.input_output_alias_config() = module.input_output_alias_config();
  interface.buffer_donor_config() = module.buffer_donor_config();
  return interface.ToString();
}

}  // namespace

bool CanCompile() { return CheckTarget(codegen::Target::Host()).ok(); }

void WarmUp() {
  if (CanCompile()) WarmUpTarget(codegen::Target::Host());
}

absl::StatusOr<runtime::ProgramImage> Compile(const HloModule& module, CompileReport* report) {
  const DefaultFloatEnvironment float_environment;
  HILO_ASSIGN_OR_RETURN(const codegen::Target target,
                        codegen::Target::Of(module.config().debug_options()));
  HILO_RETURN_IF_ERROR(CheckTarget(target));
  HILO_ASSIGN_OR_RETURN(const bool keeps_subnormals,
                        codegen::KeepsSubnormals(module.config().debug_options()));
  HILO_RETURN_IF_ERROR(CheckWithoutPasses(module));
  Recorder recorder(report, module);
  const std::unique_ptr<HloModule> own = module.Clone("");
  own->clear_schedule();
  passes::Decisions decisions;
  passes::PassOptions options;
  if (report != nullptr) options.decisions = &decisions;
  HILO_RETURN_IF_ERROR(
      passes::Run(CompilerPasses(), *own, options, [&](const passes::Pass& pass, bool changed) {
        recorder.Ends(pass.name, changed ? own.get() : nullptr);
      }));
  HILO_RETURN_IF_ERROR(CheckSizes(*own));
  HILO_ASSIGN_OR_RETURN(const program::Plan plan, program::MakePlan(*own, target));
  recorder.Ends("plan program");
  if (report != nullptr) Describe(plan, decisions, *report);
  if (report != nullptr && report->wants_data) report->data = ReportProgram(plan, decisions);
  HILO_ASSIGN_OR_RETURN(EmittedProgram emitted, EmitProgram(plan, recorder.WantsTexts()));
  recorder.Ends("generate code");
  if (recorder.WantsTexts()) {
    report->loops = LoopsText(plan);
    report->llvm_ir = std::move(emitted.llvm_ir);
    report->objects = emitted.objects;
  }

  runtime::ProgramImage image;
  image.target = target;
  image.name = module.name();
  image.interface = InterfaceOf(module);
  image.seed = static_cast<uint64_t>(module.config().seed());
  image.keeps_subnormals = keeps_subnormals;
  image.objects = std::move(emitted.objects);
  image.calls = std::move(emitted.calls);
  image.lists = std::move(emitted.lists);
  image.launch_sites = emitted.launch_sites;
  image.arena_bytes = plan.arena_bytes;
  image.regions = plan.regions;
  HILO_RETURN_IF_ERROR(AddConstants(plan, image));
  for (int parameter : plan.parameters)
    image.parameter_bytes.push_back(plan.arrays[parameter].bytes());
  for (int result : plan.results) image.result_bytes.push_back(plan.arrays[result].bytes());
  for (const program::Alias& alias : program::FindInPlace(module, plan)) {
    if (alias.shares) image.in_place.push_back({alias.result, alias.parameter});
    if (report != nullptr)
      report->aliases.push_back({alias.result, alias.parameter, alias.shares.Why()});
  }
  return image;
}

}  // namespace xla::cpu
