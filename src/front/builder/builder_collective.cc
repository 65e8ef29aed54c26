// Operations between replicas and partitions.
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "ir/records.h"
#include "xla/hlo/builder/lib/arithmetic.h"
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

// The shape with one dimension multiplied, or divided, by a count.
absl::StatusOr<Shape> Scaled(absl::string_view operation, const Shape& shape, int64_t dimension,
                             int64_t factor, int64_t divisor) {
  if (!shape.IsArray() || dimension < 0 || dimension >= shape.dimensions_size()) {
    return InvalidArgument("%s: %s has no dimension %d", operation, shape.ToString(), dimension);
  }
  if (factor <= 0 || divisor <= 0) {
    return InvalidArgument("%s: the shard count must be positive, not %d", operation,
                           factor <= 0 ? factor : divisor);
  }
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  if (sizes[dimension] % divisor != 0) {
    return InvalidArgument("%s: dimension %d of %s is no multiple of %d", operation, dimension,
                           shape.ToString(), divisor);
  }
  sizes[dimension] /= divisor;
  if (sizes[dimension] > std::numeric_limits<int64_t>::max() / factor) {
    return InvalidArgument("%s: dimension %d of %s times %d is too large", operation, dimension,
                           shape.ToString(), factor);
  }
  sizes[dimension] *= factor;
  HILO_ASSIGN_OR_RETURN(Shape scaled, MakeShapeChecked(shape.element_type(), sizes));
  for (int i = 0; i < shape.dimensions_size(); ++i) {
    scaled.set_dynamic_dimension(i, shape.is_dynamic_dimension(i));
  }
  return scaled;
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

Shape OneOrTuple(absl::Span<const Shape> shapes) {
  return shapes.size() == 1 ? shapes[0] : ShapeUtil::MakeTupleShape(shapes);
}

// Gives one array, or the tuple of several; a tuple of one where a tuple was asked for.
XlaOp AsTupleIf(bool is_tuple, size_t count, XlaOp result) {
  return is_tuple && count == 1 ? Tuple(result.builder(), {result}) : result;
}

XlaOp AllReduceOf(HloOpcode opcode, absl::Span<const XlaOp> operands, XlaComputationId computation,
                  const Groups& groups, const std::optional<Shape>& shape_with_layout,
                  std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = BuilderOf(operands);
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(operands));
    Shape shape = OneOrTuple(shapes);
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
    return AddOp({opcode, std::move(record), {computation}, std::move(shape)}, operands);
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
                  std::optional<bool> use_global_device_ids, bool is_tuple) {
  XlaBuilder* builder = BuilderOf(operands);
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> inputs, builder->GetOperandShapes(operands));
    std::vector<Shape> outputs;
    for (const Shape& input : inputs) {
      HILO_ASSIGN_OR_RETURN(Shape output, Scaled("all-gather", input, dimension, shard_count, 1));
      HILO_ASSIGN_OR_RETURN(output, WithLayout(std::move(output), layout));
      outputs.push_back(std::move(output));
    }
    Shape shape = is_tuple ? ShapeUtil::MakeTupleShape(outputs) : outputs[0];
    if (opcode == HloOpcode::kAllGatherStart) {
      shape = ShapeUtil::MakeTupleShape({OneOrTuple(inputs), OneOrTuple(outputs)});
    }
    auto record = groups.MakeRecord<AllGatherAttributes>();
    record->dimension = dimension;
    record->constrain_layout = layout.has_value();
    record->use_global_device_ids = use_global_device_ids.value_or(false);
    return AddOp({opcode, std::move(record), {}, std::move(shape)}, operands);
  });
}

XlaOp ReduceScatterOf(XlaOp operand, XlaComputationId computation, int64_t dimension,
                      int64_t shard_count, const Groups& groups,
                      const std::optional<Layout>& layout,
                      std::optional<bool> use_global_device_ids) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    bool is_tuple = false;
    HILO_ASSIGN_OR_RETURN(const std::vector<XlaOp> elements,
                          ElementsOf("reduce-scatter", operand, &is_tuple));
    std::vector<Shape> outputs;
    for (XlaOp element : elements) {
      HILO_ASSIGN_OR_RETURN(const Shape input, ShapeOf(element));
      HILO_ASSIGN_OR_RETURN(Shape output,
                            Scaled("reduce-scatter", input, dimension, 1, shard_count));
      HILO_ASSIGN_OR_RETURN(output, WithLayout(std::move(output), layout));
      outputs.push_back(std::move(output));
    }
    auto record = groups.MakeRecord<ReduceScatterAttributes>();
    record->dimension = dimension;
    record->constrain_layout = layout.has_value();
    record->use_global_device_ids = use_global_device_ids.value_or(false);
    const XlaOp result =
        AddOp({HloOpcode::kReduceScatter, std::move(record), {computation}, OneOrTuple(outputs)},
              elements);
    return AsTupleIf(is_tuple, elements.size(), result);
  });
}

