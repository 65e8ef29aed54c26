// Operations between replicas and partitions.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "ir/records.h"
#include "ir/requested_shapes.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/prng.h"
#include "xla/service/shape_inference.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using Channel = std::optional<ChannelHandle>;

// What the functions below have in common.
struct Groups {
  CollectiveDeviceList list;
  const Channel& channel;

  Groups(absl::Span<const ReplicaGroup> groups, const Channel& channel)
      : list(groups), channel(channel) {}
  Groups(const CollectiveDeviceListBase& list, const Channel& channel)
      : list(list), channel(channel) {}

  template <typename Record>
  std::unique_ptr<Record> MakeRecord() const {
    auto record = std::make_unique<Record>();
    record->replica_groups = list;
    if (channel.has_value()) record->channel_id = channel->handle();
    return record;
  }
};

// The shape with that layout, if there is one, for every array in it.
absl::StatusOr<Shape> WithLayout(Shape shape, const std::optional<Layout>& layout) {
  if (!layout.has_value()) return shape;
  ShapeUtil::ForEachMutableSubshape(&shape, [&](Shape* subshape, const ShapeIndex&) {
    if (subshape->IsArray()) *subshape->mutable_layout() = *layout;
  });
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShape(shape));
  return shape;
}

std::vector<const Shape*> PointersTo(absl::Span<const Shape> shapes) {
  std::vector<const Shape*> pointers;
  for (const Shape& shape : shapes) pointers.push_back(&shape);
  return pointers;
}

// A tuple as its elements: collectives work on them one by one. `is_tuple` says whether it was one.
absl::StatusOr<std::vector<XlaOp>> ElementsOf(absl::string_view operation, XlaOp operand,
                                              bool* is_tuple) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operand));
  *is_tuple = shape.IsTuple();
  if (!*is_tuple) return std::vector<XlaOp>{operand};
  if (shape.tuple_shapes_size() == 0) {
    return InvalidArgument("%s: the operand must not be an empty tuple", operation);
  }
  std::vector<XlaOp> elements;
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    elements.push_back(GetTupleElement(operand, i));
  }
  return elements;
}

// Gives one array, or the tuple of several; a tuple of one where a tuple was asked for.
XlaOp AsTupleIf(bool is_tuple, size_t count, XlaOp result) {
  return is_tuple && count == 1 ? Tuple(result.builder(), {result}) : result;
}

// A reduction of arrays whose sizes are not known may be given a computation of such arrays, which
// no rule knows: it is checked when they are known.
absl::StatusOr<XlaOp> AddReduction(XlaBuilder* builder,
                                   internal::BuilderState::Description description,
                                   absl::Span<const XlaOp> operands) {
  return description.shape->is_unbounded_dynamic()
             ? StateOf(builder).Append(std::move(description), operands)
             : StateOf(builder).AddOp(std::move(description), operands);
}

XlaOp AllReduceOf(HloOpcode opcode, absl::Span<const XlaOp> operands, XlaComputationId computation,
                  const Groups& groups, const std::optional<Shape>& shape_with_layout,
                  std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = BuilderOf(operands);
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(operands));
    Shape shape = ShapesTogether(PointersTo(shapes));
    auto record = groups.MakeRecord<AllReduceAttributes>();
    record->use_global_device_ids = use_global_device_ids.value_or(false);
    if (shape_with_layout.has_value()) {
      if (!ShapeUtil::Compatible(shape, *shape_with_layout)) {
        return InvalidArgument("all-reduce: the shape with layout %s does not fit %s",
                               shape_with_layout->ToString(), shape.ToString());
      }
      shape = *shape_with_layout;
      record->constrain_layout = true;
    }
    return AddReduction(builder, {opcode, std::move(record), {computation}, std::move(shape)},
                        operands);
  });
}

XlaOp AllReduceOfOne(XlaOp operand, XlaComputationId computation, const Groups& groups,
                     const std::optional<Shape>& shape_with_layout,
                     std::optional<bool> use_global_device_ids) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    bool is_tuple = false;
    HILO_ASSIGN_OR_RETURN(const std::vector<XlaOp> elements,
                          ElementsOf("all-reduce", operand, &is_tuple));
    std::optional<Shape> layout = shape_with_layout;
    if (layout.has_value() && layout->IsTuple() && layout->tuple_shapes_size() == 1) {
      layout = Shape(layout->tuple_shapes(0));
    }
    const XlaOp result = AllReduceOf(HloOpcode::kAllReduce, elements, computation, groups, layout,
                                     use_global_device_ids);
    return AsTupleIf(is_tuple, elements.size(), result);
  });
}

