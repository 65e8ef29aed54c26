#include "front/builder/builder_state.h"

#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/log/check.h"
#include "absl/log/log.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"
#include "front/proto/attribute_proto.h"
#include "ir/graph.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "ir/shape_rules.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace internal {
namespace {

std::string NameOf(const XlaBuilder* builder) {
  return builder == nullptr ? "none" : builder->name();
}

// Shapes that operations carry have layouts.
absl::Status FillInLayouts(Shape& shape) {
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
  ShapeUtil::ForEachMutableSubshape(&shape, [](Shape* subshape, const ShapeIndex&) {
    if (subshape->IsArray() && !subshape->has_layout()) LayoutUtil::SetToDefaultLayout(subshape);
  });
  return absl::OkStatus();
}

// The sizes of an array; what else there is as a shape.
std::string SizesText(const Shape& shape) {
  if (!shape.IsArray()) return ShapeUtil::HumanString(shape);
  const auto append = [](std::string* out, int64_t size) {
    absl::StrAppend(out, size == Shape::kUnboundedSize ? "?" : absl::StrCat(size));
  };
  return absl::StrCat("[", absl::StrJoin(shape.dimensions(), ", ", append), "]");
}

// What an operation is called when nobody gave it a name.
std::string BaseName(absl::string_view opcode, const OpMetadata& metadata) {
  absl::string_view path = metadata.op_name();
  if (path.empty()) return std::string(opcode);
  const size_t slash = path.rfind('/');
  if (slash != absl::string_view::npos) path = path.substr(slash + 1);
  // What follows a point in a name is the number that makes it unique.
  return path.empty() ? std::string(opcode)
                      : SanitizeName(absl::StrReplaceAll(path, {{".", "_"}}));
}

}  // namespace

absl::StatusOr<BuilderState::Node*> BuilderState::Find(XlaOp op) {
  HILO_ASSIGN_OR_RETURN(const Node* node, const_cast<const BuilderState*>(this)->Find(op));
  return const_cast<Node*>(node);
}

absl::StatusOr<const BuilderState::Node*> BuilderState::Find(XlaOp op) const {
  if (op.IsUninitialized()) {
    return InvalidArgument("builder %s: an uninitialized operation (XlaOp()) is used", name_);
  }
  if (op.builder_ != builder_) {
    return InvalidArgument(
        "builder %s: operation %d belongs to builder %s; operations of different builders cannot "
        "be "
        "mixed",
        name_, op.handle_, NameOf(op.builder_));
  }
  if (!op.valid()) {
    if (!first_error_.ok()) return first_error_;
    return InvalidArgument("builder %s: an operation that is not valid is used", name_);
  }
  const int64_t index = op.handle_ - first_id_;
  if (index < 0 || index >= static_cast<int64_t>(nodes_.size())) {
    return InvalidArgument("builder %s: operation %d belongs to a computation already built", name_,
                           op.handle_);
  }
  return &nodes_[index];
}

absl::StatusOr<const BuilderState::Embedded*> BuilderState::Find(XlaComputationId id) const {
  if (!id.valid()) return InvalidArgument("builder %s: the computation id is not valid", name_);
  const auto& embedded = root().embedded_;
  const auto found = embedded.find(id.handle_);
  if (found == embedded.end() || &StateOf(id.builder_).root() != &root()) {
    return InvalidArgument("builder %s: computation %d belongs to builder %s", name_, id.handle_,
                           NameOf(id.builder_));
  }
  return &found->second;
}

absl::StatusOr<XlaOp> BuilderState::LastOp() const {
  if (nodes_.empty()) return InvalidArgument("builder %s has no operations", name_);
  return XlaOp(first_id_ + static_cast<int64_t>(nodes_.size()) - 1, builder_);
}

XlaOp BuilderState::ReportError(const absl::Status& error) {
  CHECK(!error.ok());
  if (die_immediately_on_error) LOG(FATAL) << "builder " << name_ << ": " << error;
  if (first_error_.ok()) first_error_ = error;
  return XlaOp(builder_);
}

absl::StatusOr<XlaOp> BuilderState::AddOp(Description description,
                                          absl::Span<const XlaOp> operands) {
  HILO_RETURN_IF_ERROR(first_error_);
  if (description.attributes == nullptr) {
    description.attributes = GetOpInfo(description.opcode).make_attributes();
  }
  HILO_ASSIGN_OR_RETURN(Shape inferred, Infer(description, operands));
  // Who adds a collective operation may say how its result lies in memory.
  if (description.shape.has_value() && HasTrait(description.opcode, kCollective)) {
    HILO_RETURN_IF_ERROR(LayoutUtil::CopyLayoutBetweenShapes(*description.shape, &inferred));
  }
  description.shape = std::move(inferred);
  return Append(std::move(description), operands);
}

