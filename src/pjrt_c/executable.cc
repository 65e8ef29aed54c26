// Executables: what callers ask of them.
#include <cstring>
#include <utility>

#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/tables.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

// Bytes that live until a deleter is called: the opaque type stands for the string.
template <typename Opaque>
Opaque* KeepBytes(std::string bytes, const char*& data, size_t& size, void (*&deleter)(Opaque*)) {
  auto* const kept = new std::string(std::move(bytes));
  SetText(*kept, data, size);
  deleter = [](Opaque* opaque) { delete reinterpret_cast<std::string*>(opaque); };
  return reinterpret_cast<Opaque*>(kept);
}

absl::Status ExecutableDestroy(PJRT_Executable_Destroy_Args& args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status ExecutableName(PJRT_Executable_Name_Args& args) {
  SetText(args.executable->record->name(), args.executable_name, args.executable_name_size);
  return absl::OkStatus();
}

absl::Status ExecutableNumReplicas(PJRT_Executable_NumReplicas_Args& args) {
  args.num_replicas = args.executable->record->replica_count();
  return absl::OkStatus();
}

absl::Status ExecutableNumPartitions(PJRT_Executable_NumPartitions_Args& args) {
  args.num_partitions = args.executable->record->partition_count();
  return absl::OkStatus();
}

absl::Status ExecutableNumOutputs(PJRT_Executable_NumOutputs_Args& args) {
  args.num_outputs = args.executable->record->output_count();
  return absl::OkStatus();
}

absl::Status ExecutableSizeOfGeneratedCode(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  args.size_in_bytes = args.executable->record->executable().SizeOfGeneratedCodeInBytes();
  return absl::OkStatus();
}

absl::Status ExecutableGetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args& args) {
  HILO_ASSIGN_OR_RETURN(NamedValues* const costs, args.executable->record->Costs());
  args.properties = costs->values().data();
  args.num_properties = costs->values().size();
  return absl::OkStatus();
}

absl::Status ExecutableGetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  HILO_ASSIGN_OR_RETURN(const CompiledMemoryStats stats,
                        args.executable->record->executable().GetCompiledMemoryStats());
  args.generated_code_size_in_bytes = stats.generated_code_size_in_bytes;
  args.argument_size_in_bytes = stats.argument_size_in_bytes;
  args.output_size_in_bytes = stats.output_size_in_bytes;
  args.alias_size_in_bytes = stats.alias_size_in_bytes;
  args.temp_size_in_bytes = stats.temp_size_in_bytes;
  args.host_generated_code_size_in_bytes = stats.host_generated_code_size_in_bytes;
  args.host_argument_size_in_bytes = stats.host_argument_size_in_bytes;
  args.host_output_size_in_bytes = stats.host_output_size_in_bytes;
  args.host_alias_size_in_bytes = stats.host_alias_size_in_bytes;
  args.host_temp_size_in_bytes = stats.host_temp_size_in_bytes;
  // Those that came later.
  const auto set = [&args](int64_t PJRT_Executable_GetCompiledMemoryStats_Args::*field,
                           int64_t value) {
    if (Has(args, field)) args.*field = value;
  };
  using Args = PJRT_Executable_GetCompiledMemoryStats_Args;
  set(&Args::peak_memory_in_bytes, stats.peak_memory_in_bytes);
  set(&Args::total_size_in_bytes, stats.total_size_in_bytes);
  set(&Args::total_allocation_bytes, stats.total_allocation_bytes);
  set(&Args::indefinite_allocations, stats.indefinite_allocations);
  set(&Args::peak_unpadded_heap_bytes, stats.peak_unpadded_heap_bytes);
  return absl::OkStatus();
}

absl::Status ExecutableOutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args& args) {
  HILO_ASSIGN_OR_RETURN(const TextList* const kinds, args.executable->record->OutputMemoryKinds());
  args.num_outputs = kinds->data.size();
  args.memory_kinds = kinds->data.data();
  args.memory_kind_sizes = kinds->sizes.data();
  return absl::OkStatus();
}

absl::Status ExecutableParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args& args) {
  HILO_ASSIGN_OR_RETURN(const TextList* const kinds,
                        args.executable->record->ParameterMemoryKinds());
  args.num_parameters = kinds->data.size();
  args.memory_kinds = kinds->data.data();
  args.memory_kind_sizes = kinds->sizes.data();
  return absl::OkStatus();
}

