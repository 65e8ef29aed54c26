#include "cpu/kernels/participants.h"

#include <cstring>
#include <optional>

#include "xla/primitive_util.h"

namespace xla::cpu {

runtime::Exchange ExchangeOf(const HloInstructionProto& instruction,
                             const runtime::LibraryKernel* kernel) {
  runtime::Exchange exchange = {instruction.opcode(), instruction.name(), std::nullopt, kernel};
  if (instruction.has_channel_id()) exchange.channel = instruction.channel_id();
  return exchange;
}

runtime::Participants ParticipantsOf(const HloInstructionProto& instruction,
                                     const runtime::LibraryKernel* kernel) {
  std::optional<bool> use_global_device_ids;
  if (instruction.opcode() == "all-gather" || instruction.opcode() == "all-reduce" ||
      instruction.opcode() == "reduce-scatter") {
    use_global_device_ids = instruction.use_global_device_ids();
  }
  return runtime::Participants(ExchangeOf(instruction, kernel), use_global_device_ids);
}

std::vector<std::pair<int64_t, int64_t>> PairsOf(const HloInstructionProto& instruction) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const auto& pair : instruction.source_target_pairs())
    pairs.push_back({pair.source(), pair.target()});
  return pairs;
}

int64_t IntegerAt(PrimitiveType type, const char* array, int64_t i) {
  const int64_t bytes = primitive_util::ByteWidth(type);
  const int bits = primitive_util::BitWidth(type);
  uint64_t value = 0;
  std::memcpy(&value, array + i * bytes, bytes);
  if (!primitive_util::IsSignedIntegralType(type)) return static_cast<int64_t>(value);
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

}  // namespace xla::cpu
