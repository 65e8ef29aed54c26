// The PJRT client that tests run on.
#ifndef XLA_TESTS_PJRT_CLIENT_REGISTRY_H_
#define XLA_TESTS_PJRT_CLIENT_REGISTRY_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "xla/pjrt/pjrt_client.h"

namespace xla {

// Holds the function that makes clients: the one that was registered last or, before, one that makes
// Hilo's CPU clients. For any number of threads.
class PjRtClientTestFactoryRegistry {
 public:
  using Factory = std::function<absl::StatusOr<std::unique_ptr<PjRtClient>>()>;

  void Register(Factory factory);
  Factory Get() const;
};

PjRtClientTestFactoryRegistry& GetGlobalPjRtClientTestFactory();

inline void RegisterPjRtClientTestFactory(PjRtClientTestFactoryRegistry::Factory factory) {
  GetGlobalPjRtClientTestFactory().Register(std::move(factory));
}

// True: there is always a client.
inline bool ShouldUsePjRt() { return true; }

}  // namespace xla

#endif  // XLA_TESTS_PJRT_CLIENT_REGISTRY_H_
