#include "xla/tuple_tree.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using Tree = TupleTree<int>;
using Node = Tree::Node;

// (1, (2, 3)) with 10 and 20 at the tuples.
Tree Nested() {
  return Tree(Node::Tuple(10, {Node::Leaf(1), Node::Tuple(20, {Node::Leaf(2), Node::Leaf(3)})}));
}

std::vector<int> Values(const Tree& tree) {
  std::vector<int> values;
  for (const auto& [index, value] : tree) values.push_back(value);
  return values;
}

TEST(TupleTreeTest, NodesLieInPreOrder) {
  const Tree tree = Nested();
  EXPECT_THAT(Values(tree), ElementsAre(10, 1, 20, 2, 3));
  EXPECT_EQ(tree.element({}), 10);
  EXPECT_EQ(tree.element({1, 1}), 3);
  EXPECT_TRUE(tree.IsLeaf({0}));
  EXPECT_FALSE(tree.IsLeaf({1}));
  EXPECT_FALSE(tree.IsLeaf({2}));
  EXPECT_TRUE(tree.find({0, 0}) == tree.end());
  EXPECT_EQ(tree.find({1, 0})->second, 2);
  EXPECT_EQ(tree.num_leaves(), 3);
  std::vector<int> leaves, reversed;
  for (const auto& [index, value] : tree.leaves()) leaves.push_back(value);
  for (auto it = tree.leaf_rbegin(); it != tree.leaf_rend(); ++it) reversed.push_back(it->second);
  EXPECT_THAT(leaves, ElementsAre(1, 2, 3));
  EXPECT_THAT(reversed, ElementsAre(3, 2, 1));
  EXPECT_DEATH(tree.element({2}), "No node");
}

TEST(TupleTreeTest, WaysToMakeOne) {
  EXPECT_THAT(Values(Tree()), ElementsAre(0));
  EXPECT_TRUE(Tree().IsTuple());
  EXPECT_FALSE(Tree(5).IsTuple());
  EXPECT_THAT(Values(Tree({7, 8})), ElementsAre(0, 7, 8));
  const Shape array = ShapeUtil::MakeShape(F32, {});
  const Shape shape = ShapeUtil::MakeTupleShape({array, ShapeUtil::MakeTupleShape({array, array})});
  EXPECT_THAT(Values(Tree(shape, 4)), ElementsAre(4, 4, 4, 4, 4));
  EXPECT_TRUE(Nested().IsStructurallyCompatible(shape));
  EXPECT_FALSE(Tree({1, 2}).IsStructurallyCompatible(shape));
  const std::vector<Tree::NodePair> pairs = {{{0}, 1}, {{2, 1}, 5}};
  const Tree gaps(absl::MakeConstSpan(pairs), -1);
  // (1, (), ((), 5))
  EXPECT_THAT(Values(gaps), ElementsAre(-1, 1, -1, -1, -1, 5));
  EXPECT_FALSE(gaps.IsLeaf({1}));
}

TEST(TupleTreeTest, PartsAndCopies) {
  const Tree tree = Nested();
  EXPECT_EQ(*tree.Subtree({1}), Tree(Node::Tuple(20, {Node::Leaf(2), Node::Leaf(3)})));
  EXPECT_FALSE(tree.Subtree({3}).ok());
  EXPECT_EQ(Tree(*tree.ToNode()), tree);
  EXPECT_THAT(Values(tree.Map<int>([](const int& value) { return value + 1; })),
              ElementsAre(11, 2, 21, 3, 4));
  Tree copy = tree;
  copy.CopySubtreeFrom(tree, {1}, {0});
  EXPECT_THAT(Values(copy), ElementsAre(10, 20, 2, 3, 20, 2, 3));
  copy.CopySubtreeFrom(tree, {0}, {0, 0, 1});
  // The leaf 2 has become a tuple of itself and the copy.
  EXPECT_EQ(copy.element({0, 0, 0}), 2);
  EXPECT_EQ(copy.element({0, 0, 1}), 1);
  Tree other = tree.Map<int>([](const int& value) { return -value; });
  EXPECT_TRUE(other.CopyCompatibleSubtreeFrom(tree, {1}, {1}).ok());
  EXPECT_THAT(Values(other), ElementsAre(-10, -1, 20, 2, 3));
  EXPECT_FALSE(other.CopyCompatibleSubtreeFrom(tree, {1}, {0}).ok());
  EXPECT_NE(other, tree);
}

TEST(TupleTreeTest, SameValuesInAnotherStructureAreNotEqual) {
  EXPECT_NE(Tree(0), Tree());
  EXPECT_EQ(Tree({1, 2}), Tree(Node::Tuple({Node::Leaf(1), Node::Leaf(2)})));
}

}  // namespace
}  // namespace xla
