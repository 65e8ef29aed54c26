// The functions of each instruction set that this machine has, by plain loops over small integers,
// which are exact.
#include "cpu/kernels/isa/function_table.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "codegen/host.h"
#include "codegen/target.h"
#include "gtest/gtest.h"
#include "xla/types.h"

namespace xla::cpu {
namespace {

using codegen::InstructionSet;

std::vector<InstructionSet> SetsOfHost() {
  const InstructionSet widest = codegen::Target::Host().instruction_set;
  if (widest == InstructionSet::kNeon) return {InstructionSet::kGeneric, widest};
  std::vector<InstructionSet> sets;
  for (int set = 0; set <= static_cast<int>(widest); ++set)
    sets.push_back(static_cast<InstructionSet>(set));
  if (sets.back() == InstructionSet::kAmx && !codegen::MayUseTileRegisters()) sets.pop_back();
  return sets;
}

class FunctionTableTest : public testing::TestWithParam<InstructionSet> {
 protected:
  template <typename T>
  const Tiles<T>& TilesHere() {
    return std::get<Tiles<T>>(FunctionTableOf(GetParam()));
  }
};

std::string NameOf(const testing::TestParamInfo<InstructionSet>& set) {
  constexpr const char* kNames[] = {"Generic", "Avx2", "Avx512", "Avx512Narrow", "Amx", "Neon"};
  return kNames[static_cast<int>(set.param)];
}
INSTANTIATE_TEST_SUITE_P(Sets, FunctionTableTest, testing::ValuesIn(SetsOfHost()), NameOf);

// Numbers from -4 to 4; of unsigned types they wrap.
template <typename T>
std::vector<T> Numbers(size_t count, int seed) {
  std::vector<T> numbers(count);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<T>(static_cast<int>((i * 7 + seed * 5) % 9) - 4);
  return numbers;
}

constexpr int64_t kDepth = 11;

template <typename T>
void CheckTiles(const Tiles<T>& tiles) {
  const int64_t columns = tiles.columns();
  const std::vector<T> a = Numbers<T>(kTileRows * kDepth, 1), b = Numbers<T>(kDepth * columns, 2);
  for (int rows = 1; rows <= kTileRows; ++rows) {
    for (int vectors = 1; vectors <= tiles.vectors; ++vectors) {
      for (int64_t tail : {tiles.lanes, tiles.has_masks ? tiles.lanes - 1 : tiles.lanes}) {
        const int64_t width = (vectors - 1) * tiles.lanes + tail;
        std::vector<T> c = Numbers<T>(kTileRows * columns, 3), expected = c;
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t j = 0; j < width; ++j) {
            for (int64_t k = 0; k < kDepth; ++k)
              expected[r * columns + j] += a[r * kDepth + k] * b[k * columns + j];
          }
        }
        tiles.function[rows - 1][vectors - 1](
            kDepth, a.data(), kDepth, 1, reinterpret_cast<const char*>(b.data()),
            columns * static_cast<int64_t>(sizeof(T)), c.data(), columns, tail, /*adds=*/true);
        EXPECT_EQ(c, expected) << rows << " rows of " << vectors << " vectors, tail " << tail;
      }
    }
  }
}

TEST_P(FunctionTableTest, TilesAddProducts) {
  CheckTiles(TilesHere<float>());
  CheckTiles(TilesHere<double>());
  CheckTiles(TilesHere<uint32_t>());
  CheckTiles(TilesHere<uint64_t>());
}

TEST_P(FunctionTableTest, RowsAtPlacesAreMultiplied) {
  const Tiles<float>& tiles = TilesHere<float>();
  for (int64_t vectors : {1, 7, 8, 19}) {
    const int64_t columns = vectors * tiles.lanes;
    const std::vector<float> a = Numbers<float>(2 * kDepth, 1);
    const std::vector<float> b = Numbers<float>(columns + 5 * kDepth, 2);
    std::vector<int64_t> places;
    for (int64_t k = 0; k < kDepth; ++k) places.push_back(k * 7 % 11 * 5 * sizeof(float));
    for (bool adds : {false, true}) {
      std::vector<float> c = Numbers<float>(columns, 3), expected = c;
      for (int64_t j = 0; j < columns; ++j) {
        if (!adds) expected[j] = 0;
        for (int64_t k = 0; k < kDepth; ++k) expected[j] += a[2 * k] * b[k * 7 % 11 * 5 + j];
      }
      tiles.multiply_row_at_places(kDepth, a.data(), 2, reinterpret_cast<const char*>(b.data()),
                                   places.data(), vectors, c.data(), adds);
      EXPECT_EQ(c, expected) << vectors << " vectors";
    }
  }
}

