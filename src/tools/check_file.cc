#include "tools/check_file.h"

#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "cpu/loops.h"
#include "cpu/passes.h"
#include "ir/verifier.h"
#include "passes/table.h"
#include "runtime/mailboxes.h"
#include "tools/files.h"
#include "xla/error_spec.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/hlo/translate/stablehlo.h"
#include "xla/literal.h"
#include "xla/literal_comparison.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla {
namespace {

constexpr absl::string_view kRun = "// run:";
constexpr absl::string_view kError = "// error:";
constexpr absl::string_view kTest = "// test:";
constexpr absl::string_view kPasses = "// passes:";
constexpr absl::string_view kTo = "// to:";
constexpr absl::string_view kTarget = "// target:";
constexpr absl::string_view kProfile = "// profile:";
constexpr absl::string_view kContained = "// CHECK:";
constexpr absl::string_view kAbsent = "// CHECK-NOT:";
constexpr absl::string_view kOtherCheck = "// CHECK";
constexpr absl::string_view kReplicas = "// replicas:";
constexpr absl::string_view kPartitions = "// partitions:";
constexpr absl::string_view kInfeed = "// infeed";
constexpr absl::string_view kOutfeed = "// outfeed";
constexpr absl::string_view kContinuation = "//   ";

// Position of `what` in `text` outside of parentheses, braces and strings.
size_t FindAtTopLevel(absl::string_view text, absl::string_view what) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && absl::StartsWith(text.substr(i), what)) return i;
    if (text[i] == '(' || text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == '}' || text[i] == ']') --depth;
  }
  return absl::string_view::npos;
}

// Splits "(arguments) == expected" or "(arguments) ~ expected".
void AddRun(CheckCase& check, int64_t line, absl::string_view text) {
  size_t position = FindAtTopLevel(text, "==");
  const bool exact = position != absl::string_view::npos;
  if (!exact) position = FindAtTopLevel(text, "~");
  CheckCase::Run run;
  run.line = line;
  run.exact = exact;
  run.arguments = std::string(absl::StripAsciiWhitespace(text.substr(0, position)));
  if (position != absl::string_view::npos) {
    run.expected = std::string(absl::StripAsciiWhitespace(text.substr(position + (exact ? 2 : 1))));
  }
  check.runs.push_back(std::move(run));
}

// Reads " 3: value" or ": value". A device that is no number becomes -1, which nothing feeds.
CheckCase::Feed ParseFeed(int64_t line, absl::string_view text) {
  const size_t colon = text.find(':');
  const absl::string_view device = absl::StripAsciiWhitespace(text.substr(0, colon));
  CheckCase::Feed feed = {line, 0, ""};
  if (!device.empty() && !absl::SimpleAtoi(device, &feed.device)) feed.device = -1;
  if (colon != absl::string_view::npos)
    feed.value = std::string(absl::StripAsciiWhitespace(text.substr(colon + 1)));
  return feed;
}

CheckCase::Expectation ParseExpectation(int64_t line, absl::string_view text) {
  return {line, std::string(absl::StripAsciiWhitespace(text))};
}

void AddNames(CheckCase& check, absl::string_view text) {
  for (absl::string_view name : absl::StrSplit(text, ',')) {
    check.names.emplace_back(absl::StripAsciiWhitespace(name));
  }
}

// 0, on which nothing runs, when the text is no number.
int64_t DeviceCount(absl::string_view text) {
  int32_t count;
  return absl::SimpleAtoi(text, &count) ? count : 0;
}

// A `// run:` line that is being read, with its continuation lines so far.
struct OpenRun {
  int64_t line = 0;  // 0 when there is none
  std::string text;
};

void CloseRun(CheckCase& check, OpenRun& run) {
  if (run.line != 0) AddRun(check, run.line, run.text);
  run = OpenRun();
}

