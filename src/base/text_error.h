// Messages about text that somebody wrote: where the mistake is, and what may have been meant.
#ifndef HILO_BASE_TEXT_ERROR_H_
#define HILO_BASE_TEXT_ERROR_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {

// Text that may hold any bytes, fit for a message: one line of printable ASCII and whole UTF-8
// characters.
std::string Printable(absl::string_view text);

// `LINE:COLUMN: error: MESSAGE`, the source line at `position` and a line with a caret below it.
std::string ErrorAt(absl::string_view text, size_t position, absl::string_view message);

// The candidate that differs from `word` by few letters, or an empty string.
absl::string_view ClosestWord(absl::string_view word,
                              absl::Span<const absl::string_view> candidates);

// `; did you mean "x"?` for the closest candidate, or nothing.
std::string Suggestion(absl::string_view word, absl::Span<const absl::string_view> candidates);

}  // namespace xla

#endif  // HILO_BASE_TEXT_ERROR_H_
