#include "api/cpu_backend.h"

#include <utility>

#include "base/status_macros.h"
#include "cpu/compiler.h"
#include "ir/verifier.h"
#include "runtime/launch.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// With every leaf in row-major order.
Shape RowMajor(Shape shape) {
  LayoutUtil::SetToDefaultLayout(&shape);
  return shape;
}

bool IsRowMajor(const Shape& shape) { return ShapeUtil::Equal(shape, RowMajor(shape)); }

class NativeModule : public CompiledModule {
 public:
  NativeModule(std::unique_ptr<HloModule> module, runtime::Program program)
      : module_(std::move(module)), program_(std::move(program)) {}

  const HloModule& module() const override { return *module_; }

  absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments,
                              const RunContext& context) override {
    HILO_RETURN_IF_ERROR(CheckArguments(*module_, arguments));
    std::vector<Literal> copies;
    copies.reserve(arguments.size());
    std::vector<const void*> parameters;
    for (const Literal* argument : arguments) {
      if (!IsRowMajor(argument->shape())) {
        copies.push_back(argument->Relayout(RowMajor(argument->shape())));
        argument = &copies.back();
      }
      ShapeUtil::ForEachSubshape(argument->shape(),
                                 [&](const Shape& leaf, const ShapeIndex& index) {
                                   if (leaf.IsArray())
                                     parameters.push_back(argument->untyped_data(index));
                                 });
    }
    const Shape& declared = module_->result_shape();
    HILO_ASSIGN_OR_RETURN(Literal result, Literal::Make(RowMajor(declared)));
    std::vector<void*> results;
    ShapeUtil::ForEachSubshape(result.shape(), [&](const Shape& leaf, const ShapeIndex& index) {
      if (leaf.IsArray()) results.push_back(result.untyped_data(index));
    });
    const uint64_t seed =
        context.seed != 0 ? context.seed : static_cast<uint64_t>(module_->config().seed());
    HILO_RETURN_IF_ERROR(runtime::Launch(program_, parameters, results, {context.mailboxes, seed}));
    return LayoutUtil::HasLayout(declared) && !IsRowMajor(declared) ? result.Relayout(declared)
                                                                    : std::move(result);
  }

  absl::StatusOr<ShapeTree<ArrayBuffer>> RunOnBuffers(
      std::vector<ShapeTree<MaybeOwningDeviceAddress>>, const RunContext&) override {
    return Unimplemented("the cpu back end does not run on buffers yet");
  }

  absl::StatusOr<std::vector<Literal>> RunReplicated(
      absl::Span<const std::vector<const Literal*>> arguments, int64_t replicas, int64_t partitions,
      const RunContext& context) override {
    if (replicas != 1 || partitions != 1)
      return Unimplemented("the cpu back end does not run on several devices yet");
    std::vector<Literal> results;
    HILO_ASSIGN_OR_RETURN(results.emplace_back(), Run(arguments[0], context));
    return results;
  }

 private:
  const std::unique_ptr<HloModule> module_;
  const runtime::Program program_;
};

class NativeBackend : public Backend {
 public:
  absl::string_view name() const override { return "cpu"; }
  absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(
      std::unique_ptr<HloModule> module) override {
    HILO_RETURN_IF_ERROR(VerifyModule(*module));
    HILO_ASSIGN_OR_RETURN(runtime::Program program, cpu::Compile(*module));
    return std::make_unique<NativeModule>(std::move(module), std::move(program));
  }
};

}  // namespace

Backend& CpuBackend() {
  static NativeBackend* const backend = new NativeBackend();
  return *backend;
}

}  // namespace xla
