// What a program takes and gives: arrays in memory.
#ifndef HILO_API_PROGRAM_INTERFACE_H_
#define HILO_API_PROGRAM_INTERFACE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/program.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

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

  // Pairs of input_output_alias, by numbers of arrays of the result and of all parameters.
  struct Alias {
    size_t result, parameter;
    bool must_alias;
    bool is_in_place;  // both may lie in the same memory
  };
  std::vector<Alias> aliases;
};

}  // namespace xla

#endif  // HILO_API_PROGRAM_INTERFACE_H_
