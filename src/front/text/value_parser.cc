#include "front/text/value_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "xla/util.h"

namespace xla {

// ---- Numbers, words, strings ----

bool ValueParser::Parse(int64_t* value) {
  if (!At(TokenKind::kInteger)) return FailExpected("an integer");
  *value = token().integer;
  Next();
  return true;
}

bool ValueParser::ParseNatural(int64_t* value) {
  const char* const begin = token().begin;
  if (!Parse(value)) return false;
  return *value >= 0 || FailAt(begin, "expected a number from 0 to 9223372036854775807");
}

bool ValueParser::Parse(double* value) {
  if (At(TokenKind::kInteger)) {
    *value = static_cast<double>(token().integer);
  } else if (At(TokenKind::kDecimal)) {
    *value = token().decimal;
  } else {
    return FailExpected("a number");
  }
  Next();
  return true;
}

bool ValueParser::Parse(float* value) {
  const char* const begin = token().begin;
  double wide = 0;
  if (!Parse(&wide)) return false;
  if (std::isfinite(wide) && std::abs(wide) > std::numeric_limits<float>::max()) {
    return FailAt(begin, "this number is out of range for f32");
  }
  *value = static_cast<float>(wide);
  return true;
}

bool ValueParser::Parse(bool* value) {
  if (!AtKeyword("true") && !AtKeyword("false")) return FailExpected("true or false");
  *value = AtKeyword("true");
  Next();
  return true;
}

bool ValueParser::Parse(std::string* value) {
  if (!At(TokenKind::kString)) return FailExpected("a string in quotes");
  absl::StatusOr<std::string> unescaped = UnescapeString(token().text);
  if (!unescaped.ok()) return FailWith(token().begin, unescaped.status());
  *value = *std::move(unescaped);
  Next();
  return true;
}

bool ValueParser::ParseName(absl::string_view* name) {
  if (At(TokenKind::kPrimitiveType)) return FailExpected("a name, not that of an element type");
  if (!At(TokenKind::kIdentifier) && !At(TokenKind::kName)) return FailExpected("a name");
  *name = token().text;
  Next();
  return true;
}

bool ValueParser::ParseDictionary(absl::string_view* value) {
  const char* const begin = token().begin;
  if (!At(TokenKind::kLeftBrace)) return FailExpected("'{'");
  const char* const after = Lexer::FindDictionaryEnd(begin, lexer().end());
  if (after == nullptr) return Fail("this dictionary is not closed");
  *value = absl::string_view(begin, after - begin);
  lexer().ContinueAt(after);
  return true;
}

bool ValueParser::ParseStringOrDictionary(std::string* value) {
  if (At(TokenKind::kString)) return Parse(value);
  if (!At(TokenKind::kLeftBrace)) {
    return FailExpected("a string in quotes or a dictionary in braces");
  }
  absl::string_view dictionary;
  if (!ParseDictionary(&dictionary)) return false;
  value->assign(dictionary.data(), dictionary.size());
  return true;
}

// ---- Lists ----

bool ValueParser::Parse(Int64List* values) {
  values->clear();
  return ParseBraces([&] { return Parse(&values->emplace_back()); });
}

bool ValueParser::Parse(std::vector<Int64List>* lists) {
  lists->clear();
  return ParseBraces([&] { return Parse(&lists->emplace_back()); });
}

bool ValueParser::Parse(std::vector<bool>* values) {
  values->clear();
  return ParseBraces([&] {
    bool value = false;
    if (!Parse(&value)) return false;
    values->push_back(value);
    return true;
  });
}

bool ValueParser::ParseBoolOrList(std::vector<bool>* values) {
  if (At(TokenKind::kLeftBrace)) return Parse(values);
  bool value = false;
  if (!Parse(&value)) return false;
  values->assign(1, value);
  return true;
}

bool ValueParser::Parse(std::vector<std::pair<int64_t, int64_t>>* pairs) {
  pairs->clear();
  return ParseBraces([&] {
    auto& [source, target] = pairs->emplace_back();
    return Expect(TokenKind::kLeftBrace) && Parse(&source) && Expect(TokenKind::kComma) &&
           Parse(&target) && Expect(TokenKind::kRightBrace);
  });
}

bool ValueParser::Parse(std::vector<SliceRange>* ranges) {
  ranges->clear();
  return ParseBraces([&] {
    SliceRange& range = ranges->emplace_back();
    if (!Expect(TokenKind::kLeftSquare) || !Parse(&range.start) || !Expect(TokenKind::kColon) ||
        !Parse(&range.limit)) {
      return false;
    }
    if (Accept(TokenKind::kColon) && !Parse(&range.stride)) return false;
    return Expect(TokenKind::kRightSquare);
  });
}

bool ValueParser::Parse(ShapeIndex* index) {
  index->clear();
  return ParseBraces([&] {
    int64_t element = 0;
    if (!ParseNatural(&element)) return false;
    index->push_back(element);
    return true;
  });
}

bool ValueParser::Parse(std::vector<OutputOperandAlias>* aliases) {
  aliases->clear();
  return ParseBraces([&] {
    auto& [output, operand] = aliases->emplace_back();
    return Parse(&output) && Expect(TokenKind::kColon) && Expect(TokenKind::kLeftParen) &&
           Parse(&operand.first) && Expect(TokenKind::kComma) && Parse(&operand.second) &&
           Expect(TokenKind::kRightParen);
  });
}

bool ValueParser::ParseOneInBraces(int64_t* value) {
  const char* const begin = token().begin;
  Int64List values;
  if (!Parse(&values)) return false;
  if (values.size() != 1) {
    return FailAt(begin, "expected one dimension in braces, got ", values.size());
  }
  *value = values[0];
  return true;
}

// ---- Words of a fixed set ----

bool ValueParser::ParseEnum(absl::Span<const EnumName> names, bool ignore_case, int* value) {
  if (AtWord()) {
    const absl::string_view word = token().text;
    for (const EnumName& name : names) {
      if (name.text != word && !(ignore_case && absl::EqualsIgnoreCase(name.text, word))) continue;
      *value = name.value;
      Next();
      return true;
    }
  }
  return FailExpected(absl::StrCat(
      "one of ", absl::StrJoin(names, ", ", [](std::string* out, const EnumName& name) {
        absl::StrAppend(out, name.text);
      })));
}

bool ValueParser::Parse(EnumReference reference) {
  int value = 0;
  if (!ParseEnum(reference.names, reference.ignore_case, &value)) return false;
  reference.set_value(value);
  return true;
}

bool ValueParser::Parse(OptionalEnumReference reference) {
  return ParseEnum(reference.names, /*ignore_case=*/false, &reference.value->emplace());
}

bool ValueParser::Parse(EnumListReference reference) {
  reference.values->Clear();
  return ParseBraces([&] {
    return ParseEnum(reference.names, /*ignore_case=*/true, reference.values->Add());
  });
}

// ---- Windows and dimension numbers ----

namespace {

constexpr absl::string_view kWindowFields[] = {"size",       "stride",     "pad",
                                               "lhs_dilate", "rhs_dilate", "rhs_reversal"};
enum WindowFieldIndex { kSize, kStride, kPad, kBaseDilation, kWindowDilation, kReversal };

// What stands behind the names of a window.
struct WindowFields {
  const char* positions[std::size(kWindowFields)] = {};  // null for those that are not there
  Int64List sizes[std::size(kWindowFields)];             // of all but pad=
  std::vector<Int64List> paddings;

