#include "api/pjrt/device_run.h"

#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "api/pjrt/cpu_buffer.h"
#include "base/status_macros.h"
#include "data/literal_borrow.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

std::shared_ptr<const Shape> WithLayout(Shape shape) {
  if (shape.IsArray() && !shape.has_layout())
    *shape.mutable_layout() = LayoutUtil::GetDefaultLayoutForShape(shape);
  return std::make_shared<const Shape>(std::move(shape));
}

// Calls visit(leaf, index) for arrays and tokens, in order.
template <typename Visit>
void ForEachArrayOrToken(const Shape& shape, const Visit& visit) {
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex& index) {
    if (!part.IsTuple()) visit(part, index);
  });
}

// A program with thousands of shapes is not searched through for each of them.
constexpr size_t kMostSharedShapes = 16;

// The first of the shapes seen that is equal, or this one from now on.
std::shared_ptr<const Shape> Shared(std::shared_ptr<const Shape> shape,
                                    std::vector<std::shared_ptr<const Shape>>& seen) {
  for (const std::shared_ptr<const Shape>& other : seen) {
    if (*other == *shape) return other;
  }
  if (seen.size() < kMostSharedShapes) seen.push_back(shape);
  return shape;
}

// Whether a program can read the array where it lies.
bool LiesAsHeld(const DeviceArray& array, const DeviceProgram::Argument& argument) {
  if (reinterpret_cast<uintptr_t>(array.memory.data()) % runtime::kAlignment != 0) return false;
  if (array.shape == argument.shape && argument.is_held_as_declared) return true;
  return array.shape->dimensions() == argument.held.dimensions() &&
         LayoutUtil::Equal(array.shape->layout(), argument.held.layout());
}

// The array in a program's layout and bounds.
absl::StatusOr<Literal> InProgramOrder(const DeviceArray& array, const Shape& held) {
  const Literal view = ViewOf(array);
  if (array.shape->dimensions() == held.dimensions()) return view.Relayout(held.layout());
  HILO_ASSIGN_OR_RETURN(Literal result, Literal::Make(held));
  const DimensionVector sizes = array.Sizes();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (held.is_dynamic_dimension(static_cast<int>(d)))
      result.SetDynamicSize(static_cast<int64_t>(d), static_cast<int32_t>(sizes[d]));
  }
  const DimensionVector zeros(sizes.size(), 0);
  HILO_RETURN_IF_ERROR(result.CopySliceFrom(view, zeros, zeros, sizes));
  return result;
}

// Executions of programs that have taken less run on the thread that asks for them: until another
// one has woken up and told it of the end, most of this has passed.
constexpr std::chrono::microseconds kLittleTime{100};

// Pointers that a program reads and writes.
struct RunMemory {
  absl::InlinedVector<const void*, 8> parameters;
  absl::InlinedVector<void*, 8> results;
  std::vector<Literal> copies;
};

}  // namespace

DeviceProgram::DeviceProgram(std::unique_ptr<CompiledModule> compiled)
    : module(std::move(compiled)),
      traits(module->traits()),
      has_constant_time(!traits.may_wait && !traits.depends_on_values) {
  const ProgramInterface& interface = module->interface();
  const HloModule& hlo = module->module();
  std::vector<std::shared_ptr<const Shape>> shapes;
  std::vector<int> argument_of;  // of each parameter array
  for (size_t i = 0; i < interface.parameters.size(); ++i) {
    const ProgramValue& parameter = interface.parameters[i];
    size_t next = 0;
    ForEachArrayOrToken(*parameter.declared, [&](const Shape& leaf, const ShapeIndex& index) {
      Argument argument;
      argument.shape = Shared(WithLayout(leaf), shapes);
      if (leaf.IsArray()) {
        argument_of.push_back(static_cast<int>(arguments.size()));
        argument.held = *WithLayout(parameter.arrays[next++]);
        argument.is_held_as_declared =
            argument.held.dimensions() == argument.shape->dimensions() &&
            LayoutUtil::Equal(argument.held.layout(), argument.shape->layout());
      }
      argument.is_donated =
          hlo.input_output_alias_config().ParameterHasAlias(static_cast<int64_t>(i), index) ||
          hlo.buffer_donor_config().ParameterIsBufferDonor(static_cast<int64_t>(i), index);
      has_donations = has_donations || argument.is_donated;
      arguments.push_back(std::move(argument));
    });
  }
  std::vector<int> result_of;
  size_t next = 0;
  ForEachArrayOrToken(*interface.result.declared, [&](const Shape& leaf, const ShapeIndex& index) {
    Result result;
    result.shape = Shared(WithLayout(leaf), shapes);
    result.is_held_as_declared = true;
    if (leaf.IsArray()) {
      result_of.push_back(static_cast<int>(results.size()));
      result.held = *WithLayout(interface.result.arrays[next++]);
      result.is_held_as_declared = LayoutUtil::Equal(result.held.layout(), result.shape->layout());
      result.held_bytes = ShapeUtil::ByteSizeOf(result.held);
    }
    results.push_back(std::move(result));
  });
  for (const ProgramInterface::Alias& alias : interface.aliases) {
    const int argument = argument_of[alias.parameter], result = result_of[alias.result];
    if (!alias.is_in_place || !results[result].is_held_as_declared) continue;
    arguments[argument].alias = result;
    results[result].alias = argument;
  }
}

absl::InlinedVector<Event, 8> DeviceRun::Needs() const {
  absl::InlinedVector<Event, 8> needs;
  for (const Argument& argument : arguments) {
    if (argument.array->ready.IsUnavailable()) needs.push_back(argument.array->ready);
    if (!argument.is_donated) continue;
    for (Event& use : argument.array->Uses()) needs.push_back(std::move(use));
  }
  return needs;
}

