// The types of handlers' parameters and results. Included by xla/ffi/api/ffi.h and xla/ffi/ffi.h
// alone, after each has said in its own words what these are:
//
//   DataType, NativeType<dtype>, ByteWidth(DataType)   element types
//   Span<T>                                            a view of elements
//   Failure, ErrorOr<T>                                an error or success; an error or a T
//   internal::IsSuccess(failure), CodeOf, MessageOf    what a failure says
//   internal::HasValue(error_or), FailureOf
//   internal::MakeFailure(code, message)
//   internal::TypeIdOf<T>()                            the number of a type of the program's own
#if !defined(XLA_FFI_API_FFI_H_) && !defined(XLA_FFI_FFI_H_)
#include "xla/ffi/api/ffi.h"
#endif

#ifndef XLA_FFI_API_PARAMETERS_H_
#define XLA_FFI_API_PARAMETERS_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "xla/ffi/api/api.h"

namespace xla::ffi {
inline namespace XLA_FFI_LAYER {

namespace internal {

inline constexpr size_t kDynamicRank = std::numeric_limits<size_t>::max();

inline XLA_FFI_Error* ToError(const XLA_FFI_Api* api, const Failure& failure) {
  if (IsSuccess(failure)) return nullptr;
  return MakeError(api, CodeOf(failure), MessageOf(failure));
}

// The value, or what the engine says why there is none.
template <typename T>
ErrorOr<T> ToErrorOr(std::optional<T> value, const DiagnosticEngine& diagnostic) {
  if (value.has_value()) return *std::move(value);
  return MakeFailure(XLA_FFI_Error_Code_INVALID_ARGUMENT, diagnostic.Result());
}

}  // namespace internal

//--------------------------------------------------------------------------------------------------
// Buffers
//--------------------------------------------------------------------------------------------------

// An array of any type and rank. The data is dense in row-major order, unless the custom call
// constrains layouts; elements of less than 8 bits are packed, the first in the lowest
// bits of a byte. size_bytes counts a byte for each.
class AnyBuffer {
 public:
  using Dimensions = Span<const int64_t>;

  explicit AnyBuffer(const XLA_FFI_Buffer* buffer) : buffer_(buffer) {
    assert(buffer != nullptr && "there is no buffer");
  }

  DataType element_type() const { return static_cast<DataType>(buffer_->dtype); }
  Dimensions dimensions() const {
    return Dimensions(buffer_->dims, static_cast<size_t>(buffer_->rank));
  }
  size_t element_count() const {
    size_t count = 1;
    for (int64_t size : dimensions()) count *= static_cast<size_t>(size);
    return count;
  }
  size_t size_bytes() const { return ByteWidth(element_type()) * element_count(); }

  void* untyped_data() const { return buffer_->data; }
  // T must be what the element type stands for.
  template <typename T>
  T* typed_data() const {
    assert(internal::NativeTypeToCApiDataType<std::remove_const_t<T>>() == buffer_->dtype &&
           "elements have another type");
    return static_cast<T*>(buffer_->data);
  }
  // T must be as wide as the elements.
  template <typename T>
  T* reinterpret_data() const {
    assert(sizeof(T) == ByteWidth(element_type()) && "elements have another width");
    return static_cast<T*>(buffer_->data);
  }

 private:
  const XLA_FFI_Buffer* buffer_;
};

// An array whose element type, and rank if given, are known and checked.
template <DataType dtype, size_t rank = internal::kDynamicRank>
class Buffer {
 public:
  using Dimensions = AnyBuffer::Dimensions;

  explicit Buffer(const XLA_FFI_Buffer* buffer) : any_(buffer) {}

  DataType element_type() const { return dtype; }
  Dimensions dimensions() const { return any_.dimensions(); }
  size_t element_count() const { return any_.element_count(); }
  size_t size_bytes() const { return any_.size_bytes(); }
  void* untyped_data() const { return any_.untyped_data(); }
  NativeType<dtype>* typed_data() const {
    return static_cast<NativeType<dtype>*>(any_.untyped_data());
  }

 private:
  AnyBuffer any_;
};

template <DataType dtype>
using BufferR0 = Buffer<dtype, 0>;
template <DataType dtype>
using BufferR1 = Buffer<dtype, 1>;
template <DataType dtype>
using BufferR2 = Buffer<dtype, 2>;
template <DataType dtype>
using BufferR3 = Buffer<dtype, 3>;
template <DataType dtype>
using BufferR4 = Buffer<dtype, 4>;

// What orders side effects; has no data.
using Token = BufferR0<static_cast<DataType>(XLA_FFI_DataType_TOKEN)>;

template <DataType dtype, size_t rank = internal::kDynamicRank>
using ResultBuffer = Result<Buffer<dtype, rank>>;
template <DataType dtype>
using ResultBufferR0 = ResultBuffer<dtype, 0>;
template <DataType dtype>
using ResultBufferR1 = ResultBuffer<dtype, 1>;
template <DataType dtype>
using ResultBufferR2 = ResultBuffer<dtype, 2>;
template <DataType dtype>
using ResultBufferR3 = ResultBuffer<dtype, 3>;
template <DataType dtype>
using ResultBufferR4 = ResultBuffer<dtype, 4>;

template <>
struct ArgBinding<AnyBuffer> {
  using Arg = AnyBuffer;
};
template <DataType dtype, size_t rank>
struct ArgBinding<Buffer<dtype, rank>> {
  using Arg = Buffer<dtype, rank>;
};
template <>
struct RetBinding<Result<AnyBuffer>> {
  using Ret = AnyBuffer;
};
template <DataType dtype, size_t rank>
struct RetBinding<Result<Buffer<dtype, rank>>> {
  using Ret = Buffer<dtype, rank>;
};

namespace internal {

// Whether a buffer is what Buffer<dtype, rank> wants; says why not.
template <typename T>
struct BufferCheck;
template <>
struct BufferCheck<AnyBuffer> {
  static bool Accepts(const XLA_FFI_Buffer&, DiagnosticEngine&) { return true; }
};
template <DataType dtype, size_t rank>
struct BufferCheck<Buffer<dtype, rank>> {
  static bool Accepts(const XLA_FFI_Buffer& buffer, DiagnosticEngine& diagnostic) {
    constexpr auto kType = static_cast<XLA_FFI_DataType>(dtype);
    if (buffer.dtype != kType) {
      diagnostic.Emit("Wrong buffer dtype: expected ")
          << Name(kType) << " but got " << Name(buffer.dtype);
      return false;
    }
    if (rank != kDynamicRank && buffer.rank != static_cast<int64_t>(rank)) {
      diagnostic.Emit("Wrong buffer rank: expected ") << rank << " but got " << buffer.rank;
      return false;
    }
    return true;
  }
};

template <typename T>
struct BufferArgDecoding {
  static std::optional<T> Decode(XLA_FFI_ArgType type, void* arg, DiagnosticEngine& diagnostic) {
    if (type != XLA_FFI_ArgType_BUFFER)
      return diagnostic.Emit("Wrong argument type: expected buffer but got ")
             << static_cast<int>(type);
    const auto* buffer = static_cast<const XLA_FFI_Buffer*>(arg);
    if (!BufferCheck<T>::Accepts(*buffer, diagnostic)) return std::nullopt;
    return T(buffer);
  }
};

template <typename T>
struct BufferRetDecoding {
  static std::optional<Result<T>> Decode(XLA_FFI_RetType type, void* ret,
                                         DiagnosticEngine& diagnostic) {
    if (type != XLA_FFI_RetType_BUFFER)
      return diagnostic.Emit("Wrong result type: expected buffer but got ")
             << static_cast<int>(type);
    const auto* buffer = static_cast<const XLA_FFI_Buffer*>(ret);
    if (!BufferCheck<T>::Accepts(*buffer, diagnostic)) return std::nullopt;
    return Result<T>(T(buffer));
  }
};

}  // namespace internal

template <>
struct ArgDecoding<AnyBuffer> : internal::BufferArgDecoding<AnyBuffer> {};
template <DataType dtype, size_t rank>
struct ArgDecoding<Buffer<dtype, rank>> : internal::BufferArgDecoding<Buffer<dtype, rank>> {};
template <>
struct RetDecoding<AnyBuffer> : internal::BufferRetDecoding<AnyBuffer> {};
template <DataType dtype, size_t rank>
struct RetDecoding<Buffer<dtype, rank>> : internal::BufferRetDecoding<Buffer<dtype, rank>> {};

// Arguments after those that are bound one by one.
class RemainingArgs : public internal::RemainingArgsBase {
 public:
  using RemainingArgsBase::RemainingArgsBase;
  // Number i of them; an error when there is none or it is no T.
  template <typename T>
  ErrorOr<T> get(size_t i) const {
    DiagnosticEngine diagnostic;
    return internal::ToErrorOr(Decode<T>(i, diagnostic), diagnostic);
  }
  template <typename T>
  bool isa(size_t i) const {
    DiagnosticEngine diagnostic;
    return Decode<T>(i, diagnostic).has_value();
  }
};

// Results after those that are bound one by one.
class RemainingRets : public internal::RemainingRetsBase {
 public:
  using RemainingRetsBase::RemainingRetsBase;
  template <typename T>
  ErrorOr<Result<T>> get(size_t i) const {
    DiagnosticEngine diagnostic;
    return internal::ToErrorOr(Decode<T>(i, diagnostic), diagnostic);
  }
  template <typename T>
  bool isa(size_t i) const {
    DiagnosticEngine diagnostic;
    return Decode<T>(i, diagnostic).has_value();
  }
};

//--------------------------------------------------------------------------------------------------
// Attributes
//--------------------------------------------------------------------------------------------------

// Views of what the program has; they live as long as it does.
template <>
struct AttrDecoding<std::string_view> {
  using Type = std::string_view;
  static bool Isa(XLA_FFI_AttrType type, void*) { return type == XLA_FFI_AttrType_STRING; }
  static std::optional<std::string_view> Decode(XLA_FFI_AttrType type, void* attr,
                                                DiagnosticEngine& diagnostic) {
    if (!Isa(type, attr)) {
      return diagnostic.Emit("Wrong attribute type: expected string but got ")
             << internal::Name(type);
    }
    const auto* text = static_cast<const XLA_FFI_ByteSpan*>(attr);
    return std::string_view(text->ptr, text->len);
  }
};

template <typename T>
struct AttrDecoding<Span<const T>> {
  using Type = Span<const T>;
  static bool Isa(XLA_FFI_AttrType type, void* attr) {
    return type == XLA_FFI_AttrType_ARRAY && static_cast<const XLA_FFI_Array*>(attr)->dtype ==
                                                 internal::NativeTypeToCApiDataType<T>();
  }
  static std::optional<Type> Decode(XLA_FFI_AttrType type, void* attr,
                                    DiagnosticEngine& diagnostic) {
    if (type != XLA_FFI_AttrType_ARRAY) {
      return diagnostic.Emit("Wrong attribute type: expected array but got ")
             << internal::Name(type);
    }
    const auto* array = static_cast<const XLA_FFI_Array*>(attr);
    if (!Isa(type, attr)) {
      return diagnostic.Emit("Wrong array data type: expected ")
             << internal::Name(internal::NativeTypeToCApiDataType<T>()) << " but got "
             << internal::Name(array->dtype);
    }
    return Type(static_cast<const T*>(array->data), array->size);
  }
};

// Binds an address that the attribute holds as a 64-bit integer. Nothing can check it.
template <typename T>
struct Pointer {};
template <typename T>
struct AttrDecoding<Pointer<T>> {
  using Type = T*;
  static bool Isa(XLA_FFI_AttrType type, void* attr) {
    return AttrDecoding<int64_t>::Isa(type, attr);
  }
  static std::optional<T*> Decode(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic) {
    const auto address = AttrDecoding<int64_t>::Decode(type, attr, diagnostic);
    if (!address.has_value()) return std::nullopt;
    return reinterpret_cast<T*>(static_cast<uintptr_t>(*address));
  }
};

// Attributes by name.
class Dictionary : public internal::DictionaryBase {
 public:
  using DictionaryBase::DictionaryBase;
  // An error when there is none of that name or it is no T.
  template <typename T>
  ErrorOr<typename AttrDecoding<T>::Type> get(std::string_view name) const {
    DiagnosticEngine diagnostic;
    return internal::ToErrorOr(DictionaryBase::get<T>(name, diagnostic), diagnostic);
  }
};

template <>
struct AttrDecoding<Dictionary> {
  using Type = Dictionary;
  static bool Isa(XLA_FFI_AttrType type, void*) { return type == XLA_FFI_AttrType_DICTIONARY; }
  static std::optional<Dictionary> Decode(XLA_FFI_AttrType type, void* attr,
                                          DiagnosticEngine& diagnostic) {
    if (!Isa(type, attr)) {
      return diagnostic.Emit("Wrong attribute type: expected dictionary but got ")
             << internal::Name(type);
    }
    return Dictionary(static_cast<const XLA_FFI_Attrs*>(attr));
  }
};

//--------------------------------------------------------------------------------------------------
// Contexts
//--------------------------------------------------------------------------------------------------

// All of them, asked for by name: context.get<ThreadPool>().
class Context : public internal::ContextBase {
 public:
  using ContextBase::ContextBase;
  template <typename T>
  ErrorOr<typename CtxDecoding<T>::Type> get() const {
    DiagnosticEngine diagnostic;
    return internal::ToErrorOr(Decode<T>(diagnostic), diagnostic);
  }
};

template <>
struct CtxDecoding<Context> {
  using Type = Context;
  static std::optional<Context> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                       DiagnosticEngine&) {
    return Context(api, ctx);
  }
};
template <>
struct CtxBinding<Context> {
  using Ctx = Context;
};

// The device's stream, a pointer. The host has none.
template <typename T>
struct PlatformStream {};
template <typename T>
struct CtxDecoding<PlatformStream<T>> {
  static_assert(std::is_pointer_v<T>, "streams are pointers");
  using Type = T;
  static std::optional<T> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                 DiagnosticEngine& diagnostic) {
    XLA_FFI_Stream_Get_Args args = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, nullptr, ctx, nullptr};
    if (!internal::Succeeds(api, api->XLA_FFI_Stream_Get, args, "Failed to get the stream",
                            diagnostic)) {
      return std::nullopt;
    }
    return static_cast<T>(args.stream);
  }
};

