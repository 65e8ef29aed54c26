// dot and its relatives.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "cpu/kernels/contraction.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/strides.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// The loops over the dimensions of a dot, in the order of its result.
struct DotLoops {
  DotLoops(const DotDimensionNumbers& numbers, const Shape& lhs, const Shape& rhs) {
    const std::vector<int64_t> left = RowMajorStrides(lhs), right = RowMajorStrides(rhs);
    const auto pairs = [&](const auto& lhs_dimensions, const auto& rhs_dimensions, Loops& loops) {
      for (int i = 0; i < lhs_dimensions.size(); ++i) {
        const int64_t l = lhs_dimensions.Get(i), r = rhs_dimensions.Get(i);
        loops.push_back({lhs.dimensions(l), {left[l], right[r], 0}});
      }
    };
    pairs(numbers.lhs_batch_dimensions(), numbers.rhs_batch_dimensions(), batch);
    pairs(numbers.lhs_contracting_dimensions(), numbers.rhs_contracting_dimensions(), depth);
    for (int64_t d = 0; d < lhs.dimensions_size(); ++d) {
      if (!absl::c_linear_search(numbers.lhs_batch_dimensions(), d) &&
          !absl::c_linear_search(numbers.lhs_contracting_dimensions(), d)) {
        rows.push_back({lhs.dimensions(d), {left[d], 0, 0}});
      }
    }
    for (int64_t d = 0; d < rhs.dimensions_size(); ++d) {
      if (!absl::c_linear_search(numbers.rhs_batch_dimensions(), d) &&
          !absl::c_linear_search(numbers.rhs_contracting_dimensions(), d)) {
        columns.push_back({rhs.dimensions(d), {0, right[d], 0}});
      }
    }
  }

  Loops batch, rows, columns, depth;
};

Contraction MakeContraction(const DotDimensionNumbers& numbers, const Shape& lhs, const Shape& rhs,
                            const Shape& result) {
  DotLoops loops(numbers, lhs, rhs);
  int64_t stride = 1;
  for (Loops* each : {&loops.columns, &loops.rows, &loops.batch}) {
    for (size_t i = each->size(); i-- > 0;) {
      (*each)[i].strides[kResult] = stride;
      stride *= (*each)[i].size;
    }
  }
  Contraction contraction;
  contraction.types = {lhs.element_type(), rhs.element_type(), result.element_type()};
  contraction.counts = {ShapeUtil::ElementsIn(lhs), ShapeUtil::ElementsIn(rhs),
                        ShapeUtil::ElementsIn(result)};
  contraction.groups = std::move(loops.batch);
  contraction.rows = std::move(loops.rows);
  contraction.columns = std::move(loops.columns);
  contraction.depth = std::move(loops.depth);
  return contraction;
}

class Dot : public runtime::LibraryKernel {
 public:
  explicit Dot(std::unique_ptr<Product> product) : product_(std::move(product)) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    return product_->Run(arrays[0], arrays[1], arrays[2]);
  }

 private:
  std::unique_ptr<Product> product_;
};

}  // namespace

KernelOrStatus MakeDot(const runtime::LibraryCall& call) {
  if (call.operands.size() != 2)
    return Unimplemented("dot %s with sparse operands", call.instruction.name());
  HILO_ASSIGN_OR_RETURN(
      std::unique_ptr<Product> product,
      MakeProduct(MakeContraction(call.instruction.dot_dimension_numbers(), call.operands[0],
                                  call.operands[1], call.results[0])));
  return std::make_unique<Dot>(std::move(product));
}

}  // namespace xla::cpu
