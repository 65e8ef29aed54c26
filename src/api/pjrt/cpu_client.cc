#include "api/pjrt/cpu_client.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/pjrt/cpu_executable.h"
#include "base/device_names.h"
#include "base/status_macros.h"
#include "runtime/parallel.h"
#include "xla/debug_options_flags.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/pjrt/host_memory_spaces.h"
#include "xla/pjrt/interpreter/interpreter_client.h"
#include "xla/pjrt/plugin/xla_cpu/xla_cpu_pjrt_client.h"
#include "xla/service/trim_memory.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

std::atomic<int> client_count = 0;

absl::Span<const PjRtMemorySpaceDescription* const> MemorySpaceDescriptions() {
  static const PjRtMemorySpaceDescription* const descriptions[] = {
      new PjRtMemorySpaceDescription(device_names::kMemoryKinds[0], 0),
      new PjRtMemorySpaceDescription(device_names::kMemoryKinds[1], 1),
      new PjRtMemorySpaceDescription(device_names::kMemoryKinds[2], 2)};
  static_assert(std::size(descriptions) == device_names::kMemories);
  static_assert(device_names::kMemoryKinds[PinnedHostMemorySpace::kKindId] ==
                PinnedHostMemorySpace::kKind);
  static_assert(device_names::kMemoryKinds[UnpinnedHostMemorySpace::kKindId] ==
                UnpinnedHostMemorySpace::kKind);
  return descriptions;
}

absl::StatusOr<std::unique_ptr<PjRtClient>> MakeCpuClient(CpuClientOptions options,
                                                          ExecutionBackend& backend,
                                                          std::string name) {
  if (!options.cpu_device_count.has_value()) {
    HILO_ASSIGN_OR_RETURN(const DebugOptions flags, TryGetDebugOptionsFromFlags());
    options.cpu_device_count = std::max(1, flags.xla_force_host_platform_device_count());
  }
  const int count = *options.cpu_device_count;
  if (count < 1 || count > device_names::kMostDevices) {
    return InvalidArgument("cpu_device_count is %d, but must be between 1 and %d", count,
                           device_names::kMostDevices);
  }
  if (options.process_id < 0)
    return InvalidArgument("process_id is %d, but must not be negative", options.process_id);
  std::unique_ptr<CpuProcesses> processes;
  if (options.process_count > 1) {
    HILO_ASSIGN_OR_RETURN(processes, CpuProcesses::Join(options));
  }
  return std::make_unique<CpuClient>(std::move(options), backend, std::move(name),
                                     std::move(processes));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PjRtClient>> GetXlaPjrtCpuClient(CpuClientOptions options) {
  return MakeCpuClient(std::move(options), DefaultBackend(), std::string(CpuName()));
}

absl::StatusOr<std::unique_ptr<PjRtClient>> GetInterpreterClient() {
  HILO_ASSIGN_OR_RETURN(ExecutionBackend* const backend, FindBackend("interpreter"));
  CpuClientOptions options;
  options.cpu_device_count = 1;
  return MakeCpuClient(std::move(options), *backend, std::string(InterpreterName()));
}

InterpreterClient::InterpreterClient() : client_(GetInterpreterClient().value()) {}
InterpreterClient::InterpreterClient(std::function<std::unique_ptr<HloEvaluator>()>)
    : InterpreterClient() {}

CpuMemorySpace::CpuMemorySpace(CpuDevice* device, int id,
                               const PjRtMemorySpaceDescription& description)
    : device_(device),
      id_(id),
      description_(description),
      text_(device_names::MemoryName(id, description.kind_id(), device->id())) {}

CpuDevice* CpuMemorySpace::device() const { return static_cast<CpuDevice*>(device_); }
PjRtClient* CpuMemorySpace::client() const { return device_->client(); }

CpuDeviceDescription::CpuDeviceDescription(int id, int process_index)
    : id_(id),
      process_index_(process_index),
      debug_string_(device_names::DebugName(id)),
      to_string_(device_names::Name(id)) {}

absl::Span<const PjRtMemorySpaceDescription* const> CpuDeviceDescription::memory_spaces() const {
  return MemorySpaceDescriptions();
}

CpuDevice::CpuDevice(CpuClient* client, int process, int number, int position)
    : client_(client),
      number_(number),
      description_(device_names::DeviceId(process, number), process),
      memory_(DeviceMemory::Open(client->options().allocator)) {
  const absl::Span<const PjRtMemorySpaceDescription* const> kinds = MemorySpaceDescriptions();
  for (size_t i = 0; i < kinds.size(); ++i) {
    owned_spaces_.push_back(std::make_unique<CpuMemorySpace>(
        this, device_names::MemoryId(position, static_cast<int>(i)), *kinds[i]));
    spaces_.push_back(owned_spaces_.back().get());
  }
}

PjRtClient* CpuDevice::client() const { return client_; }

bool CpuDevice::IsAddressable() const {
  return description_.process_index() == client_->process_index();
}

absl::Status CpuDevice::TransferToInfeed(const LiteralSlice& literal) {
  client_->runtime().mailboxes().Put({runtime::Mailbox::kInfeed, number_}, literal.Clone());
  return absl::OkStatus();
}

absl::Status CpuDevice::TransferFromOutfeed(MutableBorrowingLiteral literal) {
  HILO_ASSIGN_OR_RETURN(const Literal value,
                        client_->runtime().mailboxes().Take({runtime::Mailbox::kOutfeed, number_}));
  if (!ShapeUtil::Compatible(value.shape(), literal.shape())) {
    return InvalidArgument("the outfeed of %s has a value of shape %s, but %s was asked for",
                           ToString(), value.shape().ToString(), literal.shape().ToString());
  }
  return literal.CopyFrom(value);
}

Event CpuDevice::ExchangeLastTransfer(Event next) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(last_transfer_, std::move(next));
}