// What the caller of the program gave in its execution context: a T*.
template <typename T>
struct UserData {};
template <typename T>
struct CtxDecoding<UserData<T>> {
  using Type = T*;
  static std::optional<T*> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                  DiagnosticEngine& diagnostic) {
    XLA_FFI_TypeId id = internal::TypeIdOf<T>();
    XLA_FFI_InvokeContext_Get_Args args = {XLA_FFI_InvokeContext_Get_Args_STRUCT_SIZE, nullptr, ctx,
                                           &id, nullptr};
    if (!internal::Succeeds(api, api->XLA_FFI_InvokeContext_Get, args,
                            "Failed to get user data from execution context", diagnostic)) {
      return std::nullopt;
    }
    return static_cast<T*>(args.data);
  }
};

// What an earlier stage has returned: a T*.
template <typename T, ExecutionStage stage = ExecutionStage::kInstantiate>
struct State {};
template <typename T>
using Prepared = State<T, ExecutionStage::kPrepare>;
template <typename T>
using Initialized = State<T, ExecutionStage::kInitialize>;

template <typename T, ExecutionStage stage>
struct CtxDecoding<State<T, stage>> {
  using Type = T*;
  static std::optional<T*> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                  DiagnosticEngine& diagnostic) {
    XLA_FFI_TypeId id = internal::TypeIdOf<T>();
    XLA_FFI_State_Get_Args args = {XLA_FFI_State_Get_Args_STRUCT_SIZE,         nullptr, ctx,
                                   static_cast<XLA_FFI_ExecutionStage>(stage), &id,     nullptr};
    if (!internal::Succeeds(api, api->XLA_FFI_State_Get, args, "Failed to get the state",
                            diagnostic)) {
      return std::nullopt;
    }
    return static_cast<T*>(args.state);
  }
};

