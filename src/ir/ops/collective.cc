// Operations in which replicas or partitions exchange data.
#include "absl/container/flat_hash_set.h"
#include "ir/ops/rule.h"

namespace xla::shape_rules {
namespace {

int OperandCountOf(const OpDescription& op) { return static_cast<int>(op.operands.size()); }

// The part of the result, of n arrays or one, that belongs to operand i; null when the result has
// another form.
const Shape* ResultPart(const Shape& result, int i, int count) {
  if (count == 1) return &result;
  return result.IsTuple() && result.tuple_shapes_size() == count ? &result.tuple_shapes(i)
                                                                 : nullptr;
}

// The shapes of all operands, one or as a tuple.
Shape OperandShapes(const OpDescription& op) {
  std::vector<Shape> shapes;
  for (const Shape* operand : op.operands) shapes.push_back(*operand);
  return MaybeTuple(std::move(shapes));
}

// How many times as long as `part` `whole` is in dimension `along`; 0 when the shapes do not differ
// just so.
int64_t ShardCount(const Shape& part, const Shape& whole, int64_t along) {
  if (!part.IsArrayExcludingBuffer() || !whole.IsArrayExcludingBuffer() ||
      !ShapeUtil::SameElementType(part, whole) ||
      part.dimensions_size() != whole.dimensions_size()) {
    return 0;
  }
  for (int i = 0; i < part.dimensions_size(); ++i) {
    if (i != along && !SizesAgree(part.dimensions(i), whole.dimensions(i))) return 0;
  }
  const int64_t small = part.dimensions(along);
  const int64_t large = whole.dimensions(along);
  if (SizesAgree(small, large)) return 1;
  return small > 0 && large % small == 0 ? large / small : 0;
}

// The groups may name replicas only, each of which then stands for all its partitions.
absl::Status ExpectShardCount(const OpDescription& op, int number,
                              const CollectiveAttributes& attributes, bool use_global_device_ids,
                              int64_t shards) {
  const int64_t group_size = attributes.replica_groups.num_devices_per_group();
  if (group_size == 0) return absl::OkStatus();
  const bool may_stand_for_more = attributes.channel_id.has_value() && !use_global_device_ids;
  HILO_RULE(number, may_stand_for_more ? shards % group_size == 0 : shards == group_size,
            "%d shards cannot be shared by groups of %d", shards, group_size);
  return absl::OkStatus();
}

// The scalar computation (T, T) -> T of a reduction between devices.
absl::Status ExpectScalarReducer(const OpDescription& op, int number) {
  const ProgramShape& reducer = *op.callees[0];
  const int count = OperandCountOf(op);
  // Several operands may share one computation of two parameters, or have one for all of them at
  // once.
  if (count > 1 && reducer.parameters_size() == 2 * count) {
    return ExpectReducer(op, number, 0, op.operands, op.operands).status();
  }
  for (int i = 0; i < count; ++i) {
    HILO_RETURN_IF_ERROR(
        ExpectReducer(op, number, 0, op.operands.subspan(i, 1), op.operands.subspan(i, 1))
            .status());
  }
  return absl::OkStatus();
}

// What all-gather and all-gather-start have in common: `result` is what is gathered.
absl::Status ExpectGathered(const OpDescription& op, const Shape& result) {
  const auto& attributes = op.As<AllGatherAttributes>();
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RULE(7, !attributes.use_global_device_ids || !attributes.replica_groups.empty(),
            "use_global_device_ids needs replica_groups");
  HILO_RETURN_IF_ERROR(ExpectReplicaGroups(op, 2, attributes.replica_groups, /*equal_sizes=*/true));
  const int count = OperandCountOf(op);
  for (int i = 0; i < count; ++i) {
    HILO_RULE(3,
              0 <= attributes.dimension && attributes.dimension < op.operand(i).dimensions_size(),
              "dimensions={%d} is not within the rank of operand %d", attributes.dimension, i);
    const Shape* gathered = ResultPart(result, i, count);
    const int64_t shards =
        gathered == nullptr ? 0 : ShardCount(op.operand(i), *gathered, attributes.dimension);
    HILO_RULE(4, shards > 0,
              "the result must be like operand %d, but in dimension %d a multiple of its size", i,
              attributes.dimension);
    HILO_RETURN_IF_ERROR(
        ExpectShardCount(op, 5, attributes, attributes.use_global_device_ids, shards));
  }
  return absl::OkStatus();
}

absl::Status ExpectPermutation(const OpDescription& op) {
  const auto& attributes = op.As<CollectivePermuteAttributes>();
  absl::flat_hash_set<int64_t> sources;
  absl::flat_hash_set<int64_t> targets;
  for (const auto& [source, target] : attributes.source_target_pairs) {
    HILO_RULE(2, source >= 0 && target >= 0, "source_target_pairs has a negative id in {%d,%d}",
              source, target);
    // Slices may go to and come from several devices.
    if (!attributes.slice_sizes.empty()) continue;
    HILO_RULE(3, sources.insert(source).second, "source_target_pairs has the source %d twice",
              source);
    HILO_RULE(4, targets.insert(target).second, "source_target_pairs has the target %d twice",
              target);
  }
  return absl::OkStatus();
}

// With slice_sizes the operands are input, output and the offsets in both, and the output is
// changed in place.
absl::StatusOr<Shape> PermutedShape(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectPermutation(op));
  if (op.As<CollectivePermuteAttributes>().slice_sizes.empty()) {
    HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
    return OperandShapes(op);
  }
  HILO_RULE(1, op.operands.size() == 4, "with slice_sizes there must be four operands, not %d",
            op.operands.size());
  return op.operand(1);
}

}  // namespace

