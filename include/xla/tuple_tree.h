// A value for each node of a tree of tuples.
#ifndef XLA_TUPLE_TREE_H_
#define XLA_TUPLE_TREE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/log/check.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/iterator_util.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

// Like ShapeTree, but the tree is its own structure and needs no shape. A leaf is a node that is no
// tuple; tuples, also those without elements, have values, too. Nodes lie in pre-order.
template <typename T>
class TupleTree {
 public:
  // A tree that is taken apart: what TupleTree is made from.
  class Node {
   public:
    static Node Leaf(T value) { return Node(std::move(value), std::nullopt); }
    static Node Tuple() { return Node(); }
    static Node Tuple(const T& value) { return Node(value, std::vector<Node>()); }
    static Node Tuple(absl::Span<const Node> children) { return Tuple(T(), children); }
    static Node Tuple(T value, absl::Span<const Node> children) {
      return Node(std::move(value), std::vector<Node>(children.begin(), children.end()));
    }

    // The empty tuple.
    Node() : children_(std::vector<Node>()) {}

    bool IsLeaf() const { return !children_.has_value(); }
    const T& value() const { return value_; }
    T* mutable_value() { return &value_; }
    // These CHECK that the node is a tuple.
    const std::vector<Node>& children() const {
      CHECK(!IsLeaf());
      return *children_;
    }
    std::vector<Node>* mutable_children() {
      CHECK(!IsLeaf());
      return &*children_;
    }

    bool operator==(const Node& other) const {
      return value_ == other.value_ && children_ == other.children_;
    }
    bool operator!=(const Node& other) const { return !(*this == other); }

   private:
    Node(T value, std::optional<std::vector<Node>> children)
        : value_(std::move(value)), children_(std::move(children)) {}

    T value_ = T();
    std::optional<std::vector<Node>> children_;
  };

  using NodePair = std::pair<ShapeIndex, T>;
  using NodePairs = absl::InlinedVector<NodePair, 1>;
  using iterator = typename NodePairs::iterator;
  using const_iterator = typename NodePairs::const_iterator;
  using reverse_iterator = typename NodePairs::reverse_iterator;
  using const_reverse_iterator = typename NodePairs::const_reverse_iterator;

  // The empty tuple.
  TupleTree() : TupleTree(Node::Tuple()) {}
  // One leaf.
  explicit TupleTree(const T& leaf_value) : TupleTree(Node::Leaf(leaf_value)) {}
  explicit TupleTree(T&& leaf_value) : TupleTree(Node::Leaf(std::move(leaf_value))) {}
  // A tuple of leaves, or of trees.
  TupleTree(std::initializer_list<T> items) {
    std::vector<Node> children;
    for (const T& item : items) children.push_back(Node::Leaf(item));
    Initialize(Node::Tuple(children));
  }
  TupleTree(std::initializer_list<Node> items) { Initialize(Node::Tuple(items)); }
  explicit TupleTree(Node&& root) { Initialize(std::move(root)); }
  // Leaves with these values at these indices. Tuples around them, and empty tuples in the gaps
  // between them, get the value T(args...).
  template <typename U, typename... Args>
  explicit TupleTree(absl::Span<U> node_pairs, Args&&... args) {
    static_assert(std::is_same_v<std::remove_const_t<U>, NodePair>);
    Node root = Node::Tuple(T(args...));
    for (const NodePair& pair : node_pairs) {
      *Reach(root, pair.first, [&] { return T(args...); }) = Node::Leaf(pair.second);
    }
    Initialize(std::move(root));
  }
  // The structure of a shape; every value is T(args...).
  template <typename... Args>
  explicit TupleTree(const Shape& shape, Args&&... args) {
    Initialize(OfShape(shape, [&] { return T(args...); }));
  }

