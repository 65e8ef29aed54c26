#include "xla/printer.h"

#include <utility>

namespace xla {

void Printer::AppendInt64List(absl::Span<const int64_t> list, bool leading_comma) {
  for (int64_t value : list) {
    if (leading_comma) {
      Append(absl::string_view(","));
    }
    Append(value);
    leading_comma = true;
  }
}

void StringPrinter::Append(const absl::AlphaNum& a) { result_.append(a.data(), a.size()); }

void CordPrinter::Append(const absl::AlphaNum& a) {
  constexpr size_t kFlushSize = 64 * 1024;
  buffer_.append(a.data(), a.size());
  if (buffer_.size() >= kFlushSize) FlushBuffer();
}

void CordPrinter::FlushBuffer() {
  result_.Append(std::move(buffer_));
  buffer_.clear();
}

absl::Cord CordPrinter::ToCord() && {
  FlushBuffer();
  return std::move(result_);
}

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv.
void HighwayHashPrinter::Append(const absl::AlphaNum& a) {
  for (unsigned char byte : a.Piece()) {
    state_ = (state_ ^ byte) * 0x100000001b3;
  }
}

// The final mix of SplitMix64 spreads the differences of short texts over all bits.
uint64_t HighwayHashPrinter::ToFingerprint() {
  uint64_t hash = state_;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

}  // namespace xla
