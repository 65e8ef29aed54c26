// The memory that a run of a program reads and writes, where the caller keeps it in buffers.
#ifndef HILO_API_CPU_BACKEND_BUFFERS_H_
#define HILO_API_CPU_BACKEND_BUFFERS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/program.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/service/maybe_owning_device_address.h"
#include "xla/shape_tree.h"

namespace xla {

// With every leaf in row-major order.
Shape RowMajor(Shape shape);
bool IsRowMajor(const Shape& shape);

// A parameter or the result of a program, whose arrays lie in row-major order while it runs, unless
// their own layouts are kept.
struct ProgramValue {
  ProgramValue(const Shape& shape, absl::FunctionRef<bool(const Shape& array)> keeps_layout);

  std::shared_ptr<const Shape> declared;
  Shape held;  // as it lies while the program runs
  bool is_held_as_declared;
  std::vector<ShapeIndex> leaves;      // of the arrays, in order
  std::vector<Shape> arrays;           // their shapes as they lie while the program runs
  std::vector<Shape> declared_arrays;  // and as they are declared

  struct Dimension {
    size_t array;
    int dimension;
  };
  std::vector<Dimension> dynamic_dimensions;  // of the arrays, in order
};

// Sizes of dynamic dimensions, which programs read and write as scalars behind all arrays.
class SizeCells {
 public:
  explicit SizeCells(size_t count) : cells_(count) {}
  int32_t* operator[](size_t i) { return &cells_[i].size; }
  size_t size() const { return cells_.size(); }

 private:
  struct alignas(runtime::kAlignment) Cell {
    int32_t size = 0;
  };
  std::vector<Cell> cells_;
};

struct ProgramInterface {
  explicit ProgramInterface(const HloModule& module);

  const HloModule& module;
  std::vector<ProgramValue> parameters;
  ProgramValue result;
  size_t parameter_sizes = 0;  // how many dimensions of parameters are dynamic
};

// One run on buffers: what is lent is only read; what is donated is used as input_output_alias
// says, or freed at the end of the run.
class BufferCall {
 public:
  // InvalidArgument when the arguments are not those of the module, or one that must alias is not
  // donated.
  static absl::StatusOr<BufferCall> Make(
      const ProgramInterface& interface,
      std::vector<ShapeTree<MaybeOwningDeviceAddress>> arguments);

  absl::Span<const void* const> parameters() const { return parameters_; }
  absl::Span<void* const> results() const { return results_; }

  // To be called after the run.
  absl::StatusOr<ShapeTree<ArrayBuffer>> TakeResult() &&;

 private:
  using Arguments = std::vector<ShapeTree<MaybeOwningDeviceAddress>>;
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
