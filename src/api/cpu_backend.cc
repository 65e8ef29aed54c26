#include "api/cpu_backend.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "api/cpu_backend_cache.h"
#include "api/cpu_backend_report.h"
#include "base/status_macros.h"
#include "cpu/compiler.h"
#include "cpu/kernels/kernels.h"
#include "ir/source_place.h"
#include "ir/verifier.h"
#include "passes/passes.h"
#include "runtime/devices.h"
#include "runtime/launch.h"
#include "runtime/profile.h"
#include "runtime/saved_program.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// A smaller argument in the bounds that a program declares.
absl::StatusOr<Literal> InBounds(const Literal& argument, const ProgramValue& parameter) {
  HILO_ASSIGN_OR_RETURN(Literal result, Literal::Make(parameter.held));
  for (const ShapeIndex& leaf : parameter.leaves) {
    const LiteralSlice array(argument, leaf);
    MutableBorrowingLiteral target(MutableBorrowingLiteral(&result), leaf);
    std::vector<int64_t> zeros(array.shape().dimensions_size(), 0), sizes;
    for (size_t d = 0; d < zeros.size(); ++d) {
      sizes.push_back(array.GetDynamicSize(static_cast<int64_t>(d)));
      if (target.shape().is_dynamic_dimension(static_cast<int>(d)))
        target.SetDynamicSize(static_cast<int64_t>(d), static_cast<int32_t>(sizes.back()));
    }
    HILO_RETURN_IF_ERROR(target.CopySliceFrom(array, zeros, zeros, sizes));
  }
  return result;
}

class NativeModule : public CompiledModule {
 public:
  // What is known of the program's image goes with it.
  struct Facts {
    explicit Facts(const runtime::ProgramImage& image) : in_place(image.in_place) {
      for (const std::string& object : image.objects)
        code_bytes += static_cast<int64_t>(object.size());
    }
    int64_t code_bytes = 0;
    bool is_from_cache = false;
    std::vector<std::pair<int64_t, int64_t>> in_place;
  };

  NativeModule(std::unique_ptr<HloModule> module, runtime::Program program, Facts facts)
      : module_(std::move(module)),
        interface_(*module_),
        program_(std::move(program)),
        code_bytes_(facts.code_bytes),
        is_from_cache_(facts.is_from_cache) {
    for (ProgramInterface::Alias& alias : interface_.aliases) {
      alias.is_in_place = absl::c_linear_search(
          facts.in_place, std::pair<int64_t, int64_t>(alias.result, alias.parameter));
    }
  }

  const HloModule& module() const override { return *module_; }
  const ProgramInterface& interface() const override { return interface_; }
  Traits traits() const override {
    Traits traits = TraitsOf(*module_);
    traits.temporary_bytes = program_.arena_bytes;
    traits.code_bytes = code_bytes_;
    traits.is_from_cache = is_from_cache_;
    return traits;
  }

  absl::Span<const runtime::Region> regions() const override { return program_.regions; }

  absl::Status RunOnMemory(absl::Span<const void* const> parameters,
                           absl::Span<void* const> results, const RunContext& context) override {
    return runtime::Launch(program_, parameters, results, EnvironmentOf(context));
  }

  absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments,
                              const RunContext& context) override {
    return RunOnDevice(arguments, EnvironmentOf(context));
  }

  absl::StatusOr<std::vector<Literal>> RunReplicated(
      absl::Span<const std::vector<const Literal*>> arguments, int64_t replicas, int64_t partitions,
      const RunContext& context) override {
    HILO_RETURN_IF_ERROR(CheckDevices(arguments.size(), replicas, partitions));
    for (const std::vector<const Literal*>& own : arguments)
      HILO_RETURN_IF_ERROR(CheckArguments(*module_, own));
    return runtime::RunOnDevices(replicas, partitions, context.mailboxes,
                                 [&](const runtime::Device& device, const std::atomic<bool>& stop) {
                                   runtime::Environment environment = EnvironmentOf(context);
                                   environment.device = device;
                                   environment.ffi.device_ordinal = static_cast<int32_t>(device.id);
                                   environment.stop = &stop;
                                   return RunOnDevice(arguments[device.id], environment);
                                 });
  }

 private:
  runtime::Environment EnvironmentOf(const RunContext& context) const {
    runtime::Environment environment = {context.mailboxes,
                                        context.seed != 0 ? context.seed : program_.seed,
                                        context.device, context.stop};
    environment.ffi = context.ffi;
    environment.recording = context.recording;
    return environment;
  }

  absl::StatusOr<Literal> RunOnDevice(absl::Span<const Literal* const> arguments,
                                      const runtime::Environment& environment) const {
    HILO_RETURN_IF_ERROR(CheckArguments(*module_, arguments));
    std::vector<Literal> copies;
    copies.reserve(2 * arguments.size());
    absl::InlinedVector<const void*, 8> parameters;
    SizeCells sizes(interface_.parameter_sizes);
    size_t next_size = 0;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Literal* argument = arguments[i];
      if (!argument->IsKnown())
        return InvalidArgument("program %s: argument %d has no value", module_->name(), i);
      const ProgramValue& parameter = interface_.parameters[i];
      if (!parameter.dynamic_dimensions.empty() &&
          !ShapeUtil::Compatible(argument->shape(), parameter.held)) {
        HILO_ASSIGN_OR_RETURN(Literal larger, InBounds(*argument, parameter));
        copies.push_back(std::move(larger));
        argument = &copies.back();
      }
      if (!IsRowMajor(argument->shape())) {
        copies.push_back(argument->Relayout(RowMajor(argument->shape())));
        argument = &copies.back();
      }
      for (const ShapeIndex& leaf : parameter.leaves)
        parameters.push_back(argument->untyped_data(leaf));
      for (const auto& [array, dimension] : parameter.dynamic_dimensions)
        *sizes[next_size++] = argument->GetDynamicSize(dimension, parameter.leaves[array]);
    }
    for (size_t i = 0; i < sizes.size(); ++i) parameters.push_back(sizes[i]);
    HILO_ASSIGN_OR_RETURN(Literal result, Literal::Make(interface_.result.held));
    absl::InlinedVector<void*, 8> results;
    for (const ShapeIndex& leaf : interface_.result.leaves)
      results.push_back(result.untyped_data(leaf));
    SizeCells result_sizes(interface_.result.dynamic_dimensions.size());
    for (size_t i = 0; i < result_sizes.size(); ++i) results.push_back(result_sizes[i]);
    HILO_RETURN_IF_ERROR(runtime::Launch(program_, parameters, results, environment));
    for (size_t i = 0; i < result_sizes.size(); ++i) {
      const auto [array, dimension] = interface_.result.dynamic_dimensions[i];
      result.SetDynamicSize(dimension, interface_.result.leaves[array], *result_sizes[i]);
    }
    if (interface_.result.is_held_as_declared) return result;
    return result.Relayout(*interface_.result.declared);
  }

  // A count of 1 in the configuration means that it is not known.
  absl::Status CheckDevices(size_t argument_lists, int64_t replicas, int64_t partitions) const {
    constexpr int64_t kMax = HloEvaluator::kMaxDevices;
    if (replicas < 1 || partitions < 1 || replicas > kMax || partitions > kMax / replicas) {
      return InvalidArgument("Module %s cannot run on %d replicas of %d partitions",
                             module_->name(), replicas, partitions);
    }
    if (static_cast<int64_t>(argument_lists) != replicas * partitions) {
      return InvalidArgument("Arguments for %d devices were given, but there are %d",
                             argument_lists, replicas * partitions);
    }
    const int64_t wanted_replicas = module_->config().replica_count();
    const int64_t wanted_partitions = module_->config().num_partitions();
    if ((wanted_replicas > 1 && wanted_replicas != replicas) ||
        (wanted_partitions > 1 && wanted_partitions != partitions)) {
      return InvalidArgument("Module %s is for %d replicas of %d partitions, not for %d of %d",
                             module_->name(), wanted_replicas, wanted_partitions, replicas,
                             partitions);
    }
    return absl::OkStatus();
  }

  const std::unique_ptr<HloModule> module_;
  ProgramInterface interface_;
  const runtime::Program program_;
  const int64_t code_bytes_;
  const bool is_from_cache_;
};

absl::StatusOr<std::unique_ptr<CompiledModule>> Load(std::unique_ptr<HloModule> module,
                                                     runtime::ProgramImage image) {
  NativeModule::Facts facts(image);
  HILO_ASSIGN_OR_RETURN(runtime::Program program,
                        runtime::LoadProgram(std::move(image), cpu::MakeKernel));
  return std::make_unique<NativeModule>(std::move(module), std::move(program), std::move(facts));
}

