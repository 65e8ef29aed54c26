// Control flow, calls, random numbers, tokens, input and output.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "ir/records.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// Operations around the one that the user asked for do not share its sharding.
XlaOp TokenWithoutSharding(XlaBuilder* builder) {
  XlaScopedShardingAssignment none(builder, std::nullopt);
  return CreateToken(builder);
}

OpSharding FirstDevice() {
  OpSharding sharding;
  sharding.set_type(OpSharding::MAXIMAL);
  sharding.add_tile_assignment_dimensions(1);
  sharding.add_tile_assignment_devices(0);
  return sharding;
}

// While it lives, tokens are added: where data has a sharding, they are of the first device.
class ScopedTokenSharding {
 public:
  explicit ScopedTokenSharding(XlaBuilder* builder)
      : scope_(builder,
               builder->sharding().has_value() ? std::optional(FirstDevice()) : std::nullopt) {}

 private:
  XlaScopedShardingAssignment scope_;
};

// The token for the next infeed that nobody orders: that of the last one, if there is one.
XlaOp NextInfeedToken(XlaBuilder* builder) {
  ScopedTokenSharding scope(builder);
  const std::optional<XlaOp>& last = StateOf(builder).last_infeed;
  return last.has_value() ? GetTupleElement(*last, 1) : CreateToken(builder);
}

XlaOp NextOutfeedToken(XlaBuilder* builder) {
  ScopedTokenSharding scope(builder);
  const std::optional<XlaOp>& last = StateOf(builder).last_outfeed;
  return last.has_value() ? *last : CreateToken(builder);
}

// While it lives, a sharding that is meant for data is that of the tuple (data, token, ...).
class ScopedDataSharding {
 public:
  ScopedDataSharding(XlaBuilder* builder, int other_elements)
      : scope_(builder, OfTuple(builder->sharding(), other_elements)) {}

 private:
  static std::optional<OpSharding> OfTuple(const std::optional<OpSharding>& data,
                                           int other_elements) {
    if (!data.has_value()) return std::nullopt;
    OpSharding tuple;
    tuple.set_type(OpSharding::TUPLE);
    if (data->type() == OpSharding::TUPLE) {
      *tuple.mutable_tuple_shardings() = data->tuple_shardings();
    } else {
      *tuple.add_tuple_shardings() = *data;
    }
    for (int i = 0; i < other_elements; ++i) *tuple.add_tuple_shardings() = FirstDevice();
    return tuple;
  }

  XlaScopedShardingAssignment scope_;
};

XlaOp Rng(RandomDistribution distribution, XlaOp first, XlaOp second, const Shape& shape) {
  auto attributes = std::make_unique<RngAttributes>();
  attributes->distribution = distribution;
  return AddOp({HloOpcode::kRng, std::move(attributes), {}, shape}, {first, second});
}

std::unique_ptr<SendRecvAttributes> ChannelAttributes(const ChannelHandle& handle,
                                                      bool is_host_transfer) {
  auto attributes = std::make_unique<SendRecvAttributes>();
  attributes->channel_id = handle.handle();
  attributes->is_host_transfer = is_host_transfer;
  return attributes;
}

absl::Status ExpectChannelType(absl::string_view operation, const ChannelHandle& handle,
                               ChannelHandle::ChannelType type) {
  if (handle.type() == type) return absl::OkStatus();
  return InvalidArgument("%s must use a channel of type %s, not %s", operation,
                         ChannelHandle::ChannelType_Name(type),
                         ChannelHandle::ChannelType_Name(handle.type()));
}

}  // namespace

Shape WithContextAndToken(const Shape& data) {
  return ShapeUtil::MakeTupleShape(
      {data, ShapeUtil::MakeShape(U32, {}), ShapeUtil::MakeTokenShape()});
}

