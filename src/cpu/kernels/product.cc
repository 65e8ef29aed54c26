// Which way there is to compute a contraction, and products of other types or with sides exchanged.
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "base/status_macros.h"
#include "codegen/host.h"
#include "cpu/kernels/contraction.h"
#include "cpu/kernels/direct_product.h"
#include "cpu/kernels/epilogue.h"
#include "cpu/kernels/gather.h"
#include "cpu/kernels/kernel_taps.h"
#include "cpu/kernels/lane_product.h"
#include "cpu/kernels/matrix_sides.h"
#include "cpu/kernels/matrix_tiles.h"
#include "cpu/kernels/padded_product.h"
#include "cpu/kernels/planar_product.h"
#include "cpu/kernels/scratch.h"
#include "cpu/kernels/split_product.h"
#include "cpu/kernels/store.h"
#include "cpu/kernels/streamed_product.h"
#include "cpu/kernels/tiled_product.h"
#include "data/literal_convert.h"
#include "runtime/parallel.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

constexpr int64_t kElementsWorthAThread = 1 << 16;

// Operands become arrays of another type first.
class ConvertedProduct : public Product {
 public:
  ConvertedProduct(const Contraction& contraction, std::array<PrimitiveType, kArrays> inner_types,
                   std::unique_ptr<Product> inner)
      : instruction_set_(contraction.instruction_set),
        types_(contraction.types),
        inner_types_(inner_types),
        counts_(contraction.counts),
        inner_(std::move(inner)) {}

  absl::Status Run(const void* left, const void* right, void* result) const override {
    return RunConverted(left, right,
                        [&](const void* x, const void* y) { return inner_->Run(x, y, result); });
  }
  bool HasBlocks() const override { return inner_->HasBlocks(); }
  absl::Status RunBlocks(const void* left, const void* right,
                         const Epilogue& epilogue) const override {
    return RunConverted(left, right, [&](const void* x, const void* y) {
      return inner_->RunBlocks(x, y, epilogue);
    });
  }

 private:
  template <typename RunInner>
  absl::Status RunConverted(const void* left, const void* right, const RunInner& run) const {
    const void* operands[] = {left, right};
    Scratch<char> copies[2];
    for (int array : {kLeft, kRight}) {
      if (types_[array] == inner_types_[array]) continue;
      copies[array] =
          Scratch<char>(counts_[array] * primitive_util::ByteWidth(inner_types_[array]));
      if (copies[array].get() == nullptr)
        return ResourceExhausted("no memory for %d elements", counts_[array]);
      const char* from = static_cast<const char*>(operands[array]);
      runtime::ParallelFor(counts_[array], kElementsWorthAThread, [&](int64_t begin, int64_t end) {
        Convert(array, from + begin * primitive_util::ByteWidth(types_[array]), end - begin,
                copies[array].get() + begin * primitive_util::ByteWidth(inner_types_[array]));
      });
      operands[array] = copies[array].get();
    }
    return run(operands[kLeft], operands[kRight]);
  }

  void Convert(int array, const char* from, int64_t count, char* to) const {
    const PrimitiveType type = types_[array], inner = inner_types_[array];
    CopyElements<uint16_t>* const pairs =
        inner == S16 ? CopyElementsOf<uint16_t>(type, instruction_set_) : nullptr;
    CopyElements<float>* const floats =
        inner == F32 ? CopyElementsOf<float>(type, instruction_set_) : nullptr;
    if (pairs != nullptr) {
      pairs(from, 1, count, reinterpret_cast<uint16_t*>(to), 1);
    } else if (floats != nullptr) {
      floats(from, 1, count, reinterpret_cast<float*>(to), 1);
    } else {
      ConvertElements(type, from, inner, to, count);
    }
  }

  codegen::InstructionSet instruction_set_;

  std::array<PrimitiveType, kArrays> types_, inner_types_;
  std::array<int64_t, kArrays> counts_;
  std::unique_ptr<Product> inner_;
};

