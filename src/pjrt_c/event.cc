#include <utility>

#include "pjrt_c/error.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/tables.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

PJRT_Event* EventThatIsDone() {
  static auto* const event = new PJRT_Event{Future<>(absl::OkStatus()), std::nullopt};
  return event;
}

absl::Status EventDestroy(PJRT_Event_Destroy_Args& args) {
  if (args.event != EventThatIsDone()) delete args.event;
  return absl::OkStatus();
}

absl::Status EventIsReady(PJRT_Event_IsReady_Args& args) {
  args.is_ready = args.event->future.IsReady();
  return absl::OkStatus();
}

absl::Status EventError(PJRT_Event_Error_Args& args) {
  if (!args.event->future.IsReady())
    return FailedPrecondition("the event is not ready, so its error is not known");
  return args.event->future.Await();
}

absl::Status EventAwait(PJRT_Event_Await_Args& args) { return args.event->future.Await(); }

absl::Status EventOnReady(PJRT_Event_OnReady_Args& args) {
  if (args.event->future.IsReady()) {
    args.callback(ToError(args.event->future.Await()), args.user_arg);
    return absl::OkStatus();
  }
  // The callback may destroy the event.
  const Future<> future = args.event->future;
  future.OnReady([callback = args.callback, user_arg = args.user_arg](const absl::Status& status) {
    callback(ToError(status), user_arg);
  });
  return absl::OkStatus();
}

absl::Status EventCreate(PJRT_Event_Create_Args& args) {
  auto [promise, future] = MakePromise<>();
  args.event = new PJRT_Event{std::move(future), std::move(promise)};
  return absl::OkStatus();
}

absl::Status EventSet(PJRT_Event_Set_Args& args) {
  if (!args.event->promise.has_value())
    return FailedPrecondition("the event is not the caller's to set");
  if (args.event->future.IsReady()) return FailedPrecondition("the event has been set already");
  args.event->promise->Set(ToStatus(args.error_code, args.error_message, args.error_message_size));
  return absl::OkStatus();
}

}  // namespace

PJRT_Event* NewEvent(Future<> future) {
  if (future.IsReady() && future.Await().ok()) return EventThatIsDone();
  return new PJRT_Event{std::move(future), std::nullopt};
}

void SetEventFunctions(PJRT_Api& api) {
  api.PJRT_Event_Destroy = Entry<EventDestroy, PJRT_Event_Destroy_Args_STRUCT_SIZE>;
  api.PJRT_Event_IsReady = Entry<EventIsReady, PJRT_Event_IsReady_Args_STRUCT_SIZE>;
  api.PJRT_Event_Error = Entry<EventError, PJRT_Event_Error_Args_STRUCT_SIZE>;
  api.PJRT_Event_Await = Entry<EventAwait, PJRT_Event_Await_Args_STRUCT_SIZE>;
  api.PJRT_Event_OnReady = Entry<EventOnReady, PJRT_Event_OnReady_Args_STRUCT_SIZE>;
  api.PJRT_Event_Create = Entry<EventCreate, PJRT_Event_Create_Args_STRUCT_SIZE>;
  api.PJRT_Event_Set = Entry<EventSet, PJRT_Event_Set_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
