// Kinds of memory of the host.
#ifndef XLA_PJRT_HOST_MEMORY_SPACES_H_
#define XLA_PJRT_HOST_MEMORY_SPACES_H_

#include "absl/strings/string_view.h"

namespace xla {

// Each class has the name of its kind of memory space.
class UnpinnedHostMemorySpace {
 public:
  static constexpr absl::string_view kKind = "unpinned_host";
  static constexpr int kKindId = 2;
};
class PinnedHostMemorySpace {
 public:
  static constexpr absl::string_view kKind = "pinned_host";
  static constexpr int kKindId = 1;
};

}  // namespace xla

#endif  // XLA_PJRT_HOST_MEMORY_SPACES_H_
