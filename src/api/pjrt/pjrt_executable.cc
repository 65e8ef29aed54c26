// What all executables share, and their options as messages.
#include "xla/pjrt/pjrt_executable.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/debug_options_flags.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// The module of the one program.
absl::StatusOr<std::shared_ptr<HloModule>> TheModule(const PjRtExecutable& executable) {
  HILO_ASSIGN_OR_RETURN(std::vector<std::shared_ptr<HloModule>> modules,
                        executable.GetHloModules());
  if (modules.size() != 1) {
    return Unimplemented("executable %s has %d programs, not one", executable.name(),
                         modules.size());
  }
  return std::move(modules[0]);
}

// Arrays and tokens in order.
std::vector<Shape> ArraysAndTokens(const Shape& shape) {
  std::vector<Shape> leaves;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (!part.IsTuple()) leaves.push_back(part);
  });
  return leaves;
}

std::vector<std::shared_ptr<const PjRtLayout>> LayoutsOfAll(const std::vector<Shape>& leaves) {
  std::vector<std::shared_ptr<const PjRtLayout>> layouts;
  for (const Shape& leaf : leaves) {
    layouts.push_back(
        std::make_shared<const PjRtLayout>(leaf.has_layout() ? leaf.layout() : Layout()));
  }
  return layouts;
}

// One sharding for each leaf of the shape.
void AppendShardings(const HloSharding& sharding, const Shape& shape,
                     std::vector<OpSharding>& shardings) {
  for (size_t i = 0; i < ArraysAndTokens(shape).size(); ++i) {
    shardings.push_back(sharding.IsTuple() ? sharding.tuple_elements()[i].ToProto()
                                           : sharding.ToProto());
  }
}

std::string OverrideText(const CompileOptions::OptionOverride& value) {
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const int64_t* number = std::get_if<int64_t>(&value)) return absl::StrCat(*number);
  if (const double* number = std::get_if<double>(&value)) return absl::StrFormat("%.17g", *number);
  return std::get<std::string>(value);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const PjRtLayout>> PjRtLayout::Deserialize(
    absl::string_view serialized) {
  HILO_ASSIGN_OR_RETURN(Layout layout, ParseLayout(serialized));
  return std::make_shared<const PjRtLayout>(std::move(layout));
}

absl::Status CompileOptions::ApplyOptionFromString(const google::protobuf::FieldDescriptor* field,
                                                   const std::string& value) {
  return SetDebugOption(field->name(), value, executable_build_options.mutable_debug_options());
}

absl::Status CompileOptions::ApplyOption(const std::string& key, const OptionOverride& value) {
  if (DebugOptions::descriptor()->FindFieldByName(key) == nullptr)
    return InvalidArgument("No such compile option: '%s'", key);
  return SetDebugOption(key, OverrideText(value), executable_build_options.mutable_debug_options());
}

absl::Status CompileOptions::ApplyAllOptionOverrides() {
  for (const auto& [key, value] : env_option_overrides)
    HILO_RETURN_IF_ERROR(ApplyOption(key, value));
  return absl::OkStatus();
}

absl::StatusOr<CompileOptions::EnvironmentOptionOverrides> CompileOptions::LoadEnvOptionOverrides(
    const google::protobuf::Map<std::string, OptionOverrideProto>& env_option_overrides) {
  std::map<std::string, OptionOverride> sorted;
  for (const auto& [key, value] : env_option_overrides) {
    switch (value.value_case()) {
      case OptionOverrideProto::kStringField:
        sorted[key] = value.string_field();
        break;
      case OptionOverrideProto::kBoolField:
        sorted[key] = value.bool_field();
        break;
      case OptionOverrideProto::kIntField:
        sorted[key] = int64_t{value.int_field()};
        break;
      case OptionOverrideProto::kDoubleField:
        sorted[key] = value.double_field();
        break;
      case OptionOverrideProto::VALUE_NOT_SET:
        return InvalidArgument("option %s has no value", key);
    }
  }
  return EnvironmentOptionOverrides(sorted.begin(), sorted.end());
}

absl::StatusOr<CompileOptionsProto> CompileOptions::ToProto() const {
  CompileOptionsProto proto;
  if (argument_layouts.has_value()) {
    for (const Shape& layout : *argument_layouts) *proto.add_argument_layouts() = layout.ToProto();
  }
  proto.set_parameter_is_tupled_arguments(parameter_is_tupled_arguments);
  HILO_ASSIGN_OR_RETURN(*proto.mutable_executable_build_options(),
                        executable_build_options.ToProto());
  proto.set_compile_portable_executable(compile_portable_executable);
  proto.set_profile_version(profile_version);
  proto.set_serialized_multi_slice_config(serialized_multi_slice_config);
  for (const auto& [key, value] : env_option_overrides) {
    OptionOverrideProto& field = (*proto.mutable_env_option_overrides())[key];
    if (const auto* text = std::get_if<std::string>(&value)) field.set_string_field(*text);
    if (const auto* truth = std::get_if<bool>(&value)) field.set_bool_field(*truth);
    if (const auto* number = std::get_if<int64_t>(&value)) field.set_int_field(*number);
    if (const auto* number = std::get_if<double>(&value)) field.set_double_field(*number);
  }
  proto.set_allow_in_place_mlir_modification(allow_in_place_mlir_modification);
  proto.set_matrix_unit_operand_precision(matrix_unit_operand_precision);
  if (compiler_variant.has_value()) proto.set_compiler_variant(*compiler_variant);
  for (const int index : individually_defined_output_indices)
    proto.add_individually_defined_output_indices(index);
  return proto;
}

