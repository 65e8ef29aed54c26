#include "xla/hlo/ir/hlo_original_value.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/types/span.h"
#include "data/checked_math.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/util.h"

namespace xla {
namespace {

using Index = absl::Span<const int64_t>;

// The most empty tuples that the gaps between leaves may stand for.
constexpr int64_t kMaxEmptyTuples = int64_t{1} << 16;
// The most numbers that the indices of all tuples may have together.
constexpr int64_t kMaxIndicesOfTuples = int64_t{1} << 20;

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
  int64_t gaps = 0, indices = 0;
  for (const OriginalValueElementProto& element : original_value.elements()) {
    const Index index = element.shape_index();
    if (index.size() > static_cast<size_t>(Shape::kMaxNestingDepth)) {
      return InvalidArgument("an original value is nested deeper than %d levels",
                             Shape::kMaxNestingDepth);
    }
    // Neither index may be that of a tuple around the other.
    const size_t common = is_first ? 0 : CommonPrefix(previous, index);
    bool is_ordered = is_first || common < std::min(previous.size(), index.size());
    ForEachNewLevel(previous, is_first, index, [&](size_t depth, int64_t next) {
      is_ordered &= index[depth] >= next;
      if (!is_ordered) return;
      const int64_t gap = index[depth] - next;
      gaps = SaturatingAdd(gaps, gap);
      if (gaps > kMaxEmptyTuples) return;
      const int64_t tuples = gap + (depth + 1 < index.size() ? 1 : 0);
      indices += tuples * static_cast<int64_t>(depth + 1);
    });
    if (!is_ordered || gaps > kMaxEmptyTuples || indices > kMaxIndicesOfTuples) {
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

std::string OriginalArray::ToString() const {
  StringPrinter printer;
  PrintOriginalArray(&printer, ToProto());
  return std::string(absl::StripSuffix(absl::StripPrefix(std::move(printer).ToString(), "{"), "}"));
}

OriginalArrayProto OriginalArray::ToProto() const {
  OriginalArrayProto proto;
  proto.set_instruction_name(instruction_name);
  proto.mutable_shape_index()->Add(shape_index.begin(), shape_index.end());
  return proto;
}

OriginalArray OriginalArray::FromProto(const OriginalArrayProto& proto) {
  return {proto.instruction_name(),
          ShapeIndex(proto.shape_index().begin(), proto.shape_index().end())};
}

OriginalValue OriginalValue::SyntheticCall() {
  OriginalValue value((Tree()));
  value.is_synthetic_call_ = true;
  return value;
}

std::shared_ptr<OriginalValue> OriginalValue::CreateFromInstruction(
    const HloInstruction* instruction, const std::string& prefix) {
  auto value = std::make_shared<OriginalValue>(instruction->shape());
  for (auto& [index, array] : value->mutable_original_arrays()) {
    array = OriginalArray{absl::StrCat(prefix, instruction->name()), index};
  }
  return value;
}

bool OriginalValue::IsEmpty() const {
  if (is_synthetic_call_) return false;
  const auto leaves = original_arrays();
  return std::none_of(leaves.begin(), leaves.end(),
                      [](const auto& leaf) { return leaf.second.has_value(); });
}

std::string OriginalValue::ToString() const { return OriginalValueToString(ToProto()); }

OriginalValueProto OriginalValue::ToProto() const {
  OriginalValueProto proto;
  proto.set_is_synthetic_call(is_synthetic_call_);
  for (const auto& [index, array] : original_arrays()) {
    OriginalValueElementProto& element = *proto.add_elements();
    element.mutable_shape_index()->Add(index.begin(), index.end());
    if (array.has_value()) *element.mutable_original_array() = array->ToProto();
  }
  return proto;
}

absl::StatusOr<std::shared_ptr<OriginalValue>> OriginalValue::CreateFromProto(
    const OriginalValueProto& proto) {
  if (absl::Status status = ValidateOriginalValue(proto); !status.ok()) return status;
  std::vector<Tree::NodePair> leaves;
  for (const OriginalValueElementProto& element : proto.elements()) {
    std::optional<OriginalArray> array;
    if (!element.original_array().instruction_name().empty()) {
      array = OriginalArray::FromProto(element.original_array());
    }
    leaves.emplace_back(ShapeIndex(element.shape_index().begin(), element.shape_index().end()),
                        std::move(array));
  }
  auto value = std::make_shared<OriginalValue>(Tree(absl::MakeConstSpan(leaves)));
  value->is_synthetic_call_ = proto.is_synthetic_call();
  return value;
}

std::shared_ptr<OriginalValue> OriginalValue::FromProto(const OriginalValueProto& proto) {
  return CreateFromProto(proto).value_or(nullptr);
}

}  // namespace xla
