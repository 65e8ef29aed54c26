#include "base/merge_order.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/check.h"

namespace xla {
namespace {

constexpr int kNone = -1;
// Nodes of a search before a path is taken for granted.
constexpr size_t kMostNodes = 1024;

}  // namespace

MergeOrder::MergeOrder(int nodes, Users users)
    : users_(std::move(users)), place_(nodes), nodes_(nodes), seen_(nodes) {
  absl::c_iota(place_, 0);
  absl::c_iota(nodes_, 0);
}

bool MergeOrder::ReachesThroughOthers(int first, int second) {
  return !UsersBetween(first, second).has_value();
}

bool MergeOrder::Reaches(int first, int second) {
  bool is_user = false;
  users_(first, [&](int user) { is_user = is_user || user == second; });
  return is_user || ReachesThroughOthers(first, second);
}

std::optional<std::vector<int>> MergeOrder::UsersBetween(int first, int second) {
  CHECK_LT(place_[first], place_[second]);
  ++searches_;
  std::vector<int> found;
  bool reaches = false;
  const auto add_users = [&](int node) {
    users_(node, [&](int user) {
      if (user == second) reaches = reaches || node != first;
      if (place_[user] >= place_[second] || user == first || seen_[user] == searches_) return;
      seen_[user] = searches_;
      found.push_back(user);
    });
  };
  add_users(first);
  for (size_t i = 0; i < found.size() && !reaches; ++i) {
    if (found.size() > kMostNodes) return std::nullopt;
    add_users(found[i]);
  }
  if (reaches) return std::nullopt;
  return found;
}

void MergeOrder::Merge(int first, int second) {
  const std::optional<std::vector<int>> later = UsersBetween(first, second);
  CHECK(later.has_value());
  const int begin = place_[first], end = place_[second];
  nodes_[begin] = kNone;
  place_[first] = kNone;
  if (later->empty()) return;
  // What needs it comes behind both, which nothing is that `second` needs.
  std::vector<int> order, behind = {second};
  for (int place = begin; place < end; ++place) {
    const int node = nodes_[place];
    if (node == kNone) continue;
    (seen_[node] == searches_ ? behind : order).push_back(node);
  }
  order.insert(order.end(), behind.begin(), behind.end());
  std::fill(nodes_.begin() + begin, nodes_.begin() + end + 1, kNone);
  int place = end + 1 - static_cast<int>(order.size());
  for (int node : order) {
    nodes_[place] = node;
    place_[node] = place++;
  }
}

}  // namespace xla