absl::StatusOr<CompileOptions> CompileOptions::FromProto(const CompileOptionsProto& proto) {
  CompileOptions options;
  if (proto.argument_layouts_size() > 0) {
    options.argument_layouts.emplace();
    for (const ShapeProto& layout : proto.argument_layouts()) {
      HILO_ASSIGN_OR_RETURN(options.argument_layouts->emplace_back(), Shape::FromProto(layout));
    }
  }
  options.parameter_is_tupled_arguments = proto.parameter_is_tupled_arguments();
  if (proto.has_executable_build_options()) {
    HILO_ASSIGN_OR_RETURN(options.executable_build_options,
                          ExecutableBuildOptionsFromProto(proto.executable_build_options()));
  }
  options.compile_portable_executable = proto.compile_portable_executable();
  options.profile_version = proto.profile_version();
  options.serialized_multi_slice_config = proto.serialized_multi_slice_config();
  HILO_ASSIGN_OR_RETURN(options.env_option_overrides,
                        LoadEnvOptionOverrides(proto.env_option_overrides()));
  options.allow_in_place_mlir_modification = proto.allow_in_place_mlir_modification();
  options.matrix_unit_operand_precision = proto.matrix_unit_operand_precision();
  if (proto.has_compiler_variant()) options.compiler_variant = proto.compiler_variant();
  options.individually_defined_output_indices.insert(
      proto.individually_defined_output_indices().begin(),
      proto.individually_defined_output_indices().end());
  return options;
}

absl::StatusOr<ExecuteOptionsProto> ExecuteOptions::ToProto() const {
  if (context != nullptr || !send_callbacks.empty() || !recv_callbacks.empty())
    return Unimplemented("the context and the callbacks of an execution have no message");
  ExecuteOptionsProto proto;
  proto.set_arguments_are_tupled(arguments_are_tupled);
  proto.set_untuple_result(untuple_result);
  proto.set_launch_id(launch_id);
  proto.set_strict_shape_checking(strict_shape_checking);
  proto.set_use_major_to_minor_data_layout_for_callbacks(
      use_major_to_minor_data_layout_for_callbacks);
  proto.set_execution_mode(
      execution_mode == ExecutionMode::kSynchronous    ? EXECUTION_MODE_SYNCHRONOUS
      : execution_mode == ExecutionMode::kAsynchronous ? EXECUTION_MODE_ASYNCHRONOUS
                                                       : EXECUTION_MODE_DEFAULT);
  for (const int index : non_donatable_input_indices) proto.add_non_donatable_input_indices(index);
  proto.set_seed(seed);
  proto.set_use_output_arena(use_output_arena);
  return proto;
}

absl::StatusOr<ExecuteOptions> ExecuteOptions::FromProto(const ExecuteOptionsProto& proto) {
  ExecuteOptions options;
  options.arguments_are_tupled = proto.arguments_are_tupled();
  options.untuple_result = proto.untuple_result();
  options.launch_id = proto.launch_id();
  options.strict_shape_checking = proto.strict_shape_checking();
  options.use_major_to_minor_data_layout_for_callbacks =
      proto.use_major_to_minor_data_layout_for_callbacks();
  switch (proto.execution_mode()) {
    case EXECUTION_MODE_UNSPECIFIED:
    case EXECUTION_MODE_DEFAULT:
      break;
    case EXECUTION_MODE_SYNCHRONOUS:
      options.execution_mode = ExecutionMode::kSynchronous;
      break;
    case EXECUTION_MODE_ASYNCHRONOUS:
      options.execution_mode = ExecutionMode::kAsynchronous;
      break;
    default:
      return InvalidArgument("there is no execution mode %d", proto.execution_mode());
  }
  options.non_donatable_input_indices.insert(proto.non_donatable_input_indices().begin(),
                                             proto.non_donatable_input_indices().end());
  options.seed = proto.seed();
  options.use_output_arena = proto.use_output_arena();
  return options;
}

