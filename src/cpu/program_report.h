// A compiled program as plain data: its instructions, the plan that runs them, and the memory that
// they take. Everything refers to everything else by its position in the list of its kind; -1 is
// none.
#ifndef HILO_CPU_PROGRAM_REPORT_H_
#define HILO_CPU_PROGRAM_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/program/passes.h"
#include "codegen/program/plan.h"
#include "passes/decision.h"

namespace xla::cpu {

struct ProgramReport {
  // Of the module behind all passes, computation after computation, each in the order in which it
  // runs.
  struct Instruction {
    std::string name, opcode, shape, layout;
    std::string text;             // HLO without metadata and without large constants
    std::string source, op_name;  // "FILE:LINE" and the scope; empty where nothing is known
    int computation;
    std::vector<int> operands, calls;  // calls: computations
  };
  struct Computation {
    std::string name;
    int root;
    bool is_fusion;
  };

  // A leaf of what an instruction gives; Array in codegen/program/plan.h.
  struct Array {
    std::string name, shape, place;
    int instruction;
    int64_t bytes, number, offset;  // where in its place
    bool in_register, in_memory;
    std::vector<program::Interval> lives;
  };
  struct Apart {
    int instruction;
    std::string why;  // empty where nobody tried
  };
  // In the order in which they begin, those inside of others behind them.
  struct Step {
    std::string kind;
    int instruction, parent, kernel;
    int64_t time;  // at which it reads; it writes at the next point
    std::vector<int> reads, writes;
    std::string library, computes, why_not_in_registers;
    std::vector<Apart> apart;
  };
  struct Line {
    int depth, step;
    std::string text;
  };
  struct Kernel {
    std::string computation, loops;  // HLO with dimensions merged, and its loop IR
  };
  struct Copy {
    int from, to;
    std::string why;
  };
  // What of the arena is in use from a point of time on: so many bytes, the last of them before
  // `end`.
  struct Use {
    int64_t time, bytes, end;
  };

  std::string module, target;
  std::vector<Computation> computations;  // the entry first
  std::vector<Instruction> instructions;
  std::vector<Array> arrays;
  std::vector<Step> steps;
  std::vector<Line> lines;  // of the plan's text
  std::vector<Kernel> kernels;
  std::vector<Copy> copies;
  std::vector<Use> uses;
  int64_t arena_bytes = 0;
};

// Of a plan behind all passes, with the reasons that passes over its module had.
ProgramReport ReportProgram(const program::Plan& plan, const passes::Decisions& decisions);

}  // namespace xla::cpu

#endif  // HILO_CPU_PROGRAM_REPORT_H_
