// Quasi-affine functions of indices.
#include "ir/index_map.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

std::string Simple(const std::string& text) {
  return IndexMap::Parse(text).value().Simplify().ToString();
}

// Of the root's operand.
std::string MapOf(const std::string& body, int64_t operand = 0) {
  const auto module =
      ParseAndReturnUnverifiedModule(
          "HloModule m\nadd { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] "
          "add(x, y) }\nENTRY e {\n" +
          body + "\n}")
          .value();
  const auto map = OperandMap(*module->entry_computation()->root_instruction(), operand);
  return map.has_value() ? map->ToString() : "none";
}

TEST(IndexMapTest, TextIsReadBack) {
  for (const std::string text :
       {"() -> ()", "(d0 in 8) -> (d0)", "(d0 in 8, d1 in 4; s0 in 3) -> (d0 * 2 + s0 - 1, d1)",
        "(d0 in 8) -> (-d0 + 7)", "(d0 in 8) -> (-d0 * 2 + 14, 0, 3)",
        "(d0 in 96) -> ((d0 floordiv 12), ((d0 * 5 + 1) mod 12) * 7)",
        "(d0 in 9) -> (d0 - 2) where d0 - 2 in [0, 5), (d0 mod 2) in [0, 1)"}) {
    EXPECT_EQ(IndexMap::Parse(text).value().ToString(), text);
  }
}

TEST(IndexMapTest, ErrorsSayWhatIsWanted) {
  const auto error = [](const std::string& text) {
    return std::string(IndexMap::Parse(text).status().message());
  };
  EXPECT_EQ(error("(d0 in 8) -> (d1)"), "a variable that there is is wanted in place of \")\"");
  EXPECT_EQ(error("(d1 in 8) -> (d0)"),
            "the next variable is wanted in place of \"in 8) -> (d0)\"");
  EXPECT_EQ(error("(d0 in 8) -> ((d0 mod 0))"), "a positive number is wanted in place of \"))\"");
  EXPECT_EQ(error("(d0 in 8) -> (d0) or"), "the end is wanted in place of \"or\"");
  EXPECT_THAT(error("(d0 in 8) -> (" + std::string(1000, '(')),
              ::testing::HasSubstr("a simpler expression"));
}

TEST(IndexMapTest, RangesMakeExpressionsSimpler) {
  EXPECT_EQ(Simple("(d0 in 8, d1 in 4) -> (((d0 * 4 + d1) floordiv 4))"),
            "(d0 in 8, d1 in 4) -> (d0)");
  EXPECT_EQ(Simple("(d0 in 8, d1 in 4) -> (((d0 * 4 + d1) mod 4))"), "(d0 in 8, d1 in 4) -> (d1)");
  EXPECT_EQ(Simple("(d0 in 8, d1 in 5) -> (((d0 * 4 + d1) mod 4))"),
            "(d0 in 8, d1 in 5) -> ((d1 mod 4))");
  EXPECT_EQ(Simple("(d0 in 8) -> ((d0 floordiv 3) * 3 + (d0 mod 3))"), "(d0 in 8) -> (d0)");
  EXPECT_EQ(Simple("(d0 in 99) -> (((d0 floordiv 3) floordiv 4))"),
            "(d0 in 99) -> ((d0 floordiv 12))");
  EXPECT_EQ(Simple("(d0 in 8) -> (((d0 + 16) mod 8), ((d0 + 16) floordiv 8))"),
            "(d0 in 8) -> (d0, 2)");
  EXPECT_EQ(Simple("(d0 in 8) -> (((d0 - 8) floordiv 8))"), "(d0 in 8) -> (-1)");
  EXPECT_EQ(Simple("(d0 in 1) -> (d0 + 5)"), "(d0 in 1) -> (5)");
  EXPECT_EQ(Simple("(d0 in 8) -> (d0) where d0 + 2 in [0, 10), d0 in [1, 8)"),
            "(d0 in 8) -> (d0) where d0 in [1, 8)");
}

// Simpler expressions have the same values.
TEST(IndexMapTest, SimplerIsTheSame) {
  const IndexExpr x = IndexExpr::Variable(0), y = IndexExpr::Variable(1);
  for (int64_t a : {1, 2, 3, 6, 12}) {
    for (int64_t b : {1, 2, 4, 6}) {
      for (int64_t offset : {-7, -1, 0, 5}) {
        const IndexExpr number = x * a + y + IndexExpr::Constant(offset);
        const IndexExpr expr = number.FloorDiv(b).Mod(a + 1) * 2 + number.Mod(b).FloorDiv(a) +
                               number.FloorDiv(a).FloorDiv(b) * -1 + number.Mod(a) +
                               number.FloorDiv(a) * a;
        const IndexExpr simple = expr.Simplify({7, 5});
        for (int64_t i = 0; i < 7; ++i) {
          for (int64_t j = 0; j < 5; ++j) ASSERT_EQ(expr.Evaluate({i, j}), simple.Evaluate({i, j}));
        }
      }
    }
  }
}