namespace {

bool IsShiftOfFloats(const OpDescription& op) {
  switch (op.opcode) {
    case HloOpcode::kShiftLeft:
    case HloOpcode::kShiftRightArithmetic:
    case HloOpcode::kShiftRightLogical:
      break;
    default:
      return false;
  }
  return absl::c_all_of(op.operands, [&](const Shape* operand) {
    return operand->IsArray() && ShapeUtil::ElementIsFloating(*operand) &&
           ShapeUtil::SameElementType(*operand, *op.operands[0]);
  });
}

// As in OpenXLA such a program can be built; the verifier refuses it.
absl::StatusOr<Shape> InferShiftOfFloats(const OpDescription& op) {
  std::vector<Shape> integers;
  for (const Shape* operand : op.operands)
    integers.push_back(ShapeUtil::ChangeElementType(*operand, S32));
  HILO_ASSIGN_OR_RETURN(const Shape shape, InferShape({op.opcode, {&integers[0], &integers[1]}}));
  return ShapeUtil::ChangeElementType(shape, op.operands[0]->element_type());
}

}  // namespace

absl::StatusOr<Shape> BuilderState::Infer(const Description& description,
                                          absl::Span<const XlaOp> operands) const {
  std::vector<const Shape*> shapes;
  for (XlaOp operand : operands) {
    HILO_ASSIGN_OR_RETURN(const Node* node, Find(operand));
    shapes.push_back(&node->shape);
  }
  std::vector<const ProgramShape*> callees;
  for (XlaComputationId id : description.callees) {
    HILO_ASSIGN_OR_RETURN(const Embedded* embedded, Find(id));
    callees.push_back(&embedded->shape);
  }
  OpDescription op{description.opcode, shapes, description.attributes.get(), callees};
  if (description.shape.has_value()) op.declared = &*description.shape;
  return IsShiftOfFloats(op) ? InferShiftOfFloats(op) : InferShape(op);
}

absl::StatusOr<XlaOp> BuilderState::Append(Description description,
                                           absl::Span<const XlaOp> operands) {
  HILO_RETURN_IF_ERROR(first_error_);
  CHECK(description.shape.has_value());
  HILO_RETURN_IF_ERROR(FillInLayouts(*description.shape));
  HloInstructionProto proto;
  const absl::string_view opcode = HloOpcodeString(description.opcode);
  proto.set_opcode(std::string(opcode));
  description.shape->ToProto(*proto.mutable_shape());
  for (XlaOp operand : operands) {
    HILO_RETURN_IF_ERROR(Find(operand).status());
    proto.add_operand_ids(operand.handle_);
  }
  for (XlaComputationId id : description.callees) {
    HILO_RETURN_IF_ERROR(Find(id).status());
    proto.add_called_computation_ids(id.handle_);
  }
  if (description.attributes != nullptr) {
    AttributesToProto(description.opcode, *description.attributes, &proto);
    if (description.opcode == HloOpcode::kParameter) {
      HILO_RETURN_IF_ERROR(CheckParameter(*description.attributes));
    }
  }
  HILO_RETURN_IF_ERROR(Annotate(description, operands, proto));
  if (description.name.empty()) {
    proto.set_name(root().names_.GetUniqueName(BaseName(opcode, proto.metadata())));
  } else {
    root().names_.GetUniqueName(description.name);
    proto.set_name(description.name);
  }
  const int64_t id = first_id_ + static_cast<int64_t>(nodes_.size());
  proto.set_id(id);
  nodes_.push_back({std::move(proto), *std::move(description.shape)});
  return XlaOp(id, builder_);
}

absl::Status BuilderState::CheckParameter(const Attributes& attributes) {
  const int64_t number = static_cast<const ParameterAttributes&>(attributes).parameter_number;
  if (number < 0 || number > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("builder %s: %d is no parameter number", name_, number);
  }
  if (!parameter_numbers_.insert(number).second) {
    return InvalidArgument("parameter %d already registered in builder %s", number, name_);
  }
  return absl::OkStatus();
}