namespace {

XlaOp SendOver(XlaOp operand, XlaOp token, const ChannelHandle& handle, const Shape& data,
               bool is_host_transfer) {
  const XlaOp send = AddOp({HloOpcode::kSend,
                            ChannelAttributes(handle, is_host_transfer),
                            {},
                            WithContextAndToken(data)},
                           {operand, token});
  return AddOp({HloOpcode::kSendDone,
                ChannelAttributes(handle, is_host_transfer),
                {},
                ShapeUtil::MakeTokenShape()},
               {send});
}

XlaOp RecvOver(XlaOp token, const Shape& shape, const ChannelHandle& handle,
               bool is_host_transfer) {
  const XlaOp recv = AddOp({HloOpcode::kRecv,
                            ChannelAttributes(handle, is_host_transfer),
                            {},
                            WithContextAndToken(shape)},
                           {token});
  return AddOp({HloOpcode::kRecvDone,
                ChannelAttributes(handle, is_host_transfer),
                {},
                ShapeUtil::MakeTupleShape({shape, ShapeUtil::MakeTokenShape()})},
               {recv});
}

XlaOp AddCustomCall(XlaBuilder* builder, std::unique_ptr<CustomCallAttributes> attributes,
                    absl::Span<const XlaOp> operands, std::vector<XlaComputationId> computations,
                    const Shape& shape, const std::string& opaque) {
  const XlaOp call = AddOp(
      builder, {HloOpcode::kCustomCall, std::move(attributes), std::move(computations), shape},
      operands);
  if (call.valid()) MessageOf(call)->set_backend_config(opaque);
  return call;
}

std::unique_ptr<CustomCallAttributes> CustomCallRecord(
    const std::string& target, bool has_side_effect,
    absl::Span<const OutputOperandAlias> output_operand_aliasing, const Literal* literal,
    CustomCallSchedule schedule, CustomCallApiVersion api_version) {
  auto attributes = std::make_unique<CustomCallAttributes>();
  attributes->target = target;
  attributes->has_side_effect = has_side_effect;
  attributes->output_to_operand_aliasing.assign(output_operand_aliasing.begin(),
                                                output_operand_aliasing.end());
  if (literal != nullptr) attributes->literal = std::make_shared<const Literal>(literal->Clone());
  attributes->schedule = schedule;
  attributes->api_version = api_version;
  return attributes;
}

// The unsigned type in which random bits of a type are given.
PrimitiveType BitsType(PrimitiveType type) {
  if (!primitive_util::IsArrayType(type) || primitive_util::IsComplexType(type)) return type;
  switch (primitive_util::BitWidth(type)) {
    case 8:
      return type == PRED ? type : U8;
    case 16:
      return U16;
    case 32:
      return U32;
    case 64:
      return U64;
    default:
      return type;
  }
}

}  // namespace

// Control flow.

XlaOp While(XlaComputationId condition, XlaComputationId body, XlaOp init) {
  return AddOp({HloOpcode::kWhile, nullptr, {body, condition}}, {init});
}

XlaOp While(const XlaComputation& condition, const XlaComputation& body, XlaOp init) {
  const XlaComputationId body_id = init.builder()->AddSubComputation(body);
  const XlaComputationId condition_id = init.builder()->AddSubComputation(condition);
  return While(condition_id, body_id, init);
}

XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputationId> branch_computations,
                  absl::Span<const XlaOp> branch_operands) {
  std::vector<XlaOp> operands = {branch_index};
  operands.insert(operands.end(), branch_operands.begin(), branch_operands.end());
  return AddOp(
      {HloOpcode::kConditional, nullptr, {branch_computations.begin(), branch_computations.end()}},
      operands);
}

XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputation* const> branch_computations,
                  absl::Span<const XlaOp> branch_operands) {
  std::vector<XlaComputationId> ids;
  for (const XlaComputation* computation : branch_computations) {
    ids.push_back(branch_index.builder()->AddSubComputation(*computation));
  }
  return Conditional(branch_index, absl::Span<const XlaComputationId>(ids), branch_operands);
}

XlaOp Conditional(XlaOp predicate, XlaOp true_operand, XlaComputationId true_computation,
                  XlaOp false_operand, XlaComputationId false_computation) {
  const XlaComputationId branches[] = {true_computation, false_computation};
  return WithBuilder(predicate.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(predicate));
    if (!ShapeUtil::IsScalarWithElementType(shape, PRED)) {
      return InvalidArgument("conditional: the predicate must be a pred[] scalar, not %s",
                             shape.ToString());
    }
    return Conditional(predicate, branches, {true_operand, false_operand});
  });
}

