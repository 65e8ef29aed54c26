// The operations of HLO, as an enumeration made from hlo_ops.def.
#ifndef XLA_HLO_IR_HLO_OPCODE_H_
#define XLA_HLO_IR_HLO_OPCODE_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// The number of entries of a list macro, which applies its argument to each entry.
#define HLO_COUNT_ONE(...) +1
#define HLO_XLIST_LENGTH(list) list(HLO_COUNT_ONE)

namespace xla {

enum class HloOpcode : uint8_t {
#define HLO_OP(name, ...) k##name,
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP
};

// How a computation is reached from an instruction that calls it.
enum class CallContext : uint8_t { kEmbedded, kControlFlow, kBoth, kNone };

// The name in HLO text: "add", "reduce-window", ...
absl::string_view HloOpcodeString(HloOpcode opcode);

// The inverse of HloOpcodeString; InvalidArgument for a name that is no operation.
absl::StatusOr<HloOpcode> StringToHloOpcode(absl::string_view opcode_name);

// The number of operands, or nullopt where it varies.
std::optional<int8_t> HloOpcodeArity(HloOpcode opcode);

// True for async-start, async-update and async-done.
bool HloOpcodeIsAsync(HloOpcode opcode);

// True for binary operations whose operands may be exchanged.
bool HloOpcodeIsBinaryCommutative(HloOpcode opcode);

// The number of operations.
uint32_t HloOpcodeCount();

// Embedded for computations applied to elements (reduce, map, ...), control flow for call, while and conditional.
CallContext GetInstructionCallContext(HloOpcode opcode);
std::string CallContextToString(CallContext context);

inline std::ostream& operator<<(std::ostream& out, HloOpcode opcode) {
  const absl::string_view name = HloOpcodeString(opcode);
  return out.write(name.data(), static_cast<std::streamsize>(name.size()));
}

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_OPCODE_H_
