#include <string>
#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "front/proto/attribute_proto.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace xla {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

absl::string_view TextOf(int value, absl::Span<const EnumName> names) {
  for (const EnumName& name : names) {
    if (name.value == value) return name.text;
  }
  return "";
}

void SetIndex(absl::Span<const int64_t> index,
              google::protobuf::RepeatedField<int64_t>* destination) {
  destination->Assign(index.begin(), index.end());
}

// Literals in messages have whole bytes, whatever the layout of the instruction asks for.
void ClearElementSizes(ShapeProto& shape) {
  if (shape.has_layout()) shape.mutable_layout()->clear_element_size_in_bits();
  for (ShapeProto& element : *shape.mutable_tuple_shapes()) ClearElementSizes(element);
}

// Writes one value to one field of a message.
class FieldWriter {
 public:
  FieldWriter(HloInstructionProto* instruction, Message* message, const FieldDescriptor* field)
      : instruction_(instruction),
        message_(message),
        field_(field),
        reflection_(message->GetReflection()) {}

  void operator()(const int64_t* value) { WriteInteger(*value); }
  void operator()(const bool* value) { reflection_->SetBool(message_, field_, *value); }
  void operator()(const float* value) { reflection_->SetFloat(message_, field_, *value); }
  void operator()(const std::string* value) { reflection_->SetString(message_, field_, *value); }
  void operator()(const std::optional<int64_t>* value) {
    if (value->has_value()) WriteInteger(**value);
  }
  void operator()(const std::optional<bool>* value) {
    if (value->has_value()) reflection_->SetBool(message_, field_, **value);
  }
  void operator()(const Int64List* values) {
    for (int64_t value : *values) reflection_->AddInt64(message_, field_, value);
  }
  // Lists one after another; how long each is follows from the operands.
  void operator()(const std::vector<Int64List>* lists) {
    for (const Int64List& list : *lists) (*this)(&list);
  }
  void operator()(const std::vector<bool>* values) {
    for (bool value : *values) reflection_->AddBool(message_, field_, value);
  }
  void operator()(const EnumReference& reference) {
    if (field_->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      reflection_->SetString(message_, field_,
                             std::string(TextOf(reference.value(), reference.names)));
    } else {
      reflection_->SetEnumValue(message_, field_, reference.value());
    }
  }
  void operator()(const OptionalEnumReference& reference) {
    if (!reference.value->has_value()) return;
    int value = **reference.value;
    (*this)(EnumReference{&value, reference.names});
  }
  void operator()(const EnumListReference& reference) {
    for (int value : *reference.values) reflection_->AddEnumValue(message_, field_, value);
  }
  void operator()(const Window* value) { CopyMessage(*value); }
  void operator()(const std::optional<Window>* value) {
    if (value->has_value()) CopyMessage(**value);
  }
  void operator()(const PaddingConfig* value) { CopyMessage(*value); }
  void operator()(const ConvolutionDimensionNumbers* value) { CopyMessage(*value); }
  void operator()(const SparsityConfig* value) { CopyMessage(*value); }

