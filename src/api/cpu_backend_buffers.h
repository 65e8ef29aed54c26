// The memory that a run of a program reads and writes, where the caller keeps it in buffers.
#ifndef HILO_API_CPU_BACKEND_BUFFERS_H_
#define HILO_API_CPU_BACKEND_BUFFERS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "api/program_interface.h"
#include "xla/literal.h"
#include "runtime/array_buffer.h"
#include "xla/shape_tree.h"

namespace xla {

// One run on buffers: what is lent is only read; what is donated is used as input_output_alias
// says, or freed at the end of the run.
class BufferCall {
 public:
  // InvalidArgument when the arguments are not those of the module, or one that must alias is not
  // donated.
  static absl::StatusOr<BufferCall> Make(
      const ProgramInterface& interface,
      std::vector<ShapeTree<BufferArgument>> arguments);

  absl::Span<const void* const> parameters() const { return parameters_; }
  absl::Span<void* const> results() const { return results_; }

  // To be called after the run.
  absl::StatusOr<ShapeTree<ArrayBuffer>> TakeResult() &&;

 private:
  using Arguments = std::vector<ShapeTree<BufferArgument>>;
  explicit BufferCall(const ProgramInterface& interface, Arguments arguments)
      : interface_(&interface),
        arguments_(std::move(arguments)),
        parameter_sizes_(interface.parameter_sizes),
        result_sizes_(interface.result.dynamic_dimensions.size()) {}

  absl::Status CheckArguments() const;
  absl::Status FindAliases();
  absl::Status AddParameters();
  absl::Status AddResults();

  const ProgramInterface* interface_;
  Arguments arguments_;
  std::vector<Literal> copies_;                // of what lies otherwise than programs want it
  std::map<ShapeIndex, ArrayBuffer> aliased_;  // by index of the result
  std::vector<ArrayBuffer> buffers_;           // of the result's arrays
  SizeCells parameter_sizes_, result_sizes_;
  absl::InlinedVector<const void*, 8> parameters_;
  absl::InlinedVector<void*, 8> results_;
};

}  // namespace xla

#endif  // HILO_API_CPU_BACKEND_BUFFERS_H_
