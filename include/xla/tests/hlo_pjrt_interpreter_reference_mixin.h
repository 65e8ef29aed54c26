// An older name of HloInterpreterReferenceMixin.
#ifndef XLA_TESTS_HLO_PJRT_INTERPRETER_REFERENCE_MIXIN_H_
#define XLA_TESTS_HLO_PJRT_INTERPRETER_REFERENCE_MIXIN_H_

#include "xla/tests/hlo_interpreter_reference_mixin.h"

namespace xla {

template <typename T>
using HloPjRtInterpreterReferenceMixin = HloInterpreterReferenceMixin<T>;

}  // namespace xla

#endif  // XLA_TESTS_HLO_PJRT_INTERPRETER_REFERENCE_MIXIN_H_
