#ifndef HILO_INCLUDE_XLA_TSL_LIB_STRINGS_PROTO_SERIALIZATION_H_
#define HILO_INCLUDE_XLA_TSL_LIB_STRINGS_PROTO_SERIALIZATION_H_

#include <google/protobuf/message_lite.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tsl {

// Bytes that are the same for equal messages, the entries of maps being in order. False when a
// required field is missing, or the message is larger than the buffer.
bool SerializeToStringDeterministic(const google::protobuf::MessageLite& message,
                                    std::string* result);
bool SerializeToBufferDeterministic(const google::protobuf::MessageLite& message, char* buffer,
                                    size_t size);

// Of these bytes; see xla/tsl/platform/hash.h.
uint64_t DeterministicProtoHash64(const google::protobuf::MessageLite& message);
uint64_t DeterministicProtoHash64(const google::protobuf::MessageLite& message, uint64_t seed);
bool AreSerializedProtosEqual(const google::protobuf::MessageLite& a,
                              const google::protobuf::MessageLite& b);

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_LIB_STRINGS_PROTO_SERIALIZATION_H_
