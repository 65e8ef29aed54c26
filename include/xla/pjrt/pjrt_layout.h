// The layout of a buffer, as something to hand on and compare.
#ifndef XLA_PJRT_PJRT_LAYOUT_H_
#define XLA_PJRT_PJRT_LAYOUT_H_

#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/layout.h"

namespace xla {

class PjRtLayout {
 public:
  explicit PjRtLayout(Layout layout) : layout_(std::move(layout)) {}

  // The inverse of Serialize. InvalidArgument for other texts.
  static absl::StatusOr<std::shared_ptr<const PjRtLayout>> Deserialize(
      absl::string_view serialized);
  // The text of the layout in HLO, such as "{1,0}".
  std::string Serialize() const { return layout_.ToString(); }

  const Layout& xla_layout() const { return layout_; }
  std::string ToString() const { return layout_.ToString(); }

  friend bool operator==(const PjRtLayout& a, const PjRtLayout& b) {
    return a.layout_ == b.layout_;
  }
  friend bool operator!=(const PjRtLayout& a, const PjRtLayout& b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H state, const PjRtLayout& layout) {
    return H::combine(std::move(state), layout.layout_);
  }
  template <typename Sink>
  friend void AbslStringify(Sink& sink, const PjRtLayout& layout) {
    sink.Append(layout.ToString());
  }
  friend std::ostream& operator<<(std::ostream& out, const PjRtLayout& layout) {
    return out << layout.ToString();
  }

 private:
  Layout layout_;
};

}  // namespace xla

#endif  // XLA_PJRT_PJRT_LAYOUT_H_