XlaOp AllGatherOf(HloOpcode opcode, absl::Span<const XlaOp> operands, int64_t dimension,
                  int64_t shard_count, const Groups& groups, const std::optional<Layout>& layout,
                  std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = BuilderOf(operands);
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> inputs, builder->GetOperandShapes(operands));
    HILO_ASSIGN_OR_RETURN(Shape shape, ShapeInference::InferAllGatherShape(PointersTo(inputs),
                                                                           dimension, shard_count));
    HILO_ASSIGN_OR_RETURN(shape, WithLayout(std::move(shape), layout));
    if (opcode == HloOpcode::kAllGatherStart) {
      shape = ShapeUtil::MakeTupleShape({ShapesTogether(PointersTo(inputs)), shape});
    }
    auto record = groups.MakeRecord<AllGatherAttributes>();
    record->dimension = dimension;
    record->constrain_layout = layout.has_value();
    record->use_global_device_ids = use_global_device_ids.value_or(false);
    return AddOp({opcode, std::move(record), {}, std::move(shape)}, operands);
  });
}

// An array, or a tuple whose elements are gathered at once.
XlaOp AllGatherOfOne(XlaOp operand, int64_t dimension, int64_t shard_count, const Groups& groups,
                     const std::optional<Layout>& layout,
                     std::optional<bool> use_global_device_ids) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    bool is_tuple = false;
    HILO_ASSIGN_OR_RETURN(const std::vector<XlaOp> elements,
                          ElementsOf("all-gather", operand, &is_tuple));
    return AsTupleIf(is_tuple, elements.size(),
                     AllGatherOf(HloOpcode::kAllGather, elements, dimension, shard_count, groups,
                                 layout, use_global_device_ids));
  });
}

XlaOp AllGatherOfTuple(absl::Span<const XlaOp> operands, int64_t dimension, int64_t shard_count,
                       const Groups& groups, const std::optional<Layout>& layout,
                       std::optional<bool> use_global_device_ids) {
  return AsTupleIf(/*is_tuple=*/true, operands.size(),
                   AllGatherOf(HloOpcode::kAllGather, operands, dimension, shard_count, groups,
                               layout, use_global_device_ids));
}

XlaOp ReduceScatterOf(XlaOp operand, XlaComputationId computation, int64_t dimension,
                      int64_t shard_count, const Groups& groups,
                      const std::optional<Layout>& layout,
                      std::optional<bool> use_global_device_ids) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    bool is_tuple = false;
    HILO_ASSIGN_OR_RETURN(const std::vector<XlaOp> elements,
                          ElementsOf("reduce-scatter", operand, &is_tuple));
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> inputs,
                          operand.builder()->GetOperandShapes(elements));
    HILO_ASSIGN_OR_RETURN(Shape shape, ShapeInference::InferReduceScatterShape(
                                           PointersTo(inputs), dimension, shard_count));
    HILO_ASSIGN_OR_RETURN(shape, WithLayout(std::move(shape), layout));
    auto record = groups.MakeRecord<ReduceScatterAttributes>();
    record->dimension = dimension;
    record->constrain_layout = layout.has_value();
    record->use_global_device_ids = use_global_device_ids.value_or(false);
    HILO_ASSIGN_OR_RETURN(
        const XlaOp result,
        AddReduction(
            operand.builder(),
            {HloOpcode::kReduceScatter, std::move(record), {computation}, std::move(shape)},
            elements));
    return AsTupleIf(is_tuple, elements.size(), result);
  });
}

