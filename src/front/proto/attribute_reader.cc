#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "base/status_macros.h"
#include "front/proto/attribute_proto.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/reflection.h"
#include "xla/util.h"

namespace xla {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

ShapeIndex IndexOf(const google::protobuf::RepeatedField<int64_t>& values) {
  return ShapeIndex(values.begin(), values.end());
}

// The lengths of the lists that collective-permute keeps one after another: one list for each
// innermost tuple of start indices.
void AppendInnermostTupleSizes(const Shape& shape, std::vector<int64_t>& sizes) {
  if (!shape.IsTuple() || shape.tuple_shapes().empty()) return;
  if (!shape.tuple_shapes(0).IsTuple()) {
    sizes.push_back(static_cast<int64_t>(shape.tuple_shapes().size()));
    return;
  }
  for (const Shape& element : shape.tuple_shapes()) AppendInnermostTupleSizes(element, sizes);
}

// Reads one value from one field of a message.
class FieldReader {
 public:
  FieldReader(const HloInstructionProto& instruction, absl::Span<const Shape* const> operands,
              bool prohibit_empty_literal, const Field& description, const Message& message,
              const FieldDescriptor* field)
      : instruction_(instruction),
        operands_(operands),
        prohibit_empty_literal_(prohibit_empty_literal),
        description_(description),
        message_(message),
        field_(field),
        reflection_(*message.GetReflection()) {}

  absl::Status operator()(int64_t* value) {
    if (field_->is_repeated()) return ReadOnlyElement(value);
    const int64_t read = ReadInteger();
    // Absent reads as zero; where the default is another number, zero is not legal.
    if (read != 0 || description_.presence != Presence::kUnlessEqual) *value = read;
    return absl::OkStatus();
  }
  absl::Status operator()(bool* value) {
    *value = reflection_.GetBool(message_, field_);
    return absl::OkStatus();
  }
  absl::Status operator()(float* value) {
    *value = reflection_.GetFloat(message_, field_);
    return absl::OkStatus();
  }
  absl::Status operator()(std::string* value) {
    std::string read = reflection_.GetString(message_, field_);
    if (!read.empty()) *value = std::move(read);
    return absl::OkStatus();
  }
  absl::Status operator()(std::optional<int64_t>* value) {
    if (field_->is_repeated()) {
      if (reflection_.FieldSize(message_, field_) == 0) return absl::OkStatus();
      return ReadOnlyElement(&value->emplace());
    }
    const int64_t read = ReadInteger();
    const bool is_present =
        field_->has_presence() ? reflection_.HasField(message_, field_) : read > 0;
    if (is_present) *value = read;
    return absl::OkStatus();
  }
  absl::Status operator()(std::optional<bool>* value) {
    if (reflection_.GetBool(message_, field_)) *value = true;
    return absl::OkStatus();
  }
  absl::Status operator()(Int64List* values) {
    *values = ReadList<int64_t>();
    return absl::OkStatus();
  }
  absl::Status operator()(std::vector<Int64List>* lists) {
    const Int64List values = ReadList<int64_t>();
    if (values.empty()) return absl::OkStatus();
    const int64_t count = static_cast<int64_t>(values.size());
    std::vector<int64_t> sizes;
    for (size_t starts : {2, 3}) {  // of the input, of the output
      sizes.clear();
      if (starts < operands_.size()) AppendInnermostTupleSizes(*operands_[starts], sizes);
      if (std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) == count) break;
      sizes = {count};
    }
    auto next = values.begin();
    for (int64_t size : sizes) {
      lists->emplace_back(next, next + size);
      next += size;
    }
    return absl::OkStatus();
  }
  absl::Status operator()(std::vector<bool>* values) {
    *values = ReadList<bool>();
    return absl::OkStatus();
  }
  absl::Status operator()(const EnumReference& reference) {
    std::optional<int> read;
    HILO_RETURN_IF_ERROR(ReadEnum(reference.names, &read));
    if (read.has_value()) {
      reference.set_value(*read);
    } else if (description_.presence == Presence::kRequired) {
      return InvalidArgument("missing");
    }
    return absl::OkStatus();
  }
  absl::Status operator()(const OptionalEnumReference& reference) {
    return ReadEnum(reference.names, reference.value);
  }
  // A list of nothing but defaults is the same as none.
  absl::Status operator()(const EnumListReference& reference) {
    google::protobuf::RepeatedField<int> values;
    bool only_defaults = true;
    for (int i = 0; i < reflection_.FieldSize(message_, field_); ++i) {
      const int value = reflection_.GetRepeatedEnumValue(message_, field_, i);
      if (!IsNamed(value, reference.names)) return InvalidArgument("unknown value %d", value);
      only_defaults = only_defaults && value == reference.names[0].value;
      values.Add(value);
    }
    if (!only_defaults) *reference.values = std::move(values);
    return absl::OkStatus();
  }
  absl::Status operator()(Window* value) { return CopyMessage(value); }
  absl::Status operator()(std::optional<Window>* value) {
    if (!instruction_.has_window()) return absl::OkStatus();
    return CopyMessage(&value->emplace());
  }
  absl::Status operator()(PaddingConfig* value) { return CopyMessage(value); }
  absl::Status operator()(ConvolutionDimensionNumbers* value) { return CopyMessage(value); }
  absl::Status operator()(SparsityConfig* value) { return CopyMessage(value); }

