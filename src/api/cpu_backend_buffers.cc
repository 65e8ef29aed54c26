#include "api/cpu_backend_buffers.h"

#include <cstring>
#include <utility>

#include "base/status_macros.h"
#include "data/literal_borrow.h"
#include "ir/arguments.h"
#include "runtime/memory.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// Where a program can read or write an array as it lies.
bool IsUsable(const Literal& array) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(array.untyped_data());
  // Small literals hold their elements themselves.
  const uintptr_t alignment = array.size_bytes() <= 16 ? 16 : runtime::kAlignment;
  return address % alignment == 0 && IsRowMajor(array.shape());
}

// An array with memory of its own, which begins with anything in it.
struct OwnedArray {
  runtime::Memory memory;
  Literal array;
};

absl::StatusOr<ArrayBuffer> MakeBuffer(const Shape& shape) {
  HILO_ASSIGN_OR_RETURN(runtime::Memory memory, runtime::Allocate(ShapeUtil::ByteSizeOf(shape)));
  Literal array = BorrowArray(shape, memory.get());
  auto owned = std::make_shared<OwnedArray>(OwnedArray{std::move(memory), std::move(array)});
  return ArrayBuffer(owned, &owned->array);
}

// A result of another shape in memory that it shares with a parameter.
struct Reshaped {
  ArrayBuffer owner;
  Literal array;
};

// Puts the array into the buffer.
absl::StatusOr<ArrayBuffer> PutInto(ArrayBuffer buffer, const Literal& array) {
  if (ShapeUtil::Equal(buffer->shape(), array.shape())) {
    HILO_RETURN_IF_ERROR(buffer->CopyFrom(array));
    return buffer;
  }
  if (buffer->size_bytes() != array.size_bytes()) {
    return Internal("an array of shape %s does not fit the buffer of %s that it aliases",
                    array.shape().ToString(), buffer->shape().ToString());
  }
  std::memcpy(buffer->untyped_data(), array.untyped_data(), array.size_bytes());
  Literal view = BorrowArray(array.shape(), buffer->untyped_data());
  auto reshaped = std::make_shared<Reshaped>(Reshaped{std::move(buffer), std::move(view)});
  return ArrayBuffer(reshaped, &reshaped->array);
}

}  // namespace

absl::Status BufferCall::CheckArguments() const {
  const HloModule& module = interface_->module;
  HILO_RETURN_IF_ERROR(CheckArgumentCount(module, static_cast<int64_t>(arguments_.size())));
  for (size_t i = 0; i < arguments_.size(); ++i) {
    HILO_RETURN_IF_ERROR(CheckArgumentShape(module, static_cast<int64_t>(i), arguments_[i].shape(),
                                            ShapeUtil::Compatible));
    const ProgramValue& parameter = interface_->parameters[i];
    for (size_t k = 0; k < parameter.leaves.size(); ++k) {
      const ArrayBuffer& buffer = arguments_[i].element(parameter.leaves[k]).buffer();
      if (buffer == nullptr) {
        return InvalidArgument("program %s: argument %d has no buffer at %s", module.name(), i,
                               parameter.leaves[k].ToString());
      }
      if (!ShapeUtil::Compatible(buffer->shape(), parameter.arrays[k])) {
        return InvalidArgument("program %s: the buffer of argument %d at %s has shape %s, not %s",
                               module.name(), i, parameter.leaves[k].ToString(),
                               buffer->shape().ToString(), parameter.declared_arrays[k].ToString());
      }
    }
  }
  return absl::OkStatus();
}

// Results that alias what was lent get memory of their own.
absl::Status BufferCall::FindAliases() {
  const HloModule& module = interface_->module;
  return module.input_output_alias_config().ForEachAliasWithStatus(
      [&](const ShapeIndex& output, const HloInputOutputAliasConfig::Alias& alias) -> absl::Status {
        BufferArgument& argument =
            *arguments_[alias.parameter_number].mutable_element(alias.parameter_index);
        if (argument.HasOwnership() && argument.buffer().use_count() == 1) {
          aliased_[output] = argument.buffer();
        } else if (alias.must_alias()) {
          return InvalidArgument(
              "program %s: argument %d must be donated at %s, since input_output_alias says "
              "must-alias",
              module.name(), alias.parameter_number, alias.parameter_index.ToString());
        }
        return absl::OkStatus();
      });
}

absl::Status BufferCall::AddParameters() {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    for (const ShapeIndex& leaf : interface_->parameters[i].leaves) {
      const Literal& array = *arguments_[i].element(leaf).buffer();
      if (IsUsable(array)) {
        parameters_.push_back(array.untyped_data());
      } else {
        copies_.push_back(array.Relayout(RowMajor(array.shape())));
        parameters_.push_back(copies_.back().untyped_data());
      }
    }
  }
  size_t next = 0;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const ProgramValue& parameter = interface_->parameters[i];
    for (const auto& [array, dimension] : parameter.dynamic_dimensions) {
      const Literal& buffer = *arguments_[i].element(parameter.leaves[array]).buffer();
      *parameter_sizes_[next] = buffer.GetDynamicSize(dimension);
      parameters_.push_back(parameter_sizes_[next++]);
    }
  }
  return absl::OkStatus();
}

absl::Status BufferCall::AddResults() {
  for (const Shape& shape : interface_->result.arrays) {
    HILO_ASSIGN_OR_RETURN(buffers_.emplace_back(), MakeBuffer(shape));
    results_.push_back(buffers_.back()->untyped_data());
  }
  for (size_t i = 0; i < result_sizes_.size(); ++i) results_.push_back(result_sizes_[i]);
  return absl::OkStatus();
}

absl::StatusOr<BufferCall> BufferCall::Make(const ProgramInterface& interface,
                                            Arguments arguments) {
  BufferCall call(interface, std::move(arguments));
  HILO_RETURN_IF_ERROR(call.CheckArguments());
  HILO_RETURN_IF_ERROR(call.FindAliases());
  HILO_RETURN_IF_ERROR(call.AddParameters());
  HILO_RETURN_IF_ERROR(call.AddResults());
  return call;
}

absl::StatusOr<ShapeTree<ArrayBuffer>> BufferCall::TakeResult() && {
  const ProgramValue& result = interface_->result;
  ShapeTree<ArrayBuffer> tree(result.declared);
  for (size_t i = 0; i < result_sizes_.size(); ++i) {
    const auto [array, dimension] = result.dynamic_dimensions[i];
    buffers_[array]->SetDynamicSize(dimension, *result_sizes_[i]);
  }
  for (size_t k = 0; k < buffers_.size(); ++k) {
    ArrayBuffer buffer = std::move(buffers_[k]);
    if (!IsRowMajor(result.declared_arrays[k]) && IsRowMajor(result.arrays[k]))
      buffer = std::make_shared<Literal>(buffer->Relayout(result.declared_arrays[k]));
    const auto aliased = aliased_.find(result.leaves[k]);
    if (aliased != aliased_.end()) {
      HILO_ASSIGN_OR_RETURN(buffer, PutInto(std::move(aliased->second), *buffer));
    }
    *tree.mutable_element(result.leaves[k]) = std::move(buffer);
  }
  return tree;
}

}  // namespace xla