// A product made for the left side on the right.
class ExchangedProduct : public Product {
 public:
  explicit ExchangedProduct(std::unique_ptr<Product> inner) : inner_(std::move(inner)) {}

  absl::Status Run(const void* left, const void* right, void* result) const override {
    return inner_->Run(right, left, result);
  }
  bool HasBlocks() const override { return inner_->HasBlocks(); }
  absl::Status RunBlocks(const void* left, const void* right,
                         const Epilogue& epilogue) const override {
    return inner_->RunBlocks(right, left, epilogue);
  }

 private:
  std::unique_ptr<Product> inner_;
};

// Contractions that write different elements of one result, one after the other.
class ProductInParts : public Product {
 public:
  explicit ProductInParts(std::vector<std::unique_ptr<Product>> parts) : parts_(std::move(parts)) {}

  absl::Status Run(const void* left, const void* right, void* result) const override {
    for (const auto& part : parts_) HILO_RETURN_IF_ERROR(part->Run(left, right, result));
    return absl::OkStatus();
  }

 private:
  std::vector<std::unique_ptr<Product>> parts_;
};

// A product of T without bounds, with a padded copy where there are any. The side that is copied,
// or which has more rows, becomes the left one. Null where that is not wanted.
template <typename T>
std::unique_ptr<Product> MakeUnbounded(
    const Contraction& contraction,
    absl::FunctionRef<std::unique_ptr<Product>(const Contraction&, const PaddedContraction*)>
        make) {
  const PrimitiveType type = TypeOf<T>(/*is_complex=*/false);
  if (contraction.types[kLeft] != type || contraction.types[kRight] != type) return nullptr;
  const std::optional<PaddedContraction> padded = PadBounds(contraction);
  if (!padded.has_value() && contraction.HasBounds()) return nullptr;
  Contraction inner = padded.has_value() ? padded->contraction : contraction;
  inner.bounds.clear();
  const bool is_exchanged =
      padded.has_value() ? padded->padded == kRight : Count(inner.columns) > Count(inner.rows);
  if (is_exchanged) inner.ExchangeSides();
  std::unique_ptr<Product> product = make(inner, padded.has_value() ? &*padded : nullptr);
  if (product == nullptr) return nullptr;
  if (is_exchanged) product = std::make_unique<ExchangedProduct>(std::move(product));
  if (!padded.has_value()) return product;
  return MakePaddedProduct(contraction, *padded, std::move(product));
}

template <typename T>
std::unique_ptr<Product> MakeLaneProductIfAny(const Contraction& contraction) {
  Contraction inner = contraction;
  inner.types[kLeft] = inner.types[kRight] = TypeOf<T>(/*is_complex=*/false);
  auto product = MakeUnbounded<T>(inner, [](const Contraction& c, const PaddedContraction*) {
    return HasLanes<T>(c) ? MakeLaneProduct<T>(c) : nullptr;
  });
  if (product == nullptr || inner.types == contraction.types) return product;
  return std::make_unique<ConvertedProduct>(contraction, inner.types, std::move(product));
}

// Whether numbers of eight bits are multiplied as pairs and lie along the depth: once they have 16
// bits, pairs are read where they lie.
template <typename T>
bool IsWidenedToPairs(const Contraction& contraction, Array array) {
  if constexpr (!std::is_same_v<T, uint32_t>) return false;
  const PrimitiveType type = contraction.types[array];
  const Walk depth(contraction.depth, contraction.bounds, array);
  return (type == S8 || type == U8) && contraction.bounds.empty() && depth.stride() == 1 &&
         FormOf<T>(contraction, false) == Form::kPairs;
}

