#include "api/backend.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_join.h"
#include "api/cpu_backend.h"
#include "base/status_macros.h"
#include "cpu/compiler.h"
#include "data/literal_borrow.h"
#include "eval/buffers.h"
#include "ir/arguments.h"
#include "ir/op_info.h"
#include "ir/verifier.h"
#include "passes/mixed_precision.h"
#include "passes/passes.h"
#include "runtime/custom_call.h"
#include "runtime/ffi/call.h"
#include "runtime/next_seed.h"
#include "xla/ffi/ffi_registry.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// Whether a function of the caller may be what the custom call calls: what is not registered, back
// ends know themselves.
bool IsForeignCall(const HloInstruction& call) {
  const std::string& target = call.custom_call_target();
  const DebugOptions& options = call.GetModule()->config().debug_options();
  return ffi::FindHandler(target, "Host").ok() ||
         runtime::FindCustomCallTarget(target, runtime::MayCallAnyFunction(options)).ok();
}

// Memory of RunOnMemory as what the evaluator takes.
std::vector<ShapeTree<BufferArgument>> LentArguments(const ProgramInterface& interface,
                                                     absl::Span<const void* const> memory) {
  std::vector<ShapeTree<BufferArgument>> arguments;
  size_t next_array = 0, next_size = 0;
  for (const ProgramValue& parameter : interface.parameters) next_size += parameter.arrays.size();
  for (const ProgramValue& parameter : interface.parameters) {
    std::vector<ArrayBuffer> arrays;
    for (const Shape& shape : parameter.arrays) {
      // Nothing is written to what is lent.
      arrays.push_back(
          std::make_shared<Literal>(BorrowArray(shape, const_cast<void*>(memory[next_array++]))));
    }
    for (const auto& [array, dimension] : parameter.dynamic_dimensions)
      arrays[array]->SetDynamicSize(dimension, *static_cast<const int32_t*>(memory[next_size++]));
    ShapeTree<BufferArgument>& tree = arguments.emplace_back(parameter.held);
    for (size_t k = 0; k < arrays.size(); ++k) {
      *tree.mutable_element(parameter.leaves[k]) = BufferArgument::Lent(std::move(arrays[k]));
    }
  }
  return arguments;
}

class InterpretedModule : public CompiledModule {
 public:
  explicit InterpretedModule(std::unique_ptr<HloModule> module)
      : module_(std::move(module)), interface_(*module_) {
    // Results are written when all is done.
    for (ProgramInterface::Alias& alias : interface_.aliases) alias.is_in_place = true;
  }
  const HloModule& module() const override { return *module_; }
  const ProgramInterface& interface() const override { return interface_; }
  Traits traits() const override { return TraitsOf(*module_); }

  absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments,
                              const RunContext& context) override {
    HILO_RETURN_IF_ERROR(CheckArguments(*module_, arguments));
    return eval::EvaluateModule(OptionsOf(context), *module_, arguments);
  }

  absl::Status RunOnMemory(absl::Span<const void* const> parameters,
                           absl::Span<void* const> results, const RunContext& context) override {
    HILO_ASSIGN_OR_RETURN(ShapeTree<ArrayBuffer> tree,
                          eval::EvaluateOnBuffers(OptionsOf(context), *module_,
                                                  LentArguments(interface_, parameters)));
    const ProgramValue& value = interface_.result;
    for (size_t k = 0; k < value.leaves.size(); ++k) {
      const Literal& array = *tree.element(value.leaves[k]);
      const Literal held = array.Relayout(value.arrays[k].layout());
      std::memcpy(results[k], held.untyped_data(), held.size_bytes());
    }
    for (size_t i = 0; i < value.dynamic_dimensions.size(); ++i) {
      const auto [array, dimension] = value.dynamic_dimensions[i];
      *static_cast<int32_t*>(results[value.leaves.size() + i]) =
          tree.element(value.leaves[array])->GetDynamicSize(dimension);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<Literal>> RunReplicated(
      absl::Span<const std::vector<const Literal*>> arguments, int64_t replicas, int64_t partitions,
      const RunContext& context) override {
    for (const std::vector<const Literal*>& own : arguments)
      HILO_RETURN_IF_ERROR(CheckArguments(*module_, own));
    return Evaluator(context).EvaluateReplicated(*module_, arguments, replicas, partitions);
  }

 private:
  uint64_t Seed(const RunContext& context) const {
    return context.seed != 0 ? context.seed : static_cast<uint64_t>(module_->config().seed());
  }

  eval::Options OptionsOf(const RunContext& context) {
    eval::Options options;
    options.mailboxes = context.mailboxes;
    options.random_seed = Seed(context);
    options.device = context.device;
    options.stop = context.stop;
    options.ffi = context.ffi;
    options.typed_calls = &typed_calls_;
    return options;
  }

  HloEvaluator Evaluator(const RunContext& context) {
    HloEvaluator evaluator;
    evaluator.set_mailboxes(context.mailboxes);
    evaluator.set_seed(Seed(context));
    evaluator.set_typed_calls(&context.ffi, &typed_calls_);
    return evaluator;
  }

  const std::unique_ptr<HloModule> module_;
  ProgramInterface interface_;
  runtime::TypedCalls typed_calls_;
};

class InterpreterBackend : public ExecutionBackend {
 public:
  absl::string_view name() const override { return "interpreter"; }
  absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(
      std::unique_ptr<HloModule> module) override {
    HILO_RETURN_IF_ERROR(VerifyForCompiler(*module));
    return std::make_unique<InterpretedModule>(std::move(module));
  }
};

absl::Span<ExecutionBackend* const> AllBackends() {
  static ExecutionBackend* const backends[] = {new InterpreterBackend(), &CpuBackend()};
  return backends;
}

}  // namespace

