// One run of a program on memory of a device.
#ifndef HILO_API_CLIENT_SHAPED_BUFFER_RUN_H_
#define HILO_API_CLIENT_SHAPED_BUFFER_RUN_H_

#include <cstddef>
#include <list>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "api/backend.h"
#include "api/program_interface.h"
#include "runtime/memory.h"
#include "xla/service/executable.h"
#include "xla/service/shaped_buffer.h"
#include "xla/shape.h"
#include "xla/stream_executor/device_address.h"
#include "xla/stream_executor/device_address_allocator.h"

namespace xla {

// The arguments of a run that is lent all of them.
std::vector<ExecutionInput> Lend(absl::Span<const ShapedBuffer* const> arguments);

class ShapedBufferRun {
 public:
  // What is donated belongs to the run from here on. The program must outlive it.
  ShapedBufferRun(CompiledModule& compiled, std::vector<ExecutionInput> arguments,
                  stream_executor::DeviceAddressAllocator* allocator, int device_ordinal);
  ShapedBufferRun(const ShapedBufferRun&) = delete;
  ShapedBufferRun& operator=(const ShapedBufferRun&) = delete;

  // Checks the arguments and gets memory for the result. To be called once, first.
  absl::Status Prepare();

  // Whose memory Run writes. To be taken once, before or after.
  ScopedShapedBuffer TakeResult() { return std::move(result_); }

  // To be called once. Waits for runs that compute arguments.
  absl::Status Run(const RunContext& context);

 private:
  // An array of an argument or of the result, as it lies in the device's memory.
  struct Array {
    const Shape* shape;  // with a layout
    stream_executor::DeviceAddressBase memory;
    bool is_read = false;  // of a result: the program reads a parameter there while it writes
  };

  // The shape itself, if it has a layout.
  const Shape* WithLayout(const Shape& array);
  // "argument 0 at {1}".
  std::string PlaceOf(size_t array) const;
  absl::Status FindParameters(absl::string_view program);
  absl::Status CheckDonated(absl::string_view program) const;
  absl::Status PlaceResults(absl::string_view program);
  absl::Status ReadParameters();
  absl::Status FindResults();
  absl::Status WriteResults();

  CompiledModule& compiled_;
  const ProgramInterface* const interface_;
  std::vector<ExecutionInput> arguments_;
  std::list<Shape> laid_out_;  // of arrays that have no layout
  ScopedShapedBuffer result_;
  absl::InlinedVector<Array, 8> parameter_arrays_, result_arrays_;
  // The donated arrays among the arguments, null for what is lent.
  absl::InlinedVector<MaybeOwningDeviceAddress*, 8> donated_;

  // While it runs.
  std::vector<runtime::Memory> temporaries_;  // for what lies otherwise than programs want it
  SizeCells parameter_sizes_, result_sizes_;
  absl::InlinedVector<const void*, 8> parameters_;
  absl::InlinedVector<void*, 8> results_;
};

}  // namespace xla

#endif  // HILO_API_CLIENT_SHAPED_BUFFER_RUN_H_
