// Adds Hilo's reference evaluator to a fixture as the source of expected results.
#ifndef XLA_TESTS_HLO_INTERPRETER_REFERENCE_MIXIN_H_
#define XLA_TESTS_HLO_INTERPRETER_REFERENCE_MIXIN_H_

#include <memory>
#include <utility>

#include "xla/service/hlo_runner_interface.h"
#include "xla/tests/hlo_runner_agnostic_reference_mixin.h"

namespace xla {

// The runner of the reference evaluator.
std::unique_ptr<HloRunnerInterface> MakeInterpreterRunner();

template <typename T>
class HloInterpreterReferenceMixin : public HloRunnerAgnosticReferenceMixin<T> {
 protected:
  template <typename... BaseArgs>
  explicit HloInterpreterReferenceMixin(BaseArgs&&... base_args)
      : HloRunnerAgnosticReferenceMixin<T>(MakeInterpreterRunner(),
                                           std::forward<BaseArgs>(base_args)...) {}
};

}  // namespace xla

#endif  // XLA_TESTS_HLO_INTERPRETER_REFERENCE_MIXIN_H_
