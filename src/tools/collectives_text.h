// What devices send each other in a divided program, for people.
#ifndef HILO_TOOLS_COLLECTIVES_TEXT_H_
#define HILO_TOOLS_COLLECTIVES_TEXT_H_

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "passes/partition/estimate.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// "12.3 MB", with a unit that fits; likewise "1.2 us".
std::string BytesText(double bytes);
std::string SecondsText(double seconds);

// What the ways to exchange data are called.
inline constexpr std::pair<const char*, passes::DeviceModel::Algorithm> kAlgorithmNames[] = {
    {"fastest", passes::DeviceModel::Algorithm::kFastest},
    {"ring", passes::DeviceModel::Algorithm::kRing},
    {"tree", passes::DeviceModel::Algorithm::kTree},
    {"direct", passes::DeviceModel::Algorithm::kDirect},
};
absl::string_view AlgorithmName(passes::DeviceModel::Algorithm algorithm);

// The arrays that a collective sends, and the instructions that need what it gives.
std::string SentArrays(const HloInstruction& collective);
std::string NeedyInstructions(const HloInstruction& collective);

// A line for each collective: its time, how often it runs, what a device sends each time, and
// between which instructions of the program it stands.
std::string CollectivesTable(const passes::ProgramCost& cost);

}  // namespace xla

#endif  // HILO_TOOLS_COLLECTIVES_TEXT_H_