  void operator()(const std::vector<SliceRange>* ranges) {
    for (const SliceRange& range : *ranges) {
      HloInstructionProto::SliceDimensions* slice = instruction_->add_slice_dimensions();
      slice->set_start(range.start);
      slice->set_limit(range.limit);
      slice->set_stride(range.stride);
    }
  }
  void operator()(const std::vector<std::pair<int64_t, int64_t>>* pairs) {
    for (const auto& [source, target] : *pairs) {
      SourceTarget* pair = instruction_->add_source_target_pairs();
      pair->set_source(source);
      pair->set_target(target);
    }
  }
  void operator()(const CollectiveDeviceList* devices) { devices->ToProto(instruction_); }
  void operator()(const SharedLiteral* literal) {
    if (*literal == nullptr) return;
    *instruction_->mutable_literal() = (*literal)->ToProto();
    ClearElementSizes(*instruction_->mutable_literal()->mutable_shape());
  }
  void operator()(const std::optional<std::vector<Shape>>* shapes) {
    if (!shapes->has_value()) return;
    instruction_->set_constrain_layout(true);
    for (const Shape& shape : **shapes) {
      shape.ToProto(*instruction_->add_operand_shapes_with_layout());
    }
  }
  void operator()(const std::optional<Shape>* shape) {
    if (shape->has_value()) (*shape)->ToProto(*instruction_->mutable_outfeed_shape());
  }
  void operator()(const std::vector<OutputOperandAlias>* aliases) {
    for (const auto& [output_index, operand] : *aliases) {
      OutputOperandAliasing* alias = instruction_->add_output_operand_aliasing();
      SetIndex(output_index, alias->mutable_output_shape_index());
      alias->set_operand_index(operand.first);
      SetIndex(operand.second, alias->mutable_operand_shape_index());
    }
  }
  // The message calls entry what the text calls exit.
  void operator()(const DomainShardings* domain) {
    *instruction_->mutable_domain_entry_sharding() = domain->exit.ToProto();
    *instruction_->mutable_domain_exit_sharding() = domain->entry.ToProto();
  }

 private:
  void WriteInteger(int64_t value) {
    if (field_->is_repeated()) {
      reflection_->AddInt64(message_, field_, value);
    } else if (field_->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
      reflection_->SetInt32(message_, field_, static_cast<int32_t>(value));
    } else {
      reflection_->SetInt64(message_, field_, value);
    }
  }

  void CopyMessage(const Message& value) {
    reflection_->MutableMessage(message_, field_)->CopyFrom(value);
  }

  HloInstructionProto* instruction_;
  Message* message_;
  const FieldDescriptor* field_;
  const Reflection* reflection_;
};

// The message that holds the field: the instruction itself, or one of its fields.
Message* Container(HloOpcode opcode, ProtoPath path, HloInstructionProto* instruction) {
  if (path.subfield == 0) return instruction;
  if (opcode == HloOpcode::kRaggedDot &&
      path.field == HloInstructionProto::kDotDimensionNumbersFieldNumber) {
    return instruction->mutable_ragged_dot_dimension_numbers()->mutable_dot_dimension_numbers();
  }
  const FieldDescriptor* field = instruction->GetDescriptor()->FindFieldByNumber(path.field);
  return instruction->GetReflection()->MutableMessage(instruction, field);
}

// Defaults are left out, except that a number, enumerator or string that is absent reads as zero,
// which need not be the record's default.
bool IsWritten(const Field& field, const Attributes& attributes) {
  if (field.proto.field == 0) return false;
  if (field.presence == Presence::kRequired || field.presence == Presence::kAlways) return true;
  const FieldReference reference = ReadField(field, attributes);
  // An empty window is a window.
  if (std::holds_alternative<Window*>(reference) ||
      std::holds_alternative<EnumReference>(reference) ||
      std::holds_alternative<bool*>(reference) || std::holds_alternative<std::string*>(reference)) {
    return true;
  }
  if (std::holds_alternative<int64_t*>(reference) &&
      !HloInstructionProto::descriptor()->FindFieldByNumber(field.proto.field)->is_repeated()) {
    return true;
  }
  return !FieldHasDefaultValue(field, attributes);
}

}  // namespace

void AttributesToProto(HloOpcode opcode, const Attributes& attributes, HloInstructionProto* proto) {
  for (const Field& field : attributes.Fields()) {
    if (!IsWritten(field, attributes)) continue;
    Message* message = Container(opcode, field.proto, proto);
    const int number = field.proto.subfield != 0 ? field.proto.subfield : field.proto.field;
    const FieldDescriptor* descriptor = message->GetDescriptor()->FindFieldByNumber(number);
    CHECK(descriptor != nullptr) << field.name << " names no field of " << message->GetTypeName();
    std::visit(FieldWriter(proto, message, descriptor), ReadField(field, attributes));
  }
}

}  // namespace xla
