#include "xla/util.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/text_format.h"

namespace xla {
namespace {

absl::Status WithMessage(const absl::Status& status, absl::string_view message) {
  return tsl::errors::CreateWithUpdatedMessage(status, message);
}

std::string HumanReadableRate(double operations, double nanoseconds, absl::string_view unit) {
  if (nanoseconds <= 0) return absl::StrCat("NaN ", unit, "/s");
  const double rate = operations / nanoseconds * 1e9;
  if (rate >= 1e12) return absl::StrFormat("%.2fT%s/s", rate / 1e12, unit);
  if (rate >= 1e9) return absl::StrFormat("%.2fG%s/s", rate / 1e9, unit);
  if (rate >= 1e6) return absl::StrFormat("%.2fM%s/s", rate / 1e6, unit);
  if (rate >= 1e3) return absl::StrFormat("%.2fk%s/s", rate / 1e3, unit);
  return absl::StrCat(std::llround(rate), unit, "/s");
}

void AppendAllFields(const google::protobuf::Message& message, const std::string& indentation,
                     std::string* text) {
  using Field = google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const google::protobuf::TextFormat::Printer printer;
  const auto append = [&](const Field& field, int index) {
    absl::StrAppend(text, indentation, field.name());
    if (field.cpp_type() == Field::CPPTYPE_MESSAGE) {
      absl::StrAppend(text, " {\n");
      AppendAllFields(index < 0 ? reflection.GetMessage(message, &field)
                                : reflection.GetRepeatedMessage(message, &field, index),
                      indentation + "  ", text);
      absl::StrAppend(text, indentation, "}\n");
      return;
    }
    std::string value;
    printer.PrintFieldValueToString(message, &field, index, &value);
    absl::StrAppend(text, ": ", value, "\n");
  };
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const Field& field = *message.GetDescriptor()->field(i);
    if (field.is_repeated()) {
      for (int j = 0; j < reflection.FieldSize(message, &field); ++j) append(field, j);
    } else if (field.cpp_type() != Field::CPPTYPE_MESSAGE || reflection.HasField(message, &field)) {
      append(field, -1);
    }
  }
}

}  // namespace

absl::Status AddStatus(absl::Status prior, absl::string_view context) {
  return WithMessage(prior, absl::StrCat(context, ": ", prior.message()));
}

absl::Status AppendStatus(absl::Status prior, absl::string_view context) {
  return WithMessage(prior, absl::StrCat(prior.message(), ": ", context));
}

absl::Status WithLogBacktrace(const absl::Status& status) {
  VLOG(1) << status.ToString();
  return status;
}

std::string Reindent(absl::string_view original, absl::string_view indentation) {
  const std::vector<absl::string_view> lines = absl::StrSplit(original, '\n');
  return absl::StrJoin(lines, "\n", [&](std::string* out, absl::string_view line) {
    absl::StrAppend(out, indentation, absl::StripAsciiWhitespace(line));
  });
}

std::string RoundTripFpToString(float value) {
  if (std::isnan(value)) return internal::NanToString(value);
  std::string text = absl::StrFormat("%g", value);
  float read = 0;
  if (!absl::SimpleAtof(text, &read) || read != value) text = absl::StrFormat("%.9g", value);
  return text;
}

std::string RoundTripFpToString(double value) {
  if (std::isnan(value)) return internal::NanToString(value);
  std::string text = absl::StrFormat("%g", value);
  double read = 0;
  if (!absl::SimpleAtod(text, &read) || read != value) text = absl::StrFormat("%.17g", value);
  return text;
}

std::string HumanReadableNumFlops(double flops, double nanoseconds) {
  return HumanReadableRate(flops, nanoseconds, "FLOP");
}

std::string HumanReadableNumTranscendentalOps(double operations, double nanoseconds) {
  return HumanReadableRate(operations, nanoseconds, "TROP");
}

std::string SanitizeFileName(std::string file_name) {
  for (char& c : file_name) {
    if (c == '/' || c == '\\' || c == '[' || c == ']' || c == ' ') c = '_';
  }
  return file_name;
}

std::string SanitizeOpName(absl::string_view value, char old_char, absl::string_view new_char) {
  return absl::StrReplaceAll(value, {{absl::string_view(&old_char, 1), new_char}});
}

std::string XlaFormatDevice(int64_t device_ordinal) {
  return absl::StrCat("[", device_ordinal, "] ");
}

std::string PrintAllFields(const google::protobuf::Message& message) {
  std::string text;
  AppendAllFields(message, "", &text);
  return text;
}

DimensionVector ElemwiseProduct(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  CHECK_EQ(a.size(), b.size());
  DimensionVector product(a.begin(), a.end());
  for (size_t i = 0; i < product.size(); ++i) product[i] *= b[i];
  return product;
}