  // Whether there is a value for each dimension.
  bool Fits(size_t field) const {
    const size_t rank = sizes[kSize].size();
    if (field != kPad) return sizes[field].size() == rank;
    return paddings.size() == rank && std::all_of(paddings.begin(), paddings.end(),
                                                  [](const Int64List& p) { return p.size() == 2; });
  }

  int64_t At(WindowFieldIndex field, size_t dimension, int64_t otherwise) const {
    return dimension < sizes[field].size() ? sizes[field][dimension] : otherwise;
  }

  void Fill(Window* window) const {
    for (size_t i = 0; i < sizes[kSize].size(); ++i) {
      WindowDimension* dimension = window->add_dimensions();
      dimension->set_size(sizes[kSize][i]);
      dimension->set_stride(At(kStride, i, 1));
      if (!paddings.empty()) {
        dimension->set_padding_low(paddings[i][0]);
        dimension->set_padding_high(paddings[i][1]);
      }
      dimension->set_base_dilation(At(kBaseDilation, i, 1));
      dimension->set_window_dilation(At(kWindowDilation, i, 1));
      dimension->set_window_reversal(At(kReversal, i, 0) != 0);
    }
  }
};

}  // namespace

// 3x3, or 3 alone.
bool ValueParser::ParseSizes(Int64List* sizes) {
  sizes->clear();
  if (At(TokenKind::kInteger)) return Parse(&sizes->emplace_back());
  if (!At(TokenKind::kSizes)) return FailExpected("sizes such as 3x3");
  const char* p = token().begin;
  while (p != token().end) {
    const auto result = std::from_chars(p, token().end, sizes->emplace_back());
    if (result.ec != std::errc()) return FailAt(p, "this integer needs more than 63 bits");
    p = result.ptr;
    if (p != token().end) ++p;
  }
  Next();
  return true;
}

// 1_2x0_0_3: two or three numbers for each dimension.
bool ValueParser::ParsePaddings(std::vector<Int64List>* paddings) {
  if (!At(TokenKind::kPadding)) return FailExpected("padding such as 1_2x0_0");
  const char* p = token().begin;
  const char* const end = token().end;
  paddings->assign(1, {});
  while (p != end) {
    const auto result = std::from_chars(p, end, paddings->back().emplace_back());
    if (result.ec != std::errc()) return FailAt(p, "this integer needs more than 63 bits");
    p = result.ptr;
    if (p == end) break;
    if (*p == 'x') paddings->emplace_back();
    ++p;
  }
  Next();
  return true;
}

// Of a scalar nothing is written; the instruction ends there, or a comma follows.
bool ValueParser::AtEmptyPadding() const {
  if (At(TokenKind::kComma) || At(TokenKind::kRightBrace)) return true;
  absl::string_view before = text().substr(0, token().begin - text().data());
  while (absl::ConsumeSuffix(&before, " ") || absl::ConsumeSuffix(&before, "\t") ||
         absl::ConsumeSuffix(&before, "\r")) {
  }
  return absl::EndsWith(before, "\n");
}

bool ValueParser::Parse(PaddingConfig* padding) {
  padding->Clear();
  if (AtEmptyPadding()) return true;
  std::vector<Int64List> paddings;
  if (!ParsePaddings(&paddings)) return false;
  for (const Int64List& numbers : paddings) {
    PaddingConfig::PaddingConfigDimension* dimension = padding->add_dimensions();
    dimension->set_edge_padding_low(numbers[0]);
    dimension->set_edge_padding_high(numbers[1]);
    dimension->set_interior_padding(numbers.size() == 3 ? numbers[2] : 0);
  }
  return true;
}

// {size=3x3 stride=2x2 pad=1_1x1_1}, in any order.
bool ValueParser::Parse(Window* window) {
  window->Clear();
  if (!Expect(TokenKind::kLeftBrace)) return false;
  if (Accept(TokenKind::kRightBrace)) return true;
  const char* const begin = token().begin;
  WindowFields fields;
  while (!At(TokenKind::kRightBrace)) {
    if (!At(TokenKind::kAttributeName)) {
      return FailExpected(absl::StrCat("'}' or one of ", absl::StrJoin(kWindowFields, "=, "), "="));
    }
    const absl::string_view name = token().text;
    const auto found = std::find(std::begin(kWindowFields), std::end(kWindowFields), name);
    if (found == std::end(kWindowFields)) {
      return Fail("a window has no ", name, "=", Suggestion(name, kWindowFields));
    }
    const size_t field = found - kWindowFields;
    if (fields.positions[field] != nullptr) return Fail("the window has ", name, "= twice");
    fields.positions[field] = token().begin;
    Next();
    if (field == kPad ? !ParsePaddings(&fields.paddings) : !ParseSizes(&fields.sizes[field])) {
      return false;
    }
  }
  if (fields.positions[kSize] == nullptr) return FailAt(begin, "a window needs size=");
  for (size_t field = 0; field < std::size(kWindowFields); ++field) {
    if (fields.positions[field] == nullptr || fields.Fits(field)) continue;
    return FailAt(fields.positions[field], kWindowFields[field], "= must have ",
                  fields.sizes[kSize].size(), " dimensions, as size= has",
                  field == kPad ? ", and low and high padding for each" : "");
  }
  fields.Fill(window);
  Next();
  return true;
}

namespace {

// One of the three groups of dim_labels: where its two letters and its digits stand.
struct DimLabels {
  int64_t first = -1;
  int64_t second = -1;
  Int64List spatial;
};

// Empty on success, else what is wrong.
std::string ReadDimLabels(absl::string_view text, char first, char second, DimLabels* labels) {
  const size_t spatial_count =
      std::count_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  labels->spatial.assign(spatial_count, -1);
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '?') continue;
    int64_t* position = c == first ? &labels->first : c == second ? &labels->second : nullptr;
    if (position == nullptr) {
      const size_t digit = static_cast<size_t>(c - '0');
      if (digit >= spatial_count) {
        return absl::StrCat("spatial dimensions must be numbered from 0 in '", text, "'");
      }
      position = &labels->spatial[digit];
    }
    if (*position >= 0)
      return absl::StrCat("'", std::string(1, c), "' stands twice in '", text, "'");
    *position = static_cast<int64_t>(i);
  }
  if (labels->first < 0 || labels->second < 0) {
    return absl::StrCat("'", text, "' must have both '", std::string(1, first), "' and '",
                        std::string(1, second), "'");
  }
  return "";
}

}  // namespace

