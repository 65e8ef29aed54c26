#include "xla/service/hlo_runner.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "api/backend.h"
#include "api/pjrt/cpu_executable.h"
#include "base/status_macros.h"
#include "runtime/mailboxes.h"
#include "runtime/saved_program.h"
#include "tsl/platform/path.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/pjrt/pjrt_client.h"
#include "xla/pjrt/pjrt_executable.h"
#include "xla/service/compilation_environments.h"
#include "xla/shape_util.h"
#include "xla/tsl/platform/env.h"
#include "xla/util.h"

namespace xla {
namespace {

class RunnerExecutable : public OpaqueExecutable {
 public:
  explicit RunnerExecutable(std::unique_ptr<CompiledModule> program)
      : own_(std::move(program)), program_(own_.get()) {}
  // One of a client, which can be run here if it is one of the clients of this library.
  explicit RunnerExecutable(std::unique_ptr<PjRtExecutable> executable)
      : executable_(std::move(executable)) {
    const auto* known = dynamic_cast<const CpuExecutable*>(executable_.get());
    if (known != nullptr) program_ = known->program().module.get();
  }
  bool can_run() const { return program_ != nullptr; }
  CompiledModule& program() const { return *program_; }

 private:
  std::unique_ptr<CompiledModule> own_;
  std::unique_ptr<PjRtExecutable> executable_;
  CompiledModule* program_ = nullptr;
};

absl::StatusOr<const RunnerExecutable*> Unwrap(const OpaqueExecutable* wrapped) {
  const auto* executable = dynamic_cast<const RunnerExecutable*>(wrapped);
  if (executable == nullptr) {
    return InvalidArgument("the executable is %s",
                           wrapped == nullptr ? "null" : "one of another runner");
  }
  if (!executable->can_run())
    return Unimplemented("running an executable of another kind of client");
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

// What the infeeds take of a value: the value, or where none takes a tuple like that, its elements
// one after the other.
std::vector<Literal> InfeedValues(const HloModule& module, const Literal& value) {
  bool takes_whole = !value.shape().IsTuple();
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      takes_whole = takes_whole ||
                    (instruction->opcode() == HloOpcode::kInfeed &&
                     ShapeUtil::Compatible(instruction->shape().tuple_shapes(0), value.shape()));
    }
  }
  Literal copy = value.Clone();
  if (!takes_whole) return copy.DecomposeTuple();
  std::vector<Literal> values;
  values.push_back(std::move(copy));
  return values;
}

absl::Status Feed(const HloModule& module,
                  const HloRunnerInterface::ReplicatedExecuteOptions& options,
                  runtime::Mailboxes& mailboxes) {
  if (options.infeed_values.empty()) return absl::OkStatus();
  if (static_cast<int64_t>(options.infeed_values.size()) != options.num_devices) {
    return InvalidArgument("there are %d infeed values for %d devices",
                           options.infeed_values.size(), options.num_devices);
  }
  for (int64_t device = 0; device < options.num_devices; ++device) {
    const runtime::Mailbox infeed = {runtime::Mailbox::kInfeed, device};
    std::vector<Literal> values = InfeedValues(module, *options.infeed_values[device]);
    for (int64_t step = 0; step < options.infeed_steps; ++step) {
      for (const Literal& value : values) mailboxes.Put(infeed, value.Clone());
    }
    if (options.infeed_steps < 0 && !values.empty())
      mailboxes.PutForever(infeed, std::move(values));
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
  if (!run_hlo_passes)
    module->mutable_config().mutable_debug_options().set_xla_disable_all_hlo_passes(true);
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<CompiledModule> program,
                        backend_->Compile(std::move(module)));
  return std::make_unique<RunnerExecutable>(std::move(program));
}

absl::StatusOr<std::unique_ptr<OpaqueExecutable>> HloRunner::DeserializeExecutable(
    absl::string_view serialized) const {
  if (client_ == nullptr) return InvalidArgument("the runner has no client that saves programs");
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtExecutable> executable,
                        client_->DeserializeExecutable(serialized, std::nullopt));
  return std::make_unique<RunnerExecutable>(std::move(executable));
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
  HILO_RETURN_IF_ERROR(Feed(executable->program().module(), options, mailboxes));
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

namespace {

// Of all that a compile depends on.
std::string FileFor(const HloModule& module, bool run_hlo_passes, const std::string& folder) {
  HloModuleProtoWithConfig proto = module.ToProtoWithConfig();
  proto.mutable_hlo_module()->clear_id();  // differs from run to run
  const std::string key =
      absl::StrCat(proto.DebugString(), "\n", module.comp_envs().ToProto().DebugString(), "\n",
                   run_hlo_passes ? "passes" : "no passes");
  return tsl::io::JoinPath(folder, absl::StrFormat("%016x%016x.bin.gz", runtime::Checksum(key),
                                                   runtime::Checksum(key, 1)));
}

CompileOptions OptionsOf(const HloModuleConfig& config) {
  CompileOptions options;
  ExecutableBuildOptions& build = options.executable_build_options;
  build.set_num_replicas(static_cast<int>(std::max<int64_t>(config.replica_count(), 1)));
  build.set_num_partitions(static_cast<int>(std::max<int64_t>(config.num_partitions(), 1)));
  if (config.has_static_device_assignment())
    build.set_device_assignment(config.static_device_assignment());
  *build.mutable_debug_options() = config.debug_options();
  return options;
}

}  // namespace

CompilePhaseHloRunner::CompilePhaseHloRunner(std::unique_ptr<PjRtClient> client,
                                             std::string artifact_dir)
    : HloRunner(std::move(client)), artifact_dir_(std::move(artifact_dir)) {}

absl::StatusOr<std::unique_ptr<OpaqueExecutable>> CompilePhaseHloRunner::CreateExecutable(
    std::unique_ptr<HloModule> module, bool run_hlo_passes) {
  const std::string path = FileFor(*module, run_hlo_passes, artifact_dir_);
  HILO_ASSIGN_OR_RETURN(
      std::unique_ptr<PjRtExecutable> executable,
      client()->Compile(XlaComputation(module->ToProto()), OptionsOf(module->config())));
  HILO_ASSIGN_OR_RETURN(const std::string serialized, executable->SerializeExecutable());
  HILO_RETURN_IF_ERROR(WriteCompressedExecutable(path, serialized));
  return std::make_unique<RunnerExecutable>(std::move(executable));
}

absl::Status CompilePhaseHloRunner::WriteCompressedExecutable(const std::string& path,
                                                              absl::string_view serialized) {
  std::string compressed;
  {
    google::protobuf::io::StringOutputStream bytes(&compressed);
    google::protobuf::io::GzipOutputStream gzip(&bytes);
    google::protobuf::io::CodedOutputStream(&gzip).WriteString(std::string(serialized));
  }
  return tsl::WriteStringToFile(tsl::Env::Default(), path, compressed);
}

absl::StatusOr<std::string> CompilePhaseHloRunner::ReadCompressedExecutable(
    const std::string& path) {
  std::string compressed;
  HILO_RETURN_IF_ERROR(tsl::ReadFileToString(tsl::Env::Default(), path, &compressed));
  google::protobuf::io::ArrayInputStream bytes(compressed.data(),
                                               static_cast<int>(compressed.size()));
  google::protobuf::io::GzipInputStream gzip(&bytes);
  std::string serialized;
  const void* data = nullptr;
  int size = 0;
  while (gzip.Next(&data, &size)) serialized.append(static_cast<const char*>(data), size);
  if (gzip.ZlibErrorCode() < 0) return InvalidArgument("%s is no file that gzip compressed", path);
  return serialized;
}

ExecutePhaseHloRunner::ExecutePhaseHloRunner(std::unique_ptr<PjRtClient> client,
                                             std::string artifact_dir, bool compile_if_not_found,
                                             bool fail_duplicate_loads)
    : HloRunner(std::move(client)),
      artifact_dir_(std::move(artifact_dir)),
      compile_if_not_found_(compile_if_not_found),
      fail_duplicate_loads_(fail_duplicate_loads) {}

absl::StatusOr<std::unique_ptr<OpaqueExecutable>> ExecutePhaseHloRunner::CreateExecutable(
    std::unique_ptr<HloModule> module, bool run_hlo_passes) {
  const std::string name = module->name();
  const std::string path = FileFor(*module, run_hlo_passes, artifact_dir_);
  const absl::StatusOr<std::string> serialized =
      CompilePhaseHloRunner::ReadCompressedExecutable(path);
  if (absl::IsNotFound(serialized.status()) && compile_if_not_found_)
    return HloRunner::CreateExecutable(std::move(module), run_hlo_passes);
  HILO_RETURN_IF_ERROR(serialized.status());
  if (!loaded_.insert(path).second && fail_duplicate_loads_) {
    return InvalidArgument("module %s: %s has been loaded before", name, path);
  }
  return DeserializeExecutable(*serialized);
}

}  // namespace xla
