// What a compile did, for people who want to know.
#ifndef HILO_CPU_REPORT_H_
#define HILO_CPU_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace xla::cpu {

struct CompileReport {
  bool wants_texts = false;  // whether `text`, `loops`, `llvm_ir` and `objects` are wanted

  // A pass, or what comes after all of them.
  struct Stage {
    std::string name;
    double milliseconds = 0;
    bool changed = false;
    std::string text;  // the module behind it
  };
  std::string input;  // the module before all stages
  std::vector<Stage> stages;

  // What runs, in order; computations of loops and branches after those that call them.
  struct Step {
    std::string computation;
    std::string name;
    std::string kind;  // "kernel", "library cholesky", "in registers", "while", ...
    std::vector<std::string> operations;
    std::vector<std::string> sources;  // "FILE:LINE" of what it computes
    std::string why_in_memory;         // and not in registers, where its result is small
    struct Producer {
      std::string name;
      std::string why_apart;  // from this step; empty where nothing was decided
    };
    std::vector<Producer> producers;  // other kernels whose results it reads
  };
  std::vector<Step> steps;

  // Arrays that are copied because two could not share memory.
  struct Copy {
    std::string from, to;
    std::string shape;
    std::string why;
  };
  std::vector<Copy> copies;

  // Results that an alias ties to parameters, by numbers of their arrays.
  struct Alias {
    int64_t result, parameter;
    std::string why_not;  // the result gets memory of its own; empty where it does not
  };
  std::vector<Alias> aliases;

  // Arrays that lie in the arena; the order of steps is their time.
  struct Buffer {
    std::string name;
    std::string shape;
    std::string place;   // "arena", "parameter", "result", "constant"
    int64_t number = 0;  // in its place
    int64_t offset = 0;  // from the beginning of what the number says, or of the arena, in bytes
    int64_t bytes = 0;
    int64_t begin = 0, end = 0;  // the first and the last moment at which it is needed
  };
  std::vector<Buffer> buffers;
  int64_t arena_bytes = 0;

  std::string loops;  // of the kernels, as LoopsText has them
  std::string llvm_ir;
  std::vector<std::string> objects;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_REPORT_H_
