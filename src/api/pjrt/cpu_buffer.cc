#include "api/pjrt/cpu_buffer.h"

#include <cstring>
#include <utility>

#include "base/status_macros.h"
#include "data/literal_borrow.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

void FinishEvent(const Event& event, const absl::Status& status) {
  if (status.ok()) {
    event.SetStateConcrete();
  } else {
    event.SetError(status);
  }
}

class CpuExternalReference : public PjRtBuffer::ExternalReference {
 public:
  explicit CpuExternalReference(DeviceArrayRef array) : array_(std::move(array)) {
    array_->AddExternalReference();
    data_ = array_->memory.data();
  }
  ~CpuExternalReference() override { array_->DropExternalReference(); }

 private:
  DeviceArrayRef array_;
};

absl::Status CheckByteRange(const DeviceArray& array, int64_t offset, int64_t bytes) {
  const int64_t size = ShapeUtil::ByteSizeOf(*array.shape);
  if (offset < 0 || bytes < 0 || offset > size || bytes > size - offset) {
    return InvalidArgument("bytes %d to %d lie outside of the %d bytes of a buffer of shape %s",
                           offset, offset + bytes, size, array.shape->ToString());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status BufferIsGone(absl::string_view action) {
  return InvalidArgument("cannot %s: the buffer has been deleted or donated", action);
}

Future<> ToFuture(const Event& event) {
  if (event.IsConcrete()) {
    static const Future<>* const done = new Future<>(absl::OkStatus());
    return *done;
  }
  if (event.IsError()) return Future<>(event.GetError());
  auto [promise, future] = MakePromise<>();
  event.AndThen([event = event.GetAsyncValue(), promise = std::move(promise)]() mutable {
    promise.Set(event->IsError() ? event->GetError() : absl::OkStatus());
  });
  return std::move(future);
}

Event ToEvent(const Future<>& future) {
  if (future.IsReady() && future.Await().ok()) return DoneEvent();
  Event event = tsl::MakeConstructedAsyncValueRef<tsl::Chain>();
  future.OnReady([event](const absl::Status& status) { FinishEvent(event, status); });
  return event;
}

Literal ViewOf(const DeviceArray& array) {
  if (!array.shape->IsArray()) return Literal(*array.shape);
  Literal view = BorrowArray(*array.shape, array.memory.data());
  size_t next = 0;
  for (int d = 0; d < array.shape->dimensions_size(); ++d) {
    if (array.shape->is_dynamic_dimension(d)) view.SetDynamicSize(d, array.dynamic_sizes[next++]);
  }
  return view;
}

CpuRuntime& CpuBuffer::runtime() const {
  return static_cast<CpuClient*>(space_->client())->runtime();
}

DeviceArrayRef CpuBuffer::Array() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return array_;
}

DeviceArrayRef CpuBuffer::Use(Event use) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (array_ != nullptr) array_->AddUse(std::move(use));
  return array_;
}

DeviceArrayRef CpuBuffer::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(array_, nullptr);
}

void CpuBuffer::PutBack(DeviceArrayRef array) {
  const std::lock_guard<std::mutex> lock(mutex_);
  array_ = std::move(array);
}

bool CpuBuffer::IsDeleted() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return array_ == nullptr;
}

absl::StatusOr<DeviceArrayRef> CpuBuffer::Existing(absl::string_view action) const {
  DeviceArrayRef array = Array();
  if (array == nullptr) return BufferIsGone(action);
  return array;
}