void AddLine(CheckCase& check, int64_t line_number, absl::string_view line, OpenRun& run) {
  absl::StrAppend(&check.text, line, "\n");
  const absl::string_view trimmed = absl::StripAsciiWhitespace(line);
  if (run.line != 0 && absl::StartsWith(trimmed, kContinuation)) {
    absl::StrAppend(&run.text, " ", trimmed.substr(kContinuation.size()));
    return;
  }
  CloseRun(check, run);
  if (absl::StartsWith(trimmed, kRun)) {
    run = {line_number, std::string(trimmed.substr(kRun.size()))};
    return;
  }
  if (absl::StartsWith(trimmed, kTest)) {
    AddNames(check, trimmed.substr(kTest.size()));
    return;
  }
  if (absl::StartsWith(trimmed, kPasses)) {
    check.passes = std::string(trimmed.substr(kPasses.size()));
    return;
  }
  if (absl::StartsWith(trimmed, kTo)) {
    check.to = std::string(absl::StripAsciiWhitespace(trimmed.substr(kTo.size())));
    return;
  }
  if (absl::StartsWith(trimmed, kProfile)) {
    check.profile = std::string(absl::StripAsciiWhitespace(trimmed.substr(kProfile.size())));
    return;
  }
  if (absl::StartsWith(trimmed, kTarget)) {
    check.target = std::string(absl::StripAsciiWhitespace(trimmed.substr(kTarget.size())));
    return;
  }
  if (absl::StartsWith(trimmed, kContained)) {
    check.contained.push_back(ParseExpectation(line_number, trimmed.substr(kContained.size())));
    return;
  }
  if (absl::StartsWith(trimmed, kAbsent)) {
    check.absent.push_back(ParseExpectation(line_number, trimmed.substr(kAbsent.size())));
    return;
  }
  if (absl::StartsWith(trimmed, kOtherCheck)) {
    check.unknown.push_back({line_number, std::string(trimmed)});
    return;
  }
  if (absl::StartsWith(trimmed, kReplicas)) {
    check.replicas = DeviceCount(trimmed.substr(kReplicas.size()));
    return;
  }
  if (absl::StartsWith(trimmed, kPartitions)) {
    check.partitions = DeviceCount(trimmed.substr(kPartitions.size()));
    return;
  }
  if (absl::StartsWith(trimmed, kInfeed)) {
    check.infeeds.push_back(ParseFeed(line_number, trimmed.substr(kInfeed.size())));
    return;
  }
  if (absl::StartsWith(trimmed, kOutfeed)) {
    check.outfeeds.push_back(ParseFeed(line_number, trimmed.substr(kOutfeed.size())));
    return;
  }
  const size_t error = line.find(kError);
  if (error == absl::string_view::npos) return;
  check.error = std::string(absl::StripAsciiWhitespace(line.substr(error + kError.size())));
  if (error != line.find_first_not_of(" \t")) check.error_line = line_number;
}

// The text of a literal of known shape with that shape put before it where it is left out.
absl::StatusOr<Literal> ParseWithShape(absl::string_view text, const Shape& shape) {
  text = absl::StripAsciiWhitespace(text);
  const size_t bracket = text.find('[');
  const bool has_shape = bracket != absl::string_view::npos &&
                         primitive_util::IsPrimitiveTypeName(text.substr(0, bracket));
  return ParseLiteral(has_shape ? std::string(text) : absl::StrCat(shape.ToString(), " ", text));
}

// The elements of "(a, b, c)" or "[a, b, c]".
absl::StatusOr<std::vector<std::string>> SplitList(absl::string_view text, absl::string_view open,
                                                   absl::string_view close) {
  text = absl::StripAsciiWhitespace(text);
  if (!absl::ConsumePrefix(&text, open) || !absl::ConsumeSuffix(&text, close)) {
    return InvalidArgument("'%s' should stand in %s%s", text, open, close);
  }
  std::vector<std::string> elements;
  while (!absl::StripAsciiWhitespace(text).empty()) {
    const size_t comma = FindAtTopLevel(text, ",");
    elements.emplace_back(absl::StripAsciiWhitespace(text.substr(0, comma)));
    text = comma == absl::string_view::npos ? "" : text.substr(comma + 1);
  }
  return elements;
}

absl::StatusOr<std::vector<std::string>> SplitTuple(absl::string_view text) {
  return SplitList(text, "(", ")");
}

absl::StatusOr<Literal> ParseValue(absl::string_view text, const Shape& shape) {
  if (!shape.IsTuple()) return ParseWithShape(text, shape);
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string> elements, SplitTuple(text));
  if (static_cast<int>(elements.size()) != shape.tuple_shapes_size()) {
    return InvalidArgument("%d values given for %s", elements.size(), shape.ToString());
  }
  std::vector<Literal> literals;
  for (size_t i = 0; i < elements.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(Literal literal,
                          ParseValue(elements[i], shape.tuple_shapes(static_cast<int>(i))));
    literals.push_back(std::move(literal));
  }
  return Literal::MoveIntoTuple(absl::MakeSpan(literals));
}

ErrorSpec ToleranceFor(const Shape& shape) {
  ErrorSpec narrow(2e-2, 2e-2);
  ErrorSpec wide(1e-5, 1e-5);
  bool is_narrow = false;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& leaf, const ShapeIndex&) {
    if (leaf.IsArray() && primitive_util::IsFloatingPointType(leaf.element_type()) &&
        primitive_util::BitWidth(leaf.element_type()) <= 16) {
      is_narrow = true;
    }
  });
  return is_narrow ? narrow : wide;
}

