// Values between the host and devices.
#ifndef XLA_SERVICE_TRANSFER_MANAGER_H_
#define XLA_SERVICE_TRANSFER_MANAGER_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/literal.h"
#include "xla/service/shaped_buffer.h"
#include "xla/shape.h"
#include "xla/stream_executor/device_address_allocator.h"
#include "xla/stream_executor/platform.h"
#include "xla/stream_executor/stream.h"
#include "xla/stream_executor/stream_executor.h"

namespace xla {

// Functions with a stream come behind what is in the stream, and wait unless they are called
// ...Async. Shapes of literal and buffer must be compatible; layouts may differ. InvalidArgument
// otherwise, and when memory is too small.
class TransferManager {
 public:
  // To say more about a transfer; nothing is looked at here.
  class TransferMetadata {
   public:
    virtual ~TransferMetadata() = default;
  };
  using DeviceShapeRepresentationFn = std::function<Shape(const Shape&)>;

  // That of the host. NotFound for other platforms.
  static absl::StatusOr<TransferManager*> GetForPlatform(const stream_executor::Platform* platform);
  stream_executor::Platform::Id PlatformId() const;

  // How a shape lies on the device: as it is on the host, with the default layout where it has
  // none.
  Shape HostShapeToDeviceShape(const Shape& host_shape);
  // In bytes, with what stands behind an array with dynamic sizes.
  int64_t GetByteSizeRequirement(const Shape& shape) const;

  absl::StatusOr<Literal> TransferLiteralFromDevice(
      stream_executor::Stream* stream, const ShapedBuffer& device_buffer,
      const TransferMetadata* transfer_metadata = nullptr);
  absl::Status TransferLiteralFromDevice(stream_executor::Stream* stream,
                                         const ShapedBuffer& device_buffer,
                                         const MutableBorrowingLiteral& literal,
                                         const TransferMetadata* transfer_metadata = nullptr);
  // Calls `done` when the literal, which has to live until then, is complete.
  void TransferLiteralFromDevice(stream_executor::Stream* stream, const ShapedBuffer& device_buffer,
                                 MutableBorrowingLiteral literal,
                                 std::function<void(absl::Status)> done,
                                 const TransferMetadata* transfer_metadata = nullptr);

  absl::Status TransferLiteralToDevice(stream_executor::Stream* stream, const LiteralSlice& literal,
                                       const ShapedBuffer& device_buffer,
                                       const TransferMetadata* transfer_metadata = nullptr);
  // The literal has to live until the stream has come so far.
  absl::Status TransferLiteralToDeviceAsync(stream_executor::Stream* stream,
                                            const LiteralSlice& literal,
                                            const ShapedBuffer& device_buffer,
                                            const TransferMetadata* transfer_metadata = nullptr);

  // One array.
  absl::Status TransferArrayToDevice(stream_executor::Stream* stream, const LiteralSlice& literal,
                                     const stream_executor::DeviceAddressBase& destination,
                                     const TransferMetadata* transfer_metadata = nullptr);
  absl::StatusOr<Literal> TransferArrayFromDevice(
      stream_executor::Stream* stream, const Shape& shape,
      const stream_executor::DeviceAddressBase& source,
      const TransferMetadata* transfer_metadata = nullptr);

  // Appends a value to those that the infeed instructions of programs on the device read. Does not
  // wait.
  absl::Status TransferLiteralToInfeed(stream_executor::StreamExecutor* executor,
                                       const LiteralSlice& literal);
  // The first value that an outfeed instruction of the device has put out, which is waited for. The
  // literal has its shape.
  absl::Status TransferLiteralFromOutfeed(stream_executor::StreamExecutor* executor,
                                          MutableBorrowingLiteral literal);
  // Drops all values on their way between host and programs. Whatever waits for one fails with
  // Cancelled.
  absl::Status ResetDevices(absl::Span<stream_executor::StreamExecutor* const> executors);

  // Memory for each array of the shape.
  absl::StatusOr<ScopedShapedBuffer> AllocateScopedShapedBuffer(
      const Shape& on_host_shape, stream_executor::DeviceAddressAllocator* allocator,
      int device_ordinal, int physical_device_ordinal = -1,
      DeviceShapeRepresentationFn shape_representation_fn = nullptr);

  // Tuples have no memory here, so that there is nothing to write.
  absl::Status WriteTupleIndexTables(stream_executor::Stream* stream,
                                     const ShapedBuffer& device_buffer) {
    return absl::OkStatus();
  }
  absl::Status WriteTupleIndexTablesAsync(stream_executor::Stream* stream,
                                          const ShapedBuffer& device_buffer) {
    return absl::OkStatus();
  }

  // Makes the shape static with the sizes that the arrays have.
  absl::Status ReadDynamicShapes(stream_executor::Stream* stream, const ShapedBuffer* device_buffer,
                                 Shape* device_shape);

  // Whether no run computes the value any more.
  bool CanShapedBufferBeAccessedNow(stream_executor::StreamExecutor* executor,
                                    const ShapedBuffer& device_buffer) const;

 private:
  TransferManager() = default;
};

}  // namespace xla

#endif  // XLA_SERVICE_TRANSFER_MANAGER_H_