absl::Status DeviceRun::CheckArguments() const {
  for (const Argument& argument : arguments) {
    if (const absl::Status* error = argument.array->ready.GetErrorIfPresent()) return *error;
  }
  return absl::OkStatus();
}

absl::Status DeviceRun::Run(CpuRuntime& runtime) {
  HILO_RETURN_IF_ERROR(CheckArguments());
  RunMemory memory;
  size_t dynamic_arguments = 0, dynamic_results = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const DeviceProgram::Argument& declared = program->arguments[i];
    if (!declared.shape->IsArray()) continue;
    DeviceArray& array = *arguments[i].array;
    if (LiesAsHeld(array, declared)) {
      memory.parameters.push_back(array.memory.data());
    } else {
      HILO_ASSIGN_OR_RETURN(Literal copy, InProgramOrder(array, declared.held));
      memory.copies.push_back(std::move(copy));
      memory.parameters.push_back(memory.copies.back().untyped_data());
    }
    for (const bool is_dynamic : declared.shape->dynamic_dimensions())
      dynamic_arguments += is_dynamic;
  }
  SizeCells argument_sizes(dynamic_arguments);
  if (dynamic_arguments > 0) {
    size_t next = 0;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Shape& shape = *program->arguments[i].shape;
      if (!shape.IsArray() || shape.is_static()) continue;
      const DimensionVector sizes = arguments[i].array->Sizes();
      for (int d = 0; d < shape.dimensions_size(); ++d) {
        if (!shape.is_dynamic_dimension(d)) continue;
        *argument_sizes[next] = static_cast<int32_t>(sizes[d]);
        memory.parameters.push_back(argument_sizes[next++]);
      }
    }
  }
  for (size_t k = 0; k < results.size(); ++k) {
    const DeviceProgram::Result& declared = program->results[k];
    if (!declared.shape->IsArray()) continue;
    ArrayMemory& target = results[k]->memory;
    if (declared.alias >= 0) {
      const Argument& argument = arguments[declared.alias];
      DeviceArray& array = *argument.array;
      if (argument.is_donated && array.memory.is_writable() && !array.HasExternalReferences() &&
          LiesAsHeld(array, program->arguments[declared.alias]))
        target = std::move(array.memory);
    }
    if (target.data() == nullptr) {
      HILO_ASSIGN_OR_RETURN(target, device->memory().Allocate(declared.held_bytes));
    }
    memory.results.push_back(target.data());
    for (const bool is_dynamic : declared.shape->dynamic_dimensions())
      dynamic_results += is_dynamic;
  }
  SizeCells result_sizes(dynamic_results);
  for (size_t i = 0; i < dynamic_results; ++i) memory.results.push_back(result_sizes[i]);

  RunContext context;
  context.mailboxes = &runtime.mailboxes();
  context.seed = seed;
  context.ffi = ffi;
  context.device = place;
  context.device.rendezvous = gang != nullptr ? gang->rendezvous.get() : nullptr;
  // The host knows a device that runs alone by its own number.
  if (program->traits.meets_host && gang == nullptr) context.device.id = device->number();
  context.stop = gang != nullptr ? &gang->stop : &runtime.stop();
  HILO_RETURN_IF_ERROR(program->module->RunOnMemory(memory.parameters, memory.results, context));

  size_t next = 0;
  for (size_t k = 0; k < results.size(); ++k) {
    const DeviceProgram::Result& declared = program->results[k];
    if (!declared.shape->IsArray()) continue;
    for (const bool is_dynamic : declared.shape->dynamic_dimensions()) {
      if (is_dynamic) results[k]->dynamic_sizes.push_back(*result_sizes[next++]);
    }
    if (declared.is_held_as_declared) continue;
    const Literal held = BorrowArray(declared.held, results[k]->memory.data());
    const Literal laid_out = held.Relayout(declared.shape->layout());
    std::memcpy(results[k]->memory.data(), laid_out.untyped_data(), laid_out.size_bytes());
  }
  return absl::OkStatus();
}

// Reading the clock twice would be a good part of what the smallest programs take, so it is not
// read again where all runs take about as long.
absl::Status DeviceRun::TimedRun(CpuRuntime& runtime) {
  if (program->has_constant_time && program->takes_little.load(std::memory_order_relaxed))
    return Run(runtime);
  const auto begin = std::chrono::steady_clock::now();
  const absl::Status status = Run(runtime);
  const bool took_little = status.ok() && std::chrono::steady_clock::now() - begin < kLittleTime;
  program->takes_little.store(took_little, std::memory_order_relaxed);
  return status;
}

void DeviceRun::Perform(CpuRuntime& runtime, absl::Status status) {
  if (status.ok() && runtime.stop()) status = runtime.Cancelled();
  if (status.ok()) {
    try {
      status = TimedRun(runtime);
    } catch (const std::bad_alloc&) {
      status = ResourceExhausted("there is no memory left for a run of program %s",
                                 program->module->module().name());
    }
  }
  // Whoever waited for something has been woken.
  if (absl::IsAborted(status) && runtime.stop()) status = runtime.Cancelled();
  if (gang != nullptr) {
    gang->rendezvous->Leave(place.id, status);
    if (!status.ok()) {
      gang->stop = true;
      runtime.mailboxes().Wake();
    }
  }
  Finish(std::move(status));
}

void DeviceRun::Finish(absl::Status status) {
  // The arguments' memory may go before anybody learns of the results.
  arguments.clear();
  if (!status.ok()) results.clear();
  const Event event = done;
  if (status.ok()) {
    event.SetStateConcrete();
  } else {
    event.SetError(std::move(status));
  }
}

}  // namespace xla