template <typename T>
void CheckDots(const Tiles<T>& tiles) {
  constexpr int64_t kLong = 67;
  const std::vector<T> a = Numbers<T>(kDotRows * kLong, 1), b = Numbers<T>(kDotColumns * kLong, 2);
  for (int rows = 1; rows <= kDotRows; ++rows) {
    for (int columns : {1, kDotColumns}) {
      std::vector<T> c(kDotRows * kDotColumns), expected = c;
      for (int r = 0; r < rows; ++r) {
        for (int j = 0; j < columns; ++j) {
          for (int64_t k = 0; k < kLong; ++k)
            expected[r * kDotColumns + j] += a[r * kLong + k] * b[j * kLong + k];
        }
      }
      tiles.dot_function[rows - 1][columns > 1](
          kLong, a.data(), kLong, reinterpret_cast<const char*>(b.data()),
          kLong * static_cast<int64_t>(sizeof(T)), c.data(), kDotColumns, /*adds=*/false);
      EXPECT_EQ(c, expected) << rows << " rows of " << columns << " columns";
    }
  }
}

// In whole and in half vectors, and every column in the same order.
template <typename T>
void CheckRowDots(const Tiles<T>& tiles) {
  constexpr int64_t kBytes = sizeof(T), kMost = 19;
  for (int64_t depth : {1, 8, 67}) {
    const std::vector<T> a = Numbers<T>(depth, 1), b = Numbers<T>(kMost * depth, 2);
    for (int64_t columns : {int64_t{1}, int64_t{8}, kMost}) {
      for (bool adds : {false, true}) {
        std::vector<T> old = Numbers<T>(columns, 3), expected = old;
        for (int64_t j = 0; j < columns; ++j) {
          if (!adds) expected[j] = 0;
          for (int64_t k = 0; k < depth; ++k) expected[j] += a[k] * b[j * depth + k];
        }
        for (auto* const function : tiles.row_dots_function) {
          std::vector<T> c = old;
          function(columns, depth, a.data(), reinterpret_cast<const char*>(b.data()),
                   depth * kBytes, c.data(), adds);
          EXPECT_EQ(c, expected) << columns << " columns of " << depth;
        }
      }
    }
  }
}

TEST_P(FunctionTableTest, DotsAddProducts) {
  CheckRowDots(TilesHere<float>());
  CheckRowDots(TilesHere<double>());
  CheckRowDots(TilesHere<uint32_t>());
  CheckRowDots(TilesHere<uint64_t>());

  CheckDots(TilesHere<float>());
  CheckDots(TilesHere<double>());
  CheckDots(TilesHere<uint32_t>());
  CheckDots(TilesHere<uint64_t>());
}