XlaOp Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation,
                  XlaOp false_operand, const XlaComputation& false_computation) {
  const XlaComputationId true_id = predicate.builder()->AddSubComputation(true_computation);
  const XlaComputationId false_id = predicate.builder()->AddSubComputation(false_computation);
  return Conditional(predicate, true_operand, true_id, false_operand, false_id);
}

// Calls.

XlaOp Call(XlaBuilder* builder, XlaComputationId computation, absl::Span<const XlaOp> operands) {
  return AddOp(builder, {HloOpcode::kCall, nullptr, {computation}}, operands);
}

XlaOp Call(XlaBuilder* builder, const XlaComputation& computation,
           absl::Span<const XlaOp> operands) {
  return Call(builder, builder->AddSubComputation(computation), operands);
}

XlaOp CompositeCall(XlaBuilder* builder, XlaComputationId computation,
                    absl::Span<const XlaOp> operands, const std::string& name,
                    std::optional<absl::string_view> attributes, std::optional<int64_t> version) {
  if (name.empty() || (attributes.has_value() && attributes->empty()) || version.value_or(0) < 0) {
    return builder->ReportError(InvalidArgument(
        "a composite call needs a name, attributes that are not empty and a version from 0 on, not "
        "\"%s\", \"%s\" and %d",
        name, attributes.value_or("{}"), version.value_or(0)));
  }
  auto record = std::make_unique<CallAttributes>();
  record->is_composite = true;
  const XlaOp call = AddOp(builder, {HloOpcode::kCall, std::move(record), {computation}}, operands);
  if (!call.valid()) return call;
  auto& map = *MessageOf(call)->mutable_frontend_attributes()->mutable_map();
  map["composite.name"] = name;
  map["composite.attributes"] = std::string(attributes.value_or("{}"));
  map["composite.version"] = absl::StrCat(version.value_or(0));
  return call;
}

XlaOp CompositeCall(XlaBuilder* builder, const XlaComputation& computation,
                    absl::Span<const XlaOp> operands, const std::string& name,
                    std::optional<absl::string_view> attributes, std::optional<int64_t> version) {
  return CompositeCall(builder, builder->AddSubComputation(computation), operands, name, attributes,
                       version);
}

XlaOp CustomCall(XlaBuilder* builder, const std::string& call_target_name,
                 absl::Span<const XlaOp> operands, const Shape& shape, const std::string& opaque,
                 bool has_side_effect, absl::Span<const OutputOperandAlias> output_operand_aliasing,
                 const Literal* literal, CustomCallSchedule schedule,
                 CustomCallApiVersion api_version) {
  return AddCustomCall(builder,
                       CustomCallRecord(call_target_name, has_side_effect, output_operand_aliasing,
                                        literal, schedule, api_version),
                       operands, {}, shape, opaque);
}

XlaOp CustomCallWithComputationAndLayouts(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    XlaComputationId computation, const Shape& shape,
    absl::Span<const Shape> operand_shapes_with_layout, const std::string& opaque,
    bool has_side_effect, absl::Span<const OutputOperandAlias> output_operand_aliasing,
    const Literal* literal, CustomCallSchedule schedule, CustomCallApiVersion api_version) {
  auto attributes = CustomCallRecord(call_target_name, has_side_effect, output_operand_aliasing,
                                     literal, schedule, api_version);
  attributes->operand_layouts.emplace(operand_shapes_with_layout.begin(),
                                      operand_shapes_with_layout.end());
  return AddCustomCall(builder, std::move(attributes), operands, {computation}, shape, opaque);
}

