#include "api/client/shaped_buffer_run.h"

#include <cstdint>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/literal_borrow.h"
#include "device/device_arrays.h"
#include "device/run_completion.h"
#include "ir/arguments.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using stream_executor::DeviceAddressAllocator;
using stream_executor::DeviceAddressBase;

// What arrays without elements have as memory.
alignas(runtime::kAlignment) char nothing[runtime::kAlignment];

bool IsAligned(const void* address) {
  return reinterpret_cast<uintptr_t>(address) % runtime::kAlignment == 0;
}

int64_t ElementBytes(const Shape& array) {
  return ShapeUtil::ByteSizeOf(ShapeUtil::MakeStaticShape(array));
}

}  // namespace

std::vector<ExecutionInput> Lend(absl::Span<const ShapedBuffer* const> arguments) {
  std::vector<ExecutionInput> inputs;
  inputs.reserve(arguments.size());
  for (const ShapedBuffer* argument : arguments) inputs.emplace_back(*argument);
  return inputs;
}

ShapedBufferRun::ShapedBufferRun(CompiledModule& compiled, std::vector<ExecutionInput> arguments,
                                 DeviceAddressAllocator* allocator, int device_ordinal)
    : compiled_(compiled),
      interface_(&compiled.interface()),
      arguments_(std::move(arguments)),
      result_(*interface_->result.declared, allocator, device_ordinal),
      parameter_sizes_(interface_->parameter_sizes),
      result_sizes_(interface_->result.dynamic_dimensions.size()) {}

const Shape* ShapedBufferRun::WithLayout(const Shape& array) {
  return array.has_layout() ? &array : &laid_out_.emplace_back(RowMajor(array));
}

std::string ShapedBufferRun::PlaceOf(size_t array) const {
  size_t argument = 0;
  while (array >= interface_->parameters[argument].leaves.size())
    array -= interface_->parameters[argument++].leaves.size();
  return absl::StrCat("argument ", argument, " at ",
                      interface_->parameters[argument].leaves[array].ToString());
}

absl::Status ShapedBufferRun::FindParameters(absl::string_view program) {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    ExecutionInput& argument = arguments_[i];
    for (const ShapeIndex& leaf : interface_->parameters[i].leaves) {
      MaybeOwningDeviceAddress* const memory = argument.MutableBuffer(leaf);
      const Array array = {WithLayout(ShapeUtil::GetSubshape(argument.shape(), leaf)),
                           memory->AsDeviceAddress()};
      const int64_t wanted = DeviceByteSize(*array.shape);
      if (static_cast<int64_t>(array.memory.size()) < wanted ||
          (array.memory.is_null() && wanted > 0)) {
        return InvalidArgument(
            "program %s: argument %d has %d bytes of memory at %s, but %s takes %d", program, i,
            array.memory.size(), leaf.ToString(), ShapeUtil::HumanString(*array.shape), wanted);
      }
      parameter_arrays_.push_back(array);
      donated_.push_back(memory->HasOwnership() ? memory : nullptr);
    }
  }
  return absl::OkStatus();
}

absl::Status ShapedBufferRun::CheckDonated(absl::string_view program) const {
  bool any = false;
  for (const MaybeOwningDeviceAddress* memory : donated_) any = any || memory != nullptr;
  if (!any) return absl::OkStatus();
  std::map<const void*, size_t> seen;
  for (size_t k = 0; k < parameter_arrays_.size(); ++k) {
    const void* const address = parameter_arrays_[k].memory.opaque();
    if (address == nullptr) continue;
    const auto [before, is_new] = seen.emplace(address, k);
    if (!is_new && (donated_[k] != nullptr || donated_[before->second] != nullptr)) {
      return InvalidArgument("program %s: the memory of %s is donated, but is also that of %s",
                             program, PlaceOf(before->second), PlaceOf(k));
    }
  }
  return absl::OkStatus();
}

absl::Status ShapedBufferRun::PlaceResults(absl::string_view program) {
  const ProgramValue& value = interface_->result;
  for (const Shape& shape : value.declared_arrays)
    result_arrays_.push_back({WithLayout(shape), DeviceAddressBase()});
  for (const ProgramInterface::Alias& alias : interface_->aliases) {
    Array& result = result_arrays_[alias.result];
    MaybeOwningDeviceAddress* const donated = donated_[alias.parameter];
    if (donated == nullptr) {
      if (!alias.must_alias) continue;
      return InvalidArgument(
          "program %s: %s must be donated, since input_output_alias says must-alias", program,
          PlaceOf(alias.parameter));
    }
    if (static_cast<int64_t>(donated->AsDeviceAddress().size()) < DeviceByteSize(*result.shape))
      continue;
    result.memory = donated->AsDeviceAddress();
    result.is_read = !alias.is_in_place;
    result_.set_buffer(*donated->Release(), value.leaves[alias.result]);
  }
  for (size_t k = 0; k < result_arrays_.size(); ++k) {
    const int64_t bytes = DeviceByteSize(*result_arrays_[k].shape);
    if (!result_arrays_[k].memory.is_null() || bytes == 0) continue;
    HILO_ASSIGN_OR_RETURN(stream_executor::OwningDeviceAddress memory,
                          result_.memory_allocator()->Allocate(result_.device_ordinal(),
                                                               static_cast<uint64_t>(bytes)));
    result_arrays_[k].memory = memory.cref();
    result_.set_buffer(std::move(memory), value.leaves[k]);
  }
  return absl::OkStatus();
}