// The number of the run: an int64_t. Runs of one program on several devices share it.
struct RunId {
  int64_t run_id = 0;
};
template <>
struct CtxDecoding<RunId> {
  using Type = RunId;
  static std::optional<RunId> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                     DiagnosticEngine& diagnostic) {
    XLA_FFI_RunId_Get_Args args = {XLA_FFI_RunId_Get_Args_STRUCT_SIZE, nullptr, ctx, 0};
    if (!internal::Succeeds(api, api->XLA_FFI_RunId_Get, args, "Failed to get the run id",
                            diagnostic)) {
      return std::nullopt;
    }
    return RunId{args.run_id};
  }
};

// The number of the device: an int32_t.
struct DeviceOrdinal {};
template <>
struct CtxDecoding<DeviceOrdinal> {
  using Type = int32_t;
  static std::optional<int32_t> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                       DiagnosticEngine& diagnostic) {
    XLA_FFI_DeviceOrdinal_Get_Args args = {XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE, nullptr, ctx,
                                           0};
    if (!internal::Succeeds(api, api->XLA_FFI_DeviceOrdinal_Get, args,
                            "Failed to get the device ordinal", diagnostic)) {
      return std::nullopt;
    }
    return args.device_ordinal;
  }
};

// Memory of the device that is freed when the handler returns.
class ScratchAllocator {
 public:
  ScratchAllocator(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx) : api_(api), ctx_(ctx) {}
  ScratchAllocator(ScratchAllocator&& other)
      : api_(other.api_), ctx_(other.ctx_), blocks_(std::exchange(other.blocks_, {})) {}
  ScratchAllocator& operator=(ScratchAllocator&&) = delete;
  ~ScratchAllocator() {
    for (const Block& block : blocks_) {
      XLA_FFI_DeviceMemory_Free_Args args = {XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE, nullptr,
                                             ctx_, block.size, block.data};
      if (XLA_FFI_Error* error = api_->XLA_FFI_DeviceMemory_Free(&args))
        internal::DestroyError(api_, error);
    }
  }

