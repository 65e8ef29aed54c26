#include "ir/messages.h"

#include "google/protobuf/util/message_differencer.h"

namespace xla {

bool AreEqual(const google::protobuf::Message& a, const google::protobuf::Message& b) {
  return &a == &b || a.SerializePartialAsString() == b.SerializePartialAsString() ||
         google::protobuf::util::MessageDifferencer::Equals(a, b);
}

}  // namespace xla
