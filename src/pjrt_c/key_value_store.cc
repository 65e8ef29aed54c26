#include "pjrt_c/key_value_store.h"

#include <algorithm>
#include <limits>

#include "pjrt_c/error.h"

namespace xla::pjrt_c {
namespace {

PJRT_CallbackError make_error = [](PJRT_Error_Code code, const char* message, size_t size) {
  return ToError(ToStatus(code, message, size));
};

}  // namespace

CallbackStore::CallbackStore(const PJRT_Client_Create_Args& args)
    : get_(args.kv_get_callback),
      get_argument_(args.kv_get_user_arg),
      put_(args.kv_put_callback),
      put_argument_(args.kv_put_user_arg) {}

absl::StatusOr<std::string> CallbackStore::Get(absl::string_view key, absl::Duration timeout) {
  PJRT_KeyValueGetCallback_Args args = {PJRT_KeyValueGetCallback_Args_STRUCT_SIZE};
  args.key = key.data();
  args.key_size = key.size();
  args.timeout_in_ms = static_cast<int>(
      std::min<int64_t>(absl::ToInt64Milliseconds(timeout), std::numeric_limits<int>::max()));
  args.callback_error = &make_error;
  args.user_arg = get_argument_;
  absl::Status status = TakeStatus(get_(&args));
  if (!status.ok()) return status;
  std::string value(ToView(args.value, args.value_size));
  if (args.value_deleter_callback != nullptr) args.value_deleter_callback(args.value);
  return value;
}

absl::StatusOr<std::string> CallbackStore::TryGet(absl::string_view key) {
  return Get(key, absl::Milliseconds(1));
}

absl::Status CallbackStore::Set(absl::string_view key, absl::string_view value) {
  PJRT_KeyValuePutCallback_Args args = {PJRT_KeyValuePutCallback_Args_STRUCT_SIZE};
  args.key = key.data();
  args.key_size = key.size();
  args.value = value.data();
  args.value_size = value.size();
  args.callback_error = &make_error;
  args.user_arg = put_argument_;
  return TakeStatus(put_(&args));
}

}  // namespace xla::pjrt_c
