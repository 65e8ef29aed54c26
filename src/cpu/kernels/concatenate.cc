#include "cpu/kernels/concatenate.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/parallel.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Bytes that are worth a thread.
constexpr int64_t kLeastBytes = 256 * 1024;
// Of narrower operands, so many rows are copied one after the other.
constexpr int64_t kNarrowBytes = 64;
constexpr int64_t kRowsOfBlock = 64;

// Copies `rows` rows of `bytes` bytes, which follow one another, to where they belong in rows of
// `width` bytes: their first `piece` bytes and the last ones, which are all of them.
template <size_t piece>
void CopyColumns(const char* from, char* to, int64_t bytes, int64_t rows, int64_t width) {
  const int64_t last = bytes - static_cast<int64_t>(piece);
  if (last == 0) {
    for (int64_t row = 0; row < rows; ++row, from += piece, to += width)
      std::memcpy(to, from, piece);
    return;
  }
  for (int64_t row = 0; row < rows; ++row, from += bytes, to += width) {
    std::memcpy(to, from, piece);
    std::memcpy(to + last, from + last, piece);
  }
}

void CopyColumns(const char* from, char* to, int64_t bytes, int64_t rows, int64_t width) {
  if (bytes > 64) {
    for (int64_t row = 0; row < rows; ++row, from += bytes, to += width)
      std::memcpy(to, from, static_cast<size_t>(bytes));
  } else if (bytes >= 32) {
    CopyColumns<32>(from, to, bytes, rows, width);
  } else if (bytes >= 16) {
    CopyColumns<16>(from, to, bytes, rows, width);
  } else if (bytes >= 8) {
    CopyColumns<8>(from, to, bytes, rows, width);
  } else if (bytes >= 4) {
    CopyColumns<4>(from, to, bytes, rows, width);
  } else if (bytes >= 2) {
    CopyColumns<2>(from, to, bytes, rows, width);
  } else if (bytes == 1) {
    CopyColumns<1>(from, to, bytes, rows, width);
  }
}

// The same of four columns of four bytes each, in squares that are transposed in registers.
constexpr int64_t kSquare = 4;
void CopyFourColumns(const uint32_t* const (&from)[kSquare], char* to, int64_t rows,
                     int64_t width) {
  typedef uint32_t Vector __attribute__((vector_size(kSquare * sizeof(uint32_t))));
  int64_t row = 0;
  for (; row + kSquare <= rows; row += kSquare, to += kSquare * width) {
    Vector columns[kSquare];
    for (int64_t i = 0; i < kSquare; ++i) std::memcpy(&columns[i], from[i] + row, sizeof(Vector));
    const Vector a = __builtin_shufflevector(columns[0], columns[1], 0, 4, 1, 5);
    const Vector b = __builtin_shufflevector(columns[2], columns[3], 0, 4, 1, 5);
    const Vector c = __builtin_shufflevector(columns[0], columns[1], 2, 6, 3, 7);
    const Vector d = __builtin_shufflevector(columns[2], columns[3], 2, 6, 3, 7);
    const Vector square[kSquare] = {
        __builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
        __builtin_shufflevector(c, d, 0, 1, 4, 5), __builtin_shufflevector(c, d, 2, 3, 6, 7)};
    for (int64_t i = 0; i < kSquare; ++i) std::memcpy(to + i * width, &square[i], sizeof(Vector));
  }
  for (; row < rows; ++row, to += width) {
    const Vector last = {from[0][row], from[1][row], from[2][row], from[3][row]};
    std::memcpy(to, &last, sizeof(last));
  }
}

