// Valid modules made at random from the operation table, to find what no hand-written test thought
// of.
#ifndef HILO_TOOLS_RANDOM_MODULE_H_
#define HILO_TOOLS_RANDOM_MODULE_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "tools/random_values.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {

// Whether what the operation does depends on which device runs it, on others, or on the host.
bool SpeaksOfDevices(HloOpcode opcode);

// A module of about `size` instructions of small odd shapes, called computations aside: scalars,
// empty and dynamic arrays, sizes of 1, tuples, tokens, all element types. It passes the verifier
// if the shape rules and the verifier agree. The same seed gives the same module on every machine.
// Without `speaks_of_devices`, it means the same on one device and divided among several.
// Arrays have at most `most_elements`.
std::unique_ptr<HloModule> MakeRandomModule(uint64_t seed, int size, bool speaks_of_devices = true,
                                            int64_t most_elements = kFewElements);

// Where a random module got.
struct RandomModuleOutcome {
  absl::Status sound;  // verifies, and is the same after a way through text or protobuf
  absl::Status ran;    // an error may be right: a size out of bounds, nobody to send to
};

// Verifies, prints, parses, writes as protobuf and reads a module, and runs it on fake inputs, read
// from text, too, where the result must be the same.
RandomModuleOutcome TryRandomModule(std::unique_ptr<HloModule> module);

}  // namespace xla

#endif  // HILO_TOOLS_RANDOM_MODULE_H_
