// What any instruction may carry: metadata, frontend attributes, statistics, accuracy, original
// values.
#include <cmath>
#include <limits>

#include "front/text/value_parser.h"

namespace xla {

// {op_type="..." op_name="..." source_line=1}, separated by space or commas.
bool ValueParser::Parse(OpMetadata* metadata) {
  metadata->Clear();
  if (!Expect(TokenKind::kLeftBrace)) return false;
  absl::InlinedVector<absl::string_view, 8> seen;
  while (!At(TokenKind::kRightBrace)) {
    if (!At(TokenKind::kAttributeName)) return FailExpected("a field of the metadata or '}'");
    const absl::string_view name = token().text;
    for (absl::string_view earlier : seen) {
      if (earlier == name) return Fail("the metadata has ", name, "= twice");
    }
    seen.push_back(name);
    if (!ParseMetadataField(metadata, name)) return false;
    Accept(TokenKind::kComma);
  }
  Next();
  return true;
}

bool ValueParser::ParseMetadataField(OpMetadata* metadata, absl::string_view name) {
  const auto string_field = [&](std::string* field) {
    Next();
    return Parse(field);
  };
  const auto int_field = [&](auto set) {
    Next();
    const char* const begin = token().begin;
    int64_t value = 0;
    if (!Parse(&value)) return false;
    if (value < std::numeric_limits<int32_t>::min() ||
        value > std::numeric_limits<int32_t>::max()) {
      return FailAt(begin, name, "= needs a number of at most 32 bits");
    }
    (metadata->*set)(static_cast<int32_t>(value));
    return true;
  };
  if (name == "op_type") return string_field(metadata->mutable_op_type());
  if (name == "op_name") return string_field(metadata->mutable_op_name());
  if (name == "source_file") return string_field(metadata->mutable_source_file());
  if (name == "deduplicated_name") return string_field(metadata->mutable_deduplicated_name());
  if (name == "scheduling_name") return string_field(metadata->mutable_scheduling_name());
  if (name == "metadata_payload") {
    return string_field(metadata->mutable_metadata_payload()->mutable_value());
  }
  if (name == "source_line") return int_field(&OpMetadata::set_source_line);
  if (name == "source_end_line") return int_field(&OpMetadata::set_source_end_line);
  if (name == "source_column") return int_field(&OpMetadata::set_source_column);
  if (name == "source_end_column") return int_field(&OpMetadata::set_source_end_column);
  if (name == "stack_frame_id") return int_field(&OpMetadata::set_stack_frame_id);
  if (name == "profile_type") {
    Next();
    return ParseBraces([&] {
      const char* const begin = token().begin;
      int64_t type = 0;
      if (!Parse(&type)) return false;
      if (type < 0 || type > std::numeric_limits<int>::max() ||
          !ProfileType_IsValid(static_cast<int>(type))) {
        return FailAt(begin, type, " is no profile type");
      }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
      metadata->add_profile_type(static_cast<ProfileType>(type));
#pragma GCC diagnostic pop
      return true;
    });
  }
  constexpr absl::string_view kNames[] = {
      "op_type",           "op_name",         "source_file",       "source_line",
      "source_end_line",   "source_column",   "source_end_column", "profile_type",
      "deduplicated_name", "scheduling_name", "stack_frame_id",    "metadata_payload"};
  return Fail("metadata has no ", name, "=", Suggestion(name, kNames));
}

// {a="x",b={"k":1}}
bool ValueParser::Parse(FrontendAttributes* attributes) {
  attributes->Clear();
  return ParseBraces([&] {
    if (!At(TokenKind::kAttributeName)) return FailExpected("the name of an attribute and '='");
    const absl::string_view name = token().text;
    const auto [entry, inserted] = attributes->mutable_map()->insert({std::string(name), ""});
    if (!inserted) return Fail("the attribute ", name, "= stands twice");
    Next();
    return ParseStringOrDictionary(&entry->second);
  });
}

// {visualizing_index=0,name=1.5}
bool ValueParser::Parse(StatisticsViz* statistics) {
  statistics->Clear();
  const char* const begin = token().begin;
  int64_t visualized = 0;
  bool first = true;
  if (!ParseBraces([&] {
        if (first) {
          first = false;
          return ExpectAttributeName("visualizing_index") && ParseNatural(&visualized);
        }
        if (!At(TokenKind::kAttributeName)) return FailExpected("the name of a statistic and '='");
        Statistic* statistic = statistics->add_statistics();
        statistic->set_stat_name(std::string(token().text));
        Next();
        double value = 0;
        if (!Parse(&value)) return false;
        statistic->set_stat_val(value);
        return true;
      })) {
    return false;
  }
  if (visualized != 0 && visualized >= statistics->statistics_size()) {
    return FailAt(begin, "visualizing_index is ", visualized, ", but there are ",
                  statistics->statistics_size(), " statistics");
  }
  statistics->set_stat_index_to_visualize(visualized);
  return true;
}

// {mode=highest} or {tolerance={atol=0,rtol=0.1,ulps=2}}
bool ValueParser::Parse(ResultAccuracy* accuracy) {
  accuracy->Clear();
  if (!Expect(TokenKind::kLeftBrace)) return false;
  if (At(TokenKind::kAttributeName) && token().text == "mode") {
    Next();
    constexpr EnumName kModes[] = {{ResultAccuracy::DEFAULT, "default"},
                                   {ResultAccuracy::HIGHEST, "highest"}};
    int mode = 0;
    if (!Parse(EnumReference{&mode, kModes, /*ignore_case=*/true})) return false;
    accuracy->set_mode(static_cast<ResultAccuracy::Mode>(mode));
  } else if (At(TokenKind::kAttributeName) && token().text == "tolerance") {
    Next();
    if (!ParseTolerance(accuracy->mutable_tolerance())) return false;
  } else {
    return FailExpected("mode= or tolerance=");
  }
  return Expect(TokenKind::kRightBrace);
}

bool ValueParser::ParseTolerance(ResultAccuracy::Tolerance* tolerance) {
  return ParseBraces([&] {
    if (!At(TokenKind::kAttributeName)) return FailExpected("atol=, rtol= or ulps=");
    const absl::string_view name = token().text;
    const char* const begin = token().begin;
    Next();
    if (name == "ulps") {
      int64_t ulps = 0;
      if (!ParseNatural(&ulps)) return false;
      tolerance->set_ulps(ulps);
      return true;
    }
    if (name != "atol" && name != "rtol") return FailAt(begin, "a tolerance has no ", name, "=");
    const char* const value_begin = token().begin;
    double value = 0;
    if (!Parse(&value)) return false;
    if (!(value >= 0) || !std::isfinite(value)) {
      return FailAt(value_begin, "a tolerance must be a finite number from 0 on");
    }
    name == "atol" ? tolerance->set_atol(value) : tolerance->set_rtol(value);
    return true;
  });
}

// {{"add.1"}}, {({"a"}, {"b" {0}})} or {[synthetic_call]}
bool ValueParser::Parse(OriginalValueProto* value) {
  value->Clear();
  if (!Expect(TokenKind::kLeftBrace)) return false;
  if (Accept(TokenKind::kLeftSquare)) {
    value->set_is_synthetic_call(true);
    if (!ExpectWord("synthetic_call") || !Expect(TokenKind::kRightSquare)) return false;
  } else {
    ShapeIndex index;
    if (!ParseOriginalTree(&index, value)) return false;
  }
  return Expect(TokenKind::kRightBrace);
}

bool ValueParser::ParseOriginalTree(ShapeIndex* index, OriginalValueProto* value) {
  Nesting nesting(*this);
  if (nesting.TooDeep()) return FailTooDeep();
  if (At(TokenKind::kLeftParen)) {
    int64_t element = 0;
    return ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, [&] {
      index->push_back(element++);
      const bool ok = ParseOriginalTree(index, value);
      index->pop_back();
      return ok;
    });
  }
  if (!At(TokenKind::kLeftBrace)) return FailExpected("'{' or '('");
  OriginalValueElementProto* leaf = value->add_elements();
  for (int64_t i : *index) leaf->add_shape_index(i);
  if (lexer().Peek().kind == TokenKind::kRightBrace) {
    Next();
    Next();
    return true;
  }
  return Parse(leaf->mutable_original_array());
}

// {"t" {0,1}}
bool ValueParser::Parse(OriginalArrayProto* array) {
  array->Clear();
  if (!Expect(TokenKind::kLeftBrace) || !Parse(array->mutable_instruction_name())) return false;
  if (At(TokenKind::kLeftBrace)) {
    ShapeIndex index;
    if (!Parse(&index)) return false;
    for (int64_t i : index) array->add_shape_index(i);
  }
  return Expect(TokenKind::kRightBrace);
}

}  // namespace xla
