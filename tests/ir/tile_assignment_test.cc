#include "xla/hlo/ir/tile_assignment.h"

#include <limits>
#include <random>

#include "absl/hash/hash.h"
#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/tsl/lib/core/status_test_util.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

TEST(TileAssignmentTest, FormulasAreShortened) {
  const auto text = [](absl::Span<const int64_t> dims, absl::Span<const int64_t> reshape,
                       absl::Span<const int> perm) {
    return IotaTileAssignment::Create(dims, reshape, perm).ToString();
  };
  EXPECT_EQ(text({2, 4}, {4, 1, 2}, {2, 1, 0}), "[2,4]<=[4,2]T(1,0)");
  EXPECT_EQ(text({2, 4}, {4, 2}, {0, 1}), "[2,4]<=[8]");
  EXPECT_EQ(text({2, 2}, {2, 1, 2}, {0, 2, 1}), "[2,2]<=[4]");
  EXPECT_EQ(text({2}, {2, 1}, {1, 0}), "[2]<=[2]");
  EXPECT_EQ(text({2, 2, 2}, {2, 2, 2}, {2, 0, 1}), "[2,2,2]<=[4,2]T(1,0)");
  EXPECT_EQ(text({1, 1}, {1, 1, 1}, {2, 1, 0}), "[1,1]<=[1]");
}

