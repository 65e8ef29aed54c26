#include "xla/service/compiler.h"

#include "api/backend.h"
#include "base/status_macros.h"
#include "device/device_arrays.h"
#include "runtime/parallel.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/stream_executor/host/host_platform_id.h"
#include "xla/tsl/platform/threadpool.h"
#include "xla/util.h"

namespace xla {

absl::StatusOr<std::unique_ptr<HloModule>> Compiler::RunHloPasses(
    std::unique_ptr<HloModule> module, stream_executor::StreamExecutor* executor,
    const CompileOptions& options) {
  HILO_RETURN_IF_ERROR(VerifyForCompiler(*module));
  return module;
}

absl::StatusOr<std::unique_ptr<Executable>> Compiler::RunBackend(
    std::unique_ptr<HloModule> module, stream_executor::StreamExecutor* executor,
    const CompileOptions& options) {
  const runtime::LimitThreads limit(
      options.thread_pool == nullptr ? 0 : options.thread_pool->NumThreads());
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<CompiledModule> compiled,
                        DefaultBackend().Compile(std::move(module)));
  return std::make_unique<Executable>(std::move(compiled));
}

absl::StatusOr<std::vector<std::unique_ptr<Executable>>> Compiler::Compile(
    std::unique_ptr<HloModule> module,
    std::vector<stream_executor::StreamExecutor*> stream_executors, const CompileOptions& options) {
  stream_executor::StreamExecutor* const executor =
      stream_executors.empty() ? nullptr : stream_executors.front();
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                        RunBackend(std::move(module), executor, options));
  std::vector<std::unique_ptr<Executable>> executables;
  executables.push_back(std::move(executable));
  return executables;
}

Shape Compiler::DefaultDeviceShapeRepresentation(const Shape& shape) const {
  Shape result = shape;
  if (!LayoutUtil::HasLayout(result)) LayoutUtil::SetToDefaultLayout(&result);
  return result;
}

int64_t Compiler::ShapeSizeBytes(const Shape& shape) const { return DeviceByteSize(shape); }

stream_executor::Platform::Id Compiler::PlatformId() const {
  return stream_executor::host::kHostPlatformId;
}

absl::StatusOr<Compiler*> Compiler::GetForPlatform(const stream_executor::Platform* platform) {
  static Compiler* const compiler = new Compiler();
  if (platform->id() == stream_executor::host::kHostPlatformId) return compiler;
  return NotFound("platform %s has no compiler", platform->Name());
}

}  // namespace xla