// The right side has narrow numbers, and what lies behind them is not read.
template <typename Narrow>
void CheckWidening(const Tiles<float>& tiles, NarrowNumbers numbers) {
  const WideningTiles<float>& widening = tiles.widening[numbers];
  if (widening.add_rows == nullptr) return;
  constexpr int64_t kLong = 67, kColumns = kLeastColumnsOfRowDots + 1, kBytes = sizeof(Narrow);
  const std::vector<float> a = Numbers<float>(kDotRows * kLong, 1);
  const std::vector<Narrow> b = Numbers<Narrow>(kColumns * kLong, 2);
  const auto* const bytes = reinterpret_cast<const char*>(b.data());
  const auto product = [&](int64_t left, int64_t right) {
    return a[left] * static_cast<float>(b[right]);
  };
  for (int rows = 1; rows <= kDotRows; ++rows) {
    std::vector<float> c(kDotRows * kDotColumns), expected = c;
    for (int i = 0; i < rows * kDotColumns; ++i) {
      for (int64_t k = 0; k < kLong; ++k)
        expected[i] += product(i / kDotColumns * kLong + k, i % kDotColumns * kLong + k);
    }
    widening.dot_function[rows - 1][1](kLong, a.data(), kLong, bytes, kLong * kBytes, c.data(),
                                       kDotColumns, /*adds=*/false);
    EXPECT_EQ(c, expected) << rows << " rows";
  }
  std::vector<float> dots(kColumns), of_dots(kColumns);
  for (int64_t j = 0; j < kColumns; ++j) {
    for (int64_t k = 0; k < kLong; ++k) of_dots[j] += product(k, j * kLong + k);
  }
  widening.row_dots_function(kColumns, kLong, a.data(), bytes, kLong * kBytes, dots.data(),
                             /*adds=*/false);
  EXPECT_EQ(dots, of_dots);

  std::vector<float> sums = Numbers<float>(kLong, 3), expected = sums;
  for (int64_t k = 0; k < kDotColumns; ++k) {
    for (int64_t j = 0; j < kLong; ++j) expected[j] += product(k, k * kLong + j);
  }
  std::vector<float> streamed(2 * kLong);  // whole vectors
  std::copy(sums.begin(), sums.end(), streamed.begin());
  widening.add_rows(kDotColumns, a.data(), 1, bytes, kLong * kBytes, kLong, sums.data());
  EXPECT_EQ(sums, expected);
  widening.multiply_stream(kDotColumns, 1, a.data(), bytes, kLong * kBytes, 0, kLong,
                           streamed.data(), 0);
  streamed.resize(kLong);
  EXPECT_EQ(streamed, expected);

  std::vector<float> tile(tiles.lanes), of_tile(tiles.lanes);
  for (int64_t k = 0; k < kDotColumns; ++k) {
    for (int64_t j = 0; j < tiles.lanes; ++j) of_tile[j] += product(k, k * kLong + j);
  }
  widening.function[0][0](kDotColumns, a.data(), 0, 1, bytes, kLong * kBytes, tile.data(), 0,
                          tiles.lanes, /*adds=*/false);
  EXPECT_EQ(tile, of_tile);
}

TEST_P(FunctionTableTest, NarrowNumbersAreWidened) {
  const Tiles<float>& tiles = TilesHere<float>();
  CheckWidening<bfloat16>(tiles, kOfBfloat16);
  CheckWidening<half>(tiles, kOfHalves);
  CheckWidening<int8_t>(tiles, kOfSignedBytes);
  CheckWidening<uint8_t>(tiles, kOfUnsignedBytes);
}

// Pairs of numbers of 16 bits, here one row of one vector.
template <typename T, typename Narrow, typename Wide>
void CheckPairs(const Tiles<T>& tiles) {
  if (tiles.join_pairs == nullptr) return;
  const int64_t columns = tiles.columns();
  const std::vector<Narrow> a = Numbers<Narrow>(2 * kDepth, 1),
                            even = Numbers<Narrow>(kDepth * columns, 2),
                            odd = Numbers<Narrow>(kDepth * columns, 3);
  std::vector<T> pairs_of_a(kDepth), pairs_of_b(kDepth * columns), c(columns);
  std::memcpy(pairs_of_a.data(), a.data(), kDepth * sizeof(T));
  for (int64_t k = 0; k < kDepth; ++k) {
    tiles.join_pairs(reinterpret_cast<const uint16_t*>(even.data() + k * columns),
                     reinterpret_cast<const uint16_t*>(odd.data() + k * columns),
                     pairs_of_b.data() + k * columns);
  }
  tiles.pair_function[0][0](kDepth, pairs_of_a.data(), 0, 1,
                            reinterpret_cast<const char*>(pairs_of_b.data()),
                            columns * static_cast<int64_t>(sizeof(T)), c.data(), 0, tiles.lanes,
                            /*adds=*/false);
  for (int64_t j = 0; j < tiles.lanes; ++j) {
    Wide expected = 0;
    for (int64_t k = 0; k < kDepth; ++k) {
      expected += static_cast<Wide>(a[2 * k]) * static_cast<Wide>(even[k * columns + j]) +
                  static_cast<Wide>(a[2 * k + 1]) * static_cast<Wide>(odd[k * columns + j]);
    }
    EXPECT_EQ(c[j], static_cast<T>(expected)) << "column " << j;
  }
}

