// Small functions over names and graphs of instructions, used by several front ends.
#ifndef HILO_IR_GRAPH_H_
#define HILO_IR_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// The name as an identifier of HLO text, changed where the grammar asks for it (hlo-text: "sanitiser").
std::string SanitizeName(absl::string_view name);

// Brings attributes to the form in which equal programs are equal: a comparison type that is the operands' default is
// left out, a fused computation is marked as such, products say how precise they are. Called by whoever makes instructions from outside (text, proto, builder).
void NormalizeAttributes(HloInstruction& instruction);

// Whether two instructions of one operation have the same attributes, without the values of channel ids where these do
// not count.
bool SameAttributes(const HloInstruction& a, const HloInstruction& b, bool with_channel_ids);

// InvalidArgument for tolerances that are negative or no numbers.
absl::Status CheckResultAccuracy(const ResultAccuracy& accuracy);

// Appends the computations that are called from `computation`, each after those it calls itself, and without those in
// `seen`, to which it adds them.
void AppendEmbeddedComputations(const HloComputation& computation,
                                absl::flat_hash_set<const HloComputation*>* seen,
                                std::vector<HloComputation*>* order);

// The values and all that they are computed from.
absl::flat_hash_set<const HloInstruction*> NeededFor(std::vector<const HloInstruction*> values);

// Says which instructions and computations have side effects, by themselves or through what they call. Remembers what it
// found: the computations must not change.
class SideEffects {
 public:
  bool Has(const HloInstruction& instruction);
  bool Has(const HloComputation& computation);

 private:
  enum class State : uint8_t { kOpen, kPure, kHasSideEffect };

  // What is known of the computation once all it calls is known.
  State Conclude(const HloComputation& computation) const;

  absl::flat_hash_map<const HloComputation*, State> states_;
};

}  // namespace xla

#endif  // HILO_IR_GRAPH_H_
