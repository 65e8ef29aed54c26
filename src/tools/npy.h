// NumPy's .npy files as literals.
#ifndef HILO_TOOLS_NPY_H_
#define HILO_TOOLS_NPY_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

// The array in the bytes of a .npy file (format 1 to 3, little-endian, C or Fortran order). NumPy
// has no type of its own for bf16, f8 and sub-byte types and writes raw bytes ("V1", "V2");
// `wanted` then says what they are. InvalidArgument when the array is not of the wanted type and
// dimensions.
absl::StatusOr<Literal> ParseNpy(absl::string_view bytes, const Shape& wanted);

// A .npy file of which only what is asked for is read.
class NpyFile {
 public:
  // Errors are those of ParseNpy.
  static absl::StatusOr<NpyFile> Open(const std::string& path, const Shape& wanted);

  const Shape& shape() const { return stored_; }
  // The elements from `begin` on up to `end`, which lie within the array.
  absl::StatusOr<Literal> Read(absl::Span<const int64_t> begin,
                               absl::Span<const int64_t> end) const;

 private:
  NpyFile(std::string path, Shape stored, int64_t data_begin)
      : path_(std::move(path)), stored_(std::move(stored)), data_begin_(data_begin) {}

  std::string path_;
  Shape stored_;  // with the layout of the file
  int64_t data_begin_;
};

// The bytes of a .npy file. `literal` must be an array.
absl::StatusOr<std::string> FormatNpy(const Literal& literal);

}  // namespace xla

#endif  // HILO_TOOLS_NPY_H_
