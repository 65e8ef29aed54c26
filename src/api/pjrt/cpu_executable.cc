#include "api/pjrt/cpu_executable.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "api/cpu_backend.h"
#include "api/pjrt/cost_analysis.h"
#include "base/status_macros.h"
#include "codegen/target.h"
#include "passes/passes.h"
#include "runtime/saved_program.h"
#include "xla/debug_options_flags.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::Status CheckPositive(const char* what, int count) {
  if (count >= 1) return absl::OkStatus();
  return InvalidArgument("%s is %d, but must be positive", what, count);
}

// What the build options say of the module.
absl::StatusOr<HloModuleConfig> ConfigFor(const CpuClient& client, const HloModuleProto& proto,
                                          const ExecutableBuildOptions& options) {
  HILO_RETURN_IF_ERROR(CheckPositive("num_replicas", options.num_replicas()));
  HILO_RETURN_IF_ERROR(CheckPositive("num_partitions", options.num_partitions()));
  HILO_ASSIGN_OR_RETURN(HloModuleConfig config,
                        HloModule::CreateModuleConfigFromProto(
                            proto, options.has_debug_options() ? options.debug_options()
                                                               : GetDebugOptionsFromFlags()));
  config.set_replica_count(options.num_replicas());
  config.set_num_partitions(options.num_partitions());
  config.set_use_spmd_partitioning(options.use_spmd_partitioning());
  config.set_allow_spmd_sharding_propagation_to_parameters(
      options.allow_spmd_sharding_propagation_to_parameters());
  config.set_allow_spmd_sharding_propagation_to_output(
      options.allow_spmd_sharding_propagation_to_output());
  if (options.has_device_assignment())
    config.set_static_device_assignment(options.device_assignment());
  if (client.options().customize_hlo_module_config)
    client.options().customize_hlo_module_config(config);
  return config;
}

// What each partition runs of a program with shardings.
absl::Status Partition(HloModule& module) {
  if (module.config().num_partitions() == 1 || !module.config().use_spmd_partitioning())
    return absl::OkStatus();
  HILO_RETURN_IF_ERROR(VerifyForCompiler(module));
  return passes::Partition(module).status();
}

absl::Status SetArgumentLayouts(const std::vector<Shape>& shapes, HloModule& module) {
  ComputationLayout* layout = module.mutable_entry_computation_layout();
  if (static_cast<int>(shapes.size()) != layout->parameter_count()) {
    return InvalidArgument("program %s takes %d arguments, but %d argument layouts were given",
                           module.name(), layout->parameter_count(), shapes.size());
  }
  for (int i = 0; i < layout->parameter_count(); ++i)
    HILO_RETURN_IF_ERROR(layout->mutable_parameter_layout(i)->CopyLayoutFromShape(shapes[i]));
  return absl::OkStatus();
}

// Arguments that are donated for whatever result may use their memory stay with the caller where no
// result is of their size.
absl::Status KeepUsableDonors(HloModule& module) {
  if (module.buffer_donor_config().empty()) return absl::OkStatus();
  const HloComputation& entry = *module.entry_computation();
  std::multiset<int64_t> sizes;
  ShapeUtil::ForEachSubshape(
      entry.root_instruction()->shape(), [&](const Shape& leaf, const ShapeIndex& index) {
        if (leaf.IsArray() && !module.input_output_alias_config().OutputHasAlias(index))
          sizes.insert(ShapeUtil::ByteSizeOf(leaf));
      });
  HloBufferDonorConfig usable;
  for (const HloBufferDonorConfig::BufferDonor& donor :
       module.buffer_donor_config().buffer_donor()) {
    const Shape& leaf = ShapeUtil::GetSubshape(
        entry.parameter_instruction(donor.param_number)->shape(), donor.param_index);
    const auto size = leaf.IsArray() ? sizes.find(ShapeUtil::ByteSizeOf(leaf)) : sizes.end();
    if (size == sizes.end()) continue;
    sizes.erase(size);
    HILO_RETURN_IF_ERROR(usable.AddBufferDonor(donor.param_number, donor.param_index));
  }
  module.buffer_donor_config() = std::move(usable);
  return absl::OkStatus();
}