TEST_P(FunctionTableTest, PairsAreAdded) {
  CheckPairs<uint32_t, int16_t, int32_t>(TilesHere<uint32_t>());
  CheckPairs<float, bfloat16, float>(TilesHere<float>());
}

// Panels of pairs or quads: numbers of the left side lie in rows, those of the right one as
// columns of a panel whose elements are adjacent along the depth.
template <typename T, typename Left, typename Right, typename Wide>
void CheckPanels(PanelFunction<T>* multiply, int64_t width) {
  constexpr int64_t kCount = sizeof(T) / sizeof(Left), kMargin = 3;
  for (int64_t rows : {1, 5, 16, 17, 31, 32, 53}) {
    for (int64_t columns : {1, 16, 17, 33, 48, 64}) {
      for (int64_t depth : {1, 16, 37}) {
        const int64_t a_row = depth + kMargin, c_row = columns + kMargin;
        const std::vector<Left> a = Numbers<Left>(rows * a_row * kCount, 1);
        const std::vector<Right> b = Numbers<Right>(depth * width * kCount, 2);
        std::vector<T> left(rows * a_row), panel(depth * width);
        std::memcpy(left.data(), a.data(), left.size() * sizeof(T));
        std::memcpy(panel.data(), b.data(), panel.size() * sizeof(T));
        for (bool adds : {false, true}) {
          std::vector<T> c = Numbers<T>(rows * c_row, 3), expected = c;
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t j = 0; j < columns; ++j) {
              Wide sum = 0;
              for (int64_t k = 0; k < depth * kCount; ++k) {
                sum += static_cast<Wide>(a[r * a_row * kCount + k]) *
                       static_cast<Wide>(b[(k / kCount * width + j) * kCount + k % kCount]);
              }
              T& place = expected[r * c_row + j];
              place = static_cast<T>(adds ? place + static_cast<T>(sum) : static_cast<T>(sum));
            }
          }
          multiply(rows, columns, depth, left.data(), a_row, panel.data(), c.data(), c_row, adds);
          EXPECT_EQ(c, expected) << rows << " x " << columns << ", depth " << depth;
        }
      }
    }
  }
}

TEST_P(FunctionTableTest, PanelsAreMultiplied) {
  const Tiles<float>& reals = TilesHere<float>();
  if (reals.pair_panel_function == nullptr) return;
  CheckPanels<float, bfloat16, bfloat16, float>(reals.pair_panel_function, reals.columns());
  const Tiles<uint32_t>& tiles = TilesHere<uint32_t>();
  const auto& functions = tiles.quad_panel_function;
  CheckPanels<uint32_t, uint8_t, uint8_t, int32_t>(functions[0][0], tiles.columns());
  CheckPanels<uint32_t, uint8_t, int8_t, int32_t>(functions[0][1], tiles.columns());
  CheckPanels<uint32_t, int8_t, uint8_t, int32_t>(functions[1][0], tiles.columns());
  CheckPanels<uint32_t, int8_t, int8_t, int32_t>(functions[1][1], tiles.columns());
}

template <typename T>
void CheckTurned(const Tiles<T>& tiles) {
  constexpr int64_t kCount = 37;
  const std::vector<T> x = Numbers<T>(2 * kCount, 1), y = Numbers<T>(2 * kCount, 2);
  std::vector<T> sums(2 * kCount);
  tiles.add_turned(kCount, x.data(), y.data(), sums.data());
  for (int64_t i = 0; i < kCount; ++i) {
    const std::complex<T> sum = std::complex<T>(x[2 * i], x[2 * i + 1]) +
                                std::complex<T>(0, 1) * std::complex<T>(y[2 * i], y[2 * i + 1]);
    EXPECT_EQ(sums[2 * i], sum.real());
    EXPECT_EQ(sums[2 * i + 1], sum.imag());
  }
}