// Element i goes to member i.
XlaOp AllToAllOfTuple(absl::Span<const XlaOp> operands, const Groups& groups,
                      const std::optional<Layout>& layout) {
  XlaBuilder* builder = BuilderOf(operands);
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(operands));
    HILO_ASSIGN_OR_RETURN(Shape shape, ShapeInference::InferAllToAllTupleShape(PointersTo(shapes)));
    HILO_ASSIGN_OR_RETURN(shape, WithLayout(std::move(shape), layout));
    auto record = groups.MakeRecord<AllToAllAttributes>();
    record->constrain_layout = layout.has_value();
    return AddOp({HloOpcode::kAllToAll, std::move(record), {}, std::move(shape)}, operands);
  });
}

// What each of `split_count` members gets of an array.
absl::StatusOr<Shape> PartOf(const Shape& shape, int64_t split_dimension, int64_t split_count) {
  return ShardedShapes(HloOpcode::kAllToAll, {&shape}, split_dimension, /*factor=*/1,
                       /*divisor=*/split_count);
}

// Splits into parts, sends them as a tuple and concatenates what arrives.
XlaOp AllToAllBySlices(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                       int64_t split_count, const Groups& groups,
                       const std::optional<Layout>& layout) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operand));
    HILO_ASSIGN_OR_RETURN(const Shape part, PartOf(shape, split_dimension, split_count));
    if (shape.is_dynamic()) {
      return InvalidArgument("all-to-all: %s, which has dynamic sizes, cannot be sent in slices",
                             shape.ToString());
    }
    const int64_t size = part.dimensions(static_cast<int>(split_dimension));
    std::vector<XlaOp> parts;
    for (int64_t i = 0; i < split_count; ++i) {
      parts.push_back(SliceInDim(operand, i * size, (i + 1) * size, 1, split_dimension));
    }
    const XlaOp exchanged = AllToAllOfTuple(parts, groups, layout);
    for (int64_t i = 0; i < split_count; ++i) parts[i] = GetTupleElement(exchanged, i);
    return ConcatInDim(operand.builder(), parts, concat_dimension);
  });
}

// The form with one array: part i of the split dimension goes to member i and stays there, in the
// result's part i. Where parts are to be joined along another dimension, they are moved there.
XlaOp AllToAllOfArray(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                      int64_t split_count, const Groups& groups) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operand));
    HILO_ASSIGN_OR_RETURN(const Shape part, PartOf(shape, split_dimension, split_count));
    HILO_ASSIGN_OR_RETURN(
        const Shape joined,
        ShapeInference::InferAllToAllShape(shape, split_dimension, concat_dimension, split_count));
    auto record = groups.MakeRecord<AllToAllAttributes>();
    record->dimension = split_dimension;
    const XlaOp exchanged = AddOp({HloOpcode::kAllToAll, std::move(record), {}, shape}, {operand});
    if (split_dimension == concat_dimension) return exchanged;
    // The number of the part as a dimension of its own, in front of the split dimension, goes
    // before the one to join.
    Shape parts = ShapeUtil::InsertDimensionAtIndex(part, split_dimension, split_count);
    std::vector<int64_t> permutation;
    for (int64_t i = 0; i < shape.dimensions_size(); ++i) {
      if (i == concat_dimension) permutation.push_back(split_dimension);
      permutation.push_back(i < split_dimension ? i : i + 1);
    }
    if (!shape.is_unbounded_dynamic()) {
      return Reshape(joined, Transpose(Reshape(parts, exchanged), permutation));
    }
    // Sizes as the program knows them: that of each dimension of the operand, and those made of it.
    std::vector<XlaOp> sizes;
    for (int64_t i = 0; i < shape.dimensions_size(); ++i) {
      sizes.push_back(GetDimensionSize(operand, i));
    }
    const XlaOp count = ConstantR0<int32_t>(operand.builder(), static_cast<int32_t>(split_count));
    sizes[split_dimension] = Div(sizes[split_dimension], count);
    std::vector<XlaOp> joined_sizes = sizes;
    joined_sizes[concat_dimension] = Mul(joined_sizes[concat_dimension], count);
    sizes.insert(sizes.begin() + split_dimension, count);
    const XlaOp moved = Transpose(
        MhloDynamicReshape(exchanged, ConcatScalars(operand.builder(), sizes), parts), permutation);
    return MhloDynamicReshape(moved, ConcatScalars(operand.builder(), joined_sizes), joined);
  });
}