absl::string_view CpuTopology::platform_version() const { return HILO_VERSION; }

std::vector<std::unique_ptr<const PjRtDeviceDescription>> CpuTopology::DeviceDescriptions() const {
  std::vector<std::unique_ptr<const PjRtDeviceDescription>> descriptions;
  for (const auto& [process, count] : devices_) {
    for (int i = 0; i < count; ++i) {
      descriptions.push_back(
          std::make_unique<CpuDeviceDescription>(device_names::DeviceId(process, i), process));
    }
  }
  return descriptions;
}

absl::StatusOr<std::string> CpuTopology::Serialize() const {
  const auto of_process = [](std::string* text, const auto& process) {
    absl::StrAppend(text, process.second, " devices of process ", process.first);
  };
  return absl::StrCat(name_, " ", platform_version(), ": ",
                      absl::StrJoin(devices_, ", ", of_process));
}

absl::StatusOr<Layout> CpuTopology::GetDefaultLayout(PrimitiveType element_type,
                                                     absl::Span<const int64_t> dims) const {
  HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeUtil::MakeValidatedShape(element_type, dims));
  return LayoutUtil::GetDefaultLayoutForShape(shape);
}

CpuClient::CpuClient(CpuClientOptions options, ExecutionBackend& backend, std::string name,
                     std::unique_ptr<CpuProcesses> processes)
    : options_(std::move(options)),
      backend_(backend),
      topology_(std::move(name),
                processes == nullptr
                    ? device_names::DeviceCounts{{options_.process_id, *options_.cpu_device_count}}
                    : processes->device_counts()),
      runtime_(std::make_shared<CpuRuntime>(runtime::ThreadCount())),
      processes_(std::move(processes)) {
  const auto add_devices = [&](int process, int count) {
    for (int number = 0; number < count; ++number) {
      owned_devices_.push_back(
          std::make_unique<CpuDevice>(this, process, number, static_cast<int>(devices_.size())));
      CpuDevice* const device = owned_devices_.back().get();
      devices_.push_back(device);
      if (device->IsAddressable()) addressable_devices_.push_back(device);
      for (PjRtMemorySpace* space : device->memory_spaces()) spaces_.push_back(space);
    }
  };
  for (const auto& [process, count] : topology_.devices()) add_devices(process, count);
  ++client_count;
  runtime_->RunAfter({}, CpuRuntime::Effort::kMuch,
                     [&backend](const absl::Status&) { backend.WarmUp(); });
}

