// The seam between the API and the back ends: what it takes to run a module. One object per back
// end.
#ifndef HILO_API_BACKEND_H_
#define HILO_API_BACKEND_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "api/program_interface.h"
#include "runtime/ffi/setting.h"
#include "runtime/rendezvous.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

namespace runtime {
class Mailboxes;
class Recording;
struct Region;
}  // namespace runtime

// What surrounds a run.
struct RunContext {
  // For infeed, outfeed, send and recv; null where there is no host to talk to.
  runtime::Mailboxes* mailboxes = nullptr;
  uint64_t seed = 0;  // of random numbers that the program does not seed itself; 0 for the seed of
                      // its configuration
  runtime::Device device;  // which of several devices that run the program together
  const std::atomic<bool>* stop =
      nullptr;  // becomes true when the run is to end, for whatever waits; may be null
  runtime::FfiSetting ffi = {};             // for typed custom calls
  runtime::Recording* recording = nullptr;  // of a program that has regions; may be null
};

// A module ready to run. All may be called from several threads at once.
class CompiledModule {
 public:
  virtual ~CompiledModule() = default;
  virtual const HloModule& module() const = 0;
  virtual const ProgramInterface& interface() const = 0;

  // Runs on bare memory: the arrays of all parameters in order, in row-major order, and behind them
  // an int32_t for each of their dynamic dimensions; of the result likewise, as
  // interface().result.arrays says. All are aligned to runtime::kAlignment. Parameters are only
  // read, but where interface().aliases has a pair that is_in_place, both pointers may be the same:
  // then the result takes the parameter's place.
  virtual absl::Status RunOnMemory(absl::Span<const void* const> parameters,
                                   absl::Span<void* const> results, const RunContext& context) = 0;

  // What is known of a run beforehand.
  struct Traits {
    bool may_wait = false;    // for other devices, for the host or for functions of the caller
    bool meets_host = false;  // exchanges values with it, in the order of the runs
    bool depends_on_values = false;  // how long it takes may depend on the arguments
    int64_t temporary_bytes = 0;
    int64_t code_bytes = 0;
    bool is_from_cache = false;  // it was not compiled for this module object
  };
  virtual Traits traits() const = 0;
  // What is timed by itself, where the program was compiled to be profiled (runtime/profile.h).
  virtual absl::Span<const runtime::Region> regions() const { return {}; }

  // `arguments` are the parameters of the entry computation in order. InvalidArgument when their
  // number or shapes differ from the program's. What must be donated counts as donated: the run has
  // copies.
  virtual absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments,
                                      const RunContext& context) = 0;
  absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments) {
    return Run(arguments, RunContext());
  }

  // Runs on replicas * partitions devices, with arguments and a result for each: first all
  // partitions of replica 0.
  virtual absl::StatusOr<std::vector<Literal>> RunReplicated(
      absl::Span<const std::vector<const Literal*>> arguments, int64_t replicas, int64_t partitions,
      const RunContext& context) = 0;
  absl::StatusOr<std::vector<Literal>> RunReplicated(
      absl::Span<const std::vector<const Literal*>> arguments, int64_t replicas,
      int64_t partitions) {
    return RunReplicated(arguments, replicas, partitions, RunContext());
  }

 protected:
  // What the operations of a module say of its runs, without bytes.
  static Traits TraitsOf(const HloModule& module);
};

class ExecutionBackend {
 public:
  virtual ~ExecutionBackend() = default;
  virtual absl::string_view name() const = 0;
  // Verifies and compiles; the first broken rule is the error.
  virtual absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(
      std::unique_ptr<HloModule> module) = 0;
  // Makes what the first compile of the process would otherwise make.
  virtual void WarmUp() {}
};

// "interpreter" is the reference evaluator, "cpu" the compiler to native code. NotFound for other
// names, with the list of those there are.
absl::StatusOr<ExecutionBackend*> FindBackend(absl::string_view name);
std::vector<std::string> BackendNames();

// The back end that clients get who do not ask for one: that which HILO_BACKEND of the environment
// names or, where it names none, the compiler where it can compile for this machine.
ExecutionBackend& DefaultBackend();

// Whether a value of shape `given` may be passed where `wanted` is declared: the same shape but for
// layouts, or one within the bounds of dynamic dimensions.
bool IsArgumentFor(const Shape& given, const Shape& wanted);

// The seed of a run: that of its options, that of the program's configuration or, where both are 0,
// one that differs from all others.
uint64_t SeedOfRun(const HloModule& module, int64_t option);

// What back ends ask of a module before they compile it: the verifier's rules, but that operations
// may have floating-point numbers of several types (HloVerifierOpts::allow_mixed_precision). Such
// are then written in one.
absl::Status VerifyForCompiler(HloModule& module);

// InvalidArgument unless `arguments` are what the entry computation of `module` takes.
absl::Status CheckArguments(const HloModule& module, absl::Span<const Literal* const> arguments);

}  // namespace xla

#endif  // HILO_API_BACKEND_H_
