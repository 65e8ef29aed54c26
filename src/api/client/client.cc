#include "xla/client/client.h"

#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::StatusOr<std::unique_ptr<CompiledModule>> CompileComputation(
    const XlaComputation& computation, const DebugOptions& debug_options) {
  if (computation.IsNull()) {
    return InvalidArgument("the computation is empty: its builder reported an error or was not built");
  }
  HILO_ASSIGN_OR_RETURN(
      HloModuleConfig config,
      HloModule::CreateModuleConfigFromProto(computation.proto(), debug_options));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                        HloModule::CreateFromProto(computation.proto(), config));
  return DefaultBackend().Compile(std::move(module));
}

absl::StatusOr<Literal> RunOnce(const XlaComputation& computation,
                                absl::Span<const Literal* const> arguments) {
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<CompiledModule> module,
                        CompileComputation(computation, DebugOptions()));
  return module->Run(arguments);
}

absl::StatusOr<Literal> InLayout(Literal literal, const Shape* shape_with_layout) {
  if (shape_with_layout == nullptr) return literal;
  if (!ShapeUtil::Compatible(literal.shape(), *shape_with_layout)) {
    return InvalidArgument("the value has shape %s, which is not that of the layout asked for, %s",
                           literal.shape().ToString(), shape_with_layout->ToString());
  }
  return literal.Relayout(*shape_with_layout);
}

}  // namespace

absl::StatusOr<Literal> Client::ExecuteAndTransfer(const XlaComputation& computation,
                                                   absl::Span<GlobalData* const> arguments,
                                                   const ExecutionOptions* execution_options,
                                                   ExecutionProfile* execution_profile) {
  std::vector<const Literal*> literals;
  for (const GlobalData* argument : arguments) literals.push_back(&argument->value());
  HILO_ASSIGN_OR_RETURN(Literal result, RunOnce(computation, literals));
  if (execution_options == nullptr || !execution_options->has_shape_with_output_layout()) {
    return result;
  }
  HILO_ASSIGN_OR_RETURN(const Shape layout,
                        Shape::FromProto(execution_options->shape_with_output_layout()));
  return InLayout(std::move(result), &layout);
}

absl::StatusOr<std::unique_ptr<GlobalData>> Client::Execute(
    const XlaComputation& computation, absl::Span<GlobalData* const> arguments,
    const ExecutionOptions* execution_options, ExecutionProfile* execution_profile) {
  HILO_ASSIGN_OR_RETURN(Literal result, ExecuteAndTransfer(computation, arguments, execution_options,
                                                           execution_profile));
  return std::make_unique<GlobalData>(std::make_shared<const Literal>(std::move(result)));
}

absl::StatusOr<Literal> Client::ComputeConstant(const XlaComputation& computation,
                                                const Layout* output_layout) const {
  HILO_ASSIGN_OR_RETURN(Literal result, RunOnce(computation, {}));
  if (output_layout == nullptr) return result;
  Shape shape = result.shape();
  *shape.mutable_layout() = *output_layout;
  return InLayout(std::move(result), &shape);
}

absl::StatusOr<Literal> Client::Transfer(const GlobalData& data, const Shape* shape_with_layout) {
  return InLayout(data.value().Clone(), shape_with_layout);
}

absl::StatusOr<std::unique_ptr<GlobalData>> Client::TransferToServer(
    const LiteralSlice& literal, const DeviceHandle* device_handle) {
  return std::make_unique<GlobalData>(std::make_shared<const Literal>(literal.Clone()));
}

absl::StatusOr<Shape> Client::GetShape(const GlobalData& data) { return data.value().shape(); }

LocalExecutable::LocalExecutable(std::unique_ptr<CompiledModule> module,
                                 ExecutableBuildOptions build_options)
    : module_(std::move(module)), build_options_(std::move(build_options)) {}

LocalExecutable::~LocalExecutable() = default;

absl::StatusOr<Literal> LocalExecutable::Run(absl::Span<const Literal* const> arguments) {
  HILO_ASSIGN_OR_RETURN(Literal result, module_->Run(arguments));
  return InLayout(std::move(result), build_options_.result_layout());
}

absl::StatusOr<ScopedShapedBuffer> LocalExecutable::Run(
    absl::Span<const ShapedBuffer* const> arguments, ExecutableRunOptions run_options) {
  std::vector<const Literal*> literals;
  for (const ShapedBuffer* argument : arguments) literals.push_back(&argument->value());
  HILO_ASSIGN_OR_RETURN(Literal result, Run(literals));
  return ScopedShapedBuffer(std::make_shared<const Literal>(std::move(result)), 0);
}

absl::StatusOr<std::vector<std::unique_ptr<LocalExecutable>>> LocalClient::Compile(
    const XlaComputation& computation, absl::Span<const Shape* const> argument_layouts,
    const ExecutableBuildOptions& options) {
  if (options.num_replicas() != 1 || options.num_partitions() != 1) {
    return Unimplemented("this client runs one replica and one partition, not %d and %d",
                         options.num_replicas(), options.num_partitions());
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<CompiledModule> module,
                        CompileComputation(computation, options.debug_options()));
  const HloComputation& entry = *module->module().entry_computation();
  if (static_cast<int64_t>(argument_layouts.size()) != entry.num_parameters()) {
    return InvalidArgument("computation %s has %d parameters, but %d argument shapes were given",
                           computation.name(), entry.num_parameters(), argument_layouts.size());
  }
  for (int64_t i = 0; i < entry.num_parameters(); ++i) {
    const Shape& wanted = entry.parameter_instruction(i)->shape();
    if (!ShapeUtil::Compatible(*argument_layouts[i], wanted)) {
      return InvalidArgument("computation %s: parameter %d has shape %s, but the argument shape is %s",
                             computation.name(), i, wanted.ToString(),
                             argument_layouts[i]->ToString());
    }
  }
  std::vector<std::unique_ptr<LocalExecutable>> executables;
  executables.push_back(std::make_unique<LocalExecutable>(std::move(module), options));
  return executables;
}

absl::StatusOr<ScopedShapedBuffer> LocalClient::LiteralToShapedBuffer(const LiteralSlice& literal,
                                                                      int device_ordinal) {
  if (!device_ordinal_supported(device_ordinal) && device_ordinal != -1) {
    return InvalidArgument("there is no device %d; the only device is 0", device_ordinal);
  }
  return ScopedShapedBuffer(std::make_shared<const Literal>(literal.Clone()), 0);
}

absl::StatusOr<Literal> LocalClient::ShapedBufferToLiteral(const ShapedBuffer& shaped_buffer) {
  return shaped_buffer.value().Clone();
}

absl::StatusOr<LocalClient*> ClientLibrary::GetOrCreateLocalClient(
    stream_executor::Platform* platform, const std::optional<std::set<int>>& device_set) {
  if (device_set.has_value() && *device_set != std::set<int>{0}) {
    return InvalidArgument("the only device of this client is 0");
  }
  static LocalClient* const client = new LocalClient();
  return client;
}

absl::StatusOr<LocalClient*> ClientLibrary::GetOrCreateLocalClient(
    const LocalClientOptions& options) {
  return GetOrCreateLocalClient(options.platform());
}

LocalClient* ClientLibrary::LocalClientOrDie() {
  absl::StatusOr<LocalClient*> client = GetOrCreateLocalClient();
  CHECK_OK(client.status());
  return *client;
}

}  // namespace xla