XlaOp CustomCallWithComputation(XlaBuilder* builder, const std::string& call_target_name,
                                absl::Span<const XlaOp> operands, XlaComputationId computation,
                                const Shape& shape, const std::string& opaque, bool has_side_effect,
                                absl::Span<const OutputOperandAlias> output_operand_aliasing,
                                const Literal* literal, CustomCallSchedule schedule,
                                CustomCallApiVersion api_version) {
  return AddCustomCall(builder,
                       CustomCallRecord(call_target_name, has_side_effect, output_operand_aliasing,
                                        literal, schedule, api_version),
                       operands, {computation}, shape, opaque);
}

XlaOp CustomCallWithComputation(XlaBuilder* builder, const std::string& call_target_name,
                                absl::Span<const XlaOp> operands, const XlaComputation& computation,
                                const Shape& shape, const std::string& opaque, bool has_side_effect,
                                absl::Span<const OutputOperandAlias> output_operand_aliasing,
                                const Literal* literal, CustomCallSchedule schedule,
                                CustomCallApiVersion api_version) {
  return CustomCallWithComputation(
      builder, call_target_name, operands, builder->AddSubComputation(computation), shape, opaque,
      has_side_effect, output_operand_aliasing, literal, schedule, api_version);
}

XlaOp CustomCallWithLayout(XlaBuilder* builder, const std::string& call_target_name,
                           absl::Span<const XlaOp> operands, const Shape& shape_with_layout,
                           absl::Span<const Shape> operand_shapes_with_layout,
                           const std::string& opaque, bool has_side_effect,
                           absl::Span<const OutputOperandAlias> output_operand_aliasing,
                           const Literal* literal, CustomCallSchedule schedule,
                           CustomCallApiVersion api_version) {
  auto attributes = CustomCallRecord(call_target_name, has_side_effect, output_operand_aliasing,
                                     literal, schedule, api_version);
  attributes->operand_layouts.emplace(operand_shapes_with_layout.begin(),
                                      operand_shapes_with_layout.end());
  return AddCustomCall(builder, std::move(attributes), operands, {}, shape_with_layout, opaque);
}

XlaOp CustomCallWithConvDnums(XlaBuilder* builder, const std::string& call_target_name,
                              absl::Span<const XlaOp> operands, const Shape& shape,
                              absl::Span<const Shape> operand_shapes_with_layout,
                              const std::string& opaque, bool has_side_effect,
                              absl::Span<const OutputOperandAlias> output_operand_aliasing,
                              const Literal* literal, Window window,
                              ConvolutionDimensionNumbers dnums, CustomCallSchedule schedule,
                              CustomCallApiVersion api_version) {
  auto attributes = CustomCallRecord(call_target_name, has_side_effect, output_operand_aliasing,
                                     literal, schedule, api_version);
  if (!operand_shapes_with_layout.empty()) {
    attributes->operand_layouts.emplace(operand_shapes_with_layout.begin(),
                                        operand_shapes_with_layout.end());
  }
  attributes->window = std::move(window);
  attributes->dimension_numbers = std::move(dnums);
  return AddCustomCall(builder, std::move(attributes), operands, {}, shape, opaque);
}

// Random numbers.

XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape) {
  return Rng(RNG_NORMAL, mu, sigma, shape);
}

XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape) { return Rng(RNG_UNIFORM, a, b, shape); }

XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape) {
  return WithBuilder(initial_state.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape state, ShapeOf(initial_state));
    if (!shape.IsArray()) {
      return InvalidArgument("rng-bit-generator: the shape of the bits is %s", shape.ToString());
    }
    Shape bits = shape;
    bits.set_element_type(BitsType(shape.element_type()));
    auto attributes = std::make_unique<RngBitGeneratorAttributes>();
    attributes->algorithm = algorithm;
    return AddOp({HloOpcode::kRngBitGenerator,
                  std::move(attributes),
                  {},
                  ShapeUtil::MakeTupleShape({state, bits})},
                 {initial_state});
  });
}

// Order, input and output.

XlaOp CreateToken(XlaBuilder* builder) { return AddOp(builder, {HloOpcode::kAfterAll}); }

