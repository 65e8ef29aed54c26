#include "tools/random_values.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "tools/fake_inputs.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {

Int64List Random::Permutation(int64_t count) {
  Int64List list(count);
  std::iota(list.begin(), list.end(), 0);
  for (int64_t i = count - 1; i > 0; --i) std::swap(list[i], list[Below(i + 1)]);
  return list;
}

Int64List Random::Some(int64_t count) {
  Int64List list;
  for (int64_t i = 0; i < count; ++i) {
    if (Coin()) list.push_back(i);
  }
  return list;
}

absl::Span<const PrimitiveType> ArrayTypes() {
  static const std::vector<PrimitiveType>* const kTypes = [] {
    auto* types = new std::vector<PrimitiveType>;
    for (int i = PRIMITIVE_TYPE_INVALID + 1; i <= PrimitiveType_MAX; ++i) {
      if (PrimitiveType_IsValid(i) && primitive_util::IsArrayType(static_cast<PrimitiveType>(i)))
        types->push_back(static_cast<PrimitiveType>(i));
    }
    return types;
  }();
  return *kTypes;
}

int64_t RandomSize(Random& random) {
  constexpr int64_t kLarge[] = {4, 5, 7, 8, 9, 12, 16, 17, 24, 33, 48, 64, 100};
  if (random.has_large_arrays() && random.Coin()) return random.OneOf(kLarge);
  return random.Below(10) == 0 ? 0 : 1 + random.Below(3);
}

Shape RandomArray(Random& random, absl::Span<const PrimitiveType> types) {
  DimensionVector dimensions(random.Below(4));
  int64_t elements = 1;
  for (int64_t& size : dimensions) {
    size = RandomSize(random);
    if (elements * size > random.most_elements()) size = 1;
    elements *= size;
  }
  return ShapeUtil::MakeShape(random.OneOf(types), dimensions);
}

namespace {

struct FieldSetter {
  Random& random;
  int64_t rank;
  absl::Span<const PrimitiveType> types;

  // Counts, which are 1 in a fresh record, are never 0.
  void operator()(int64_t* value) const {
    *value = *value == 1 ? 1 + random.Below(3) : random.Below(4);
  }
  void operator()(bool* value) const { *value = random.Coin(); }
  void operator()(float* value) const { *value = static_cast<float>(1 + random.Below(4)) / 4; }
  void operator()(std::string* value) const { *value = "name"; }
  void operator()(std::optional<int64_t>* value) const {
    if (random.Coin())
      *value = 1 + random.Below(3);  // protobuf does not tell a channel 0 from none
  }
  void operator()(std::optional<bool>* value) const {
    if (random.Coin()) *value = random.Coin();
  }
  void operator()(Int64List* value) const {
    if (random.Below(3) == 0) {  // sizes
      for (int64_t i = 0; i < rank; ++i) value->push_back(random.Below(3));
      return;
    }
    *value = random.Permutation(rank);
    if (random.Coin()) return;
    value->resize(random.Below(rank + 1));
    absl::c_sort(*value);
  }
  void operator()(const EnumReference& reference) const {
    reference.set_value(random.OneOf(reference.names).value);
  }
  void operator()(const OptionalEnumReference& reference) const {
    if (random.Coin()) *reference.value = random.OneOf(reference.names).value;
  }
  void operator()(std::optional<Window>* window) const {
    if (random.Coin()) (*this)(&window->emplace());
  }
  void operator()(Window* window) const {
    for (int64_t i = 0; i < rank; ++i) {
      WindowDimension* dimension = window->add_dimensions();
      dimension->set_size(1 + random.Below(2));
      dimension->set_stride(1 + random.Below(2));
      dimension->set_padding_low(random.Below(3) - 1);
      dimension->set_padding_high(random.Below(3) - 1);
      dimension->set_window_dilation(1 + random.Below(2));
      dimension->set_base_dilation(1 + random.Below(2));
    }
  }
  void operator()(PaddingConfig* padding) const {
    for (int64_t i = 0; i < rank; ++i) {
      PaddingConfig::PaddingConfigDimension* dimension = padding->add_dimensions();
      dimension->set_edge_padding_low(random.Below(4) - 1);
      dimension->set_edge_padding_high(random.Below(4) - 1);
      dimension->set_interior_padding(random.Below(2));
    }
  }
  void operator()(ConvolutionDimensionNumbers* numbers) const {
    if (rank < 2) return;
    const Int64List input = random.Permutation(rank);
    const Int64List kernel = random.Permutation(rank);
    const Int64List output = random.Permutation(rank);
    numbers->set_input_batch_dimension(input[0]);
    numbers->set_input_feature_dimension(input[1]);
    numbers->set_kernel_input_feature_dimension(kernel[0]);
    numbers->set_kernel_output_feature_dimension(kernel[1]);
    numbers->set_output_batch_dimension(output[0]);
    numbers->set_output_feature_dimension(output[1]);
    for (int64_t i = 2; i < rank; ++i) {
      numbers->add_input_spatial_dimensions(input[i]);
      numbers->add_kernel_spatial_dimensions(kernel[i]);
      numbers->add_output_spatial_dimensions(output[i]);
    }
  }
  void operator()(std::vector<SliceRange>* ranges) const {
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t start = random.Below(2);
      ranges->push_back({start, start + random.Below(3), 1 + random.Below(2)});
    }
  }
  void operator()(SharedLiteral* literal) const {
    int64_t number = random.Below(100);
    absl::StatusOr<Literal> made = MakeFakeLiteral(RandomArray(random, types), &number);
    if (made.ok()) *literal = std::make_shared<const Literal>(*std::move(made));
  }
  template <typename Other>
  void operator()(const Other&) const {}
};

}  // namespace

void SetAtRandom(Random& random, int64_t rank, absl::Span<const PrimitiveType> types,
                 const FieldReference& field) {
  std::visit(FieldSetter{random, rank, types}, field);
}

}  // namespace xla