absl::Status ShapedBufferRun::Prepare() {
  const HloModule& module = compiled_.module();
  HILO_RETURN_IF_ERROR(CheckArgumentCount(module, static_cast<int64_t>(arguments_.size())));
  for (size_t i = 0; i < arguments_.size(); ++i) {
    HILO_RETURN_IF_ERROR(CheckArgumentShape(module, static_cast<int64_t>(i), arguments_[i].shape(),
                                            ShapeUtil::Compatible));
  }
  HILO_RETURN_IF_ERROR(FindParameters(module.name()));
  HILO_RETURN_IF_ERROR(CheckDonated(module.name()));
  return PlaceResults(module.name());
}

absl::Status ShapedBufferRun::ReadParameters() {
  for (const Array& array : parameter_arrays_) {
    const Shape& shape = *array.shape;
    if (ElementBytes(shape) == 0) {
      parameters_.push_back(nothing);
    } else if (IsRowMajor(shape) && IsAligned(array.memory.opaque())) {
      parameters_.push_back(array.memory.opaque());
    } else {
      HILO_ASSIGN_OR_RETURN(const Literal value, BorrowDeviceArray(shape, array.memory));
      HILO_ASSIGN_OR_RETURN(runtime::Memory memory, runtime::Allocate(ElementBytes(shape)));
      Literal copy = BorrowArray(RowMajor(shape), memory.get());
      HILO_RETURN_IF_ERROR(copy.CopyFrom(value));
      parameters_.push_back(memory.get());
      temporaries_.push_back(std::move(memory));
    }
  }
  size_t first = 0, next = 0;
  for (const ProgramValue& parameter : interface_->parameters) {
    for (const auto& [number, dimension] : parameter.dynamic_dimensions) {
      const Array& array = parameter_arrays_[first + number];
      HILO_ASSIGN_OR_RETURN(const Literal value, BorrowDeviceArray(*array.shape, array.memory));
      *parameter_sizes_[next] = value.GetDynamicSize(dimension);
      parameters_.push_back(parameter_sizes_[next++]);
    }
    first += parameter.arrays.size();
  }
  return absl::OkStatus();
}

absl::Status ShapedBufferRun::FindResults() {
  for (size_t k = 0; k < result_arrays_.size(); ++k) {
    const auto& [shape, memory, is_read] = result_arrays_[k];
    const bool lies_as_held = ShapeUtil::Equal(*shape, interface_->result.arrays[k]);
    if (ElementBytes(*shape) == 0) {
      results_.push_back(nothing);
    } else if (lies_as_held && !is_read && IsAligned(memory.opaque())) {
      results_.push_back(memory.opaque());
    } else {
      HILO_ASSIGN_OR_RETURN(runtime::Memory temporary, runtime::Allocate(ElementBytes(*shape)));
      results_.push_back(temporary.get());
      temporaries_.push_back(std::move(temporary));
    }
  }
  for (size_t i = 0; i < result_sizes_.size(); ++i) results_.push_back(result_sizes_[i]);
  return absl::OkStatus();
}

absl::Status ShapedBufferRun::WriteResults() {
  const ProgramValue& value = interface_->result;
  std::map<size_t, Literal> dynamic;
  for (size_t i = 0; i < result_sizes_.size(); ++i) {
    const auto [array, dimension] = value.dynamic_dimensions[i];
    const auto found =
        dynamic.emplace(array, BorrowArray(value.arrays[array], results_[array])).first;
    found->second.SetDynamicSize(dimension, *result_sizes_[i]);
  }
  for (size_t k = 0; k < result_arrays_.size(); ++k) {
    const auto& [shape, memory, is_read] = result_arrays_[k];
    const auto sizes = dynamic.find(k);
    const bool is_there = results_[k] == memory.opaque() || ElementBytes(*shape) == 0;
    if (!is_there) {
      const Literal array = sizes != dynamic.end() ? std::move(sizes->second)
                                                   : BorrowArray(value.arrays[k], results_[k]);
      HILO_RETURN_IF_ERROR(WriteDeviceArray(array, *shape, memory));
    } else if (sizes != dynamic.end()) {
      WriteDynamicSizes(sizes->second, *shape, memory);
    }
  }
  return absl::OkStatus();
}

absl::Status ShapedBufferRun::Run(const RunContext& context) {
  for (const ExecutionInput& argument : arguments_) {
    if (argument.completion() != nullptr) HILO_RETURN_IF_ERROR(argument.completion()->Await());
  }
  HILO_RETURN_IF_ERROR(ReadParameters());
  HILO_RETURN_IF_ERROR(FindResults());
  HILO_RETURN_IF_ERROR(compiled_.RunOnMemory(parameters_, results_, context));
  HILO_RETURN_IF_ERROR(WriteResults());
  arguments_.clear();  // gives back what was donated and no result lies in
  temporaries_.clear();
  return absl::OkStatus();
}

}  // namespace xla
