#include "tools/collectives_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace xla {
namespace {

// With three digits, as so many of the largest unit of which there is one.
std::string WithUnit(double number, absl::Span<const std::pair<double, const char*>> units) {
  for (const auto& [size, name] : units) {
    if (number >= size || size == units.back().first)
      return absl::StrFormat("%.3g %s", number / size, name);
  }
  return "";
}

// Whether an instruction only brings in shape what a collective has sent.
bool HandsOn(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kReshape:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return true;
    default:
      return false;
  }
}

void AddUsers(const HloInstruction& of, std::vector<std::string>& names,
              absl::flat_hash_set<const HloInstruction*>& seen) {
  for (const HloInstruction* user : of.users()) {
    if (!seen.insert(user).second) continue;
    if (HandsOn(*user) && user->user_count() > 0) {
      AddUsers(*user, names, seen);
    } else {
      names.emplace_back(user->name());
    }
  }
}

// The first few.
std::string ListText(const std::vector<std::string>& names) {
  constexpr size_t kMost = 4;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMost));
  std::string text = absl::StrJoin(names.begin(), end, ", ");
  if (names.size() > kMost) absl::StrAppendFormat(&text, " and %d more", names.size() - kMost);
  return text;
}

}  // namespace

std::string BytesText(double bytes) {
  return WithUnit(bytes, {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}});
}

std::string SecondsText(double seconds) {
  return WithUnit(seconds, {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}});
}

std::string SentArrays(const HloInstruction& collective) {
  std::vector<std::string> names;
  for (const HloInstruction* operand : collective.operands()) {
    while (HandsOn(*operand) && operand->opcode() != HloOpcode::kGetTupleElement)
      operand = operand->operand(0);
    names.emplace_back(operand->name());
  }
  return ListText(names);
}

absl::string_view AlgorithmName(passes::DeviceModel::Algorithm algorithm) {
  for (const auto& [name, each] : kAlgorithmNames) {
    if (each == algorithm) return name;
  }
  return "";
}

std::string NeedyInstructions(const HloInstruction& collective) {
  std::vector<std::string> names;
  absl::flat_hash_set<const HloInstruction*> seen;
  AddUsers(collective, names, seen);
  return names.empty() ? "the result" : ListText(names);
}

std::string CollectivesTable(const passes::ProgramCost& cost) {
  if (cost.collectives.empty()) return "Nothing is sent.\n";
  std::string text = absl::StrFormat("%10s %8s %10s %9s %8s  %-6s %s\n", "time", "runs", "bytes",
                                     "messages", "devices", "", "collective");
  for (const passes::CollectiveCost& each : cost.collectives) {
    absl::StrAppendFormat(&text, "%10s %8.0f %10s %9d %8d  %-6s %s of %s for %s\n",
                          SecondsText(each.runs * each.exchange.seconds), each.runs,
                          BytesText(each.exchange.bytes), each.exchange.messages, each.devices,
                          AlgorithmName(each.exchange.algorithm), each.instruction->name(),
                          SentArrays(*each.instruction), NeedyInstructions(*each.instruction));
  }
  return text;
}

}  // namespace xla
