#include "codegen/target.h"

#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "codegen/host.h"
#include "xla/util.h"

namespace xla::codegen {
namespace {

constexpr absl::string_view kX86Triple = "x86_64-unknown-linux-gnu";
constexpr absl::string_view kAArch64Triple = "aarch64-unknown-linux-gnu";

struct Level {
  absl::string_view name;
  absl::string_view triple;
  absl::string_view features;  // beside those of the levels of the same triple before it
};

constexpr Level kLevels[] = {
    {"x86-64-v2", kX86Triple, "cx16 popcnt sahf sse3 sse4.1 sse4.2 ssse3"},
    {"x86-64-v3", kX86Triple, "avx avx2 bmi bmi2 f16c fma lzcnt movbe"},
    {"x86-64-v4", kX86Triple, "avx512bw avx512cd avx512dq avx512f avx512vl"},
    {"aarch64", kAArch64Triple, "fp-armv8 neon"},
};

Target MakeHost() {
  const HostProcessor processor = DetectHost();
  const absl::string_view triple = processor.architecture == Architecture::kX86_64 ? kX86Triple
                                   : processor.architecture == Architecture::kAArch64
                                       ? kAArch64Triple
                                       : "";
  Target host = Target::Make("host", std::string(triple), processor.features);
  if (host.tuning_cpu == host.cpu && !triple.empty()) host.tuning_cpu = "native";
  host.has_fast_gather = processor.has_fast_gather;
  return host;
}

// What xla_cpu_max_isa takes from the host: all but the features of a level, where it is below the
// host, or those that have a name and came later.
struct Limit {
  absl::string_view isa, level, later_features;
};

constexpr Limit kLimits[] = {
    {"SSE4_2", "x86-64-v2", ""},
    {"AVX", "x86-64-v2", ""},
    {"AVX2", "x86-64-v3", ""},
    {"AVX512", "x86-64-v4", ""},
    {"AVX512_VNNI", "", "avx512bf16 amx-bf16 amx-int8 amx-tile"},
    {"AVX512_BF16", "", "amx-bf16 amx-int8 amx-tile"},
    {"AMX", "", ""},
    {"AMX_FP16", "", ""},
};

// The host without these.
Target HostWithout(absl::string_view features) {
  const Target& host = Target::Host();
  const std::vector<std::string> unwanted = absl::StrSplit(features, ' ', absl::SkipEmpty());
  std::vector<std::string> wanted;
  for (const std::string& feature : host.features) {
    if (!absl::c_linear_search(unwanted, feature)) wanted.push_back(feature);
  }
  Target target = Target::Make(host.name, host.triple, std::move(wanted));
  target.tuning_cpu = host.tuning_cpu;
  target.has_fast_gather = host.has_fast_gather;
  return target;
}

}  // namespace

Target Target::Make(std::string name, std::string triple, std::vector<std::string> features) {
  Target target;
  target.name = std::move(name);
  target.triple = std::move(triple);
  target.features = std::move(features);
  absl::c_sort(target.features);
  if (target.triple == kAArch64Triple) {
    target.cpu = target.tuning_cpu = "generic";
    target.vector_registers = 32;
    target.has_fma = true;
    target.instruction_set = InstructionSet::kNeon;
    return target;
  }
  target.cpu = target.tuning_cpu = "x86-64";
  const auto has = [&](absl::string_view feature) { return target.Has(feature); };
  target.has_fma = has("fma");
  if (has("avx2") && has("fma") && has("f16c")) {
    target.vector_bits = 256;
    target.instruction_set = InstructionSet::kAvx2;
  }
  if (target.vector_bits == 256 && has("avx512f") && has("avx512bw") && has("avx512dq") &&
      has("avx512vl")) {
    target.vector_bits = 512;
    target.vector_registers = 32;
    target.has_mask_registers = target.has_scale = target.has_fast_gather = true;
    const bool has_narrow = has("avx512vnni") && has("avx512bf16");
    const bool has_tiles = has("amx-tile") && has("amx-bf16") && has("amx-int8");
    target.instruction_set = !has_narrow  ? InstructionSet::kAvx512
                             : !has_tiles ? InstructionSet::kAvx512Narrow
                                          : InstructionSet::kAmx;
  }
  return target;
}

const Target& Target::Host() {
  static const Target* const host = new Target(MakeHost());
  return *host;
}

const std::vector<std::string>& Target::Names() {
  static const auto* const names = [] {
    auto* list = new std::vector<std::string>{"host"};
    for (const Level& level : kLevels) list->emplace_back(level.name);
    return list;
  }();
  return *names;
}

absl::StatusOr<Target> Target::Parse(absl::string_view name) {
  if (name == "host") return Host();
  std::vector<std::string> features;
  for (const Level& level : kLevels) {
    if (level.triple == kAArch64Triple) features.clear();
    for (absl::string_view feature : absl::StrSplit(level.features, ' '))
      features.emplace_back(feature);
    if (level.name == name)
      return Make(std::string(name), std::string(level.triple), std::move(features));
  }
  return InvalidArgument("there is no target %s; there are: %s", name,
                         absl::StrJoin(Names(), ", "));
}

absl::StatusOr<Target> Target::Of(const DebugOptions& options) {
  const auto named = options.xla_backend_extra_options().find(kTargetOption);
  if (named != options.xla_backend_extra_options().end()) return Parse(named->second);
  if (options.xla_cpu_max_isa().empty()) return Host();
  const auto limit = absl::c_find_if(
      kLimits, [&](const Limit& one) { return one.isa == options.xla_cpu_max_isa(); });
  if (limit == std::end(kLimits)) {
    return InvalidArgument("xla_cpu_max_isa: there is no instruction set %s",
                           options.xla_cpu_max_isa());
  }
  if (limit->level.empty()) return HostWithout(limit->later_features);
  HILO_ASSIGN_OR_RETURN(Target target, Parse(limit->level));
  return target.CheckRunsOn(Host()).ok() ? target : Host();
}

absl::StatusOr<bool> KeepsSubnormals(const DebugOptions& options) {
  const auto found = options.xla_backend_extra_options().find(kSubnormalsOption);
  if (found == options.xla_backend_extra_options().end() || found->second == "flushed")
    return false;
  if (found->second == "kept") return true;
  return InvalidArgument("%s of xla_backend_extra_options is \"%s\", not \"kept\" or \"flushed\"",
                         kSubnormalsOption, found->second);
}

bool Target::Has(absl::string_view feature) const {
  return absl::c_binary_search(features, feature);
}

absl::Status Target::CheckRunsOn(const Target& machine) const {
  if (triple != machine.triple) {
    return FailedPrecondition("the program is for target %s and runs on %s, but this machine is %s",
                              name, triple, machine.triple.empty() ? "another" : machine.triple);
  }
  std::vector<std::string> missing;
  for (const std::string& feature : features) {
    if (!machine.Has(feature)) missing.push_back(feature);
  }
  if (missing.empty()) return absl::OkStatus();
  return FailedPrecondition("the program is for target %s, and this machine does not have %s", name,
                            absl::StrJoin(missing, ", "));
}

}  // namespace xla::codegen