std::vector<std::shared_ptr<const PjRtLayout>> LayoutsOfLeaves(const Shape& shape) {
  std::vector<std::shared_ptr<const PjRtLayout>> layouts;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& leaf, const ShapeIndex&) {
    if (leaf.IsTuple()) return;
    layouts.push_back(
        std::make_shared<const PjRtLayout>(leaf.has_layout() ? leaf.layout() : Layout()));
  });
  return layouts;
}

constexpr absl::string_view kMemoryKind = "device";

}  // namespace

CpuExecutable::CpuExecutable(std::unique_ptr<CompiledModule> module, CompileOptions options,
                             absl::string_view client_name)
    : name_(module->module().name()),
      options_(std::move(options)),
      program_(std::move(module)),
      client_name_(client_name) {}

absl::StatusOr<std::unique_ptr<CpuExecutable>> CpuExecutable::Compile(
    const CpuClient& client, const XlaComputation& computation, CompileOptions options) {
  if (computation.IsNull()) {
    return InvalidArgument(
        "the computation is empty: its builder reported an error or was not built");
  }
  HILO_RETURN_IF_ERROR(options.ApplyAllOptionOverrides());
  const ExecutableBuildOptions& build = options.executable_build_options;
  HILO_ASSIGN_OR_RETURN(HloModuleConfig config, ConfigFor(client, computation.proto(), build));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                        HloModule::CreateFromProto(computation.proto(), config));
  if (options.argument_layouts.has_value())
    HILO_RETURN_IF_ERROR(SetArgumentLayouts(*options.argument_layouts, *module));
  if (build.result_layout() != nullptr) {
    HILO_RETURN_IF_ERROR(
        module->mutable_entry_computation_layout()->mutable_result_layout()->CopyLayoutFromShape(
            *build.result_layout()));
  }
  if (options.parameter_is_tupled_arguments &&
      (module->entry_computation()->num_parameters() != 1 ||
       !module->entry_computation()->parameter_instruction(0)->shape().IsTuple())) {
    return InvalidArgument(
        "program %s does not have one tuple as its parameter, as parameter_is_tupled_arguments "
        "says",
        module->name());
  }
  HILO_RETURN_IF_ERROR(Partition(*module));
  HILO_RETURN_IF_ERROR(KeepUsableDonors(*module));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<CompiledModule> compiled,
                        client.backend().Compile(std::move(module)));
  return std::unique_ptr<CpuExecutable>(
      new CpuExecutable(std::move(compiled), std::move(options), client.platform_name()));
}

absl::StatusOr<std::unique_ptr<CpuExecutable>> CpuExecutable::Deserialize(
    const CpuClient& client, absl::string_view serialized, std::optional<CompileOptions> options) {
  ExecutableAndOptionsProto saved;
  if (!saved.ParseFromArray(serialized.data(), static_cast<int>(serialized.size())))
    return InvalidArgument("this is no saved executable");
  if (saved.pjrt_client_name() != client.platform_name()) {
    return InvalidArgument("the executable was saved by a client for %s, this one is for %s",
                           saved.pjrt_client_name(), client.platform_name());
  }
  if (!options.has_value()) {
    HILO_ASSIGN_OR_RETURN(options, CompileOptions::FromProto(saved.compile_options()));
  }
  if (!runtime::IsSavedProgram(saved.serialized_executable())) {
    HloModuleProto proto;
    if (!proto.ParseFromString(saved.serialized_executable()))
      return InvalidArgument("the saved executable is damaged: its program cannot be read");
    return Compile(client, XlaComputation(std::move(proto)), *std::move(options));
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<CompiledModule> module,
                        LoadFromBytes(saved.serialized_executable()));
  std::unique_ptr<CpuExecutable> executable(
      new CpuExecutable(std::move(module), *std::move(options), client.platform_name()));
  executable->saved_ = std::move(*saved.mutable_serialized_executable());
  return executable;
}

int CpuExecutable::num_replicas() const { return options_.executable_build_options.num_replicas(); }
int CpuExecutable::num_partitions() const {
  return options_.executable_build_options.num_partitions();
}

int64_t CpuExecutable::SizeOfGeneratedCodeInBytes() const { return program_.traits.code_bytes; }

absl::StatusOr<std::vector<std::shared_ptr<HloModule>>> CpuExecutable::GetHloModules() const {
  return std::vector<std::shared_ptr<HloModule>>{program_.module->module().Clone("")};
}