absl::StatusOr<std::vector<Literal>> ParseArguments(absl::string_view text,
                                                    const HloComputation& entry) {
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string> texts, SplitTuple(text));
  if (static_cast<int64_t>(texts.size()) != entry.num_parameters()) {
    return InvalidArgument("%d arguments given for %d parameters", texts.size(),
                           entry.num_parameters());
  }
  std::vector<Literal> arguments;
  for (size_t i = 0; i < texts.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(
        Literal argument,
        ParseValue(texts[i], entry.parameter_instruction(static_cast<int64_t>(i))->shape()));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::vector<const Literal*> Pointers(absl::Span<const Literal> literals) {
  std::vector<const Literal*> pointers;
  for (const Literal& literal : literals) pointers.push_back(&literal);
  return pointers;
}

absl::Status Compare(const CheckCase::Run& run, absl::string_view expected_text,
                     const Literal& result) {
  HILO_ASSIGN_OR_RETURN(const Literal expected, ParseValue(expected_text, result.shape()));
  if (run.exact) return literal_comparison::Equal(expected, result);
  return literal_comparison::Near(expected, result, ToleranceFor(result.shape()),
                                  /*detailed_message=*/std::nullopt,
                                  /*miscompare_callback=*/nullptr);
}

// On several devices: lists with an entry for each.
absl::Status RunReplicated(CompiledModule& module, const CheckCase& check,
                           const CheckCase::Run& run, const RunContext& context) {
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string> texts, SplitList(run.arguments, "[", "]"));
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string> expected, SplitList(run.expected, "[", "]"));
  std::vector<std::vector<Literal>> arguments;
  std::vector<std::vector<const Literal*>> pointers;
  for (absl::string_view text : texts) {
    HILO_ASSIGN_OR_RETURN(arguments.emplace_back(),
                          ParseArguments(text, *module.module().entry_computation()));
    pointers.push_back(Pointers(arguments.back()));
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<Literal> results,
                        module.RunReplicated(pointers, check.replicas, check.partitions, context));
  if (results.size() != expected.size()) {
    return InvalidArgument("%d results expected from %d devices", expected.size(), results.size());
  }
  for (size_t device = 0; device < results.size(); ++device) {
    const absl::Status status = Compare(run, expected[device], results[device]);
    if (!status.ok()) return InvalidArgument("on device %d: %s", device, status.message());
  }
  return absl::OkStatus();
}

absl::Status RunOn(CompiledModule& module, const CheckCase& check, const CheckCase::Run& run,
                   const RunContext& context) {
  if (check.replicas * check.partitions != 1) return RunReplicated(module, check, run, context);
  HILO_ASSIGN_OR_RETURN(const std::vector<Literal> arguments,
                        ParseArguments(run.arguments, *module.module().entry_computation()));
  HILO_ASSIGN_OR_RETURN(const Literal result, module.Run(Pointers(arguments), context));
  return Compare(run, run.expected, result);
}

absl::Status CompareOutfeed(const CheckCase::Feed& feed, runtime::Mailboxes& mailboxes) {
  HILO_ASSIGN_OR_RETURN(const Literal expected, ParseLiteral(feed.value));
  HILO_ASSIGN_OR_RETURN(const Literal value,
                        mailboxes.Take({runtime::Mailbox::kOutfeed, feed.device}));
  return literal_comparison::Equal(expected, value);
}

// Nothing waits for a value that is not there yet.
absl::Status RunOnce(CompiledModule& module, const CheckCase& check, const CheckCase::Run& run) {
  runtime::Mailboxes mailboxes(absl::ZeroDuration());
  for (const CheckCase::Feed& feed : check.infeeds) {
    HILO_ASSIGN_OR_RETURN(Literal value, ParseLiteral(feed.value));
    mailboxes.Put({runtime::Mailbox::kInfeed, feed.device}, std::move(value));
  }
  HILO_RETURN_IF_ERROR(RunOn(module, check, run, {&mailboxes}));
  for (const CheckCase::Feed& feed : check.outfeeds) {
    const absl::Status status = CompareOutfeed(feed, mailboxes);
    if (!status.ok()) return InvalidArgument("outfeed of line %d: %s", feed.line, status.message());
  }
  if (mailboxes.empty()) return absl::OkStatus();
  return InvalidArgument(
      "not all values of the infeed were read, or more than those given are in the outfeed");
}

std::string Failure(const CheckCase& check, int64_t line, absl::string_view message) {
  const std::string names =
      check.names.empty() ? "" : absl::StrCat("[", absl::StrJoin(check.names, ", "), "] ");
  return absl::StrCat(check.file, ":", line, ": ", names, message);
}

