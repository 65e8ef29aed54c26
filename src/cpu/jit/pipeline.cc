#include "cpu/jit/pipeline.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/RuntimeLibcallInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar.h"

namespace xla::cpu {
namespace {

// Passes over machine code that find nothing to do here, or gain less than they cost.
const llvm::AnalysisID kUnwanted[] = {
    &llvm::EarlyIfConverterLegacyID,
    &llvm::EarlyTailDuplicateLegacyID,
    &llvm::FEntryInserterID,
    &llvm::FixupStatepointCallerSavedID,
    &llvm::FuncletLayoutID,
    &llvm::GCMachineCodeAnalysisID,
    &llvm::ImplicitNullChecksID,
    &llvm::LiveDebugValuesID,
    &llvm::LocalStackSlotAllocationID,
    &llvm::MachineCombinerID,
    &llvm::MachineLateInstrsCleanupID,
    &llvm::MachineSanitizerBinaryMetadataID,
    &llvm::MachineSinkingLegacyID,
    &llvm::OptimizePHIsLegacyID,
    &llvm::PatchableFunctionID,
    &llvm::PostRAMachineSinkingID,
    &llvm::PostRASchedulerID,
    &llvm::RemoveLoadsIntoFakeUsesID,
    &llvm::RemoveRedundantDebugValuesID,
    &llvm::ShadowStackGCLoweringID,
    &llvm::ShrinkWrapID,
    &llvm::StackColoringLegacyID,
    &llvm::StackFrameLayoutAnalysisPassID,
    &llvm::StackMapLivenessID,
    &llvm::XRayInstrumentationID,
};

// The same of passes that have no identifiers: for AMX, APX, 32-bit code, thread-local storage,
// other operating systems and attacks on speculative execution. Registers of x87 are no such case:
// functions return what is left over of odd vectors in them.
constexpr absl::string_view kUnwantedNames[] = {
    "Argument Stack Rebase",
    "Check CFA info and insert CFI instructions if needed",
    "Detect Dead Lanes",
    "Insert KCFI indirect call checks",
    "Local Dynamic TLS Access Clean-up",
    "Pseudo Probe Inserter",
    "Register Allocation Pass Scoring",
    "Rename Disconnected Subregister Components",
    "Tile Register Configure",
    "Tile Register Pre-configure",
    "X86 Atom pad short functions",
    "X86 Indirect Branch Tracking",
    "X86 Indirect Thunks",
    "X86 Load Value Injection (LVI) Load Hardening",
    "X86 Load Value Injection (LVI) Ret-Hardening",
    "X86 Lower Tile Copy",
    "X86 PIC Global Base Reg Initialization",
    "X86 Return Thunks",
    "X86 Speculative Execution Side Effect Suppression",
    "X86 Suppress APX features for relocation",
    "X86 insert wait instruction",
    "X86 speculative load hardening",
};

// Takes all passes but those that are not wanted.
class WantedPasses : public llvm::legacy::PassManager {
 public:
  void add(llvm::Pass* pass) override {
    const llvm::StringRef name = pass->getPassName();
    if (absl::c_linear_search(kUnwantedNames, absl::string_view(name.data(), name.size()))) {
      delete pass;
    } else {
      PassManager::add(pass);
    }
  }
};

// In the shortest blocks there is nothing to order. Of each two accesses to memory in a block the
// scheduler asks whether they may be the same.
constexpr size_t kLeastToSchedule = 16;
constexpr int kMostAccessesToSchedule = 256;

bool IsLong(const llvm::BasicBlock& block) { return block.size() >= kLeastToSchedule; }

bool HasManyAccesses(const llvm::BasicBlock& block) {
  int accesses = 0;
  for (const llvm::Instruction& instruction : block) accesses += instruction.mayReadOrWriteMemory();
  return accesses > kMostAccessesToSchedule;
}

bool AnyBlock(const llvm::Module& module, bool (*is)(const llvm::BasicBlock&)) {
  return llvm::any_of(module,
                      [&](const llvm::Function& function) { return llvm::any_of(function, is); });
}

}  // namespace

bool PaysToSchedule(const llvm::Module& module) {
  return AnyBlock(module, IsLong) && !AnyBlock(module, HasManyAccesses);
}

std::unique_ptr<ObjectPasses> ObjectPasses::Make(llvm::TargetMachine& machine, bool schedules) {
  auto made = std::unique_ptr<ObjectPasses>(new ObjectPasses());
  auto passes = std::make_unique<WantedPasses>();
  llvm::TargetPassConfig* config = machine.createPassConfig(*passes);
  config->setDisableVerify(true);
  for (llvm::AnalysisID pass : kUnwanted) config->disablePass(pass);
  if (!schedules) config->disablePass(&llvm::MachineSchedulerID);
  passes->add(config);
  auto* code = new llvm::MachineModuleInfoWrapperPass(&machine);
  passes->add(code);

  // Without knowing of the library, copies of memory become loops.
  passes->add(new llvm::RuntimeLibraryInfoWrapper(machine.getTargetTriple()));
  passes->add(llvm::createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  passes->add(llvm::createPreISelIntrinsicLoweringPass());
  passes->add(llvm::createUnreachableBlockEliminationPass());
  passes->add(llvm::createExpandReductionsPass());
  passes->add(llvm::createScalarizeMaskedMemIntrinLegacyPass());
  passes->add(llvm::createCodeGenPrepareLegacyPass());
  if (config->addInstSelector()) return nullptr;
  passes->add(llvm::Pass::createPass(&llvm::FinalizeISelID));

  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(*passes, made->stream_, nullptr, llvm::CodeGenFileType::ObjectFile,
                            code->getMMI().getContext())) {
    return nullptr;
  }
  passes->add(llvm::createFreeMachineFunctionPass());
  made->passes_ = std::move(passes);
  return made;
}

std::string ObjectPasses::Run(llvm::Module& module) {
  bytes_.clear();
  passes_->run(module);
  return std::string(bytes_.data(), bytes_.size());
}

}  // namespace xla::cpu
