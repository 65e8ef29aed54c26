#include <cstdlib>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "ir/control_flow.h"
#include "ir/verifier.h"
#include "passes/table.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

const HloInstruction* FindInstruction(const HloModule& module,
                                      absl::FunctionRef<bool(const HloInstruction&)> is_wanted) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (is_wanted(*instruction)) return instruction;
    }
  }
  return nullptr;
}

bool IsCall(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kCall || instruction.opcode() == HloOpcode::kFusion;
}

// Of those of one instruction as well.
bool SharesComputations(const HloInstruction& instruction) {
  if (!IsLoopOrConditional(instruction)) return false;
  const auto& called = instruction.called_computations();
  for (size_t i = 0; i < called.size(); ++i) {
    if (called[i]->caller_instructions().size() > 1) return true;
    for (size_t j = 0; j < i; ++j) {
      if (called[i] == called[j]) return true;
    }
  }
  return false;
}

bool HasIndexVector(const HloInstruction& instruction) {
  const bool updates = instruction.opcode() == HloOpcode::kDynamicUpdateSlice;
  if (!updates && instruction.opcode() != HloOpcode::kDynamicSlice) return false;
  const int64_t first = updates ? 2 : 1;
  return instruction.operand_count() > first &&
         instruction.operand(first)->shape().dimensions_size() == 1;
}

// A step of an asynchronous operation whose step before or after is in another computation.
bool HasStepsElsewhere(const HloInstruction& instruction) {
  if (!HloOpcodeIsAsync(instruction.opcode())) return false;
  const auto is_step = [](const HloInstruction* other) {
    return HloOpcodeIsAsync(other->opcode());
  };
  if (instruction.opcode() != HloOpcode::kAsyncStart && !is_step(instruction.operand(0)))
    return true;
  return instruction.opcode() != HloOpcode::kAsyncDone &&
         (instruction.IsRoot() || !absl::c_all_of(instruction.users(), is_step));
}

struct RequirementRow {
  Requirement requirement;
  bool (*is_broken_by)(const HloInstruction& instruction);
  absl::string_view pass;  // that makes it true
};

constexpr RequirementRow kRequirements[] = {
    {kNoCalls, IsCall, "inline-calls"},
    {kOwnComputations, SharesComputations, "flatten-control-flow"},
    {kScalarIndices, HasIndexVector, "expand-index-vectors"},
    {kLocalAsync, HasStepsElsewhere, "expand-async"},
};

absl::Status CheckRequirements(const Pass& pass, const HloModule& module) {
  for (const RequirementRow& row : kRequirements) {
    if ((pass.requirements & row.requirement) == 0) continue;
    const HloInstruction* found = FindInstruction(module, row.is_broken_by);
    if (found == nullptr) continue;
    return FailedPrecondition("%s comes after %s, which has something to do at %s", pass.name,
                              row.pass, found->ToShortString());
  }
  return absl::OkStatus();
}

// The variable HILO_VERIFY_PASSES of the environment.
int VerificationLevel() {
  static const int level = [] {
    const char* const value = std::getenv("HILO_VERIFY_PASSES");
    return value == nullptr ? 0 : std::atoi(value);
  }();
  return level;
}

std::string ShortText(const HloModule& module) {
  return module.ToString(HloPrintOptions::ShortParsable().set_print_large_constants(false));
}

absl::Status RunOne(const Pass& pass, HloModule& module, const PassOptions& options,
                    AfterPass after) {
  if (options.verifies) HILO_RETURN_IF_ERROR(CheckRequirements(pass, module));
  const bool compares = VerificationLevel() >= 2;
  const std::string before = compares ? ShortText(module) : "";
  const absl::StatusOr<bool> changed = pass.run(module, options);
  if (!changed.ok()) {
    return absl::Status(changed.status().code(),
                        absl::StrCat(pass.name, ": ", changed.status().message()));
  }
  module.Cleanup();
  if (*changed) module.clear_schedule();
  if (options.verifies) {
    if (const absl::Status status = VerifyModule(module); !status.ok())
      return Internal("%s has broken the module: %s", pass.name, status.message());
  }
  if (compares && !*changed && ShortText(module) != before)
    return Internal("%s has changed the module and says that it has not", pass.name);
  after(pass, *changed);
  return absl::OkStatus();
}

}  // namespace

absl::string_view StageName(Stage stage) {
  switch (stage) {
    case Stage::kHlo:
      return "HLO";
    case Stage::kKernels:
      return "HLO for kernels";
    case Stage::kFusion:
      return "fusion";
  }
  return "";
}

bool PassOptions::VerifiesByDefault() {
#ifndef NDEBUG
  return true;
#else
  return VerificationLevel() >= 1;
#endif
}

absl::Status Run(absl::Span<const Pass> passes, HloModule& module, const PassOptions& options,
                 AfterPass after) {
  for (const Pass& pass : passes) HILO_RETURN_IF_ERROR(RunOne(pass, module, options, after));
  return absl::OkStatus();
}

absl::Status Run(absl::Span<const Pass> passes, HloModule& module, const PassOptions& options) {
  return Run(passes, module, options, [](const Pass&, bool) {});
}

absl::StatusOr<std::vector<Pass>> FindPasses(absl::Span<const Pass> table,
                                             absl::string_view names) {
  std::vector<Pass> passes;
  for (absl::string_view name : absl::StrSplit(names, ',', absl::SkipWhitespace())) {
    name = absl::StripAsciiWhitespace(name);
    const auto found = absl::c_find_if(table, [&](const Pass& pass) { return pass.name == name; });
    if (found == table.end()) {
      return InvalidArgument("there is no pass '%s'; there are %s", name,
                             absl::StrJoin(table, ", ", [](std::string* text, const Pass& pass) {
                               absl::StrAppend(text, pass.name);
                             }));
    }
    passes.push_back(*found);
  }
  return passes;
}

}  // namespace xla::passes
