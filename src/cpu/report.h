// What a compile did, for people who want to know.
#ifndef HILO_CPU_REPORT_H_
#define HILO_CPU_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cpu/program_report.h"

namespace xla::cpu {

struct CompileReport {
  bool wants_texts = false;  // whether `text`, `loops`, `llvm_ir` and `objects` are wanted
  bool wants_data = false;   // whether `data` is

  // A pass, or what comes after all of them.
  struct Stage {
    std::string name;
    double milliseconds = 0;
    bool changed = false;
    std::string text;  // the module behind it
  };
  std::string input;  // the module before all stages
  std::vector<Stage> stages;

  // The plan (codegen/program/plan.h), with what each step computes, from which "FILE:LINE", and
  // why it is apart from what it reads.
  std::string program;
  std::vector<std::string> copies;       // what is copied, and why the two do not share memory
  std::map<std::string, int64_t> bytes;  // of all arrays in a place
  int64_t arena_bytes = 0;

  // Results that an alias ties to parameters, by numbers of their arrays.
  struct Alias {
    int64_t result, parameter;
    std::string why_not;  // the result gets memory of its own; empty where it does not
  };
  std::vector<Alias> aliases;

  std::optional<ProgramReport> data;
  std::string loops;  // of the kernels, as LoopsText has them
  std::string llvm_ir;
  std::vector<std::string> objects;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_REPORT_H_
