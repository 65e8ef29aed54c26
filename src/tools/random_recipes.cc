#include "tools/random_recipes.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "ir/records.h"
#include "tools/fake_inputs.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/window_util.h"

namespace xla {

HloInstruction* ValuePool::Add(std::unique_ptr<HloInstruction> instruction) {
  values_.push_back(builder_.AddInstruction(std::move(instruction)));
  return values_.back();
}

HloInstruction* ValuePool::AnyArray(int64_t rank) {
  constexpr int kTries = 30;
  for (int i = 0; i < kTries; ++i) {
    HloInstruction* value = Any();
    if (value->shape().IsArrayExcludingBuffer() && value->shape().dimensions_size() >= rank)
      return value;
  }
  Shape shape = RandomArray(random_, types_);
  while (shape.dimensions_size() < rank) shape.add_dimensions(RandomSize(random_));
  return Array(shape.element_type(), shape.dimensions());
}

HloInstruction* ValuePool::Array(PrimitiveType type, absl::Span<const int64_t> dimensions) {
  const Shape shape = ShapeUtil::MakeShape(type, dimensions);
  std::vector<HloInstruction*> same;
  for (HloInstruction* value : values_) {
    if (ShapeUtil::Equal(value->shape(), shape)) same.push_back(value);
  }
  if (!same.empty() && random_.Below(4) != 0) return random_.OneOf(same);
  int64_t number = random_.Below(100);
  return Add(HloInstruction::CreateConstant(MakeFakeLiteral(shape, &number).value()));
}

HloInstruction* ValuePool::Number(PrimitiveType type, int64_t value) {
  Literal number = LiteralUtil::CreateR0<int32_t>(static_cast<int32_t>(value));
  return Add(HloInstruction::CreateConstant(number.Convert(type).value()));
}

namespace {

DimensionVector RandomSizes(Random& random, int64_t rank) {
  DimensionVector sizes(rank);
  for (int64_t& size : sizes) size = RandomSize(random);
  return sizes;
}

PrimitiveType AnyType(ValuePool& pool) {
  return pool.types()[pool.random().Below(static_cast<int64_t>(pool.types().size()))];
}

constexpr PrimitiveType kIntegers[] = {S8, S32, S64, U8, U32, U64};
constexpr PrimitiveType kFloats[] = {F16, BF16, F32, F64};
constexpr PrimitiveType kFactored[] = {F32, F64, C64, C128};

Shape WithDimensions(const Shape& shape, absl::Span<const int64_t> dimensions) {
  return ShapeUtil::MakeShape(shape.element_type(), dimensions);
}

template <typename Record>
Proposal Propose(std::vector<HloInstruction*> operands, Record record,
                 std::optional<Shape> declared = std::nullopt) {
  return {std::move(operands), std::make_unique<Record>(std::move(record)), std::move(declared)};
}

// ---- Data movement --------------------------------------------------------------------------

Proposal Broadcast(ValuePool& pool) {
  HloInstruction* operand = pool.AnyArray();
  const int64_t rank = operand->shape().dimensions_size();
  DimensionVector sizes = RandomSizes(pool.random(), rank + pool.random().Below(3));
  BroadcastAttributes attributes;
  attributes.dimensions = pool.random().Permutation(static_cast<int64_t>(sizes.size()));
  attributes.dimensions.resize(rank);
  if (pool.random().Coin()) absl::c_sort(attributes.dimensions);
  for (int64_t d = 0; d < rank; ++d)
    sizes[attributes.dimensions[d]] = operand->shape().dimensions(static_cast<int>(d));
  Shape declared = WithDimensions(operand->shape(), sizes);
  for (int64_t d = 0; d < rank; ++d) {
    if (operand->shape().is_dynamic_dimension(static_cast<int>(d)))
      declared.set_dynamic_dimension(static_cast<int>(attributes.dimensions[d]), true);
  }
  return Propose<BroadcastAttributes>({operand}, std::move(attributes), std::move(declared));
}

// As many elements in dimensions that need not have borders in common with the others.
Shape Regrouped(Random& random, const Shape& shape) {
  std::vector<int64_t> factors;
  int64_t rest = ShapeUtil::ElementsIn(shape);
  for (int64_t factor = 2; rest > 1; ++factor) {
    for (; rest % factor == 0; rest /= factor) factors.push_back(factor);
  }
  DimensionVector sizes = {1};
  for (int64_t i : random.Permutation(static_cast<int64_t>(factors.size()))) {
    if (sizes.back() > 1 && random.Coin()) sizes.push_back(1);
    sizes.back() *= factors[i];
  }
  return WithDimensions(shape, sizes);
}

// Some neighbouring dimensions become one, and there are new ones of size 1.
Proposal Reshape(ValuePool& pool) {
  HloInstruction* operand = pool.AnyArray();
  const bool is_plain =
      operand->shape().is_static() && !ShapeUtil::IsZeroElementArray(operand->shape());
  if (pool.random().has_large_arrays() && is_plain && pool.random().Coin()) {
    return Propose<ReshapeAttributes>({operand}, {}, Regrouped(pool.random(), operand->shape()));
  }
  Shape declared(operand->shape().element_type());
  bool merges = false;
  for (int d = 0; d < operand->shape().dimensions_size(); ++d) {
    const int64_t size = operand->shape().dimensions(d);
    const bool is_dynamic = operand->shape().is_dynamic_dimension(d);
    if (pool.random().Below(4) == 0) declared.add_dimensions(1);
    const int last = declared.dimensions_size() - 1;
    if (merges && last >= 0) {
      declared.set_dimensions(last, declared.dimensions(last) * size,
                              is_dynamic || declared.is_dynamic_dimension(last));
    } else {
      declared.add_dimensions(size, is_dynamic);
    }
    merges = pool.random().Coin();
  }
  return Propose<ReshapeAttributes>({operand}, {}, std::move(declared));
}

std::vector<HloInstruction*> Starts(ValuePool& pool, int64_t rank) {
  const PrimitiveType type = pool.random().OneOf(kIntegers);
  std::vector<HloInstruction*> starts;
  for (int64_t d = 0; d < rank; ++d)
    starts.push_back(pool.random().Coin() ? pool.Number(type, pool.random().Below(4))
                                          : pool.Array(type, {}));
  return starts;
}

int64_t PartOf(Random& random, int64_t size) { return size == 0 ? 0 : 1 + random.Below(size); }

Proposal DynamicSlice(ValuePool& pool) {
  HloInstruction* operand = pool.AnyArray();
  std::vector<HloInstruction*> operands = {operand};
  DynamicSliceAttributes attributes;
  for (int64_t size : operand->shape().dimensions())
    attributes.slice_sizes.push_back(PartOf(pool.random(), size));
  absl::c_copy(Starts(pool, operand->shape().dimensions_size()), std::back_inserter(operands));
  const Shape declared = WithDimensions(operand->shape(), attributes.slice_sizes);
  return Propose<DynamicSliceAttributes>(std::move(operands), std::move(attributes), declared);
}

Proposal DynamicUpdateSlice(ValuePool& pool) {
  HloInstruction* operand = pool.AnyArray();
  DimensionVector sizes;
  for (int64_t size : operand->shape().dimensions()) sizes.push_back(PartOf(pool.random(), size));
  std::vector<HloInstruction*> operands = {operand,
                                           pool.Array(operand->shape().element_type(), sizes)};
  absl::c_copy(Starts(pool, operand->shape().dimensions_size()), std::back_inserter(operands));
  return {std::move(operands), nullptr, operand->shape()};
}

// ---- Gather and scatter ---------------------------------------------------------------------

// Which dimensions of an operand are indexed, kept and repeated over, and an array of indices that
// goes with it.
struct Indexing {
  HloInstruction* operand;
  HloInstruction* indices;
  Int64List removed, index_map, operand_batch, indices_batch;
  Int64List slice_sizes;
  DimensionVector batch_sizes;  // of the array of index vectors
  int64_t vector_dimension;

