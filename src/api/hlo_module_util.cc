#include "xla/service/hlo_module_util.h"

#include <string>
#include <utility>

#include "base/status_macros.h"
#include "google/protobuf/text_format.h"
#include "xla/shape_util.h"
#include "xla/tsl/platform/env.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::StatusOr<std::string> ContentsOf(absl::string_view filename) {
  std::string contents;
  HILO_RETURN_IF_ERROR(
      tsl::ReadFileToString(tsl::Env::Default(), std::string(filename), &contents));
  return contents;
}

template <typename Message>
absl::StatusOr<Message> ReadBinary(absl::string_view filename) {
  HILO_ASSIGN_OR_RETURN(const std::string contents, ContentsOf(filename));
  Message message;
  if (message.ParseFromString(contents)) return message;
  return InvalidArgument("%s is no %s", filename, Message::descriptor()->full_name());
}

template <typename Message>
absl::StatusOr<Message> ReadText(absl::string_view filename) {
  HILO_ASSIGN_OR_RETURN(const std::string contents, ContentsOf(filename));
  Message message;
  if (google::protobuf::TextFormat::ParseFromString(contents, &message)) return message;
  return InvalidArgument("%s is no %s as text", filename, Message::descriptor()->full_name());
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromString(
    absl::string_view hlo_string, const DebugOptions& debug_options,
    const HloParserOptions& parser_options) {
  HloModuleConfig config;
  config.set_debug_options(debug_options);
  return ParseAndReturnUnverifiedModule(hlo_string, config, parser_options);
}

absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromProto(
    const HloModuleProto& proto, const DebugOptions& debug_options) {
  HILO_ASSIGN_OR_RETURN(const HloModuleConfig config,
                        HloModule::CreateModuleConfigFromProto(proto, debug_options));
  return HloModule::CreateFromProto(proto, config);
}

absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromProto(
    const HloModuleProto& proto, const HloModuleConfig& module_config, bool) {
  return HloModule::CreateFromProto(proto, module_config);
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromBinaryProtoFile(
    absl::string_view filename, const DebugOptions& debug_options, bool) {
  HILO_ASSIGN_OR_RETURN(const HloProto proto, ReadBinary<HloProto>(filename));
  return CreateModuleFromProto(proto.hlo_module(), debug_options);
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromModuleBinaryProtofile(
    absl::string_view filename, const DebugOptions& debug_options) {
  HILO_ASSIGN_OR_RETURN(const HloModuleProto proto, ReadBinary<HloModuleProto>(filename));
  return CreateModuleFromProto(proto, debug_options);
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromTextProtoFile(
    absl::string_view hlo_file, const DebugOptions& debug_options) {
  HILO_ASSIGN_OR_RETURN(const HloProto proto, ReadText<HloProto>(hlo_file));
  return CreateModuleFromProto(proto.hlo_module(), debug_options);
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromModuleTextProtoFile(
    absl::string_view hlo_file, const DebugOptions& debug_options) {
  HILO_ASSIGN_OR_RETURN(const HloModuleProto proto, ReadText<HloModuleProto>(hlo_file));
  return CreateModuleFromProto(proto, debug_options);
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromHloTextFile(
    absl::string_view filename, const DebugOptions& debug_options,
    const HloParserOptions& options) {
  HILO_ASSIGN_OR_RETURN(const std::string contents, ContentsOf(filename));
  return CreateModuleFromString(contents, debug_options, options);
}

absl::StatusOr<std::unique_ptr<HloModuleConfig>> CreateModuleConfig(
    const ProgramShape& program_shape, absl::Span<const Shape* const> argument_shapes,
    const ExecutionOptions* execution_options, int default_num_replicas,
    std::optional<int> num_threads, const AotCompilationOptions* aot_options) {
  if (aot_options != nullptr) return Unimplemented("compilation ahead of time");
  const DebugOptions debug_options =
      execution_options == nullptr ? DebugOptions() : execution_options->debug_options();
  HILO_ASSIGN_OR_RETURN(
      HloModuleConfig config,
      HloModule::CreateModuleConfigFromShape(program_shape, debug_options, execution_options));
  ComputationLayout& layout = *config.mutable_entry_computation_layout();
  if (static_cast<int>(argument_shapes.size()) != layout.parameter_count()) {
    return InvalidArgument("there are %d arguments for %d parameters", argument_shapes.size(),
                           layout.parameter_count());
  }
  for (int i = 0; i < layout.parameter_count(); ++i) {
    const Shape& argument = *argument_shapes[i];
    if (!ShapeUtil::Compatible(argument, layout.parameter_shape(i))) {
      return InvalidArgument("argument %d is %s, the parameter %s", i, argument.ToString(),
                             layout.parameter_shape(i).ToString());
    }
    HILO_RETURN_IF_ERROR(layout.mutable_parameter_layout(i)->CopyLayoutFromShape(argument));
  }
  if (execution_options == nullptr || execution_options->num_replicas() == 0) {
    config.set_replica_count(default_num_replicas);
  }
  if (num_threads.has_value()) config.set_intra_op_parallelism_threads(*num_threads);
  return std::make_unique<HloModuleConfig>(std::move(config));
}

void UpdateEntryComputationLayout(HloModule* module,
                                  DeviceShapeRepresentationFn shape_representation_fn,
                                  bool empty_tiles_only) {
  const auto update = [&](ShapeLayout* layout) {
    Shape shape = layout->shape();
    ShapeUtil::ForEachMutableSubshape(&shape, [&](Shape* subshape, const ShapeIndex&) {
      const bool is_meant = subshape->IsArray() && subshape->has_layout() &&
                            (!empty_tiles_only || subshape->layout().tiles().empty());
      if (is_meant) *subshape = shape_representation_fn(*subshape);
    });
    *layout = ShapeLayout(shape);
  };
  ComputationLayout* entry = module->mutable_entry_computation_layout();
  for (int i = 0; i < entry->parameter_count(); ++i) update(entry->mutable_parameter_layout(i));
  update(entry->mutable_result_layout());
}

}  // namespace xla
