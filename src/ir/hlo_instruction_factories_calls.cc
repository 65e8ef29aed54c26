// The named factories of calls, transfers and collectives.
#include <string>
#include <utility>

#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {
namespace {

using Instructions = absl::Span<HloInstruction* const>;

void AddPrefix(absl::string_view prefix, HloInstruction& instruction) {
  if (prefix.empty()) return;
  instruction.SetAndSanitizeName(absl::StrCat(prefix, instruction.name()));
}

// A computation whose parameters are the operands of `root`, each once, and whose root is a copy of it. The operands go to
// `operands`.
HloComputation* ComputationOf(HloInstruction& root, absl::string_view name,
                              std::vector<HloInstruction*>* operands) {
  CHECK(root.GetModule() != nullptr) << root.name() << " is in no module";
  HloComputation::Builder builder(name);
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> parameters;
  std::vector<HloInstruction*> new_operands;
  for (HloInstruction* operand : root.operands()) {
    HloInstruction*& parameter = parameters[operand];
    if (parameter == nullptr) {
      parameter = builder.AddInstruction(HloInstruction::CreateParameter(
          static_cast<int64_t>(operands->size()), operand->shape(),
          absl::StrCat("param_", operands->size())));
      operands->push_back(operand);
    }
    new_operands.push_back(parameter);
  }
  builder.AddInstruction(root.CloneWithNewOperands(root.shape(), new_operands));
  return root.GetModule()->AddEmbeddedComputation(builder.Build());
}

FrontendAttributes CompositeAttributes(const std::string& name, const std::string& attributes,
                                       int64_t version) {
  FrontendAttributes all;
  (*all.mutable_map())["composite.name"] = name;
  (*all.mutable_map())["composite.attributes"] = attributes;
  (*all.mutable_map())["composite.version"] = absl::StrCat(version);
  return all;
}

}  // namespace

// ---- Calls ----

