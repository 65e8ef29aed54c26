// What the text of an HLO program shows.
#ifndef XLA_HLO_IR_HLO_PRINT_OPTIONS_H_
#define XLA_HLO_IR_HLO_PRINT_OPTIONS_H_

#include <cstdint>

namespace xla {

// Each option `x` has a getter x() and a setter set_x(value), which returns the options so that
// calls can be chained.
class HloPrintOptions {
 public:
  enum class PrintSubcomputationMode {
    kOff,                  // nothing about called computations
    kNameOnly,             // to_apply=%name
    kFullBodies,           // to_apply= and the body, up to 200 levels deep and 2^20 instructions
    kNonSequentialBodies,  // bodies, but names for call, while and conditional
  };

  HloPrintOptions() = default;

  static HloPrintOptions Default() { return HloPrintOptions(); }

  // Short, and the parser reads it back as the same program.
  static HloPrintOptions ShortParsable() {
    return HloPrintOptions()
        .set_print_large_constants(true)
        .set_print_metadata(false)
        .set_print_operand_shape(false)
        .set_print_operand_index_annotation_interval(0)
        .set_print_program_shape(false)
        .set_print_percent(false)
        .set_print_control_dependencies(false);
  }

  // Equal texts for instructions that compute the same, whatever they are called.
  static HloPrintOptions Canonical() {
    return HloPrintOptions()
        .set_print_subcomputation_mode(PrintSubcomputationMode::kFullBodies)
        .set_print_metadata(false)
        .set_print_backend_config(false)
        .set_compact_operands(false)
        .set_print_operand_shape(true)
        .set_print_operand_names(false)
        .set_print_operand_index_annotation_interval(0)
        .set_print_program_shape(false)
        .set_print_percent(false)
        .set_print_control_dependencies(false)
        .set_canonicalize_instruction_names(true);
  }

  // For a hash of an instruction or computation.
  static HloPrintOptions Fingerprint() {
    return Canonical()
        .set_print_only_essential_constants(true)
        .set_print_infeed_outfeed_config(false)
        .set_canonicalize_computations(true)
        .set_print_ids(false)
        .set_print_full_replica_group_list(true);
  }

  // For a hash of a module.
  static HloPrintOptions ModuleFingerprint() {
    return Fingerprint().set_print_operand_shape(false);
  }

#define HILO_PRINT_OPTION(Type, name, default_value) \
 public:                                             \
  Type name() const { return name##_; }              \
  HloPrintOptions& set_##name(Type value) {          \
    name##_ = value;                                 \
    return *this;                                    \
  }                                                  \
                                                     \
 private:                                            \
  Type name##_ = default_value

  // Constants of more than 10 elements in full rather than as {...}; or all as {...} but for
  // scalars and such whose value decides what is computed.
  HILO_PRINT_OPTION(bool, print_large_constants, false);
  HILO_PRINT_OPTION(bool, print_only_essential_constants, false);
  HILO_PRINT_OPTION(PrintSubcomputationMode, print_subcomputation_mode,
                    PrintSubcomputationMode::kNameOnly);
  HILO_PRINT_OPTION(bool, print_metadata, true);
  HILO_PRINT_OPTION(bool, print_metadata_only_op_name, false);
  HILO_PRINT_OPTION(bool, print_backend_config, true);
  // Keys of a JSON dictionary in order.
  HILO_PRINT_OPTION(bool, sort_backend_config, false);
  HILO_PRINT_OPTION(bool, print_infeed_outfeed_config, true);
  // The first 4 operands only. Such text cannot be read back.
  HILO_PRINT_OPTION(bool, compact_operands, false);
  HILO_PRINT_OPTION(bool, include_layout_in_shapes, true);
  HILO_PRINT_OPTION(bool, print_result_shape, true);
  HILO_PRINT_OPTION(bool, print_operand_shape, false);
  HILO_PRINT_OPTION(bool, print_operand_names, true);
  // A comment with the number before every n-th operand; 0 for none.
  HILO_PRINT_OPTION(int64_t, print_operand_index_annotation_interval, 5);
  HILO_PRINT_OPTION(bool, print_program_shape, true);
  // "%" before names.
  HILO_PRINT_OPTION(bool, print_percent, true);
  HILO_PRINT_OPTION(bool, print_control_dependencies, true);
  // Names tmp_0, tmp_1, ...; computations in an order that depends on their text alone.
  HILO_PRINT_OPTION(bool, canonicalize_instruction_names, false);
  HILO_PRINT_OPTION(bool, canonicalize_computations, false);
  // Spaces before each line, in units of two.
  HILO_PRINT_OPTION(int, indent_amount, 0);
  HILO_PRINT_OPTION(bool, is_in_nested_computation, false);
  // Without, a name ends before its first dot.
  HILO_PRINT_OPTION(bool, print_ids, true);
  HILO_PRINT_OPTION(bool, print_parameter_number, true);
  HILO_PRINT_OPTION(bool, print_channel_id, true);
  HILO_PRINT_OPTION(bool, print_extra_attributes, true);
  HILO_PRINT_OPTION(bool, print_frontend_attributes, true);
  HILO_PRINT_OPTION(bool, print_original_value, true);
  // <operation>-start instead of async-start and a computation.
  HILO_PRINT_OPTION(bool, syntax_sugar_async_ops, true);
  HILO_PRINT_OPTION(bool, print_name_after_closing_brace, false);
  // Replica groups written out whatever their form.
  HILO_PRINT_OPTION(bool, print_full_replica_group_list, false);
  // Groups by axes of a mesh written out when they use parts of axes.
  HILO_PRINT_OPTION(bool, print_replica_groups_without_subaxes, false);
  HILO_PRINT_OPTION(bool, print_inline_stack_frames, false);
  // %t#1 for an element of a tuple operand.
  HILO_PRINT_OPTION(bool, compact_gte, false);
#undef HILO_PRINT_OPTION
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_PRINT_OPTIONS_H_