  // Nothing when there is no memory left. `alignment` is a power of two.
  std::optional<void*> Allocate(size_t size, size_t alignment = 1) {
    XLA_FFI_DeviceMemory_Allocate_Args args = {
        XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE, nullptr, ctx_, size, alignment, nullptr};
    if (XLA_FFI_Error* error = api_->XLA_FFI_DeviceMemory_Allocate(&args)) {
      internal::DestroyError(api_, error);
      return std::nullopt;
    }
    blocks_.push_back({size, args.data});
    return args.data;
  }

 private:
  struct Block {
    size_t size;
    void* data;
  };
  const XLA_FFI_Api* api_;
  XLA_FFI_InvokeContext* ctx_;
  std::vector<Block> blocks_;
};
template <>
struct CtxDecoding<ScratchAllocator> {
  using Type = ScratchAllocator;
  static std::optional<ScratchAllocator> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                                DiagnosticEngine&) {
    return ScratchAllocator(api, ctx);
  }
};
template <>
struct CtxBinding<ScratchAllocator> {
  using Ctx = ScratchAllocator;
};

// The runtime's threads.
class ThreadPool {
 public:
  ThreadPool(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx) : api_(api), ctx_(ctx) {}

  // Calls the function once, with no arguments, on some thread at some time: the calling one at
  // once where there is no other.
  template <typename F>
  void Schedule(F&& f) {
    using Function = std::decay_t<F>;
    auto* function = new Function(std::forward<F>(f));
    XLA_FFI_Task* const task = +[](void* data) {
      const std::unique_ptr<Function> owned(static_cast<Function*>(data));
      (*owned)();
    };
    XLA_FFI_ThreadPool_Schedule_Args args = {XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE, nullptr,
                                             ctx_, task, function};
    if (XLA_FFI_Error* error = api_->XLA_FFI_ThreadPool_Schedule(&args)) {
      internal::DestroyError(api_, error);
      task(function);
    }
  }

