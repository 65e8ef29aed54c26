#include "cpu/jit/machine_code.h"

#include <mutex>
#include <utility>

#include "base/status_macros.h"
#include "cpu/jit/pipeline.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

void InitializeLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

// Null where LLVM has no such target.
std::unique_ptr<llvm::TargetMachine> MakeTargetMachine(const Host& host) {
  std::string error;
  const llvm::Triple triple(host.triple);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, host.name, host.features, options, llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default,
                                  /*JIT=*/true));
}

int VectorBits(const llvm::StringMap<bool>& features) {
  const auto has = [&](llvm::StringRef name) { return features.lookup(name); };
  if (has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl")) return 512;
  if (has("avx2")) return 256;
  return 128;
}

Host DetectHost() {
  InitializeLlvm();
  Host host;
  host.triple = llvm::sys::getProcessTriple();
  host.name = llvm::sys::getHostCPUName().str();
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  llvm::SubtargetFeatures list;
  for (const auto& feature : features) list.AddFeature(feature.first(), feature.second);
  host.vector_bits = VectorBits(features);
  if (host.vector_bits == 512) list.AddFeature("prefer-256-bit", false);
  host.features = list.getString();
  if (const auto machine = MakeTargetMachine(host); machine != nullptr)
    host.data_layout = machine->createDataLayout().getStringRepresentation();
  return host;
}

}  // namespace

const Host& ThisHost() {
  static const Host* const host = new Host(DetectHost());
  return *host;
}

absl::Status CheckHost() {
  if (!ThisHost().data_layout.empty()) return absl::OkStatus();
  return Unimplemented("LLVM generates no code for this machine, %s", ThisHost().triple);
}

absl::StatusOr<std::string> GenerateObject(llvm::Module& module) {
  thread_local const std::unique_ptr<llvm::TargetMachine> machine = MakeTargetMachine(ThisHost());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (!AddObjectPasses(*machine, stream, passes))
    return Internal("LLVM generates no object files for %s", ThisHost().triple);
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

}  // namespace xla::cpu
