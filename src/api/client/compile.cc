#include "api/client/compile.h"

#include <string>
#include <utility>

#include "base/status_macros.h"
#include "device/device_arrays.h"
#include "xla/debug_options_flags.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

absl::StatusOr<std::unique_ptr<Backend>> CreateBackendFor(const ServiceOptions& options) {
  return Backend::CreateBackend(
      BackendOptions()
          .set_platform(options.platform())
          .set_intra_op_parallelism_threads(options.intra_op_parallelism_threads())
          .set_allowed_devices(options.allowed_devices()));
}

namespace {

absl::Status SetParameterLayouts(const std::string& name,
                                 absl::Span<const Shape* const> argument_shapes,
                                 HloModuleConfig& config) {
  ComputationLayout& layout = *config.mutable_entry_computation_layout();
  if (static_cast<int>(argument_shapes.size()) != layout.parameter_count()) {
    return InvalidArgument(
        "Invalid number of arguments: computation %s takes %d, but the shapes of %d were given",
        name, layout.parameter_count(), argument_shapes.size());
  }
  for (int i = 0; i < layout.parameter_count(); ++i) {
    const Shape& wanted = layout.parameter_shape(i);
    if (!ShapeUtil::Compatible(*argument_shapes[i], wanted)) {
      return InvalidArgument(
          "Invalid argument shape: parameter %d of computation %s has shape %s, but the argument "
          "has %s",
          i, name, ShapeUtil::HumanString(wanted), ShapeUtil::HumanString(*argument_shapes[i]));
    }
    if (LayoutUtil::HasLayout(*argument_shapes[i])) {
      HILO_RETURN_IF_ERROR(
          layout.mutable_parameter_layout(i)->CopyLayoutFromShape(*argument_shapes[i]));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<HloModuleConfig> ConfigOf(const HloModuleProto& program,
                                         absl::Span<const Shape* const> argument_shapes,
                                         const ExecutionOptions& options, int default_replicas) {
  const DebugOptions debug_options =
      options.has_debug_options() ? options.debug_options() : GetDebugOptionsFromFlags();
  HILO_ASSIGN_OR_RETURN(HloModuleConfig config,
                        HloModule::CreateModuleConfigFromProto(program, debug_options, &options));
  if (options.num_replicas() == 0 && default_replicas > 1)
    config.set_replica_count(default_replicas);
  HILO_RETURN_IF_ERROR(SetParameterLayouts(program.name(), argument_shapes, config));
  return config;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> ModuleOf(const XlaComputation& computation,
                                                    absl::Span<const Shape* const> argument_shapes,
                                                    const ExecutionOptions& options,
                                                    int default_replicas) {
  if (computation.IsNull())
    return InvalidArgument(
        "the computation is empty: its builder reported an error or was not built");
  HILO_ASSIGN_OR_RETURN(const HloModuleConfig config,
                        ConfigOf(computation.proto(), argument_shapes, options, default_replicas));
  return HloModule::CreateFromProto(computation.proto(), config);
}

absl::StatusOr<ScopedShapedBuffer> ToDevice(Backend& backend, const LiteralSlice& literal,
                                            int device_ordinal,
                                            stream_executor::DeviceAddressAllocator* allocator) {
  HILO_RETURN_IF_ERROR(backend.stream_executor(device_ordinal).status());
  HILO_ASSIGN_OR_RETURN(
      ScopedShapedBuffer buffer,
      backend.transfer_manager()->AllocateScopedShapedBuffer(
          literal.shape(), allocator != nullptr ? allocator : backend.memory_allocator(),
          device_ordinal));
  for (const auto& [index, memory] : buffer.buffers().leaves()) {
    const Shape& array = ShapeUtil::GetSubshape(buffer.on_device_shape(), index);
    if (!array.IsArray()) continue;
    HILO_RETURN_IF_ERROR(WriteDeviceArray(LiteralSlice(literal, index), array, memory));
  }
  return buffer;
}

absl::StatusOr<Literal> FromDevice(Backend& backend, const ShapedBuffer& buffer) {
  HILO_RETURN_IF_ERROR(buffer.Await());
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::Make(buffer.on_host_shape()));
  for (const auto& [index, memory] : buffer.buffers().leaves()) {
    const Shape& array = ShapeUtil::GetSubshape(buffer.on_device_shape(), index);
    if (!array.IsArray()) continue;
    HILO_ASSIGN_OR_RETURN(const Literal value, BorrowDeviceArray(array, memory));
    HILO_RETURN_IF_ERROR(literal.CopyFrom(value, index));
  }
  return literal;
}

}  // namespace xla