  int64_t num_threads() const {
    int64_t count = 1;
    XLA_FFI_ThreadPool_NumThreads_Args args = {XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE,
                                               nullptr, ctx_, &count};
    if (XLA_FFI_Error* error = api_->XLA_FFI_ThreadPool_NumThreads(&args))
      internal::DestroyError(api_, error);
    return count;
  }

 private:
  const XLA_FFI_Api* api_;
  XLA_FFI_InvokeContext* ctx_;
};
template <>
struct CtxDecoding<ThreadPool> {
  using Type = ThreadPool;
  static std::optional<ThreadPool> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                          DiagnosticEngine&) {
    return ThreadPool(api, ctx);
  }
};
template <>
struct CtxBinding<ThreadPool> {
  using Ctx = ThreadPool;
};

//--------------------------------------------------------------------------------------------------
// Futures
//--------------------------------------------------------------------------------------------------

class CountDownPromise;

// Says when something is done, and whether it failed. Copies speak for the same.
class Promise {
 public:
  Promise() : owner_(std::make_shared<Owner>()) {}

  // The first call counts. Where none comes before the last copy of the promise is gone, the future
  // has the error CANCELLED.
  void SetAvailable() { owner_->event->Complete(std::nullopt); }
  void SetError(Failure error) { owner_->event->Complete(std::move(error)); }

