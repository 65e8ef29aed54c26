// Where the time of a program goes: which steps of its plan take how long, how close each comes to
// what the machine can do, and which lines of the source it comes from.
#ifndef HILO_TOOLS_PROFILE_H_
#define HILO_TOOLS_PROFILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "api/backend.h"
#include "tools/machine_limits.h"
#include "tools/repeated_run.h"

namespace xla {

// A step of the plan, or adjacent ones that are too short to be timed by themselves. Figures are of
// one run, and those of a loop or a conditional include what is in it.
struct ProfileEntry {
  std::string name;                       // of the longest step, such as "fusion.3" or "copy x"
  std::string kind;                       // launch, call, compute, update, copy, while, conditional
  std::string text;                       // what that step computes, such as "multiply, add (3)"
  std::vector<std::string> instructions;  // of all steps, and what is fused in them
  std::vector<std::string> sources;       // "FILE:LINE" that they come from
  int64_t parent = -1;                    // the entry of the loop or conditional around it
  int64_t calls = 0;
  int64_t trips = 0;  // of a loop, in all its calls together
  double nanoseconds = 0;
  double own_nanoseconds = 0;  // without entries inside
  double bytes = 0;            // read and written in memory
  double flops = 0;
  double share = 0;   // of the limit: 1 where the machine cannot do it faster
  std::string limit;  // "memory" or "arithmetic", whichever takes longer; empty where neither does
};

struct Profile {
  std::string module;
  MachineLimits machine;
  int64_t threads = 0;
  int64_t runs = 0;
  double nanoseconds = 0;         // of a run; a mean of the faster half, as all figures of entries
  double named_nanoseconds = 0;   // of that, what entries have
  double least_nanoseconds = 0;   // of a run that is profiled,
  double normal_nanoseconds = 0;  // and of one of the program as it is otherwise
  double overhead = 0;            // what profiling costs, such as 0.02: the median of pairs of runs
  std::vector<ProfileEntry> entries;  // in the order of the program: parents before what is inside

  // What happened when in one run, for the trace.
  struct Event {
    int64_t entry;
    int64_t thread;     // 0 for the one that runs the program
    double begin, end;  // in nanoseconds since the beginning of the run
  };
  std::vector<Event> events;
};

struct ProfileOptions {
  double seconds = 3;
  bool wants_events = false;
};

// Runs a program in turn as it is otherwise, `normal`, and compiled to be profiled. Both are of the
// same module; `run` is of the first one. InvalidArgument where `profiled` was compiled otherwise.
absl::StatusOr<Profile> MeasureProfile(RepeatedRun& run, CompiledModule& profiled,
                                       const ProfileOptions& options);

// The same of programs that `compile` makes, which is told how they are profiled
// (runtime::kProfileOption): of each step, or of what takes so long that profiling takes at most a
// twentieth of the time, where that can be.
using CompileToProfile =
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<CompiledModule>>(const std::string& how)>;
absl::StatusOr<Profile> MeasureEachStep(RepeatedRun& run, CompileToProfile compile,
                                        const ProfileOptions& options);
absl::StatusOr<Profile> MeasureCheapProfile(RepeatedRun& run, CompileToProfile compile,
                                            const ProfileOptions& options);

// A table for terminals: entries, the longest first, and what is inside of them. Without `has_all`,
// what is left out makes up a hundredth of the run.
std::string ProfileTable(const Profile& profile, bool has_all);
// One object, with a list "entries".
std::string ProfileJson(const Profile& profile);
// For Perfetto and chrome://tracing.
std::string ProfileTrace(const Profile& profile);

}  // namespace xla

#endif  // HILO_TOOLS_PROFILE_H_
