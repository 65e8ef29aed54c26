// The plan of a program in words.
#ifndef HILO_CPU_PLAN_DESCRIBE_H_
#define HILO_CPU_PLAN_DESCRIBE_H_

#include "cpu/plan/memory.h"
#include "cpu/report.h"
#include "passes/decision.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Adds the steps and buffers of a module that is ready for code generation, with the reasons that
// its passes had.
void Describe(const HloModule& module, const MemoryPlan& plan, const passes::Decisions& decisions,
              CompileReport& report);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_DESCRIBE_H_
