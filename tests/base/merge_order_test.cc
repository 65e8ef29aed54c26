// Random graphs whose nodes are merged at random: what the order says of paths is what a search of
// the whole graph finds, and each node stays before those that need it.
#include "base/merge_order.h"

#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace xla {
namespace {

class Graph {
 public:
  Graph(int nodes, int edges, std::mt19937& random) : users_(nodes) {
    std::uniform_int_distribution<int> any(0, nodes - 1);
    for (int i = 0; i < edges; ++i) {
      const int x = any(random), y = any(random);
      if (x < y) users_[x].insert(y);
    }
  }

  const std::set<int>& users(int node) const { return users_[node]; }

  // By a path of more than one edge.
  bool ReachesThroughOthers(int from, int to) const {
    std::vector<int> waiting;
    std::set<int> seen;
    const auto add = [&](int node) {
      if (node != to && seen.insert(node).second) waiting.push_back(node);
    };
    for (int user : users_[from]) add(user);
    while (!waiting.empty()) {
      const int node = waiting.back();
      waiting.pop_back();
      if (users_[node].count(to) > 0) return true;
      for (int user : users_[node]) add(user);
    }
    return false;
  }

  void Merge(int from, int into) {
    users_[into].insert(users_[from].begin(), users_[from].end());
    users_[into].erase(into);
    users_[from].clear();
    for (auto& users : users_) {
      if (users.erase(from) > 0) users.insert(into);
    }
    users_[into].erase(into);
  }

 private:
  std::vector<std::set<int>> users_;
};

void MergeAtRandom(int nodes, int edges, std::mt19937& random) {
  Graph graph(nodes, edges, random);
  MergeOrder order(nodes, [&](int node, absl::FunctionRef<void(int)> visit) {
    for (int user : graph.users(node)) visit(user);
  });
  std::vector<int> left(nodes);
  for (int i = 0; i < nodes; ++i) left[i] = i;
  for (int round = 0; round < 4 * nodes && left.size() > 1; ++round) {
    std::uniform_int_distribution<size_t> any(0, left.size() - 1);
    const size_t i = any(random), j = any(random);
    if (i == j) continue;
    const auto [first, second] = order.InOrder(left[i], left[j]);
    const bool reaches = graph.ReachesThroughOthers(first, second);
    ASSERT_EQ(order.ReachesThroughOthers(first, second), reaches);
    ASSERT_EQ(order.Reaches(first, second), reaches || graph.users(first).count(second) > 0);
    ASSERT_FALSE(graph.ReachesThroughOthers(second, first));
    if (reaches) continue;
    order.Merge(first, second);
    graph.Merge(first, second);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(first == left[i] ? i : j));
    for (int node : left) {
      for (int user : graph.users(node)) ASSERT_EQ(order.InOrder(node, user).first, node);
    }
  }
}

TEST(MergeOrderTest, PathsAreThoseOfTheGraph) {
  std::mt19937 random(1);
  for (int i = 0; i < 40; ++i) {
    MergeAtRandom(30, 20, random);
    MergeAtRandom(30, 60, random);
    MergeAtRandom(60, 400, random);
  }
}

// A search that would take long stops, and says that there may be a path.
TEST(MergeOrderTest, LongSearchesStop) {
  constexpr int kNodes = 10000;
  MergeOrder order(kNodes, [&](int node, absl::FunctionRef<void(int)> visit) {
    if (node + 2 < kNodes) visit(node + 1);
  });
  EXPECT_FALSE(order.ReachesThroughOthers(kNodes - 100, kNodes - 1));
  EXPECT_TRUE(order.ReachesThroughOthers(0, kNodes - 1));
}

}  // namespace
}  // namespace xla
