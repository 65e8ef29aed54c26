#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "passes/partition/estimate.h"
#include "passes/partition/search.h"
#include "passes/passes.h"
#include "tools/collectives_text.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/util.h"

namespace xla {
namespace {

using nlohmann::ordered_json;

constexpr int64_t kMostDevices = 4096;

struct PartitionOptions {
  std::string module, mesh;
  bool estimate = false, json = false;
  int64_t tries = 200;
  double latency_us = 10, bandwidth_gb = 10, gflops = 1000;
  std::string algorithm = "fastest";
};

passes::DeviceModel ModelOf(const PartitionOptions& options) {
  passes::DeviceModel model;
  model.latency = options.latency_us * 1e-6;
  model.bandwidth = options.bandwidth_gb * 1e9;
  model.flops = options.gflops * 1e9;
  for (const auto& [name, algorithm] : kAlgorithmNames) {
    if (name == options.algorithm) model.algorithm = algorithm;
  }
  return model;
}

// "16x16" with axes a and b; without it, one axis with the devices that the module is for.
absl::StatusOr<Mesh> MeshOf(const std::string& text, const HloModule& module) {
  std::vector<int64_t> sizes;
  std::vector<std::string> names;
  int64_t devices = 1;
  for (const absl::string_view part : absl::StrSplit(text, 'x')) {
    if (text.empty()) break;
    int64_t size = 0;
    if (!absl::SimpleAtoi(part, &size) || size < 1 || size > kMostDevices / devices) {
      return InvalidArgument("the mesh %s is not sizes such as 4x2 with at most %d devices", text,
                             kMostDevices);
    }
    devices *= size;
    sizes.push_back(size);
    names.emplace_back(1, static_cast<char>('a' + names.size()));
  }
  if (sizes.empty()) {
    sizes.push_back(module.config().num_partitions());
    names.emplace_back("a");
    if (sizes[0] == 1)
      return InvalidArgument("%s does not say for how many devices it is: give it a --mesh",
                             module.name());
  }
  return Mesh::Create(sizes, std::move(names));
}

// The axes of the mesh that divide each dimension, such as "[{'a'}, {}]"; of what the module says
// itself, its words.
std::string ShardingText(const HloSharding& sharding) {
  if (sharding.IsReplicated()) return "whole";
  if (!sharding.IsNamed()) return sharding.ToString();
  const NamedSharding& named = sharding.named_sharding();
  std::vector<std::string> dimensions;
  for (const NamedSharding::DimensionSharding& dimension : named.dim_shardings())
    dimensions.push_back(dimension.ToString(&named.mesh()));
  return absl::StrCat("[", absl::StrJoin(dimensions, ", "), "]");
}

absl::StatusOr<std::unique_ptr<HloModule>> Divided(const HloModule& module, int64_t devices) {
  std::unique_ptr<HloModule> divided = module.Clone("");
  divided->mutable_config().set_num_partitions(devices);
  divided->mutable_config().set_use_spmd_partitioning(true);
  HILO_RETURN_IF_ERROR(passes::Partition(*divided).status());
  return divided;
}

std::string SummaryText(const passes::ProgramCost& cost) {
  return absl::StrFormat(
      "%s a run, of which %s for %.3g million operations and %s to send %s in %.0f messages; %s of "
      "parameters on a device",
      SecondsText(cost.seconds()), SecondsText(cost.computing_seconds), cost.flops / 1e6,
      SecondsText(cost.sending_seconds), BytesText(cost.bytes), cost.messages,
      BytesText(cost.parameter_bytes));
}

ordered_json CostJson(const passes::ProgramCost& cost) {
  ordered_json json;
  json["seconds"] = cost.seconds();
  json["computing_seconds"] = cost.computing_seconds;
  json["sending_seconds"] = cost.sending_seconds;
  json["flops"] = cost.flops;
  json["bytes"] = cost.bytes;
  json["messages"] = cost.messages;
  json["parameter_bytes"] = cost.parameter_bytes;
  json["collectives"] = ordered_json::array();
  for (const passes::CollectiveCost& each : cost.collectives) {
    json["collectives"].push_back({{"name", each.instruction->name()},
                                   {"operation", HloOpcodeString(each.instruction->opcode())},
                                   {"of", SentArrays(*each.instruction)},
                                   {"for", NeedyInstructions(*each.instruction)},
                                   {"devices", each.devices},
                                   {"runs", each.runs},
                                   {"bytes", each.exchange.bytes},
                                   {"messages", each.exchange.messages},
                                   {"seconds", each.exchange.seconds},
                                   {"algorithm", AlgorithmName(each.exchange.algorithm)}});
  }
  return json;
}

// An estimate of the module by its own shardings, unless these are for another number of devices,
// and by the cheapest that were found.
struct Estimate {
  absl::StatusOr<std::unique_ptr<HloModule>> divided;
  std::optional<passes::ProgramCost> own;
  std::optional<passes::ShardingSearch> search;
};

absl::StatusOr<Estimate> MakeEstimate(const HloModule& module, const Mesh& mesh,
                                      const PartitionOptions& options) {
  const passes::DeviceModel model = ModelOf(options);
  Estimate estimate;
  estimate.divided = Divided(module, mesh.num_devices());
  if (estimate.divided.ok()) estimate.own = passes::EstimateProgram(**estimate.divided, model);
  if (options.tries > 0 || !estimate.own.has_value()) {
    HILO_ASSIGN_OR_RETURN(estimate.search,
                          passes::FindCheapestShardings(module, mesh, model, options.tries));
  }
  return estimate;
}

void PrintJson(const HloModule& module, const Mesh& mesh, const Estimate& estimate) {
  ordered_json json;
  json["module"] = module.name();
  json["mesh"] = std::vector<int64_t>(mesh.axis_sizes().begin(), mesh.axis_sizes().end());
  if (estimate.own.has_value()) json["own"] = CostJson(*estimate.own);
  if (estimate.search.has_value()) {
    ordered_json cheapest = CostJson(estimate.search->best.cost);
    cheapest["tries"] = estimate.search->tries;
    const HloComputation& entry = *module.entry_computation();
    for (int64_t i = 0; i < entry.num_parameters(); ++i) {
      cheapest["parameters"].push_back(
          {{"name", entry.parameter_instruction(i)->name()},
           {"sharding", ShardingText(estimate.search->best.shardings[i])}});
    }
    json["cheapest"] = std::move(cheapest);
  }
  std::puts(json.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
}

void PrintTables(const HloModule& module, const Mesh& mesh, const Estimate& estimate,
                 const PartitionOptions& options) {
  std::printf("%s on %s devices with links of %g us and %g GB/s, and %g Gflop/s each\n",
              module.name().c_str(), absl::StrJoin(mesh.axis_sizes(), "x").c_str(),
              options.latency_us, options.bandwidth_gb, options.gflops);
  if (estimate.own.has_value()) {
    std::printf("\nAs the module says: %s\n\n%s", SummaryText(*estimate.own).c_str(),
                CollectivesTable(*estimate.own).c_str());
  } else {
    std::printf("\nThe module's own shardings do not count: %s\n",
                std::string(estimate.divided.status().message()).c_str());
  }
  if (!estimate.search.has_value()) return;
  const passes::DividedParameters& best = estimate.search->best;
  std::printf("\nThe cheapest of %lld ways to divide the parameters: %s\n\n",
              static_cast<long long>(estimate.search->tries), SummaryText(best.cost).c_str());
  const HloComputation& entry = *module.entry_computation();
  for (int64_t i = 0; i < entry.num_parameters(); ++i) {
    const HloInstruction& parameter = *entry.parameter_instruction(i);
    std::printf("%s", absl::StrFormat("  %-24s %-24s %s\n", parameter.name(),
                                      parameter.shape().ToString(), ShardingText(best.shardings[i]))
                          .c_str());
  }
  std::printf("\n%s", CollectivesTable(best.cost).c_str());
}

ExitCode Partition(const PartitionOptions& options) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(options.module);
  if (!module.ok()) return Fail(module.status(), kInvalidInput);
  const absl::StatusOr<Mesh> mesh = MeshOf(options.mesh, **module);
  if (!mesh.ok()) return Fail(mesh.status(), kWrongUsage);
  const absl::Status verified = VerifyForCompiler(**module);
  if (!verified.ok()) return Fail(verified, kInvalidInput);
  if (!options.estimate) {
    const auto divided = Divided(**module, mesh->num_devices());
    if (!divided.ok()) return Fail(divided.status(), kInvalidInput);
    const auto print = HloPrintOptions::Default().set_print_large_constants(true);
    std::printf("%s", (*divided)->ToString(print).c_str());
    return kDone;
  }
  const absl::StatusOr<Estimate> estimate = MakeEstimate(**module, *mesh, options);
  if (!estimate.ok()) return Fail(estimate.status(), kInvalidInput);
  if (options.json) {
    PrintJson(**module, *mesh, *estimate);
  } else {
    PrintTables(**module, *mesh, *estimate, options);
  }
  return kDone;
}

}  // namespace

Command AddPartitionCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "partition", "Divide a module by its shardings and print it, or estimate what that costs");
  auto options = std::make_shared<PartitionOptions>();
  command->add_option("MODULE", options->module, "The program")->required();
  command->add_option("--mesh", options->mesh,
                      "The devices, such as 16x16, at most 4096; as many as the module is for by "
                      "default");
  CLI::Option* estimate = command->add_flag(
      "--estimate", options->estimate,
      "Say what devices send each other instead, and look for cheaper shardings of the parameters");
  const auto add_number = [&](const char* name, double* number, const char* what) {
    command->add_option(name, *number, what)
        ->needs(estimate)
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
  };
  add_number("--latency", &options->latency_us, "Microseconds until an empty message has arrived");
  add_number("--bandwidth", &options->bandwidth_gb, "GB/s that a device sends and receives");
  add_number("--flops", &options->gflops, "Gflop/s that a device computes");
  std::vector<std::string> names;
  for (const auto& [name, algorithm] : kAlgorithmNames) names.push_back(name);
  command
      ->add_option("--algorithm", options->algorithm,
                   "Whether messages go around a ring, which is least bytes, along trees, which is "
                   "fewest messages, or from each device to each other, as Hilo's own processes do")
      ->needs(estimate)
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command
      ->add_option("--tries", options->tries,
                   "How many shardings of the parameters to try; 0 tries none")
      ->needs(estimate)
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print the estimate as JSON")->needs(estimate);
  return [options] { return Partition(*options); };
}

}  // namespace xla