// Element i goes to member i.
XlaOp AllToAllOfTuple(absl::Span<const XlaOp> operands, const Groups& groups,
                      const std::optional<Layout>& layout) {
  XlaBuilder* builder = BuilderOf(operands);
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(operands));
    HILO_ASSIGN_OR_RETURN(Shape shape, WithLayout(ShapeUtil::MakeTupleShape(shapes), layout));
    auto record = groups.MakeRecord<AllToAllAttributes>();
    record->constrain_layout = layout.has_value();
    return AddOp({HloOpcode::kAllToAll, std::move(record), {}, std::move(shape)}, operands);
  });
}

// Splits into parts, sends them as a tuple and concatenates what arrives.
XlaOp AllToAllBySlices(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                       int64_t split_count, const Groups& groups,
                       const std::optional<Layout>& layout) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operand));
    HILO_ASSIGN_OR_RETURN(const Shape part,
                          Scaled("all-to-all", shape, split_dimension, 1, split_count));
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
    HILO_ASSIGN_OR_RETURN(const Shape part,
                          Scaled("all-to-all", shape, split_dimension, 1, split_count));
    HILO_ASSIGN_OR_RETURN(const Shape joined,
                          Scaled("all-to-all", part, concat_dimension, split_count, 1));
    auto record = groups.MakeRecord<AllToAllAttributes>();
    record->dimension = split_dimension;
    const XlaOp exchanged = AddOp({HloOpcode::kAllToAll, std::move(record), {}, shape}, {operand});
    if (split_dimension == concat_dimension) return exchanged;
    // The number of the part as a dimension of its own, in front of the split dimension, goes
    // before the one to join.
    std::vector<int64_t> sizes(part.dimensions().begin(), part.dimensions().end());
    sizes.insert(sizes.begin() + split_dimension, split_count);
    std::vector<int64_t> permutation;
    for (int64_t i = 0; i < shape.dimensions_size(); ++i) {
      if (i == concat_dimension) permutation.push_back(split_dimension);
      permutation.push_back(i < split_dimension ? i : i + 1);
    }
    return Reshape(joined, Transpose(Reshape(exchanged, sizes), permutation));
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
    return AddOp({HloOpcode::kCollectiveBroadcast, std::move(record), {}, OneOrTuple(shapes)},
                 operands);
  });
}

XlaOp CollectivePermuteOf(HloOpcode opcode, absl::Span<const XlaOp> operands,
                          const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                          const Channel& channel_id) {
  XlaBuilder* builder = BuilderOf(operands);
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(operands));
    Shape shape = OneOrTuple(shapes);
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
  return AllGatherOf(HloOpcode::kAllGather, {operand}, all_gather_dimension, shard_count,
                     Groups(replica_groups, channel_id), layout, use_global_device_ids,
                     /*is_tuple=*/false);
}
XlaOp AllGatherWithDeviceList(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                              const CollectiveDeviceListBase& replica_groups,
                              const std::optional<ChannelHandle>& channel_id,
                              const std::optional<Layout>& layout,
                              std::optional<bool> use_global_device_ids) {
  return AllGatherOf(HloOpcode::kAllGather, {operand}, all_gather_dimension, shard_count,
                     Groups(replica_groups, channel_id), layout, use_global_device_ids,
                     /*is_tuple=*/false);
}

XlaOp AllGatherTuple(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                     int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups,
                     const std::optional<ChannelHandle>& channel_id,
                     const std::optional<Layout>& layout,
                     std::optional<bool> use_global_device_ids) {
  return AllGatherOf(HloOpcode::kAllGather, operands, all_gather_dimension, shard_count,
                     Groups(replica_groups, channel_id), layout, use_global_device_ids,
                     /*is_tuple=*/true);
}
XlaOp AllGatherTupleWithDeviceList(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                                   int64_t shard_count,
                                   const CollectiveDeviceListBase& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id,
                                   const std::optional<Layout>& layout,
                                   std::optional<bool> use_global_device_ids) {
  return AllGatherOf(HloOpcode::kAllGather, operands, all_gather_dimension, shard_count,
                     Groups(replica_groups, channel_id), layout, use_global_device_ids,
                     /*is_tuple=*/true);
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
                     Groups(replica_groups, channel_id), layout, use_global_device_ids,
                     /*is_tuple=*/false);
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
