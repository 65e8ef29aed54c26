#include "xla/hlo/ir/hlo_original_value.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/types/span.h"
#include "data/checked_math.h"
#include "xla/util.h"

namespace xla {
namespace {

using Index = absl::Span<const int64_t>;

// The most empty tuples that the gaps between leaves may stand for.
constexpr int64_t kMaxEmptyTuples = int64_t{1} << 16;

size_t CommonPrefix(Index a, Index b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

// Calls function(depth, next) for each level at which a leaf after `previous` starts something new.
// `next` is the element that comes after the previous leaf there. The first leaf of all has no
// previous one.
template <typename Function>
void ForEachNewLevel(Index previous, bool is_first, Index index, Function function) {
  const size_t common = is_first ? 0 : CommonPrefix(previous, index);
  for (size_t depth = common; depth < index.size(); ++depth) {
    const bool continues = !is_first && depth == common && common < previous.size();
    function(depth, continues ? SaturatingAdd(previous[depth], 1) : 0);
  }
}

}  // namespace

void PrintOriginalArray(Printer* printer, const OriginalArrayProto& original_array) {
  printer->Append("{");
  if (!original_array.instruction_name().empty()) {
    AppendCat(printer, "\"", absl::CEscape(original_array.instruction_name()), "\"");
    if (!original_array.shape_index().empty()) {
      printer->Append(" {");
      printer->AppendInt64List(original_array.shape_index(), /*leading_comma=*/false);
      printer->Append("}");
    }
  }
  printer->Append("}");
}

void PrintOriginalValue(Printer* printer, const OriginalValueProto& original_value) {
  if (original_value.is_synthetic_call()) return printer->Append("[synthetic_call]");
  if (original_value.elements().empty()) return printer->Append("()");
  Index previous;
  bool is_first = true;
  int64_t gaps_left = kMaxEmptyTuples;
  for (const OriginalValueElementProto& element : original_value.elements()) {
    const Index index = element.shape_index();
    const size_t common = is_first ? 0 : CommonPrefix(previous, index);
    for (size_t i = common + 1; i < previous.size(); ++i) printer->Append(")");
    ForEachNewLevel(previous, is_first, index, [&](size_t depth, int64_t next) {
      if (is_first || depth > common) printer->Append("(");
      for (int64_t i = next; i < index[depth] && gaps_left > 0; ++i, --gaps_left) {
        printer->Append(i > 0 ? ", ()" : "()");
      }
      if (index[depth] > 0) printer->Append(", ");
    });
    PrintOriginalArray(printer, element.original_array());
    previous = index;
    is_first = false;
  }
  for (size_t i = 0; i < previous.size(); ++i) printer->Append(")");
}

std::string OriginalValueToString(const OriginalValueProto& original_value) {
  StringPrinter printer;
  PrintOriginalValue(&printer, original_value);
  return std::move(printer).ToString();
}

absl::Status ValidateOriginalValue(const OriginalValueProto& original_value) {
  Index previous;
  bool is_first = true;
  int64_t gaps = 0;
  for (const OriginalValueElementProto& element : original_value.elements()) {
    const Index index = element.shape_index();
    // Neither index may be that of a tuple around the other.
    const size_t common = is_first ? 0 : CommonPrefix(previous, index);
    bool is_ordered = is_first || common < std::min(previous.size(), index.size());
    ForEachNewLevel(previous, is_first, index, [&](size_t depth, int64_t next) {
      is_ordered &= index[depth] >= next;
      if (is_ordered) gaps = SaturatingAdd(gaps, index[depth] - next);
    });
    if (!is_ordered || gaps > kMaxEmptyTuples) {
      return InvalidArgument(
          "the elements of an original value are not the leaves of a tree in "
          "order: after {%s} comes {%s}",
          absl::StrJoin(previous, ","), absl::StrJoin(index, ","));
    }
    previous = index;
    is_first = false;
  }
  return absl::OkStatus();
}

}  // namespace xla
