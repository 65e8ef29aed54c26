// A value for each subshape of a shape.
#ifndef HILO_INCLUDE_XLA_SHAPE_TREE_H_
#define HILO_INCLUDE_XLA_SHAPE_TREE_H_

#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/log/check.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/iterator_util.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {

namespace internal {

// Where the subshapes of a shape stand in pre-order.
class ShapeTreeIndexTable {
 public:
  ShapeTreeIndexTable() = default;
  explicit ShapeTreeIndexTable(const Shape& shape);

  // The pre-order position of a subshape. CHECKs that there is one at the index.
  int64_t Find(ShapeIndexView index) const;
  // The position behind the last subshape of the one at `position`.
  int64_t End(int64_t position) const { return nodes_[position].end; }
  bool IsLeaf(int64_t position) const { return nodes_[position].is_leaf; }

 private:
  struct Node {
    bool is_leaf;
    int64_t end;
    int64_t first_child;  // Into children_.
    int64_t child_count;
  };
  void Add(const Shape& shape);

  std::vector<Node> nodes_;
  std::vector<int64_t> children_;  // Positions of the elements of each tuple.
};

}  // namespace internal

// One T per subshape, in pre-order; iterators yield std::pair<ShapeIndex, T>. A leaf is a subshape
// that is no tuple.
template <typename T>
class ShapeTree {
 public:
  using Node = std::pair<ShapeIndex, T>;
  using Nodes = std::vector<Node>;
  using iterator = typename Nodes::iterator;
  using const_iterator = typename Nodes::const_iterator;
  using reverse_iterator = typename Nodes::reverse_iterator;
  using const_reverse_iterator = typename Nodes::const_reverse_iterator;

  // Of the empty tuple.
  ShapeTree() : ShapeTree(ShapeUtil::MakeNil()) {}
  // Values are value-initialized, or copies of init_value.
  explicit ShapeTree(Shape shape) : ShapeTree(std::make_shared<const Shape>(std::move(shape))) {}
  explicit ShapeTree(std::shared_ptr<const Shape> shape) : ShapeTree(shape.get()) {
    shape_storage_ = std::move(shape);
  }
  // The shape must outlive the tree.
  explicit ShapeTree(const Shape* shape) : shape_(shape), table_(*shape) {
    ShapeUtil::ForEachSubshape(
        *shape, [&](const Shape&, const ShapeIndex& index) { nodes_.emplace_back(index, T()); });
  }
  ShapeTree(Shape shape, const T& init_value)
      : ShapeTree(std::make_shared<const Shape>(std::move(shape)), init_value) {}
  ShapeTree(std::shared_ptr<const Shape> shape, const T& init_value)
      : ShapeTree(shape.get(), init_value) {
    shape_storage_ = std::move(shape);
  }
  ShapeTree(const Shape* shape, const T& init_value) : shape_(shape), table_(*shape) {
    ShapeUtil::ForEachSubshape(*shape, [&](const Shape&, const ShapeIndex& index) {
      nodes_.emplace_back(index, init_value);
    });
  }

  const Shape& shape() const { return *shape_; }
  // Puts an equal shape in the place of the tree's own.
  void replace_shape_ptr(const Shape& shape) {
    CHECK(ShapeUtil::EqualStructure(shape, *shape_));
    shape_ = &shape;
    shape_storage_.reset();
  }

  // CHECK that the index is valid.
  const T& element(ShapeIndexView index) const { return nodes_[table_.Find(index)].second; }
  T* mutable_element(ShapeIndexView index) { return &nodes_[table_.Find(index)].second; }
  bool IsLeaf(ShapeIndexView index) const { return table_.IsLeaf(table_.Find(index)); }
  iterator find(ShapeIndexView index) { return nodes_.begin() + table_.Find(index); }
  const_iterator find(ShapeIndexView index) const { return nodes_.begin() + table_.Find(index); }