bool ValueParser::Parse(ConvolutionDimensionNumbers* dimensions) {
  if (!At(TokenKind::kDimLabels)) return FailExpected("dimension labels such as b01f_01io->b01f");
  const absl::string_view text = token().text;
  const size_t underscore = text.find('_');
  const size_t arrow = text.find("->");
  DimLabels input, kernel, output;
  std::string error = ReadDimLabels(text.substr(0, underscore), 'b', 'f', &input);
  if (error.empty()) {
    error = ReadDimLabels(text.substr(underscore + 1, arrow - underscore - 1), 'i', 'o', &kernel);
  }
  if (error.empty()) error = ReadDimLabels(text.substr(arrow + 2), 'b', 'f', &output);
  if (error.empty() && (input.spatial.size() != kernel.spatial.size() ||
                        input.spatial.size() != output.spatial.size())) {
    error = "input, kernel and output must have the same number of spatial dimensions";
  }
  if (!error.empty()) return Fail(error);
  dimensions->Clear();
  dimensions->set_input_batch_dimension(input.first);
  dimensions->set_input_feature_dimension(input.second);
  dimensions->set_kernel_input_feature_dimension(kernel.first);
  dimensions->set_kernel_output_feature_dimension(kernel.second);
  dimensions->set_output_batch_dimension(output.first);
  dimensions->set_output_feature_dimension(output.second);
  for (int64_t d : input.spatial) dimensions->add_input_spatial_dimensions(d);
  for (int64_t d : kernel.spatial) dimensions->add_kernel_spatial_dimensions(d);
  for (int64_t d : output.spatial) dimensions->add_output_spatial_dimensions(d);
  Next();
  return true;
}

