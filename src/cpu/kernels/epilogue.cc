#include "cpu/kernels/epilogue.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "cpu/kernels/contraction.h"
#include "cpu/kernels/scratch.h"
#include "runtime/parallel.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Of sums that are there all at once.
constexpr int64_t kSumsWorthAThread = 1 << 14;

class ProductWithEpilogue : public runtime::LibraryKernel {
 public:
  ProductWithEpilogue(std::unique_ptr<Product> product, const runtime::LibraryCall& call,
                      const Shape& sums)
      : product_(std::move(product)),
        arrays_(call.operands.size() + call.results.size()),
        bytes_(primitive_util::ByteWidth(sums.element_type())),
        rows_(ShapeUtil::ElementsIn(sums) / call.epilogue_columns),
        columns_(call.epilogue_columns) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    const Epilogue epilogue(arrays, arrays_);
    if (product_->HasBlocks()) return product_->RunBlocks(arrays[0], arrays[1], epilogue);
    const Scratch<char> sums(rows_ * columns_ * bytes_);
    if (sums.get() == nullptr) return ResourceExhausted("no memory for %d sums", rows_ * columns_);
    HILO_RETURN_IF_ERROR(product_->Run(arrays[0], arrays[1], sums.get()));
    runtime::ParallelFor(
        rows_, std::max<int64_t>(1, kSumsWorthAThread / columns_), [&](int64_t begin, int64_t end) {
          const int64_t first = begin * columns_;
          epilogue.Run(
              {sums.get() + first * bytes_, columns_, first, columns_, end - begin, columns_});
        });
    return absl::OkStatus();
  }

 private:
  const std::unique_ptr<Product> product_;
  const size_t arrays_;
  const int64_t bytes_, rows_, columns_;
};

}  // namespace

absl::StatusOr<runtime::LibraryCall> ProductOf(const runtime::LibraryCall& call) {
  runtime::LibraryCall product = call;
  HILO_ASSIGN_OR_RETURN(Shape sums, Shape::FromProto(call.instruction.shape()));
  if (call.operands.size() < 2 || !sums.IsArray() || call.epilogue_columns <= 0 ||
      ShapeUtil::ElementsIn(sums) % call.epilogue_columns != 0) {
    return InvalidArgument("%s is no product with an epilogue", call.instruction.name());
  }
  sums.set_element_type(TypeOfSums(sums.element_type()));
  product.operands.resize(2);
  product.results = {std::move(sums)};
  return product;
}

KernelOrStatus MakeProductWithEpilogue(const runtime::LibraryCall& call, const Shape& sums,
                                       Contraction contraction) {
  contraction.epilogue_columns = call.epilogue_columns;
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Product> product, MakeProduct(std::move(contraction)));
  return std::make_unique<ProductWithEpilogue>(std::move(product), call, sums);
}

}  // namespace xla::cpu
