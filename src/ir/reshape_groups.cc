#include "ir/reshape_groups.h"

#include "xla/util.h"

namespace xla {
namespace {

// Dimensions that hold more than one element, or may hold none.
struct Significant {
  std::vector<int64_t> dimensions, bounds;

  explicit Significant(const Shape& shape) {
    for (int d = 0; d < shape.dimensions_size(); ++d) {
      if (shape.dimensions(d) == 1 && !shape.is_dynamic_dimension(d)) continue;
      dimensions.push_back(d);
      bounds.push_back(shape.dimensions(d));
    }
    dimensions.push_back(shape.dimensions_size());
  }
};

}  // namespace

std::vector<ReshapeGroup> ReshapeGroups(const Shape& from, const Shape& to) {
  const Significant source(from), target(to);
  const auto borders = CommonFactors(source.bounds, target.bounds);
  std::vector<ReshapeGroup> groups;
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    const auto [first, first_to] = borders[i];
    const auto [end, end_to] = borders[i + 1];
    if ((first == end || first_to == end_to) && !groups.empty()) {
      groups.back().from_end = source.dimensions[end];
      groups.back().to_end = target.dimensions[end_to];
      continue;
    }
    groups.push_back({source.dimensions[first], source.dimensions[end], target.dimensions[first_to],
                      target.dimensions[end_to]});
  }
  return groups;
}

}  // namespace xla
