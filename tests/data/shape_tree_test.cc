#include "xla/shape_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "xla/shape_layout.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

Shape NestedTuple() {
  const Shape scalar = ShapeUtil::MakeShape(F32, {});
  return ShapeUtil::MakeTupleShape(
      {scalar, ShapeUtil::MakeTupleShape({scalar, ShapeUtil::MakeNil()}), scalar});
}

TEST(ShapeTreeTest, ElementsInPreOrder) {
  ShapeTree<int> tree(NestedTuple());
  int next = 0;
  for (auto& [index, value] : tree) value = next++;
  EXPECT_EQ(tree.element({}), 0);
  EXPECT_EQ(tree.element({1, 0}), 3);
  EXPECT_EQ(tree.element({2}), 5);
  *tree.mutable_element({1, 1}) = 40;
  EXPECT_EQ(tree.find({1, 1})->second, 40);
  EXPECT_DEATH(tree.element({0, 0}), "not in the tree");
  std::vector<std::string> order;
  tree.ForEachElementPostOrder(
      [&](const ShapeIndex& index, int) { order.push_back(index.ToString()); });
  EXPECT_THAT(order, ElementsAre("{0}", "{1,0}", "{1,1}", "{1}", "{2}", "{}"));
}

TEST(ShapeTreeTest, Leaves) {
  ShapeTree<int> tree(NestedTuple(), 1);
  EXPECT_EQ(tree.leaf_count(), 3);
  EXPECT_TRUE(tree.IsLeaf({0}));
  EXPECT_FALSE(tree.IsLeaf({1, 1}));
  std::vector<std::string> order;
  for (auto& [index, value] : tree.leaves()) order.push_back(index.ToString());
  EXPECT_THAT(order, ElementsAre("{0}", "{1,0}", "{2}"));
  order.clear();
  for (auto it = tree.leaf_rbegin(); it != tree.leaf_rend(); ++it) {
    order.push_back(it->first.ToString());
  }
  EXPECT_THAT(order, ElementsAre("{2}", "{1,0}", "{0}"));
}

TEST(ShapeTreeTest, SubtreesAndMaps) {
  ShapeTree<int> tree(NestedTuple());
  int next = 0;
  tree.ForEachMutableElement([&](const ShapeIndex&, int* value) { *value = next++; });
  const ShapeTree<int> subtree = tree.SubShapeTree({1}).value();
  EXPECT_EQ(subtree.shape().ToString(), "(f32[], ())");
  EXPECT_EQ(subtree.element({0}), 3);
  EXPECT_FALSE(tree.SubShapeTree({7}).ok());
  ShapeTree<int> target(ShapeUtil::MakeTupleShape({NestedTuple()}), -1);
  target.CopySubtreeFrom(tree, {1}, {0, 1});
  EXPECT_EQ(target.element({0, 1, 0}), 3);
  EXPECT_EQ(target.element({0, 2}), -1);
  const ShapeTree<std::string> text =
      tree.Map<std::string>([](const int& value) { return std::to_string(value); });
  EXPECT_EQ(text.element({2}), "5");
  EXPECT_FALSE(tree.MapWithStatus<int>([](const int& value) -> absl::StatusOr<int> {
                     if (value == 3) return absl::CancelledError();
                     return value;
                   })
                   .ok());
  const ShapeTree<int> copy = tree;
  EXPECT_EQ(copy, tree);
}

TEST(ShapeLayoutTest, AssignsAndMatches) {
  const Shape rows = ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(F32, {2, 3})});
  const Shape columns =
      ShapeUtil::MakeTupleShape({ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1})});
  ShapeLayout layout(columns);
  EXPECT_TRUE(layout.MatchesLayoutInShape(columns));
  EXPECT_FALSE(layout.MatchesLayoutInShape(rows));
  Shape shape = rows;
  EXPECT_TRUE(layout.AssignLayoutToShape(&shape).ok());
  EXPECT_EQ(shape, columns);
  Shape other = ShapeUtil::MakeShape(F32, {2, 3});
  EXPECT_FALSE(layout.AssignLayoutToShape(&other).ok());
  EXPECT_TRUE(layout.CopyLayoutFromShape(rows).ok());
  EXPECT_EQ(layout.ToString(), "(f32[2,3]{1,0})");
  layout.ResetLayout(Layout({0, 1}), {0});
  EXPECT_EQ(layout, ShapeLayout(columns));
  layout.Clear();
  EXPECT_FALSE(layout.AnyLayoutIsSet());
  layout.SetToDefaultLayout();
  EXPECT_TRUE(layout.LayoutIsSet());

  ShapeLayout tiled(ShapeUtil::MakeShapeWithDenseLayout(F32, {8}, {0}, {Tile({4})}));
  EXPECT_FALSE(tiled.MatchesLayoutInShape(ShapeUtil::MakeShape(F32, {8})));
  EXPECT_TRUE(tiled.MatchesLayoutInShape(ShapeUtil::MakeShape(F32, {8}), false, true));
}

}  // namespace
}  // namespace xla
