#ifndef HILO_INCLUDE_XLA_TSL_UTIL_PROTO_PARSE_TEXT_PROTO_H_
#define HILO_INCLUDE_XLA_TSL_UTIL_PROTO_PARSE_TEXT_PROTO_H_

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <string>
#include <utility>

#include "absl/log/check.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tsl {
namespace proto_testing {

// A message of protobuf's text format. InvalidArgument when it is not one of that type.
template <typename Message>
absl::StatusOr<Message> ParseTextProto(absl::string_view text) {
  Message message;
  if (google::protobuf::TextFormat::ParseFromString(std::string(text), &message)) return message;
  return absl::InvalidArgumentError(
      absl::StrCat("not the text of a ", message.GetTypeName(), ": ", text));
}

// The same, which CHECKs that the text is one.
template <typename Message>
Message ParseTextProtoOrDie(absl::string_view text) {
  absl::StatusOr<Message> message = ParseTextProto<Message>(text);
  CHECK_OK(message.status());
  return *std::move(message);
}

// For whatever message it is assigned to.
class ParsedTextProto {
 public:
  explicit ParsedTextProto(absl::string_view text) : text_(text) {}
  template <typename Message>
  operator Message() const {  // NOLINT(google-explicit-constructor)
    return ParseTextProtoOrDie<Message>(text_);
  }

 private:
  std::string text_;
};
inline ParsedTextProto ParseTextProtoOrDie(absl::string_view text) { return ParsedTextProto(text); }

}  // namespace proto_testing
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_UTIL_PROTO_PARSE_TEXT_PROTO_H_