// Whether an error that names its place ("was parsing 3:14: ..." in HLO, "text, 3:14: ..." or
// "in line 3, " in StableHLO) is in the line of the case it should be in.
bool InRightLine(const CheckCase& check, absl::string_view message) {
  if (check.error_line == 0) return true;
  for (absl::string_view before : {"was parsing ", "StableHLO text, ", "in line "}) {
    const size_t place = message.find(before);
    if (place == absl::string_view::npos) continue;
    message.remove_prefix(place + before.size());
    const std::string line = absl::StrCat(check.error_line - check.first_line + 1);
    return absl::ConsumePrefix(&message, line) && !message.empty() &&
           (message[0] == ':' || message[0] == ',');
  }
  return true;
}

// Runs the passes of the case; what went wrong, or nothing.
std::string RunPasses(const CheckCase& check, HloModule& module) {
  absl::Status status;
  if (check.passes.empty()) {
    status = passes::Run(cpu::CompilerPasses(), module);
  } else {
    const absl::StatusOr<std::vector<passes::Pass>> passes =
        passes::FindPasses(cpu::AllPasses(), check.passes);
    status = passes.status();
    if (status.ok()) status = passes::Run(*passes, module, {.verifies = true});
  }
  std::string text = module.ToString(HloPrintOptions::ShortParsable());
  if (status.ok() && !check.to.empty()) {
    absl::StatusOr<std::string> loops = cpu::PlanText(module, check.to);
    status = loops.status();
    if (status.ok()) text = *std::move(loops);
  }
  if (!status.ok()) return Failure(check, check.first_line, status.message());
  size_t position = 0;
  for (const CheckCase::Expectation& expected : check.contained) {
    position = text.find(expected.text, position);
    if (position == std::string::npos) {
      return Failure(check, expected.line,
                     absl::StrCat("not found after what the lines before found:\n", text));
    }
    position += expected.text.size();
  }
  for (const CheckCase::Expectation& unexpected : check.absent) {
    if (absl::StrContains(text, unexpected.text))
      return Failure(check, unexpected.line, absl::StrCat("found in:\n", text));
  }
  return "";
}

}  // namespace

std::vector<CheckCase> SplitCheckFile(const std::string& path, absl::string_view contents) {
  std::vector<CheckCase> cases(1);
  cases[0].file = path;
  int64_t line_number = 0;
  OpenRun run;
  for (absl::string_view line : absl::StrSplit(contents, '\n')) {
    ++line_number;
    if (absl::StartsWith(line, "// -----")) {
      CloseRun(cases.back(), run);
      cases.emplace_back();
      cases.back().file = path;
      cases.back().first_line = line_number + 1;
      continue;
    }
    AddLine(cases.back(), line_number, line, run);
  }
  CloseRun(cases.back(), run);
  return cases;
}

std::string RunCheckCase(const CheckCase& check, absl::string_view backend_name,
                         const std::string& target) {
  absl::StatusOr<ExecutionBackend*> backend = FindBackend(backend_name);
  if (!backend.ok()) return Failure(check, check.first_line, backend.status().message());
  if (!check.unknown.empty()) {
    return Failure(
        check, check.unknown[0].line,
        absl::StrCat("only CHECK: and CHECK-NOT: are known, not ", check.unknown[0].text));
  }
  absl::StatusOr<std::unique_ptr<HloModule>> module =
      IsStablehlo(check.text) ? ConvertStablehloToHlo(check.text)
                              : ParseAndReturnUnverifiedModule(check.text);
  absl::Status status = module.status();
  if (status.ok()) status = VerifyModule(**module);
  if (!check.error.empty()) {
    const int64_t line = check.error_line == 0 ? check.first_line : check.error_line;
    if (status.ok()) {
      return Failure(check, line, absl::StrCat("should be refused with: ", check.error));
    }
    if (!absl::StrContains(status.message(), check.error) ||
        !InRightLine(check, status.message())) {
      return Failure(check, line,
                     absl::StrCat("should be refused with: ", check.error,
                                  "\nbut the error is: ", status.message()));
    }
    return "";
  }
  if (!status.ok()) return Failure(check, check.first_line, status.message());
  SetCompileOptions(**module, check.target.empty() ? target : check.target);
  if (!check.profile.empty()) SetProfile(**module, check.profile);
  if (!check.passes.empty() || !check.to.empty()) {
    std::string failure = RunPasses(check, **module);
    if (!failure.empty()) return failure;
  }
  if (check.runs.empty()) return "";
  absl::StatusOr<std::unique_ptr<CompiledModule>> compiled =
      (*backend)->Compile(*std::move(module));
  if (!compiled.ok()) return Failure(check, check.first_line, compiled.status().message());
  for (const CheckCase::Run& run : check.runs) {
    const absl::Status result = RunOnce(**compiled, check, run);
    if (!result.ok()) return Failure(check, run.line, result.message());
  }
  return "";
}

}  // namespace xla
