// The program of a module as data: what runs, in order, on which arrays, and where these lie.
// Whether an array is in registers, what shares memory, what is copied and what becomes a function
// of its own is data here, made by passes (passes.h), and whoever emits code from it decides
// nothing. As text, without the lives of arrays:
//
//   program of sum_up
//     x: f32[1000] parameter 0
//     limit: s32[] constant 0
//     loop{0}: s32[] register
//     loop{1}: f32[1000] result 0
//     ...
//   entry
//     loop{0} = zero
//     loop{1} = copy x
//     loop{0}, loop{1} = while 10 times
//       test less
//         less = compare(loop{0}, limit)
//       do
//         fusion = launch kernel 0(loop{1})
//         next = add(loop{0}, one)
//         loop{0} = next
//         loop{1} is fusion
#ifndef HILO_CODEGEN_PROGRAM_PLAN_H_
#define HILO_CODEGEN_PROGRAM_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "codegen/loops/kernel.h"
#include "codegen/target.h"
#include "passes/decision.h"
#include "runtime/profile.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla::program {

enum class Place { kUnassigned, kParameter, kResult, kConstant, kArena, kStack };
absl::string_view PlaceName(Place place);

struct Slot {
  Place place = Place::kUnassigned;
  int64_t number = 0;  // of the parameter leaf, result leaf or constant; of the array on the stack
  int64_t offset = 0;  // in bytes from the beginning of that array or of the arena

  friend bool operator==(const Slot&, const Slot&) = default;
};

// Where a slice lies in the array that it is a slice of: `offset` bytes behind its beginning, and
// by `bytes` more for each index of a start, which is known when the program runs and is limited to
// [0, most] first.
struct Inside {
  struct Start {
    int index;
    int64_t most, bytes;
  };
  int base;
  int64_t offset = 0;
  std::vector<Start> starts = {};
};

// What an instruction writes: the result of an operation, a leaf of the state of a while or of the
// result of a conditional, a parameter of the entry, a constant. Tuples, get-tuple-element,
// reshapes and the like are aliases of arrays.
struct Array {
  Shape shape;
  const HloInstruction* definition;
  int leaf = 0;              // which array of its result
  bool in_register = false;  // where the function reads it that defines it,
  bool in_memory = true;     // or somebody else does; neither where it is uninitialised
  Slot slot = {};
  int64_t begin = 0, end = 0;         // the time during which its memory is needed
  std::optional<Inside> inside = {};  // another array, which has the memory

  int64_t bytes() const { return ShapeUtil::ByteSizeOf(shape); }
};

// An array gets the value of another one.
struct Assignment {
  int to, from;
};
// Copies of arrays in memory, group after group. Those of one group are exchanged at once.
using Copies = std::vector<std::vector<Assignment>>;

struct Step;

// What runs when a computation does, and what its caller's arrays get at its end, all at once.
struct Block {
  const HloComputation* computation = nullptr;
  std::vector<Step> steps = {};
  std::vector<Assignment> assignments = {};
  Copies copies = {};    // for those that need one
  int copied = -1;       // the region that ends behind them
  bool is_cold = false;  // of a function: it takes little of the time of a run
};

struct Step {
  enum class Kind {
    kCompute,      // in registers
    kLaunch,       // of the kernel of a fusion
    kSlice,        // finds where a slice lies in the array reads[0]
    kCall,         // of a library kernel
    kAwait,        // of a call that goes on `beside` the steps behind it: reads all its arrays
    kUpdate,       // of a window of an array in memory
    kAssign,       // nothing but the assignments
    kWhile,        // blocks: whether it goes on, as `condition` says then, and what is done
    kConditional,  // blocks: the branches, among which `condition` selects
    kFunction,     // blocks: what runs in a function of its own, perhaps for blocks of units
    kRepeat,       // blocks: launches of one kernel, which differ in their arrays alone
    kReturn,       // gives a result of the program its value
  };
  Kind kind;
  const HloInstruction* instruction = nullptr;
  // In the order of operands and results; of a while its state, before and behind it.
  std::vector<int> reads = {}, writes = {};
  // Made first, all at once: operands become results that update them, or the state of a while.
  std::vector<Assignment> assignments = {};
  std::vector<int> uninitialized = {};  // of the state, what begins with whatever its memory holds
  Copies copies = {};                   // for those that need one
  std::vector<Block> blocks = {};
  int condition = -1;
  // Of reads, the position of what a computation or an update reads in memory, or -1.
  int memory_operand = -1;
  int64_t result = 0;  // the number of a program's result
  int kernel = -1;     // of a launch, or that a library kernel calls
  // Of a launch: so many bytes behind the beginning of each array that it reads is what the kernel
  // takes for it. Empty where they all begin at the beginning.
  std::vector<int64_t> offsets = {};
  // Of a launch or a function, and how many a thread takes; 0 for no threads.
  int64_t units = 0, least = 0;
  int64_t beside = -1;           // the number of a call that goes on beside others, or is awaited
  int64_t units_of_block = 0;    // of a function that has units,
  loops::Strips strips = {};     // and what these have of its arrays
  std::optional<int64_t> trips;  // of a while, if they are known
  // The regions that end behind its copies and behind the step, where there are some.
  int copied = -1, region = -1;
};