absl::StatusOr<Shape> AllGather(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RETURN_IF_ERROR(ExpectGathered(op, *declared));
  return Result(op, *declared);
}

absl::StatusOr<Shape> AllGatherStart(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RULE(6, declared->IsTuple() && declared->tuple_shapes_size() >= 2,
            "the result must be a tuple of what is sent and what is gathered");
  HILO_RETURN_IF_ERROR(ExpectGathered(op, declared->tuple_shapes(1)));
  HILO_RULE(6, ShapesAgree(declared->tuple_shapes(0), OperandShapes(op)),
            "element 0 of the result must have the operands");
  return Result(op, *declared);
}

absl::StatusOr<Shape> AllGatherDone(const OpDescription& op) {
  const Shape& context = op.operand(0);
  HILO_RULE(1, context.IsTuple() && context.tuple_shapes_size() >= 2,
            "the operand must be the tuple that all-gather-start gives");
  return Result(op, context.tuple_shapes(1));
}

absl::StatusOr<Shape> AllReduce(const OpDescription& op) {
  const auto& attributes = op.As<AllReduceAttributes>();
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RETURN_IF_ERROR(
      ExpectReplicaGroups(op, 2, attributes.replica_groups, /*equal_sizes=*/false));
  HILO_RULE(3, attributes.channel_id.has_value() || !attributes.use_global_device_ids,
            "use_global_device_ids needs a channel_id");
  HILO_RULE(5, !attributes.use_global_device_ids || !attributes.replica_groups.empty(),
            "use_global_device_ids needs replica_groups");
  HILO_RETURN_IF_ERROR(ExpectScalarReducer(op, 4));
  return Result(op, OperandShapes(op));
}

absl::StatusOr<Shape> ReduceScatter(const OpDescription& op) {
  const auto& attributes = op.As<ReduceScatterAttributes>();
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RETURN_IF_ERROR(ExpectReplicaGroups(op, 2, attributes.replica_groups, /*equal_sizes=*/true));
  HILO_RULE(3, attributes.channel_id.has_value() || !attributes.use_global_device_ids,
            "use_global_device_ids needs a channel_id");
  HILO_RULE(8, !attributes.use_global_device_ids || !attributes.replica_groups.empty(),
            "use_global_device_ids needs replica_groups");
  HILO_RETURN_IF_ERROR(ExpectScalarReducer(op, 4));
  const int count = OperandCountOf(op);
  for (int i = 0; i < count; ++i) {
    HILO_RULE(5,
              0 <= attributes.dimension && attributes.dimension < op.operand(i).dimensions_size(),
              "dimensions={%d} is not within the rank of operand %d", attributes.dimension, i);
    const Shape* shard = ResultPart(*declared, i, count);
    const int64_t shards =
        shard == nullptr ? 0 : ShardCount(*shard, op.operand(i), attributes.dimension);
    HILO_RULE(
        6, shards > 0,
        "the result must be like operand %d, but in dimension %d a whole fraction of its size", i,
        attributes.dimension);
    HILO_RETURN_IF_ERROR(
        ExpectShardCount(op, 7, attributes, attributes.use_global_device_ids, shards));
  }
  return Result(op, *declared);
}

