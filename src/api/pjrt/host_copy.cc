#include "api/pjrt/host_copy.h"

#include <algorithm>
#include <cstring>

#include "data/sizes.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

template <typename Element>
void CopyRow(const char* source, int64_t stride, int64_t count, char* target) {
  Element* const to = reinterpret_cast<Element*>(target);
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i, source + i * stride, sizeof(Element));
}

struct SixteenBytes {
  char bytes[16];
};

void CopyRow(const char* source, int64_t stride, int64_t count, int64_t width, char* target) {
  if (stride == width) {
    std::memcpy(target, source, count * width);
    return;
  }
  switch (width) {
    case 1:
      return CopyRow<uint8_t>(source, stride, count, target);
    case 2:
      return CopyRow<uint16_t>(source, stride, count, target);
    case 4:
      return CopyRow<uint32_t>(source, stride, count, target);
    case 8:
      return CopyRow<uint64_t>(source, stride, count, target);
    default:
      return CopyRow<SixteenBytes>(source, stride, count, target);
  }
}

}  // namespace

DimensionVector DenseByteStrides(const Shape& shape) {
  DimensionVector strides = DenseStrides(shape.dimensions(), shape.layout().minor_to_major());
  for (int64_t& stride : strides) stride *= primitive_util::ByteWidth(shape.element_type());
  return strides;
}

void CopyStrided(const char* source, absl::Span<const int64_t> byte_strides, const Shape& shape,
                 char* target) {
  if (ShapeUtil::IsZeroElementArray(shape)) return;
  const int64_t width = primitive_util::ByteWidth(shape.element_type());
  // Loops from the target's outermost dimension to its innermost; those that the source walks
  // through evenly are one.
  struct Loop {
    int64_t count, stride;
  };
  absl::InlinedVector<Loop, 8> loops;
  for (const int64_t dimension : shape.layout().minor_to_major()) {
    const Loop loop = {shape.dimensions(static_cast<int>(dimension)), byte_strides[dimension]};
    if (loop.count == 1) continue;
    if (!loops.empty() && loops.back().stride * loops.back().count == loop.stride) {
      loops.back().count *= loop.count;
    } else {
      loops.push_back(loop);
    }
  }
  const Loop row = loops.empty() ? Loop{1, width} : loops.front();
  absl::InlinedVector<int64_t, 8> index(loops.size(), 0);
  while (true) {
    CopyRow(source, row.stride, row.count, width, target);
    target += row.count * width;
    size_t level = 1;
    for (; level < loops.size(); ++level) {
      source += loops[level].stride;
      if (++index[level] < loops[level].count) break;
      source -= loops[level].stride * loops[level].count;
      index[level] = 0;
    }
    if (level >= loops.size()) return;
  }
}

}  // namespace xla