  // The value at an index, of a leaf or a tuple. These CHECK that there is one.
  const T& element(ShapeIndexView index) const { return nodes_[PositionOf(index)].second; }
  T* mutable_element(ShapeIndexView index) { return &nodes_[PositionOf(index)].second; }
  // False, and end(), where there is no such index.
  bool IsLeaf(ShapeIndexView index) const {
    const std::optional<size_t> position = Find(index);
    return position.has_value() && entries_[*position].is_leaf;
  }
  iterator find(ShapeIndexView index) {
    return nodes_.begin() + Find(index).value_or(nodes_.size());
  }
  const_iterator find(ShapeIndexView index) const {
    return nodes_.begin() + Find(index).value_or(nodes_.size());
  }
  bool IsTuple() const { return !entries_[0].is_leaf; }
  // Whether tuples and leaves stand where they do in the shape.
  bool IsStructurallyCompatible(const Shape& shape) const {
    return HasStructure(TupleTree<char>(shape));
  }

  // All nodes.
  iterator begin() { return nodes_.begin(); }
  iterator end() { return nodes_.end(); }
  const_iterator begin() const { return nodes_.begin(); }
  const_iterator end() const { return nodes_.end(); }
  reverse_iterator rbegin() { return nodes_.rbegin(); }
  reverse_iterator rend() { return nodes_.rend(); }
  const_reverse_iterator rbegin() const { return nodes_.rbegin(); }
  const_reverse_iterator rend() const { return nodes_.rend(); }
  iterator_range<iterator> nodes() { return {begin(), end()}; }
  iterator_range<const_iterator> nodes() const { return {begin(), end()}; }

  // The leaves only.
  template <typename Tree, typename Pair>
  class LeafIterator {
   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = Pair;
    using difference_type = std::ptrdiff_t;
    using pointer = Pair*;
    using reference = Pair&;

    LeafIterator(Tree* tree, size_t position) : tree_(tree), position_(position) { Settle(); }
    reference operator*() const { return tree_->nodes_[position_]; }
    pointer operator->() const { return &tree_->nodes_[position_]; }
    LeafIterator& operator++() {
      ++position_;
      Settle();
      return *this;
    }
    LeafIterator operator++(int) {
      LeafIterator before = *this;
      ++*this;
      return before;
    }
    LeafIterator& operator--() {
      do {
        --position_;
      } while (position_ > 0 && !tree_->entries_[position_].is_leaf);
      return *this;
    }
    LeafIterator operator--(int) {
      LeafIterator before = *this;
      --*this;
      return before;
    }
    bool operator==(const LeafIterator& other) const { return position_ == other.position_; }
    bool operator!=(const LeafIterator& other) const { return position_ != other.position_; }

   private:
    void Settle() {
      while (position_ < tree_->nodes_.size() && !tree_->entries_[position_].is_leaf) ++position_;
    }

    Tree* tree_;
    size_t position_;
  };
  using leaf_iterator = LeafIterator<TupleTree, NodePair>;
  using const_leaf_iterator = LeafIterator<const TupleTree, const NodePair>;
  using reverse_leaf_iterator = std::reverse_iterator<leaf_iterator>;
  using const_reverse_leaf_iterator = std::reverse_iterator<const_leaf_iterator>;

  leaf_iterator leaf_begin() { return {this, 0}; }
  leaf_iterator leaf_end() { return {this, nodes_.size()}; }
  const_leaf_iterator leaf_begin() const { return {this, 0}; }
  const_leaf_iterator leaf_end() const { return {this, nodes_.size()}; }
  reverse_leaf_iterator leaf_rbegin() { return reverse_leaf_iterator(leaf_end()); }
  reverse_leaf_iterator leaf_rend() { return reverse_leaf_iterator(leaf_begin()); }
  const_reverse_leaf_iterator leaf_rbegin() const {
    return const_reverse_leaf_iterator(leaf_end());
  }
  const_reverse_leaf_iterator leaf_rend() const {
    return const_reverse_leaf_iterator(leaf_begin());
  }
  iterator_range<leaf_iterator> leaves() { return {leaf_begin(), leaf_end()}; }
  iterator_range<const_leaf_iterator> leaves() const { return {leaf_begin(), leaf_end()}; }
  size_t num_leaves() const { return std::distance(leaf_begin(), leaf_end()); }