  explicit Indexing(ValuePool& pool) : operand(pool.AnyArray(1)) {
    Random& random = pool.random();
    const auto bounds = operand->shape().dimensions();
    for (int64_t d = 0; d < static_cast<int64_t>(bounds.size()); ++d) {
      const int64_t size = bounds[d];
      slice_sizes.push_back(random.Below(3) == 0 ? size : PartOf(random, size));
      if (random.Below(6) == 0) {
        operand_batch.push_back(d);
        slice_sizes.back() = std::min<int64_t>(size, 1);
        continue;
      }
      if (random.Coin() && size > 0) {
        removed.push_back(d);
        slice_sizes.back() = 1;
      }
      if (random.Coin()) index_map.push_back(d);
    }
    if (random.Coin()) std::reverse(index_map.begin(), index_map.end());
    MakeIndices(pool, bounds);
  }

  void MakeIndices(ValuePool& pool, absl::Span<const int64_t> bounds) {
    Random& random = pool.random();
    for (int64_t d : operand_batch) batch_sizes.push_back(bounds[d]);
    for (int64_t more = random.Below(3); more > 0; --more)
      batch_sizes.push_back(RandomSize(random));
    const int64_t rank = static_cast<int64_t>(batch_sizes.size());
    const bool is_implicit = index_map.size() == 1 && random.Coin();
    vector_dimension = is_implicit ? rank : random.Below(rank + 1);
    DimensionVector sizes = batch_sizes;
    if (!is_implicit) {
      sizes.insert(sizes.begin() + vector_dimension, static_cast<int64_t>(index_map.size()));
    }
    for (int64_t k = 0; k < static_cast<int64_t>(operand_batch.size()); ++k)
      indices_batch.push_back(!is_implicit && k >= vector_dimension ? k + 1 : k);
    indices = pool.Array(random.OneOf(kIntegers), sizes);
  }