std::optional<OriginalValueProto> BuilderState::OriginalValueOfOperands(
    const Description& description, absl::Span<const XlaOp> operands) const {
  const auto original = [&](XlaOp operand) -> const HloInstructionProto& {
    return nodes_[operand.handle_ - first_id_].proto;
  };
  OriginalValueProto value;
  if (description.opcode == HloOpcode::kTuple) {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!original(operands[i]).has_original_value()) return std::nullopt;
      for (OriginalValueElementProto element : original(operands[i]).original_value().elements()) {
        const std::vector<int64_t> index(element.shape_index().begin(),
                                         element.shape_index().end());
        element.clear_shape_index();
        element.add_shape_index(static_cast<int64_t>(i));
        for (int64_t step : index) element.add_shape_index(step);
        *value.add_elements() = std::move(element);
      }
    }
    return operands.empty() ? std::nullopt : std::optional(std::move(value));
  }
  if (description.opcode != HloOpcode::kGetTupleElement) return std::nullopt;
  const int64_t wanted =
      static_cast<const GetTupleElementAttributes&>(*description.attributes).index;
  if (!original(operands[0]).has_original_value()) return std::nullopt;
  for (OriginalValueElementProto element : original(operands[0]).original_value().elements()) {
    auto& index = *element.mutable_shape_index();
    if (index.empty() || index[0] != wanted) continue;
    index.erase(index.begin());
    *value.add_elements() = std::move(element);
  }
  return value.elements().empty() ? std::nullopt : std::optional(std::move(value));
}

absl::Status BuilderState::Annotate(const Description& description,
                                    absl::Span<const XlaOp> operands, HloInstructionProto& proto) {
  if (one_shot_metadata.has_value()) {
    *proto.mutable_metadata() = *std::exchange(one_shot_metadata, std::nullopt);
  } else if (metadata.ByteSizeLong() > 0) {
    *proto.mutable_metadata() = metadata;
  }
  if (!frontend_attributes.map().empty())
    *proto.mutable_frontend_attributes() = frontend_attributes;
  std::optional<OriginalValueProto> original = OriginalValueOfOperands(description, operands);
  if (!original.has_value()) original = original_value;
  if (original.has_value()) *proto.mutable_original_value() = *std::move(original);
  if (!sharding.has_value()) return absl::OkStatus();
  // The sharding of an outfeed is that of what goes out and of the token.
  Shape shape = *description.shape;
  if (description.opcode == HloOpcode::kOutfeed) {
    HILO_ASSIGN_OR_RETURN(const Node* data, std::as_const(*this).Find(operands[0]));
    shape = ShapeUtil::MakeTupleShape({data->shape, shape});
  }
  HILO_ASSIGN_OR_RETURN(*proto.mutable_sharding(), FitSharding(*sharding, shape));
  return absl::OkStatus();
}

absl::StatusOr<OpSharding> BuilderState::FitSharding(const OpSharding& sharding,
                                                     const Shape& shape) {
  HILO_ASSIGN_OR_RETURN(HloSharding fitted, HloSharding::FromProto(sharding));
  fitted = fitted.NormalizeTupleSharding(shape);
  HILO_RETURN_IF_ERROR(fitted.Validate(shape));
  return fitted.ToProto();
}

std::string BuilderState::OpToString(XlaOp op) const {
  const absl::StatusOr<const Node*> node = Find(op);
  if (!node.ok()) return std::string(node.status().message());
  // Of a program with many operations its end says most.
  constexpr int kMostLevels = 5;
  constexpr size_t kMostText = 10000;
  std::string text;
  const auto append = [&](const auto& self, const Node& node, int level) -> void {
    if (level > kMostLevels || text.size() > kMostText) return;
    const OpMetadata& metadata = node.proto.metadata();
    absl::StrAppend(&text, level == 0 ? "" : "\n", std::string(2 * level, ' '), node.proto.opcode(),
                    ", shape=", SizesText(node.shape), ", metadata={", metadata.source_file(), ":",
                    metadata.source_line(), "}");
    for (int64_t id : node.proto.operand_ids()) self(self, nodes_[id - first_id_], level + 1);
  };
  append(append, **node, 0);
  return text;
}

}  // namespace internal

XlaBuilder* BuilderOf(absl::Span<const XlaOp> operands) {
  for (XlaOp operand : operands) {
    if (!operand.IsUninitialized()) return operand.builder();
  }
  CHECK(!operands.empty()) << "an operation without operands needs its builder";
  return operands[0].builder();
}

XlaOp AddOp(XlaBuilder* builder, internal::BuilderState::Description description,
            absl::Span<const XlaOp> operands) {
  return builder->ReportErrorOrReturn(StateOf(builder).AddOp(std::move(description), operands));
}

XlaOp AddOp(internal::BuilderState::Description description, absl::Span<const XlaOp> operands) {
  return AddOp(BuilderOf(operands), std::move(description), operands);
}

absl::StatusOr<Shape> ShapeOf(XlaOp op) { return op.builder()->GetShape(op); }

absl::StatusOr<Shape> MakeShapeChecked(PrimitiveType type, absl::Span<const int64_t> dimensions) {
  return ShapeUtil::MakeValidatedShape(type, dimensions);
}

}  // namespace xla