std::vector<std::string> BackendNames() {
  std::vector<std::string> names;
  for (const ExecutionBackend* backend : AllBackends()) names.emplace_back(backend->name());
  return names;
}

absl::StatusOr<ExecutionBackend*> FindBackend(absl::string_view name) {
  for (ExecutionBackend* backend : AllBackends()) {
    if (backend->name() == name) return backend;
  }
  return NotFound("there is no back end named %s; there are: %s", name,
                  absl::StrJoin(BackendNames(), ", "));
}

ExecutionBackend& DefaultBackend() {
  static ExecutionBackend* const backend = [] {
    const char* const name = std::getenv("HILO_BACKEND");
    const absl::StatusOr<ExecutionBackend*> named = FindBackend(name == nullptr ? "" : name);
    if (named.ok()) return *named;
    return *FindBackend(cpu::CanCompile() ? "cpu" : "interpreter");
  }();
  return *backend;
}

CompiledModule::Traits CompiledModule::TraitsOf(const HloModule& module) {
  Traits traits;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      switch (instruction->opcode()) {
        case HloOpcode::kInfeed:
        case HloOpcode::kOutfeed:
        case HloOpcode::kSend:
        case HloOpcode::kRecv:
          traits.meets_host = traits.may_wait = true;
          break;
        case HloOpcode::kWhile: {
          const std::optional<ParsedWhileLoop> loop = PatternMatchParseWhileLoop(instruction);
          if (!loop.has_value() || loop->is_dynamic()) traits.depends_on_values = true;
          break;
        }
        case HloOpcode::kScan:
        case HloOpcode::kConditional:
          traits.depends_on_values = true;
          break;
        case HloOpcode::kCustomCall:
          traits.may_wait = traits.may_wait || IsForeignCall(*instruction);
          // It stands for the whole of a saved program.
          if (instruction->custom_call_target() == "hilo_saved_program")
            traits.meets_host = traits.may_wait = traits.depends_on_values = true;
          break;
        default:
          traits.may_wait = traits.may_wait || HasTrait(instruction->opcode(), kCollective);
          break;
      }
    }
  }
  return traits;
}

bool IsArgumentFor(const Shape& given, const Shape& wanted) {
  return ShapeUtil::Compatible(given, wanted) ||
         (wanted.is_dynamic() && ShapeUtil::DynamicShapeIsCompatible(given, wanted));
}

uint64_t SeedOfRun(const HloModule& module, int64_t option) {
  if (option != 0) return static_cast<uint64_t>(option);
  const int64_t configured = module.config().seed();
  return configured != 0 ? static_cast<uint64_t>(configured) : runtime::NextSeed();
}

absl::Status VerifyForCompiler(HloModule& module) {
  if (VerifyModule(module).ok()) return absl::OkStatus();
  HILO_RETURN_IF_ERROR(VerifyModule(module, {.allow_mixed_precision = true}));
  // What is in fusions has to be seen.
  HILO_RETURN_IF_ERROR(passes::InlineCalls(module).status());
  module.Cleanup();
  HILO_RETURN_IF_ERROR(passes::WidenMixedPrecision(module).status());
  return VerifyModule(module);
}

absl::Status CheckArguments(const HloModule& module, absl::Span<const Literal* const> arguments) {
  HILO_RETURN_IF_ERROR(CheckArgumentCount(module, static_cast<int64_t>(arguments.size())));
  for (size_t i = 0; i < arguments.size(); ++i) {
    HILO_RETURN_IF_ERROR(
        CheckArgumentShape(module, static_cast<int64_t>(i), arguments[i]->shape(), IsArgumentFor));
  }
  return absl::OkStatus();
}

}  // namespace xla
