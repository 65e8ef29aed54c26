// A PJRT client that runs programs on the reference evaluator.
#ifndef XLA_PJRT_INTERPRETER_INTERPRETER_CLIENT_H_
#define XLA_PJRT_INTERPRETER_INTERPRETER_CLIENT_H_

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/pjrt/pjrt_client.h"

namespace xla {

// With one device.
absl::StatusOr<std::unique_ptr<PjRtClient>> GetInterpreterClient();

// The same as a class. Its buffers and executables name the client inside of it as theirs.
class InterpreterClient : public PjRtClient {
 public:
  InterpreterClient();
  // Evaluators of this library have nothing to set up that changes results, so that none is asked
  // for.
  explicit InterpreterClient(
      std::function<std::unique_ptr<HloEvaluator>()> hlo_evaluator_factory);

  int process_index() const override { return client_->process_index(); }
  int device_count() const override { return client_->device_count(); }
  int addressable_device_count() const override { return client_->addressable_device_count(); }
  absl::Span<PjRtDevice* const> devices() const override { return client_->devices(); }
  absl::Span<PjRtDevice* const> addressable_devices() const override {
    return client_->addressable_devices();
  }
  absl::Span<PjRtMemorySpace* const> memory_spaces() const override {
    return client_->memory_spaces();
  }
  PjRtPlatformId platform_id() const override { return client_->platform_id(); }
  absl::string_view platform_name() const override { return client_->platform_name(); }
  absl::string_view platform_version() const override { return client_->platform_version(); }
  absl::StatusOr<const PjRtTopologyDescription*> GetTopologyDescription() const override {
    return client_->GetTopologyDescription();
  }

  absl::StatusOr<std::unique_ptr<PjRtExecutable>> Compile(const XlaComputation& computation,
                                                          CompileOptions options) override {
    return client_->Compile(computation, std::move(options));
  }
  absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> CompileAndLoad(
      const XlaComputation& computation, CompileOptions options) override {
    return client_->CompileAndLoad(computation, std::move(options));
  }
  absl::StatusOr<std::unique_ptr<PjRtExecutable>> DeserializeExecutable(
      absl::string_view serialized, std::optional<CompileOptions> options) override {
    return client_->DeserializeExecutable(serialized, std::move(options));
  }
  absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> LoadSerializedExecutable(
      absl::string_view serialized, std::optional<CompileOptions> options,
      const LoadOptions& load_options) override {
    return client_->LoadSerializedExecutable(serialized, std::move(options), load_options);
  }
  absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> Load(
      std::shared_ptr<PjRtExecutable> executable, const LoadOptions& load_options) override {
    return client_->Load(std::move(executable), load_options);
  }

  absl::StatusOr<std::unique_ptr<PjRtBuffer>> CreateUninitializedBuffer(
      const Shape& shape, PjRtMemorySpace* memory_space) override {
    return client_->CreateUninitializedBuffer(shape, memory_space);
  }
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> CreateErrorBuffer(
      absl::Status error, const Shape& shape, PjRtMemorySpace* memory_space) override {
    return client_->CreateErrorBuffer(std::move(error), shape, memory_space);
  }
  using PjRtClient::BufferFromHostBuffer;
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> BufferFromHostBuffer(
      const void* data, PrimitiveType type, absl::Span<int64_t const> dims,
      std::optional<absl::Span<int64_t const>> byte_strides,
      HostBufferSemantics host_buffer_semantics,
      absl::AnyInvocable<void() &&> on_done_with_host_buffer, PjRtMemorySpace* memory_space,
      const Layout* device_layout) override {
    return client_->BufferFromHostBuffer(data, type, dims, byte_strides, host_buffer_semantics,
                                         std::move(on_done_with_host_buffer), memory_space,
                                         device_layout);
  }
  using PjRtClient::BufferFromHostLiteral;
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> BufferFromHostLiteral(
      const LiteralSlice& literal, PjRtMemorySpace* memory_space,
      const Layout* device_layout) override {
    return client_->BufferFromHostLiteral(literal, memory_space, device_layout);
  }

 private:
  const std::unique_ptr<PjRtClient> client_;
};

}  // namespace xla

#endif  // XLA_PJRT_INTERPRETER_INTERPRETER_CLIENT_H_
