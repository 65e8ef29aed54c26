// Sinks for the text that Shape, Layout, Literal and the HLO classes print.
#ifndef HILO_INCLUDE_XLA_PRINTER_H_
#define HILO_INCLUDE_XLA_PRINTER_H_

#include <cstdint>
#include <iterator>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {

class Printer {
 public:
  virtual ~Printer() = default;
  virtual void Append(const absl::AlphaNum& a) = 0;
  // Appends "1,2,3", preceded by a comma when leading_comma is set and there is any number.
  virtual void AppendInt64List(absl::Span<const int64_t> list, bool leading_comma);
};

// Collects into a string.
class StringPrinter : public Printer {
 public:
  void Append(const absl::AlphaNum& a) override;
  std::string ToString() && { return std::move(result_); }

 private:
  std::string result_;
};

// Collects into a cord, for texts of many megabytes.
class CordPrinter : public Printer {
 public:
  void Append(const absl::AlphaNum& a) override;
  absl::Cord ToCord() &&;

 private:
  void FlushBuffer();

  std::string buffer_;
  absl::Cord result_;
};

// Keeps only a 64-bit fingerprint of the text: equal texts have equal fingerprints however they
// were cut into pieces, on every machine. The value is this library's own, it is not the one that
// OpenXLA computes.
class HighwayHashPrinter : public Printer {
 public:
  void Append(const absl::AlphaNum& a) override;
  uint64_t ToFingerprint();

 private:
  uint64_t state_ = 0xcbf29ce484222325;
};

// Appends the items with the separator between them.
template <typename Range>
void AppendJoin(Printer* printer, const Range& range, absl::string_view separator) {
  bool first = true;
  for (const auto& item : range) {
    if (!first) printer->Append(separator);
    first = false;
    printer->Append(item);
  }
}

// The same with a formatter, called as formatter(printer, item).
template <typename Range, typename Formatter>
void AppendJoin(Printer* printer, const Range& range, absl::string_view separator,
                Formatter&& formatter) {
  bool first = true;
  for (const auto& item : range) {
    if (!first) printer->Append(separator);
    first = false;
    formatter(printer, item);
  }
}

// Appends each argument in turn.
template <typename... Args>
void AppendCat(Printer* printer, const Args&... args) {
  (printer->Append(args), ...);
}

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_PRINTER_H_
