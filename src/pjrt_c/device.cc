// What devices do.
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/tables.h"

namespace xla::pjrt_c {
namespace {

absl::Status DeviceClearMemoryStats(PJRT_Device_ClearMemoryStats_Args& args) {
  return args.device->device->ClearMemoryStats();
}

absl::Status DevicePoisonExecution(PJRT_Device_PoisonExecution_Args& args) {
  HILO_ASSIGN_OR_RETURN(
      args.poisoned,
      args.device->device->PoisonExecution(
          args.launch_id, ToStatus(args.error_code, args.error_message, args.error_message_size)));
  return absl::OkStatus();
}

}  // namespace

void SetDeviceFunctions(PJRT_Api& api) {
  api.PJRT_Device_ClearMemoryStats =
      Entry<DeviceClearMemoryStats, PJRT_Device_ClearMemoryStats_Args_STRUCT_SIZE>;
  api.PJRT_Device_PoisonExecution =
      Entry<DevicePoisonExecution, PJRT_STRUCT_SIZE(PJRT_Device_PoisonExecution_Args, poisoned)>;
}

}  // namespace xla::pjrt_c