TEST_P(FunctionTableTest, ComplexNumbersAreTurnedAndAdded) {
  CheckTurned(TilesHere<float>());
  CheckTurned(TilesHere<double>());
}

TEST_P(FunctionTableTest, HalvesAreConverted) {
  const Tiles<float>& tiles = TilesHere<float>();
  if (tiles.round_to_half == nullptr) return;
  for (int64_t count = 1; count < 40; ++count) {
    std::vector<float> numbers, widened(count);
    for (int64_t i = 0; i < count; ++i) numbers.push_back(0.1f * static_cast<float>(i * i) - 7);
    std::vector<half> halves(count);
    std::vector<bfloat16> bfloats(count);
    tiles.round_to_half(numbers.data(), count, reinterpret_cast<uint16_t*>(halves.data()));
    tiles.round_to_bfloat16(numbers.data(), count, reinterpret_cast<uint16_t*>(bfloats.data()));
    tiles.widen_half(reinterpret_cast<const uint16_t*>(halves.data()), count, widened.data());
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(halves[i], static_cast<half>(numbers[i]));
      EXPECT_EQ(bfloats[i], static_cast<bfloat16>(numbers[i]));
      EXPECT_EQ(widened[i], static_cast<float>(halves[i]));
    }
  }
}

template <typename T>
void CheckStages(const FftFunctions<T>& functions) {
  for (int64_t radix : {2, 3, 4, 5, 7, 8, 13, 29}) {
    for (int64_t side : {int64_t{functions.lanes}, int64_t{functions.lanes} + 1, int64_t{3}}) {
      const std::vector<T> re = Numbers<T>(radix * side, 1), im = Numbers<T>(radix * side, 2);
      std::vector<T> x_re = re, x_im = im, y_re(radix * side), y_im(radix * side);
      const std::vector<std::complex<T>> twiddles(radix, T(1));
      std::vector<std::complex<T>> roots;
      for (int64_t k = 0; k < radix; ++k) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(k) / radix;
        roots.emplace_back(static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle)));
      }
      functions.stage(radix, 1, side, roots.data(), twiddles.data(), {x_re.data(), x_im.data()},
                      {y_re.data(), y_im.data()});
      for (int64_t j = 0; j < radix; ++j) {
        for (int64_t q = 0; q < side; ++q) {
          std::complex<T> sum = 0;
          for (int64_t k = 0; k < radix; ++k)
            sum += std::complex<T>(re[q + side * k], im[q + side * k]) * roots[j * k % radix];
          EXPECT_NEAR(y_re[q + side * j], sum.real(), 2e-5) << "radix " << radix;
          EXPECT_NEAR(y_im[q + side * j], sum.imag(), 2e-5) << "radix " << radix;
        }
      }
    }
  }
}

