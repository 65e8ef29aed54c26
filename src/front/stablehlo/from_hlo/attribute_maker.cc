#include "front/stablehlo/from_hlo/attribute_maker.h"

#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla::stablehlo {

const Attribute* AttributeMaker::Tensor(PrimitiveType type, absl::Span<const int64_t> dimensions,
                                        const void* data, size_t size) {
  const Shape* shape = program_.Add(Shape(type, dimensions));
  const absl::string_view bytes = program_.Keep(std::string(static_cast<const char*>(data), size));
  return program_.Add(Attribute{TensorAttribute{shape, bytes, /*is_splat=*/false}});
}

const Attribute* AttributeMaker::Integers(absl::Span<const int64_t> values) {
  return Tensor(S64, {static_cast<int64_t>(values.size())}, values.data(),
                values.size() * sizeof(int64_t));
}

const Attribute* AttributeMaker::Rows(absl::Span<const std::vector<int64_t>> rows,
                                      int64_t columns) {
  std::vector<int64_t> values;
  for (const std::vector<int64_t>& row : rows) values.insert(values.end(), row.begin(), row.end());
  return Tensor(S64, {static_cast<int64_t>(rows.size()), columns}, values.data(),
                values.size() * sizeof(int64_t));
}

const Attribute* AttributeMaker::Pairs(absl::Span<const std::pair<int64_t, int64_t>> pairs) {
  std::vector<std::vector<int64_t>> rows;
  for (const auto& [first, second] : pairs) rows.push_back({first, second});
  return Rows(rows, 2);
}

const Attribute* AttributeMaker::Predicates(const std::vector<bool>& values) {
  const std::string bytes(values.begin(), values.end());
  return Tensor(PRED, {static_cast<int64_t>(values.size())}, bytes.data(), bytes.size());
}

const Attribute* AttributeMaker::Tensor(const LiteralSlice& array) {
  const Shape& shape = array.shape();
  const Literal in_order =
      array.Relayout(LayoutUtil::GetDefaultLayoutForRank(shape.dimensions_size()));
  return Tensor(shape.element_type(), shape.dimensions(), in_order.untyped_data(),
                in_order.size_bytes());
}

}  // namespace xla::stablehlo
