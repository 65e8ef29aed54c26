// What a library call says of who takes part in an exchange.
#ifndef HILO_CPU_KERNELS_PARTICIPANTS_H_
#define HILO_CPU_KERNELS_PARTICIPANTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/library_kernel.h"
#include "runtime/participants.h"
#include "xla/xla_data.pb.h"

namespace xla::cpu {

// The instruction must outlive the results. `kernel` stands for it.
runtime::Exchange ExchangeOf(const HloInstructionProto& instruction,
                             const runtime::LibraryKernel* kernel);
runtime::Participants ParticipantsOf(const HloInstructionProto& instruction,
                                     const runtime::LibraryKernel* kernel);

std::vector<std::pair<int64_t, int64_t>> PairsOf(const HloInstructionProto& instruction);

// Element i of an array of integers.
int64_t IntegerAt(PrimitiveType type, const char* array, int64_t i);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_PARTICIPANTS_H_
