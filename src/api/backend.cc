#include "api/backend.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/str_join.h"
#include "api/cpu_backend.h"
#include "base/status_macros.h"
#include "cpu/compiler.h"
#include "eval/buffers.h"
#include "ir/arguments.h"
#include "ir/verifier.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

class InterpretedModule : public CompiledModule {
 public:
  explicit InterpretedModule(std::unique_ptr<HloModule> module) : module_(std::move(module)) {}
  const HloModule& module() const override { return *module_; }

  absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments,
                              const RunContext& context) override {
    HILO_RETURN_IF_ERROR(CheckArguments(*module_, arguments));
    return Evaluator(context).Evaluate(*module_, arguments);
  }

  absl::StatusOr<ShapeTree<ArrayBuffer>> RunOnBuffers(
      std::vector<ShapeTree<MaybeOwningDeviceAddress>> arguments,
      const RunContext& context) override {
    eval::Options options;
    options.mailboxes = context.mailboxes;
    options.random_seed = Seed(context);
    return eval::EvaluateOnBuffers(std::move(options), *module_, std::move(arguments));
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

  HloEvaluator Evaluator(const RunContext& context) const {
    HloEvaluator evaluator;
    evaluator.set_mailboxes(context.mailboxes);
    evaluator.set_seed(Seed(context));
    return evaluator;
  }

  std::unique_ptr<HloModule> module_;
};

class InterpreterBackend : public ExecutionBackend {
 public:
  absl::string_view name() const override { return "interpreter"; }
  absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(
      std::unique_ptr<HloModule> module) override {
    HILO_RETURN_IF_ERROR(VerifyModule(*module));
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

bool IsArgumentFor(const Shape& given, const Shape& wanted) {
  return ShapeUtil::Compatible(given, wanted) ||
         (wanted.is_dynamic() && ShapeUtil::DynamicShapeIsCompatible(given, wanted));
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
