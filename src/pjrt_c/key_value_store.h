// What processes tell each other through the caller of the C interface.
#ifndef HILO_PJRT_C_KEY_VALUE_STORE_H_
#define HILO_PJRT_C_KEY_VALUE_STORE_H_

#include <string>

#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/distributed/key_value_store_interface.h"

namespace xla::pjrt_c {

// By the callbacks with which a client is created. They are called while it is, and not later.
class CallbackStore : public KeyValueStoreInterface {
 public:
  explicit CallbackStore(const PJRT_Client_Create_Args& args);

  absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout) override;
  absl::StatusOr<std::string> TryGet(absl::string_view key) override;
  absl::Status Set(absl::string_view key, absl::string_view value) override;

 private:
  PJRT_KeyValueGetCallback get_;
  void* get_argument_;
  PJRT_KeyValuePutCallback put_;
  void* put_argument_;
};

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_KEY_VALUE_STORE_H_
