// Calls of functions of the process.
#include "runtime/custom_call.h"

#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/values.h"
#include "data/literal_borrow.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// A value as the function gets it or leaves it.
struct Passed {
  Shape shape;
  bool is_row_major;
};

class CustomCall : public runtime::LibraryKernel {
 public:
  CustomCall(const runtime::LibraryCall& call, std::vector<Passed> operands, Passed result)
      : call_(call), operands_(std::move(operands)), result_(std::move(result)) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    void* const* results = arrays + call_.operands.size();
    CopyAliasedOperands(arrays, results);
    std::deque<Literal> others;  // values in other layouts
    std::vector<runtime::DataPointers> pointers;
    std::vector<const void*> in;
    for (const Passed& operand : operands_) {
      HILO_ASSIGN_OR_RETURN(runtime::DataPointers own, Pointers(operand, arrays, others));
      in.push_back(pointers.emplace_back(std::move(own)).root());
      arrays += ArrayCount(operand.shape);
    }
    HILO_ASSIGN_OR_RETURN(const runtime::DataPointers out, Pointers(result_, results, others));
    const absl::Status status = Call(out.root(), in.data());
    if (!status.ok()) return status;
    if (!result_.is_row_major) FromLiteral(others.back(), results);
    return absl::OkStatus();
  }

 private:
  static absl::StatusOr<runtime::DataPointers> Pointers(const Passed& passed, void* const* arrays,
                                                        std::deque<Literal>& others) {
    const absl::Span<void* const> leaves(arrays, ArrayCount(passed.shape));
    if (passed.is_row_major) return runtime::DataPointers(passed.shape, leaves);
    HILO_ASSIGN_OR_RETURN(others.emplace_back(), ToLiteral(passed.shape, arrays));
    return runtime::DataPointers(others.back());
  }

  // Each alias names an array of the result and one of the operands.
  void CopyAliasedOperands(void* const* arrays, void* const* results) const {
    for (const auto& alias : call_.instruction.output_operand_aliasing()) {
      int64_t operand = 0;
      for (int64_t i = 0; i < alias.operand_index(); ++i) operand += ArrayCount(operands_[i].shape);
      operand += LeafNumber(operands_[alias.operand_index()].shape, alias.operand_shape_index());
      const int64_t result = LeafNumber(result_.shape, alias.output_shape_index());
      const int64_t bytes = ShapeUtil::ByteSizeOf(call_.results[result]);
      std::memcpy(results[result], arrays[operand], bytes);
    }
  }

  template <typename Index>
  static int64_t LeafNumber(const Shape& shape, const Index& index) {
    int64_t number = 0;
    const Shape* part = &shape;
    for (int64_t i : index) {
      for (int k = 0; k < i; ++k) number += ArrayCount(part->tuple_shapes(k));
      part = &part->tuple_shapes(static_cast<int>(i));
    }
    return number;
  }

  absl::Status Call(void* out, const void** in) const {
    const HloInstructionProto& instruction = call_.instruction;
    runtime::CustomCallTarget target;
    target.name = instruction.custom_call_target();
    target.api_version = instruction.custom_call_api_version();
    target.opaque = instruction.backend_config();
    HILO_ASSIGN_OR_RETURN(target.function,
                          runtime::FindCustomCallTarget(instruction.custom_call_target(),
                                                        call_.may_call_any_function));
    const absl::Status status = runtime::CallCustomCallTarget(target, out, in);
    if (status.ok()) return status;
    return absl::Status(status.code(),
                        absl::StrCat("custom-call ", instruction.name(), ": ", status.message()));
  }

  const runtime::LibraryCall call_;
  const std::vector<Passed> operands_;
  const Passed result_;
};

// Values are row-major unless the instruction constrains layouts.
absl::StatusOr<Passed> MakePassed(const runtime::LibraryCall& call, const Shape& shape,
                                  bool is_constrained) {
  if (!shape.is_static()) {
    return Unimplemented("custom-call %s: dynamic dimensions, as in %s, cannot be passed to \"%s\"",
                         call.instruction.name(), ShapeUtil::HumanString(shape),
                         call.instruction.custom_call_target());
  }
  Shape row_major = shape;
  LayoutUtil::SetToDefaultLayout(&row_major);
  if (!is_constrained) return Passed{std::move(row_major), true};
  return Passed{shape, ShapeUtil::Equal(shape, row_major)};
}

}  // namespace

KernelOrStatus MakeCustomCall(const runtime::LibraryCall& call) {
  const bool is_constrained =
      call.instruction.constrain_layout() || call.instruction.operand_shapes_with_layout_size() > 0;
  std::vector<Passed> operands;
  for (size_t k = 0; k < call.whole_operands.size(); ++k) {
    Shape shape = call.whole_operands[k];
    if (static_cast<int>(k) < call.instruction.operand_shapes_with_layout_size()) {
      HILO_ASSIGN_OR_RETURN(
          shape,
          Shape::FromProto(call.instruction.operand_shapes_with_layout(static_cast<int>(k))));
    }
    HILO_ASSIGN_OR_RETURN(operands.emplace_back(), MakePassed(call, shape, is_constrained));
  }
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::FromProto(call.instruction.shape()));
  HILO_ASSIGN_OR_RETURN(Passed result, MakePassed(call, shape, is_constrained));
  return std::make_unique<CustomCall>(call, std::move(operands), std::move(result));
}

}  // namespace xla::cpu
