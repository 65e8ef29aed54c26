// Where in the source of the program that made a module an instruction comes from.
#ifndef HILO_IR_SOURCE_PLACE_H_
#define HILO_IR_SOURCE_PLACE_H_

#include <cstdint>
#include <string>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

struct SourcePlace {
  std::string file;  // empty where nothing is known
  int32_t line = 0;  // counted from 1
};

// What the instruction's metadata or its innermost stack frame says.
SourcePlace SourcePlaceOf(const HloInstruction& instruction);

// "FILE:LINE", or empty where nothing is known.
std::string SourcePlaceText(const HloInstruction& instruction);

}  // namespace xla

#endif  // HILO_IR_SOURCE_PLACE_H_
