// The plan of a program in words.
#ifndef HILO_CPU_DESCRIBE_H_
#define HILO_CPU_DESCRIBE_H_

#include "codegen/program/plan.h"
#include "cpu/report.h"
#include "passes/decision.h"

namespace xla::cpu {

// Adds the plan of a program, with the reasons that passes over its module had.
void Describe(const program::Plan& plan, const passes::Decisions& decisions, CompileReport& report);

}  // namespace xla::cpu

#endif  // HILO_CPU_DESCRIBE_H_
