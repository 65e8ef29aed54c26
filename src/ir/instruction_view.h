// The messages and lists that accessors of HloInstruction refer to where records keep the same in
// another form.
#ifndef HILO_IR_INSTRUCTION_VIEW_H_
#define HILO_IR_INSTRUCTION_VIEW_H_

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/xla_data.pb.h"

namespace xla {

struct SliceBounds {
  std::vector<int64_t> starts;
  std::vector<int64_t> limits;
  std::vector<int64_t> strides;
  bool operator==(const SliceBounds& other) const = default;
};

struct HloInstruction::View {
  std::variant<std::monostate, DotDimensionNumbers, RaggedDotDimensionNumbers,
               GatherDimensionNumbers, ScatterDimensionNumbers, TriangularSolveOptions,
               CholeskyOptions, SliceBounds, std::optional<std::vector<bool>>>
      value;
};

}  // namespace xla

#endif  // HILO_IR_INSTRUCTION_VIEW_H_