XlaOp AllToAllOf(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                 int64_t split_count, const Groups& groups, const std::optional<Layout>& layout) {
  return layout.has_value()
             ? AllToAllBySlices(operand, split_dimension, concat_dimension, split_count, groups,
                                layout)
             : AllToAllOfArray(operand, split_dimension, concat_dimension, split_count, groups);
}

XlaOp RaggedAllToAllOf(absl::Span<const XlaOp> operands, const Groups& groups) {
  XlaBuilder* builder = BuilderOf(operands);
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(Shape output, builder->GetShape(operands[3]));
    return AddOp({HloOpcode::kRaggedAllToAll,
                  groups.MakeRecord<RaggedAllToAllAttributes>(),
                  {},
                  std::move(output)},
                 operands);
  });
}

XlaOp CollectiveBroadcastOf(absl::Span<const XlaOp> operands, const Groups& groups,
                            bool has_dynamic_root) {
  XlaBuilder* builder = BuilderOf(operands);
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(std::vector<Shape> shapes, builder->GetOperandShapes(operands));
    // A dynamic root is the last operand.
    if (has_dynamic_root && shapes.size() > 1) shapes.pop_back();
    auto record = groups.MakeRecord<CollectiveBroadcastAttributes>();
    record->has_dynamic_root = has_dynamic_root;
    return AddOp({HloOpcode::kCollectiveBroadcast,
                  std::move(record),
                  {},
                  ShapesTogether(PointersTo(shapes))},
                 operands);
  });
}

XlaOp CollectivePermuteOf(HloOpcode opcode, absl::Span<const XlaOp> operands,
                          const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                          const Channel& channel_id) {
  XlaBuilder* builder = BuilderOf(operands);
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(operands));
    Shape shape = ShapesTogether(PointersTo(shapes));
    if (opcode == HloOpcode::kCollectivePermuteStart) {
      const Shape context = ShapeUtil::MakeShape(U32, {});
      shape = ShapeUtil::MakeTupleShape({shape, shape, context, context});
    }
    auto record = std::make_unique<CollectivePermuteAttributes>();
    record->source_target_pairs = source_target_pairs;
    if (channel_id.has_value()) record->channel_id = channel_id->handle();
    return AddOp({opcode, std::move(record), {}, std::move(shape)}, operands);
  });
}

}  // namespace

XlaOp ReplicaId(XlaBuilder* builder) { return AddOp(builder, {HloOpcode::kReplicaId}); }

XlaOp CrossReplicaSum(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operand));
    const Shape& first =
        shape.IsTuple() && shape.tuple_shapes_size() > 0 ? shape.tuple_shapes(0) : shape;
    if (!first.IsArray()) {
      return InvalidArgument("all-reduce: operand %s must be an array or a tuple of arrays",
                             shape.ToString());
    }
    return AllReduce(operand, CreateScalarAddComputation(first.element_type(), operand.builder()),
                     replica_groups);
  });
}

// All-reduce.

XlaOp AllReduce(XlaOp operand, XlaComputationId computation,
                absl::Span<const ReplicaGroup> replica_groups,
                const std::optional<ChannelHandle>& channel_id,
                const std::optional<Shape>& shape_with_layout,
                std::optional<bool> use_global_device_ids) {
  return AllReduceOfOne(operand, computation, Groups(replica_groups, channel_id), shape_with_layout,
                        use_global_device_ids);
}
XlaOp AllReduceWithDeviceList(XlaOp operand, XlaComputationId computation,
                              const CollectiveDeviceListBase& replica_groups,
                              const std::optional<ChannelHandle>& channel_id,
                              const std::optional<Shape>& shape_with_layout,
                              std::optional<bool> use_global_device_ids) {
  return AllReduceOfOne(operand, computation, Groups(replica_groups, channel_id), shape_with_layout,
                        use_global_device_ids);
}

XlaOp AllReduceTuple(absl::Span<const XlaOp> operands, XlaComputationId computation,
                     absl::Span<const ReplicaGroup> replica_groups,
                     const std::optional<ChannelHandle>& channel_id,
                     const std::optional<Shape>& shape_with_layout,
                     std::optional<bool> use_global_device_ids) {
  return AllReduceOf(HloOpcode::kAllReduce, operands, computation,
                     Groups(replica_groups, channel_id), shape_with_layout, use_global_device_ids);
}
XlaOp AllReduceTupleWithDeviceList(absl::Span<const XlaOp> operands, XlaComputationId computation,
                                   const CollectiveDeviceListBase& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id,
                                   const std::optional<Shape>& shape_with_layout,
                                   std::optional<bool> use_global_device_ids) {
  return AllReduceOf(HloOpcode::kAllReduce, operands, computation,
                     Groups(replica_groups, channel_id), shape_with_layout, use_global_device_ids);
}