bool DistinctNumbersAreConsecutiveIfSorted(absl::Span<const int64_t> values) {
  if (values.empty()) return true;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low == static_cast<int64_t>(values.size()) - 1;
}

std::vector<int64_t> ToMixedRadix(int64_t n, absl::Span<const int64_t> bounds) {
  std::vector<int64_t> digits(bounds.size());
  int64_t divisor = Product(bounds);
  int64_t rest = n;
  for (size_t i = 0; i < bounds.size(); ++i) {
    CHECK_GT(bounds[i], 0);
    divisor /= bounds[i];
    digits[i] = rest / divisor;
    rest %= divisor;
  }
  return digits;
}

absl::InlinedVector<std::pair<int64_t, int64_t>, 8> CommonFactors(absl::Span<const int64_t> a,
                                                                  absl::Span<const int64_t> b) {
  CHECK_EQ(Product(a), Product(b));
  const int64_t a_size = a.size(), b_size = b.size();
  absl::InlinedVector<std::pair<int64_t, int64_t>, 8> bounds = {{0, 0}};
  int64_t i = 0, j = 0;
  for (; i < a_size && j < b_size && a[i] == b[j]; ++i, ++j) bounds.emplace_back(i + 1, j + 1);
  // With a size of zero products are no guide: what is left is one group, or everything where the
  // zero stands before and the rest does not agree.
  const int64_t rest = Product(a.subspan(i));
  if (rest != Product(b.subspan(j))) return {{0, 0}, {a_size, b_size}};
  if (rest == 0) {
    bounds.emplace_back(a_size, b_size);
    return bounds;
  }

  int64_t a_product = 1, b_product = 1;
  while (i < a_size || j < b_size) {
    // The side that lags behind goes on, from a common boundary the smaller dimension, or both.
    const bool is_boundary = a_product == b_product;
    const bool takes_a =
        is_boundary ? i < a_size && (j == b_size || a[i] <= b[j]) : a_product < b_product;
    const bool takes_b =
        is_boundary ? j < b_size && (i == a_size || b[j] <= a[i]) : b_product < a_product;
    if (takes_a) a_product *= a[i++];
    if (takes_b) b_product *= b[j++];
    if (a_product == b_product) bounds.emplace_back(i, j);
  }
  return bounds;
}

void PackIntN(int bits_per_element, absl::Span<const char> input, absl::Span<char> output) {
  CHECK(bits_per_element == 1 || bits_per_element == 2 || bits_per_element == 4);
  const size_t per_byte = 8 / bits_per_element;
  CHECK_EQ(output.size(), CeilOfRatio(input.size(), per_byte));
  const uint8_t mask = LsbMask<uint8_t>(bits_per_element);
  std::fill(output.begin(), output.end(), 0);
  for (size_t i = 0; i < input.size(); ++i) {
    const int shift = static_cast<int>(i % per_byte) * bits_per_element;
    output[i / per_byte] |= static_cast<char>((input[i] & mask) << shift);
  }
}

void UnpackIntN(int bits_per_element, absl::Span<const char> input, absl::Span<char> output) {
  CHECK(bits_per_element == 1 || bits_per_element == 2 || bits_per_element == 4);
  const size_t per_byte = 8 / bits_per_element;
  CHECK_EQ(input.size(), CeilOfRatio(output.size(), per_byte));
  const uint8_t mask = LsbMask<uint8_t>(bits_per_element);
  for (size_t i = 0; i < output.size(); ++i) {
    const int shift = static_cast<int>(i % per_byte) * bits_per_element;
    output[i] = static_cast<char>((static_cast<uint8_t>(input[i / per_byte]) >> shift) & mask);
  }
}

PaddingConfig MakeNoPaddingConfig(int64_t rank) {
  PaddingConfig config;
  for (int64_t i = 0; i < rank; ++i) config.add_dimensions();
  return config;
}

PaddingConfig MakeEdgePaddingConfig(absl::Span<const std::pair<int64_t, int64_t>> padding) {
  PaddingConfig config;
  for (const auto& [low, high] : padding) {
    auto* dimension = config.add_dimensions();
    dimension->set_edge_padding_low(low);
    dimension->set_edge_padding_high(high);
  }
  return config;
}

bool HasInteriorPadding(const PaddingConfig& config) {
  return absl::c_any_of(config.dimensions(),
                        [](const auto& dimension) { return dimension.interior_padding() != 0; });
}

DimensionVector GetNonContractingDims(int64_t rank, absl::Span<const int64_t> contracting_dims,
                                      absl::Span<const int64_t> batch_dims) {
  DimensionVector dimensions;
  for (int64_t i = 0; i < rank; ++i) {
    if (!absl::c_linear_search(contracting_dims, i) && !absl::c_linear_search(batch_dims, i)) {
      dimensions.push_back(i);
    }
  }
  return dimensions;
}

}  // namespace xla
