// Writes StableHLO text, as MLIR's parser takes it.
#ifndef HILO_FRONT_STABLEHLO_PRINT_H_
#define HILO_FRONT_STABLEHLO_PRINT_H_

#include <string>

#include "front/stablehlo/program.h"

namespace xla::stablehlo {

// The whole program, without its locations. Common operations are written as people read them, the
// others in MLIR's generic form. The program must be as the readers give it.
std::string ToText(const Program& program);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_PRINT_H_
