#include "xla/service/hlo_runner.h"

#include <algorithm>
#include <utility>

#include "api/backend.h"
#include "base/status_macros.h"
#include "runtime/mailboxes.h"
#include "xla/pjrt/pjrt_client.h"
#include "xla/util.h"

namespace xla {
namespace {

class RunnerExecutable : public OpaqueExecutable {
 public:
  explicit RunnerExecutable(std::unique_ptr<CompiledModule> program)
      : program_(std::move(program)) {}
  CompiledModule& program() const { return *program_; }

 private:
  std::unique_ptr<CompiledModule> program_;
};

absl::StatusOr<const RunnerExecutable*> Unwrap(const OpaqueExecutable* wrapped) {
  const auto* executable = dynamic_cast<const RunnerExecutable*>(wrapped);
  if (executable == nullptr) {
    return InvalidArgument("the executable is %s",
                           wrapped == nullptr ? "null" : "one of another runner");
  }
  return executable;
}

struct Grid {
  int64_t replicas;
  int64_t partitions;
};

absl::StatusOr<Grid> GridOf(const HloModule& module, int64_t num_devices,
                            const DeviceAssignment* assignment) {
  const int64_t partitions = std::max<int64_t>(module.config().num_partitions(), 1);
  const Grid grid = assignment != nullptr
                        ? Grid{assignment->replica_count(), assignment->computation_count()}
                        : Grid{num_devices / partitions, partitions};
  if (grid.replicas < 1 || grid.replicas * grid.partitions != num_devices) {
    return InvalidArgument(
        "module %s: %d devices cannot be divided into %d replicas of %d partitions", module.name(),
        num_devices, grid.replicas, grid.partitions);
  }
  return grid;
}

// What the infeeds of the devices give.
absl::Status Feed(const HloRunnerInterface::ReplicatedExecuteOptions& options,
                  runtime::Mailboxes& mailboxes) {
  if (options.infeed_values.empty()) return absl::OkStatus();
  if (static_cast<int64_t>(options.infeed_values.size()) != options.num_devices) {
    return InvalidArgument("there are %d infeed values for %d devices",
                           options.infeed_values.size(), options.num_devices);
  }
  if (options.infeed_steps < 0) return Unimplemented("infeed values without end");
  for (int64_t device = 0; device < options.num_devices; ++device) {
    const runtime::Mailbox infeed = {runtime::Mailbox::kInfeed, device};
    const Literal& value = *options.infeed_values[device];
    for (int64_t step = 0; step < options.infeed_steps; ++step) {
      mailboxes.Put(infeed, value.Clone());
    }
  }
  return absl::OkStatus();
}

// What the devices put out, in the order of devices.
void CollectOutfeeds(int64_t num_devices, runtime::Mailboxes& mailboxes,
                     std::vector<Literal>* values) {
  if (values == nullptr) return;
  mailboxes.set_timeout(absl::ZeroDuration());
  for (int64_t device = 0; device < num_devices; ++device) {
    const runtime::Mailbox outfeed = {runtime::Mailbox::kOutfeed, device};
    absl::StatusOr<Literal> value = mailboxes.Take(outfeed);
    for (; value.ok(); value = mailboxes.Take(outfeed)) values->push_back(*std::move(value));
  }
}

}  // namespace

HloRunner::HloRunner() : HloRunner(&DefaultBackend()) {}

HloRunner::HloRunner(ExecutionBackend* backend) : backend_(backend) {}

HloRunner::HloRunner(std::unique_ptr<PjRtClient> client)
    : backend_(FindBackend(client->platform_name()).value_or(nullptr)),
      client_(std::move(client)) {}

HloRunner::~HloRunner() = default;

absl::StatusOr<std::unique_ptr<HloRunner>> HloRunner::Create(absl::string_view backend) {
  HILO_ASSIGN_OR_RETURN(ExecutionBackend * found, FindBackend(backend));
  return std::unique_ptr<HloRunner>(new HloRunner(found));
}

absl::StatusOr<std::unique_ptr<OpaqueExecutable>> HloRunner::CreateExecutable(
    std::unique_ptr<HloModule> module, bool run_hlo_passes) {
  if (backend_ == nullptr) {
    return Unimplemented("a runner on the platform %s", client_->platform_name());
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<CompiledModule> program,
                        backend_->Compile(std::move(module)));
  return std::make_unique<RunnerExecutable>(std::move(program));
}

absl::StatusOr<std::vector<absl::StatusOr<Literal>>> HloRunner::ExecuteWithExecutable(
    OpaqueExecutable* executable, absl::Span<const Literal* const> arguments, int64_t num_repeats) {
  HILO_ASSIGN_OR_RETURN(const RunnerExecutable* own, Unwrap(executable));
  std::vector<absl::StatusOr<Literal>> results;
  for (int64_t i = 0; i < num_repeats; ++i) {
    results.push_back(
        own->program().Run(arguments, {nullptr, SeedOfRun(own->program().module(), 0)}));
  }
  return results;
}

absl::StatusOr<std::vector<Literal>> HloRunner::ExecuteReplicated(
    absl::AnyInvocable<OpaqueExecutable*(int64_t)> executable_provider,
    absl::AnyInvocable<int64_t(int64_t)> argument_count_provider,
    absl::AnyInvocable<const Literal*(int64_t, int64_t)> argument_provider,
    const ReplicatedExecuteOptions& options, DeviceAssignment* device_assignment) {
  if (options.num_devices < 1) {
    return InvalidArgument("a program cannot run on %d devices", options.num_devices);
  }
  HILO_ASSIGN_OR_RETURN(const RunnerExecutable* executable, Unwrap(executable_provider(0)));
  HILO_ASSIGN_OR_RETURN(const Grid grid, GridOf(executable->program().module(), options.num_devices,
                                                device_assignment));
  std::vector<std::vector<const Literal*>> arguments(options.num_devices);
  for (int64_t device = 0; device < options.num_devices; ++device) {
    if (executable_provider(device) != executable) {
      return Unimplemented("devices that run different programs");
    }
    const int64_t count = argument_count_provider(device);
    for (int64_t i = 0; i < count; ++i) arguments[device].push_back(argument_provider(device, i));
  }
  runtime::Mailboxes mailboxes;
  HILO_RETURN_IF_ERROR(Feed(options, mailboxes));
  CompiledModule& program = executable->program();
  HILO_ASSIGN_OR_RETURN(
      std::vector<Literal> results,
      program.RunReplicated(arguments, grid.replicas, grid.partitions,
                            {&mailboxes, SeedOfRun(program.module(), options.seed)}));
  CollectOutfeeds(options.num_devices, mailboxes, options.outfeed_values);
  return results;
}

absl::string_view HloRunner::Name() const {
  return backend_ != nullptr ? backend_->name() : client_->platform_name();
}

int HloRunner::device_count() const { return 8; }

bool HloRunner::HasProperty(HloRunnerPropertyTag::Type tag) const {
  return tag == HloRunnerPropertyTag::kCpu;
}

absl::StatusOr<const HloModule*> HloRunner::HloModuleFromWrapped(
    const OpaqueExecutable* wrapped) const {
  HILO_ASSIGN_OR_RETURN(const RunnerExecutable* executable, Unwrap(wrapped));
  return &executable->program().module();
}

bool HloRunner::ExecutablesAreEquivalent(const OpaqueExecutable* lhs,
                                         const OpaqueExecutable* rhs) const {
  const absl::StatusOr<const HloModule*> left = HloModuleFromWrapped(lhs);
  const absl::StatusOr<const HloModule*> right = HloModuleFromWrapped(rhs);
  return left.ok() && right.ok() && (*left)->GetFingerprint128() == (*right)->GetFingerprint128();
}

absl::StatusOr<DeviceAssignment> HloRunner::GetDefaultDeviceAssignment(int num_replicas,
                                                                       int num_partitions) const {
  if (num_replicas < 1 || num_partitions < 1) {
    return InvalidArgument("there are no assignments of %d replicas and %d partitions",
                           num_replicas, num_partitions);
  }
  DeviceAssignment assignment(num_replicas, num_partitions);
  assignment.FillIota(0);
  return assignment;
}

}  // namespace xla
