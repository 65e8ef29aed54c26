#include "xla/hlo/builder/lib/sorting.h"

#include <algorithm>
#include <vector>

#include "base/status_macros.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/slicing.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::StatusOr<Shape> CheckTopK(XlaOp input, int64_t k, PrimitiveType index_type) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, input.builder()->GetShape(input));
  if (!shape.IsArray() || shape.dimensions().empty()) {
    return InvalidArgument("top-k: %s has no last dimension", shape.ToString());
  }
  if (k < 0 || k > shape.dimensions().back()) {
    return InvalidArgument("top-k: cannot take %d elements of the last dimension of %s", k,
                           shape.ToString());
  }
  if (!primitive_util::IsIntegralType(index_type)) {
    return InvalidArgument("top-k: %s is no integer type for indices",
                           PrimitiveType_Name(index_type));
  }
  return shape;
}

// Elements [0, k) along the last dimension.
XlaOp FirstAlongLast(XlaOp x, const Shape& shape, int64_t k) {
  return SliceInDim(x, 0, k, 1, shape.dimensions_size() - 1);
}

// The k largest of values with their places, which come in the order that decides between equal
// values.
absl::StatusOr<std::pair<XlaOp, XlaOp>> Largest(XlaOp values, XlaOp places, const Shape& shape,
                                                int64_t k, PrimitiveType index_type) {
  XlaBuilder* builder = values.builder();
  const XlaOp sorted =
      Sort({values, places}, CreateScalarGtComputation({shape.element_type(), index_type}, builder),
           shape.dimensions_size() - 1, /*is_stable=*/true);
  return std::pair(FirstAlongLast(GetTupleElement(sorted, 0), shape, k),
                   FirstAlongLast(GetTupleElement(sorted, 1), shape, k));
}

}  // namespace

XlaOp TopK(XlaOp input, int64_t k, PrimitiveType index_type) {
  return TopKWithPartitions(input, k, /*num_partitions=*/1, index_type);
}

XlaOp TopKWithPartitions(XlaOp input, int64_t k, int64_t num_partitions, PrimitiveType index_type) {
  XlaBuilder* builder = input.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(Shape shape, CheckTopK(input, k, index_type));
    const int last = shape.dimensions_size() - 1;
    const int64_t size = shape.dimensions(last);
    HILO_ASSIGN_OR_RETURN(const Shape places_shape,
                          ShapeUtil::MakeValidatedShape(index_type, shape.dimensions()));
    XlaOp places = Iota(builder, places_shape, last);
    const int64_t part = num_partitions > 1 ? CeilOfRatio(size, num_partitions) : size;
    // Parts of k or fewer elements leave nothing out.
    if (part > k && part < size) {
      std::vector<XlaOp> part_values;
      std::vector<XlaOp> part_places;
      int64_t kept = 0;
      for (int64_t start = 0; start < size; start += part) {
        const int64_t end = std::min(start + part, size);
        Shape part_shape = shape;
        part_shape.set_dimensions(last, end - start);
        const int64_t count = std::min(k, end - start);
        HILO_ASSIGN_OR_RETURN(const auto best, Largest(SliceInDim(input, start, end, 1, last),
                                                       SliceInDim(places, start, end, 1, last),
                                                       part_shape, count, index_type));
        part_values.push_back(best.first);
        part_places.push_back(best.second);
        kept += count;
      }
      input = ConcatInDim(builder, part_values, last);
      places = ConcatInDim(builder, part_places, last);
      shape.set_dimensions(last, kept);
    }
    HILO_ASSIGN_OR_RETURN(const auto best, Largest(input, places, shape, k, index_type));
    return Tuple(builder, {best.first, best.second});
  });
}

}  // namespace xla
