// Compiled programs on devices, and what runs take and give where some of their memory changes
// hands.
#ifndef XLA_SERVICE_EXECUTABLE_H_
#define XLA_SERVICE_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/executable_run_options.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/service/maybe_owning_device_address.h"
#include "xla/service/service_executable_run_options.h"
#include "xla/service/shaped_buffer.h"
#include "xla/shape.h"
#include "xla/shape_tree.h"

namespace xla {

class CompiledModule;

// One argument. Each of its arrays is lent to the run or donated to it.
//
// A donated array that input_output_alias ties to a part of the result becomes that part: the
// result is at the same address. Where the program declares the alias as may-alias and the array is
// only lent, the result lies in memory of its own, and the array stays as it is; for must-alias
// that is an error. Donated arrays without an alias are given back when the run is over. Memory
// that is donated must not stand among the arguments a second time.
class ExecutionInput {
 public:
  // Without memory; the run needs some for each array.
  explicit ExecutionInput(Shape shape) : buffers_(std::move(shape)) {}
  ExecutionInput(Shape shape, Shape host_shape)
      : buffers_(std::move(shape)), host_shape_(std::move(host_shape)) {}
  explicit ExecutionInput(ShapeTree<MaybeOwningDeviceAddress> buffers)
      : buffers_(std::move(buffers)) {}
  ExecutionInput(ShapeTree<MaybeOwningDeviceAddress> buffers, Shape host_shape)
      : buffers_(std::move(buffers)), host_shape_(std::move(host_shape)) {}
  // Lends all arrays.
  explicit ExecutionInput(const ShapedBuffer& lent);
  // Donates all arrays; the handle has none any more.
  explicit ExecutionInput(ScopedShapedBuffer&& donated);

  ExecutionInput(ExecutionInput&&) = default;
  ExecutionInput& operator=(ExecutionInput&&) = default;
  // Memory at an index that was named by SetUnownedIndex is not given back. Waits for the run that
  // computes the value.
  ~ExecutionInput();

  const Shape& shape() const { return dynamic_shape_ ? *dynamic_shape_ : buffers_.shape(); }
  const Shape& host_shape() const { return host_shape_ ? *host_shape_ : shape(); }
  // The shape with the sizes that the value has. InvalidArgument when it is another shape.
  absl::Status SetDynamicShape(Shape dynamic_shape);

  void SetBuffer(const ShapeIndex& index, MaybeOwningDeviceAddress buffer) {
    *buffers_.mutable_element(index) = std::move(buffer);
  }
  const MaybeOwningDeviceAddress& Buffer(const ShapeIndex& index) const {
    return buffers_.element(index);
  }
  MaybeOwningDeviceAddress* MutableBuffer(const ShapeIndex& index) {
    return buffers_.mutable_element(index);
  }
  const ShapeTree<MaybeOwningDeviceAddress>& Buffers() const { return buffers_; }
  ShapeTree<MaybeOwningDeviceAddress>* MutableBuffers() { return &buffers_; }

  void SetUnownedIndex(const ShapeIndex& index) { unowned_.insert(index); }
  void ClearUnownedIndex(const ShapeIndex& index) { unowned_.erase(index); }

  // The run that computes the value, or null; see ShapedBuffer.
  const std::shared_ptr<RunCompletion>& completion() const { return completion_; }

 private:
  ShapeTree<MaybeOwningDeviceAddress> buffers_;
  std::optional<Shape> host_shape_, dynamic_shape_;
  std::set<ShapeIndex> unowned_;
  std::shared_ptr<RunCompletion> completion_;
};

// The result of a run.
class ExecutionOutput {
 public:
  explicit ExecutionOutput(ScopedShapedBuffer result) : result_(std::move(result)) {}
  ExecutionOutput(ScopedShapedBuffer result,
                  std::vector<stream_executor::OwningDeviceAddress> to_be_released)
      : result_(std::move(result)), to_be_released_(std::move(to_be_released)) {}
  ExecutionOutput(Shape on_device_shape, stream_executor::DeviceAddressAllocator* allocator,
                  int device_ordinal, int physical_device_ordinal = -1)
      : result_(std::move(on_device_shape), allocator, device_ordinal, physical_device_ordinal) {}