XlaOp AllReduce(XlaOp operand, const XlaComputation& computation,
                absl::Span<const ReplicaGroup> replica_groups,
                const std::optional<ChannelHandle>& channel_id,
                const std::optional<Shape>& shape_with_layout,
                std::optional<bool> use_global_device_ids) {
  return AllReduceOfOne(operand, operand.builder()->AddSubComputation(computation),
                        Groups(replica_groups, channel_id), shape_with_layout,
                        use_global_device_ids);
}
XlaOp AllReduceWithDeviceList(XlaOp operand, const XlaComputation& computation,
                              const CollectiveDeviceListBase& replica_groups,
                              const std::optional<ChannelHandle>& channel_id,
                              const std::optional<Shape>& shape_with_layout,
                              std::optional<bool> use_global_device_ids) {
  return AllReduceOfOne(operand, operand.builder()->AddSubComputation(computation),
                        Groups(replica_groups, channel_id), shape_with_layout,
                        use_global_device_ids);
}

XlaOp AllReduceTuple(absl::Span<const XlaOp> operands, const XlaComputation& computation,
                     absl::Span<const ReplicaGroup> replica_groups,
                     const std::optional<ChannelHandle>& channel_id,
                     const std::optional<Shape>& shape_with_layout,
                     std::optional<bool> use_global_device_ids) {
  return AllReduceOf(HloOpcode::kAllReduce, operands,
                     BuilderOf(operands)->AddSubComputation(computation),
                     Groups(replica_groups, channel_id), shape_with_layout, use_global_device_ids);
}
XlaOp AllReduceTupleWithDeviceList(absl::Span<const XlaOp> operands,
                                   const XlaComputation& computation,
                                   const CollectiveDeviceListBase& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id,
                                   const std::optional<Shape>& shape_with_layout,
                                   std::optional<bool> use_global_device_ids) {
  return AllReduceOf(HloOpcode::kAllReduce, operands,
                     BuilderOf(operands)->AddSubComputation(computation),
                     Groups(replica_groups, channel_id), shape_with_layout, use_global_device_ids);
}

// All-gather.

XlaOp AllGather(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                absl::Span<const ReplicaGroup> replica_groups,
                const std::optional<ChannelHandle>& channel_id, const std::optional<Layout>& layout,
                std::optional<bool> use_global_device_ids) {
  return AllGatherOfOne(operand, all_gather_dimension, shard_count,
                        Groups(replica_groups, channel_id), layout, use_global_device_ids);
}
XlaOp AllGatherWithDeviceList(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                              const CollectiveDeviceListBase& replica_groups,
                              const std::optional<ChannelHandle>& channel_id,
                              const std::optional<Layout>& layout,
                              std::optional<bool> use_global_device_ids) {
  return AllGatherOfOne(operand, all_gather_dimension, shard_count,
                        Groups(replica_groups, channel_id), layout, use_global_device_ids);
}

XlaOp AllGatherTuple(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                     int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups,
                     const std::optional<ChannelHandle>& channel_id,
                     const std::optional<Layout>& layout,
                     std::optional<bool> use_global_device_ids) {
  return AllGatherOfTuple(operands, all_gather_dimension, shard_count,
                          Groups(replica_groups, channel_id), layout, use_global_device_ids);
}
XlaOp AllGatherTupleWithDeviceList(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                                   int64_t shard_count,
                                   const CollectiveDeviceListBase& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id,
                                   const std::optional<Layout>& layout,
                                   std::optional<bool> use_global_device_ids) {
  return AllGatherOfTuple(operands, all_gather_dimension, shard_count,
                          Groups(replica_groups, channel_id), layout, use_global_device_ids);
}

// Reduce-scatter.