template <typename Action>
Future<> CpuBuffer::WithValue(absl::string_view action, int64_t bytes, Action act) {
  const Event use = tsl::MakeConstructedAsyncValueRef<tsl::Chain>();
  DeviceArrayRef array = Use(use);
  if (array == nullptr) {
    use.SetStateConcrete();
    return Future<>(BufferIsGone(action));
  }
  auto [promise, future] = MakePromise<>();
  const Event ready = array->ready;
  runtime().RunAfter(
      {ready}, bytes <= kLittleBytes ? CpuRuntime::Effort::kLittle : CpuRuntime::Effort::kMuch,
      [array = std::move(array), use, act = std::move(act),
       promise = std::move(promise)](absl::Status status) mutable {
        if (status.ok()) status = FirstError({array->ready});
        if (status.ok()) status = act(*array);
        use.SetStateConcrete();
        // The memory may go before anybody learns that this is done with it.
        array = nullptr;
        promise.Set(status);
      });
  return std::move(future);
}

absl::StatusOr<std::vector<int64_t>> CpuBuffer::logical_dimensions() {
  HILO_ASSIGN_OR_RETURN(const Shape shape, logical_on_device_shape());
  return std::vector<int64_t>(shape.dimensions().begin(), shape.dimensions().end());
}

absl::StatusOr<Shape> CpuBuffer::logical_on_device_shape() {
  if (shape_->is_static()) return *shape_;
  HILO_ASSIGN_OR_RETURN(const DeviceArrayRef array, Existing("give its logical shape"));
  tsl::BlockUntilReady(array->ready);
  HILO_RETURN_IF_ERROR(FirstError({array->ready}));
  Shape shape = *shape_;
  const DimensionVector sizes = array->Sizes();
  for (int d = 0; d < shape.dimensions_size(); ++d)
    shape.set_dimensions(d, sizes[d], shape.is_dynamic_dimension(d));
  return shape;
}

absl::StatusOr<std::unique_ptr<PjRtBuffer::ExternalReference>>
CpuBuffer::AcquireExternalReference() {
  HILO_ASSIGN_OR_RETURN(DeviceArrayRef array, Existing("refer to it"));
  tsl::BlockUntilReady(array->ready);
  HILO_RETURN_IF_ERROR(FirstError({array->ready}));
  // While it was waited for, it may have been donated.
  const std::lock_guard<std::mutex> lock(mutex_);
  if (array_ == nullptr) return BufferIsGone("refer to it");
  return std::make_unique<CpuExternalReference>(std::move(array));
}

absl::StatusOr<std::unique_ptr<PjRtBuffer::ExternalReference>>
CpuBuffer::ReleaseDeviceMemoryOwnership(bool wait_for_operations_to_complete) {
  DeviceArrayRef array = Take();
  if (array == nullptr) return std::unique_ptr<ExternalReference>();
  tsl::BlockUntilReady(array->ready);
  HILO_RETURN_IF_ERROR(FirstError({array->ready}));
  if (wait_for_operations_to_complete) {
    for (const Event& use : array->Uses()) tsl::BlockUntilReady(use);
  }
  return std::make_unique<CpuExternalReference>(std::move(array));
}

Future<> CpuBuffer::ToLiteral(MutableLiteralBase* literal) {
  return WithValue("copy it to a literal", ShapeUtil::ByteSizeOf(*shape_),
                   [literal](const DeviceArray& array) -> absl::Status {
                     if (!array.shape->IsArray()) return absl::OkStatus();
                     const Literal value = ViewOf(array);
                     const DimensionVector sizes = array.Sizes();
                     const DimensionVector zeros(sizes.size(), 0);
                     if (ShapeUtil::Compatible(value.shape(), literal->shape()))
                       return literal->CopyFrom(value);
                     if (!literal->shape().IsArray() ||
                         literal->shape().element_type() != value.shape().element_type() ||
                         literal->shape().dimensions() != absl::MakeConstSpan(sizes)) {
                       return InvalidArgument(
                           "a buffer of shape %s cannot be copied to a literal of shape %s",
                           array.shape->ToString(), literal->shape().ToString());
                     }
                     return literal->CopySliceFrom(value, zeros, zeros, sizes);
                   });
}

