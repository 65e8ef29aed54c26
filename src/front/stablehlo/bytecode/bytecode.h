// Reads StableHLO portable artifacts: MLIR bytecode of the versioned dialect VHLO, with the
// dialects builtin and sdy in it. It is what JAX hands to a compiler.
#ifndef HILO_FRONT_STABLEHLO_BYTECODE_BYTECODE_H_
#define HILO_FRONT_STABLEHLO_BYTECODE_BYTECODE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "front/stablehlo/program.h"

namespace xla::stablehlo {

// True if `bytes` begin as MLIR bytecode does.
bool IsBytecode(absl::string_view bytes);

// Reads artifacts of VHLO 0.9 to 1.17; operations of older versions become those of the newest.
// The program refers to `bytes`, which must outlive it. InvalidArgument if they are malformed,
// Unimplemented if they hold what Hilo does not know, such as quantized types.
absl::StatusOr<std::unique_ptr<Program>> ReadBytecode(absl::string_view bytes);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_BYTECODE_BYTECODE_H_
