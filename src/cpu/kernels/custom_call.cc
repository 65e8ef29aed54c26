// Calls of functions of the process.
#include "runtime/custom_call.h"

#include <cstring>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/values.h"
#include "linalg/lapack_call.h"
#include "runtime/ffi/call.h"
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

  // Makes ready what is called by handlers.
  absl::Status MakeTypedCall() {
    if (call_.instruction.custom_call_api_version() != API_VERSION_TYPED_FFI)
      return absl::OkStatus();
    std::vector<Shape> shapes;
    for (const Passed& operand : operands_) shapes.push_back(operand.shape);
    HILO_ASSIGN_OR_RETURN(
        typed_call_,
        runtime::FfiCall::Make(call_.instruction.name(), call_.instruction.custom_call_target(),
                               call_.instruction.backend_config(), shapes, result_.shape));
    return absl::OkStatus();
  }

  absl::Status Run(void* const* arrays, const runtime::Environment& environment) const override {
    void* const* results = arrays + call_.operands.size();
    absl::InlinedVector<void*, 8> operands(arrays, results);
    PutAliasedOperandsInResults(operands, results);
    std::deque<Literal> others;  // values in other layouts
    absl::InlinedVector<void*, 8> in, out;
    void* const* next = operands.data();
    for (const Passed& operand : operands_) {
      HILO_RETURN_IF_ERROR(AddArrays(operand, next, others, in));
      next += ArrayCount(operand.shape);
    }
    HILO_RETURN_IF_ERROR(AddArrays(result_, results, others, out));
    HILO_RETURN_IF_ERROR(typed_call_ != nullptr ? typed_call_->Run(in, out, *environment.ffi_run)
                                                : CallFunction(in, out));
    if (!result_.is_row_major) FromLiteral(others.back(), results);
    return absl::OkStatus();
  }

 private:
  static absl::Status AddArrays(const Passed& passed, void* const* arrays,
                                std::deque<Literal>& others, absl::InlinedVector<void*, 8>& out) {
    if (passed.is_row_major) {
      out.insert(out.end(), arrays, arrays + ArrayCount(passed.shape));
      return absl::OkStatus();
    }
    HILO_ASSIGN_OR_RETURN(others.emplace_back(), ToLiteral(passed.shape, arrays));
    std::vector<void*> own;
    runtime::AddArrays(others.back(), own);
    out.insert(out.end(), own.begin(), own.end());
    return absl::OkStatus();
  }

  // Each alias names an array of the result and one of the operands, which are one array for the
  // function.
  void PutAliasedOperandsInResults(absl::InlinedVector<void*, 8>& operands,
                                   void* const* results) const {
    for (const auto& alias : call_.instruction.output_operand_aliasing()) {
      int64_t operand = 0;
      for (int64_t i = 0; i < alias.operand_index(); ++i) operand += ArrayCount(operands_[i].shape);
      operand += LeafNumber(operands_[alias.operand_index()].shape, alias.operand_shape_index());
      const int64_t result = LeafNumber(result_.shape, alias.output_shape_index());
      const int64_t bytes = ShapeUtil::ByteSizeOf(call_.results[result]);
      std::memcpy(results[result], operands[operand], bytes);
      operands[operand] = results[result];
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

  absl::Status CallFunction(absl::Span<void* const> operands,
                            absl::Span<void* const> results) const {
    std::vector<runtime::DataPointers> pointers;
    std::vector<const void*> in;
    for (const Passed& operand : operands_) {
      const int64_t count = ArrayCount(operand.shape);
      in.push_back(pointers.emplace_back(operand.shape, operands.first(count)).root());
      operands.remove_prefix(count);
    }
    const runtime::DataPointers out(result_.shape, results);
    const HloInstructionProto& instruction = call_.instruction;
    runtime::CustomCallTarget target;
    target.name = instruction.custom_call_target();
    target.api_version = instruction.custom_call_api_version();
    target.opaque = instruction.backend_config();
    HILO_ASSIGN_OR_RETURN(target.function,
                          runtime::FindCustomCallTarget(instruction.custom_call_target(),
                                                        call_.may_call_any_function));
    const absl::Status status = runtime::CallCustomCallTarget(target, out.root(), in.data());
    if (status.ok()) return status;
    return absl::Status(status.code(),
                        absl::StrCat("custom-call ", instruction.name(), ": ", status.message()));
  }

  const runtime::LibraryCall call_;
  const std::vector<Passed> operands_;
  const Passed result_;
  std::unique_ptr<runtime::TypedCall> typed_call_;  // null for functions that know no types
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
  if (linalg::IsLapackTarget(call.instruction.custom_call_target())) return MakeLapackKernel(call);
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
  auto kernel = std::make_unique<CustomCall>(call, std::move(operands), std::move(result));
  HILO_RETURN_IF_ERROR(kernel->MakeTypedCall());
  return kernel;
}

}  // namespace xla::cpu