  iterator begin() { return nodes_.begin(); }
  iterator end() { return nodes_.end(); }
  const_iterator begin() const { return nodes_.begin(); }
  const_iterator end() const { return nodes_.end(); }
  reverse_iterator rbegin() { return nodes_.rbegin(); }
  reverse_iterator rend() { return nodes_.rend(); }
  const_reverse_iterator rbegin() const { return nodes_.rbegin(); }
  const_reverse_iterator rend() const { return nodes_.rend(); }

  // Iterates over the leaves only.
  template <typename Base, typename Tree>
  class LeafIterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = typename std::iterator_traits<Base>::value_type;
    using difference_type = typename std::iterator_traits<Base>::difference_type;
    using pointer = typename std::iterator_traits<Base>::pointer;
    using reference = typename std::iterator_traits<Base>::reference;

    LeafIterator(Tree* tree, Base at, Base end) : tree_(tree), at_(at), end_(end) { Settle(); }
    reference operator*() const { return *at_; }
    pointer operator->() const { return &*at_; }
    LeafIterator& operator++() {
      ++at_;
      Settle();
      return *this;
    }
    LeafIterator operator++(int) {
      LeafIterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const LeafIterator& other) const { return at_ == other.at_; }
    bool operator!=(const LeafIterator& other) const { return at_ != other.at_; }

   private:
    // Moves on to the next leaf unless there is one here.
    void Settle() {
      while (at_ != end_ && !tree_->table_.IsLeaf(&*at_ - tree_->nodes_.data())) ++at_;
    }

