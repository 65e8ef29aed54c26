#include "xla/hlo/builder/lib/tuple.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "xla/shape_util.h"

namespace xla {

absl::StatusOr<ShapeTree<XlaOp>> DisassembleTuple(XlaOp tuple) {
  HILO_ASSIGN_OR_RETURN(Shape shape, tuple.builder()->GetShape(tuple));
  ShapeTree<XlaOp> tree(std::move(shape));
  // A tuple comes before its elements.
  tree.ForEachMutableElement([&](const ShapeIndex& index, XlaOp* element) {
    if (index.empty()) {
      *element = tuple;
      return;
    }
    const ShapeIndex parent(index.begin(), index.end() - 1);
    *element = GetTupleElement(tree.element(parent), index.back());
  });
  return tree;
}

XlaOp AssembleTuple(XlaBuilder* builder, ShapeTree<XlaOp> elements) {
  // An element comes before its tuple.
  elements.ForEachMutableElementPostOrder([&](const ShapeIndex& index, XlaOp* element) {
    const Shape& shape = ShapeUtil::GetSubshape(elements.shape(), index);
    if (!shape.IsTuple()) return;
    std::vector<XlaOp> parts;
    ShapeIndex part = index;
    for (int64_t i = 0; i < shape.tuple_shapes_size(); ++i) {
      part.push_back(i);
      parts.push_back(elements.element(part));
      part.pop_back();
    }
    *element = Tuple(builder, parts);
  });
  return elements.element({});
}

}  // namespace xla