// The cache of the process, which may be exchanged while others compile.
class CacheSetting {
 public:
  CacheSetting() {
    if (const char* folder = std::getenv("HILO_CACHE_DIR")) Set(folder);
  }
  void Set(const std::string& folder) {
    const std::lock_guard<std::mutex> lock(mutex_);
    cache_ = folder.empty() ? nullptr : std::make_shared<const ProgramCache>(folder);
  }
  std::shared_ptr<const ProgramCache> Get() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return cache_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const ProgramCache> cache_;
};

CacheSetting& TheCache() {
  static CacheSetting* const setting = new CacheSetting();
  return *setting;
}

// The places of this module's instructions in their source, which need not be those of the module
// that the image was compiled from.
void SetPlaces(const HloModule& module, runtime::ProgramImage& image) {
  if (image.calls.empty()) return;
  absl::flat_hash_map<absl::string_view, const HloInstruction*> named;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions())
      named.emplace(instruction->name(), instruction);
  }
  for (runtime::LibraryCall& call : image.calls) {
    const auto found = named.find(call.instruction.name());
    const SourcePlace place = found == named.end() ? SourcePlace() : SourcePlaceOf(*found->second);
    call.instruction.mutable_metadata()->set_source_file(place.file);
    call.instruction.mutable_metadata()->set_source_line(place.line);
  }
}

// Compiles, and writes what the module's debug options want to see of it.
absl::StatusOr<runtime::ProgramImage> CompileAndDump(const HloModule& module) {
  cpu::CompileReport report;
  report.wants_texts = true;
  HILO_ASSIGN_OR_RETURN(runtime::ProgramImage image, cpu::Compile(module, &report));
  HILO_RETURN_IF_ERROR(WriteReport(report, module.name(), module.config().debug_options()));
  return image;
}

bool IsProfiled(const HloModule& module) {
  return module.config().debug_options().xla_backend_extra_options().contains(
      runtime::kProfileOption);
}

class NativeBackend : public ExecutionBackend {
 public:
  absl::string_view name() const override { return "cpu"; }
  void WarmUp() override { cpu::WarmUp(); }
  absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(
      std::unique_ptr<HloModule> module) override {
    HILO_RETURN_IF_ERROR(VerifyForCompiler(*module));
    if (!module->config().debug_options().xla_dump_to().empty()) {
      HILO_ASSIGN_OR_RETURN(runtime::ProgramImage image, CompileAndDump(*module));
      return Load(std::move(module), std::move(image));
    }
    // What clients' own passes make of a module no key says, nor which lines regions come from.
    const std::shared_ptr<const ProgramCache> cache =
        passes::HasTransforms() || IsProfiled(*module) ? nullptr : TheCache().Get();
    const std::string key = cache == nullptr ? "" : ProgramCache::KeyOf(*module);
    if (!key.empty()) {
      if (std::optional<runtime::ProgramImage> found = cache->Find(key)) {
        SetPlaces(*module, *found);
        NativeModule::Facts facts(*found);
        facts.is_from_cache = true;
        absl::StatusOr<runtime::Program> program =
            runtime::LoadProgram(*std::move(found), cpu::MakeKernel);
        if (program.ok()) {
          return std::make_unique<NativeModule>(std::move(module), *std::move(program),
                                                std::move(facts));
        }
      }
    }
    HILO_ASSIGN_OR_RETURN(runtime::ProgramImage image, cpu::Compile(*module));
    if (!key.empty()) cache->Store(key, image);
    return Load(std::move(module), std::move(image));
  }
};

}  // namespace

void SetCacheDirectory(const std::string& folder) { TheCache().Set(folder); }

absl::StatusOr<std::string> CompileToBytes(const HloModule& module, cpu::CompileReport* report) {
  HILO_RETURN_IF_ERROR(VerifyModule(module));
  HILO_ASSIGN_OR_RETURN(const runtime::ProgramImage image, cpu::Compile(module, report));
  return runtime::SaveProgram(image);
}

absl::StatusOr<std::unique_ptr<CompiledModule>> LoadFromBytes(absl::string_view bytes) {
  HILO_ASSIGN_OR_RETURN(runtime::ProgramImage image, runtime::RestoreProgram(bytes));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                        ParseAndReturnUnverifiedModule(image.interface));
  HILO_RETURN_IF_ERROR(VerifyModule(*module));
  return Load(std::move(module), std::move(image));
}

ExecutionBackend& CpuBackend() {
  static NativeBackend* const backend = new NativeBackend();
  return *backend;
}

}  // namespace xla