  // The sizes of the slice's dimensions that stay.
  DimensionVector WindowSizes() const {
    DimensionVector sizes;
    for (int64_t d = 0; d < static_cast<int64_t>(slice_sizes.size()); ++d) {
      if (!absl::c_linear_search(removed, d) && !absl::c_linear_search(operand_batch, d))
        sizes.push_back(slice_sizes[d]);
    }
    return sizes;
  }

  // `count` places among those of the index vectors.
  Int64List WindowPlaces(Random& random, size_t count) const {
    Int64List places = random.Permutation(static_cast<int64_t>(count + batch_sizes.size()));
    places.resize(count);
    absl::c_sort(places);
    return places;
  }
};

Proposal Gather(ValuePool& pool) {
  const Indexing indexing(pool);
  GatherAttributes attributes;
  attributes.offset_dims = indexing.WindowPlaces(pool.random(), indexing.WindowSizes().size());
  attributes.collapsed_slice_dims = indexing.removed;
  attributes.start_index_map = indexing.index_map;
  attributes.operand_batching_dims = indexing.operand_batch;
  attributes.start_indices_batching_dims = indexing.indices_batch;
  attributes.index_vector_dim = indexing.vector_dimension;
  attributes.slice_sizes = indexing.slice_sizes;
  return Propose<GatherAttributes>({indexing.operand, indexing.indices}, std::move(attributes));
}

Proposal Scatter(ValuePool& pool) {
  Random& random = pool.random();
  const Indexing indexing(pool);
  const DimensionVector window = indexing.WindowSizes();
  ScatterAttributes attributes;
  attributes.update_window_dims = indexing.WindowPlaces(random, window.size());
  attributes.inserted_window_dims = indexing.removed;
  attributes.scatter_dims_to_operand_dims = indexing.index_map;
  attributes.input_batching_dims = indexing.operand_batch;
  attributes.scatter_indices_batching_dims = indexing.indices_batch;
  attributes.index_vector_dim = indexing.vector_dimension;
  attributes.unique_indices = random.Below(4) == 0;
  DimensionVector updates;
  size_t next_window = 0, next_batch = 0;
  for (size_t d = 0; d < window.size() + indexing.batch_sizes.size(); ++d) {
    const bool is_window = absl::c_linear_search(attributes.update_window_dims, d);
    updates.push_back(is_window ? window[next_window++] : indexing.batch_sizes[next_batch++]);
  }
  const Shape& shape = indexing.operand->shape();
  const PrimitiveType second = AnyType(pool);
  const bool has_two = random.Below(3) == 0;
  std::vector<HloInstruction*> operands = {indexing.operand};
  if (has_two) operands.push_back(pool.Array(second, shape.dimensions()));
  operands.push_back(indexing.indices);
  operands.push_back(pool.Array(shape.element_type(), updates));
  if (has_two) operands.push_back(pool.Array(second, updates));
  return Propose<ScatterAttributes>(std::move(operands), std::move(attributes));
}

// ---- Products -------------------------------------------------------------------------------

// One side of a product: groups of dimensions in any order.
struct Side {
  DimensionVector sizes;
  Int64List places;  // of the dimensions in the order in which the groups were given

