#include "tools/process_run.h"

#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/collectives/process_rendezvous.h"
#include "runtime/devices.h"
#include "xla/util.h"

namespace xla {

absl::StatusOr<std::vector<Literal>> RunOnProcesses(const DividedProgram& program,
                                                    absl::Span<const Literal> inputs,
                                                    runtime::ProcessGroup& group, uint64_t seed) {
  std::vector<std::vector<Literal>> parts;
  std::vector<std::vector<const Literal*>> arguments(group.devices_per_process());
  for (int64_t k = 0; k < group.devices_per_process(); ++k) {
    parts.push_back(program.InputsOf(group.first_device() + k, inputs));
    for (const Literal& part : parts.back()) arguments[k].push_back(&part);
  }
  HILO_ASSIGN_OR_RETURN(seed, group.OfFirst("seed", seed));
  runtime::Mailboxes mailboxes;
  runtime::ProcessRendezvous rendezvous(group, /*run=*/0);
  return runtime::RunOnDevices(
      {program.replicas(), program.partitions(), group.first_device(), &rendezvous},
      group.devices_per_process(), &mailboxes,
      [&](const runtime::Device& device, const std::atomic<bool>& stop) {
        RunContext context;
        context.mailboxes = &mailboxes;
        context.seed = seed;
        context.device = device;
        context.stop = &stop;
        context.ffi.device_ordinal = static_cast<int32_t>(device.id);
        return program.compiled().Run(arguments[device.id - group.first_device()], context);
      });
}

absl::StatusOr<std::vector<Literal>> CollectResults(std::vector<Literal> own,
                                                    runtime::ProcessGroup& group) {
  const auto tag_of = [](int64_t device) {
    return runtime::TagOf(absl::StrCat("result of ", device));
  };
  runtime::Messages messages = group.NewMessages();
  if (group.rank() > 0) {
    for (size_t k = 0; k < own.size(); ++k) {
      const int64_t device = group.first_device() + static_cast<int64_t>(k);
      HILO_RETURN_IF_ERROR(messages.SendArrays(0, tag_of(device), own[k]));
    }
    HILO_RETURN_IF_ERROR(messages.Wait());
    return std::vector<Literal>();
  }
  for (int64_t device = group.devices_per_process(); device < group.devices(); ++device) {
    Literal& result = own.emplace_back(own.front().shape());
    HILO_RETURN_IF_ERROR(messages.ReceiveArrays(group.ProcessOf(device), tag_of(device), result));
  }
  HILO_RETURN_IF_ERROR(messages.Wait());
  return own;
}

}  // namespace xla
