// Passes of a client's own that every compile runs.
#ifndef XLA_SERVICE_XLA_TRANSFORM_H_
#define XLA_SERVICE_XLA_TRANSFORM_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/pass/hlo_pass_interface.h"
#include "xla/service/hlo.pb.h"

namespace xla {

// Something with a name that is registered for a stage of compiles.
class XlaTransformBase {
 public:
  explicit XlaTransformBase(std::string name) : name_(std::move(name)) {}
  virtual ~XlaTransformBase() = default;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

// One that rewrites modules. Any number of threads may compile, and so call it, at once.
class HloXlaTransform : public XlaTransformBase {
 public:
  // In Hilo, whose compiler schedules only at its very end, both stages come after calls have been
  // inlined and before everything else. What kPostScheduler gets has a schedule, and fusions for
  // what is computed element by element; neither decides what becomes of the program.
  enum class PipelineStage {
    kPreScheduler = 0,
    kPostScheduler,
  };

  explicit HloXlaTransform(std::string name) : XlaTransformBase(std::move(name)) {}

  // Says whether it changed the module. Parameters and result keep their shapes.
  virtual absl::StatusOr<bool> Transform(xla::HloModule* module) = 0;
};

// Those of one stage run in the order in which they were registered. These functions may be called
// from any number of threads.
void RegisterHloXlaTransform(HloXlaTransform::PipelineStage stage,
                             std::shared_ptr<HloXlaTransform> transform);
std::vector<std::shared_ptr<HloXlaTransform>> GetHloXlaTransforms(
    HloXlaTransform::PipelineStage stage);
// Takes all out, or the first of that name; false where there is none.
bool ClearHloXlaTransforms();
bool ClearHloXlaTransform(HloXlaTransform::PipelineStage stage, absl::string_view name);

// Runs those that are registered for the stage, and says whether one of them changed the module.
absl::StatusOr<bool> ApplyXlaTransformsToModule(HloXlaTransform::PipelineStage stage,
                                                xla::HloModule* module);

// The same as a pass. What comes out of it is verified.
class ApplyXlaTransforms : public HloModulePass {
 public:
  explicit ApplyXlaTransforms(HloXlaTransform::PipelineStage stage) : stage_(stage) {}

  absl::string_view name() const override { return "apply-xla-transforms"; }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module,
                               const ExecutionThreads& execution_threads) override;

 private:
  const HloXlaTransform::PipelineStage stage_;
};

// Gives a module the computations, and the schedule if there is one, that a message holds. Its name
// and configuration stay.
absl::Status UpdateHloModuleFromProto(HloModule* module, const HloModuleProto& transformed_proto);

}  // namespace xla

#endif  // XLA_SERVICE_XLA_TRANSFORM_H_
