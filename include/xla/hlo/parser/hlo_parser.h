// Reads HLO text. Errors are InvalidArgument; their messages give line and column, the source line
// with a caret, what was expected and what stands there.
#ifndef XLA_HLO_PARSER_HLO_PARSER_H_
#define XLA_HLO_PARSER_HLO_PARSER_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_original_value.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/layout.h"
#include "xla/literal.h"
#include "xla/service/hlo_module_config.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {

class HloParserOptions {
 public:
  // Deeper nesting of shapes, literals, operands and computations is an error.
  static constexpr int kDefaultMaxRecursionDepth = 500;

  // Arrays without a layout get the default one, {n-1,...,0}. Otherwise they have none.
  HloParserOptions& set_fill_missing_layouts(bool value) {
    fill_missing_layouts_ = value;
    return *this;
  }
  bool fill_missing_layouts() const { return fill_missing_layouts_; }

  // The constants whose elements are left out, constant({...}), are filled with 32-bit words that
  // count from zero through the module (a pred with their lowest bit) up to 64 MiB of each; the
  // rest, or all when the option is off, is zero.
  HloParserOptions& set_fill_shortform_constants_with_random_values(bool value) {
    fill_shortform_constants_with_random_values_ = value;
    return *this;
  }
  bool fill_shortform_constants_with_random_values() const {
    return fill_shortform_constants_with_random_values_;
  }

  // Shapes without a layout in entry_computation_layout stay without one, for the compiler to
  // choose.
  HloParserOptions& set_keep_module_auto_layouts(bool value) {
    keep_module_auto_layouts_ = value;
    return *this;
  }
  bool keep_module_auto_layouts() const { return keep_module_auto_layouts_; }

  HloParserOptions& set_max_recursion_depth(int value) {
    max_recursion_depth_ = value;
    return *this;
  }
  int max_recursion_depth() const { return max_recursion_depth_; }

 private:
  bool fill_missing_layouts_ = true;
  bool fill_shortform_constants_with_random_values_ = true;
  bool keep_module_auto_layouts_ = false;
  int max_recursion_depth_ = kDefaultMaxRecursionDepth;
};

// Reads a module, with or without the HloModule line, or a single instruction, of which it makes a
// module: operands that are not defined become parameters in the order of their appearance, as in
// "add(f32[10] x, f32[10] y)".
//
// An instruction may have its shape before its name as well, "f32[2] y = f32[2] negate(x)", or
// instead, and may have no name: "f32[2] negate(x)".
//
// The result is sound (operands exist and come first, their count fits, parameters are numbered
// without gaps), but not verified: a shape that is given is believed. Attributes of the header
// override `config`.
absl::StatusOr<std::unique_ptr<HloModule>> ParseAndReturnUnverifiedModule(
    absl::string_view str, const HloModuleConfig& config = HloModuleConfig(),
    const HloParserOptions& options = HloParserOptions());

// "f32[2,3]{1,0}", "(s32[], token[])". Arrays without a layout get the default one.
absl::StatusOr<Shape> ParseShape(absl::string_view str);

// "{f32[2]{0}, s32[]}"
absl::StatusOr<std::vector<Shape>> ParseShapeList(absl::string_view str);

// "{1,0:T(8,128)}"
absl::StatusOr<Layout> ParseLayout(absl::string_view str);

// Shape and elements: "f32[2] {1, 2}", "(s32[] 1, pred[] true)".
absl::StatusOr<Literal> ParseLiteral(absl::string_view str);

// "{devices=[2,1]<=[2]}"
absl::StatusOr<HloSharding> ParseSharding(absl::string_view str);

// "{{"add.1" {0}}}"
absl::StatusOr<std::shared_ptr<OriginalValue>> ParseOriginalValue(absl::string_view str);

// "{key="value",other={"a":1}}"
absl::StatusOr<FrontendAttributes> ParseFrontendAttributes(absl::string_view str);

// "{visualizing_index=0,flops=1.5}"
absl::StatusOr<StatisticsViz> ParseStatisticsViz(absl::string_view str);

// "{true,false}"
absl::StatusOr<std::vector<bool>> ParseParameterReplication(absl::string_view str);

// "size=3x3 stride=2x2 pad=1_1x1_1", in braces or not.
absl::StatusOr<Window> ParseWindow(absl::string_view str);

// "b01f_01io->b01f"
absl::StatusOr<ConvolutionDimensionNumbers> ParseConvolutionDimensionNumbers(absl::string_view str);

// "1_2x0_0_3": low, high and interior of each dimension.
absl::StatusOr<PaddingConfig> ParsePaddingConfig(absl::string_view str);

// "{{0,1},{2,3}}"
absl::StatusOr<std::vector<ReplicaGroup>> ParseReplicaGroupsOnly(absl::string_view str);

// The same, "[2,4]<=[8]" or "mesh['x'=2,'y'=4] {'x'}".
absl::StatusOr<CollectiveDeviceList> ParseCollectiveDeviceList(absl::string_view str);
absl::StatusOr<std::unique_ptr<CollectiveDeviceListBase>> ParseCollectiveDeviceListBase(
    absl::string_view str);

}  // namespace xla

#endif  // XLA_HLO_PARSER_HLO_PARSER_H_