// Whether a large matrix of 16 bits is widened as a whole: its rows are so far apart that each
// panel would read half a line of the cache on a page of its own.
template <typename T>
bool IsWidenedAtOnce(const Contraction& contraction, Array array) {
  constexpr int64_t kLeastElements = 1 << 20, kMostElements = 1 << 24, kLeastStride = 1024;
  if constexpr (!std::is_same_v<T, float>) return false;
  const Walk depth(contraction.depth, contraction.bounds, array);
  return contraction.types[array] == BF16 && contraction.bounds.empty() && depth.IsRegular() &&
         depth.stride() >= kLeastStride && contraction.counts[array] >= kLeastElements &&
         contraction.counts[array] <= kMostElements &&
         FormOf<T>(contraction, false) == Form::kPlain;
}

// Whether windows are so small or so few are multiplied with them, or planes with so few rows or so
// far apart, that bringing pairs together would take longer than those save.
bool HasNarrowWindows(const Contraction& contraction) {
  constexpr int64_t kMostDepth = 32, kMostFeatures = 4, kMostRows = 32;
  if (Count(contraction.depth) <= kMostDepth ||
      std::min(Count(contraction.rows), Count(contraction.columns)) <= kMostFeatures) {
    return true;
  }
  return HasPlanes(contraction) &&
         (Count(contraction.rows) <= kMostRows ||
          Walk(contraction.columns, contraction.bounds, kRight).stride() != 1);
}

// Whether the sides of windows are read as T first: those of other numbers that are no pairs.
template <typename T>
bool HasWindowsToConvert(const Contraction& contraction) {
  const PrimitiveType type = TypeOf<T>(/*is_complex=*/false);
  const bool is_other = contraction.types[kLeft] != type || contraction.types[kRight] != type;
  return is_other && !contraction.bounds.empty() &&
         (FormOf<T>(contraction, false) != Form::kPairs || HasNarrowWindows(contraction));
}

// Parts with the input on the right. Null where they do not share planes.
template <typename T>
std::unique_ptr<Product> MakePlanesOfParts(const std::vector<Contraction>& parts) {
  if (!absl::c_all_of(parts, HasWindowsToConvert<T>)) return MakePlanarProductOfParts<T>(parts);
  std::vector<Contraction> inner = parts;
  for (Contraction& part : inner)
    part.types[kLeft] = part.types[kRight] = TypeOf<T>(/*is_complex=*/false);
  std::unique_ptr<Product> product = MakePlanarProductOfParts<T>(inner);
  if (product == nullptr) return nullptr;
  return std::make_unique<ConvertedProduct>(parts[0], inner[0].types, std::move(product));
}