// A row of the result is one row of each operand, one after the other.
class Concatenate : public runtime::LibraryKernel {
 public:
  // `begins`: where rows of operands begin in one of the result, and where the last one ends.
  Concatenate(int64_t rows, std::vector<int64_t> begins)
      : rows_(rows), begins_(std::move(begins)) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    const int64_t width = begins_.back();
    if (rows_ > 1 && width < kNarrowBytes * static_cast<int64_t>(begins_.size())) {
      runtime::ParallelFor(rows_, kLeastBytes / width + 1, [&](int64_t begin, int64_t end) {
        for (; begin < end; begin += kRowsOfBlock)
          CopyRows(arrays, begin, std::min(kRowsOfBlock, end - begin));
      });
      return absl::OkStatus();
    }
    runtime::ParallelFor(rows_ * begins_.back(), kLeastBytes,
                         [&](int64_t begin, int64_t end) { CopyTo(arrays, begin, end); });
    return absl::OkStatus();
  }

 private:
  void CopyRows(void* const* arrays, int64_t first, int64_t rows) const {
    const int64_t width = begins_.back();
    char* result = static_cast<char*>(arrays[begins_.size() - 1]) + first * width;
    for (size_t i = 0; i + 1 < begins_.size(); ++i) {
      if (IsSquare(i)) {
        const uint32_t* columns[kSquare];
        for (size_t c = 0; c < kSquare; ++c)
          columns[c] = static_cast<const uint32_t*>(arrays[i + c]) + first;
        CopyFourColumns(columns, result + begins_[i], rows, width);
        i += kSquare - 1;
        continue;
      }
      const int64_t bytes = begins_[i + 1] - begins_[i];
      CopyColumns(static_cast<const char*>(arrays[i]) + first * bytes, result + begins_[i], bytes,
                  rows, width);
    }
  }

  // Whether as many operands as a square has columns, from this one on, are of four bytes each.
  bool IsSquare(size_t operand) const {
    if (operand + kSquare >= begins_.size()) return false;
    for (size_t i = operand; i < operand + kSquare; ++i) {
      if (begins_[i + 1] - begins_[i] != sizeof(uint32_t)) return false;
    }
    return true;
  }

  // Bytes [begin, end) of the result.
  void CopyTo(void* const* arrays, int64_t begin, int64_t end) const {
    const int64_t width = begins_.back();
    int64_t row = begin / width, at = begin % width;
    size_t operand = OperandAt(at);
    while (begin < end) {
      const int64_t bytes = std::min(begins_[operand + 1] - at, end - begin);
      CopyPart(arrays, operand, row, at, bytes);
      begin += bytes;
      at += bytes;
      if (at < begins_[operand + 1]) continue;
      // Operands without elements end where they begin.
      while (operand + 1 < begins_.size() && begins_[operand + 1] <= at) ++operand;
      if (at < width) continue;
      ++row;
      at = 0;
      operand = OperandAt(0);
    }
  }

  // The one that has elements there.
  size_t OperandAt(int64_t at) const {
    return std::upper_bound(begins_.begin(), begins_.end(), at) - begins_.begin() - 1;
  }

  // What lies where it belongs already is not copied.
  void CopyPart(void* const* arrays, size_t operand, int64_t row, int64_t at, int64_t bytes) const {
    const int64_t own_width = begins_[operand + 1] - begins_[operand];
    const char* from =
        static_cast<const char*>(arrays[operand]) + row * own_width + at - begins_[operand];
    char* to = static_cast<char*>(arrays[begins_.size() - 1]) + row * begins_.back() + at;
    if (from != to) std::memcpy(to, from, static_cast<size_t>(bytes));
  }

  const int64_t rows_;
  const std::vector<int64_t> begins_;
};

}  // namespace

KernelOrStatus MakeConcatenate(const runtime::LibraryCall& call) {
  const Shape& result = call.results[0];
  const int64_t dimension = call.instruction.dimensions(0);
  int64_t rows = 1;
  for (int64_t d = 0; d < dimension; ++d) rows *= result.dimensions(static_cast<int>(d));
  std::vector<int64_t> begins = {0};
  for (const Shape& operand : call.operands)
    begins.push_back(begins.back() + (rows == 0 ? 0 : ShapeUtil::ByteSizeOf(operand) / rows));
  return std::make_unique<Concatenate>(begins.back() == 0 ? 0 : rows, std::move(begins));
}

}  // namespace xla::cpu
