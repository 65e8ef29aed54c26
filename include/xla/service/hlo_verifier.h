// Checks that a module means something: every rule of every operation, and what holds between
// instructions.
#ifndef XLA_SERVICE_HLO_VERIFIER_H_
#define XLA_SERVICE_HLO_VERIFIER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/dfs_hlo_visitor_with_default.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/pass/hlo_pass_interface.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla {

// What is checked beyond the rules of the operations. Each function sets one of the members:
//
//   HloVerifier verifier(HloVerifierOpts{}.MakeLayoutSensitive().WithAllowMixedPrecision(true));
struct HloVerifierOpts {
  using ShapeSizeFn = std::function<int64_t(const Shape&)>;

  HloVerifierOpts&& MakeLayoutSensitive() { return WithLayoutSensitive(true); }
  HloVerifierOpts&& WithLayoutSensitive(bool value) { return Set(layout_sensitive, value); }
  HloVerifierOpts&& WithAllowMixedPrecision(bool value) {
    return Set(allow_mixed_precision, value);
  }
  HloVerifierOpts&& AllowMixedPrecision() { return WithAllowMixedPrecision(true); }
  HloVerifierOpts&& VerifyBroadcastDimensionsOrder() {
    return Set(verify_broadcast_dimensions_order, true);
  }
  HloVerifierOpts&& VerifyReshapeIsBitcast() { return Set(verify_reshape_is_bitcast, true); }
  HloVerifierOpts&& VerifyCustomCallNestedComputationThreadName() {
    return Set(verify_custom_call_nested_computation_thread_name, true);
  }
  HloVerifierOpts&& WithAllowBitcastToHaveDifferentSize(bool value) {
    return Set(allow_bitcast_to_have_different_size, value);
  }
  HloVerifierOpts&& WithInstructionCanChangeLayout(HloPredicate value) {
    return Set(instruction_can_change_layout, std::move(value));
  }
  HloVerifierOpts&& WithCustomShapeSize(ShapeSizeFn value) {
    return Set(shape_size, std::move(value));
  }
  HloVerifierOpts&& WithVerifyShardingDeviceNumbers(bool value) {
    return Set(verify_sharding_device_numbers, value);
  }
  HloVerifierOpts&& WithVerifyS4U4Usage(bool value) { return Set(verify_s4_u4_usage, value); }
  HloVerifierOpts&& WithAllowUnboundedDynamism(bool value) {
    return Set(allow_unbounded_dynamism, value);
  }
  HloVerifierOpts&& VerifyInstructionNameUnchanged() {
    return Set(verify_instruction_name_unchanged, true);
  }

  bool IsLayoutSensitive() const { return layout_sensitive; }
  bool InstructionCanChangeLayout(const HloInstruction* instruction) const {
    return !instruction_can_change_layout || instruction_can_change_layout(instruction);
  }
  int64_t ShapeSize(const Shape& shape) const { return shape_size(shape); }

  // Operations that hand values on keep their layouts (minor_to_major), and so do those of which
  // instruction_can_change_layout says no.
  bool layout_sensitive = false;
  HloPredicate instruction_can_change_layout = {};
  // Operations may take floating-point operands of different precision, and results may be declared
  // in another.
  bool allow_mixed_precision = false;
  // The dimensions of a broadcast ascend.
  bool verify_broadcast_dimensions_order = false;
  // With layout_sensitive: elements stay where they are in memory.
  bool verify_reshape_is_bitcast = false;
  // What custom calls call is for their own thread.
  bool verify_custom_call_nested_computation_thread_name = true;
  // Shardings name only devices that there are.
  bool verify_sharding_device_numbers = true;
  // With layout_sensitive, the operand of a bitcast and its result have the same shape_size, where
  // that is given, unless a difference is allowed.
  bool allow_bitcast_to_have_different_size = false;
  ShapeSizeFn shape_size = {};
  // Dimensions may have sizes that nothing bounds.
  bool allow_unbounded_dynamism = false;
  // Integers of 4 bits are converted and moved, but not computed with.
  bool verify_s4_u4_usage = false;
  // Instructions have the names by which their metadata say they were scheduled; copies of them
  // made by rematerialization or cloning need not.
  bool verify_instruction_name_unchanged = false;

 private:
  template <typename T>
  HloVerifierOpts&& Set(T& member, T value) {
    member = std::move(value);
    return std::move(*this);
  }
};

// Checks each instruction that it visits by itself: operands, attributes and shape, not what holds
// between instructions. Targets with rules of their own override Handle... functions.
class ShapeVerifier : public DfsHloVisitorWithDefault {
 public:
  explicit ShapeVerifier(const HloVerifierOpts& opts) : opts_(opts) {}

  absl::Status DefaultAction(HloInstruction* instruction) override;

 protected:
  const HloVerifierOpts& opts() const { return opts_; }

 private:
  const HloVerifierOpts& opts_;
};

// Options and the visitor that goes with them.
class TargetVerifierMetadata {
 public:
  explicit TargetVerifierMetadata(HloVerifierOpts&& opts) : opts_(std::move(opts)) {}
  virtual ~TargetVerifierMetadata() = default;
  TargetVerifierMetadata(const TargetVerifierMetadata&) = delete;
  TargetVerifierMetadata& operator=(const TargetVerifierMetadata&) = delete;

  // The options outlive the visitor.
  virtual std::unique_ptr<ShapeVerifier> GetVerifier() const = 0;
  const HloVerifierOpts& GetVerifierOpts() const { return opts_; }

 private:
  HloVerifierOpts opts_;
};

class DefaultVerifierMetadata : public TargetVerifierMetadata {
 public:
  explicit DefaultVerifierMetadata(HloVerifierOpts&& opts)
      : TargetVerifierMetadata(std::move(opts)) {}
  std::unique_ptr<ShapeVerifier> GetVerifier() const override {
    return std::make_unique<ShapeVerifier>(GetVerifierOpts());
  }
};

// InvalidArgument names the first rule that the module breaks, the instruction that breaks it and
// the shapes. The module never changes, so the value of Run is always false.
class HloVerifier : public HloModulePass {
 public:
  HloVerifier(bool layout_sensitive, bool allow_mixed_precision,
              HloPredicate instruction_can_change_layout_func = {},
              std::function<int64_t(const Shape&)> shape_size_func = {});
  explicit HloVerifier(HloVerifierOpts&& opts);
  // The visitor of `target` looks at every instruction as well. `context` begins each message.
  explicit HloVerifier(std::unique_ptr<TargetVerifierMetadata> target,
                       absl::string_view context = "");

  absl::string_view name() const override { return "hlo-verifier"; }

  const HloVerifierOpts& opts() const { return target_->GetVerifierOpts(); }
  bool layout_sensitive() const { return opts().layout_sensitive; }
  bool allow_mixed_precision() const { return opts().allow_mixed_precision; }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module,
                               const ExecutionThreads& execution_threads) override;

 private:
  std::unique_ptr<TargetVerifierMetadata> target_;
  bool has_own_visitor_ = false;
  std::string context_;
};

}  // namespace xla

#endif  // XLA_SERVICE_HLO_VERIFIER_H_
