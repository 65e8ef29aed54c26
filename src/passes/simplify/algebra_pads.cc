// Sums of arrays that are padded with zeros. Where all but one of them are zero everywhere, as in
// gradients of what is taken apart, the arrays are put together instead.
#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "data/sizes.h"
#include "passes/graph_builder.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/match.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Elements of shorter rows are interleaved in registers.
constexpr int64_t kLeastRow = 8;

// An array whose elements lie at low, low + step, ... along one dimension, in the order of the sum.
struct PaddedPart {
  HloInstruction* array;
  int64_t low, step, size;
};

bool IsTerm(const HloInstruction& sum, const HloInstruction& operand) {
  return operand.opcode() == HloOpcode::kAdd && operand.user_count() == 1 &&
         SameSizes(sum, operand);
}

bool IsPaddedWithZeros(const HloInstruction& term) {
  if (term.opcode() != HloOpcode::kPad) return false;
  const HloInstruction& value = *term.operand(1);
  return HasReals(value) ? IsAllReal(value, 0) : IsAllInteger(value, 0);
}

// What is added up, from left to right; nothing where not all of it is padded. Each sum of a long
// chain is asked, so that no more is looked at than needed.
std::vector<HloInstruction*> PaddedTermsOf(HloInstruction& sum) {
  std::vector<HloInstruction*> terms, waiting = {&sum};
  while (!waiting.empty()) {
    HloInstruction* term = waiting.back();
    waiting.pop_back();
    if (term != &sum && !IsTerm(sum, *term)) {
      terms.push_back(term);
      continue;
    }
    for (int64_t i : {1, 0}) {
      HloInstruction* operand = term->mutable_operand(i);
      if (!IsTerm(sum, *operand) && !IsPaddedWithZeros(*operand)) return {};
      waiting.push_back(operand);
    }
  }
  return terms;
}

// The dimension along which alone an array is padded, or -1.
int64_t OnlyPaddedDimension(const HloInstruction& pad) {
  int64_t found = -1;
  for (int d = 0; d < pad.shape().dimensions_size(); ++d) {
    if (pad.shape().dimensions(d) == pad.operand(0)->shape().dimensions(d)) continue;
    if (found >= 0) return -1;
    found = d;
  }
  return found;
}

// The parts of a sum that are padded along the same dimension.
std::optional<std::vector<PaddedPart>> PaddedPartsOf(HloInstruction& sum, int64_t& along) {
  std::vector<PaddedPart> parts;
  along = -1;
  for (HloInstruction* term : PaddedTermsOf(sum)) {
    const int64_t d = OnlyPaddedDimension(*term);
    if (d < 0 || (along >= 0 && d != along)) return std::nullopt;
    along = d;
    const auto& padding = term->padding_config().dimensions(static_cast<int>(d));
    HloInstruction* array = term->mutable_operand(0);
    if (padding.edge_padding_low() < 0 || padding.edge_padding_high() < 0) return std::nullopt;
    parts.push_back({array, padding.edge_padding_low(), padding.interior_padding() + 1,
                     array->shape().dimensions(static_cast<int>(d))});
  }
  if (parts.empty()) return std::nullopt;
  return parts;
}

Shape WithSize(const Shape& shape, int64_t dimension, int64_t size) {
  Shape changed = ShapeUtil::MakeShape(shape.element_type(), shape.dimensions());
  changed.set_dimensions(static_cast<int>(dimension), size);
  return changed;
}

HloInstruction* ArrayOfZeros(GraphBuilder& b, const Shape& shape) {
  return b.Broadcast(b.Number(shape.element_type(), 0), shape.dimensions());
}

// One part after the other, with zeros between them; null where some overlap.
HloInstruction* Concatenated(GraphBuilder& b, const Shape& shape, int64_t along,
                             std::vector<PaddedPart> parts) {
  absl::c_stable_sort(parts,
                      [](const PaddedPart& x, const PaddedPart& y) { return x.low < y.low; });
  int64_t end = 0;
  for (const PaddedPart& part : parts) {
    if (part.low < end) return nullptr;
    end = part.low + part.size;
  }
  std::vector<HloInstruction*> arrays;
  int64_t begin = 0;
  const auto fill = [&](int64_t to) {
    if (to > begin) arrays.push_back(ArrayOfZeros(b, WithSize(shape, along, to - begin)));
  };
  for (const PaddedPart& part : parts) {
    fill(part.low);
    arrays.push_back(part.array);
    begin = part.low + part.size;
  }
  fill(shape.dimensions(static_cast<int>(along)));
  return b.Add(HloInstruction::CreateConcatenate(
      WithSize(shape, along, shape.dimensions(static_cast<int>(along))), arrays, along));
}