// {lhs={sparsity=2x4 dimension=1 stride=1 idx=2} rhs={...}}; idx may be missing.
bool ValueParser::Parse(SparsityConfig* sparsity) {
  sparsity->Clear();
  if (!Expect(TokenKind::kLeftBrace)) return false;
  while (At(TokenKind::kAttributeName) && (token().text == "lhs" || token().text == "rhs")) {
    const bool is_lhs = token().text == "lhs";
    Next();
    if (!ParseTensorSparsity(is_lhs ? sparsity->mutable_lhs() : sparsity->mutable_rhs())) {
      return false;
    }
  }
  return Accept(TokenKind::kRightBrace) || FailExpected("lhs=, rhs= or '}'");
}

bool ValueParser::ParseTensorSparsity(SparsityConfig::TensorSparsityConfig* sparsity) {
  Int64List ratio;
  int64_t dimension = 0;
  int64_t stride = 0;
  int64_t index = 0;
  if (!Expect(TokenKind::kLeftBrace) || !ExpectAttributeName("sparsity")) return false;
  if (!At(TokenKind::kSizes)) return FailExpected("a ratio such as 2x4");
  if (!ParseSizes(&ratio)) return false;
  if (ratio.size() != 2) return Fail("expected a ratio of two numbers");
  if (!ExpectAttributeName("dimension") || !ParseNatural(&dimension) ||
      !ExpectAttributeName("stride") || !ParseNatural(&stride)) {
    return false;
  }
  if (!At(TokenKind::kRightBrace) && (!ExpectAttributeName("idx") || !ParseNatural(&index))) {
    return false;
  }
  if (index > std::numeric_limits<int32_t>::max()) return Fail("idx= is too large");
  sparsity->set_num_non_zero(ratio[0]);
  sparsity->set_block_size(ratio[1]);
  sparsity->set_dimension(dimension);
  sparsity->set_stride(stride);
  sparsity->set_idx(static_cast<int32_t>(index));
  return Expect(TokenKind::kRightBrace);
}

}  // namespace xla
