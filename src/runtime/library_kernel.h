// Operations that compiled code leaves to code of a library.
#ifndef HILO_RUNTIME_LIBRARY_KERNEL_H_
#define HILO_RUNTIME_LIBRARY_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"

namespace xla::runtime {

class Mailboxes;
class RandomCounter;

// What surrounds one run of a program.
struct Environment {
  Mailboxes* mailboxes =
      nullptr;        // for infeed, outfeed, send and recv; null where there is no host to talk to
  uint64_t seed = 0;  // of random numbers that the program does not seed itself
  RandomCounter* random_counter = nullptr;  // of one run, made from the seed by Launch
};

// What a program calls: the name of a kernel and the operation that it stands for. The message has
// the operation's attributes; computations that it applies are compiled code and come with the
// arrays.
struct LibraryCall {
  std::string kernel;
  HloInstructionProto instruction;
  std::vector<Shape> operands;  // leaves that are arrays, in order, all in row-major order
  std::vector<Shape> results;
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
