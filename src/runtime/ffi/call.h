// Custom calls of API_VERSION_TYPED_FFI: handlers called with buffers and attributes that know
// their types. Both back ends run them by this.
#ifndef HILO_RUNTIME_FFI_CALL_H_
#define HILO_RUNTIME_FFI_CALL_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/ffi/attributes.h"
#include "runtime/ffi/context.h"
#include "runtime/ffi/setting.h"
#include "xla/ffi/ffi_api.h"
#include "xla/shape.h"

namespace xla::runtime {

class FfiCall;

// What belongs to one run of a program: its setting, and the states that its calls prepare. For any
// number of threads.
class FfiRun {
 public:
  explicit FfiRun(const FfiSetting& setting) : setting_(setting) {}

 private:
  friend class FfiCall;
  const FfiSetting setting_;
  std::mutex mutex_;
  std::map<const FfiCall*, FfiStates> states_;
};

// A custom call that knows the types of its operands and attributes, made ready. For any number of
// threads and runs.
class TypedCall {
 public:
  virtual ~TypedCall() = default;
  // Reads the arrays of the operands and writes those of the result, each in the layout of its
  // shape; those of tuples come in order.
  virtual absl::Status Run(absl::Span<void* const> operands, absl::Span<void* const> results,
                           FfiRun& run) const = 0;
};

// The typed calls of a program that is not compiled: each is made when it is first needed. For any
// number of threads.
class TypedCalls {
 public:
  // `instruction` tells calls apart. A call that cannot be made is tried again the next time.
  absl::StatusOr<const TypedCall*> Get(
      const void* instruction,
      absl::FunctionRef<absl::StatusOr<std::unique_ptr<TypedCall>>()> make);

 private:
  std::mutex mutex_;
  std::map<const void*, std::unique_ptr<TypedCall>> calls_;
};

// A call of registered handlers.
class FfiCall : public TypedCall {
 public:
  // Finds the target's handlers and instantiates them. Operands and results are given by their
  // shapes, tuples and tokens among them; `attributes` is the text of the backend_config. NotFound
  // when no handler has the target's name. `name` is that of the instruction, for errors.
  static absl::StatusOr<std::unique_ptr<FfiCall>> Make(absl::string_view name,
                                                       absl::string_view target,
                                                       absl::string_view attributes,
                                                       absl::Span<const Shape> operands,
                                                       const Shape& result);

  // Waits until the handlers are done.
  absl::Status Run(absl::Span<void* const> operands, absl::Span<void* const> results,
                   FfiRun& run) const override;

 private:
  FfiCall(absl::string_view name, const ffi::HandlerRegistration& registration,
          const FfiAttributes& attributes);

  using Buffers = absl::InlinedVector<XLA_FFI_Buffer, 8>;

  // Adds the buffers of a value, which have no data yet.
  void AddBuffers(const Shape& shape, Buffers& buffers);
  // Calls a handler and waits until it is done; null does nothing.
  absl::Status Call(XLA_FFI_Handler* handler, XLA_FFI_ExecutionStage stage, Buffers& operands,
                    Buffers& results, XLA_FFI_InvokeContext context) const;

  const std::string name_;
  const ffi::HandlerRegistration registration_;
  const FfiAttributeTable attributes_;
  std::deque<std::vector<int64_t>> dimensions_;  // of the buffers
  Buffers operands_, results_;
  mutable FfiStates instance_;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_FFI_CALL_H_