absl::StatusOr<std::vector<std::shared_ptr<const PjRtLayout>>> CpuExecutable::GetParameterLayouts()
    const {
  std::vector<std::shared_ptr<const PjRtLayout>> layouts;
  const HloModule& module = program_.module->module();
  for (int i = 0; i < module.entry_computation_layout().parameter_count(); ++i) {
    for (auto& layout : LayoutsOfLeaves(module.entry_computation_layout().parameter_shape(i)))
      layouts.push_back(std::move(layout));
  }
  return layouts;
}

absl::StatusOr<std::vector<std::shared_ptr<const PjRtLayout>>> CpuExecutable::GetOutputLayouts()
    const {
  std::vector<std::shared_ptr<const PjRtLayout>> layouts;
  for (const DeviceProgram::Result& result : program_.results)
    layouts.push_back(LayoutsOfLeaves(*result.shape)[0]);
  return layouts;
}

absl::StatusOr<std::vector<std::vector<absl::string_view>>> CpuExecutable::GetParameterMemoryKinds()
    const {
  return std::vector<std::vector<absl::string_view>>{
      std::vector<absl::string_view>(program_.arguments.size(), kMemoryKind)};
}

absl::StatusOr<std::vector<std::vector<absl::string_view>>> CpuExecutable::GetOutputMemoryKinds()
    const {
  return std::vector<std::vector<absl::string_view>>{
      std::vector<absl::string_view>(program_.results.size(), kMemoryKind)};
}

absl::StatusOr<CompiledMemoryStats> CpuExecutable::GetCompiledMemoryStats() const {
  const auto bytes = [](const Shape& shape) {
    return shape.IsArray() ? ShapeUtil::ByteSizeOf(shape) : 0;
  };
  CompiledMemoryStats stats;
  stats.generated_code_size_in_bytes = program_.traits.code_bytes;
  stats.temp_size_in_bytes = program_.traits.temporary_bytes;
  for (const DeviceProgram::Argument& argument : program_.arguments)
    stats.argument_size_in_bytes += bytes(*argument.shape);
  for (const DeviceProgram::Result& result : program_.results) {
    stats.output_size_in_bytes += bytes(*result.shape);
    if (result.alias >= 0) stats.alias_size_in_bytes += bytes(*result.shape);
  }
  stats.peak_memory_in_bytes = stats.argument_size_in_bytes + stats.output_size_in_bytes -
                               stats.alias_size_in_bytes + stats.temp_size_in_bytes;
  stats.total_size_in_bytes = stats.peak_memory_in_bytes + stats.generated_code_size_in_bytes;
  stats.total_allocation_bytes = stats.peak_memory_in_bytes;
  return stats;
}

absl::StatusOr<absl::flat_hash_map<std::string, PjRtValueType>> CpuExecutable::GetCostAnalysis()
    const {
  return AnalyzeCost(program_.module->module());
}

absl::StatusOr<std::string> CpuExecutable::SerializeExecutable() const {
  ExecutableAndOptionsProto saved;
  const HloModule& module = program_.module->module();
  if (!saved_.empty()) {
    saved.set_serialized_executable(saved_);
  } else if (client_name_ == CpuName() && program_.traits.code_bytes > 0) {
    HILO_ASSIGN_OR_RETURN(*saved.mutable_serialized_executable(), CompileToBytes(module));
  } else {
    HloModuleProto proto = module.ToProto();
    proto.clear_id();  // which is another one for each module
    saved.set_serialized_executable(proto.SerializeAsString());
  }
  HILO_ASSIGN_OR_RETURN(*saved.mutable_compile_options(), options_.ToProto());
  saved.set_pjrt_client_name(client_name_);
  std::string bytes;
  if (!saved.SerializeToString(&bytes))
    return ResourceExhausted("executable %s is too large to be saved", name_);
  return bytes;
}

absl::StatusOr<std::string> CpuExecutable::FingerprintExecutable() const {
  std::string text = absl::StrCat(HILO_VERSION, " ", client_name_, " ", num_replicas(), " ",
                                  num_partitions(), "\n");
  HILO_ASSIGN_OR_RETURN(const codegen::Target target,
                        codegen::Target::Of(program_.module->module().config().debug_options()));
  absl::StrAppend(&text, absl::StrJoin(target.features, " "), " ");
  absl::StrAppend(&text, saved_.empty() ? program_.module->module().ToString() : saved_);
  return absl::StrFormat("%016x%016x", runtime::Checksum(text), runtime::Checksum(text, 1));
}

}  // namespace xla
