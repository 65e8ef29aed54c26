// Calls of functions of the process.
#include "runtime/custom_call.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/scratch.h"
#include "cpu/kernels/values.h"
#include "data/sizes.h"
#include "data/strided_copy.h"
#include "linalg/lapack_call.h"
#include "runtime/ffi/call.h"
#include "runtime/memory.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// An array of a value as the function gets it or leaves it.
struct PassedArray {
  DimensionVector sizes, strides, row_major;  // strides in elements
  int64_t element_bytes, bytes;
  bool is_row_major;
  int64_t offset = -1;  // in the memory of arrays that are moved; -1 for others
  int alias = -1;       // of an operand: the array of the result that is the same for the function

  void FromRowMajor(const void* from, void* to) const {
    if (is_row_major) return (void)std::memcpy(to, from, bytes);
    CopyStrided(element_bytes, sizes, static_cast<const char*>(from), row_major,
                static_cast<char*>(to), strides);
  }
  void ToRowMajor(const void* from, void* to) const {
    CopyStrided(element_bytes, sizes, static_cast<const char*>(from), strides,
                static_cast<char*>(to), row_major);
  }
};

class CustomCall : public runtime::LibraryKernel {
 public:
  CustomCall(const runtime::LibraryCall& call, std::vector<Shape> operands, Shape result)
      : call_(call), operands_(std::move(operands)), result_(std::move(result)) {
    std::vector<int64_t> first;  // array of each operand
    for (const Shape& operand : operands_) {
      first.push_back(static_cast<int64_t>(operand_arrays_.size()));
      AddArrays(operand, operand_arrays_);
    }
    AddArrays(result_, result_arrays_);
    for (const auto& alias : call_.instruction.output_operand_aliasing()) {
      const Leaves operands =
          LeavesAt(operands_[alias.operand_index()], alias.operand_shape_index());
      const Leaves results = LeavesAt(result_, alias.output_shape_index());
      for (int64_t i = 0; i < operands.count; ++i) {
        operand_arrays_[first[alias.operand_index()] + operands.first + i].alias =
            static_cast<int>(results.first + i);
      }
    }
    for (std::vector<PassedArray>* arrays : {&operand_arrays_, &result_arrays_}) {
      for (PassedArray& array : *arrays) {
        if (array.is_row_major || array.alias >= 0) continue;
        array.offset = moved_bytes_;
        moved_bytes_ += RoundUpTo(array.bytes, runtime::kAlignment);
      }
    }
  }

  // Makes ready what is called by handlers.
  absl::Status MakeTypedCall() {
    if (call_.instruction.custom_call_api_version() != API_VERSION_TYPED_FFI)
      return absl::OkStatus();
    HILO_ASSIGN_OR_RETURN(
        typed_call_,
        runtime::FfiCall::Make(call_.instruction.name(), call_.instruction.custom_call_target(),
                               call_.instruction.backend_config(), operands_, result_));
    return absl::OkStatus();
  }

  absl::Status Run(void* const* arrays, const runtime::Environment& environment) const override {
    const Scratch<char> moved(moved_bytes_);
    if (moved.get() == nullptr) {
      return ResourceExhausted(
          "custom-call %s: no memory for arrays that are not in row-major order",
          call_.instruction.name());
    }
    void* const* const results = arrays + operand_arrays_.size();
    absl::InlinedVector<void*, 8> in, out;
    for (size_t i = 0; i < result_arrays_.size(); ++i) {
      const PassedArray& result = result_arrays_[i];
      out.push_back(result.is_row_major ? results[i] : moved.get() + result.offset);
    }
    for (size_t i = 0; i < operand_arrays_.size(); ++i) {
      const PassedArray& operand = operand_arrays_[i];
      in.push_back(arrays[i]);
      if (operand.alias >= 0) {
        in.back() = out[operand.alias];
      } else if (!operand.is_row_major) {
        in.back() = moved.get() + operand.offset;
      }
      if (in.back() != arrays[i]) operand.FromRowMajor(arrays[i], in.back());
    }
    HILO_RETURN_IF_ERROR(typed_call_ != nullptr ? typed_call_->Run(in, out, *environment.ffi_run)
                                                : CallFunction(in, out));
    for (size_t i = 0; i < result_arrays_.size(); ++i) {
      if (out[i] != results[i]) result_arrays_[i].ToRowMajor(out[i], results[i]);
    }
    return absl::OkStatus();
  }