TEST(IndexMapTest, QuotientsAndRemaindersRoundDown) {
  const IndexExpr x = IndexExpr::Variable(0);
  EXPECT_EQ(x.FloorDiv(4).Evaluate({-1}), -1);
  EXPECT_EQ(x.Mod(4).Evaluate({-1}), 3);
  EXPECT_EQ((x.FloorDiv(4) * 10 + x.Mod(4)).Evaluate({7}), 13);
}

TEST(IndexMapTest, OperationsHaveMaps) {
  EXPECT_EQ(MapOf("a = f32[8,4] parameter(0) ROOT r = f32[8,4] negate(a)"),
            "(d0 in 8, d1 in 4) -> (d0, d1)");
  EXPECT_EQ(MapOf("a = f32[4] parameter(0) ROOT r = f32[8,4,2] broadcast(a), dimensions={1}"),
            "(d0 in 8, d1 in 4, d2 in 2) -> (d1)");
  EXPECT_EQ(MapOf("a = f32[8,4] parameter(0) ROOT r = f32[4,8] transpose(a), dimensions={1,0}"),
            "(d0 in 4, d1 in 8) -> (d1, d0)");
  EXPECT_EQ(MapOf("a = f32[8,6] parameter(0) ROOT r = f32[2,4,6] reshape(a)"),
            "(d0 in 2, d1 in 4, d2 in 6) -> (d0 * 4 + d1, d2)");
  EXPECT_EQ(MapOf("a = f32[2,4,6] parameter(0) ROOT r = f32[8,6] reshape(a)"),
            "(d0 in 8, d1 in 6) -> ((d0 floordiv 4), (d0 mod 4), d1)");
  EXPECT_EQ(MapOf("a = f32[6,4] parameter(0) ROOT r = f32[8,3] reshape(a)"),
            "(d0 in 8, d1 in 3) -> (((d0 * 3 + d1) floordiv 4), ((d0 * 3 + d1) mod 4))");
  EXPECT_EQ(MapOf("a = f32[1,0,4] parameter(0) ROOT r = f32[0] reshape(a)"),
            "(d0 in 0) -> (0, 0, 0)");
  EXPECT_EQ(MapOf("a = f32[9] parameter(0) ROOT r = f32[4] slice(a), slice={[1:9:2]}"),
            "(d0 in 4) -> (d0 * 2 + 1)");
  EXPECT_EQ(MapOf("a = f32[9] parameter(0) ROOT r = f32[9] reverse(a), dimensions={0}"),
            "(d0 in 9) -> (-d0 + 8)");
  EXPECT_EQ(MapOf("a = f32[3] parameter(0) b = f32[5] parameter(1) ROOT r = f32[8] "
                  "concatenate(a, b), dimensions={0}",
                  1),
            "(d0 in 8) -> (d0 - 3) where d0 - 3 in [0, 5)");
  EXPECT_EQ(MapOf("a = f32[3] parameter(0) b = f32[] parameter(1) ROOT r = f32[9] pad(a, b), "
                  "padding=2_2_1"),
            "(d0 in 9) -> (((d0 - 2) floordiv 2)) where d0 - 2 in [0, 5), ((d0 - 2) mod 2) in "
            "[0, 1)");
  EXPECT_EQ(MapOf("a = f32[9,4] parameter(0) i = s32[] parameter(1) ROOT r = f32[2,4] "
                  "dynamic-slice(a, i, i), dynamic_slice_sizes={2,4}"),
            "(d0 in 2, d1 in 4; s0 in 8) -> (d0 + s0, d1)");
  EXPECT_EQ(MapOf("a = f32[9,4] parameter(0) u = f32[2,4] parameter(1) i = s32[] parameter(2) "
                  "ROOT r = f32[9,4] dynamic-update-slice(a, u, i, i)",
                  1),
            "(d0 in 9, d1 in 4; s0 in 8) -> (d0 - s0, d1) where d0 - s0 in [0, 2)");
  EXPECT_EQ(MapOf("a = f32[9,4] parameter(0) i = f32[] parameter(1) ROOT r = f32[4] "
                  "reduce(a, i), dimensions={0}, to_apply=add"),
            "(d0 in 4; s0 in 9) -> (s0, d0)");
  EXPECT_EQ(MapOf("a = f32[9] parameter(0) i = f32[] parameter(1) ROOT r = f32[5] "
                  "reduce-window(a, i), window={size=3 stride=2 pad=1_1}, to_apply=add"),
            "(d0 in 5; s0 in 3) -> (d0 * 2 + s0 - 1) where d0 * 2 + s0 - 1 in [0, 9)");
  EXPECT_EQ(MapOf("a = f32[9] parameter(0) i = s32[4,1] parameter(1) ROOT r = f32[4] "
                  "gather(a, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
                  "index_vector_dim=1, slice_sizes={1}"),
            "(d0 in 4; s0 in 9) -> (s0)");
  EXPECT_EQ(MapOf("a = f32[8,9,4] parameter(0) i = s32[8,2] parameter(1) ROOT r = f32[8,3,4] "
                  "gather(a, i), offset_dims={1,2}, collapsed_slice_dims={}, "
                  "operand_batching_dims={0}, start_indices_batching_dims={0}, "
                  "start_index_map={2,1}, index_vector_dim=1, slice_sizes={1,3,4}"),
            "(d0 in 8, d1 in 3, d2 in 4; s0 in 7) -> (d0, d1 + s0, d2)");
  EXPECT_EQ(MapOf("a = f32[2] parameter(0) b = f32[2] parameter(1) ROOT r = f32[1] "
                  "custom-call(a, b), custom_call_target=\"f\""),
            "none");
}