// A transform of radix * count numbers by one stage of that radix and the sums of the others.
template <typename T>
void CheckOneLine(const FftFunctions<T>& functions, int64_t radix, bool is_first) {
  const int64_t count = functions.lanes + 3, length = radix * count;
  const std::vector<T> re = Numbers<T>(length, 1), im = Numbers<T>(length, 2);
  const auto root = [](int64_t k, int64_t n) {
    return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k % n) / n);
  };
  std::vector<std::complex<T>> roots;
  for (int64_t k = 0; k < radix; ++k) roots.emplace_back(root(k, radix));
  std::vector<T> twiddle_re, twiddle_im;
  for (int64_t j = 0; j < radix; ++j) {
    for (int64_t p = 0; p < count; ++p) {
      twiddle_re.push_back(static_cast<T>(root(j * p, length).real()));
      twiddle_im.push_back(static_cast<T>(root(j * p, length).imag()));
    }
  }
  std::vector<T> x_re = re, x_im = im, y_re(length), y_im(length);
  const Parts<const T> twiddles = {twiddle_re.data(), twiddle_im.data()};
  const Parts<T> x = {x_re.data(), x_im.data()}, y = {y_re.data(), y_im.data()};
  if (is_first) {
    functions.first_stage(radix, count, roots.data(), twiddles, x, y);
  } else {
    functions.combine_lanes(count, twiddles, x, y);
  }
  for (int64_t p = 0; p < count; ++p) {
    for (int64_t j = 0; j < radix; ++j) {
      std::complex<double> sum = 0;
      for (int64_t k = 0; k < radix; ++k) {
        const int64_t from = is_first ? p + count * k : p * radix + k;
        const std::complex<double> turn = is_first ? root(j * k, radix) * root(j * p, length)
                                                   : root(j * k, radix) * root(k * p, length);
        sum += std::complex<double>(re[from], im[from]) * turn;
      }
      const int64_t to = is_first ? p * radix + j : p + count * j;
      EXPECT_NEAR(y_re[to], sum.real(), 2e-5) << "radix " << radix;
      EXPECT_NEAR(y_im[to], sum.imag(), 2e-5) << "radix " << radix;
    }
  }
}

template <typename T>
void CheckLines(const FftFunctions<T>& functions) {
  for (int64_t radix : {3, 9, 13, 35}) CheckOneLine(functions, radix, true);
  CheckOneLine(functions, functions.lanes, false);
}

TEST_P(FunctionTableTest, StagesOfOneLine) {
  CheckLines(std::get<FftFunctions<float>>(FunctionTableOf(GetParam())));
  CheckLines(std::get<FftFunctions<double>>(FunctionTableOf(GetParam())));
}

TEST_P(FunctionTableTest, StagesOfTransforms) {
  CheckStages(std::get<FftFunctions<float>>(FunctionTableOf(GetParam())));
  CheckStages(std::get<FftFunctions<double>>(FunctionTableOf(GetParam())));
}

// Matrices of `kRows` rows and columns, one for each lane: made of factors whose numbers are halves
// and powers of two, so that all that is computed is exact.
template <typename T>
class Lanes {
 public:
  static constexpr int64_t kRows = 5;

  Lanes(int64_t lanes, int64_t parts)
      : lanes_(lanes), parts_(parts), x_(kRows * kRows * lanes * parts) {}

  T* data() { return x_.data(); }
  std::complex<T> Get(int64_t i, int64_t j, int64_t lane) const {
    const T* const place = &x_[(i * kRows + j) * parts_ * lanes_ + lane];
    return {place[0], parts_ == 2 ? place[lanes_] : T(0)};
  }
  void Set(int64_t i, int64_t j, int64_t lane, std::complex<T> value) {
    T* const place = &x_[(i * kRows + j) * parts_ * lanes_ + lane];
    place[0] = value.real();
    if (parts_ == 2) place[lanes_] = value.imag();
  }
  // Number (i, j), below the diagonal at most a half, on it four.
  std::complex<T> Factor(int64_t i, int64_t j, int64_t lane) const {
    const T real = static_cast<T>((3 * i + 5 * j + lane) % 3 - 1);
    const std::complex<T> small = {real, parts_ == 2 ? static_cast<T>((i + j + lane) % 2) : T(0)};
    if (i > j) return small / T(4);
    return i < j ? small : std::complex<T>(4);
  }

 private:
  const int64_t lanes_, parts_;
  std::vector<T> x_;
};