XlaOp ReduceScatter(XlaOp operand, XlaComputationId computation, int64_t scatter_dimension,
                    int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups,
                    const std::optional<ChannelHandle>& channel_id,
                    const std::optional<Layout>& layout,
                    std::optional<bool> use_global_device_ids) {
  return ReduceScatterOf(operand, computation, scatter_dimension, shard_count,
                         Groups(replica_groups, channel_id), layout, use_global_device_ids);
}
XlaOp ReduceScatterWithDeviceList(XlaOp operand, XlaComputationId computation,
                                  int64_t scatter_dimension, int64_t shard_count,
                                  const CollectiveDeviceListBase& replica_groups,
                                  const std::optional<ChannelHandle>& channel_id,
                                  const std::optional<Layout>& layout,
                                  std::optional<bool> use_global_device_ids) {
  return ReduceScatterOf(operand, computation, scatter_dimension, shard_count,
                         Groups(replica_groups, channel_id), layout, use_global_device_ids);
}

XlaOp ReduceScatter(XlaOp operand, const XlaComputation& computation, int64_t scatter_dimension,
                    int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups,
                    const std::optional<ChannelHandle>& channel_id,
                    const std::optional<Layout>& layout,
                    std::optional<bool> use_global_device_ids) {
  return ReduceScatterOf(operand, operand.builder()->AddSubComputation(computation),
                         scatter_dimension, shard_count, Groups(replica_groups, channel_id), layout,
                         use_global_device_ids);
}
XlaOp ReduceScatterWithDeviceList(XlaOp operand, const XlaComputation& computation,
                                  int64_t scatter_dimension, int64_t shard_count,
                                  const CollectiveDeviceListBase& replica_groups,
                                  const std::optional<ChannelHandle>& channel_id,
                                  const std::optional<Layout>& layout,
                                  std::optional<bool> use_global_device_ids) {
  return ReduceScatterOf(operand, operand.builder()->AddSubComputation(computation),
                         scatter_dimension, shard_count, Groups(replica_groups, channel_id), layout,
                         use_global_device_ids);
}

// All-to-all.

XlaOp AllToAll(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
               int64_t split_count, absl::Span<const ReplicaGroup> replica_groups,
               const std::optional<Layout>& layout,
               const std::optional<ChannelHandle>& channel_id) {
  return AllToAllOf(operand, split_dimension, concat_dimension, split_count,
                    Groups(replica_groups, channel_id), layout);
}
XlaOp AllToAllWithDeviceList(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                             int64_t split_count, const CollectiveDeviceListBase& replica_groups,
                             const std::optional<Layout>& layout,
                             const std::optional<ChannelHandle>& channel_id) {
  return AllToAllOf(operand, split_dimension, concat_dimension, split_count,
                    Groups(replica_groups, channel_id), layout);
}

XlaOp AllToAllTuple(absl::Span<const XlaOp> operands, absl::Span<const ReplicaGroup> replica_groups,
                    const std::optional<Layout>& layout,
                    const std::optional<ChannelHandle>& channel_id) {
  return AllToAllOfTuple(operands, Groups(replica_groups, channel_id), layout);
}
XlaOp AllToAllTupleWithDeviceList(absl::Span<const XlaOp> operands,
                                  const CollectiveDeviceListBase& replica_groups,
                                  const std::optional<Layout>& layout,
                                  const std::optional<ChannelHandle>& channel_id) {
  return AllToAllOfTuple(operands, Groups(replica_groups, channel_id), layout);
}

XlaOp AllToAllTuple(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                    int64_t split_count, absl::Span<const ReplicaGroup> replica_groups,
                    const std::optional<Layout>& layout,
                    const std::optional<ChannelHandle>& channel_id) {
  return AllToAllBySlices(operand, split_dimension, concat_dimension, split_count,
                          Groups(replica_groups, channel_id), layout);
}
XlaOp AllToAllTupleWithDeviceList(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                                  int64_t split_count,
                                  const CollectiveDeviceListBase& replica_groups,
                                  const std::optional<Layout>& layout,
                                  const std::optional<ChannelHandle>& channel_id) {
  return AllToAllBySlices(operand, split_dimension, concat_dimension, split_count,
                          Groups(replica_groups, channel_id), layout);
}

