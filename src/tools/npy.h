// NumPy's .npy files as literals.
#ifndef HILO_TOOLS_NPY_H_
#define HILO_TOOLS_NPY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

// The array in the bytes of a .npy file (format 1 to 3, little-endian, C or Fortran order). NumPy has no type of its own
// for bf16, f8 and sub-byte types and writes raw bytes ("V1", "V2"); `wanted` then says what they are. InvalidArgument
// when the array is not of the wanted type and dimensions.
absl::StatusOr<Literal> ParseNpy(absl::string_view bytes, const Shape& wanted);

// The bytes of a .npy file. `literal` must be an array.
absl::StatusOr<std::string> FormatNpy(const Literal& literal);

}  // namespace xla

#endif  // HILO_TOOLS_NPY_H_
