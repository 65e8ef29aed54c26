// Messages compared by their bytes.
#ifndef XLA_PROTOBUF_UTIL_H_
#define XLA_PROTOBUF_UTIL_H_

#include <google/protobuf/message_lite.h>

#include <cstddef>

#include "xla/tsl/lib/strings/proto_serialization.h"

namespace xla::protobuf_util {

// Whether both messages have the same bytes, where maps are written in the order of their keys. Of
// messages of different types that may be so by chance.
inline bool HaveSameSerialization(const google::protobuf::MessageLite& a,
                                  const google::protobuf::MessageLite& b) {
  return tsl::AreSerializedProtosEqual(a, b);
}

// The same for messages of the same bytes.
inline size_t ProtobufHashBySerialization(const google::protobuf::MessageLite& message) {
  return tsl::DeterministicProtoHash64(message);
}

// For containers with messages as keys.
struct HaveSameSerializationFunctor {
  bool operator()(const google::protobuf::MessageLite& a,
                  const google::protobuf::MessageLite& b) const {
    return HaveSameSerialization(a, b);
  }
};
struct ProtobufHashBySerializationFunctor {
  size_t operator()(const google::protobuf::MessageLite& message) const {
    return ProtobufHashBySerialization(message);
  }
};

}  // namespace xla::protobuf_util

#endif  // XLA_PROTOBUF_UTIL_H_
