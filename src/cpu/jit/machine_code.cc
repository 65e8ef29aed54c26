#include "cpu/jit/machine_code.h"

#include <mutex>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "cpu/jit/pipeline.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
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

// Target machines that nobody uses at the moment: making one takes a good part of the time in which
// a small program is compiled.
class IdleMachines {
 public:
  static IdleMachines& Get() {
    static IdleMachines* const machines = new IdleMachines();
    return *machines;
  }

  std::unique_ptr<llvm::TargetMachine> Take(const Host& host) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!machines_.empty()) {
        std::unique_ptr<llvm::TargetMachine> machine = std::move(machines_.back());
        machines_.pop_back();
        return machine;
      }
    }
    return MakeTargetMachine(host);
  }
  void GiveBack(std::unique_ptr<llvm::TargetMachine> machine) {
    const std::lock_guard<std::mutex> lock(mutex_);
    machines_.push_back(std::move(machine));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<llvm::TargetMachine>> machines_;
};

// What a machine knows of the CPU is made when it is first asked about a function.
void LearnAboutCpu(const llvm::TargetMachine& machine) {
  llvm::LLVMContext context;
  llvm::Module module("host", context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  machine.getSubtargetImpl(
      *llvm::Function::Create(type, llvm::Function::ExternalLinkage, "none", module));
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
  if (auto machine = MakeTargetMachine(host); machine != nullptr) {
    host.data_layout = machine->createDataLayout().getStringRepresentation();
    host.has_fast_gather = machine->getMCSubtargetInfo()->checkFeatures("+fast-gather");
    LearnAboutCpu(*machine);
    IdleMachines::Get().GiveBack(std::move(machine));
  }
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
  std::unique_ptr<llvm::TargetMachine> machine = IdleMachines::Get().Take(ThisHost());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  {
    llvm::legacy::PassManager passes;
    if (!AddObjectPasses(*machine, stream, passes))
      return Internal("LLVM generates no object files for %s", ThisHost().triple);
    passes.run(module);
  }
  IdleMachines::Get().GiveBack(std::move(machine));
  return std::string(bytes.data(), bytes.size());
}

}  // namespace xla::cpu
