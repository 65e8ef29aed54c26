#include "xla/window_util.h"

#include "absl/algorithm/container.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "data/checked_math.h"

namespace xla::window_util {

Window MakeWindow(absl::Span<const int64_t> sizes) {
  Window window;
  for (int64_t size : sizes) {
    WindowDimension* dimension = window.add_dimensions();
    dimension->set_size(size);
    dimension->set_stride(1);
    dimension->set_base_dilation(1);
    dimension->set_window_dilation(1);
  }
  return window;
}

Window MakeWindow(absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides) {
  CHECK_EQ(sizes.size(), strides.size());
  Window window = MakeWindow(sizes);
  for (size_t i = 0; i < strides.size(); ++i) window.mutable_dimensions(i)->set_stride(strides[i]);
  return window;
}

PaddingConfig MakeSymmetricPadding(absl::Span<const int64_t> sizes) {
  PaddingConfig config;
  for (int64_t size : sizes) {
    PaddingConfig::PaddingConfigDimension* dimension = config.add_dimensions();
    dimension->set_edge_padding_low(size);
    dimension->set_edge_padding_high(size);
  }
  return config;
}

std::string ToString(const WindowDimension& dim) {
  std::string text = absl::StrCat("(size=", dim.size());
  auto append = [&](absl::string_view name, int64_t value, int64_t default_value) {
    if (value != default_value) absl::StrAppend(&text, ",", name, "=", value);
  };
  append("stride", dim.stride(), 1);
  append("padding_low", dim.padding_low(), 0);
  append("padding_high", dim.padding_high(), 0);
  append("base_dilation", dim.base_dilation(), 1);
  append("window_dilation", dim.window_dilation(), 1);
  if (dim.window_reversal()) absl::StrAppend(&text, ",window_reversal");
  return absl::StrCat(text, ")");
}

std::string ToString(const Window& window) {
  if (window.dimensions().empty()) return "";
  std::string text;
  auto append = [&](absl::string_view name, auto value_of) {
    absl::StrAppend(&text, text.empty() ? "" : " ", name, "=",
                    absl::StrJoin(window.dimensions(), "x",
                                  [&](std::string* out, const WindowDimension& dimension) {
                                    absl::StrAppend(out, value_of(dimension));
                                  }));
  };
  append("size", [](const WindowDimension& d) { return d.size(); });
  if (HasStride(window)) append("stride", [](const WindowDimension& d) { return d.stride(); });
  if (HasPadding(window)) {
    append("pad", [](const WindowDimension& d) {
      return absl::StrCat(d.padding_low(), "_", d.padding_high());
    });
  }
  if (HasBaseDilation(window)) {
    append("lhs_dilate", [](const WindowDimension& d) { return d.base_dilation(); });
  }
  if (HasWindowDilation(window)) {
    append("rhs_dilate", [](const WindowDimension& d) { return d.window_dilation(); });
  }
  if (HasWindowReversal(window)) {
    append("rhs_reversal", [](const WindowDimension& d) { return d.window_reversal() ? 1 : 0; });
  }
  return text;
}

namespace {

template <typename Predicate>
bool Any(const Window& window, Predicate predicate) {
  return absl::c_any_of(window.dimensions(), predicate);
}

}  // namespace

bool HasStride(const Window& window) {
  return Any(window, [](const WindowDimension& d) { return d.stride() != 1; });
}
bool HasPadding(const Window& window) {
  return Any(window, [](const WindowDimension& d) {
    return d.padding_low() != 0 || d.padding_high() != 0;
  });
}
bool HasSymmetricPadding(const Window& window) {
  return !Any(window, [](const WindowDimension& d) { return d.padding_low() != d.padding_high(); });
}
bool HasNegativePadding(const Window& window) {
  return Any(window,
             [](const WindowDimension& d) { return d.padding_low() < 0 || d.padding_high() < 0; });
}
bool HasSymmetricPadding(const PaddingConfig& padding_config) {
  return absl::c_all_of(padding_config.dimensions(), [](const auto& d) {
    return d.edge_padding_low() == d.edge_padding_high();
  });
}
bool HasBaseDilation(const Window& window) {
  return Any(window, [](const WindowDimension& d) { return d.base_dilation() != 1; });
}
bool HasWindowDilation(const Window& window) {
  return Any(window, [](const WindowDimension& d) { return d.window_dilation() != 1; });
}
bool HasDilation(const Window& window) {
  return HasBaseDilation(window) || HasWindowDilation(window);
}
bool HasOverlappingWindow(const Window& window) {
  return Any(window, [](const WindowDimension& d) { return d.size() > d.stride(); });
}
bool HasWindowReversal(const Window& window) {
  return Any(window, [](const WindowDimension& d) { return d.window_reversal(); });
}
bool AllOrNoneReversed(const Window& window) {
  return !HasWindowReversal(window) ||
         !Any(window, [](const WindowDimension& d) { return !d.window_reversal(); });
}
bool IsTrivialWindowDimension(const WindowDimension& window_dimension) {
  return window_dimension.size() == 1 && window_dimension.stride() == 1 &&
         window_dimension.padding_low() == 0 && window_dimension.padding_high() == 0 &&
         window_dimension.window_dilation() == 1 && window_dimension.base_dilation() == 1;
}

int64_t DilatedBound(int64_t bound, int64_t dilation) {
  CHECK_GE(bound, 0);
  CHECK_GE(dilation, 1);
  return bound == 0 ? 0 : SaturatingAdd(SaturatingMultiply(bound - 1, dilation), 1);
}

int64_t StridedBound(int64_t bound, int64_t window_size, int64_t stride) {
  CHECK_GE(bound, 0);
  CHECK_GE(window_size, 0);
  CHECK_GE(stride, 1);
  if (bound == 0 || window_size > bound) return 0;
  return SaturatingAdd((bound - window_size) / stride, 1);
}

}  // namespace xla::window_util