  // Call func(index, value) for all nodes. The WithStatus forms stop at the first error.
  void ForEachElement(absl::FunctionRef<void(const ShapeIndex&, const T&)> func) const {
    for (const NodePair& node : nodes_) func(node.first, node.second);
  }
  void ForEachMutableElement(absl::FunctionRef<void(const ShapeIndex&, T*)> func) {
    for (NodePair& node : nodes_) func(node.first, &node.second);
  }
  absl::Status ForEachElementWithStatus(
      absl::FunctionRef<absl::Status(const ShapeIndex&, const T&)> func) const {
    for (const NodePair& node : nodes_) {
      if (absl::Status status = func(node.first, node.second); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  absl::Status ForEachMutableElementWithStatus(
      absl::FunctionRef<absl::Status(const ShapeIndex&, T*)> func) {
    for (NodePair& node : nodes_) {
      if (absl::Status status = func(node.first, &node.second); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // The tree of func(value) for every node.
  template <typename U>
  TupleTree<U> Map(absl::FunctionRef<U(const T&)> func) const {
    TupleTree<U> result(entries_);
    for (const NodePair& node : nodes_) result.nodes_.emplace_back(node.first, func(node.second));
    return result;
  }
  template <typename U>
  absl::StatusOr<TupleTree<U>> MapWithStatus(
      absl::FunctionRef<absl::StatusOr<U>(const T&)> func) const {
    TupleTree<U> result(entries_);
    for (const NodePair& node : nodes_) {
      absl::StatusOr<U> value = func(node.second);
      if (!value.ok()) return value.status();
      result.nodes_.emplace_back(node.first, *std::move(value));
    }
    return result;
  }

  // What stands at an index as a tree of its own. NotFound where there is no such index.
  absl::StatusOr<TupleTree<T>> Subtree(const ShapeIndex& index) const {
    absl::StatusOr<Node> node = ToNode(index);
    if (!node.ok()) return node.status();
    return TupleTree<T>(*std::move(node));
  }
  absl::StatusOr<Node> ToNode(ShapeIndexView index = {}) const {
    const std::optional<size_t> position = Find(index);
    if (!position.has_value()) {
      return NotFound("A tree has no node at index {%s}", absl::StrJoin(index, ","));
    }
    return NodeAt(*position);
  }
  // Puts what stands at src_index of `other` in the place of what stands at dst_index. Tuples that
  // are missing around it are made; a leaf in their place becomes their first element. CHECKs that
  // src_index is there.
  void CopySubtreeFrom(const TupleTree<T>& other, const ShapeIndex& src_index,
                       const ShapeIndex& dst_index) {
    Node copied = *other.ToNode(src_index);
    Node root = NodeAt(0);
    *Reach(
        root, dst_index, [] { return T(); }, /*keeps_leaves=*/true) = std::move(copied);
    Initialize(std::move(root));
  }
  // The same for values alone: InvalidArgument unless both have the same structure there.
  absl::Status CopyCompatibleSubtreeFrom(const TupleTree<T>& other, const ShapeIndex& src_index,
                                         const ShapeIndex& dst_index) {
    const std::optional<size_t> source = other.Find(src_index), target = Find(dst_index);
    if (!source.has_value() || !target.has_value()) {
      return NotFound("A tree has no node at index %s or %s", src_index.ToString(),
                      dst_index.ToString());
    }
    const size_t count = other.entries_[*source].end - *source;
    bool is_same = entries_[*target].end - *target == count;
    for (size_t i = 0; is_same && i < count; ++i) {
      const Entry &from = other.entries_[*source + i], &to = entries_[*target + i];
      is_same = from.is_leaf == to.is_leaf && from.end - *source == to.end - *target;
    }
    if (!is_same) {
      return InvalidArgument("The trees at index %s and %s differ in structure",
                             src_index.ToString(), dst_index.ToString());
    }
    for (size_t i = 0; i < count; ++i) {
      nodes_[*target + i].second = other.nodes_[*source + i].second;
    }
    return absl::OkStatus();
  }

  bool operator==(const TupleTree<T>& other) const {
    return HasStructure(other) && nodes_ == other.nodes_;
  }
  bool operator!=(const TupleTree<T>& other) const { return !(*this == other); }

 private:
  template <typename U>
  friend class TupleTree;

  struct Entry {
    bool is_leaf;
    size_t end;  // The position behind the last node below this one.
  };

  explicit TupleTree(std::vector<Entry> entries) : entries_(std::move(entries)) {}
  template <typename U>
  explicit TupleTree(const std::vector<U>& entries) {
    for (const U& entry : entries) entries_.push_back({entry.is_leaf, entry.end});
  }

  template <typename Make>
  static Node OfShape(const Shape& shape, const Make& make) {
    if (!shape.IsTuple()) return Node::Leaf(make());
    Node tuple = Node::Tuple(make(), {});
    for (const Shape& element : shape.tuple_shapes()) {
      tuple.mutable_children()->push_back(OfShape(element, make));
    }
    return tuple;
  }

  // The node at an index, with what has to be around it.
  template <typename Make>
  static Node* Reach(Node& root, ShapeIndexView index, const Make& make,
                     bool keeps_leaves = false) {
    Node* node = &root;
    for (const int64_t i : index) {
      CHECK_GE(i, 0);
      if (node->IsLeaf()) {
        const Node leaf = std::exchange(*node, Node::Tuple(make(), {}));
        if (keeps_leaves) node->mutable_children()->push_back(leaf);
      }
      std::vector<Node>& children = *node->mutable_children();
      while (static_cast<int64_t>(children.size()) <= i) {
        children.push_back(Node::Tuple(make(), {}));
      }
      node = &children[i];
    }
    return node;
  }

  void Initialize(Node root) {
    nodes_.clear();
    entries_.clear();
    ShapeIndex index;
    Add(root, index);
  }
  void Add(Node& node, ShapeIndex& index) {
    const size_t position = nodes_.size();
    nodes_.emplace_back(index, std::move(*node.mutable_value()));
    entries_.push_back({node.IsLeaf(), 0});
    for (size_t i = 0; !node.IsLeaf() && i < node.children().size(); ++i) {
      index.push_back(static_cast<int64_t>(i));
      Add((*node.mutable_children())[i], index);
      index.pop_back();
    }
    entries_[position].end = nodes_.size();
  }

  Node NodeAt(size_t position) const {
    if (entries_[position].is_leaf) return Node::Leaf(nodes_[position].second);
    Node tuple = Node::Tuple(nodes_[position].second);
    for (size_t child = position + 1; child < entries_[position].end; child = entries_[child].end) {
      tuple.mutable_children()->push_back(NodeAt(child));
    }
    return tuple;
  }

  std::optional<size_t> Find(ShapeIndexView index) const {
    size_t position = 0;
    for (const int64_t i : index) {
      const size_t end = entries_[position].end;
      if (i < 0) return std::nullopt;
      size_t child = position + 1;
      for (int64_t k = 0; k < i && child < end; ++k) child = entries_[child].end;
      if (child >= end) return std::nullopt;
      position = child;
    }
    return position;
  }
  size_t PositionOf(ShapeIndexView index) const {
    const std::optional<size_t> position = Find(index);
    CHECK(position.has_value()) << "No node at index {" << absl::StrJoin(index, ",") << "}";
    return *position;
  }

  template <typename U>
  bool HasStructure(const TupleTree<U>& other) const {
    if (entries_.size() != other.entries_.size()) return false;
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].is_leaf != other.entries_[i].is_leaf ||
          entries_[i].end != other.entries_[i].end) {
        return false;
      }
    }
    return true;
  }

  NodePairs nodes_;
  std::vector<Entry> entries_;  // One for each node.
};

}  // namespace xla

#endif  // XLA_TUPLE_TREE_H_