#define HILO_MEMORY_FIGURES(X)         \
  X(generated_code_size_in_bytes)      \
  X(argument_size_in_bytes)            \
  X(output_size_in_bytes)              \
  X(alias_size_in_bytes)               \
  X(temp_size_in_bytes)                \
  X(host_generated_code_size_in_bytes) \
  X(host_argument_size_in_bytes)       \
  X(host_output_size_in_bytes)         \
  X(host_alias_size_in_bytes)          \
  X(host_temp_size_in_bytes)           \
  X(peak_memory_in_bytes)              \
  X(total_size_in_bytes)               \
  X(total_allocation_bytes)            \
  X(indefinite_allocations)            \
  X(peak_unpadded_heap_bytes)          \
  X(serialized_buffer_assignment)

CompiledMemoryStatsProto CompiledMemoryStats::ToProto() const {
  CompiledMemoryStatsProto proto;
#define HILO_SET(name) proto.set_##name(name);
  HILO_MEMORY_FIGURES(HILO_SET)
#undef HILO_SET
  return proto;
}

CompiledMemoryStats CompiledMemoryStats::FromProto(const CompiledMemoryStatsProto& proto) {
  CompiledMemoryStats stats;
#define HILO_GET(name) stats.name = proto.name();
  HILO_MEMORY_FIGURES(HILO_GET)
#undef HILO_GET
  return stats;
}

std::string CompiledMemoryStats::DebugString() const {
  return absl::StrCat(
      "code: ", generated_code_size_in_bytes, " bytes, arguments: ", argument_size_in_bytes,
      ", outputs: ", output_size_in_bytes, " of which in place of arguments: ", alias_size_in_bytes,
      ", temporaries: ", temp_size_in_bytes);
}

absl::StatusOr<std::vector<Shape>> PjRtExecutable::GetOutputShapes() const {
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<HloModule> module, TheModule(*this));
  return std::vector<Shape>{module->result_shape()};
}

absl::StatusOr<std::vector<std::vector<PrimitiveType>>> PjRtExecutable::GetOutputElementTypes()
    const {
  HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, GetOutputShapes());
  std::vector<std::vector<PrimitiveType>> types;
  for (const Shape& shape : shapes) {
    types.emplace_back();
    for (const Shape& leaf : ArraysAndTokens(shape)) types.back().push_back(leaf.element_type());
  }
  return types;
}

absl::StatusOr<std::vector<std::vector<DimensionVector>>> PjRtExecutable::GetOutputDimensions()
    const {
  HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, GetOutputShapes());
  std::vector<std::vector<DimensionVector>> dimensions;
  for (const Shape& shape : shapes) {
    dimensions.emplace_back();
    for (const Shape& leaf : ArraysAndTokens(shape)) {
      dimensions.back().push_back(
          leaf.IsArray() ? DimensionVector(leaf.dimensions().begin(), leaf.dimensions().end())
                         : DimensionVector());
    }
  }
  return dimensions;
}

absl::StatusOr<std::vector<std::shared_ptr<const PjRtLayout>>> PjRtExecutable::GetParameterLayouts()
    const {
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<HloModule> module, TheModule(*this));
  std::vector<Shape> leaves;
  const ComputationLayout& layout = module->entry_computation_layout();
  for (int i = 0; i < layout.parameter_count(); ++i) {
    for (Shape& leaf : ArraysAndTokens(layout.parameter_shape(i)))
      leaves.push_back(std::move(leaf));
  }
  return LayoutsOfAll(leaves);
}

absl::StatusOr<std::vector<std::shared_ptr<const PjRtLayout>>> PjRtExecutable::GetOutputLayouts()
    const {
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<HloModule> module, TheModule(*this));
  return LayoutsOfAll(ArraysAndTokens(module->entry_computation_layout().result_shape()));
}

std::optional<std::vector<OpSharding>> PjRtExecutable::GetParameterShardings() const {
  const absl::StatusOr<std::shared_ptr<HloModule>> module = TheModule(*this);
  if (!module.ok()) return std::nullopt;
  std::vector<OpSharding> shardings;
  const HloComputation& entry = *(*module)->entry_computation();
  for (int i = 0; i < entry.num_parameters(); ++i) {
    const HloInstruction& parameter = *entry.parameter_instruction(i);
    if ((*module)->has_spmd_parameters_shardings()) {
      AppendShardings((*module)->spmd_parameters_shardings()[i], parameter.shape(), shardings);
    } else if (parameter.has_sharding()) {
      AppendShardings(parameter.sharding(), parameter.shape(), shardings);
    } else {
      return std::nullopt;
    }
  }
  return shardings;
}

std::optional<std::vector<OpSharding>> PjRtExecutable::GetOutputShardings() const {
  const absl::StatusOr<std::shared_ptr<HloModule>> module = TheModule(*this);
  if (!module.ok()) return std::nullopt;
  std::vector<OpSharding> shardings;
  const HloInstruction& root = *(*module)->entry_computation()->root_instruction();
  if ((*module)->has_spmd_output_sharding()) {
    AppendShardings((*module)->spmd_output_sharding(), root.shape(), shardings);
  } else if (root.has_sharding()) {
    AppendShardings(root.sharding(), root.shape(), shardings);
  } else {
    return std::nullopt;
  }
  return shardings;
}

}  // namespace xla