template <typename T>
void CheckSmallMatrices(const SmallMatrixFunctions<T>& functions, int64_t parts) {
  const int64_t n = Lanes<T>::kRows, lanes = functions.lanes;
  Lanes<T> whole(lanes, parts), definite(lanes, parts), lower(lanes, parts), sides(lanes, parts);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const auto factor = [&](int64_t row, int64_t column) {
          return whole.Factor(row, column, lane);
        };
        std::complex<T> lu = i <= j ? factor(i, j) : T(0), product = 0, side = 0;
        for (int64_t k = 0; k < i && k <= j; ++k) lu += factor(i, k) * factor(k, j);
        for (int64_t k = 0; k <= std::min(i, j); ++k)
          product += factor(i, k) * std::conj(factor(j, k));
        for (int64_t k = 0; k <= i; ++k) side += factor(i, k) * factor(j, k);
        // The first pivot is in another row.
        const int64_t first = lane % n;
        whole.Set(i == 0 ? first : i == first ? 0 : i, j, lane, lu);
        definite.Set(i, j, lane, product);
        lower.Set(i, j, lane, factor(i, j));
        sides.Set(i, j, lane, side);
      }
    }
  }
  std::vector<LaneIndex<T>> pivots(n * lanes), info(lanes, 7), cholesky_info(lanes, 7);
  functions.factorize_lu[parts - 1](n, n, n, whole.data(), pivots.data(), info.data());
  functions.factorize_cholesky[parts - 1](n, n, definite.data(), cholesky_info.data());
  functions.solve_lower[parts - 1](false, n, n, lower.data(), sides.data());
  for (int64_t lane = 0; lane < lanes; ++lane) {
    EXPECT_EQ(info[lane], 0);
    EXPECT_EQ(cholesky_info[lane], 0);
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(pivots[i * lanes + lane], i == 0 ? lane % n + 1 : i + 1);
      for (int64_t j = 0; j < n; ++j) {
        EXPECT_EQ(whole.Get(i, j, lane), whole.Factor(i, j, lane)) << i << " " << j;
        EXPECT_EQ(sides.Get(i, j, lane), whole.Factor(j, i, lane)) << i << " " << j;
        if (j > i) continue;
        EXPECT_EQ(definite.Get(i, j, lane), whole.Factor(i, j, lane)) << i << " " << j;
      }
    }
  }
}

TEST_P(FunctionTableTest, SmallMatricesAreFactorized) {
  for (int64_t parts : {1, 2}) {
    CheckSmallMatrices(std::get<SmallMatrixFunctions<float>>(FunctionTableOf(GetParam())), parts);
    CheckSmallMatrices(std::get<SmallMatrixFunctions<double>>(FunctionTableOf(GetParam())), parts);
  }
}

template <typename Key>
void CheckKeySearch(const KeySearch<Key>& search) {
  constexpr int64_t kRows = 3, kColumns = 128, kBlock = kKeysOfBlock<Key>;
  std::vector<Key> keys(kRows * kColumns), least(kColumns);
  for (size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<Key>(~Key{0} - static_cast<Key>((i * 37) % 101));
  search.find_least(keys.data(), kRows, kColumns, least.data());
  for (int64_t c = 0; c < kColumns; ++c) {
    EXPECT_EQ(least[c], std::min({keys[c], keys[kColumns + c], keys[2 * kColumns + c]}));
  }
  std::set<Key> in_order(least.begin(), least.end());
  std::vector<Key> different(in_order.begin(), in_order.end());
  for (int64_t k : {1, 2, 7, 200}) {
    EXPECT_EQ(search.find_in_order(least.data(), kColumns / kBlock, k),
              k == 200 ? static_cast<Key>(~Key{0}) : different[static_cast<size_t>(k - 1)]);
  }
  std::vector<Key> many(7 * kBlock, Key{200});
  EXPECT_EQ(search.find_block(many.data(), 7, 199), 7);
  many[5 * kBlock + 3] = 150;
  EXPECT_EQ(search.find_block(many.data(), 7, 150), 5);
  EXPECT_EQ(search.find_block(many.data(), 7, 149), 7);
  EXPECT_EQ(search.find_block(many.data(), 7, 200), 0);
}

TEST_P(FunctionTableTest, SmallestKeysAreFound) {
  CheckKeySearch(std::get<KeySearch<uint8_t>>(FunctionTableOf(GetParam())));
  CheckKeySearch(std::get<KeySearch<uint16_t>>(FunctionTableOf(GetParam())));
  CheckKeySearch(std::get<KeySearch<uint32_t>>(FunctionTableOf(GetParam())));
  CheckKeySearch(std::get<KeySearch<uint64_t>>(FunctionTableOf(GetParam())));
}

}  // namespace
}  // namespace xla::cpu