TEST(TileAssignmentTest, ValuesOfAFormula) {
  const TileAssignment tile({2, 4}, {4, 2}, {1, 0});
  EXPECT_THAT(tile.devices(), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_EQ(tile(1, 2), 5);
  EXPECT_EQ(tile.first(), 0);
  EXPECT_TRUE(tile.UsesDevice(7));
  EXPECT_FALSE(tile.UsesDevice(8));
  EXPECT_FALSE(tile.UsesDevice(-1));
}

TEST(TileAssignmentTest, FormulaAndListWithTheSameDevicesAreEqual) {
  const TileAssignment formula({2, 2}, {2, 2}, {1, 0});
  const TileAssignment list(Array<int64_t>({{0, 2}, {1, 3}}));
  EXPECT_EQ(formula, list);
  EXPECT_EQ(list, formula);
  EXPECT_NE(formula, TileAssignment({2, 2}));
  EXPECT_NE(formula, formula.Reshape({4, 1}));
  EXPECT_EQ(list.ToString(), "devices=[2,2]0,2,1,3");
  EXPECT_EQ(formula.ToString(), "devices=[2,2]<=[2,2]T(1,0)");
}

TEST(TileAssignmentTest, WithoutTiles) {
  const TileAssignment none;
  EXPECT_THAT(none.dimensions(), ElementsAre(0));
  EXPECT_EQ(none.num_elements(), 0);
  EXPECT_EQ(none, TileAssignment());
  EXPECT_EQ(absl::HashOf(none), absl::HashOf(TileAssignment()));
  EXPECT_FALSE(none.UsesDevice(0));
}

TEST(TileAssignmentTest, ArraysAreSharedByCopies) {
  const TileAssignment tile({2, 3}, {3, 2}, {1, 0});
  const TileAssignment copy = tile;
  EXPECT_EQ(&tile.array(), &copy.array());
  EXPECT_EQ(tile.array(), Array<int64_t>({{0, 2, 4}, {1, 3, 5}}));
  EXPECT_EQ(tile.ArrayToString(), "[3,2]T(1,0)");
  const TileAssignment list(tile.shared_array());
  EXPECT_EQ(list, tile);
  EXPECT_FALSE(list.iota().has_value());
  EXPECT_EQ(list.ArrayToString(), "0,2,4,1,3,5");
}

TEST(TileAssignmentTest, FindsTheIndexOfADevice) {
  const IotaTileAssignment iota = IotaTileAssignment::Create({4, 6}, {2, 3, 4}, {2, 0, 1});
  for (int64_t device = 0; device < 24; ++device) {
    EXPECT_EQ(iota.value_at(iota.index_for(device)), device);
  }
  EXPECT_DEATH(iota.index_for(24), "");
}

TEST(TileAssignmentTest, FactorsOfAFormula) {
  // 4 and 6 = 2 * 3, of what counts along 3, 4 and 2 and is put in the order 4, 2, 3.
  const auto factors = GetOrderedSubDims({4, 6}, {3, 4, 2}, {1, 2, 0});
  std::vector<std::vector<int64_t>> found;
  for (const SubDimInfo& f : *factors) {
    found.push_back({f.tile_dim_index, f.tile_sub_dim_index, f.reshape_dim_index, f.size});
  }
  EXPECT_THAT(found, ElementsAre(ElementsAre(1, 0, 0, 3), ElementsAre(0, 0, 1, 4),
                                 ElementsAre(1, 1, 2, 2)));
  EXPECT_THAT(GetOrderedSubDims({3, 2}, {3, 2}, {1, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(AnalyzeTileAssignment(TileAssignment({6, 4}, {2, 4, 3}, {2, 0, 1}))->local_mesh,
              ElementsAre(2, 4, 3));
  EXPECT_THAT(AnalyzeTileAssignment(TileAssignment(Array<int64_t>({{0, 1}, {2, 3}})))->local_mesh,
              ElementsAre(2, 2));
  EXPECT_FALSE(AnalyzeTileAssignment(TileAssignment(Array<int64_t>({{1, 0}}))).has_value());
}

TEST(TileAssignmentTest, TransposeIsThatOfTheArray) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    // Any division of 2*2*2*3*3 devices into three dimensions, on both sides.
    std::vector<int64_t> dims(3, 1), reshape(3, 1);
    for (const int64_t factor : {2, 2, 2, 3, 3}) {
      dims[random() % 3] *= factor;
      reshape[random() % 3] *= factor;
    }
    std::vector<int> reshape_perm = {0, 1, 2}, perm = {0, 1, 2};
    std::shuffle(reshape_perm.begin(), reshape_perm.end(), random);
    std::shuffle(perm.begin(), perm.end(), random);
    const TileAssignment tile(dims, reshape, reshape_perm);
    Array<int64_t> expected = tile.ToArray();
    expected.TransposeDimensions(perm);
    EXPECT_THAT(tile.Transpose(perm).devices(), ElementsAreArray(expected)) << tile.ToString();

    const TileAssignment sorted = tile.SortLastDimension();
    Array<int64_t> rows = tile.ToArray();
    for (int64_t* row = rows.begin(); row != rows.end(); row += dims.back()) {
      std::sort(row, row + dims.back());
    }
    EXPECT_THAT(sorted.devices(), ElementsAreArray(rows)) << tile.ToString();
  }
}

TEST(TileAssignmentTest, TransposeKeepsTheFormulaWhereThereIsOne) {
  EXPECT_EQ(TileAssignment({2, 2, 2}).Transpose({0, 2, 1}).ToString(),
            "devices=[2,2,2]<=[2,2,2]T(0,2,1)");
  EXPECT_EQ(TileAssignment({4, 4}, {2, 4, 2}, {2, 1, 0}).SortLastDimension().ToString(),
            "devices=[4,4]<=[2,2,2,2]T(3,1,0,2)");
  // 0,3,1 4,2,5: the rows are no block of the formula.
  EXPECT_EQ(TileAssignment({2, 3}, {2, 3}, {1, 0}).SortLastDimension().ToString(),
            "devices=[2,3]0,1,3,2,4,5");
}

TEST(TileAssignmentTest, RefusesWhatDoesNotHoldTogether) {
  const auto formula = [](absl::Span<const int64_t> dims, absl::Span<const int64_t> reshape,
                          absl::Span<const int64_t> perm) {
    return TileAssignment::CreateChecked(dims, reshape, perm).status();
  };
  TF_EXPECT_OK(formula({2, 2}, {4}, {}));
  EXPECT_THAT(formula({2, 2}, {2}, {}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(formula({2, 2}, {16}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("different numbers")));
  EXPECT_THAT(formula({2, -2}, {4}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("positive")));
  EXPECT_THAT(formula({0, 2}, {0}, {}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(formula({2, 2}, {2, 2}, {0, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not a permutation")));
  EXPECT_THAT(formula({2, 2}, {2, 2}, {0}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(formula({2, 2}, {2, 2}, {0, kHuge}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(formula({kHuge, 4}, {4}, {}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(
      formula({int64_t{1} << 32, int64_t{1} << 32}, {int64_t{1} << 32, int64_t{1} << 32}, {}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("more than 1048576 devices")));
  EXPECT_THAT(TileAssignment::CreateChecked({2, 2}, {0, 1, 2}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("takes 4 devices, got 3")));
}

}  // namespace
}  // namespace xla
