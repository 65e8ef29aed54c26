#include "base/text_error.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace xla {
namespace {

// The number of characters, where a continuation byte of UTF-8 is none.
size_t CharacterCount(absl::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

// The source line at `position` and a line with a caret below it; of a very long line the part
// around the caret.
std::string SourceLine(absl::string_view text, size_t position) {
  constexpr size_t kBefore = 80;
  constexpr size_t kAfter = 60;
  size_t begin = text.substr(0, position).rfind('\n');
  begin = begin == absl::string_view::npos ? 0 : begin + 1;
  size_t end = std::min(text.find('\n', position), text.size());
  absl::string_view prefix = "";
  absl::string_view suffix = "";
  if (position - begin > kBefore) {
    begin = position - kBefore;
    prefix = "...";
  }
  if (end - position > kAfter) {
    end = position + kAfter;
    suffix = "...";
  }
  const std::string before = absl::StrCat(prefix, Printable(text.substr(begin, position - begin)));
  return absl::StrCat(before, Printable(text.substr(position, end - position)), suffix, "\n",
                      std::string(CharacterCount(before), ' '), "^");
}

// Letters to insert, delete, replace or swap with adjacent ones to make `b` of `a`; at most
// `limit` + 1.
int EditDistance(absl::string_view a, absl::string_view b, int limit) {
  const int size_difference = static_cast<int>(a.size()) - static_cast<int>(b.size());
  if (std::abs(size_difference) > limit) return limit + 1;
  std::vector<std::vector<int>> distance(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = static_cast<int>(i + j);
        continue;
      }
      distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1,
                                 distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
      }
    }
  }
  return std::min(distance[a.size()][b.size()], limit + 1);
}

}  // namespace

std::string Printable(absl::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const uint8_t c = static_cast<uint8_t>(text[i]);
    const size_t length = c < 0x80                ? 1
                          : c >= 0xf0 && c < 0xf5 ? 4
                          : c >= 0xe0             ? 3
                          : c >= 0xc2             ? 2
                                                  : 0;
    bool whole = length != 0 && c < 0xf5 && i + length <= text.size();
    for (size_t k = 1; whole && k < length; ++k) whole = (text[i + k] & 0xc0) == 0x80;
    if (!whole || (length == 1 && !absl::ascii_isprint(c))) {
      result.push_back(c == '\t' ? ' ' : '?');
      ++i;
    } else {
      result.append(text.data() + i, length);
      i += length;
    }
  }
  return result;
}

std::string ErrorAt(absl::string_view text, size_t position, absl::string_view message) {
  const absl::string_view before = text.substr(0, position);
  const size_t line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_begin = before.rfind('\n');
  const size_t column =
      1 + CharacterCount(line_begin == absl::string_view::npos ? before
                                                               : before.substr(line_begin + 1));
  return absl::StrCat(line, ":", column, ": error: ", message, "\n", SourceLine(text, position));
}

absl::string_view ClosestWord(absl::string_view word,
                              absl::Span<const absl::string_view> candidates) {
  constexpr size_t kLongest = 64;
  if (word.size() > kLongest) return "";
  int best = std::min<int>(3, static_cast<int>(word.size()) / 2 + 1);
  absl::string_view closest;
  for (absl::string_view candidate : candidates) {
    const int distance = EditDistance(word, candidate, best);
    if (distance >= best) continue;
    best = distance;
    closest = candidate;
  }
  return closest;
}

std::string Suggestion(absl::string_view word, absl::Span<const absl::string_view> candidates) {
  const absl::string_view closest = ClosestWord(word, candidates);
  return closest.empty() ? "" : absl::StrCat("; did you mean \"", closest, "\"?");
}

}  // namespace xla