// The map of updates, and where the values of its symbols are.
std::string UpdatesOf(const std::string& body) {
  const auto module =
      ParseAndReturnUnverifiedModule(
          "HloModule m\nadd { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] "
          "add(x, y) }\nge { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = pred[] "
          "compare(x, y), direction=GE }\nENTRY e {\n" +
          body + "\n}")
          .value();
  const HloInstruction& root = *module->entry_computation()->root_instruction();
  std::string text = UpdateMap(root).ToString();
  if (root.opcode() == HloOpcode::kSelectAndScatter) return text;
  for (const Start& start : StartsOf(root)) {
    text += "; " + std::to_string(start.symbol) + ": " +
            std::string(root.operand(start.operand)->name()) + start.index.ToString();
  }
  return text;
}

TEST(IndexMapTest, UpdatesHaveMaps) {
  EXPECT_EQ(UpdatesOf("a = f32[9,4] parameter(0) u = f32[2,4] parameter(1) i = s32[] parameter(2) "
                      "j = s32[] parameter(3) ROOT r = f32[9,4] dynamic-update-slice(a, u, i, j)"),
            "(d0 in 2, d1 in 4; s0 in 8) -> (d0 + s0, d1); 2: i(d0 in 2, d1 in 4) -> ()");
  EXPECT_EQ(
      UpdatesOf("a = f32[9,1,4] parameter(0) i = s32[5,2] parameter(1) "
                "u = f32[5,4] parameter(2) ROOT r = f32[9,1,4] scatter(a, i, u), "
                "update_window_dims={1}, inserted_window_dims={0,1}, "
                "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=add"),
      "(d0 in 5, d1 in 4; s0 in 9, s1 in 1) -> (s0, s1, d1) where s0 in [0, 9), s1 in [0, 1); "
      "2: i(d0 in 5, d1 in 4) -> (d0, 0); 3: i(d0 in 5, d1 in 4) -> (d0, 1)");
  EXPECT_EQ(UpdatesOf("a = f32[9] parameter(0) s = f32[5] parameter(1) i = f32[] parameter(2) "
                      "ROOT r = f32[9] select-and-scatter(a, s, i), "
                      "window={size=3 stride=2 pad=1_1}, select=ge, scatter=add"),
            "(d0 in 5; s0 in 3) -> (d0 * 2 + s0 - 1) where d0 * 2 + s0 - 1 in [0, 9)");
}

TEST(IndexMapTest, MapsAreComposed) {
  const auto composed = [](const std::string& outer, const std::string& inner) {
    return Compose(IndexMap::Parse(outer).value(), IndexMap::Parse(inner).value()).ToString();
  };
  EXPECT_EQ(composed("(d0 in 4, d1 in 8) -> (d1, d0)", "(d0 in 8, d1 in 4) -> (d0 * 4 + d1)"),
            "(d0 in 4, d1 in 8) -> (d1 * 4 + d0)");
  EXPECT_EQ(composed("(d0 in 32) -> ((d0 floordiv 4), (d0 mod 4))",
                     "(d0 in 8, d1 in 4) -> (d0 * 4 + d1)"),
            "(d0 in 32) -> (d0)");
  EXPECT_EQ(composed("(d0 in 4; s0 in 3) -> (d0 + s0)", "(d0 in 6; s0 in 9) -> (s0, d0)"),
            "(d0 in 4; s0 in 3, s1 in 9) -> (s1, d0 + s0)");
  EXPECT_EQ(composed("(d0 in 4) -> (d0 + 3)", "(d0 in 8) -> (d0 - 3) where d0 - 3 in [0, 5)"),
            "(d0 in 4) -> (d0)");
}

}  // namespace
}  // namespace xla
