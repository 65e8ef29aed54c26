#include "dataset.h"

#include <algorithm>
#include <cstring>
#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla/shape_util.h"
#include "xla/tsl/platform/statusor.h"

namespace digits {
namespace {

struct Image {
  std::vector<uint8_t> pixels;
  int32_t label;
};

// "7 00..." with 64 digits of base 17.
absl::StatusOr<Image> ParseImage(const std::string& line) {
  static constexpr char kInkDigits[] = "0123456789abcdefg";
  Image image;
  if (line.size() != 2 + kPixels || line[0] < '0' || line[0] > '9' || line[1] != ' ') {
    return absl::InvalidArgumentError("expected a digit, a blank and 64 pixels");
  }
  image.label = line[0] - '0';
  for (const char ink : line.substr(2)) {
    const char* digit = std::strchr(kInkDigits, ink);
    if (ink == '\0' || digit == nullptr) {
      return absl::InvalidArgumentError(absl::StrFormat("'%c' is not a pixel (0 to g)", ink));
    }
    image.pixels.push_back(static_cast<uint8_t>(digit - kInkDigits));
  }
  return image;
}

absl::StatusOr<std::vector<Image>> ReadImages(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  std::vector<Image> images;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    absl::StatusOr<Image> image = ParseImage(line);
    if (!image.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number, ": ", image.status().message()));
    }
    images.push_back(*std::move(image));
  }
  return images;
}

Dataset MakeDataset(const std::vector<Image>& images) {
  const int64_t count = images.size();
  Dataset dataset{xla::Literal(xla::ShapeUtil::MakeShape(xla::U8, {count, kPixels})),
                  xla::Literal(xla::ShapeUtil::MakeShape(xla::S32, {count}))};
  uint8_t* pixel = dataset.pixels.data<uint8_t>().data();
  int32_t* label = dataset.labels.data<int32_t>().data();
  for (const Image& image : images) {
    pixel = std::copy(image.pixels.begin(), image.pixels.end(), pixel);
    *label++ = image.label;
  }
  return dataset;
}

// One line of an image: two characters make a pixel about square.
std::string DrawRow(const Dataset& dataset, int64_t image, int64_t row) {
  static constexpr const char* kShades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  std::string line;
  for (int64_t column = 0; column < kWidth; ++column) {
    const int ink = dataset.pixels.Get<uint8_t>({image, row * kWidth + column});
    line += kShades[(ink * 4 + kFullInk / 2) / kFullInk];
  }
  return line;
}

}  // namespace

absl::StatusOr<Split> LoadDigits(const std::string& path) {
  TF_ASSIGN_OR_RETURN(const std::vector<Image> images, ReadImages(path));
  std::vector<Image> training;
  std::vector<Image> test;
  for (const Image& image : images) {
    const size_t position = training.size() + test.size();
    const bool hold_back = position % 6 == 5 && test.size() < kTestImages;
    (hold_back ? test : training).push_back(image);
  }
  if (test.size() < kTestImages) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": only ", images.size(), " images"));
  }
  return Split{MakeDataset(training), MakeDataset(test)};
}

std::string Draw(const Dataset& dataset, absl::Span<const Picture> pictures) {
  std::string text;
  for (int64_t row = 0; row < kWidth; ++row) {
    for (const Picture& picture : pictures) {
      absl::StrAppend(&text, "  ", DrawRow(dataset, picture.image, row));
    }
    text += "\n";
  }
  for (const Picture& picture : pictures) {
    absl::StrAppendFormat(&text, "  %-*s", 2 * kWidth, picture.caption);
  }
  return text + "\n";
}

}  // namespace digits
