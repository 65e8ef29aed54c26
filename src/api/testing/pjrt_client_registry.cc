#include "xla/tests/pjrt_client_registry.h"

#include <mutex>
#include <utility>

#include "xla/pjrt/plugin/xla_cpu/xla_cpu_pjrt_client.h"

namespace xla {
namespace {

struct RegisteredFactory {
  std::mutex mutex;
  PjRtClientTestFactoryRegistry::Factory factory = [] { return GetXlaPjrtCpuClient({}); };
};

RegisteredFactory& TheFactory() {
  static auto* const registered = new RegisteredFactory;
  return *registered;
}

}  // namespace

void PjRtClientTestFactoryRegistry::Register(Factory factory) {
  const std::lock_guard<std::mutex> lock(TheFactory().mutex);
  TheFactory().factory = std::move(factory);
}

PjRtClientTestFactoryRegistry::Factory PjRtClientTestFactoryRegistry::Get() const {
  const std::lock_guard<std::mutex> lock(TheFactory().mutex);
  return TheFactory().factory;
}

PjRtClientTestFactoryRegistry& GetGlobalPjRtClientTestFactory() {
  static PjRtClientTestFactoryRegistry registry;
  return registry;
}

}  // namespace xla
