#ifndef HILO_IR_MESSAGES_H_
#define HILO_IR_MESSAGES_H_

#include "google/protobuf/message.h"

namespace xla {

// Whether messages of one type say the same. Most do byte for byte, which takes no reflection; to
// make that takes as long as to compile a small module.
bool AreEqual(const google::protobuf::Message& a, const google::protobuf::Message& b);

}  // namespace xla

#endif  // HILO_IR_MESSAGES_H_