  Side(Random& random, std::initializer_list<DimensionVector> groups) {
    DimensionVector all;
    for (const DimensionVector& group : groups) absl::c_copy(group, std::back_inserter(all));
    places = random.Permutation(static_cast<int64_t>(all.size()));
    sizes.resize(all.size());
    for (size_t i = 0; i < all.size(); ++i) sizes[places[i]] = all[i];
  }

  Int64List Places(size_t first, size_t count) const {
    return {places.begin() + first, places.begin() + first + count};
  }
};

struct Product {
  DimensionVector batch, contracting;
  Side lhs, rhs;

  // Dimensions that only the right side has go before its batch dimensions.
  Product(Random& random, DimensionVector batch, DimensionVector contracting,
          const DimensionVector& rhs_groups = {})
      : batch(std::move(batch)),
        contracting(std::move(contracting)),
        lhs(random, {this->batch, this->contracting, RandomSizes(random, random.Below(2))}),
        rhs(random,
            {this->batch, this->contracting, rhs_groups, RandomSizes(random, random.Below(2))}) {}

  void SetDimensions(DotDimensions& dimensions) const {
    dimensions.lhs_batch = lhs.Places(0, batch.size());
    dimensions.lhs_contracting = lhs.Places(batch.size(), contracting.size());
    dimensions.rhs_batch = rhs.Places(0, batch.size());
    dimensions.rhs_contracting = rhs.Places(batch.size(), contracting.size());
  }
};

Proposal Dot(ValuePool& pool) {
  Random& random = pool.random();
  const Product product(random, RandomSizes(random, random.Below(2)),
                        RandomSizes(random, random.Below(3)));
  const PrimitiveType type = AnyType(pool);
  DotAttributes attributes;
  product.SetDimensions(attributes);
  return Propose<DotAttributes>(
      {pool.Array(type, product.lhs.sizes), pool.Array(type, product.rhs.sizes)},
      std::move(attributes));
}

Proposal ScaledDot(ValuePool& pool) {
  Proposal dot = Dot(pool);
  for (int side = 0; side < 2; ++side) {
    DimensionVector sizes;
    if (pool.random().Coin()) {
      for (int64_t size : dot.operands[side]->shape().dimensions())
        sizes.push_back(pool.random().Coin() && size > 0 ? 1 : size);
    }
    dot.operands.push_back(pool.Array(dot.operands[side]->shape().element_type(), sizes));
  }
  return dot;
}

Proposal RaggedDot(ValuePool& pool) {
  Random& random = pool.random();
  const int64_t groups = 1 + random.Below(3);
  enum { kFree, kContracting, kBatch } ragged = static_cast<decltype(ragged)>(random.Below(3));
  const Product product(random, RandomSizes(random, ragged == kBatch ? 1 : random.Below(2)),
                        RandomSizes(random, 1),
                        ragged == kFree ? DimensionVector{groups} : DimensionVector{});
  RaggedDotAttributes attributes;
  product.SetDimensions(attributes);
  const size_t batch = product.batch.size();
  const Int64List& places = product.lhs.places;
  if (ragged == kFree && places.size() == batch + 1) return {};
  attributes.lhs_ragged = {places[ragged == kFree ? batch + 1 : ragged == kBatch ? 0 : batch]};
  if (ragged == kFree) attributes.rhs_group = product.rhs.Places(batch + 1, 1);
  const PrimitiveType type = AnyType(pool);
  return Propose<RaggedDotAttributes>(
      {pool.Array(type, product.lhs.sizes), pool.Array(type, product.rhs.sizes),
       pool.Array(random.OneOf(kIntegers), {groups})},
      std::move(attributes));
}

// Batch, feature and spatial sizes at the places that the dimension numbers say.
struct ConvolutionSizes {
  int64_t spatial_rank, feature_groups, batch_groups, features, outputs;

