#include "tools/process_run.h"

#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/collectives/process_rendezvous.h"
#include "runtime/devices.h"
#include "xla/util.h"

namespace xla {

std::vector<std::vector<Literal>> PartsOfProcess(const DividedProgram& program,
                                                 absl::Span<const Literal> inputs,
                                                 const runtime::ProcessGroup& group) {
  const int64_t own_devices = program.replicas() * program.partitions() / group.size();
  std::vector<std::vector<Literal>> parts;
  for (int64_t k = 0; k < own_devices; ++k)
    parts.push_back(program.InputsOf(group.rank() * own_devices + k, inputs));
  return parts;
}

absl::StatusOr<std::vector<Literal>> RunOnProcesses(const DividedProgram& program,
                                                    absl::Span<const std::vector<Literal>> parts,
                                                    runtime::ProcessGroup& group, uint64_t seed) {
  const auto own_devices = static_cast<int64_t>(parts.size());
  const int64_t first = group.rank() * own_devices;
  std::vector<int> processes;
  for (int64_t device = 0; device < program.replicas() * program.partitions(); ++device)
    processes.push_back(static_cast<int>(device / own_devices));
  std::vector<std::vector<const Literal*>> arguments(own_devices);
  for (int64_t k = 0; k < own_devices; ++k) {
    for (const Literal& part : parts[k]) arguments[k].push_back(&part);
  }
  HILO_ASSIGN_OR_RETURN(seed, group.OfFirst("seed", seed));
  runtime::Mailboxes mailboxes;
  runtime::ProcessRendezvous rendezvous(group, std::move(processes), "run");
  return runtime::RunOnDevices(
      {program.replicas(), program.partitions(), first, &rendezvous}, own_devices, &mailboxes,
      [&](const runtime::Device& device, const std::atomic<bool>& stop) {
        RunContext context;
        context.mailboxes = &mailboxes;
        context.seed = seed;
        context.device = device;
        context.stop = &stop;
        context.ffi.device_ordinal = static_cast<int32_t>(device.id);
        return program.compiled().Run(arguments[device.id - first], context);
      });
}

absl::StatusOr<std::vector<Literal>> CollectResults(std::vector<Literal> own,
                                                    runtime::ProcessGroup& group) {
  const auto own_devices = static_cast<int64_t>(own.size());
  const auto tag_of = [](int64_t device) {
    return runtime::TagOf(absl::StrCat("result of ", device));
  };
  runtime::Messages messages = group.NewMessages();
  if (group.rank() > 0) {
    for (int64_t k = 0; k < own_devices; ++k) {
      HILO_RETURN_IF_ERROR(messages.SendArrays(0, tag_of(group.rank() * own_devices + k), own[k]));
    }
    HILO_RETURN_IF_ERROR(messages.Wait());
    return std::vector<Literal>();
  }
  own.reserve(own_devices * group.size());  // the messages' memory
  for (int64_t device = own_devices; device < own_devices * group.size(); ++device) {
    Literal& result = own.emplace_back(own.front().shape());
    HILO_RETURN_IF_ERROR(
        messages.ReceiveArrays(static_cast<int>(device / own_devices), tag_of(device), result));
  }
  HILO_RETURN_IF_ERROR(messages.Wait());
  return own;
}

}  // namespace xla