template <typename T>
std::unique_ptr<Product> ChooseProduct(const Contraction& contraction, bool is_complex,
                                       PrimitiveType sum_type) {
  Contraction inner = contraction;
  const PrimitiveType type = TypeOf<T>(is_complex);
  if constexpr (std::is_floating_point_v<T>) {
    if (!is_complex) {
      auto product = MakeLaneProductIfAny<T>(contraction);
      if (product != nullptr) return product;
    }
  }
  if (!is_complex && IsDirect<T>(contraction)) {
    for (Array array : {kLeft, kRight}) {
      const bool is_signed_form = std::is_integral_v<T> &&
                                  primitive_util::IsIntegralType(inner.types[array]) &&
                                  primitive_util::BitWidth(inner.types[array]) == 8 * sizeof(T);
      if (!is_signed_form) inner.types[array] = type;
    }
    auto product = MakeDirectProduct<T>(inner);
    if (inner.types == contraction.types) return product;
    return std::make_unique<ConvertedProduct>(contraction, inner.types, std::move(product));
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (!is_complex) {
      if (HasWindowsToConvert<T>(contraction)) {
        Contraction inner = contraction;
        inner.types[kLeft] = inner.types[kRight] = type;
        return std::make_unique<ConvertedProduct>(contraction, inner.types,
                                                  ChooseProduct<T>(inner, false, sum_type));
      }
      auto product = MakePlanarProduct<T>(contraction);
      if (product != nullptr) return product;
      product =
          MakeUnbounded<T>(contraction, [&](const Contraction& c, const PaddedContraction* padded) {
            const bool is_worth_it = padded != nullptr && padded->IsWorthACopy() &&
                                     (padded->padded == kRight || !HasWholeRuns(contraction));
            return is_worth_it ? ChooseProduct<T>(c, false, sum_type) : nullptr;
          });
      if (product != nullptr) return product;
      if (sum_type == contraction.types[kResult] && IsStreamed<T>(contraction))
        return MakeStreamedProduct<T>(contraction);
    }
  }
  if (!is_complex && sum_type == contraction.types[kResult]) {
    if (const auto split = SplitDepth<T>(contraction)) {
      return MakeSplitProduct<T>(contraction, *split, [&](const Contraction& part) {
        return ChooseProduct<T>(part, false, part.types[kResult]);
      });
    }
  }
  for (Array array : {kLeft, kRight}) {
    if (is_complex || CopyElementsOf<T>(inner.types[array], inner.instruction_set) == nullptr)
      inner.types[array] = type;
    if (IsWidenedToPairs<T>(contraction, array)) inner.types[array] = S16;
    if (IsWidenedAtOnce<T>(contraction, array)) inner.types[array] = F32;
  }
  const Form form = FormOf<T>(inner, is_complex);
  auto product = MakeTiledProduct<T>(inner, form, sum_type);
  if (inner.types == contraction.types) return product;
  return std::make_unique<ConvertedProduct>(contraction, inner.types, std::move(product));
}

constexpr int64_t kLeastInner = 8, kLongDepth = 256;
constexpr int64_t kManyColumns = 64, kLeastDepthOfFew = 32;

// Whether few columns are whole vectors of floats, which tiles of rows meet faster than sums along
// the depth, unless the rows come from memory.
bool HasWholeVectors(const Contraction& contraction) {
  constexpr int64_t kMostInCaches = 1 << 18;
  return contraction.types[kLeft] == F32 && contraction.types[kRight] == F32 &&
         Count(contraction.columns) % TilesOf<float>(contraction.instruction_set).lanes == 0 &&
         Walk(contraction.columns, {}, kRight).stride() == 1 &&
         contraction.counts[kLeft] <= kMostInCaches;
}

bool IsLeftMatrix(const Contraction& contraction) {
  return Walk(contraction.rows, {}, kLeft).IsRegular() &&
         Walk(contraction.depth, {}, kLeft).IsRegular();
}

// Whether rows of the left side are columns that are read in order once sides are exchanged: those
// of a matrix, and windows that begin one beside the other.
bool AreColumnsOnceExchanged(const Contraction& contraction) {
  return Walk(contraction.rows, contraction.bounds, kLeft).stride() == 1 ||
         (!contraction.HasBounds() && IsLeftMatrix(contraction));
}

// Whether adjacent results along long rows read adjacent elements.
bool GoesAlongLines(const Contraction& contraction) {
  const Walk rows(contraction.rows, contraction.bounds, kLeft);
  return rows.stride() == 1 && !rows.loops().empty() && rows.loops().back().size >= kManyColumns;
}

// What copying takes around the product of two matrices, in elements of a transposed copy: panels
// of the right side, rows of the left one that are not in place, and sums that are not adjacent.
double CostOfCopies(const Contraction& contraction) {
  constexpr double kTransposed = 1, kInOrder = 0.3, kScattered = 0.15, kAcross = 0.3;
  const Walk left_rows(contraction.rows, {}, kLeft);
  const Walk right_columns(contraction.columns, {}, kRight);
  const auto rows = static_cast<double>(Count(contraction.rows));
  const auto columns = static_cast<double>(Count(contraction.columns));
  const auto depth = static_cast<double>(Count(contraction.depth));
  const bool is_in_place = IsLeftMatrix(contraction);
  const double of_right = right_columns.stride() == 1 ? kInOrder : kTransposed;
  const double across =
      primitive_util::BitWidth(contraction.types[kLeft]) < 32 ? kTransposed : kAcross;
  const double of_left = !is_in_place ? kScattered : left_rows.stride() == 1 ? across : 0;
  const double of_result = Walk(contraction.columns, {}, kResult).stride() == 1 ? 0 : kTransposed;
  return columns * depth * of_right + rows * depth * of_left + rows * columns * of_result;
}

