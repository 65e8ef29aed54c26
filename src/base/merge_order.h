// A topological order of nodes that become fewer: two of them are merged at a time.
#ifndef HILO_BASE_MERGE_ORDER_H_
#define HILO_BASE_MERGE_ORDER_H_

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"

namespace xla {

// Paths from one node to another lie between the two in the order, so that only this part of it is
// searched, and put in order again, as by D. J. Pearce and P. H. J. Kelly, "A dynamic topological
// sort algorithm for directed acyclic graphs" (2006), for new edges.
class MergeOrder {
 public:
  // Calls `visit` for each node that needs a node, as it is at the time, but not for itself.
  using Users = std::function<void(int node, absl::FunctionRef<void(int)> visit)>;

  // Nodes are numbers from 0 on, each before those that need it.
  MergeOrder(int nodes, Users users);

  // Two nodes, the one that comes first in the order before the other.
  std::pair<int, int> InOrder(int x, int y) const {
    return place_[x] < place_[y] ? std::pair(x, y) : std::pair(y, x);
  }
  // Whether a third node needs the first of two and is needed for the second one. True as well
  // where finding out would take long.
  bool ReachesThroughOthers(int first, int second);
  // Whether the second of two nodes needs the first one, itself or through others.
  bool Reaches(int first, int second);

  // The second of two nodes takes over all of the first one, which is no node from now on. `first`
  // does not reach `second` through others. What users there are is asked as it was before.
  void Merge(int first, int second);

 private:
  // Nodes between two nodes that need the first one. Nothing if the second is reachable from one of
  // them.
  std::optional<std::vector<int>> UsersBetween(int first, int second);

  const Users users_;
  std::vector<int> place_;  // of each node
  std::vector<int> nodes_;  // at each place; kNone where there is none any more
  std::vector<int> seen_;   // the search that found each node last
  int searches_ = 0;
};

}  // namespace xla

#endif  // HILO_BASE_MERGE_ORDER_H_