CpuClient::~CpuClient() {
  runtime_->Close();
  if (--client_count == 0) TrimMemory();
}

absl::StatusOr<CpuMemorySpace*> CpuClient::OwnSpace(PjRtMemorySpace* memory_space) const {
  if (memory_space == nullptr) return InvalidArgument("a buffer needs a memory space, not null");
  if (memory_space->client() != this) {
    return InvalidArgument("memory space %s belongs to another client",
                           memory_space->DebugString());
  }
  CpuMemorySpace* const own = static_cast<CpuMemorySpace*>(memory_space);
  HILO_RETURN_IF_ERROR(OwnDevice(own->device()).status());
  return own;
}

absl::StatusOr<CpuDevice*> CpuClient::OwnDevice(PjRtDevice* device) const {
  if (device == nullptr || device->client() != this) {
    return InvalidArgument("%s is no device of this client",
                           device == nullptr ? "null" : device->ToString());
  }
  if (!device->IsAddressable()) {
    return InvalidArgument("%s is a device of process %d, not of process %d", device->ToString(),
                           device->process_index(), process_index());
  }
  return static_cast<CpuDevice*>(device);
}

absl::StatusOr<std::unique_ptr<PjRtExecutable>> CpuClient::Compile(
    const XlaComputation& computation, CompileOptions options) {
  return CpuExecutable::Compile(*this, computation, std::move(options));
}

absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> CpuClient::CompileAndLoad(
    const XlaComputation& computation, CompileOptions options) {
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<CpuExecutable> executable,
                        CpuExecutable::Compile(*this, computation, std::move(options)));
  return CpuLoadedExecutable::Load(this, std::move(executable));
}

absl::StatusOr<std::unique_ptr<PjRtExecutable>> CpuClient::DeserializeExecutable(
    absl::string_view serialized, std::optional<CompileOptions> options) {
  return CpuExecutable::Deserialize(*this, serialized, std::move(options));
}

absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> CpuClient::LoadSerializedExecutable(
    absl::string_view serialized, std::optional<CompileOptions> options,
    const LoadOptions& load_options) {
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<CpuExecutable> executable,
                        CpuExecutable::Deserialize(*this, serialized, std::move(options)));
  return CpuLoadedExecutable::Load(this, std::move(executable));
}

absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> CpuClient::Load(
    std::shared_ptr<PjRtExecutable> executable, const LoadOptions& load_options) {
  std::shared_ptr<CpuExecutable> own = std::dynamic_pointer_cast<CpuExecutable>(executable);
  if (own == nullptr) {
    return InvalidArgument("the executable to load is none of this kind of client");
  }
  return CpuLoadedExecutable::Load(this, std::move(own));
}

absl::StatusOr<std::shared_ptr<const Shape>> BufferShape(const Shape& shape) {
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
  if (!shape.IsArray() && !shape.IsToken()) {
    return InvalidArgument("a buffer is an array or a token, not of shape %s", shape.ToString());
  }
  Shape result = shape;
  if (result.IsArray()) {
    for (const int64_t size : result.dimensions()) {
      if (size < 0) {
        return InvalidArgument("a buffer of shape %s has no size: a dimension is unbounded",
                               shape.ToString());
      }
    }
    if (!result.has_layout())
      *result.mutable_layout() = LayoutUtil::GetDefaultLayoutForShape(result);
    // Within what literals may have.
    HILO_RETURN_IF_ERROR(Literal::Make(result, /*allocate_arrays=*/false).status());
  }
  return std::make_shared<const Shape>(std::move(result));
}

}  // namespace xla