absl::Status ExecutableOutputElementTypes(PJRT_Executable_OutputElementTypes_Args& args) {
  const ExecutableRecord& record = *args.executable->record;
  args.output_types = const_cast<PJRT_Buffer_Type*>(record.output_types().data());
  args.num_output_types = record.output_types().size();
  return absl::OkStatus();
}

absl::Status ExecutableOutputDimensions(PJRT_Executable_OutputDimensions_Args& args) {
  const ExecutableRecord& record = *args.executable->record;
  args.num_outputs = record.output_count();
  args.dims = record.output_dimensions().data();
  args.dim_sizes = record.output_ranks().data();
  return absl::OkStatus();
}

absl::Status ExecutableOptimizedProgram(PJRT_Executable_OptimizedProgram_Args& args) {
  HILO_ASSIGN_OR_RETURN(const SourceProgram* const optimized,
                        args.executable->record->OptimizedProgram());
  const SourceProgram& source = *optimized;
  PJRT_Program& program = *args.program;
  SetText(source.format, program.format, program.format_size);
  if (program.code == nullptr) {
    program.code_size = source.code.size();
    return absl::OkStatus();
  }
  if (program.code_size < source.code.size()) {
    return InvalidArgument("the program of %d bytes does not fit into %d", source.code.size(),
                           program.code_size);
  }
  std::memcpy(program.code, source.code.data(), source.code.size());
  return absl::OkStatus();
}

absl::Status ExecutableSerialize(PJRT_Executable_Serialize_Args& args) {
  HILO_ASSIGN_OR_RETURN(std::string bytes, args.executable->record->Serialize());
  args.serialized_executable =
      KeepBytes(std::move(bytes), args.serialized_bytes, args.serialized_bytes_size,
                args.serialized_executable_deleter);
  return absl::OkStatus();
}

absl::Status ExecutableFingerprint(PJRT_Executable_Fingerprint_Args& args) {
  SetText(args.executable->record->facts().fingerprint, args.executable_fingerprint,
          args.executable_fingerprint_size);
  return absl::OkStatus();
}

absl::Status ExecutableGetCompileOptions(PJRT_Executable_GetCompileOptions_Args& args) {
  HILO_ASSIGN_OR_RETURN(const CompileOptions options,
                        args.executable->record->executable().GetCompileOptions());
  HILO_ASSIGN_OR_RETURN(const CompileOptionsProto proto, options.ToProto());
  args.serialized_compile_options =
      KeepBytes(proto.SerializeAsString(), args.serialized_bytes, args.serialized_bytes_size,
                args.serialized_compile_options_deleter);
  return absl::OkStatus();
}

absl::Status LoadedDestroy(PJRT_LoadedExecutable_Destroy_Args& args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status LoadedGetExecutable(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  args.executable = new PJRT_Executable{args.loaded_executable->record};
  return absl::OkStatus();
}

absl::Status LoadedAddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  args.addressable_devices = args.executable->devices.data();
  args.num_addressable_devices = args.executable->devices.size();
  return absl::OkStatus();
}

absl::Status LoadedLogicalIds(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args) {
  args.addressable_device_logical_ids = args.executable->logical_ids.data();
  args.num_addressable_device_logical_ids = args.executable->logical_ids.size();
  return absl::OkStatus();
}

absl::Status LoadedGetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  DeviceAssignmentProto proto;
  args.executable->loaded->device_assignment().Serialize(&proto);
  args.serialized_device_assignment =
      KeepBytes(proto.SerializeAsString(), args.serialized_bytes, args.serialized_bytes_size,
                args.serialized_device_assignment_deleter);
  return absl::OkStatus();
}

absl::Status LoadedDelete(PJRT_LoadedExecutable_Delete_Args& args) {
  args.executable->loaded->Delete();
  return absl::OkStatus();
}

absl::Status LoadedIsDeleted(PJRT_LoadedExecutable_IsDeleted_Args& args) {
  args.is_deleted = args.executable->loaded->IsDeleted();
  return absl::OkStatus();
}

absl::Status LoadedFingerprint(PJRT_LoadedExecutable_Fingerprint_Args& args) {
  SetText(args.executable->record->facts().fingerprint, args.executable_fingerprint,
          args.executable_fingerprint_size);
  return absl::OkStatus();
}

}  // namespace

