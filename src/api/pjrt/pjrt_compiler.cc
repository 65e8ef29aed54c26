#include "xla/pjrt/pjrt_compiler.h"

#include <map>
#include <mutex>
#include <utility>

#include "base/status_macros.h"
#include "runtime/saved_program.h"
#include "xla/pjrt/pjrt_client.h"
#include "xla/pjrt/plugin/xla_cpu/xla_cpu_pjrt_client.h"
#include "xla/util.h"

namespace xla {
namespace {

struct CompilerRegistry {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<PjRtCompiler>> compilers;
};

// Compiles for this machine.
class CpuCompiler : public PjRtCompiler {
 public:
  absl::StatusOr<std::unique_ptr<PjRtExecutable>> Compile(CompileOptions options,
                                                          const XlaComputation& computation,
                                                          const PjRtTopologyDescription& topology,
                                                          PjRtClient* client) override {
    if (client != nullptr) return client->Compile(computation, std::move(options));
    HILO_ASSIGN_OR_RETURN(const std::unique_ptr<PjRtClient> own,
                          GetXlaPjrtCpuClient(CpuClientOptions()));
    return own->Compile(computation, std::move(options));
  }
};

CompilerRegistry& TheCompilers() {
  static CompilerRegistry* const registry = [] {
    auto* const made = new CompilerRegistry();
    made->compilers[std::string(CpuName())] = std::make_unique<CpuCompiler>();
    return made;
  }();
  return *registry;
}

}  // namespace

PjRtPlatformId PlatformIdOf(absl::string_view name) { return runtime::Checksum(name); }

absl::StatusOr<uint64_t> PjRtTopologyDescription::Fingerprint() const {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, Serialize());
  return runtime::Checksum(bytes);
}

void PjRtRegisterCompiler(absl::string_view platform_name, std::unique_ptr<PjRtCompiler> compiler) {
  CompilerRegistry& registry = TheCompilers();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  registry.compilers[std::string(platform_name)] = std::move(compiler);
}

absl::StatusOr<PjRtCompiler*> GetPjRtCompiler(absl::string_view platform_name) {
  CompilerRegistry& registry = TheCompilers();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto found = registry.compilers.find(std::string(platform_name));
  if (found != registry.compilers.end()) return found->second.get();
  return NotFound("there is no compiler for platform %s", platform_name);
}

absl::StatusOr<std::unique_ptr<PjRtExecutable>> PjRtCompile(CompileOptions options,
                                                            const XlaComputation& computation,
                                                            const PjRtTopologyDescription& topology,
                                                            PjRtClient* client) {
  HILO_ASSIGN_OR_RETURN(PjRtCompiler* const compiler, GetPjRtCompiler(topology.platform_name()));
  return compiler->Compile(std::move(options), computation, topology, client);
}

}  // namespace xla