absl::StatusOr<Shape> AllToAll(const OpDescription& op) {
  const auto& attributes = op.As<AllToAllAttributes>();
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RETURN_IF_ERROR(ExpectReplicaGroups(op, 2, attributes.replica_groups, /*equal_sizes=*/true));
  const int64_t group_size = attributes.replica_groups.num_devices_per_group();
  if (attributes.dimension.has_value()) {
    const int64_t split = *attributes.dimension;
    HILO_RULE(3, op.operands.size() == 1, "with dimensions there must be one operand, not %d",
              op.operands.size());
    const Shape& operand = op.operand(0);
    HILO_RULE(4, 0 <= split && split < operand.dimensions_size(),
              "dimensions={%d} is not within the rank of the operand", split);
    HILO_RULE(5,
              group_size == 0 || operand.dimensions(split) == Shape::kUnboundedSize ||
                  operand.dimensions(split) % group_size == 0,
              "dimension %d of the operand cannot be split into %d blocks", split, group_size);
    return Result(op, operand);
  }
  for (int i = 1; i < OperandCountOf(op); ++i) {
    HILO_RULE(6, ShapesAgree(op.operand(0), op.operand(i)),
              "operands 0 and %d must have the same shape", i);
  }
  HILO_RULE(7, group_size == 0 || group_size == OperandCountOf(op),
            "without dimensions there must be an operand for each of the %d members of a group",
            group_size);
  std::vector<Shape> shapes;
  for (const Shape* operand : op.operands) shapes.push_back(*operand);
  return Result(op, Shape(std::move(shapes)));
}

absl::StatusOr<Shape> RaggedAllToAll(const OpDescription& op) {
  const auto& attributes = op.As<RaggedAllToAllAttributes>();
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RETURN_IF_ERROR(ExpectReplicaGroups(op, 2, attributes.replica_groups, /*equal_sizes=*/true));
  const Shape& input = op.operand(0);
  const Shape& output = op.operand(1);
  HILO_RETURN_IF_ERROR(ExpectSameElementType(op, 3, 0, 1));
  HILO_RULE(4, input.dimensions_size() >= 1 && input.dimensions_size() == output.dimensions_size(),
            "input and output must have the same rank, at least 1");
  for (int i = 1; i < input.dimensions_size(); ++i) {
    HILO_RULE(4, SizesAgree(input.dimensions(i), output.dimensions(i)),
              "input and output must be equally long in dimension %d", i);
  }
  for (int i = 2; i < 6; ++i) {
    HILO_RETURN_IF_ERROR(ExpectElementType(op, 5, i, IsInteger, "an integer type"));
    HILO_RETURN_IF_ERROR(ExpectSameDimensions(op, 5, 2, i));
  }
  const int64_t group_size = attributes.replica_groups.num_devices_per_group();
  HILO_RULE(6, op.operand(2).dimensions_size() == 1,
            "the offsets and sizes must have one dimension, not %d",
            op.operand(2).dimensions_size());
  HILO_RULE(7,
            group_size == 0 || op.operand(2).dimensions(0) == Shape::kUnboundedSize ||
                op.operand(2).dimensions(0) % group_size == 0,
            "there must be as many offsets and sizes for each of the %d members of a group",
            group_size);
  return Result(op, output);
}

absl::StatusOr<Shape> CollectiveBroadcast(const OpDescription& op) {
  const auto& attributes = op.As<CollectiveBroadcastAttributes>();
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RETURN_IF_ERROR(
      ExpectReplicaGroups(op, 2, attributes.replica_groups, /*equal_sizes=*/false));
  std::vector<Shape> shapes;
  for (const Shape* operand : op.operands) shapes.push_back(*operand);
  if (attributes.has_dynamic_root) {
    HILO_RULE(3,
              shapes.size() >= 2 && IsReal(shapes.back().element_type()) &&
                  (IsScalar(shapes.back()) || ShapeUtil::ElementsIn(shapes.back()) == 1),
              "with has_dynamic_root the last operand must be one number");
    shapes.pop_back();
  }
  HILO_RULE(1, !shapes.empty(), "takes at least one operand");
  return Result(op, MaybeTuple(std::move(shapes)));
}

absl::StatusOr<Shape> CollectivePermute(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(Shape permuted, PermutedShape(op));
  return Result(op, std::move(permuted));
}

absl::StatusOr<Shape> CollectivePermuteStart(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(Shape permuted, PermutedShape(op));
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RULE(
      5, declared->IsTuple() && declared->tuple_shapes_size() >= 2,
      "the result must be a tuple of what is sent, what is received and the implementation's own");
  HILO_RULE(5, ShapesAgree(declared->tuple_shapes(1), permuted),
            "element 1 of the result must be %s", Text(permuted));
  return Result(op, *declared);
}

absl::StatusOr<Shape> CollectivePermuteDone(const OpDescription& op) {
  const Shape& context = op.operand(0);
  HILO_RULE(1, context.IsTuple() && context.tuple_shapes_size() >= 2,
            "the operand must be the tuple that collective-permute-start gives");
  return Result(op, context.tuple_shapes(1));
}

absl::StatusOr<Shape> ReplicaOrPartitionId(const OpDescription& op) {
  return Result(op, Shape(U32, {}));
}

}  // namespace xla::shape_rules
