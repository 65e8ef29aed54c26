// Random bits as arithmetic.
#ifndef XLA_HLO_TRANSFORMS_EXPANDERS_RNG_BIT_GENERATOR_EXPANDER_H_
#define XLA_HLO_TRANSFORMS_EXPANDERS_RNG_BIT_GENERATOR_EXPANDER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/pass/hlo_pass_interface.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Writes rng-bit-generator as arithmetic on its state, bit for bit what the algorithm says.
class RngBitGeneratorExpander : public HloModulePass {
 public:
  // What RNG_DEFAULT stands for.
  explicit RngBitGeneratorExpander(RandomAlgorithm default_algorithm)
      : default_algorithm_(default_algorithm) {}

  absl::string_view name() const override { return "rng-bit-generator-expander"; }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module,
                               const ExecutionThreads& execution_threads) override;

 private:
  RandomAlgorithm default_algorithm_;
};

}  // namespace xla

#endif  // XLA_HLO_TRANSFORMS_EXPANDERS_RNG_BIT_GENERATOR_EXPANDER_H_
