// What devices say to each other and to the host.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/shapes.h"
#include "front/stablehlo/lower/sharding.h"
#include "front/stablehlo/lower/table.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {
namespace {

// 0 stands for none.
absl::StatusOr<std::optional<int64_t>> GetChannel(const Operation& op) {
  HILO_ASSIGN_OR_RETURN(const int64_t channel, GetIntegerOr(op, "channel_id", 0));
  if (channel == 0) return std::nullopt;
  return channel;
}

absl::Status SetGroups(Body& body, const Operation& op, CollectiveAttributes& attributes) {
  HILO_ASSIGN_OR_RETURN(attributes.channel_id, GetChannel(op));
  HILO_ASSIGN_OR_RETURN(attributes.replica_groups, GetReplicaGroups(body.lowering(), op));
  return absl::OkStatus();
}

}  // namespace

absl::Status LowerAllGather(Body& body, const Operation& op, HloOpcode) {
  auto attributes = std::make_unique<AllGatherAttributes>();
  HILO_RETURN_IF_ERROR(SetGroups(body, op, *attributes));
  HILO_ASSIGN_OR_RETURN(attributes->dimension, GetInteger(op, "all_gather_dim"));
  HILO_ASSIGN_OR_RETURN(attributes->use_global_device_ids, GetBool(op, "use_global_device_ids"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  return body.Emit(op, HloOpcode::kAllGather, operands, std::move(attributes));
}

absl::Status LowerAllReduce(Body& body, const Operation& op, HloOpcode) {
  auto attributes = std::make_unique<AllReduceAttributes>();
  HILO_RETURN_IF_ERROR(SetGroups(body, op, *attributes));
  HILO_ASSIGN_OR_RETURN(attributes->use_global_device_ids, GetBool(op, "use_global_device_ids"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(HloComputation * applied, body.Applied(op.regions[0]));
  return body.Emit(op, HloOpcode::kAllReduce, operands, std::move(attributes), {applied});
}

absl::Status LowerReduceScatter(Body& body, const Operation& op, HloOpcode) {
  auto attributes = std::make_unique<ReduceScatterAttributes>();
  HILO_RETURN_IF_ERROR(SetGroups(body, op, *attributes));
  HILO_ASSIGN_OR_RETURN(attributes->dimension, GetInteger(op, "scatter_dimension"));
  HILO_ASSIGN_OR_RETURN(attributes->use_global_device_ids, GetBool(op, "use_global_device_ids"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(HloComputation * applied, body.Applied(op.regions[0]));
  return body.Emit(op, HloOpcode::kReduceScatter, operands, std::move(attributes), {applied});
}

namespace {

// HLO exchanges blocks along one dimension, in place. To have them adjacent along another one,
// the number of the block becomes a dimension that is moved there.
absl::StatusOr<HloInstruction*> MoveBlocks(Body& body, HloInstruction* exchanged, int64_t from,
                                           int64_t to, int64_t count) {
  const Shape& shape = exchanged->shape();
  const int64_t rank = shape.dimensions_size();
  if (to < 0 || to >= rank) return InvalidArgument("there is no concat_dimension %d", to);
  Integers sizes;
  Integers others;  // dimensions of the array with the number of the block at `from`
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t size = shape.dimensions(static_cast<int>(i));
    if (i == from) {
      sizes.push_back(count);
      sizes.push_back(size / count);
    } else {
      sizes.push_back(size);
    }
    others.push_back(i < from ? i : i + 1);
  }
  Integers permutation = others;
  permutation.insert(permutation.begin() + to, from);
  Integers joined;
  for (int64_t i = 0; i < rank; ++i) {
    joined.push_back(sizes[others[i]] * (i == to ? count : 1));
  }
  HILO_ASSIGN_OR_RETURN(const Shape blocks, MakeArrayShape(shape.element_type(), sizes));
  HILO_ASSIGN_OR_RETURN(const Shape result, MakeArrayShape(shape.element_type(), joined));
  HILO_ASSIGN_OR_RETURN(HloInstruction * split, body.AddReshape(exchanged, blocks));
  HILO_ASSIGN_OR_RETURN(HloInstruction * moved, AddTranspose(body, split, permutation));
  return body.AddReshape(moved, result);
}

}  // namespace

absl::Status LowerAllToAll(Body& body, const Operation& op, HloOpcode) {
  if (op.operands.size() != op.results.size()) {
    return InvalidArgument("there are %d operands and %d results", op.operands.size(),
                           op.results.size());
  }
  HILO_ASSIGN_OR_RETURN(const int64_t from, GetInteger(op, "split_dimension"));
  HILO_ASSIGN_OR_RETURN(const int64_t to, GetInteger(op, "concat_dimension"));
  HILO_ASSIGN_OR_RETURN(const int64_t count, GetInteger(op, "split_count"));
  for (size_t i = 0; i < op.operands.size(); ++i) {
    auto attributes = std::make_unique<AllToAllAttributes>();
    HILO_RETURN_IF_ERROR(SetGroups(body, op, *attributes));
    attributes->dimension = from;
    HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Value(op.operands[i]));
    const Shape& shape = operand->shape();
    if (!shape.IsArrayExcludingBuffer() || !shape.is_static() || from < 0 ||
        from >= shape.dimensions_size() || count < 1 ||
        shape.dimensions(static_cast<int>(from)) % count != 0) {
      return InvalidArgument("%s cannot be split into %d parts along dimension %d",
                             shape.ToString(), count, from);
    }
    HILO_ASSIGN_OR_RETURN(HloInstruction * result,
                          body.Add(HloOpcode::kAllToAll, shape, {operand}, std::move(attributes)));
    if (from != to) {
      HILO_ASSIGN_OR_RETURN(result, MoveBlocks(body, result, from, to, count));
    }
    body.Bind(op.results[i], result);
  }
  return absl::OkStatus();
}

absl::Status LowerCollectiveBroadcast(Body& body, const Operation& op, HloOpcode) {
  auto attributes = std::make_unique<CollectiveBroadcastAttributes>();
  HILO_RETURN_IF_ERROR(SetGroups(body, op, *attributes));
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  return body.Emit(op, HloOpcode::kCollectiveBroadcast, {operand}, std::move(attributes));
}

absl::Status LowerCollectivePermute(Body& body, const Operation& op, HloOpcode) {
  auto attributes = std::make_unique<CollectivePermuteAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->channel_id, GetChannel(op));
  HILO_ASSIGN_OR_RETURN(attributes->source_target_pairs, GetPairs(op, "source_target_pairs"));
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  return body.Emit(op, HloOpcode::kCollectivePermute, {operand}, std::move(attributes));
}

// ---- The host, and other programs
// --------------------------------------------------------------

namespace {

// All results but the last, which is a token.
absl::StatusOr<std::vector<Shape>> DataShapes(Body& body, const Operation& op) {
  std::vector<Shape> shapes;
  if (op.results.empty()) return InvalidArgument("there is no token among the results");
  for (size_t i = 0; i + 1 < op.results.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const Shape* shape, body.ResultShape(op, static_cast<int64_t>(i)));
    shapes.push_back(*shape);
  }
  return shapes;
}

// The layouts of an infeed: for each array its dimensions from the minor one on.
absl::Status SetLayouts(const Operation& op, std::vector<Shape>& shapes) {
  const auto* layouts = As<ArrayAttribute>(op.attribute("layout"));
  if (layouts == nullptr || layouts->elements.empty()) return absl::OkStatus();
  if (layouts->elements.size() != shapes.size()) {
    return InvalidArgument("there are %d layouts for %d arrays", layouts->elements.size(),
                           shapes.size());
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto* order = As<ArrayAttribute>(layouts->elements[i]);
    if (order == nullptr || !shapes[i].IsArray()) return InvalidArgument("layout %d is none", i);
    Integers minor_to_major;
    for (const Attribute* element : order->elements) {
      const auto* dimension = As<IntegerAttribute>(element);
      if (dimension == nullptr) return InvalidArgument("layout %d is none", i);
      minor_to_major.push_back(dimension->value);
    }
    const Layout layout(minor_to_major);
    HILO_RETURN_IF_ERROR(LayoutUtil::ValidateLayoutForShape(layout, shapes[i]));
    *shapes[i].mutable_layout() = layout;
  }
  return absl::OkStatus();
}

// The parts of (data, token), where data is a tuple or, if `is_bare`, one array.
absl::Status DefineDataAndToken(Body& body, const Operation& op, HloInstruction* pair,
                                bool is_bare) {
  HILO_ASSIGN_OR_RETURN(HloInstruction * data, body.AddElement(pair, 0));
  HILO_ASSIGN_OR_RETURN(HloInstruction * token, body.AddElement(pair, 1));
  for (size_t i = 0; i + 1 < op.results.size(); ++i) {
    HloInstruction* element = data;
    if (!is_bare) {
      HILO_ASSIGN_OR_RETURN(element, body.AddElement(data, static_cast<int64_t>(i)));
    }
    body.Bind(op.results[i], element);
  }
  body.Bind(op.results.back(), token);
  return absl::OkStatus();
}

// The data and the token, which comes last, of send and outfeed.
struct Message {
  std::vector<HloInstruction*> data;
  HloInstruction* token;
};
absl::StatusOr<Message> ToMessage(Body& body, const Operation& op) {
  HILO_ASSIGN_OR_RETURN(std::vector<HloInstruction*> operands, body.Operands(op));
  Message message = {{}, operands.back()};
  operands.pop_back();
  message.data = std::move(operands);
  return message;
}

struct Transfer {
  SendRecvAttributes attributes;
  std::string pairs;  // which device sends to which one, as text; empty if nothing says so
};
absl::StatusOr<Transfer> ToTransfer(const Operation& op) {
  Transfer transfer;
  HILO_ASSIGN_OR_RETURN(transfer.attributes.channel_id, GetChannel(op));
  HILO_ASSIGN_OR_RETURN(transfer.attributes.is_host_transfer, GetBool(op, "is_host_transfer"));
  HILO_ASSIGN_OR_RETURN(const auto pairs, GetPairs(op, "source_target_pairs"));
  if (pairs.empty()) return transfer;
  const auto print = [](std::string* out, const std::pair<int64_t, int64_t>& pair) {
    absl::StrAppend(out, "{", pair.first, ",", pair.second, "}");
  };
  transfer.pairs = absl::StrCat("{", absl::StrJoin(pairs, ",", print), "}");
  return transfer;
}

absl::StatusOr<HloInstruction*> AddTransfer(Body& body, HloOpcode opcode, const Shape& shape,
                                            absl::Span<HloInstruction* const> operands,
                                            const Transfer& transfer) {
  HILO_ASSIGN_OR_RETURN(
      HloInstruction * added,
      body.Add(opcode, shape, operands, std::make_unique<SendRecvAttributes>(transfer.attributes)));
  if (!transfer.pairs.empty()) {
    added->set_frontend_attribute("_xla_send_recv_source_target_pairs", transfer.pairs);
  }
  return added;
}

}  // namespace

absl::Status LowerInfeed(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(std::vector<Shape> shapes, DataShapes(body, op));
  HILO_RETURN_IF_ERROR(SetLayouts(op, shapes));
  HILO_ASSIGN_OR_RETURN(HloInstruction * token, body.Operand(op, 0));
  HILO_ASSIGN_OR_RETURN(const std::optional<absl::string_view> config,
                        FindString(op, "infeed_config"));
  auto attributes = std::make_unique<InfeedAttributes>();
  attributes->config = std::string(config.value_or(""));
  const Shape shape({Shape(std::move(shapes)), ShapeUtil::MakeTokenShape()});
  HILO_ASSIGN_OR_RETURN(HloInstruction * pair,
                        body.Add(HloOpcode::kInfeed, shape, {token}, std::move(attributes)));
  return DefineDataAndToken(body, op, pair, /*is_bare=*/false);
}

absl::Status LowerOutfeed(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const Message message, ToMessage(body, op));
  HILO_ASSIGN_OR_RETURN(HloInstruction * data, body.AddTuple(message.data));
  HILO_ASSIGN_OR_RETURN(const std::optional<absl::string_view> config,
                        FindString(op, "outfeed_config"));
  auto attributes = std::make_unique<OutfeedAttributes>();
  attributes->config = std::string(config.value_or(""));
  attributes->shape = data->shape();
  LayoutUtil::SetToDefaultLayout(&*attributes->shape);
  return body.Emit(op, HloOpcode::kOutfeed, {data, message.token}, std::move(attributes));
}

absl::Status LowerSend(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const Message message, ToMessage(body, op));
  HILO_ASSIGN_OR_RETURN(const Transfer transfer, ToTransfer(op));
  HILO_ASSIGN_OR_RETURN(HloInstruction * data, body.AddTupleUnlessOne(message.data));
  const Shape shape({data->shape(), ShapeUtil::MakeShape(U32, {}), ShapeUtil::MakeTokenShape()});
  HILO_ASSIGN_OR_RETURN(HloInstruction * send, AddTransfer(body, HloOpcode::kSend, shape,
                                                           {data, message.token}, transfer));
  HILO_ASSIGN_OR_RETURN(
      HloInstruction * done,
      AddTransfer(body, HloOpcode::kSendDone, ShapeUtil::MakeTokenShape(), {send}, transfer));
  return body.Define(op, done);
}

absl::Status LowerRecv(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(std::vector<Shape> shapes, DataShapes(body, op));
  HILO_ASSIGN_OR_RETURN(const Transfer transfer, ToTransfer(op));
  HILO_ASSIGN_OR_RETURN(HloInstruction * token, body.Operand(op, 0));
  const bool is_bare = shapes.size() == 1;
  const Shape data = is_bare ? shapes[0] : Shape(std::move(shapes));
  const Shape shape({data, ShapeUtil::MakeShape(U32, {}), ShapeUtil::MakeTokenShape()});
  HILO_ASSIGN_OR_RETURN(HloInstruction * recv,
                        AddTransfer(body, HloOpcode::kRecv, shape, {token}, transfer));
  HILO_ASSIGN_OR_RETURN(HloInstruction * done,
                        AddTransfer(body, HloOpcode::kRecvDone,
                                    Shape({data, ShapeUtil::MakeTokenShape()}), {recv}, transfer));
  return DefineDataAndToken(body, op, done, is_bare);
}

}  // namespace xla::stablehlo::lowering
