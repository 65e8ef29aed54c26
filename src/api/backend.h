// The seam between the API and the back ends: what it takes to run a module. One object per back end.
#ifndef HILO_API_BACKEND_H_
#define HILO_API_BACKEND_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

// A module ready to run. Run may be called from several threads at once.
class CompiledModule {
 public:
  virtual ~CompiledModule() = default;
  virtual const HloModule& module() const = 0;
  // `arguments` are the parameters of the entry computation in order. InvalidArgument when their number or shapes
  // differ from the program's.
  virtual absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments) = 0;
  // Runs on replicas * partitions devices, with arguments and a result for each: first all partitions of replica 0.
  virtual absl::StatusOr<std::vector<Literal>> RunReplicated(
      absl::Span<const std::vector<const Literal*>> arguments, int64_t replicas,
      int64_t partitions) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual absl::string_view name() const = 0;
  // Verifies and compiles; the first broken rule is the error.
  virtual absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(
      std::unique_ptr<HloModule> module) = 0;
};

// "interpreter" is the reference evaluator. NotFound for other names, with the list of those there are.
absl::StatusOr<Backend*> FindBackend(absl::string_view name);
std::vector<std::string> BackendNames();

// The back end that clients get who do not ask for one.
Backend& DefaultBackend();

// Whether a value of shape `given` may be passed where `wanted` is declared: the same shape but for layouts, or one within the
// bounds of dynamic dimensions.
bool IsArgumentFor(const Shape& given, const Shape& wanted);

// InvalidArgument unless `arguments` are what the entry computation of `module` takes.
absl::Status CheckArguments(const HloModule& module, absl::Span<const Literal* const> arguments);

}  // namespace xla

#endif  // HILO_API_BACKEND_H_
