#include "xla/shape_tree.h"

#include "absl/strings/str_join.h"

namespace xla::internal {

ShapeTreeIndexTable::ShapeTreeIndexTable(const Shape& shape) { Add(shape); }

void ShapeTreeIndexTable::Add(const Shape& shape) {
  const int64_t position = nodes_.size();
  const int64_t child_count = shape.IsTuple() ? shape.tuple_shapes_size() : 0;
  const int64_t first_child = children_.size();
  nodes_.push_back({!shape.IsTuple(), position + 1, first_child, child_count});
  children_.resize(first_child + child_count);
  for (int64_t i = 0; i < child_count; ++i) {
    children_[first_child + i] = nodes_.size();
    Add(shape.tuple_shapes(i));
  }
  nodes_[position].end = nodes_.size();
}

int64_t ShapeTreeIndexTable::Find(ShapeIndexView index) const {
  int64_t position = 0;
  for (int64_t i : index) {
    const Node& node = nodes_[position];
    CHECK(i >= 0 && i < node.child_count)
        << "Shape index {" << absl::StrJoin(index, ",") << "} is not in the tree.";
    position = children_[node.first_child + i];
  }
  return position;
}

}  // namespace xla::internal