 private:
  friend class Future;
  using Error = std::optional<Failure>;

  class Event {
   public:
    void Complete(Error error) {
      std::vector<std::function<void(const Error&)>> waiters;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (is_done_) return;
        is_done_ = true;
        error_ = std::move(error);
        waiters.swap(waiters_);
      }
      for (const auto& waiter : waiters) waiter(error_);
    }
    void OnReady(std::function<void(const Error&)> waiter) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!is_done_) {
          waiters_.push_back(std::move(waiter));
          return;
        }
      }
      waiter(error_);
    }

   private:
    std::mutex mutex_;
    bool is_done_ = false;
    Error error_;  // does not change any more when is_done_
    std::vector<std::function<void(const Error&)>> waiters_;
  };

  struct Owner {
    ~Owner() {
      event->Complete(internal::MakeFailure(XLA_FFI_Error_Code_CANCELLED,
                                            "The promise was given up before it was kept"));
    }
    std::shared_ptr<Event> event = std::make_shared<Event>();
  };

  std::shared_ptr<Owner> owner_;
};

// A promise that is kept when it has been counted down to zero, with the last error that came
// along.
class CountDownPromise {
 public:
  CountDownPromise() = default;
  explicit CountDownPromise(int64_t count) : CountDownPromise(Promise(), count) {}
  CountDownPromise(Promise promise, int64_t count)
      : state_(std::make_shared<State>(std::move(promise), count)) {
    assert(count > 0 && "a count must be positive");
  }

  // True when the count has become zero.
  bool CountDown(size_t count, const Failure& error = Failure()) {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    if (!internal::IsSuccess(error)) state_->error = error;
    const bool was_open = state_->count > 0;
    state_->count -= static_cast<int64_t>(count);
    if (!was_open || state_->count > 0) return false;
    if (state_->error.has_value()) {
      state_->promise.SetError(*state_->error);
    } else {
      state_->promise.SetAvailable();
    }
    return true;
  }
  bool CountDown(Failure error = Failure()) { return CountDown(1, error); }

 private:
  friend class Future;
  struct State {
    State(Promise promise, int64_t count) : promise(std::move(promise)), count(count) {}
    std::mutex mutex;
    Promise promise;
    int64_t count;
    std::optional<Failure> error;
  };
  std::shared_ptr<State> state_;
};

// What a handler returns that goes on working: done when its promise says so.
class Future {
 public:
  explicit Future(const Promise& promise) : event_(promise.owner_->event) {}
  explicit Future(const CountDownPromise& promise) : Future(promise.state_->promise) {}

  // Calls f with std::optional<Failure>, the error if there is one, when the future is done: on the
  // thread that keeps the promise, or at once.
  template <typename F>
  void OnReady(F&& f) {
    event_->OnReady(std::forward<F>(f));
  }

 private:
  std::shared_ptr<Promise::Event> event_;
};

//--------------------------------------------------------------------------------------------------
// What handlers return
//--------------------------------------------------------------------------------------------------

template <ExecutionStage stage>
struct ResultEncoding<stage, Failure> {
  static XLA_FFI_Error* Encode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext*,
                               const Failure& failure) {
    return internal::ToError(api, failure);
  }
};