  absl::Status operator()(std::vector<SliceRange>* ranges) {
    for (const HloInstructionProto::SliceDimensions& slice : instruction_.slice_dimensions()) {
      ranges->push_back({slice.start(), slice.limit(), slice.stride()});
    }
    return absl::OkStatus();
  }
  absl::Status operator()(std::vector<std::pair<int64_t, int64_t>>* pairs) {
    for (const SourceTarget& pair : instruction_.source_target_pairs()) {
      pairs->emplace_back(pair.source(), pair.target());
    }
    return absl::OkStatus();
  }
  absl::Status operator()(CollectiveDeviceList* devices) {
    HILO_ASSIGN_OR_RETURN(*devices, CollectiveDeviceList::CreateFromProto(instruction_));
    return absl::OkStatus();
  }
  absl::Status operator()(SharedLiteral* literal) {
    if (!instruction_.has_literal()) {
      if (description_.presence != Presence::kRequired || !prohibit_empty_literal_) {
        return absl::OkStatus();
      }
      return InvalidArgument("missing");
    }
    HILO_ASSIGN_OR_RETURN(
        Literal read, Literal::CreateFromProto(instruction_.literal(), prohibit_empty_literal_));
    *literal = std::make_shared<const Literal>(std::move(read));
    return absl::OkStatus();
  }
  absl::Status operator()(std::optional<std::vector<Shape>>* shapes) {
    if (!instruction_.constrain_layout()) return absl::OkStatus();
    std::vector<Shape>& list = shapes->emplace();
    for (const ShapeProto& proto : instruction_.operand_shapes_with_layout()) {
      HILO_ASSIGN_OR_RETURN(Shape shape, Shape::FromProto(proto));
      list.push_back(std::move(shape));
    }
    return absl::OkStatus();
  }
  absl::Status operator()(std::optional<Shape>* shape) {
    if (!instruction_.has_outfeed_shape()) return absl::OkStatus();
    HILO_ASSIGN_OR_RETURN(*shape, Shape::FromProto(instruction_.outfeed_shape()));
    return absl::OkStatus();
  }
  absl::Status operator()(std::vector<OutputOperandAlias>* aliases) {
    for (const OutputOperandAliasing& alias : instruction_.output_operand_aliasing()) {
      aliases->push_back({IndexOf(alias.output_shape_index()),
                          {alias.operand_index(), IndexOf(alias.operand_shape_index())}});
    }
    return absl::OkStatus();
  }
  // The message calls entry what the text calls exit.
  absl::Status operator()(DomainShardings* domain) {
    HILO_ASSIGN_OR_RETURN(domain->exit,
                          HloSharding::FromProto(instruction_.domain_entry_sharding()));
    HILO_ASSIGN_OR_RETURN(domain->entry,
                          HloSharding::FromProto(instruction_.domain_exit_sharding()));
    return absl::OkStatus();
  }

 private:
  template <typename Value>
  std::vector<Value> ReadList() const {
    const auto values = reflection_.GetRepeatedFieldRef<Value>(message_, field_);
    return std::vector<Value>(values.begin(), values.end());
  }

  int64_t ReadInteger() const {
    return field_->cpp_type() == FieldDescriptor::CPPTYPE_INT32
               ? reflection_.GetInt32(message_, field_)
               : reflection_.GetInt64(message_, field_);
  }

