// Passes as rows of a table, from which pipelines are made and which tools list and run by name.
#ifndef HILO_PASSES_TABLE_H_
#define HILO_PASSES_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "passes/decision.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::passes {

enum class Stage {
  kHlo,      // for every back end
  kKernels,  // shapes and operations that kernels are good at
  kFusion,   // what becomes one kernel
};
// As tools print it.
absl::string_view StageName(Stage stage);

// What a pass relies on, bits that are combined. Each is made true by another pass.
enum Requirement : uint32_t {
  kAnyModule = 0,
  kNoCalls = 1 << 0,          // nor fusions: inline-calls
  kOwnComputations = 1 << 1,  // of each loop and each branch: flatten-control-flow
  kScalarIndices = 1 << 2,    // of dynamic slices: expand-index-vectors
  kLocalAsync = 1 << 3,       // steps of an operation in one computation: expand-async
};

// How passes are run.
struct PassOptions {
  // Checks what each pass requires, and verifies the module after each: in builds for debugging and
  // wherever the variable HILO_VERIFY_PASSES of the environment is 1. Where it is 2, passes that
  // say that they changed nothing are checked as well.
  bool verifies = VerifiesByDefault();
  // Takes down what passes decide against, where it is not null.
  Decisions* decisions = nullptr;

  static bool VerifiesByDefault();
};

// Changes a module without changing what it computes; says whether it did.
class PassFunction {
 public:
  using OfModule = absl::StatusOr<bool> (*)(HloModule& module);
  using OfOptions = absl::StatusOr<bool> (*)(HloModule& module, const PassOptions& options);

  constexpr PassFunction(OfModule run) : of_module_(run) {}
  constexpr PassFunction(OfOptions run) : of_options_(run) {}

  absl::StatusOr<bool> operator()(HloModule& module, const PassOptions& options) const {
    return of_module_ != nullptr ? of_module_(module) : of_options_(module, options);
  }

 private:
  OfModule of_module_ = nullptr;
  OfOptions of_options_ = nullptr;
};

struct Pass {
  absl::string_view name;
  Stage stage;
  uint32_t requirements;
  PassFunction run;
  absl::string_view summary;
};

// Runs passes in order. Errors name the pass. `after` hears of each pass and whether it changed
// anything. A module that has changed has no schedule any more.
using AfterPass = absl::FunctionRef<void(const Pass& pass, bool changed)>;
absl::Status Run(absl::Span<const Pass> passes, HloModule& module, const PassOptions& options,
                 AfterPass after);
absl::Status Run(absl::Span<const Pass> passes, HloModule& module, const PassOptions& options = {});

// The rows of what is in src/passes. Back ends have more.
absl::Span<const Pass> HloPasses();

// The passes of a list of names like "inline-calls,remove-dead-code". InvalidArgument, with the
// names there are, for another name.
absl::StatusOr<std::vector<Pass>> FindPasses(absl::Span<const Pass> table, absl::string_view names);

}  // namespace xla::passes

#endif  // HILO_PASSES_TABLE_H_
