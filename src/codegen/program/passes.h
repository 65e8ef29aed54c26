// How the plan of a program comes about. Each pass makes one kind of decision.
#ifndef HILO_CODEGEN_PROGRAM_PASSES_H_
#define HILO_CODEGEN_PROGRAM_PASSES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "codegen/program/plan.h"
#include "codegen/target.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::program {

struct ProgramPass {
  absl::string_view name;
  absl::Status (*run)(Plan& plan);
};
// In the order in which they run.
absl::Span<const ProgramPass> ProgramPasses();

// The plan of a module behind all passes, or behind the last one that is wanted, which may
// be one over the loops of kernels (loops/schedule.h). The module must
// have passed VerifyModule; calls must have been inlined.
absl::StatusOr<Plan> MakePlan(const HloModule& module, const codegen::Target& target,
                              absl::string_view last = "");

// Steps on arrays, in the order of instructions. Large arrays that a loop or all branches of a
// conditional hand on unchanged are no new arrays.
Plan Lower(const HloModule& module, const codegen::Target& target);

// Slices in one piece are no new arrays where what they are slices of keeps its value: they are
// read where they lie.
absl::Status AliasSlices(Plan& plan);

// The kernels that fusions launch, their loops, how many units of work they have, and which
// launches threads share.
absl::Status ScheduleKernels(Plan& plan);

// Long computations become several functions.
absl::Status SplitFunctions(Plan& plan);
// Loops whose steps compute elements of large arrays each by itself become functions of the units
// that have these elements: a block of units, which stays in the cache, takes all steps before the
// next one begins.
absl::Status BlockLoops(Plan& plan);
// Exchanges between devices begin when their operands are there and go on beside the steps behind
// them, until somebody needs their results.
absl::Status OverlapCollectives(Plan& plan);
// What a step computes and an update then stores in one piece is written there at once, and is no
// array of its own any more.
absl::Status AliasUpdates(Plan& plan);
// What is small stays in registers, and goes to memory where somebody needs it there.
absl::Status ChooseRegisters(Plan& plan);
// Arrays get their places in memory. Those whose lives do not overlap share it; those that hold the
// same thing one after the other (the state of a loop and its next value, an array and the same
// array updated) share it on purpose, so that nothing is copied, and operands of a concatenation
// lie in its result where they can.
absl::Status AssignBuffers(Plan& plan);
// Assignments between arrays in different places become copies, in an order in which nothing is
// overwritten that is needed yet.
absl::Status OrderCopies(Plan& plan);
// Large results that are gone from the caches before somebody reads them are written to memory past
// these: a line of the cache is not read before it is written, and nothing else has to leave.
absl::Status StreamResults(Plan& plan);
// Where the module asks for it (runtime::kProfileOption), steps and copies are divided into the
// regions that are timed by themselves.
absl::Status MarkRegions(Plan& plan);
// Of launches of one kernel one after the other, there is code for one, which takes their arrays
// from a table.
absl::Status JoinLaunches(Plan& plan);
// Kernels and functions that together take next to nothing of the time of a run are cold: their
// code is generated in less time, and may be slower.
absl::Status MarkColdCode(Plan& plan);

// ---- For passes

// Whether a slice begins at a multiple of runtime::kAlignment if what it is a slice of does.
bool IsAligned(const Inside& inside);

// Lets threads share the units of a launch or function of this cost, unless one of them would have
// nearly all.
void ShareUnits(double cost, Step& step);

// Whether a step, or one inside it, reads, writes or assigns one of these arrays.
bool Touches(const Step& step, const std::vector<int>& arrays);

// Whether units that have these strips can take the steps of a loop one after the other: all that
// is launched has such units, and reads what changes only where the same unit writes it.
passes::Decision RunsByUnits(const Plan& plan, const Step& loop, const loops::Strips& strips);

// An interval of the timeline, both ends included. Each step has two points: it reads at the first
// and writes at the second.
struct Interval {
  int64_t begin, end;
};
// Arrays that may lie in the same memory, one after the other: `to` takes over from `from` at a
// time at which both live, or after it if that is -1.
struct CopyRelated {
  int from, to;
  int64_t time;
};
// A concatenation whose operands are parts of its result one after the other in memory.
struct Concatenated {
  const Step* step;
  int64_t time;
};
struct Liveness {
  std::vector<std::vector<Interval>> lives;  // of each array; none where nothing writes it
  std::vector<CopyRelated> copy_related;     // their values are the same
  std::vector<CopyRelated> in_place;         // a step reads each element before it writes one there
  std::vector<Concatenated> concatenated;
  absl::flat_hash_map<const Step*, int64_t> times;  // the first point of each step
  // In these, threads are at different steps at the same time.
  std::vector<Interval> functions_of_units;
};
Liveness FindLiveness(const Plan& plan);

}  // namespace xla::program

#endif  // HILO_CODEGEN_PROGRAM_PASSES_H_
