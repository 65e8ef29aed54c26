#include "eval/sliding_window.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "eval/value.h"
#include "xla/window_util.h"

namespace xla::eval {
namespace {

constexpr int64_t kWide = 32;

// One line of the operand in wide elements, with the results of its blocks.
class Line {
 public:
  Line(const ElementStep& step, int64_t size, int64_t window)
      : step_(step),
        format_(*step.context.operand),
        size_(size),
        window_(window),
        elements_(size * format_.wide_bytes),
        from_begin_(elements_.size()),
        to_end_(elements_.size()) {}

  void Load(const char* source, int64_t stride) {
    format_.load(source, stride, size_, elements_.data());
    for (int64_t i = 0; i < size_; ++i) Extend(from_begin_, i, i % window_ == 0, i - 1);
    for (int64_t i = size_; i-- > 0;)
      Extend(to_end_, i, i == size_ - 1 || i % window_ == window_ - 1, i + 1);
  }

  // result = step(result, elements first..last), which are at most a window.
  void Fold(int64_t first, int64_t last, void* result) {
    if (first > last) return;
    const bool is_one_block = first / window_ == last / window_;
    if (first % window_ != 0 || !is_one_block) Apply(result, At(to_end_, first), result);
    if (first % window_ == 0 || !is_one_block) Apply(result, At(from_begin_, last), result);
  }

 private:
  char* At(std::vector<char>& values, int64_t i) { return values.data() + i * format_.wide_bytes; }
  void Apply(const void* a, const void* b, void* result) {
    const void* operands[] = {a, b};
    step_.function(step_.context, operands, result, 1);
  }
  void Extend(std::vector<char>& values, int64_t i, bool begins, int64_t previous) {
    if (begins) {
      std::memcpy(At(values, i), At(elements_, i), format_.wide_bytes);
    } else {
      Apply(At(values, previous), At(elements_, i), At(values, i));
    }
  }

  const ElementStep& step_;
  const Format& format_;
  int64_t size_, window_;
  std::vector<char> elements_, from_begin_, to_end_;
};

}  // namespace

std::optional<int> SlidingDimension(const Window& window) {
  std::optional<int> sliding;
  for (int d = 0; d < window.dimensions_size(); ++d) {
    const WindowDimension& dimension = window.dimensions(d);
    if (window_util::IsTrivialWindowDimension(dimension)) continue;
    if (sliding.has_value() || dimension.size() < kWide || dimension.stride() != 1 ||
        dimension.base_dilation() != 1 || dimension.window_dilation() != 1) {
      return std::nullopt;
    }
    sliding = d;
  }
  return sliding;
}

void SlideWindow(const ElementStep& step, const WindowDimension& window, int dimension,
                 const Literal& operand, const Literal& initial_value, Literal& result) {
  const Format& format = *step.context.operand;
  const int64_t size = operand.shape().dimensions(dimension),
                result_size = result.shape().dimensions(dimension);
  int64_t inner = 1;
  for (int d = dimension + 1; d < operand.shape().dimensions_size(); ++d)
    inner *= operand.shape().dimensions(d);
  const int64_t lines = size == 0 ? 0 : operand.element_count() / size;
  Line line(step, size, window.size());
  for (int64_t i = 0; i < lines; ++i) {
    const int64_t outer = i / inner, offset = i % inner;
    line.Load(Data(operand) + (outer * size * inner + offset) * format.bytes, inner);
    for (int64_t o = 0; o < result_size; ++o) {
      complex128 folded;
      format.load(Data(initial_value), 0, 1, &folded);
      const int64_t first = o - window.padding_low();
      line.Fold(std::max<int64_t>(first, 0), std::min(first + window.size(), size) - 1, &folded);
      format.store(
          &folded, 1,
          MutableData(result) + ((outer * result_size + o) * inner + offset) * format.bytes);
    }
  }
}

}  // namespace xla::eval
