// What the clients share on the way to a program and to its data.
#ifndef HILO_API_CLIENT_COMPILE_H_
#define HILO_API_CLIENT_COMPILE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/service/backend.h"
#include "xla/service/service.h"
#include "xla/service/shaped_buffer.h"
#include "xla/shape.h"
#include "xla/stream_executor/device_address_allocator.h"
#include "xla/xla.pb.h"

namespace xla {

absl::StatusOr<std::unique_ptr<Backend>> CreateBackendFor(const ServiceOptions& options);

// The computation as a module for arguments of these shapes, whose layouts become those of the
// parameters.
absl::StatusOr<std::unique_ptr<HloModule>> ModuleOf(const XlaComputation& computation,
                                                    absl::Span<const Shape* const> argument_shapes,
                                                    const ExecutionOptions& options,
                                                    int default_replicas);

// Copies. Memory is the backend's where the allocator is null.
absl::StatusOr<ScopedShapedBuffer> ToDevice(Backend& backend, const LiteralSlice& literal,
                                            int device_ordinal,
                                            stream_executor::DeviceAddressAllocator* allocator);
absl::StatusOr<Literal> FromDevice(Backend& backend, const ShapedBuffer& buffer);

}  // namespace xla

#endif  // HILO_API_CLIENT_COMPILE_H_
