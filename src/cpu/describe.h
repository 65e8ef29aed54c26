// What there is to say about the plan of a program.
#ifndef HILO_CPU_DESCRIBE_H_
#define HILO_CPU_DESCRIBE_H_

#include <string>
#include <vector>

#include "codegen/program/plan.h"
#include "cpu/report.h"
#include "passes/decision.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// About a step. Texts are empty where there is nothing to say.
struct StepNotes {
  // What has a kernel of its own although the fusion that the step launches reads it.
  struct Producer {
    const HloInstruction* instruction;
    std::string why_apart;  // empty where nobody tried
  };
  std::string library;   // the library kernel that it calls
  std::string computes;  // what is fused: "multiply, add (3), ...", the most frequent first
  std::string sources;   // where that comes from: "FILE:LINE, ...", the first few places
  std::string why_not_in_registers;
  std::vector<Producer> reads;
};
StepNotes NotesOn(const program::Step& step, const passes::Decisions& decisions);

// Adds the plan of a program, with the reasons that passes over its module had.
void Describe(const program::Plan& plan, const passes::Decisions& decisions, CompileReport& report);

}  // namespace xla::cpu

#endif  // HILO_CPU_DESCRIBE_H_