// Arrays that could not share memory, so that one is copied.
struct Copy {
  int from, to;
  passes::Decision shares;
};

// What fusions launch that compute the same, whatever slices they take of what they read. Where
// many kernels would differ in scalar constants alone, these are parameters behind those of the
// fusion.
struct Kernel {
  std::unique_ptr<HloComputation> computation;  // dimensions merged
  loops::Kernel loops = {};
  bool is_cold = false;  // all its launches together take little of the time of a run
};

struct Plan {
  const HloModule* module = nullptr;
  const codegen::Target* target = nullptr;
  absl::string_view last_pass;  // over it or over its loops, where not all are wanted
  std::vector<Kernel> kernels;
  std::vector<Array> arrays;
  std::vector<const HloInstruction*> constants;                // by numbers of slots
  std::vector<std::unique_ptr<HloInstruction>> own_constants;  // that are none of the module's
  std::vector<int> parameters, results;                        // leaves, in order
  Block entry;
  std::vector<Copy> copies;
  int64_t arena_bytes = 0;
  std::vector<runtime::Region> regions;  // where the program is profiled

  // The array whose memory an array is in.
  int BaseOf(int array) const {
    const std::optional<Inside>& inside = arrays[array].inside;
    return inside.has_value() ? inside->base : array;
  }
  // Whether it is never written.
  bool IsReadOnly(int array) const {
    const Place place = arrays[array].slot.place;
    return place == Place::kParameter || place == Place::kConstant;
  }
  std::string NameOf(int array) const;
};

// Calls for each step, those around others first.
void ForEachStep(const Block& block, absl::FunctionRef<void(const Step&)> visit);
void ForEachStep(Block& block, absl::FunctionRef<void(Step&)> visit);

// A line of the text, and the step that it says something about, if it is one.
struct Line {
  int depth;
  std::string text;
  const Step* step;
};
std::vector<Line> ToLines(const Plan& plan);
// With lines of notes below each step.
using Notes = absl::FunctionRef<std::vector<std::string>(const Step&)>;
std::string ToString(const Plan& plan, Notes notes);
std::string ToString(const Plan& plan);

// What an instruction computes, such as "multiply, add (3)" for a fusion: products first, then the
// most frequent operation. What only repeats or names values is left out where there is more.
std::string OperationsText(const HloInstruction& instruction);
// "FILE:LINE" of the instruction and of what is fused in it, each once.
std::vector<std::string> SourcesOf(const HloInstruction& instruction);
// The instruction, or what is fused in it, apart from parameters and tuples.
std::vector<const HloInstruction*> PartsOf(const HloInstruction& instruction);

// Whether every value is there when it is read: registers are defined in the function that reads
// them, memory has been written and not been overwritten since.
absl::Status Verify(const Plan& plan);

// Equal for computations that compute the same, whatever their instructions are called.
std::string KeyOf(const HloComputation& computation);
// The leaves of a shape that are arrays, in order.
std::vector<Shape> ArrayLeaves(const Shape& shape);
// Whether no result of an instruction has an element.
bool HasNoElements(const HloInstruction& instruction);
// Whether the operand's memory becomes the result's if a fusion has such a root.
bool IsUpdatedInPlace(const HloInstruction& root, int64_t operand);
// Whether an instruction defines nothing: its value is that of its operands, or of what its
// computation is called with.
bool IsAlias(const HloInstruction& instruction);

}  // namespace xla::program

#endif  // HILO_CODEGEN_PROGRAM_PLAN_H_
