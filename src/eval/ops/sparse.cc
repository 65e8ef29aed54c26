// The custom call cpu_csr_sparse_dense_ffi: products of matrices in compressed sparse rows.
#include <algorithm>
#include <vector>

#include "base/status_macros.h"
#include "eval/known_calls.h"
#include "eval/wide_array.h"
#include "xla/shape_util.h"

namespace xla::eval {
namespace {

bool IsStaticArray(const Shape& shape, int64_t rank, PrimitiveType type) {
  return shape.IsArray() && shape.is_static() && shape.dimensions_size() == rank &&
         shape.element_type() == type;
}

template <typename Wide>
absl::StatusOr<Value> MultiplySparse(const std::vector<Wide>& values,
                                     const std::vector<int64_t>& starts,
                                     const std::vector<int64_t>& columns,
                                     const std::vector<Wide>& right, const HloInstruction& call) {
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(call.shape()));
  std::vector<Wide> sums(result.element_count());
  const int64_t count = static_cast<int64_t>(values.size());
  const int64_t rows = call.shape().dimensions(0);
  const int64_t depth = call.operand(3)->shape().dimensions(0);
  const int64_t width = rows == 0 ? 0 : result.element_count() / rows;
  if (depth > 0) {
    // How many rows begin at each element.
    std::vector<int64_t> begins(count);
    for (int64_t start : starts) {
      if (start >= 0 && start < count) ++begins[start];
    }
    int64_t row = -1;
    for (int64_t k = 0; k < count; ++k) {
      row += begins[k];
      if (row < 0 || row >= rows) continue;
      const int64_t column = std::clamp<int64_t>(columns[k], 0, depth - 1);
      AddScaledRow(values[k], right.data() + column * width, width, sums.data() + row * width);
    }
  }
  StoreFrom(sums, result);
  return Value(std::move(result));
}

absl::StatusOr<Value> SparseProduct(Frame& frame, const HloInstruction& call) {
  return KindSwitch(
      [&](auto wide) {
        using Wide = decltype(wide);
        return MultiplySparse(LoadAs<Wide>(frame.array(0)), LoadAs<int64_t>(frame.array(1)),
                              LoadAs<int64_t>(frame.array(2)), LoadAs<Wide>(frame.array(3)), call);
      },
      FormatOf(call.shape().element_type()).kind);
}

}  // namespace

bool IsSparseProduct(const HloInstruction& call) {
  if (!call.IsCustomCall("cpu_csr_sparse_dense_ffi") || call.operand_count() != 4 ||
      !call.shape().IsArray() || call.shape().element_type() == PRED) {
    return false;
  }
  const Shape &result = call.shape(), &values = call.operand(0)->shape();
  const Shape &starts = call.operand(1)->shape(), &columns = call.operand(2)->shape();
  const Shape& right = call.operand(3)->shape();
  const int64_t rank = result.dimensions_size();
  const PrimitiveType type = result.element_type();
  return (rank == 1 || rank == 2) && IsStaticArray(result, rank, type) &&
         IsStaticArray(values, 1, type) && IsStaticArray(starts, 1, S32) &&
         IsStaticArray(columns, 1, S32) && IsStaticArray(right, rank, type) &&
         values.dimensions(0) == columns.dimensions(0) &&
         starts.dimensions(0) == result.dimensions(0) + 1 &&
         (rank == 1 || result.dimensions(1) == right.dimensions(1));
}

Operation FindSparseProduct(const HloInstruction& call) {
  return IsSparseProduct(call) ? &SparseProduct : nullptr;
}

}  // namespace xla::eval
