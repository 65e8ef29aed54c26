// The images: read from digits.txt, split, and drawn on the terminal.
#ifndef EXAMPLES_DIGITS_DATASET_H_
#define EXAMPLES_DIGITS_DATASET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/literal.h"

namespace digits {

constexpr int64_t kWidth = 8;                 // of an image, and its height
constexpr int64_t kPixels = kWidth * kWidth;  // of one image
constexpr int64_t kDigits = 10;               // what an image can show
constexpr int64_t kFullInk = 16;              // pixels have values from 0 to this
constexpr int64_t kTestImages = 297;

// Images and what they show, in the form in which programs take them. A literal is XLA's word for
// an array (or a tuple of arrays) in the host's memory.
struct Dataset {
  xla::Literal pixels;  // u8[n,64]: ink from 0 to kFullInk, row by row from the top left
  xla::Literal labels;  // s32[n]: the digit, 0 to 9

  int64_t size() const { return labels.element_count(); }
  int32_t label(int64_t image) const { return labels.Get<int32_t>({image}); }
};

struct Split {
  Dataset training;
  Dataset test;
};

// Reads the file and holds back every sixth image, kTestImages in all, for the test. The images of
// one writer stand together in the file, so writers of test images also occur in training.
absl::StatusOr<Split> LoadDigits(const std::string& path);

// An image to draw and the line of text below it.
struct Picture {
  int64_t image;
  std::string caption;
};

// The pictures side by side, as lines of text in shades of grey.
std::string Draw(const Dataset& dataset, absl::Span<const Picture> pictures);

}  // namespace digits

#endif  // EXAMPLES_DIGITS_DATASET_H_
