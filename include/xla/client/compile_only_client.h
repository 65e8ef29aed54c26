// A client of programs that are not run here.
#ifndef XLA_CLIENT_COMPILE_ONLY_CLIENT_H_
#define XLA_CLIENT_COMPILE_ONLY_CLIENT_H_

#include "xla/client/client.h"
#include "xla/service/service.h"

namespace xla {

// Compiles, and computes constants. The host can run what it compiles, so that nothing else is
// taken away.
class CompileOnlyClient : public Client {
 public:
  using Client::Client;
};

}  // namespace xla

#endif  // XLA_CLIENT_COMPILE_ONLY_CLIENT_H_
