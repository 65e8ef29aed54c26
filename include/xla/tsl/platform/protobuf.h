#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_PROTOBUF_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_PROTOBUF_H_

#include <google/protobuf/any.pb.h>                         // IWYU pragma: export
#include <google/protobuf/arena.h>                          // IWYU pragma: export
#include <google/protobuf/descriptor.h>                     // IWYU pragma: export
#include <google/protobuf/dynamic_message.h>                // IWYU pragma: export
#include <google/protobuf/io/coded_stream.h>                // IWYU pragma: export
#include <google/protobuf/io/tokenizer.h>                   // IWYU pragma: export
#include <google/protobuf/io/zero_copy_stream.h>            // IWYU pragma: export
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>  // IWYU pragma: export
#include <google/protobuf/map.h>                            // IWYU pragma: export
#include <google/protobuf/message.h>                        // IWYU pragma: export
#include <google/protobuf/repeated_field.h>                 // IWYU pragma: export
#include <google/protobuf/text_format.h>                    // IWYU pragma: export
#include <google/protobuf/util/json_util.h>                 // IWYU pragma: export
#include <google/protobuf/util/message_differencer.h>       // IWYU pragma: export

#if GOOGLE_PROTOBUF_VERSION < 5026000
namespace google {
namespace protobuf {

// What newer releases have: a cast to the type that a message is known to be of.
template <typename To>
To* DownCastMessage(Message* from) {
  return static_cast<To*>(from);
}
template <typename To>
const To* DownCastMessage(const Message* from) {
  return static_cast<const To*>(from);
}

}  // namespace protobuf
}  // namespace google
#endif

namespace tsl {
namespace protobuf = ::google::protobuf;

// Parse messages above protobuf's default limit of 64 MiB.
inline bool ParseProtoUnlimited(protobuf::MessageLite* message, const void* data, size_t size) {
  protobuf::io::CodedInputStream stream(static_cast<const uint8_t*>(data), static_cast<int>(size));
  stream.SetTotalBytesLimit(INT_MAX);
  return size <= INT_MAX && message->ParseFromCodedStream(&stream) &&
         stream.ConsumedEntireMessage();
}
inline bool ParseProtoUnlimited(protobuf::MessageLite* message, const std::string& data) {
  return ParseProtoUnlimited(message, data.data(), data.size());
}

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_PROTOBUF_H_