  // A list that holds one number, or none where the attribute may be left out.
  absl::Status ReadOnlyElement(int64_t* value) const {
    const int size = reflection_.FieldSize(message_, field_);
    if (size == 0 && description_.presence == Presence::kUnlessEqual) return absl::OkStatus();
    if (size != 1) return InvalidArgument("has %d elements instead of 1", size);
    *value = reflection_.GetRepeatedInt64(message_, field_, 0);
    return absl::OkStatus();
  }

  static bool IsNamed(int value, absl::Span<const EnumName> names) {
    return std::any_of(names.begin(), names.end(),
                       [value](const EnumName& name) { return name.value == value; });
  }

  // Nothing for an empty string, and for zero when no name has it.
  absl::Status ReadEnum(absl::Span<const EnumName> names, std::optional<int>* value) const {
    if (field_->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      const std::string text = reflection_.GetString(message_, field_);
      if (text.empty()) return absl::OkStatus();
      for (const EnumName& name : names) {
        if (name.text == text) *value = name.value;
      }
      if (!value->has_value()) return InvalidArgument("unknown value \"%s\"", text);
      return absl::OkStatus();
    }
    const int number = reflection_.GetEnumValue(message_, field_);
    if (IsNamed(number, names)) {
      *value = number;
    } else if (number != 0) {
      return InvalidArgument("unknown value %d", number);
    }
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status CopyMessage(T* value) const {
    if (!reflection_.HasField(message_, field_)) {
      if (description_.presence == Presence::kRequired) return InvalidArgument("missing");
      return absl::OkStatus();
    }
    value->CopyFrom(reflection_.GetMessage(message_, field_));
    return absl::OkStatus();
  }

  const HloInstructionProto& instruction_;
  absl::Span<const Shape* const> operands_;
  bool prohibit_empty_literal_;
  const Field& description_;
  const Message& message_;
  const FieldDescriptor* field_;
  const Reflection& reflection_;
};

// The message that holds the field: the instruction itself, or one of its fields.
const Message& Container(HloOpcode opcode, ProtoPath path, const HloInstructionProto& instruction) {
  if (path.subfield == 0) return instruction;
  if (opcode == HloOpcode::kRaggedDot &&
      path.field == HloInstructionProto::kDotDimensionNumbersFieldNumber) {
    return instruction.ragged_dot_dimension_numbers().dot_dimension_numbers();
  }
  const FieldDescriptor* field = instruction.GetDescriptor()->FindFieldByNumber(path.field);
  return instruction.GetReflection()->GetMessage(instruction, field);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
// Fields under which older writers kept what is elsewhere now.
void ReadOldFields(const HloInstructionProto& proto, const Field& field, Attributes& attributes) {
  if (field.proto.field != HloInstructionProto::kChannelIdFieldNumber &&
      field.proto.field != HloInstructionProto::kCrossProgramPrefetchIndexFieldNumber) {
    return;
  }
  const FieldReference reference = field.reference(attributes);
  auto* const* value = std::get_if<std::optional<int64_t>*>(&reference);
  if (value == nullptr || (*value)->has_value()) return;
  if (field.proto.field == HloInstructionProto::kChannelIdFieldNumber) {
    if (proto.all_reduce_id() > 0) **value = proto.all_reduce_id();
  } else if (proto.is_cross_program_prefetch()) {
    **value = 0;
  }
}
#pragma GCC diagnostic pop

}  // namespace

absl::Status AttributesFromProto(const HloInstructionProto& proto, HloOpcode opcode,
                                 absl::Span<const Shape* const> operands,
                                 bool prohibit_empty_literal, Attributes& attributes) {
  for (const Field& field : attributes.Fields()) {
    if (field.proto.field == 0) continue;
    const Message& message = Container(opcode, field.proto, proto);
    const int number = field.proto.subfield != 0 ? field.proto.subfield : field.proto.field;
    const FieldDescriptor* descriptor = message.GetDescriptor()->FindFieldByNumber(number);
    CHECK(descriptor != nullptr) << field.name << " names no field of " << message.GetTypeName();
    const absl::Status status =
        std::visit(FieldReader(proto, operands, prohibit_empty_literal, field, message, descriptor),
                   field.reference(attributes));
    if (!status.ok()) {
      return InvalidArgument("%s: %s", descriptor->name(), status.message());
    }
    ReadOldFields(proto, field, attributes);
  }
  return absl::OkStatus();
}

}  // namespace xla
