// Where values wait that go between the host's devices and infeed, outfeed, send and recv
// instructions.
#ifndef HILO_DEVICE_HOST_TRANSFERS_H_
#define HILO_DEVICE_HOST_TRANSFERS_H_

#include "runtime/mailboxes.h"

namespace xla {

runtime::Mailboxes& HostMailboxes();

}  // namespace xla

#endif  // HILO_DEVICE_HOST_TRANSFERS_H_
