#include "tools/conformance_check.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <regex>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "ir/verifier.h"
#include "tools/compare_backends.h"
#include "tools/files.h"
#include "tools/reference_habits.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/util.h"

namespace xla {
namespace {

std::string PrintWhole(const HloModule& module) {
  HloPrintOptions options = HloPrintOptions::Default();
  options.set_print_large_constants(true);
  return module.ToString(options);
}

// The first line in which two texts differ.
absl::Status SameText(absl::string_view got, absl::string_view want, absl::string_view what) {
  got = absl::StripAsciiWhitespace(got);
  want = absl::StripAsciiWhitespace(want);
  if (got == want) return absl::OkStatus();
  const std::vector<absl::string_view> got_lines = absl::StrSplit(got, '\n');
  const std::vector<absl::string_view> want_lines = absl::StrSplit(want, '\n');
  for (size_t i = 0; i < std::min(got_lines.size(), want_lines.size()); ++i) {
    if (got_lines[i] != want_lines[i]) {
      return InvalidArgument("%s: line %d\n  got:      %s\n  expected: %s", what, i + 1,
                             got_lines[i], want_lines[i]);
    }
  }
  return InvalidArgument("%s: %d lines, expected %d", what, got_lines.size(), want_lines.size());
}

// With the configuration, since the module message alone does not carry replica and partition
// counts.
absl::Status CheckProtoRoundTrip(const HloModule& module, const std::string& printed) {
  HloModuleProtoWithConfig proto;
  if (!proto.ParseFromString(module.ToProtoWithConfig().SerializeAsString())) {
    return Internal("the serialised module cannot be read back");
  }
  HILO_ASSIGN_OR_RETURN(
      const std::unique_ptr<HloModule> again,
      HloModule::CreateFromProtoWithConfig(proto, /*prohibit_empty_literal=*/false));
  return SameText(PrintWhole(*again), printed, "through protobuf");
}

bool HasElidedConstants(absl::string_view text) {
  return absl::StrContains(text, "constant({...})");
}

// Text with the elements of all constants left out.
std::string WithoutElements(absl::string_view text) {
  constexpr absl::string_view kBegin = " constant({";
  std::string result;
  for (size_t begin; (begin = text.find(kBegin)) != text.npos;) {
    const size_t end = text.find("})", begin);
    if (end == text.npos) break;
    absl::StrAppend(&result, text.substr(0, begin), kBegin, "...");
    text.remove_prefix(end);
  }
  return absl::StrCat(result, text);
}

// Text without what the reference does not take from the text that it reads.
std::string Comparable(const std::string& text, bool has_elided_constants) {
  static const auto& half_nan = *new std::regex(
      R"(\((-?nan(\(0x[0-9a-f]+\))?, [^(), ]+|[^(), ]+, -?nan(\(0x[0-9a-f]+\))?)\))");
  if (has_elided_constants) return WithoutElements(text);
  return absl::StrContains(text, "nan") ? std::regex_replace(text, half_nan, "(nan, nan)") : text;
}

absl::Status CheckParse(const std::string& stem, const ConformanceEntry& entry) {
  HILO_ASSIGN_OR_RETURN(const std::string text, ReadFile(absl::StrCat(stem, ".hlo")));
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  if (entry.mode == "bad") {
    if (module.ok()) return InvalidArgument("should be refused, but is read");
    return module.status().message().empty() ? Internal("refused without a message")
                                             : absl::OkStatus();
  }
  HILO_RETURN_IF_ERROR(module.status());
  const std::string printed = PrintWhole(**module);
  absl::StatusOr<std::unique_ptr<HloModule>> again = ParseAndReturnUnverifiedModule(printed);
  if (!again.ok()) {
    return InvalidArgument("what was printed cannot be read: %s", again.status().message());
  }
  HILO_RETURN_IF_ERROR(SameText(PrintWhole(**again), printed, "printed twice"));
  HILO_RETURN_IF_ERROR(CheckProtoRoundTrip(**module, printed));
  if (!entry.canonical_is_fixpoint) return absl::OkStatus();
  HILO_ASSIGN_OR_RETURN(const std::string canonical, ReadFile(absl::StrCat(stem, ".canon")));
  const bool has_elided_constants = HasElidedConstants(text);
  return SameText(Comparable(printed, has_elided_constants),
                  Comparable(canonical, has_elided_constants), "against the reference");
}

// Why the reference's text need not be that of the module; empty when there is no such reason.
absl::StatusOr<std::string> WhyTextDiffers(const std::string& stem) {
  constexpr absl::string_view kStart = "async-start(";
  HILO_ASSIGN_OR_RETURN(const std::string canonical, ReadFile(absl::StrCat(stem, ".canon")));
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                        ReadModule(absl::StrCat(stem, ".hlo")));
  if (absl::StrContains(canonical, kStart) || !absl::StrContains(PrintWhole(*module), kStart)) {
    return "";
  }
  // The short form is kept where it is all that there is to say, and only there.
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> other,
                        ParseAndReturnUnverifiedModule(canonical));
  const HloPrintOptions in_full =
      HloPrintOptions::Default().set_print_large_constants(true).set_syntax_sugar_async_ops(false);
  const bool is_kept = SameText(PrintWhole(*other), canonical, "").ok();
  const bool is_same = module->ToString(in_full) == other->ToString(in_full);
  return is_kept && !is_same
             ? "the reference says <op>-start and loses what the computation says beyond that"
             : "";
}

