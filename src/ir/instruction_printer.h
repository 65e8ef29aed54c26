// The text of one instruction, as part of that of a computation.
#ifndef HILO_IR_INSTRUCTION_PRINTER_H_
#define HILO_IR_INSTRUCTION_PRINTER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/printer.h"

namespace xla {

// What is kept while one text is printed.
struct PrintState {
  // How much of called computations is printed in full where they are called. As one may be called
  // from many places and call others from many, this is what keeps the text finite; what comes
  // later is printed by name.
  static constexpr int kMaxDepth = 200;
  int depth = 0;
  int64_t body_instructions_left = int64_t{1} << 20;
  // The start of each asynchronous operation that was looked for, by any instruction of its chain.
  absl::flat_hash_map<const HloInstruction*, const HloInstruction*> async_starts;
  // Whether what belongs to a start is printed in its short form.
  absl::flat_hash_map<const HloInstruction*, bool> has_async_sugar;
  // The computations named by asynchronous steps whose start is elsewhere; absent until asked for.
  std::optional<absl::flat_hash_set<const HloComputation*>> named_by_later_steps;
};

// What the printing of an instruction needs to know besides the instruction.
struct PrintContext {
  PrintState* state = nullptr;
  // The numbers of the names tmp_0, tmp_1, ... of a computation whose names do not matter.
  absl::flat_hash_map<const HloInstruction*, int64_t>* canonical_names = nullptr;
  // Text that stands for a called computation in place of its body, if there is any.
  const absl::flat_hash_map<const HloComputation*, std::string>* callee_texts = nullptr;
};

// Without "ROOT" and indentation.
void PrintInstruction(Printer* printer, const HloInstruction& instruction,
                      const HloPrintOptions& options, const PrintContext& context);

// The computation from its name to the closing brace. Of the context everything but the names
// counts.
void PrintComputation(Printer* printer, const HloComputation& computation,
                      const HloPrintOptions& options,
                      absl::Span<const HloInstruction* const> instruction_order,
                      const PrintContext& context);

// Whether `instruction`, the start of an asynchronous operation or what follows it, is written as
// <operation>-start, without the computation that it calls. That must say everything about the
// computation that the reader cannot know.
bool IsPrintedAsAsyncSugar(const HloInstruction& instruction, const HloPrintOptions& options,
                           PrintState& state);

// Whether %t#1 stands for `instruction`, a get-tuple-element, wherever it is used.
bool IsPrintedInUsers(const HloInstruction& instruction, const HloPrintOptions& options);

// The instructions in the order in which they are printed: that of the schedule if there is one.
std::vector<HloInstruction*> PrintOrder(const HloComputation& computation);

}  // namespace xla

#endif  // HILO_IR_INSTRUCTION_PRINTER_H_
