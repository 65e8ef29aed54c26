// Errors may be those of others: their own table says what to do.
#include "pjrt_c/objects/error.h"
#include "pjrt_c/start/tables.h"

namespace xla::pjrt_c {
namespace {

void ErrorDestroy(PJRT_Error_Destroy_Args* args) {
  if (args->error != nullptr) args->error->vtable->destroy(args->error);
}

void ErrorMessage(PJRT_Error_Message_Args* args) {
  args->error->vtable->message(args->error, &args->message, &args->message_size);
}

PJRT_Error* ErrorGetCode(PJRT_Error_GetCode_Args& args) {
  args.code = args.error->vtable->get_code(args.error);
  return nullptr;
}

PJRT_Error* ErrorForEachPayload(PJRT_Error_ForEachPayload_Args& args) {
  args.error->vtable->for_each_payload(args.error, args.visitor, args.user_arg);
  return nullptr;
}

}  // namespace

void SetErrorFunctions(PJRT_Api& api) {
  api.PJRT_Error_Destroy = ErrorDestroy;
  api.PJRT_Error_Message = ErrorMessage;
  api.PJRT_Error_GetCode = Entry<ErrorGetCode, PJRT_Error_GetCode_Args_STRUCT_SIZE>;
  api.PJRT_Error_ForEachPayload =
      Entry<ErrorForEachPayload, PJRT_Error_ForEachPayload_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
