#include "cpu/jit/machine_code.h"

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "cpu/jit/pipeline.h"
#include "llvm/Config/Targets.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

using codegen::Target;

void InitializeLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
#if LLVM_HAS_AARCH64_TARGET
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
#endif
  });
}

std::string TuningCpu(const Target& target) {
  return target.tuning_cpu == "native" ? llvm::sys::getHostCPUName().str() : target.tuning_cpu;
}

// Null where LLVM has no such target.
const llvm::Target* FindLlvmTarget(const Target& target) {
  if (target.triple.empty()) return nullptr;
  InitializeLlvm();
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(target.triple), error);
}

// Instructions that put bytes in any order.
constexpr char kBytePermutations[] = "avx512vbmi";

std::string FeaturesOf(const Target& target, bool permutes_bytes) {
  llvm::SubtargetFeatures features;
  for (const std::string& feature : target.features) {
    if (permutes_bytes || feature != kBytePermutations) features.AddFeature(feature);
  }
  if (target.vector_bits == 512) features.AddFeature("prefer-256-bit", false);
  return features.getString();
}

std::unique_ptr<llvm::TargetMachine> MakeTargetMachine(const Target& target) {
  const llvm::Target* found = FindLlvmTarget(target);
  CHECK(found != nullptr) << target.name;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;  // as the instructions say
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      llvm::Triple(target.triple), target.cpu, FeaturesOf(target, /*permutes_bytes=*/true), options,
      llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, /*JIT=*/true));
  machine->setO0WantsFastISel(true);  // for GenerateQuickly
  return machine;
}

struct Machine {
  Target target;
  std::string tuning_cpu;
  std::string features_without_bytes;  // all but kBytePermutations
  std::unique_ptr<llvm::TargetMachine> machine;
  // Without and with the scheduler; null before they are used.
  std::array<std::unique_ptr<ObjectPasses>, 2> passes = {};
};

bool HasByteVectors(const llvm::Function& function) {
  const auto is_of_bytes = [](const llvm::Value* value) {
    return value->getType()->isVectorTy() && value->getType()->getScalarSizeInBits() == 8;
  };
  return llvm::any_of(function, [&](const llvm::BasicBlock& block) {
    return llvm::any_of(block, [&](const llvm::Instruction& instruction) {
      return is_of_bytes(&instruction) || llvm::any_of(instruction.operands(), is_of_bytes);
    });
  });
}

void SetTuning(const Machine& machine, llvm::Function& function) {
  // LLVM 22 may crash where it makes permutations of bytes from shuffles of wider elements under
  // masks: only functions with vectors of bytes get these.
  if (machine.target.Has(kBytePermutations) && !HasByteVectors(function))
    function.addFnAttr("target-features", machine.features_without_bytes);
  if (machine.tuning_cpu != machine.target.cpu) function.addFnAttr("tune-cpu", machine.tuning_cpu);
}

Machine MakeMachine(const Target& target) {
  Machine machine = {target, TuningCpu(target), FeaturesOf(target, /*permutes_bytes=*/false),
                     MakeTargetMachine(target)};
  // What it knows of the CPU is made when it is first asked about a function.
  llvm::LLVMContext context;
  llvm::Module module("none", context);
  llvm::Function* function =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                             llvm::Function::ExternalLinkage, "none", module);
  SetTuning(machine, *function);
  machine.machine->getSubtargetImpl(*function);
  return machine;
}

// Target machines that nobody uses at the moment: making one, and its passes, takes a good part of
// the time in which a small program is compiled.
class IdleMachines {
 public:
  static IdleMachines& Get() {
    static IdleMachines* const machines = new IdleMachines();
    return *machines;
  }

  Machine Take(const Target& target) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = absl::c_find_if(
          machines_, [&](const Machine& machine) { return machine.target == target; });
      if (found != machines_.end()) {
        Machine machine = std::move(*found);
        machines_.erase(found);
        return machine;
      }
    }
    return MakeMachine(target);
  }
  void GiveBack(Machine machine) {
    const std::lock_guard<std::mutex> lock(mutex_);
    machines_.push_back(std::move(machine));
  }

 private:
  std::mutex mutex_;
  std::vector<Machine> machines_;
};

// Passes keep memory for the next module as large as what the last ones took.
constexpr unsigned kLargeModule = 10000;

// A target machine for as long as it lives.
class MachineInUse {
 public:
  explicit MachineInUse(const Target& target) : machine_(IdleMachines::Get().Take(target)) {}
  ~MachineInUse() { IdleMachines::Get().GiveBack(std::move(machine_)); }
  const Machine& operator*() const { return machine_; }
  llvm::TargetMachine* get() const { return machine_.machine.get(); }

  // An object file; nothing where the target has none.
  std::optional<std::string> Generate(llvm::Module& module) {
    const bool schedules = PaysToSchedule(module);
    std::unique_ptr<ObjectPasses>& passes = machine_.passes[schedules];
    if (passes == nullptr) passes = ObjectPasses::Make(*machine_.machine, schedules);
    if (passes == nullptr) return std::nullopt;
    const bool is_large = module.getInstructionCount() > kLargeModule;
    std::string object = passes->Run(module);
    if (is_large) passes = nullptr;
    return object;
  }

 private:
  Machine machine_;
};

}  // namespace

absl::Status CheckTarget(const Target& target) {
  if (FindLlvmTarget(target) != nullptr) return absl::OkStatus();
  return Unimplemented("LLVM generates no code for target %s, %s", target.name,
                       target.triple.empty() ? "this machine" : target.triple);
}

void WarmUpTarget(const Target& target) { const MachineInUse machine(target); }

void PrepareModule(const Target& target, llvm::Module& module) {
  const MachineInUse machine(target);
  module.setTargetTriple(machine.get()->getTargetTriple());
  module.setDataLayout(machine.get()->createDataLayout());
}

void GenerateQuickly(llvm::Function& function) {
  function.addFnAttr(llvm::Attribute::NoInline);  // OptimizeNone wants it
  function.addFnAttr(llvm::Attribute::OptimizeNone);
}

absl::StatusOr<std::string> GenerateObject(const Target& target, llvm::Module& module) {
  MachineInUse machine(target);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) SetTuning(*machine, function);
  }
  std::optional<std::string> object = machine.Generate(module);
  if (!object.has_value()) return Internal("LLVM generates no object files for %s", target.triple);
  return *std::move(object);
}

}  // namespace xla::cpu
