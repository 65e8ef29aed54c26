// Configurations of modules, and modules from text and files.
#ifndef XLA_SERVICE_HLO_MODULE_UTIL_H_
#define XLA_SERVICE_HLO_MODULE_UTIL_H_

#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/service/hlo.pb.h"
#include "xla/service/hlo_module_config.h"
#include "xla/shape.h"
#include "xla/xla.pb.h"

namespace xla {

class AotCompilationOptions;

// All of these give InvalidArgument for what is not well-formed, and NotFound where there is no such
// file.

absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromString(
    absl::string_view hlo_string,
    const DebugOptions& debug_options = DebugOptions::default_instance(),
    const HloParserOptions& parser_options = HloParserOptions());

// The second one takes the configuration as it is.
absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromProto(
    const HloModuleProto& proto,
    const DebugOptions& debug_options = DebugOptions::default_instance());
absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromProto(
    const HloModuleProto& proto, const HloModuleConfig& module_config,
    bool is_module_post_optimizations = false);

// Files with an HloProto or, ...Module..., an HloModuleProto, as bytes or as text.
absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromBinaryProtoFile(
    absl::string_view filename,
    const DebugOptions& debug_options = DebugOptions::default_instance(),
    bool remap_instruction_ids = true);
absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromModuleBinaryProtofile(
    absl::string_view filename, const DebugOptions& debug_options);
absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromTextProtoFile(
    absl::string_view hlo_file,
    const DebugOptions& debug_options = DebugOptions::default_instance());
absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromModuleTextProtoFile(
    absl::string_view hlo_file,
    const DebugOptions& debug_options = DebugOptions::default_instance());
// Files with HLO text.
absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromHloTextFile(
    absl::string_view filename,
    const DebugOptions& debug_options = DebugOptions::default_instance(),
    const HloParserOptions& options = HloParserOptions());

// For a program of this shape, with the layouts of the arguments that will be passed. The number of
// replicas is that of the options or, without options, the default one. InvalidArgument when the
// arguments do not fit. There is no compilation ahead of time: aot_options must be null.
absl::StatusOr<std::unique_ptr<HloModuleConfig>> CreateModuleConfig(
    const ProgramShape& program_shape, absl::Span<const Shape* const> argument_shapes,
    const ExecutionOptions* execution_options, int default_num_replicas,
    std::optional<int> num_threads = std::nullopt,
    const AotCompilationOptions* aot_options = nullptr);

// Gives parameters and result of the entry the layouts that a device would hold them in: of those
// without tiles, or of all.
using DeviceShapeRepresentationFn = std::function<Shape(const Shape&)>;
void UpdateEntryComputationLayout(HloModule* module,
                                  DeviceShapeRepresentationFn shape_representation_fn,
                                  bool empty_tiles_only = true);

}  // namespace xla

#endif  // XLA_SERVICE_HLO_MODULE_UTIL_H_
