#include "xla/hlo/builder/lib/broadcast.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "xla/util.h"

namespace xla {

absl::StatusOr<XlaOp> BroadcastTo(XlaOp input, absl::Span<const int64_t> output_dims) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, input.builder()->GetShape(input));
  const auto fail = [&] {
    return InvalidArgument("%s cannot be broadcast to [%s]", shape.ToString(),
                           absl::StrJoin(output_dims, ","));
  };
  const int64_t rank = static_cast<int64_t>(output_dims.size());
  const int64_t leading = rank - shape.dimensions_size();
  if (!shape.IsArray() || leading < 0) return fail();
  // A dimension that is repeated n times becomes a pair (n, size), which is joined afterwards.
  std::vector<int64_t> sizes(output_dims.begin(), output_dims.begin() + leading);
  std::vector<int64_t> input_dimensions;
  bool is_split = false;
  for (int64_t i = leading; i < rank; ++i) {
    const int64_t size = shape.dimensions(static_cast<int>(i - leading));
    if (size != output_dims[i] && size > 1) {
      if (output_dims[i] % size != 0) return fail();
      sizes.push_back(output_dims[i] / size);
      is_split = true;
    }
    input_dimensions.push_back(static_cast<int64_t>(sizes.size()));
    if (size == 0 && output_dims[i] != 0) return fail();
    sizes.push_back(size <= 1 ? output_dims[i] : size);
  }
  const XlaOp repeated = BroadcastInDim(input, sizes, input_dimensions);
  return is_split ? Reshape(repeated, output_dims) : repeated;
}

}  // namespace xla
