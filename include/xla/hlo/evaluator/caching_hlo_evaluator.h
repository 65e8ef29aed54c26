// Results of evaluations that are kept in files.
#ifndef XLA_HLO_EVALUATOR_CACHING_HLO_EVALUATOR_H_
#define XLA_HLO_EVALUATOR_CACHING_HLO_EVALUATOR_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/evaluator/hlo_evaluator_interface.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal.h"

namespace xla {

// Keeps each result in a file of a folder, which is made when there is none, under the fingerprint
// of computation and arguments. Programs with random numbers give what they gave the first time.
// Any number of processes may use one folder.
class CachingHloEvaluator : public HloEvaluatorInterface {
 public:
  enum Mode {
    kRead,                        // what is in the folder, else NotFound
    kWrite,                       // evaluates, and puts the result into the folder
    kReadAndEvaluateIfCacheMiss,  // what is in the folder, else evaluates
  };

  CachingHloEvaluator(std::unique_ptr<HloEvaluatorInterface> wrapped, absl::string_view cache_dir,
                      Mode mode)
      : wrapped_(std::move(wrapped)), cache_dir_(cache_dir), mode_(mode) {}

  using HloEvaluatorInterface::Evaluate;
  // DataLoss for a file that holds no literal.
  absl::StatusOr<Literal> Evaluate(const HloComputation& computation,
                                   absl::Span<const Literal* const> args) override;
  void ResetVisitStates() override { wrapped_->ResetVisitStates(); }
  void set_dynamic_dimension_inference(DynamicDimensionInference* inference) override {
    wrapped_->set_dynamic_dimension_inference(inference);
  }
  void set_use_fast_path(bool value) override { wrapped_->set_use_fast_path(value); }
  void set_custom_call_handler(CustomCallHandler handler) override {
    wrapped_->set_custom_call_handler(std::move(handler));
  }

 private:
  std::unique_ptr<HloEvaluatorInterface> wrapped_;
  std::string cache_dir_;
  Mode mode_;
};

}  // namespace xla

#endif  // XLA_HLO_EVALUATOR_CACHING_HLO_EVALUATOR_H_