// Columns are adjacent in the result, or nearly, unless that asks for more copies; a vector times
// a matrix is faster than a matrix times a vector.
bool ShouldExchangeSides(const Contraction& contraction) {
  const Walk rows(contraction.rows, {}, kResult), columns(contraction.columns, {}, kResult);
  if (rows.loops().empty()) return false;
  // Few rows are multiplied with a matrix that they meet where it lies, few columns are not. Tile
  // registers take copies of any right side.
  if (contraction.instruction_set != codegen::InstructionSet::kAmx && !contraction.HasBounds() &&
      Count(contraction.depth) >= kLeastDepthOfFew) {
    const int64_t row_count = Count(contraction.rows), column_count = Count(contraction.columns);
    if (column_count <= kRowsInPlace && row_count >= kManyColumns)
      return AreColumnsOnceExchanged(contraction) && !HasWholeVectors(contraction);
    if ((row_count <= kRowsInPlace || HasSumsAlongDepth(contraction)) &&
        column_count >= kManyColumns) {
      return false;
    }
  }
  // Where many products make each sum, as in gradients of kernels, it matters more that the left
  // side is read where it lies, unless windows go along lines.
  const Walk depth(contraction.depth, contraction.bounds, kLeft);
  if (contraction.bounded == kLeft && !contraction.bounds.empty() && depth.stride() == 1 &&
      !depth.loops().empty() && depth.loops().back().size >= kLeastInner &&
      Count(contraction.depth) >= kLongDepth && !GoesAlongLines(contraction)) {
    return false;
  }
  Contraction exchanged = contraction;
  exchanged.ExchangeSides();
  if (columns.loops().empty())
    return AreColumnsOnceExchanged(contraction) || HasRowsWithStride(exchanged) ||
           HasPlanes(exchanged);
  const bool is_complex = absl::c_any_of(contraction.types, primitive_util::IsComplexType);
  if (is_complex || contraction.HasBounds() || contraction.epilogue_columns > 0)
    return columns.stride() != 1 && rows.stride() < columns.stride();
  return CostOfCopies(exchanged) < CostOfCopies(contraction);
}

// Where few rows meet several adjacent matrices, each is a group that is read where it lies.
void MakeGroupsOfMatrices(Contraction& contraction) {
  Loops& columns = contraction.columns;
  if (Count(contraction.rows) > kRowsInPlace || columns.size() < 2 || !contraction.bounds.empty() ||
      columns.back().strides[kRight] != 1 || columns.back().size < kManyColumns ||
      Walk(columns, {}, kRight).IsRegular()) {
    return;
  }
  contraction.groups.insert(contraction.groups.end(), columns.begin(), columns.end() - 1);
  columns.erase(columns.begin(), columns.end() - 1);
}

// Whether tile registers multiply its numbers, and enough of them.
bool IsWorthTileRegisters(const Contraction& contraction) {
  constexpr int64_t kLeastRows = 8, kLeastDepth = 32;
  const auto are = [&](PrimitiveType type, PrimitiveType other) {
    return absl::c_all_of(absl::MakeConstSpan(contraction.types).first(kResult),
                          [&](PrimitiveType own) { return own == type || own == other; });
  };
  const int64_t rows = Count(contraction.rows), columns = Count(contraction.columns);
  return (are(BF16, BF16) || are(S8, U8)) && std::min(rows, columns) >= kLeastRows &&
         Count(contraction.depth) >= kLeastDepth && codegen::MayUseTileRegisters();
}