Future<> CpuBuffer::LazyToLiteral(absl::AnyInvocable<Future<MutableLiteralBase*>() &&> generator) {
  const Future<MutableLiteralBase*> target = std::move(generator)();
  if (target.IsReady()) {
    const absl::StatusOr<MutableLiteralBase*> literal = target.Await();
    return literal.ok() ? ToLiteral(*literal) : Future<>(literal.status());
  }
  // The array is held, so that the handle may go.
  HILO_ASSIGN_OR_RETURN(DeviceArrayRef array, Existing("copy it to a literal"));
  const auto held = std::make_shared<CpuBuffer>(space_, std::move(array));
  auto [promise, future] = MakePromise<>();
  target.OnReady([held, promise = std::move(promise)](
                     const absl::StatusOr<MutableLiteralBase*>& literal) mutable {
    if (!literal.ok()) return promise.Set(literal.status());
    held->ToLiteral(*literal).OnReady(
        [promise = std::move(promise)](const absl::Status& status) mutable {
          promise.Set(status);
        });
  });
  return std::move(future);
}

absl::StatusOr<size_t> CpuBuffer::GetOnDeviceSizeInBytes() const {
  return shape_->IsArray() ? ShapeUtil::ByteSizeOf(*shape_) : 0;
}

Future<> CpuBuffer::CopyRawToHost(void* dst, int64_t offset, int64_t transfer_size) {
  return WithValue("copy it to the host", transfer_size,
                   [=](const DeviceArray& array) -> absl::Status {
                     HILO_RETURN_IF_ERROR(CheckByteRange(array, offset, transfer_size));
                     std::memcpy(dst, array.memory.data() + offset, transfer_size);
                     return absl::OkStatus();
                   });
}

Future<> CpuBuffer::CopyRawToHostFuture(Future<void*> dst, int64_t offset, int64_t transfer_size) {
  if (dst.IsReady()) {
    const absl::StatusOr<void*> target = dst.Await();
    return target.ok() ? CopyRawToHost(*target, offset, transfer_size) : Future<>(target.status());
  }
  HILO_ASSIGN_OR_RETURN(DeviceArrayRef array, Existing("copy it to the host"));
  const auto held = std::make_shared<CpuBuffer>(space_, std::move(array));
  auto [promise, future] = MakePromise<>();
  dst.OnReady([held, offset, transfer_size,
               promise = std::move(promise)](const absl::StatusOr<void*>& target) mutable {
    if (!target.ok()) return promise.Set(target.status());
    held->CopyRawToHost(*target, offset, transfer_size)
        .OnReady([promise = std::move(promise)](const absl::Status& status) mutable {
          promise.Set(status);
        });
  });
  return std::move(future);
}

absl::StatusOr<std::unique_ptr<PjRtBuffer>> CpuBuffer::CopyToMemorySpace(
    PjRtMemorySpace* dst_memory_space) {
  CpuMemorySpace* space = dynamic_cast<CpuMemorySpace*>(dst_memory_space);
  if (space == nullptr) {
    HILO_ASSIGN_OR_RETURN(const std::shared_ptr<Literal> literal, ToLiteralSync());
    return dst_memory_space->client()->BufferFromHostLiteral(*literal, dst_memory_space);
  }
  const Event done = tsl::MakeConstructedAsyncValueRef<tsl::Chain>();
  DeviceArrayRef copy = tsl::MakeRef<DeviceArray>(shape_, done);
  const int64_t bytes = shape_->IsArray() ? ShapeUtil::ByteSizeOf(*shape_) : 0;
  if (IsDeleted()) return BufferIsGone("copy it");
  DeviceMemory& memory = space->device()->memory();
  Future<> copied =
      WithValue("copy it", bytes, [copy, bytes, &memory](const DeviceArray& array) -> absl::Status {
        HILO_ASSIGN_OR_RETURN(copy->memory, memory.Allocate(bytes));
        std::memcpy(copy->memory.data(), array.memory.data(), array.shape->IsArray() ? bytes : 0);
        copy->dynamic_sizes = array.dynamic_sizes;
        return absl::OkStatus();
      });
  copied.OnReady([done, copy](const absl::Status& status) { FinishEvent(done, status); });
  return std::make_unique<CpuBuffer>(space, std::move(copy));
}