XlaOp AfterAll(XlaBuilder* builder, absl::Span<const XlaOp> tokens) {
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    for (size_t i = 0; i < tokens.size(); ++i) {
      HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(tokens[i]));
      if (!shape.IsToken()) {
        return InvalidArgument("AfterAll: operand %d must be a token, not %s", i, shape.ToString());
      }
    }
    return AddOp(builder, {HloOpcode::kAfterAll}, tokens);
  });
}

XlaOp Infeed(XlaBuilder* builder, const Shape& shape, const std::string& config) {
  const XlaOp infeed = InfeedWithToken(NextInfeedToken(builder), shape, config);
  if (infeed.valid()) StateOf(builder).last_infeed = infeed;
  return GetTupleElement(infeed, 0);
}

XlaOp InfeedWithToken(XlaOp token, const Shape& shape, const std::string& config) {
  auto attributes = std::make_unique<InfeedAttributes>();
  attributes->config = config;
  ScopedDataSharding scope(token.builder(), /*other_elements=*/1);
  return AddOp({HloOpcode::kInfeed,
                std::move(attributes),
                {},
                ShapeUtil::MakeTupleShape({shape, ShapeUtil::MakeTokenShape()})},
               {token});
}

void Outfeed(XlaOp operand, const Shape& shape_with_layout, const std::string& outfeed_config) {
  XlaBuilder* builder = operand.builder();
  const XlaOp outfeed =
      OutfeedWithToken(operand, NextOutfeedToken(builder), shape_with_layout, outfeed_config);
  if (outfeed.valid()) StateOf(builder).last_outfeed = outfeed;
}

XlaOp OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                       const std::string& outfeed_config) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operand));
    if (!ShapeUtil::Compatible(shape, shape_with_layout)) {
      return InvalidArgument("outfeed: the shape %s does not fit the operand %s",
                             shape_with_layout.ToString(), shape.ToString());
    }
    auto attributes = std::make_unique<OutfeedAttributes>();
    attributes->shape = shape_with_layout;
    attributes->config = outfeed_config;
    ScopedDataSharding scope(operand.builder(), /*other_elements=*/1);
    return AddOp({HloOpcode::kOutfeed, std::move(attributes), {}, ShapeUtil::MakeTokenShape()},
                 {operand, token});
  });
}

void Send(XlaOp operand, const ChannelHandle& handle) {
  SendWithToken(operand, TokenWithoutSharding(operand.builder()), handle);
}

XlaOp SendWithToken(XlaOp operand, XlaOp token, const ChannelHandle& handle) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_RETURN_IF_ERROR(ExpectChannelType("send", handle, ChannelHandle::DEVICE_TO_DEVICE));
    HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operand));
    return SendOver(operand, token, handle, shape, /*is_host_transfer=*/false);
  });
}

XlaOp SendToHost(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                 const ChannelHandle& handle) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_RETURN_IF_ERROR(ExpectChannelType("send to host", handle, ChannelHandle::DEVICE_TO_HOST));
    HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operand));
    if (!ShapeUtil::Compatible(shape, shape_with_layout)) {
      return InvalidArgument("send to host: the shape %s does not fit the operand %s",
                             shape_with_layout.ToString(), shape.ToString());
    }
    return SendOver(operand, token, handle, shape_with_layout, /*is_host_transfer=*/true);
  });
}

XlaOp Recv(XlaBuilder* builder, const Shape& shape, const ChannelHandle& handle) {
  return GetTupleElement(RecvWithToken(TokenWithoutSharding(builder), shape, handle), 0);
}

XlaOp RecvWithToken(XlaOp token, const Shape& shape, const ChannelHandle& handle) {
  return WithBuilder(token.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_RETURN_IF_ERROR(ExpectChannelType("recv", handle, ChannelHandle::DEVICE_TO_DEVICE));
    return RecvOver(token, shape, handle, /*is_host_transfer=*/false);
  });
}

XlaOp RecvFromHost(XlaOp token, const Shape& shape, const ChannelHandle& handle) {
  return WithBuilder(token.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_RETURN_IF_ERROR(
        ExpectChannelType("recv from host", handle, ChannelHandle::HOST_TO_DEVICE));
    return RecvOver(token, shape, handle, /*is_host_transfer=*/true);
  });
}

}  // namespace xla