// What numbers a contraction is computed in.
struct Numbers {
  bool is_complex = false, is_real = false;
  bool is_wide = false;  // double rather than float
};

Numbers NumbersOf(const Contraction& contraction) {
  Numbers numbers;
  for (PrimitiveType type : contraction.types) {
    numbers.is_complex |= primitive_util::IsComplexType(type);
    numbers.is_real |= primitive_util::IsFloatingPointType(type);
    numbers.is_wide |= type == F64 || type == C128;
  }
  // Integers that float does not hold are multiplied in double.
  for (Array array : {kLeft, kRight}) {
    const PrimitiveType type = contraction.types[array];
    numbers.is_wide |= numbers.is_real && primitive_util::IsIntegralType(type) &&
                       primitive_util::BitWidth(type) > 16;
  }
  return numbers;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Product>> MakeProduct(Contraction contraction) {
  using codegen::InstructionSet;
  contraction.Simplify();
  if (contraction.instruction_set == InstructionSet::kAmx && !IsWorthTileRegisters(contraction))
    contraction.instruction_set = InstructionSet::kAvx512Narrow;
  if (ShouldExchangeSides(contraction)) {
    contraction.ExchangeSides();
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<Product> product, MakeProduct(std::move(contraction)));
    return std::make_unique<ExchangedProduct>(std::move(product));
  }
  MakeGroupsOfMatrices(contraction);
  const auto [is_complex, is_real, is_wide] = NumbersOf(contraction);
  const PrimitiveType result = contraction.types[kResult];
  if (is_complex && !primitive_util::IsComplexType(result)) {
    return Unimplemented("a product of complex numbers with a result of %s",
                         primitive_util::LowercasePrimitiveTypeName(result));
  }
  if (!is_complex && !is_real) {
    if (primitive_util::BitWidth(result) > 32 || result == PRED)
      return ChooseProduct<uint64_t>(contraction, false, result);
    return ChooseProduct<uint32_t>(contraction, false, result);
  }
  if (is_complex) {
    return result == C128 ? ChooseProduct<double>(contraction, true, result)
                          : ChooseProduct<float>(contraction, true, result);
  }
  PrimitiveType sum_type = result;
  if (primitive_util::IsIntegralType(result) || result == PRED) {
    sum_type =
        ShapeUtil::HigherPrecisionElementType(ShapeUtil::MakeShape(contraction.types[kLeft], {}),
                                              ShapeUtil::MakeShape(contraction.types[kRight], {}));
  }
  return is_wide ? ChooseProduct<double>(contraction, false, sum_type)
                 : ChooseProduct<float>(contraction, false, sum_type);
}

absl::StatusOr<std::unique_ptr<Product>> MakeProductInParts(std::vector<Contraction> parts) {
  if (parts.size() == 1) return MakeProduct(std::move(parts[0]));
  const Numbers numbers = parts.empty() ? Numbers() : NumbersOf(parts[0]);
  if (numbers.is_real && !numbers.is_complex) {
    std::vector<Contraction> exchanged = parts;
    for (Contraction& part : exchanged) part.ExchangeSides();
    std::unique_ptr<Product> product = numbers.is_wide ? MakePlanesOfParts<double>(exchanged)
                                                       : MakePlanesOfParts<float>(exchanged);
    if (product != nullptr) return std::make_unique<ExchangedProduct>(std::move(product));
  }
  const int64_t taps = AdjacentTaps(parts);
  std::vector<std::unique_ptr<Product>> products;
  for (Contraction part : parts) {
    if (taps > 1) PutTapsFirst(taps, part);
    HILO_ASSIGN_OR_RETURN(products.emplace_back(), MakeProduct(std::move(part)));
  }
  auto product = std::make_unique<ProductInParts>(std::move(products));
  if (taps == 1) return product;
  return MakeProductWithTapsFirst(parts[0], taps, std::move(product));
}

}  // namespace xla::cpu
