// The library with everything that the plug-in does not do by itself. Most of what is loaded for a
// program (LLVM, protocol buffers) comes with it, so it is loaded by the first call that needs it.
#ifndef HILO_PJRT_C_START_CORE_H_
#define HILO_PJRT_C_START_CORE_H_

#include <functional>
#include <memory>
#include <string>

#include "pjrt_c/objects/client.h"
#include "pjrt_c/objects/core.h"

namespace xla::pjrt_c {

// Loads it where that has not happened yet. Null if it cannot be loaded; then `error` is set.
const Core* LoadCore(PJRT_Error*& error);
// Null where nobody has needed it.
const Core* CoreIfLoaded();

// Runs now, or when the core is loaded; then it must not fail.
PJRT_Error* WhenLoaded(std::function<PJRT_Error*(const Core& core)> function);

// A client that is only described, and gets the rest when the core is loaded. Null after that.
std::unique_ptr<PJRT_Client> DescribeClient();
// To be called before a client goes.
void ForgetClient(PJRT_Client* client);

// What the core will say, which is another text for each build of it.
const std::string& PlatformVersion();

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_START_CORE_H_