absl::StatusOr<std::unique_ptr<PjRtBuffer>> CpuBuffer::CopyToMemorySpace(PjRtBuffer* donated_dst) {
  if (donated_dst == this) return InvalidArgument("a buffer cannot be copied into itself");
  if (donated_dst->IsDeleted()) return BufferIsGone("copy into it");
  HILO_ASSIGN_OR_RETURN(const size_t size, donated_dst->GetOnDeviceSizeInBytes());
  HILO_ASSIGN_OR_RETURN(const size_t own, GetOnDeviceSizeInBytes());
  if (size != own) {
    return InvalidArgument("a buffer of shape %s does not fit into one of shape %s",
                           shape_->ToString(), donated_dst->on_device_shape().ToString());
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtBuffer> copy,
                        CopyToMemorySpace(donated_dst->memory_space()));
  donated_dst->Delete();
  return copy;
}

// The same memory under another shape, once `dependency` and everything that uses it is there.
absl::StatusOr<std::unique_ptr<PjRtBuffer>> CpuBuffer::Renamed(std::shared_ptr<const Shape> shape,
                                                               Event dependency,
                                                               absl::string_view action) {
  DeviceArrayRef array = Take();
  if (array == nullptr) return BufferIsGone(action);
  if (array->HasExternalReferences()) {
    PutBack(std::move(array));
    return FailedPrecondition("cannot %s while there are external references to the buffer",
                              action);
  }
  absl::InlinedVector<Event, 4> events = array->Uses();
  events.push_back(array->ready);
  events.push_back(std::move(dependency));
  const Event done = tsl::MakeConstructedAsyncValueRef<tsl::Chain>();
  DeviceArrayRef renamed = tsl::MakeRef<DeviceArray>(std::move(shape), done);
  const Event waited = events.back();
  runtime().RunAfter(events, CpuRuntime::Effort::kLittle,
                     [array = std::move(array), renamed, done, waited](absl::Status status) {
                       if (status.ok()) status = FirstError({array->ready, waited});
                       if (status.ok()) {
                         renamed->memory = std::move(array->memory);
                         renamed->dynamic_sizes = array->dynamic_sizes;
                       }
                       FinishEvent(done, status);
                     });
  return std::make_unique<CpuBuffer>(space_, std::move(renamed));
}

absl::StatusOr<std::unique_ptr<PjRtBuffer>> CpuBuffer::Bitcast(PrimitiveType element_type,
                                                               absl::Span<const int64_t> dims,
                                                               const Layout* device_layout) {
  HILO_ASSIGN_OR_RETURN(Shape shape, ShapeUtil::MakeValidatedShape(element_type, dims));
  if (device_layout != nullptr) *shape.mutable_layout() = *device_layout;
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<const Shape> kept, BufferShape(shape));
  if (!shape_->IsArray() || shape_->is_dynamic() ||
      ShapeUtil::ByteSizeOf(*kept) != ShapeUtil::ByteSizeOf(*shape_)) {
    return InvalidArgument("a buffer of shape %s cannot be seen as one of shape %s",
                           shape_->ToString(), kept->ToString());
  }
  return Renamed(std::move(kept), DoneEvent(), "see it as another array");
}

absl::StatusOr<std::unique_ptr<PjRtBuffer>> CpuBuffer::DonateWithControlDependency(
    Future<> dependency) {
  return Renamed(shape_, ToEvent(dependency), "donate it");
}

Future<> CpuBuffer::GetReadyFuture() {
  const DeviceArrayRef array = Array();
  if (array == nullptr) return Future<>(BufferIsGone("wait for it"));
  return ToFuture(array->ready);
}

}  // namespace xla
