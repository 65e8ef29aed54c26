/* How the target of a custom call that may fail says whether it did. Plain C. */
#ifndef XLA_SERVICE_CUSTOM_CALL_STATUS_H_
#define XLA_SERVICE_CUSTOM_CALL_STATUS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Given to targets with API_VERSION_STATUS_RETURNING or later. Success unless a failure is set; the
   last call counts. */
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;

void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status);

/* The run fails with this message, of which at most `message_len` bytes are copied: it ends at the
   first zero byte if there is one. */
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                   size_t message_len);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* XLA_SERVICE_CUSTOM_CALL_STATUS_H_ */
