// What compiled code is to whoever runs it: the entry point, the memory it wants, the constants it
// reads, and what it asks of the runtime. Nothing here knows how the code was made.
#ifndef HILO_RUNTIME_PROGRAM_H_
#define HILO_RUNTIME_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "codegen/target.h"
#include "runtime/launch_site.h"
#include "runtime/library_kernel.h"
#include "runtime/memory.h"
#include "runtime/profile.h"

extern "C" {

struct HiloFrame;

using HiloEntry = void(HiloFrame* frame);

// Part of a kernel's work: rows `begin` to `end` of as many as the caller was told.
using HiloKernel = void(void* const* arrays, int64_t begin, int64_t end);

// A computation on scalars that a library kernel applies to `count` sets of arguments at once: each
// argument and each result is an array of so many elements. Results may lie where arguments of the
// same type do.
using HiloFunction = void(const void* const* arguments, void* const* results, int64_t count);

// Runs rows [0, rows) of a kernel on several threads, in parts of at least `least` rows. At launch
// site `site` of the program it is found out how many threads are worth it.
using HiloParallel = void(HiloFrame* frame, HiloKernel* kernel, void* const* arrays, int64_t rows,
                          int64_t least, int64_t site);

// Runs library call `number` of the program, or begins one that goes on beside others, or awaits
// it. False when it failed: the program must return at once.
using HiloCall = bool(HiloFrame* frame, int64_t number, void* const* arrays);

// What has passed since the last time belongs to region `number` of a program that is profiled,
// which has made so many trips if it is a loop.
using HiloStamp = void(HiloFrame* frame, int64_t number, int64_t trips);

// Copies a large array, on several threads.
using HiloCopy = void(void* to, const void* from, int64_t bytes);

// What one run hands to compiled code. Arrays are contiguous in row-major order and aligned to
// runtime::kAlignment. Compiled code knows the fields by number: see FrameField in
// cpu/emit/frame.h.
struct HiloFrame {
  const void* const* parameters;  // leaves of the entry's parameters, in order
  void* const* results;           // leaves of the result, in order
  const void* const* constants;
  char* arena;   // `arena_bytes`, whatever is in it
  void** lists;  // what Program::lists names; the program may change it
  HiloParallel* parallel;
  HiloCall* call;
  HiloStamp* stamp;
  HiloCopy* copy;
  void* run;  // the runtime's own
};
}

namespace xla::runtime {

// The number by which a program awaits a call that goes on `beside` others, and the other way
// round.
constexpr int64_t AwaitOf(int64_t beside) { return -1 - beside; }

// Where an array of a list lies: so many bytes behind the beginning of one that the frame names.
// The arena is the only one of its kind. Kinds have the order of the frame's fields.
struct ListedArray {
  enum Of : int32_t { kParameter, kResult, kConstant, kArena };
  Of of = kArena;
  int32_t number = 0;
  int64_t offset = 0;
};

struct Program {
  HiloEntry* entry = nullptr;
  uint64_t seed = 0;              // where a run is given none
  bool keeps_subnormals = false;  // takes them for zeros otherwise
  int64_t arena_bytes = 0;
  std::vector<ListedArray> lists;        // one list behind the other
  std::vector<const void*> constants;    // in constant_memory
  std::vector<int64_t> parameter_bytes;  // of each leaf
  std::vector<int64_t> result_bytes;
  std::vector<std::unique_ptr<LibraryKernel>> calls;
  // Of each call, the number by which it is awaited, or -1; and how many arrays it has.
  std::vector<int64_t> beside;
  std::vector<size_t> call_arrays;
  std::vector<std::string> call_places;  // "FILE:LINE" in the program's source; may be empty
  std::vector<Region> regions;           // where the program is compiled to be profiled
  std::unique_ptr<LaunchSite[]> launch_sites, call_sites;  // of kernels, and of each call
  std::shared_ptr<const void> code;                        // keeps the entry point alive
  Memory constant_memory;
};

// The function of type HiloEntry in a program's object files.
inline constexpr absl::string_view kEntryName = "hilo_entry";

// A program as data: what a compiler makes, and what is saved.
struct ProgramImage {
  codegen::Target target;  // that the code is for
  std::string name;        // of the module
  std::string key;         // of whoever keeps it; may be empty
  std::string interface;   // the text of a module with the program's parameters and its result
  uint64_t seed = 0;       // where a run is given none
  bool keeps_subnormals = false;
  std::vector<std::string> objects;
  int64_t arena_bytes = 0;
  std::vector<ListedArray> lists;
  std::vector<int64_t> constant_offsets;
  int64_t constant_bytes = 0;
  Memory constants;
  std::vector<int64_t> parameter_bytes;
  std::vector<int64_t> result_bytes;
  std::vector<LibraryCall> calls;
  // Results and parameters, by numbers of arrays, that may be the same memory.
  std::vector<std::pair<int64_t, int64_t>> in_place;
  std::vector<Region> regions;
  int64_t launch_sites = 0;
};

// The error with the place in the program's source where the call stands.
absl::Status WithCallPlace(absl::Status status, absl::string_view place);

using KernelMaker = absl::StatusOr<std::unique_ptr<LibraryKernel>>(const LibraryCall& call);

// Links the code and makes the kernels that it calls. The errors are those of Target::CheckRunsOn
// for this machine, ObjectCode::Load and make_kernel.
absl::StatusOr<Program> LoadProgram(ProgramImage image, KernelMaker* make_kernel);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_PROGRAM_H_