 private:
  static void AddArrays(const Shape& shape, std::vector<PassedArray>& arrays) {
    ShapeUtil::ForEachSubshape(shape, [&](const Shape& leaf, const ShapeIndex&) {
      if (!leaf.IsArray()) return;
      PassedArray array;
      array.sizes.assign(leaf.dimensions().begin(), leaf.dimensions().end());
      array.strides = DenseStrides(leaf.dimensions(), leaf.layout().minor_to_major());
      array.row_major = RowMajorStrides(leaf);
      array.element_bytes = ShapeUtil::ByteSizeOfPrimitiveType(leaf.element_type());
      array.bytes = array.element_bytes * ShapeUtil::ElementsIn(leaf);
      array.is_row_major = true;  // as empty ones are in every layout
      for (size_t d = 0; d < array.sizes.size(); ++d) {
        if (array.bytes > 0 && array.sizes[d] > 1 && array.strides[d] != array.row_major[d])
          array.is_row_major = false;
      }
      arrays.push_back(std::move(array));
    });
  }

  struct Leaves {
    int64_t first, count;
  };
  template <typename Index>
  static Leaves LeavesAt(const Shape& shape, const Index& index) {
    Leaves leaves = {0, 0};
    const Shape* part = &shape;
    for (int64_t i : index) {
      for (int k = 0; k < i; ++k) leaves.first += ArrayCount(part->tuple_shapes(k));
      part = &part->tuple_shapes(static_cast<int>(i));
    }
    leaves.count = ArrayCount(*part);
    return leaves;
  }

  absl::Status CallFunction(absl::Span<void* const> operands,
                            absl::Span<void* const> results) const {
    std::vector<runtime::DataPointers> pointers;
    std::vector<const void*> in;
    for (const Shape& operand : operands_) {
      const int64_t count = ArrayCount(operand);
      in.push_back(pointers.emplace_back(operand, operands.first(count)).root());
      operands.remove_prefix(count);
    }
    const runtime::DataPointers out(result_, results);
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
  const std::vector<Shape> operands_;
  const Shape result_;
  std::vector<PassedArray> operand_arrays_, result_arrays_;
  int64_t moved_bytes_ = 0;
  std::unique_ptr<runtime::TypedCall> typed_call_;  // null for functions that know no types
};

// Values are row-major unless the instruction constrains layouts.
absl::StatusOr<Shape> PassedShape(const runtime::LibraryCall& call, Shape shape,
                                  bool is_constrained) {
  if (!shape.is_static()) {
    return Unimplemented("custom-call %s: dynamic dimensions, as in %s, cannot be passed to \"%s\"",
                         call.instruction.name(), ShapeUtil::HumanString(shape),
                         call.instruction.custom_call_target());
  }
  if (!is_constrained) LayoutUtil::SetToDefaultLayout(&shape);
  return shape;
}

}  // namespace

KernelOrStatus MakeCustomCall(const runtime::LibraryCall& call) {
  if (linalg::IsOwnLapackCall(call.instruction.custom_call_target(), call.whole_operands))
    return MakeLapackKernel(call);
  const bool is_constrained =
      call.instruction.constrain_layout() || call.instruction.operand_shapes_with_layout_size() > 0;
  std::vector<Shape> operands;
  for (size_t k = 0; k < call.whole_operands.size(); ++k) {
    Shape shape = call.whole_operands[k];
    if (static_cast<int>(k) < call.instruction.operand_shapes_with_layout_size()) {
      HILO_ASSIGN_OR_RETURN(
          shape,
          Shape::FromProto(call.instruction.operand_shapes_with_layout(static_cast<int>(k))));
    }
    HILO_ASSIGN_OR_RETURN(operands.emplace_back(), PassedShape(call, shape, is_constrained));
  }
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::FromProto(call.instruction.shape()));
  HILO_ASSIGN_OR_RETURN(Shape result, PassedShape(call, shape, is_constrained));
  auto kernel = std::make_unique<CustomCall>(call, std::move(operands), std::move(result));
  HILO_RETURN_IF_ERROR(kernel->MakeTypedCall());
  return kernel;
}

}  // namespace xla::cpu
