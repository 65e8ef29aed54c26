#include "pjrt_c/layouts.h"

#include <algorithm>
#include <array>

#include "xla/layout_util.h"

namespace xla::pjrt_c {
namespace {

constexpr int kMostSharedRank = 8;

// By the number of dimensions.
std::array<PJRT_Layouts_MemoryLayout, kMostSharedRank + 1>& SharedLayouts() {
  static auto* const layouts = [] {
    auto* const made = new std::array<PJRT_Layouts_MemoryLayout, kMostSharedRank + 1>();
    for (int rank = 0; rank <= kMostSharedRank; ++rank)
      (*made)[rank] = {LayoutUtil::MakeDescendingLayout(rank).ToString(), /*is_shared=*/true};
    return made;
  }();
  return *layouts;
}

}  // namespace

PJRT_Layouts_MemoryLayout* NewLayout(const Layout& layout) {
  const auto rank = static_cast<size_t>(layout.minor_to_major_size());
  if (rank <= kMostSharedRank &&
      layout == LayoutUtil::MakeDescendingLayout(static_cast<int64_t>(rank)))
    return &SharedLayouts()[rank];
  return new PJRT_Layouts_MemoryLayout{layout.ToString()};
}

void DestroyLayout(PJRT_Layouts_MemoryLayout* layout) {
  if (layout != nullptr && !layout->is_shared) delete layout;
}

}  // namespace xla::pjrt_c
