// Sharding rules as text.
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "passes/partition/loop_map.h"

namespace xla::passes {
namespace {

class RuleReader {
 public:
  explicit RuleReader(absl::string_view text) : text_(text) {}

  bool Read(LoopMap& map) {
    std::vector<std::vector<std::string>> operands, results;
    if (!Take("#sdy.op_sharding_rule<") || !ReadArrays(operands) || !Take("->") ||
        !ReadArrays(results) || !ReadSizes(map))
      return false;
    for (const auto& array : operands) {
      if (!AddArray(array, map.operands)) return false;
    }
    for (const auto& array : results) {
      if (!AddArray(array, map.results)) return false;
    }
    for (const absl::string_view kind : {"need_replication", "blocked_propagation"})
      MarkAll(kind, LoopMap::Kind::kWhole, map);
    MarkAll("permutation", LoopMap::Kind::kShift, map);
    return true;
  }

 private:
  bool Take(absl::string_view token) {
    text_ = absl::StripLeadingAsciiWhitespace(text_);
    return absl::ConsumePrefix(&text_, token);
  }

  // What stands before the next of these characters, which is taken, too.
  bool TakeTo(char end, absl::string_view& inside) {
    const size_t place = text_.find(end);
    if (place == absl::string_view::npos) return false;
    inside = text_.substr(0, place);
    text_.remove_prefix(place + 1);
    return true;
  }

  // ([i, jk], [k]): the dimensions' factors, unread, of each array.
  bool ReadArrays(std::vector<std::vector<std::string>>& arrays) {
    if (!Take("(")) return false;
    while (!Take(")")) {
      absl::string_view inside;
      if ((!arrays.empty() && !Take(",")) || !Take("[") || !TakeTo(']', inside)) return false;
      std::vector<std::string>& dimensions = arrays.emplace_back();
      if (absl::StripAsciiWhitespace(inside).empty()) continue;
      for (const absl::string_view dimension : absl::StrSplit(inside, ','))
        dimensions.emplace_back(absl::StripAsciiWhitespace(dimension));
    }
    return true;
  }

  // {i=2, j=4}
  bool ReadSizes(LoopMap& map) {
    absl::string_view inside;
    if (!Take("{") || !TakeTo('}', inside)) return false;
    for (const absl::string_view part : absl::StrSplit(inside, ',', absl::SkipWhitespace())) {
      const std::vector<absl::string_view> sides = absl::StrSplit(part, '=');
      int64_t size;
      if (sides.size() != 2 || !absl::SimpleAtoi(sides[1], &size) || size < 0) return false;
      numbers_[std::string(absl::StripAsciiWhitespace(sides[0]))] =
          static_cast<int>(map.loops.size());
      map.loops.push_back({size, LoopMap::Kind::kEach});
    }
    return true;
  }

  // Names of factors, letters that a number may follow, as loops: "ijz_1".
  bool ReadFactors(absl::string_view names, LoopMap::Dimension& loops) const {
    while (!names.empty()) {
      size_t end = 1;
      if (names.substr(1, 1) == "_") {
        end = 2;
        while (end < names.size() && absl::ascii_isdigit(names[end])) ++end;
      }
      const auto number = numbers_.find(std::string(names.substr(0, end)));
      if (number == numbers_.end()) return false;
      loops.push_back(number->second);
      names.remove_prefix(end);
    }
    return true;
  }

  bool AddArray(const std::vector<std::string>& dimensions,
                std::vector<LoopMap::Dimensions>& arrays) const {
    LoopMap::Dimensions& array = arrays.emplace_back();
    for (const std::string& names : dimensions) {
      if (!ReadFactors(names, array.emplace_back())) return false;
    }
    return true;
  }

  // name={i, j} behind the sizes
  void MarkAll(absl::string_view name, LoopMap::Kind kind, LoopMap& map) const {
    const size_t place = text_.find(name);
    if (place == absl::string_view::npos) return;
    absl::string_view list = text_.substr(place + name.size());
    if (!absl::ConsumePrefix(&list, "={")) return;
    for (const absl::string_view factor :
         absl::StrSplit(list.substr(0, list.find('}')), ',', absl::SkipWhitespace())) {
      const auto number = numbers_.find(std::string(absl::StripAsciiWhitespace(factor)));
      if (number != numbers_.end()) map.loops[number->second].kind = kind;
    }
  }

  absl::string_view text_;
  absl::flat_hash_map<std::string, int> numbers_;
};

bool HasRank(const Shape& shape, const LoopMap::Dimensions& dimensions) {
  return shape.IsArray() && shape.dimensions_size() == static_cast<int64_t>(dimensions.size());
}

bool Fits(const LoopMap& map, const HloInstruction& call) {
  const Shape& shape = call.shape();
  const size_t results = shape.IsTuple() ? shape.tuple_shapes_size() : 1;
  if (map.operands.size() != static_cast<size_t>(call.operand_count()) ||
      map.results.size() != results)
    return false;
  for (size_t i = 0; i < map.operands.size(); ++i) {
    if (!HasRank(call.operand(static_cast<int64_t>(i))->shape(), map.operands[i])) return false;
  }
  for (size_t i = 0; i < results; ++i) {
    if (!HasRank(shape.IsTuple() ? shape.tuple_shapes(static_cast<int>(i)) : shape, map.results[i]))
      return false;
  }
  return true;
}

}  // namespace

LoopMap MapOfShardingRule(const HloInstruction& call) {
  const auto& attributes = call.frontend_attributes().map();
  const auto rule = attributes.find("xla.sdy.sharding_rule");
  LoopMap map;
  if (rule == attributes.end() || !RuleReader(rule->second).Read(map) || !Fits(map, call))
    return {};
  map.is_taken_once.assign(map.operands.size(), false);
  return map;
}

}  // namespace xla::passes
