#include "xla/service/hlo_verifier.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ir/verifier.h"

namespace xla {

absl::Status ShapeVerifier::DefaultAction(HloInstruction* instruction) {
  return VerifyInstruction(*instruction, opts_);
}

HloVerifier::HloVerifier(bool layout_sensitive, bool allow_mixed_precision,
                         HloPredicate instruction_can_change_layout_func,
                         std::function<int64_t(const Shape&)> shape_size_func)
    : HloVerifier(
          HloVerifierOpts()
              .WithLayoutSensitive(layout_sensitive)
              .WithAllowMixedPrecision(allow_mixed_precision)
              .WithInstructionCanChangeLayout(std::move(instruction_can_change_layout_func))
              .WithCustomShapeSize(std::move(shape_size_func))) {}

HloVerifier::HloVerifier(HloVerifierOpts&& opts)
    : target_(std::make_unique<DefaultVerifierMetadata>(std::move(opts))) {}

HloVerifier::HloVerifier(std::unique_ptr<TargetVerifierMetadata> target, absl::string_view context)
    : target_(std::move(target)), has_own_visitor_(true), context_(context) {}

absl::StatusOr<bool> HloVerifier::RunImpl(HloModule* module, const ExecutionThreads&) {
  absl::Status status = VerifyModule(*module, opts());
  if (has_own_visitor_) {
    const std::unique_ptr<ShapeVerifier> visitor = target_->GetVerifier();
    for (HloComputation* computation : module->computations()) {
      if (status.ok()) status = computation->Accept(visitor.get());
    }
  }
  if (status.ok()) return false;
  return context_.empty() ? status
                          : absl::Status(status.code(),
                                         absl::StrCat(context_, ": ", status.message()));
}

}  // namespace xla