    Tree* tree_;
    Base at_;
    Base end_;
  };
  using leaf_iterator = LeafIterator<iterator, ShapeTree>;
  using const_leaf_iterator = LeafIterator<const_iterator, const ShapeTree>;
  using reverse_leaf_iterator = LeafIterator<reverse_iterator, ShapeTree>;
  using const_reverse_leaf_iterator = LeafIterator<const_reverse_iterator, const ShapeTree>;

  leaf_iterator leaf_begin() { return {this, begin(), end()}; }
  leaf_iterator leaf_end() { return {this, end(), end()}; }
  const_leaf_iterator leaf_begin() const { return {this, begin(), end()}; }
  const_leaf_iterator leaf_end() const { return {this, end(), end()}; }
  reverse_leaf_iterator leaf_rbegin() { return {this, rbegin(), rend()}; }
  reverse_leaf_iterator leaf_rend() { return {this, rend(), rend()}; }
  const_reverse_leaf_iterator leaf_rbegin() const { return {this, rbegin(), rend()}; }
  const_reverse_leaf_iterator leaf_rend() const { return {this, rend(), rend()}; }
  template <typename Iterator>
  struct LeafRange {
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
    Iterator first;
    Iterator last;
  };
  LeafRange<leaf_iterator> leaves() { return {leaf_begin(), leaf_end()}; }
  LeafRange<const_leaf_iterator> leaves() const { return {leaf_begin(), leaf_end()}; }
  int64_t leaf_count() const { return std::distance(leaf_begin(), leaf_end()); }

  // Call func(index, element) in pre-order or, for ...PostOrder, tuples after their elements. The
  // WithStatus forms stop at the first error.
  void ForEachElement(absl::FunctionRef<void(const ShapeIndex&, const T&)> func) const {
    for (const Node& node : nodes_) func(node.first, node.second);
  }
  void ForEachMutableElement(absl::FunctionRef<void(const ShapeIndex&, T*)> func) {
    for (Node& node : nodes_) func(node.first, &node.second);
  }
  absl::Status ForEachElementWithStatus(
      absl::FunctionRef<absl::Status(const ShapeIndex&, const T&)> func) const {
    for (const Node& node : nodes_) {
      if (absl::Status status = func(node.first, node.second); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  absl::Status ForEachMutableElementWithStatus(
      absl::FunctionRef<absl::Status(const ShapeIndex&, T*)> func) {
    for (Node& node : nodes_) {
      if (absl::Status status = func(node.first, &node.second); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  absl::Status ForEachElementPostOrderWithStatus(
      absl::FunctionRef<absl::Status(const ShapeIndex&, const T&)> func) const {
    return ShapeUtil::ForEachSubshapePostOrderWithStatus(
        *shape_,
        [&](const Shape&, const ShapeIndex& index) { return func(index, element(index)); });
  }
  absl::Status ForEachMutableElementPostOrderWithStatus(
      absl::FunctionRef<absl::Status(const ShapeIndex&, T*)> func) {
    return ShapeUtil::ForEachSubshapePostOrderWithStatus(
        *shape_,
        [&](const Shape&, const ShapeIndex& index) { return func(index, mutable_element(index)); });
  }
  void ForEachElementPostOrder(absl::FunctionRef<void(const ShapeIndex&, const T&)> func) const {
    ShapeUtil::ForEachSubshapePostOrder(
        *shape_, [&](const Shape&, const ShapeIndex& index) { func(index, element(index)); });
  }
  void ForEachMutableElementPostOrder(absl::FunctionRef<void(const ShapeIndex&, T*)> func) {
    ShapeUtil::ForEachSubshapePostOrder(*shape_, [&](const Shape&, const ShapeIndex& index) {
      func(index, mutable_element(index));
    });
  }

  // The tree of func(element) for every element, of func's result type or of U.
  template <typename U>
  ShapeTree<U> Map(absl::FunctionRef<U(const T&)> func) const {
    ShapeTree<U> result(*shape_);
    auto it = result.begin();
    for (const Node& node : nodes_) (it++)->second = func(node.second);
    return result;
  }
  template <typename U>
  absl::StatusOr<ShapeTree<U>> MapWithStatus(
      absl::FunctionRef<absl::StatusOr<U>(const T&)> func) const {
    ShapeTree<U> result(*shape_);
    auto it = result.begin();
    for (const Node& node : nodes_) {
      absl::StatusOr<U> value = func(node.second);
      if (!value.ok()) return value.status();
      (it++)->second = *std::move(value);
    }
    return result;
  }

  // Copies the elements below source_base_index of `other` to those below target_base_index. CHECKs
  // that the two subshapes have the same structure.
  void CopySubtreeFrom(const ShapeTree<T>& other, const ShapeIndex& source_base_index,
                       const ShapeIndex& target_base_index) {
    const int64_t source = other.table_.Find(source_base_index);
    const int64_t target = table_.Find(target_base_index);
    const int64_t count = other.table_.End(source) - source;
    CHECK(ShapeUtil::EqualStructure(ShapeUtil::GetSubshape(*other.shape_, source_base_index),
                                    ShapeUtil::GetSubshape(*shape_, target_base_index)));
    for (int64_t i = 0; i < count; ++i) {
      nodes_[target + i].second = other.nodes_[source + i].second;
    }
  }

  // The tree of a subshape. InvalidArgument when the index is not valid.
  absl::StatusOr<ShapeTree<T>> SubShapeTree(const ShapeIndex& index) const {
    absl::StatusOr<const Shape*> subshape = ShapeUtil::TryGetSubshape(*shape_, index);
    if (!subshape.ok()) return subshape.status();
    ShapeTree<T> result(**subshape);
    result.CopySubtreeFrom(*this, index, {});
    return result;
  }

  bool operator==(const ShapeTree<T>& other) const {
    return nodes_ == other.nodes_ && ShapeUtil::EqualStructure(*shape_, *other.shape_);
  }
  bool operator!=(const ShapeTree<T>& other) const { return !(*this == other); }

 private:
  std::shared_ptr<const Shape> shape_storage_;
  const Shape* shape_;
  internal::ShapeTreeIndexTable table_;
  Nodes nodes_;
};

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_SHAPE_TREE_H_