// A state for later stages.
template <ExecutionStage stage, typename T>
struct ResultEncoding<stage, ErrorOr<std::unique_ptr<T>>> {
  static_assert(stage != ExecutionStage::kExecute, "no stage comes later");
  static XLA_FFI_TypeId state_type_id(const XLA_FFI_Api*) { return internal::TypeIdOf<T>(); }
  static XLA_FFI_Error* Encode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                               ErrorOr<std::unique_ptr<T>> state) {
    if (!internal::HasValue(state)) return internal::ToError(api, internal::FailureOf(state));
    XLA_FFI_TypeId id = internal::TypeIdOf<T>();
    XLA_FFI_State_Set_Args args = {
        XLA_FFI_State_Set_Args_STRUCT_SIZE,         nullptr, ctx,
        static_cast<XLA_FFI_ExecutionStage>(stage), &id,     state->release()};
    return api->XLA_FFI_State_Set(&args);
  }
};

template <ExecutionStage stage>
struct ResultEncoding<stage, Future> {
  static std::variant<XLA_FFI_Error*, XLA_FFI_Future*> Encode(const XLA_FFI_Api* api,
                                                              XLA_FFI_InvokeContext*,
                                                              Future future) {
    XLA_FFI_Future_Create_Args create = {XLA_FFI_Future_Create_Args_STRUCT_SIZE, nullptr, nullptr};
    if (XLA_FFI_Error* error = api->XLA_FFI_Future_Create(&create)) return error;
    future.OnReady([api, runtime = create.future](const std::optional<Failure>& error) {
      XLA_FFI_Error* refused;
      if (error.has_value()) {
        XLA_FFI_Future_SetError_Args args = {XLA_FFI_Future_SetError_Args_STRUCT_SIZE, nullptr,
                                             runtime, internal::ToError(api, *error)};
        refused = api->XLA_FFI_Future_SetError(&args);
      } else {
        XLA_FFI_Future_SetAvailable_Args args = {XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE,
                                                 nullptr, runtime};
        refused = api->XLA_FFI_Future_SetAvailable(&args);
      }
      if (refused != nullptr) internal::DestroyError(api, refused);
    });
    return create.future;
  }
};

// A description of T for XLA_FFI_REGISTER_TYPE.
template <typename T>
constexpr XLA_FFI_TypeInfo MakeTypeInfo() {
  return {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr,
          [](void* object) { delete static_cast<T*>(object); }};
}

namespace internal {

inline bool RegisterTypeOrAbort(const XLA_FFI_Api* api, std::string_view name,
                                XLA_FFI_TypeId* type_id, const XLA_FFI_TypeInfo* type_info) {
  XLA_FFI_Error* const error = Ffi::RegisterTypeId(api, name, type_id, type_info);
  if (error == nullptr) return true;
  std::cerr << "The type " << name << " cannot be registered: " << GetErrorMessage(api, error)
            << "\n";
  std::abort();
}
inline bool RegisterTypeOrAbort(const XLA_FFI_Api* api, std::string_view name,
                                XLA_FFI_TypeId* type_id, const XLA_FFI_TypeInfo& type_info) {
  return RegisterTypeOrAbort(api, name, type_id, &type_info);
}

}  // namespace internal
}  // namespace XLA_FFI_LAYER
}  // namespace xla::ffi

// XLA_FFI_REGISTER_TYPE(api, name, &T::id, type_info): makes a type of the program's own known when
// the program starts.
#define XLA_FFI_REGISTER_TYPE(API, NAME, TYPE_ID, TYPE_INFO) \
  XLA_FFI_REGISTER_TYPE_COUNTED(API, NAME, TYPE_ID, TYPE_INFO, __COUNTER__)
#define XLA_FFI_REGISTER_TYPE_COUNTED(API, NAME, TYPE_ID, TYPE_INFO, N) \
  XLA_FFI_REGISTER_TYPE_NAMED(API, NAME, TYPE_ID, TYPE_INFO, N)
#define XLA_FFI_REGISTER_TYPE_NAMED(API, NAME, TYPE_ID, TYPE_INFO, N) \
  [[maybe_unused]] static const bool xla_ffi_type_##N##_registered_ = \
      ::xla::ffi::internal::RegisterTypeOrAbort(API, NAME, TYPE_ID, TYPE_INFO)

#endif  // XLA_FFI_API_PARAMETERS_H_
