#include "xla/service/local_service.h"

#include <utility>

#include "api/client/compile.h"
#include "base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/service/computation_placer.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::Status CheckResultLayout(const XlaComputation& computation,
                               const ExecutableBuildOptions& options) {
  if (options.result_layout() == nullptr) return absl::OkStatus();
  const Shape& wanted = *options.result_layout();
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(wanted));
  HILO_ASSIGN_OR_RETURN(const ProgramShape program, computation.GetProgramShape());
  if (!ShapeUtil::Compatible(wanted, program.result())) {
    return InvalidArgument(
        "the result layout %s is not compatible with result shape %s of computation %s",
        ShapeUtil::HumanStringWithLayout(wanted), ShapeUtil::HumanString(program.result()),
        computation.name());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalService>> LocalService::NewService(
    const ServiceOptions& options) {
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Backend> backend, CreateBackendFor(options));
  return std::unique_ptr<LocalService>(new LocalService(options, std::move(backend)));
}

absl::StatusOr<std::vector<std::unique_ptr<Executable>>> LocalService::CompileExecutables(
    const XlaComputation& computation, absl::Span<const Shape* const> argument_layouts,
    const ExecutableBuildOptions& build_options) {
  if (computation.IsNull())
    return InvalidArgument(
        "the computation is empty: its builder reported an error or was not built");
  if (build_options.device_ordinal() != -1)
    HILO_RETURN_IF_ERROR(backend().stream_executor(build_options.device_ordinal()).status());
  if (build_options.num_replicas() < 1 || build_options.num_partitions() < 1) {
    return InvalidArgument("a program cannot have %d replicas of %d partitions",
                           build_options.num_replicas(), build_options.num_partitions());
  }
  for (const Shape* shape : argument_layouts)
    HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(*shape));
  HILO_RETURN_IF_ERROR(CheckResultLayout(computation, build_options));
  ExecutionOptions options = CreateExecutionOptions(build_options, nullptr);
  if (!build_options.has_device_assignment() &&
      build_options.num_replicas() * build_options.num_partitions() > 1) {
    HILO_ASSIGN_OR_RETURN(const DeviceAssignment assignment,
                          backend().computation_placer()->AssignDevices(
                              build_options.num_replicas(), build_options.num_partitions()));
    assignment.Serialize(options.mutable_device_assignment());
  }
  HILO_ASSIGN_OR_RETURN(
      std::unique_ptr<HloModule> module,
      ModuleOf(computation, argument_layouts, options, this->options().number_of_replicas()));
  Compiler::CompileOptions compile_options;
  compile_options.thread_pool = build_options.compile_thread_pool();
  HILO_ASSIGN_OR_RETURN(
      std::unique_ptr<Executable> executable,
      backend().compiler()->RunBackend(std::move(module), nullptr, compile_options));
  std::vector<std::unique_ptr<Executable>> executables;
  for (int i = 1; i < build_options.num_partitions(); ++i)
    executables.push_back(std::make_unique<Executable>(executable->shared_compiled()));
  executables.push_back(std::move(executable));
  return executables;
}

absl::StatusOr<int> LocalService::ReplicaNumberToDeviceOrdinal(int replica_number) {
  return DeviceFor(replica_number, nullptr);
}

absl::StatusOr<ShapedBuffer> LocalService::GlobalDataToShapedBuffer(const GlobalDataHandle& data,
                                                                    int replica_number) {
  HILO_ASSIGN_OR_RETURN(std::vector<ShapedBuffer> buffers, Resolve(data));
  if (replica_number < 0 || replica_number >= static_cast<int>(buffers.size())) {
    return InvalidArgument("global data %d has no replica %d; it has %d", data.handle(),
                           replica_number, buffers.size());
  }
  return std::move(buffers[replica_number]);
}

}  // namespace xla
