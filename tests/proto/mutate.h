// Damages messages at random, for tests and fuzzers of whatever reads them.
#ifndef HILO_TESTS_PROTO_MUTATE_H_
#define HILO_TESTS_PROTO_MUTATE_H_

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace xla {

class MessageMutator {
 public:
  explicit MessageMutator(uint32_t seed) : random_(seed) {}

  // Changes one field somewhere in the message.
  void Mutate(google::protobuf::Message* message) {
    google::protobuf::Message* target = message;
    // Down to a random depth; a field of the message itself now and then.
    while (true) {
      const std::vector<google::protobuf::Message*> children = Children(target);
      if (children.empty() || Below(6) == 0) break;
      target = children[Below(children.size())];
    }
    const auto* descriptor = target->GetDescriptor();
    if (descriptor->field_count() == 0) return;
    std::vector<const FieldDescriptor*> fields;
    if (Below(4) != 0) target->GetReflection()->ListFields(*target, &fields);
    const FieldDescriptor* field = fields.empty()
                                       ? descriptor->field(static_cast<int>(
                                             Below(descriptor->field_count())))
                                       : fields[Below(fields.size())];
    MutateField(target, field);
  }

 private:
  using FieldDescriptor = google::protobuf::FieldDescriptor;
  using Message = google::protobuf::Message;

  uint64_t Below(uint64_t limit) { return random_() % limit; }

  static std::vector<Message*> Children(Message* message) {
    const auto* reflection = message->GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(*message, &fields);
    std::vector<Message*> children;
    for (const FieldDescriptor* field : fields) {
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || field->is_map()) continue;
      if (!field->is_repeated()) {
        children.push_back(reflection->MutableMessage(message, field));
        continue;
      }
      for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
        children.push_back(reflection->MutableRepeatedMessage(message, field, i));
      }
    }
    return children;
  }

  void MutateField(Message* message, const FieldDescriptor* field) {
    const auto* reflection = message->GetReflection();
    if (field->is_map() || Below(10) == 0) {
      reflection->ClearField(message, field);
    } else if (!field->is_repeated()) {
      SetField(message, field);
    } else {
      MutateList(message, field, reflection->FieldSize(*message, field));
    }
  }

  void MutateList(Message* message, const FieldDescriptor* field, int size) {
    const auto* reflection = message->GetReflection();
    const uint64_t kind = size == 0 ? 0 : Below(5);
    if (kind == 0) {
      AddElement(message, field);
    } else if (kind == 1) {
      reflection->RemoveLast(message, field);
    } else if (kind == 2) {
      reflection->SwapElements(message, field, static_cast<int>(Below(size)),
                               static_cast<int>(Below(size)));
    } else {
      SetElement(message, field, static_cast<int>(Below(size)));
    }
  }

  int64_t Integer() {
    constexpr int64_t kLimits[] = {-1,
                                   std::numeric_limits<int32_t>::max(),
                                   std::numeric_limits<int32_t>::min(),
                                   std::numeric_limits<int64_t>::max(),
                                   std::numeric_limits<int64_t>::min(),
                                   int64_t{1} << 32,
                                   (int64_t{1} << 32) + 1,
                                   1000000};
    return Below(2) == 0 ? static_cast<int64_t>(Below(12)) : kLimits[Below(std::size(kLimits))];
  }

  std::string Text() {
    constexpr const char* kTexts[] = {"",          "x",      "\xff\xfe", "tuple",   "a b",
                                      "parameter", "add",    "while",    "reduce",  "fusion",
                                      "constant",  "kLoop",  "host",     "custom-call",
                                      "async-start", "get-tuple-element", "f32", "%.-_", "{", "\""};
    return kTexts[Below(std::size(kTexts))];
  }

  int EnumNumber(const FieldDescriptor* field) {
    const auto* type = field->enum_type();
    return Below(8) == 0 ? static_cast<int>(Integer())
                         : type->value(static_cast<int>(Below(type->value_count())))->number();
  }

  void SetField(Message* message, const FieldDescriptor* field) {
    const auto* reflection = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->SetInt32(message, field, static_cast<int32_t>(Integer()));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection->SetInt64(message, field, Integer());
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->SetUInt32(message, field, static_cast<uint32_t>(Integer()));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection->SetUInt64(message, field, static_cast<uint64_t>(Integer()));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection->SetDouble(message, field, static_cast<double>(Integer()));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection->SetFloat(message, field, static_cast<float>(Integer()));
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection->SetBool(message, field, Below(2) == 0);
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection->SetEnumValue(message, field, EnumNumber(field));
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->SetString(message, field, Text());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Mutate(reflection->MutableMessage(message, field));
    }
  }

  void SetElement(Message* message, const FieldDescriptor* field, int index) {
    const auto* reflection = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->SetRepeatedInt32(message, field, index, static_cast<int32_t>(Integer()));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection->SetRepeatedInt64(message, field, index, Integer());
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->SetRepeatedUInt32(message, field, index,
                                             static_cast<uint32_t>(Integer()));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection->SetRepeatedUInt64(message, field, index,
                                             static_cast<uint64_t>(Integer()));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection->SetRepeatedDouble(message, field, index, static_cast<double>(Integer()));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection->SetRepeatedFloat(message, field, index, static_cast<float>(Integer()));
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection->SetRepeatedBool(message, field, index, Below(2) == 0);
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection->SetRepeatedEnumValue(message, field, index, EnumNumber(field));
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->SetRepeatedString(message, field, index, Text());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Mutate(reflection->MutableRepeatedMessage(message, field, index));
    }
  }

  // Mostly a copy of another element.
  void AddElement(Message* message, const FieldDescriptor* field) {
    const auto* reflection = message->GetReflection();
    const int size = reflection->FieldSize(*message, field);
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->AddInt32(message, field, static_cast<int32_t>(Integer()));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection->AddInt64(message, field, Integer());
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->AddUInt32(message, field, static_cast<uint32_t>(Integer()));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection->AddUInt64(message, field, static_cast<uint64_t>(Integer()));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection->AddDouble(message, field, static_cast<double>(Integer()));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection->AddFloat(message, field, static_cast<float>(Integer()));
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection->AddBool(message, field, Below(2) == 0);
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection->AddEnumValue(message, field, EnumNumber(field));
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->AddString(message, field, Text());
      case FieldDescriptor::CPPTYPE_MESSAGE: {
        Message* added = reflection->AddMessage(message, field);
        if (size == 0) return;
        added->CopyFrom(
            reflection->GetRepeatedMessage(*message, field, static_cast<int>(Below(size))));
        if (Below(2) == 0) Mutate(added);
        return;
      }
    }
  }

  std::mt19937 random_;
};

}  // namespace xla

#endif  // HILO_TESTS_PROTO_MUTATE_H_
