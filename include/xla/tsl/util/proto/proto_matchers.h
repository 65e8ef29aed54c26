// GoogleMock matchers of protocol buffers.
#ifndef HILO_INCLUDE_XLA_TSL_UTIL_PROTO_PROTO_MATCHERS_H_
#define HILO_INCLUDE_XLA_TSL_UTIL_PROTO_PROTO_MATCHERS_H_

#include <gmock/gmock.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>

namespace tsl::proto_testing {

class ProtoMatcher {
 public:
  using is_gtest_matcher = void;

  explicit ProtoMatcher(std::string text) : text_(std::move(text)) {}

  template <typename Message>
  bool MatchAndExplain(const Message& actual, ::testing::MatchResultListener* listener) const {
    const std::unique_ptr<google::protobuf::Message> expected(actual.New());
    if (!google::protobuf::TextFormat::ParseFromString(text_, expected.get())) {
      *listener << "but the expectation is not the text of a " << actual.GetTypeName();
      return false;
    }
    google::protobuf::util::MessageDifferencer differencer;
    std::string differences;
    differencer.ReportDifferencesToString(&differences);
    const bool equal = differencer.Compare(*expected, actual);
    if (!equal) *listener << "with the difference:\n" << differences;
    return equal;
  }
  void DescribeTo(std::ostream* os) const { *os << "is equal to " << text_; }
  void DescribeNegationTo(std::ostream* os) const { *os << "is not equal to " << text_; }

 private:
  std::string text_;
};

// Matches a message that is equal to another one, or to one given in protobuf's text format.
inline ProtoMatcher EqualsProto(std::string text) { return ProtoMatcher(std::move(text)); }
inline ProtoMatcher EqualsProto(const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(message, &text);
  return ProtoMatcher(std::move(text));
}

}  // namespace tsl::proto_testing

#endif  // HILO_INCLUDE_XLA_TSL_UTIL_PROTO_PROTO_MATCHERS_H_