std::unique_ptr<HloInstruction> HloInstruction::CreateConditional(
    const Shape& shape, HloInstruction* pred, HloInstruction* true_computation_arg,
    HloComputation* true_computation, HloInstruction* false_computation_arg,
    HloComputation* false_computation) {
  return CreateConditional(
      shape, pred, absl::Span<HloComputation* const>({true_computation, false_computation}),
      Instructions({true_computation_arg, false_computation_arg}));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCall(
    const Shape& shape, HloInstruction* called_computation_root) {
  std::vector<HloInstruction*> operands;
  HloComputation* computation =
      ComputationOf(*called_computation_root, "called_computation", &operands);
  return CreateCall(shape, operands, computation);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCall(const Shape& shape,
                                                           Instructions operands,
                                                           HloComputation* computation,
                                                           absl::string_view prefix) {
  auto call = Create(HloOpcode::kCall, shape, operands, nullptr, {computation});
  AddPrefix(prefix, *call);
  return call;
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCompositeCall(
    const Shape& shape, HloInstruction* decomposition_root, const std::string& name,
    const std::string& attributes, int64_t version) {
  std::vector<HloInstruction*> operands;
  HloComputation* decomposition = ComputationOf(*decomposition_root, name, &operands);
  return CreateCompositeCall(shape, operands, decomposition, name, attributes, version);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCompositeCall(
    const Shape& shape, Instructions operands, HloComputation* decomposition,
    const std::string& name, const std::string& attributes, int64_t version) {
  auto call = CreateCall(shape, operands, decomposition);
  call->set_is_composite(true);
  call->set_frontend_attributes(CompositeAttributes(name, attributes, version));
  return call;
}

std::unique_ptr<HloInstruction> HloInstruction::CreateFusion(const Shape& shape,
                                                             FusionKind fusion_kind,
                                                             HloInstruction* fused_root,
                                                             absl::string_view prefix) {
  std::vector<HloInstruction*> operands;
  HloComputation* computation =
      ComputationOf(*fused_root, absl::StrCat(prefix, "fused_computation"), &operands);
  auto fusion = CreateFusion(shape, fusion_kind, operands, computation, prefix);
  fusion->set_metadata(fused_root->metadata());
  fusion->set_frontend_attributes(fused_root->frontend_attributes());
  if (fused_root->has_sharding()) fusion->set_sharding(fused_root->sharding_ptr());
  return fusion;
}

std::unique_ptr<HloInstruction> HloInstruction::CreateFusion(const Shape& shape,
                                                             FusionKind fusion_kind,
                                                             Instructions operands,
                                                             HloComputation* fusion_computation,
                                                             absl::string_view prefix) {
  auto attributes = std::make_unique<FusionAttributes>();
  attributes->kind = static_cast<int>(fusion_kind);
  fusion_computation->set_is_fusion(true);
  auto fusion = Create(HloOpcode::kFusion, shape, operands, std::move(attributes),
                       {fusion_computation});
  AddPrefix(prefix, *fusion);
  return fusion;
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCustomCall(
    const Shape& shape, Instructions operands, absl::string_view custom_call_target,
    std::string opaque, CustomCallApiVersion api_version) {
  return CreateCustomCall(shape, operands, absl::Span<HloComputation* const>(), custom_call_target,
                          std::move(opaque), api_version);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCustomCall(
    const Shape& shape, Instructions operands, HloComputation* to_apply,
    absl::string_view custom_call_target, std::string opaque, CustomCallApiVersion api_version) {
  return CreateCustomCall(shape, operands, absl::Span<HloComputation* const>({to_apply}),
                          custom_call_target, std::move(opaque), api_version);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCustomCall(
    const Shape& shape, Instructions operands,
    absl::Span<HloComputation* const> called_computations, absl::string_view custom_call_target,
    std::string opaque, CustomCallApiVersion api_version) {
  auto attributes = std::make_unique<CustomCallAttributes>();
  attributes->target = std::string(custom_call_target);
  attributes->api_version = api_version;
  auto call = Create(HloOpcode::kCustomCall, shape, operands, std::move(attributes),
                     called_computations);
  if (!opaque.empty()) call->set_raw_backend_config_string(std::move(opaque));
  return call;
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCustomCall(
    const Shape& shape, Instructions operands, absl::string_view custom_call_target,
    absl::Span<const Shape> operand_shapes_with_layout, std::string opaque,
    CustomCallApiVersion api_version) {
  auto call = CreateCustomCall(shape, operands, custom_call_target, std::move(opaque), api_version);
  call->mutable_attributes_as<CustomCallAttributes>().operand_layouts.emplace(
      operand_shapes_with_layout.begin(), operand_shapes_with_layout.end());
  return call;
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCustomCall(
    const Shape& shape, Instructions operands, HloComputation* to_apply,
    absl::string_view custom_call_target, absl::Span<const Shape> operand_shapes_with_layout,
    std::string opaque, CustomCallApiVersion api_version) {
  auto call = CreateCustomCall(shape, operands, to_apply, custom_call_target, std::move(opaque),
                               api_version);
  call->mutable_attributes_as<CustomCallAttributes>().operand_layouts.emplace(
      operand_shapes_with_layout.begin(), operand_shapes_with_layout.end());
  return call;
}

std::unique_ptr<HloInstruction> HloInstruction::CreateAddDependency(HloInstruction* data_operand,
                                                                    HloInstruction* token_operand) {
  return Create(HloOpcode::kAddDependency, data_operand->shape(), {data_operand, token_operand});
}

// ---- Input, output, transfers ----

std::unique_ptr<HloInstruction> HloInstruction::CreateInfeed(const Shape& infeed_shape,
                                                             HloInstruction* token_operand,
                                                             const std::string& config) {
  auto attributes = std::make_unique<InfeedAttributes>();
  attributes->config = config;
  return Create(HloOpcode::kInfeed,
                ShapeUtil::MakeTupleShape({infeed_shape, ShapeUtil::MakeTokenShape()}),
                {token_operand}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateOutfeed(const Shape& outfeed_shape,
                                                              HloInstruction* operand,
                                                              HloInstruction* token_operand,
                                                              absl::string_view outfeed_config) {
  auto attributes = std::make_unique<OutfeedAttributes>();
  attributes->shape = outfeed_shape;
  attributes->config = std::string(outfeed_config);
  return Create(HloOpcode::kOutfeed, ShapeUtil::MakeTokenShape(), {operand, token_operand},
                std::move(attributes));
}

namespace {
std::unique_ptr<SendRecvAttributes> SendRecv(std::optional<int64_t> channel_id,
                                             bool is_host_transfer) {
  auto attributes = std::make_unique<SendRecvAttributes>();
  attributes->channel_id = channel_id;
  attributes->is_host_transfer = is_host_transfer;
  return attributes;
}

Shape InFlight(const Shape& data) {
  return ShapeUtil::MakeTupleShape(
      {data, ShapeUtil::MakeShape(U32, {}), ShapeUtil::MakeTokenShape()});
}
}  // namespace

std::unique_ptr<HloInstruction> HloInstruction::CreateSend(HloInstruction* operand,
                                                           HloInstruction* token,
                                                           std::optional<int64_t> channel_id,
                                                           bool is_host_transfer) {
  return Create(HloOpcode::kSend, InFlight(operand->shape()), {operand, token},
                SendRecv(channel_id, is_host_transfer));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateSendDone(HloInstruction* operand,
                                                               std::optional<int64_t> channel_id,
                                                               bool is_host_transfer) {
  return Create(HloOpcode::kSendDone, ShapeUtil::MakeTokenShape(), {operand},
                SendRecv(channel_id, is_host_transfer));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateRecv(const Shape& shape,
                                                           HloInstruction* token,
                                                           std::optional<int64_t> channel_id,
                                                           bool is_host_transfer) {
  return Create(HloOpcode::kRecv, InFlight(shape), {token}, SendRecv(channel_id, is_host_transfer));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateRecvDone(HloInstruction* operand,
                                                               std::optional<int64_t> channel_id,
                                                               bool is_host_transfer) {
  return Create(
      HloOpcode::kRecvDone,
      ShapeUtil::MakeTupleShape({operand->shape().tuple_shapes(0), ShapeUtil::MakeTokenShape()}),
      {operand}, SendRecv(channel_id, is_host_transfer));
}

// ---- Replicas and partitions ----

namespace {

template <typename Record>
std::unique_ptr<Record> Collective(const HloInstruction::DeviceListPtr& device_list,
                                   const std::optional<int64_t>& channel_id) {
  auto attributes = std::make_unique<Record>();
  if (device_list != nullptr) attributes->replica_groups = CollectiveDeviceList(*device_list);
  attributes->channel_id = channel_id;
  return attributes;
}

std::unique_ptr<AllGatherAttributes> AllGather(int64_t dimension,
                                               const HloInstruction::DeviceListPtr& device_list,
                                               bool constrain_layout,
                                               const std::optional<int64_t>& channel_id,
                                               bool use_global_device_ids) {
  auto attributes = Collective<AllGatherAttributes>(device_list, channel_id);
  attributes->constrain_layout = constrain_layout;
  attributes->dimension = dimension;
  attributes->use_global_device_ids = use_global_device_ids;
  return attributes;
}

std::unique_ptr<AllReduceAttributes> AllReduce(const HloInstruction::DeviceListPtr& device_list,
                                               bool constrain_layout,
                                               const std::optional<int64_t>& channel_id,
                                               bool use_global_device_ids) {
  auto attributes = Collective<AllReduceAttributes>(device_list, channel_id);
  attributes->constrain_layout = constrain_layout;
  attributes->use_global_device_ids = use_global_device_ids;
  return attributes;
}

std::unique_ptr<CollectivePermuteAttributes> Permute(
    absl::Span<const std::pair<int64_t, int64_t>> source_target_pairs,
    absl::Span<const std::vector<int64_t>> slice_sizes, const std::optional<int64_t>& channel_id) {
  auto attributes = std::make_unique<CollectivePermuteAttributes>();
  attributes->channel_id = channel_id;
  attributes->source_target_pairs.assign(source_target_pairs.begin(), source_target_pairs.end());
  attributes->slice_sizes.assign(slice_sizes.begin(), slice_sizes.end());
  return attributes;
}

}  // namespace

std::unique_ptr<HloInstruction> HloInstruction::CreateAllGather(
    const Shape& shape, Instructions operands, int64_t all_gather_dimension,
    const DeviceListPtr& device_list, bool constrain_layout,
    const std::optional<int64_t>& channel_id, bool use_global_device_ids) {
  return Create(HloOpcode::kAllGather, shape, operands,
                AllGather(all_gather_dimension, device_list, constrain_layout, channel_id,
                          use_global_device_ids));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateAllGatherStart(
    const Shape& shape, Instructions operands, int64_t all_gather_dimension,
    const DeviceListPtr& device_list, bool constrain_layout,
    const std::optional<int64_t>& channel_id, bool use_global_device_ids) {
  return Create(HloOpcode::kAllGatherStart, shape, operands,
                AllGather(all_gather_dimension, device_list, constrain_layout, channel_id,
                          use_global_device_ids));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateAllReduce(
    const Shape& shape, Instructions operands, HloComputation* reduce_computation,
    const DeviceListPtr& device_list, bool constrain_layout,
    const std::optional<int64_t>& channel_id, bool use_global_device_ids) {
  return Create(HloOpcode::kAllReduce, shape, operands,
                AllReduce(device_list, constrain_layout, channel_id, use_global_device_ids),
                {reduce_computation});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateAllReduceStart(
    const Shape& shape, Instructions operands, HloComputation* reduce_computation,
    const DeviceListPtr& device_list, bool constrain_layout,
    const std::optional<int64_t>& channel_id, bool use_global_device_ids) {
  return Create(HloOpcode::kAllReduceStart, shape, operands,
                AllReduce(device_list, constrain_layout, channel_id, use_global_device_ids),
                {reduce_computation});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateReduceScatter(
    const Shape& shape, Instructions operands, HloComputation* reduce_computation,
    const DeviceListPtr& device_list, bool constrain_layout,
    const std::optional<int64_t>& channel_id, bool use_global_device_ids,
    int64_t scatter_dimension) {
  auto attributes = Collective<ReduceScatterAttributes>(device_list, channel_id);
  attributes->constrain_layout = constrain_layout;
  attributes->use_global_device_ids = use_global_device_ids;
  attributes->dimension = scatter_dimension;
  return Create(HloOpcode::kReduceScatter, shape, operands, std::move(attributes),
                {reduce_computation});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateAllToAll(
    const Shape& shape, Instructions operands, const DeviceListPtr& device_list,
    bool constrain_layout, const std::optional<int64_t>& channel_id,
    const std::optional<int64_t>& split_dimension) {
  auto attributes = Collective<AllToAllAttributes>(device_list, channel_id);
  attributes->constrain_layout = constrain_layout;
  attributes->dimension = split_dimension;
  return Create(HloOpcode::kAllToAll, shape, operands, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateRaggedAllToAll(
    const Shape& shape, Instructions operands, const DeviceListPtr& device_list,
    const std::optional<int64_t>& channel_id) {
  return Create(HloOpcode::kRaggedAllToAll, shape, operands,
                Collective<RaggedAllToAllAttributes>(device_list, channel_id));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCollectiveBroadcast(
    const Shape& shape, Instructions operands, const DeviceListPtr& device_list, bool,
    const std::optional<int64_t>& channel_id, bool has_dynamic_root) {
  auto attributes = Collective<CollectiveBroadcastAttributes>(device_list, channel_id);
  attributes->has_dynamic_root = has_dynamic_root;
  return Create(HloOpcode::kCollectiveBroadcast, shape, operands, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCollectivePermute(
    const Shape& shape, HloInstruction* operand, const SourceTargetPairs& source_target_pairs,
    const std::optional<int64_t>& channel_id) {
  return CreateCollectivePermute(shape, Instructions({operand}), source_target_pairs, channel_id);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCollectivePermute(
    const Shape& shape, Instructions operands, const SourceTargetPairs& source_target_pairs,
    const std::optional<int64_t>& channel_id) {
  return Create(HloOpcode::kCollectivePermute, shape, operands,
                Permute(source_target_pairs, {}, channel_id));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCollectivePermute(
    const Shape& shape, HloInstruction* input, HloInstruction* output,
    HloInstruction* input_start_indices, HloInstruction* output_start_indices,
    absl::Span<const std::pair<int64_t, int64_t>> source_target_pairs,
    absl::Span<const std::vector<int64_t>> slice_sizes, const std::optional<int64_t>& channel_id) {
  return Create(HloOpcode::kCollectivePermute, shape,
                {input, output, input_start_indices, output_start_indices},
                Permute(source_target_pairs, slice_sizes, channel_id));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCollectivePermuteStart(
    const Shape& shape, HloInstruction* operand, const SourceTargetPairs& source_target_pairs,
    const std::optional<int64_t>& channel_id) {
  return CreateCollectivePermuteStart(shape, Instructions({operand}), source_target_pairs,
                                      channel_id);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCollectivePermuteStart(
    const Shape& shape, Instructions operands, const SourceTargetPairs& source_target_pairs,
    const std::optional<int64_t>& channel_id) {
  return Create(HloOpcode::kCollectivePermuteStart, shape, operands,
                Permute(source_target_pairs, {}, channel_id));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCollectivePermuteStart(
    const Shape& shape, HloInstruction* input, HloInstruction* output,
    HloInstruction* input_start_indices, HloInstruction* output_start_indices,
    absl::Span<const std::pair<int64_t, int64_t>> source_target_pairs,
    absl::Span<const std::vector<int64_t>> slice_sizes, const std::optional<int64_t>& channel_id) {
  return Create(HloOpcode::kCollectivePermuteStart, shape,
                {input, output, input_start_indices, output_start_indices},
                Permute(source_target_pairs, slice_sizes, channel_id));
}

std::unique_ptr<HloInstruction> HloInstruction::CreatePartitionId(const Shape& shape) {
  return Create(HloOpcode::kPartitionId, shape, {});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateReplicaId(const Shape& shape) {
  return Create(HloOpcode::kReplicaId, shape, {});
}

// ---- Asynchronous forms ----

std::unique_ptr<HloInstruction> HloInstruction::CreateAsyncStart(
    const Shape& shape, Instructions operands, HloComputation* async_computation,
    absl::string_view async_execution_thread) {
  auto attributes = std::make_unique<AsyncAttributes>();
  attributes->execution_thread = std::string(async_execution_thread);
  auto start = Create(HloOpcode::kAsyncStart, shape, operands, std::move(attributes),
                      {async_computation});
  start->set_called_computations_execution_thread(async_execution_thread);
  start->set_name(absl::StrCat(HloOpcodeString(start->async_wrapped_opcode()), "-start"));
  return start;
}

namespace {
// What follows a start, or what follows that, runs in the same thread and calls the same.
std::unique_ptr<AsyncAttributes> InThreadOf(const HloInstruction& before) {
  auto attributes = std::make_unique<AsyncAttributes>();
  if (before.IsAsynchronous()) {
    attributes->execution_thread = std::string(before.async_execution_thread());
  }
  return attributes;
}

std::vector<HloComputation*> CalleesOf(const HloInstruction& before) {
  return before.IsAsynchronous() ? before.called_computations() : std::vector<HloComputation*>();
}
}  // namespace

std::unique_ptr<HloInstruction> HloInstruction::CreateAsyncUpdate(const Shape& shape,
                                                                  HloInstruction* operand) {
  return CreateAsyncUpdate(shape, Instructions({operand}));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateAsyncUpdate(const Shape& shape,
                                                                  Instructions operands) {
  CHECK(!operands.empty());
  const HloInstruction& before = *operands[0];
  auto update = Create(HloOpcode::kAsyncUpdate, shape, operands, InThreadOf(before),
                       CalleesOf(before));
  if (!update->called_computations().empty()) {
    update->set_name(absl::StrCat(HloOpcodeString(update->async_wrapped_opcode()), "-update"));
  }
  return update;
}

std::unique_ptr<HloInstruction> HloInstruction::CreateAsyncDone(const Shape& shape,
                                                                HloInstruction* operand) {
  auto done =
      Create(HloOpcode::kAsyncDone, shape, {operand}, InThreadOf(*operand), CalleesOf(*operand));
  if (!done->called_computations().empty()) {
    done->set_name(absl::StrCat(HloOpcodeString(done->async_wrapped_opcode()), "-done"));
  }
  return done;
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCopyStart(
    const Shape& shape, HloInstruction* operand, std::optional<int> cross_program_prefetch_index) {
  auto attributes = std::make_unique<CopyStartAttributes>();
  attributes->cross_program_prefetch_index = cross_program_prefetch_index;
  return Create(HloOpcode::kCopyStart, shape, {operand}, std::move(attributes));
}

}  // namespace xla