using Evaluate = absl::FunctionRef<absl::StatusOr<Literal>(std::unique_ptr<HloModule>,
                                                           absl::Span<const Literal* const>)>;

absl::StatusOr<Literal> EvaluateUnverified(std::unique_ptr<HloModule> module,
                                           absl::Span<const Literal* const> arguments) {
  return HloEvaluator().Evaluate(*module, arguments);
}

absl::Status GivesRecordedResults(const std::string& stem, const ConformanceEntry& entry,
                                  std::unique_ptr<HloModule> module, Evaluate evaluate) {
  HILO_ASSIGN_OR_RETURN(std::vector<Literal> leaves,
                        ReadConformanceInputs(absl::StrCat(stem, ".in.lit")));
  std::vector<Literal> arguments;
  size_t next = 0;
  for (const HloInstruction* parameter : module->entry_computation()->parameter_instructions()) {
    HILO_ASSIGN_OR_RETURN(Literal argument,
                          Assemble(parameter->shape(), absl::MakeSpan(leaves), &next));
    arguments.push_back(std::move(argument));
  }
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  HILO_ASSIGN_OR_RETURN(Literal result, evaluate(std::move(module), pointers));
  const std::vector<Literal> results = Leaves(std::move(result));
  const absl::Status status = CompareWithExpected(results, absl::StrCat(stem, ".out.lit"), entry);
  // What the program itself expects, where the reference differs from it.
  const std::string own = absl::StrCat(stem, ".exp.lit");
  if (!status.ok() && std::filesystem::exists(own) &&
      CompareWithExpected(results, own, entry).ok()) {
    return absl::OkStatus();
  }
  return status;
}

absl::Status CheckRunOf(std::unique_ptr<HloModule> module, const std::string& stem,
                        const ConformanceEntry& entry, absl::string_view backend_name,
                        const std::string& target) {
  HILO_ASSIGN_OR_RETURN(ExecutionBackend * backend, FindBackend(backend_name));
  return GivesRecordedResults(
      stem, entry, std::move(module),
      [&](std::unique_ptr<HloModule> program,
          absl::Span<const Literal* const> arguments) -> absl::StatusOr<Literal> {
        SetCompileOptions(*program, target);
        HILO_ASSIGN_OR_RETURN(const std::unique_ptr<CompiledModule> compiled,
                              backend->Compile(std::move(program)));
        return compiled->Run(arguments);
      });
}

absl::Status CheckRun(const std::string& stem, const ConformanceEntry& entry,
                      absl::string_view backend, const std::string& target) {
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ReadModule(absl::StrCat(stem, ".hlo")));
  return CheckRunOf(std::move(module), stem, entry, backend, target);
}

// Two forms of a program that give the same module run once.
absl::Status CheckStablehlo(const std::string& stem, const ConformanceEntry& entry,
                            absl::string_view backend, const std::string& target) {
  std::string last;
  for (const absl::string_view form : {".p.mlirbc", ".p.mlir"}) {
    const std::string path = absl::StrCat(stem, form);
    if (!std::filesystem::exists(path)) continue;
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ReadModule(path));
    HloPrintOptions options = HloPrintOptions::Fingerprint();
    std::string text = module->ToString(options.set_print_large_constants(true));
    if (text == last) continue;
    const absl::Status status = CheckRunOf(std::move(module), stem, entry, backend, target);
    if (!status.ok()) return InvalidArgument("%s: %s", form, status.message());
    last = std::move(text);
  }
  return absl::OkStatus();
}

