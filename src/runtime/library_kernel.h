// Operations that compiled code leaves to code of a library.
#ifndef HILO_RUNTIME_LIBRARY_KERNEL_H_
#define HILO_RUNTIME_LIBRARY_KERNEL_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "codegen/target.h"
#include "runtime/ffi/setting.h"
#include "runtime/rendezvous.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"

namespace xla::runtime {

class FfiRun;
class RandomCounter;
class Recording;
class Transfers;

// What surrounds one run of a program.
struct Environment {
  Mailboxes* mailboxes =
      nullptr;        // for infeed, outfeed, send and recv; null where there is no host to talk to
  uint64_t seed = 0;  // of random numbers that the program does not seed itself
  Device device;
  const std::atomic<bool>* stop =
      nullptr;                     // true when another device of the run has failed; may be null
  Transfers* transfers = nullptr;  // of this run; Launch sets it
  RandomCounter* random_counter = nullptr;  // of one run, made from the seed by Launch
  FfiSetting ffi = {};
  FfiRun* ffi_run = nullptr;       // of this run; Launch sets it
  Recording* recording = nullptr;  // of this run of a program that is profiled; may be null
};

// Who reads so much in between finds nothing of an array in a cache.
inline constexpr int64_t kLeastBytesFromMemory = 32 << 20;

// What a program calls: the name of a kernel and the operation that it stands for. The message has
// the operation's attributes; computations that it applies are compiled code and come with the
// arrays.
struct LibraryCall {
  std::string kernel;
  HloInstructionProto instruction;
  std::vector<Shape> operands;  // leaves that are arrays, in order, all in row-major order
  std::vector<Shape> results;
  std::vector<Shape> whole_operands = {};        // with tuples and layouts as they were
  std::vector<int64_t> function_arguments = {};  // how many arguments each compiled function takes
  // Where a compiled kernel is the epilogue of a product, the elements of its rows; else 0.
  int64_t epilogue_columns = 0;
  // Of a product, what it and the others of its computation read: see cpu/plan/factor_bytes.h.
  int64_t factor_bytes = 0;
  // Of the module.
  int64_t replicas = 1;
  int64_t partitions = 1;
  int64_t beside = -1;                 // if it goes on beside others: the number of what awaits it
  bool may_call_any_function = false;  // see MayCallAnyFunction in runtime/custom_call.h
  // Of the program's target. LoadProgram sets it.
  codegen::InstructionSet instruction_set = codegen::InstructionSet::kGeneric;
};

// A kernel made ready for the shapes and attributes of one call.
class LibraryKernel {
 public:
  virtual ~LibraryKernel() = default;

  // `arrays` are those of the operands, then of the results, then pointers to compiled functions.
  // Called from several threads at once; results share no memory with operands, except where the
  // plan says that an operand is updated in place.
  virtual absl::Status Run(void* const* arrays, const Environment& environment) const = 0;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_LIBRARY_KERNEL_H_
