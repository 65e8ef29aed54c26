// Valid modules made at random from the operation table, to find what no hand-written test thought
// of.
#ifndef HILO_TOOLS_RANDOM_MODULE_H_
#define HILO_TOOLS_RANDOM_MODULE_H_

#include <cstdint>
#include <memory>

#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {

// Whether random modules have this operation: all but the asynchronous ones, the starts and dones,
// which stand in pairs, and scan.
bool IsInRandomModules(HloOpcode opcode);

// A module of about `size` instructions of small odd shapes: scalars, empty and dynamic arrays,
// sizes of 1, tuples, tokens. It passes the verifier if the shape rules and the verifier agree. The
// same seed gives the same module on every machine.
std::unique_ptr<HloModule> MakeRandomModule(uint64_t seed, int size);

}  // namespace xla

#endif  // HILO_TOOLS_RANDOM_MODULE_H_