  const ScopedShapedBuffer& Result() const { return result_; }
  ScopedShapedBuffer* MutableResult() { return &result_; }
  ScopedShapedBuffer ConsumeResult() { return std::move(result_); }

  // Memory of the arguments that lives until this object goes.
  const std::vector<stream_executor::OwningDeviceAddress>& ToBeReleased() const {
    return to_be_released_;
  }
  std::vector<stream_executor::OwningDeviceAddress> ConsumeToBeReleased() {
    return std::move(to_be_released_);
  }
  void AddToBeReleased(stream_executor::OwningDeviceAddress memory) {
    to_be_released_.push_back(std::move(memory));
  }

 private:
  ScopedShapedBuffer result_;
  std::vector<stream_executor::OwningDeviceAddress> to_be_released_;
};

// A compiled program. All may be called from several threads at once.
//
// Errors of the arguments (InvalidArgument: number, shapes, memory that is too small, what must be
// donated and is not) come at once; those of the run itself from the stream, from Await() of the
// result and from whatever reads it.
class Executable {
 public:
  explicit Executable(std::shared_ptr<CompiledModule> compiled);
  virtual ~Executable();

  // Runs at once, on this thread and that device, whatever the options' stream and device.
  absl::StatusOr<ExecutionOutput> ExecuteOnDevice(const ExecutableRunOptions& options,
                                                  int device_ordinal,
                                                  std::vector<ExecutionInput> arguments);

  // Puts a run into the options' stream and gives the result, which is there when the stream has
  // come so far.
  absl::StatusOr<ExecutionOutput> ExecuteAsyncOnStream(
      const ServiceExecutableRunOptions* run_options, std::vector<ExecutionInput> arguments);
  absl::StatusOr<ScopedShapedBuffer> ExecuteAsyncOnStream(
      const ServiceExecutableRunOptions* run_options,
      absl::Span<const ShapedBuffer* const> arguments);
  // On a stream that is given back after the run.
  absl::StatusOr<ExecutionOutput> ExecuteAsyncOnBorrowedStream(
      const ServiceExecutableRunOptions& run_options, int device_ordinal,
      std::vector<ExecutionInput> arguments);
  // ExecuteAsyncOnStream, which waits for the result.
  absl::StatusOr<ExecutionOutput> ExecuteOnStream(const ServiceExecutableRunOptions* run_options,
                                                  std::vector<ExecutionInput> arguments);
  absl::StatusOr<ScopedShapedBuffer> ExecuteOnStream(
      const ServiceExecutableRunOptions* run_options,
      absl::Span<const ShapedBuffer* const> arguments);
  absl::StatusOr<ExecutionOutput> ExecuteAsyncOnStreamWrapper(
      const ServiceExecutableRunOptions* run_options, std::vector<ExecutionInput> arguments) {
    return ExecuteAsyncOnStream(run_options, std::move(arguments));
  }
  absl::StatusOr<ExecutionOutput> ExecuteOnStreamWrapper(
      const ServiceExecutableRunOptions* run_options, std::vector<ExecutionInput> arguments) {
    return ExecuteOnStream(run_options, std::move(arguments));
  }
  // Runs on several devices at once, each with options and arguments of its own.
  absl::StatusOr<std::vector<ScopedShapedBuffer>> ExecuteOnStreams(
      absl::Span<const ServiceExecutableRunOptions> run_options,
      absl::Span<const absl::Span<const ShapedBuffer* const>> arguments);

  // The program as it was compiled.
  bool has_module() const { return true; }
  const HloModule& module() const;
  std::shared_ptr<const HloModule> shared_module() const;
  const HloModuleConfig& module_config() const { return module().config(); }
  const Shape& result_shape() const { return module().result_shape(); }
  absl::string_view name() const { return module().name(); }
  // 0 where the program is interpreted.
  virtual int64_t SizeOfGeneratedCodeInBytes() const;

  // What another Executable for the same program is made of.
  const std::shared_ptr<CompiledModule>& shared_compiled() const { return compiled_; }

 private:
  std::shared_ptr<CompiledModule> compiled_;
};

}  // namespace xla

#endif  // XLA_SERVICE_EXECUTABLE_H_