// Why the recorded results need not be those of the module; empty when there is no such reason.
absl::StatusOr<std::string> WhyResultsDiffer(const std::string& stem,
                                             const ConformanceEntry& entry) {
  HILO_ASSIGN_OR_RETURN(const std::string text, ReadFile(absl::StrCat(stem, ".hlo")));
  if (HasElidedConstants(text)) return "the results are of elements that are not in the text";
  const auto read = [&](absl::string_view suffix) {
    return ReadModule(absl::StrCat(stem, suffix));
  };
  const auto agrees = [&](std::unique_ptr<HloModule> module) {
    return GivesRecordedResults(stem, entry, std::move(module), EvaluateUnverified).ok();
  };
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, read(".hlo"));
  const absl::Status valid = VerifyModule(*module);
  if (agrees(std::move(module))) {
    // Where the evaluator is right, another back end is wrong.
    if (valid.ok()) return "";
    return absl::StrCat("the values agree, but the module is not valid: ", valid.message());
  }
  if (std::filesystem::exists(absl::StrCat(stem, ".canon"))) {
    HILO_ASSIGN_OR_RETURN(module, read(".canon"));
    if (agrees(std::move(module)))
      return "the results are of zeros that lost their sign when printed";
  }
  HILO_ASSIGN_OR_RETURN(module, read(".hlo"));
  HILO_ASSIGN_OR_RETURN(const std::string habits, TakeReferenceHabits(*module));
  if (!habits.empty() && agrees(std::move(module)))
    return absl::StrCat("in the reference ", habits);
  return "";
}

// What the recorded results do not say, the evaluator does: on inputs of our own. Modules that
// break a rule no back end takes.
absl::Status AgreesWithEvaluator(const std::string& stem, absl::string_view backend_name,
                                 const std::string& target) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                        ReadModule(absl::StrCat(stem, ".hlo")));
  if (!VerifyModule(*module).ok()) return absl::OkStatus();
  SetCompileOptions(*module, target);
  HILO_ASSIGN_OR_RETURN(ExecutionBackend * backend, FindBackend(backend_name));
  HILO_ASSIGN_OR_RETURN(ExecutionBackend * evaluator, FindBackend("interpreter"));
  if (backend == evaluator) return absl::OkStatus();
  const BackendComparison comparison = CompareBackends(*module, *backend, *evaluator, /*seed=*/0);
  switch (comparison.agreement) {
    case Agreement::kAgree:
    case Agreement::kNotCompared:
      return absl::OkStatus();
    case Agreement::kDiffer:
    case Agreement::kNoCode:
      break;
  }
  return InvalidArgument("not as the evaluator: %s", comparison.reason);
}

}  // namespace

ConformanceResult CheckConformanceEntry(const ConformanceGroup& group,
                                        const ConformanceEntry& entry, absl::string_view mode,
                                        absl::string_view backend, const std::string& target) {
  const std::string stem = absl::StrCat(group.folder, "/", entry.path);
  const bool is_parse = mode == "parse";
  const absl::Status status = is_parse              ? CheckParse(stem, entry)
                              : mode == "stablehlo" ? CheckStablehlo(stem, entry, backend, target)
                                                    : CheckRun(stem, entry, backend, target);
  if (status.ok()) return {};
  if (is_parse && entry.mode == "bad" && entry.may_be_newer) {
    return {Verdict::kSetAside, "read, and perhaps newer than the reference, which refuses it"};
  }
  absl::StatusOr<std::string> why = is_parse ? WhyTextDiffers(stem) : WhyResultsDiffer(stem, entry);
  if (why.ok() && !why->empty()) {
    const absl::Status agrees =
        is_parse ? absl::OkStatus() : AgreesWithEvaluator(stem, backend, target);
    if (agrees.ok()) return {Verdict::kSetAside, *std::move(why)};
    return {Verdict::kFailed, absl::StrCat(agrees.message(), "; set aside otherwise: ", *why)};
  }
  return {Verdict::kFailed,
          status.message().empty() ? status.ToString() : std::string(status.message())};
}

}  // namespace xla