void SetExecutableFunctions(PJRT_Api& api) {
  api.PJRT_Executable_Destroy = Entry<ExecutableDestroy, PJRT_Executable_Destroy_Args_STRUCT_SIZE>;
  api.PJRT_Executable_Name = Entry<ExecutableName, PJRT_Executable_Name_Args_STRUCT_SIZE>;
  api.PJRT_Executable_NumReplicas =
      Entry<ExecutableNumReplicas, PJRT_Executable_NumReplicas_Args_STRUCT_SIZE>;
  api.PJRT_Executable_NumPartitions =
      Entry<ExecutableNumPartitions, PJRT_Executable_NumPartitions_Args_STRUCT_SIZE>;
  api.PJRT_Executable_NumOutputs =
      Entry<ExecutableNumOutputs, PJRT_Executable_NumOutputs_Args_STRUCT_SIZE>;
  api.PJRT_Executable_SizeOfGeneratedCodeInBytes =
      Entry<ExecutableSizeOfGeneratedCode,
            PJRT_Executable_SizeOfGeneratedCodeInBytes_Args_STRUCT_SIZE>;
  api.PJRT_Executable_GetCostAnalysis =
      Entry<ExecutableGetCostAnalysis, PJRT_Executable_GetCostAnalysis_Args_STRUCT_SIZE>;
  api.PJRT_Executable_GetCompiledMemoryStats =
      Entry<ExecutableGetCompiledMemoryStats,
            PJRT_STRUCT_SIZE(PJRT_Executable_GetCompiledMemoryStats_Args, host_temp_size_in_bytes)>;
  api.PJRT_Executable_OutputMemoryKinds =
      Entry<ExecutableOutputMemoryKinds, PJRT_Executable_OutputMemoryKinds_Args_STRUCT_SIZE>;
  api.PJRT_Executable_ParameterMemoryKinds =
      Entry<ExecutableParameterMemoryKinds, PJRT_Executable_ParameterMemoryKinds_Args_STRUCT_SIZE>;
  api.PJRT_Executable_OutputElementTypes =
      Entry<ExecutableOutputElementTypes, PJRT_Executable_OutputElementTypes_Args_STRUCT_SIZE>;
  api.PJRT_Executable_OutputDimensions =
      Entry<ExecutableOutputDimensions, PJRT_Executable_OutputDimensions_Args_STRUCT_SIZE>;
  api.PJRT_Executable_OptimizedProgram =
      Entry<ExecutableOptimizedProgram, PJRT_Executable_OptimizedProgram_Args_STRUCT_SIZE>;
  api.PJRT_Executable_Serialize =
      Entry<ExecutableSerialize, PJRT_Executable_Serialize_Args_STRUCT_SIZE>;
  api.PJRT_Executable_Fingerprint =
      Entry<ExecutableFingerprint, PJRT_Executable_Fingerprint_Args_STRUCT_SIZE>;
  api.PJRT_Executable_GetCompileOptions =
      Entry<ExecutableGetCompileOptions, PJRT_Executable_GetCompileOptions_Args_STRUCT_SIZE>;
}

void SetLoadedExecutableFunctions(PJRT_Api& api) {
  api.PJRT_LoadedExecutable_Destroy =
      Entry<LoadedDestroy, PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE>;
  api.PJRT_LoadedExecutable_GetExecutable =
      Entry<LoadedGetExecutable, PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE>;
  api.PJRT_LoadedExecutable_AddressableDevices =
      Entry<LoadedAddressableDevices, PJRT_LoadedExecutable_AddressableDevices_Args_STRUCT_SIZE>;
  api.PJRT_LoadedExecutable_AddressableDeviceLogicalIds =
      Entry<LoadedLogicalIds, PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args_STRUCT_SIZE>;
  api.PJRT_LoadedExecutable_GetDeviceAssignment =
      Entry<LoadedGetDeviceAssignment, PJRT_LoadedExecutable_GetDeviceAssignment_Args_STRUCT_SIZE>;
  api.PJRT_LoadedExecutable_Delete =
      Entry<LoadedDelete, PJRT_LoadedExecutable_Delete_Args_STRUCT_SIZE>;
  api.PJRT_LoadedExecutable_IsDeleted =
      Entry<LoadedIsDeleted, PJRT_LoadedExecutable_IsDeleted_Args_STRUCT_SIZE>;
  api.PJRT_LoadedExecutable_Fingerprint =
      Entry<LoadedFingerprint, PJRT_LoadedExecutable_Fingerprint_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