  explicit ConvolutionSizes(Random& random)
      : spatial_rank(random.Below(3)),
        feature_groups(random.Below(3) == 0 ? 2 : 1),
        batch_groups(feature_groups == 1 && random.Below(3) == 0 ? 2 : 1),
        features(1 + random.Below(2)),
        outputs(feature_groups * batch_groups * (1 + random.Below(2))) {}
};

Proposal Convolution(ValuePool& pool) {
  Random& random = pool.random();
  const ConvolutionSizes sizes(random);
  const int64_t rank = sizes.spatial_rank + 2;
  const Int64List input_at = random.Permutation(rank), kernel_at = random.Permutation(rank),
                  output_at = random.Permutation(rank);
  DimensionVector input(rank), kernel(rank);
  input[input_at[0]] = sizes.batch_groups * random.Below(3);
  input[input_at[1]] = sizes.features * sizes.feature_groups;
  kernel[kernel_at[0]] = sizes.features;
  kernel[kernel_at[1]] = sizes.outputs;
  ConvolutionAttributes attributes;
  attributes.feature_group_count = sizes.feature_groups;
  attributes.batch_group_count = sizes.batch_groups;
  ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  numbers.set_input_batch_dimension(input_at[0]);
  numbers.set_input_feature_dimension(input_at[1]);
  numbers.set_kernel_input_feature_dimension(kernel_at[0]);
  numbers.set_kernel_output_feature_dimension(kernel_at[1]);
  numbers.set_output_batch_dimension(output_at[0]);
  numbers.set_output_feature_dimension(output_at[1]);
  SetAtRandom(random, sizes.spatial_rank, pool.types(), &attributes.window);
  for (int64_t d = 0; d < sizes.spatial_rank; ++d) {
    numbers.add_input_spatial_dimensions(input_at[d + 2]);
    numbers.add_kernel_spatial_dimensions(kernel_at[d + 2]);
    numbers.add_output_spatial_dimensions(output_at[d + 2]);
    input[input_at[d + 2]] = RandomSize(random);
    kernel[kernel_at[d + 2]] = attributes.window.dimensions(static_cast<int>(d)).size();
    attributes.window.mutable_dimensions(static_cast<int>(d))->set_window_reversal(random.Coin());
  }
  const PrimitiveType type = AnyType(pool);
  return Propose<ConvolutionAttributes>({pool.Array(type, input), pool.Array(type, kernel)},
                                        std::move(attributes));
}

// ---- Windows, statistics, linear algebra ----------------------------------------------------

Proposal SelectAndScatter(ValuePool& pool) {
  HloInstruction* operand = pool.AnyArray();
  WindowAttributes attributes;
  SetAtRandom(pool.random(), operand->shape().dimensions_size(), pool.types(), &attributes.window);
  DimensionVector sizes;
  for (int d = 0; d < operand->shape().dimensions_size(); ++d) {
    const WindowDimension& window = attributes.window.dimensions(d);
    const int64_t padded =
        window_util::DilatedBound(operand->shape().dimensions(d), window.base_dilation()) +
        window.padding_low() + window.padding_high();
    const int64_t extent = window_util::DilatedBound(window.size(), window.window_dilation());
    sizes.push_back(
        window_util::StridedBound(std::max<int64_t>(padded, 0), extent, window.stride()));
  }
  const PrimitiveType type = operand->shape().element_type();
  return Propose<WindowAttributes>({operand, pool.Array(type, sizes), pool.Array(type, {})},
                                   std::move(attributes));
}

// An array and `parameters` vectors with an element for each feature.
Proposal BatchNorm(ValuePool& pool, int parameters) {
  const DimensionVector sizes = RandomSizes(pool.random(), 1 + pool.random().Below(3));
  const PrimitiveType type = pool.random().OneOf(kFloats);
  BatchNormAttributes attributes;
  attributes.feature_index = pool.random().Below(static_cast<int64_t>(sizes.size()));
  attributes.epsilon = 0.25;
  std::vector<HloInstruction*> operands = {pool.Array(type, sizes)};
  for (int i = 0; i < parameters; ++i)
    operands.push_back(pool.Array(type, {sizes[attributes.feature_index]}));
  return Propose<BatchNormAttributes>(std::move(operands), attributes);
}

Proposal BatchNormTraining(ValuePool& pool) { return BatchNorm(pool, 2); }
Proposal BatchNormInference(ValuePool& pool) { return BatchNorm(pool, 4); }
Proposal BatchNormGrad(ValuePool& pool) {
  Proposal norm = BatchNorm(pool, 3);
  const Shape& shape = norm.operands[0]->shape();
  norm.operands.push_back(pool.Array(shape.element_type(), shape.dimensions()));
  return norm;
}

Proposal Cholesky(ValuePool& pool) {
  DimensionVector sizes = RandomSizes(pool.random(), 1 + pool.random().Below(2));
  sizes.push_back(sizes.back());
  CholeskyAttributes attributes;
  attributes.lower = pool.random().Coin();
  return Propose<CholeskyAttributes>({pool.Array(pool.random().OneOf(kFactored), sizes)},
                                     attributes);
}

Proposal TriangularSolve(ValuePool& pool) {
  Random& random = pool.random();
  const DimensionVector batch = RandomSizes(random, random.Below(2));
  const int64_t n = RandomSize(random), other = RandomSize(random);
  TriangularSolveAttributes attributes;
  attributes.left_side = random.Coin();
  attributes.lower = random.Coin();
  attributes.unit_diagonal = random.Coin();
  attributes.transpose_a = TriangularSolveOptions::NO_TRANSPOSE + random.Below(3);
  DimensionVector a = batch, b = batch;
  a.insert(a.end(), {n, n});
  b.insert(b.end(), {attributes.left_side ? n : other, attributes.left_side ? other : n});
  const PrimitiveType type = random.OneOf(kFactored);
  return Propose<TriangularSolveAttributes>({pool.Array(type, a), pool.Array(type, b)}, attributes);
}

Proposal Fft(ValuePool& pool) {
  Random& random = pool.random();
  FftAttributes attributes;
  attributes.fft_type = static_cast<int>(random.Below(4));
  const DimensionVector sizes = RandomSizes(random, 1 + random.Below(3));
  const int64_t axes = 1 + random.Below(static_cast<int64_t>(sizes.size()));
  attributes.fft_length.assign(sizes.end() - axes, sizes.end());
  DimensionVector operand = sizes;
  if (attributes.fft_type == IRFFT && sizes.back() > 0) operand.back() = sizes.back() / 2 + 1;
  const bool is_real = attributes.fft_type == RFFT;
  const bool is_wide = random.Coin();
  const PrimitiveType type = is_real ? (is_wide ? F64 : F32) : (is_wide ? C128 : C64);
  return Propose<FftAttributes>({pool.Array(type, operand)}, std::move(attributes));
}

// ---- Sizes, random numbers ------------------------------------------------------------------

// Dimensions with one bound get one size, so that later operations may find them equal.
int64_t UsualSize(int64_t bound) { return (bound + 1) / 2; }

Proposal SetDimensionSize(ValuePool& pool) {
  HloInstruction* operand = pool.AnyArray(1);
  OneDimensionAttributes attributes;
  attributes.dimension = pool.random().Below(operand->shape().dimensions_size());
  const int64_t bound = operand->shape().dimensions(static_cast<int>(attributes.dimension));
  const int64_t size =
      pool.random().Below(4) == 0 ? pool.random().Below(bound + 1) : UsualSize(bound);
  return Propose<OneDimensionAttributes>({operand, pool.Number(S32, size)}, attributes);
}

Proposal DynamicReshape(ValuePool& pool) {
  Proposal reshape = Reshape(pool);
  for (int d = 0; d < reshape.declared->dimensions_size(); ++d)
    reshape.operands.push_back(pool.Number(S32, reshape.declared->dimensions(d)));
  reshape.attributes = nullptr;
  return reshape;
}

Proposal Rng(ValuePool& pool) {
  Shape declared = RandomArray(pool.random(), pool.types());
  if (primitive_util::IsComplexType(declared.element_type())) declared.set_element_type(F32);
  RngAttributes attributes;
  const bool may_be_normal = primitive_util::IsFloatingPointType(declared.element_type());
  attributes.distribution = may_be_normal && pool.random().Coin() ? RNG_NORMAL : RNG_UNIFORM;
  const PrimitiveType type = declared.element_type();
  return Propose<RngAttributes>({pool.Array(type, {}), pool.Array(type, {})}, attributes,
                                std::move(declared));
}

Proposal RngBitGenerator(ValuePool& pool) {
  RngBitGeneratorAttributes attributes;
  attributes.algorithm = static_cast<int>(pool.random().Below(3));
  HloInstruction* state = pool.Array(U64, {2});
  const Shape bits = RandomArray(pool.random(), pool.types());
  return Propose<RngBitGeneratorAttributes>({state}, attributes,
                                            ShapeUtil::MakeTupleShape({state->shape(), bits}));
}

Proposal RngGetAndUpdateState(ValuePool& pool) {
  RngGetAndUpdateStateAttributes attributes;
  attributes.delta = pool.random().Below(5);
  return Propose<RngGetAndUpdateStateAttributes>({}, attributes, ShapeUtil::MakeShape(U64, {2}));
}

Proposal StochasticConvert(ValuePool& pool) {
  constexpr PrimitiveType kResults[] = {S4, S8, S32, S64};
  const DimensionVector sizes = RandomSizes(pool.random(), pool.random().Below(3));
  const PrimitiveType type = pool.random().OneOf(kFloats);
  const PrimitiveType bits =
      primitive_util::UnsignedIntegralTypeForBitWidth(primitive_util::BitWidth(type));
  return {{pool.Array(type, sizes), pool.Array(bits, sizes)},
          nullptr,
          ShapeUtil::MakeShape(pool.random().OneOf(kResults), sizes)};
}

// Inputs that are equally long in one dimension, then carries.
Proposal Scan(ValuePool& pool) {
  Random& random = pool.random();
  HloInstruction* input = pool.AnyArray(1);
  ScanAttributes attributes;
  attributes.dimension = random.Below(input->shape().dimensions_size());
  attributes.is_reverse = random.Coin();
  std::vector<HloInstruction*> operands = {input};
  if (random.Coin()) {
    operands.push_back(pool.Array(
        AnyType(pool), {input->shape().dimensions(static_cast<int>(attributes.dimension))}));
    if (attributes.dimension != 0) operands.pop_back();
  }
  attributes.num_carries = random.Below(3);
  for (int64_t k = 0; k < attributes.num_carries; ++k) operands.push_back(pool.AnyArray());
  return Propose<ScanAttributes>(std::move(operands), attributes);
}

// The beginning of a transfer: data to send, or only a token.
Proposal Transfer(ValuePool& pool, bool sends) {
  SendRecvAttributes attributes;
  attributes.channel_id = 1 + pool.random().Below(3);
  attributes.is_host_transfer = pool.random().Coin();
  const Shape token = ShapeUtil::MakeTokenShape();
  HloInstruction* data = pool.AnyArray();
  HloInstruction* after = pool.Add(HloInstruction::Create(HloOpcode::kAfterAll, token, {}));
  std::vector<HloInstruction*> operands = {after};
  if (sends) operands.insert(operands.begin(), data);
  return Propose<SendRecvAttributes>(
      std::move(operands), attributes,
      ShapeUtil::MakeTupleShape({data->shape(), ShapeUtil::MakeShape(U32, {}), token}));
}

Proposal Send(ValuePool& pool) { return Transfer(pool, /*sends=*/true); }
Proposal Recv(ValuePool& pool) { return Transfer(pool, /*sends=*/false); }

// The end of a transfer that has begun.
template <HloOpcode begin>
Proposal TransferDone(ValuePool& pool) {
  for (HloInstruction* value : pool.values()) {
    if (value->opcode() != begin) continue;
    Proposal done = {{value}, value->attributes().Clone(), std::nullopt};
    const Shape& context = value->shape();
    const Shape token = ShapeUtil::MakeTokenShape();
    done.declared = begin == HloOpcode::kSend
                        ? token
                        : ShapeUtil::MakeTupleShape({context.tuple_shapes(0), token});
    return done;
  }
  return {};
}

}  // namespace

Recipe FindRecipe(HloOpcode opcode) {
  static const auto* const kRecipes = new absl::flat_hash_map<HloOpcode, Recipe>({
      {HloOpcode::kBatchNormGrad, BatchNormGrad},
      {HloOpcode::kBatchNormInference, BatchNormInference},
      {HloOpcode::kBatchNormTraining, BatchNormTraining},
      {HloOpcode::kBroadcast, Broadcast},
      {HloOpcode::kCholesky, Cholesky},
      {HloOpcode::kConvolution, Convolution},
      {HloOpcode::kDot, Dot},
      {HloOpcode::kDynamicReshape, DynamicReshape},
      {HloOpcode::kDynamicSlice, DynamicSlice},
      {HloOpcode::kDynamicUpdateSlice, DynamicUpdateSlice},
      {HloOpcode::kFft, Fft},
      {HloOpcode::kGather, Gather},
      {HloOpcode::kRaggedDot, RaggedDot},
      {HloOpcode::kRecv, Recv},
      {HloOpcode::kRecvDone, TransferDone<HloOpcode::kRecv>},
      {HloOpcode::kReshape, Reshape},
      {HloOpcode::kRng, Rng},
      {HloOpcode::kRngBitGenerator, RngBitGenerator},
      {HloOpcode::kRngGetAndUpdateState, RngGetAndUpdateState},
      {HloOpcode::kScaledDot, ScaledDot},
      {HloOpcode::kScan, Scan},
      {HloOpcode::kScatter, Scatter},
      {HloOpcode::kSelectAndScatter, SelectAndScatter},
      {HloOpcode::kSend, Send},
      {HloOpcode::kSendDone, TransferDone<HloOpcode::kSend>},
      {HloOpcode::kSetDimensionSize, SetDimensionSize},
      {HloOpcode::kStochasticConvert, StochasticConvert},
      {HloOpcode::kTriangularSolve, TriangularSolve},
  });
  const auto found = kRecipes->find(opcode);
  return found == kRecipes->end() ? nullptr : found->second;
}

}  // namespace xla