XlaOp RaggedAllToAll(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                     XlaOp output_offsets, XlaOp recv_sizes,
                     absl::Span<const ReplicaGroup> replica_groups,
                     const std::optional<ChannelHandle>& channel_id) {
  return RaggedAllToAllOf({input, input_offsets, send_sizes, output, output_offsets, recv_sizes},
                          Groups(replica_groups, channel_id));
}
XlaOp RaggedAllToAllWithDeviceList(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                                   XlaOp output_offsets, XlaOp recv_sizes,
                                   const CollectiveDeviceListBase& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id) {
  return RaggedAllToAllOf({input, input_offsets, send_sizes, output, output_offsets, recv_sizes},
                          Groups(replica_groups, channel_id));
}

// Broadcast and permutation.

XlaOp CollectiveBroadcast(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups,
                          const std::optional<ChannelHandle>& channel_id) {
  return CollectiveBroadcastOf({operand}, Groups(replica_groups, channel_id),
                               /*has_dynamic_root=*/false);
}
XlaOp CollectiveBroadcastWithDeviceList(XlaOp operand,
                                        const CollectiveDeviceListBase& replica_groups,
                                        const std::optional<ChannelHandle>& channel_id) {
  return CollectiveBroadcastOf({operand}, Groups(replica_groups, channel_id),
                               /*has_dynamic_root=*/false);
}

XlaOp CollectiveBroadcast(absl::Span<const XlaOp> operands,
                          absl::Span<const ReplicaGroup> replica_groups,
                          const std::optional<ChannelHandle>& channel_id, bool has_dynamic_root) {
  return CollectiveBroadcastOf(operands, Groups(replica_groups, channel_id), has_dynamic_root);
}
XlaOp CollectiveBroadcastWithDeviceList(absl::Span<const XlaOp> operands,
                                        const CollectiveDeviceListBase& replica_groups,
                                        const std::optional<ChannelHandle>& channel_id,
                                        bool has_dynamic_root) {
  return CollectiveBroadcastOf(operands, Groups(replica_groups, channel_id), has_dynamic_root);
}

XlaOp CollectivePermute(XlaOp operand,
                        const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                        const std::optional<ChannelHandle>& channel_id) {
  return CollectivePermuteOf(HloOpcode::kCollectivePermute, {operand}, source_target_pairs,
                             channel_id);
}

XlaOp MultiCollectivePermute(absl::Span<const XlaOp> operands,
                             const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                             const std::optional<ChannelHandle>& channel_id) {
  return CollectivePermuteOf(HloOpcode::kCollectivePermute, operands, source_target_pairs,
                             channel_id);
}

// Asynchronous forms.

namespace internal {

XlaOp XlaBuilderFriend::BuildAllGatherStart(XlaBuilder* builder, XlaOp operand,
                                            int64_t all_gather_dimension, int64_t shard_count,
                                            absl::Span<const ReplicaGroup> replica_groups,
                                            const std::optional<ChannelHandle>& channel_id,
                                            const std::optional<Layout>& layout,
                                            std::optional<bool> use_global_device_ids) {
  return AllGatherOf(HloOpcode::kAllGatherStart, {operand}, all_gather_dimension, shard_count,
                     Groups(replica_groups, channel_id), layout, use_global_device_ids);
}

XlaOp XlaBuilderFriend::BuildAllReduceStart(XlaBuilder* builder, XlaOp operand,
                                            const XlaComputation& computation,
                                            absl::Span<const ReplicaGroup> replica_groups,
                                            const std::optional<ChannelHandle>& channel_id,
                                            const std::optional<Shape>& shape_with_layout,
                                            std::optional<bool> use_global_device_ids) {
  return AllReduceOf(HloOpcode::kAllReduceStart, {operand}, builder->AddSubComputation(computation),
                     Groups(replica_groups, channel_id), shape_with_layout, use_global_device_ids);
}

XlaOp XlaBuilderFriend::BuildCollectivePermuteStart(
    XlaBuilder* builder, XlaOp operand,
    const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
    const std::optional<ChannelHandle>& channel_id) {
  return CollectivePermuteOf(HloOpcode::kCollectivePermuteStart, {operand}, source_target_pairs,
                             channel_id);
}

}  // namespace internal
}  // namespace xla