// The sum of parts as they lie in every step-th row, of which there are `rows`; null for none.
HloInstruction* SumOfRows(GraphBuilder& b, absl::Span<const PaddedPart> parts, int64_t along,
                          int64_t first, int64_t rows) {
  HloInstruction* sum = nullptr;
  for (const PaddedPart& part : parts) {
    if (part.low % part.step != first) continue;
    HloInstruction* array = part.array;
    const int64_t low = part.low / part.step, high = rows - low - part.size;
    if (low > 0 || high > 0) {
      PaddingConfig config = MakeNoPaddingConfig(array->shape().dimensions_size());
      auto* padding = config.mutable_dimensions(static_cast<int>(along));
      padding->set_edge_padding_low(low), padding->set_edge_padding_high(high);
      array = b.Add(HloInstruction::CreatePad(WithSize(array->shape(), along, rows), array,
                                              b.Number(array->shape().element_type(), 0), config));
    }
    sum = sum == nullptr ? array : b.Binary(HloOpcode::kAdd, sum, array);
  }
  return sum;
}

// Rows from each kind of part in turn; null where rows are short, or all parts are of one kind.
HloInstruction* Interleaved(GraphBuilder& b, const Shape& shape, int64_t along,
                            std::vector<PaddedPart> parts) {
  int64_t step = 1;
  for (const PaddedPart& part : parts) step = std::max(step, part.step);
  for (PaddedPart& part : parts) {
    if (part.size == 1) part.step = step;
  }
  const int64_t size = shape.dimensions(static_cast<int>(along));
  const int64_t rows = (size + step - 1) / step;
  int64_t row = 1;
  for (int64_t d = along + 1; d < shape.dimensions_size(); ++d)
    row *= shape.dimensions(static_cast<int>(d));
  const bool is_regular =
      absl::c_all_of(parts, [&](const PaddedPart& part) { return part.step == step; });
  if (!is_regular || row < kLeastRow) return nullptr;
  std::vector<HloInstruction*> kinds;
  Sizes sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[along] = rows;
  sizes.insert(sizes.begin() + along + 1, 1);
  for (int64_t first = 0; first < step; ++first) {
    HloInstruction* kind = SumOfRows(b, parts, along, first, rows);
    if (kind == nullptr) return nullptr;
    kinds.push_back(b.Reshape(kind, sizes));
  }
  sizes[along + 1] = step;
  HloInstruction* joined = b.Add(HloInstruction::CreateConcatenate(
      ShapeUtil::MakeShape(shape.element_type(), sizes), kinds, along + 1));
  const Shape whole = WithSize(shape, along, rows * step);
  joined = b.Reshape(joined, whole.dimensions());
  if (rows * step == size) return joined;
  const Sizes starts(shape.dimensions_size(), 0), strides(shape.dimensions_size(), 1);
  return b.Add(HloInstruction::CreateSlice(WithSize(shape, along, size), joined, starts,
                                           shape.dimensions(), strides));
}

bool IsPartOfLongerSum(const HloInstruction& sum) {
  if (sum.user_count() != 1 || sum.users()[0]->opcode() != HloOpcode::kAdd) return false;
  const HloInstruction& longer = *sum.users()[0];
  const HloInstruction& other = *longer.operand(longer.operand(0) == &sum ? 1 : 0);
  return IsPaddedWithZeros(other) || IsTerm(longer, other);
}

HloInstruction* SumOfPads(HloInstruction& sum) {
  if (sum.shape().is_dynamic() || ShapeUtil::IsZeroElementArray(sum.shape()) ||
      (!HasReals(sum) && !HasIntegers(sum))) {
    return nullptr;
  }
  if (IsPartOfLongerSum(sum)) return nullptr;
  int64_t along;
  const std::optional<std::vector<PaddedPart>> parts = PaddedPartsOf(sum, along);
  if (!parts.has_value()) return nullptr;
  GraphBuilder b(sum);
  const bool is_adjacent = absl::c_all_of(
      *parts, [](const PaddedPart& part) { return part.step == 1 || part.size <= 1; });
  HloInstruction* whole = is_adjacent ? Concatenated(b, sum.shape(), along, *parts)
                                      : Interleaved(b, sum.shape(), along, *parts);
  // Zeros without sign are left where one with a sign has been added to another without.
  return whole == nullptr ? nullptr
                          : b.Binary(HloOpcode::kAdd, whole, ArrayOfZeros(b, whole->shape()));
}

constexpr OpcodeRule kPadRules[] = {{HloOpcode::kAdd, SumOfPads}};

}  // namespace

absl::Span<const OpcodeRule> PadRules() { return kPadRules; }

}  // namespace xla::passes
