// Handlers for the test that compiles them against a header of another release, as a library of
// their own.
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

struct Total {
  static ffi::TypeId id;
  int64_t calls = 0;
};
ffi::TypeId Total::id = {};
static const ffi::TypeInfo kTotalInfo = ffi::MakeTypeInfo<Total>();

extern "C" XLA_FFI_TypeId* ForeignTypeId() { return &Total::id; }
extern "C" const XLA_FFI_TypeInfo* ForeignTypeInfo() { return &kTotalInfo; }

static ffi::ErrorOr<std::unique_ptr<Total>> Instantiate() { return std::make_unique<Total>(); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(ForeignInstantiate, Instantiate, ffi::Ffi::BindInstantiate());

// y = factor * x, by tasks; z counts the calls.
static ffi::Future Execute(Total* total, ffi::ThreadPool threads, ffi::ScratchAllocator scratch,
                           float factor, std::string_view mode, ffi::Span<const int64_t> sizes,
                           ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y,
                           ffi::ResultBufferR0<ffi::S64> z) {
  ffi::Promise promise;
  ffi::Future future(promise);
  if (mode == "fail" || !scratch.Allocate(100, 64).has_value() || sizes.size() != 2) {
    promise.SetError(ffi::Error(ffi::ErrorCode::kAborted, "it was to fail"));
    return future;
  }
  *z->typed_data() = ++total->calls + threads.num_threads() * 0;
  threads.Schedule([=]() mutable {
    for (size_t i = 0; i < x.element_count(); ++i) y->typed_data()[i] = factor * x.typed_data()[i];
    promise.SetAvailable();
  });
  return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(ForeignExecute, Execute,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::State<Total>>()
                                  .Ctx<ffi::ThreadPool>()
                                  .Ctx<ffi::ScratchAllocator>()
                                  .Attr<float>("factor")
                                  .Attr<std::string_view>("mode")
                                  .Attr<ffi::Span<const int64_t>>("sizes")
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::BufferR0<ffi::S64>>());

static ffi::Error Throw(ffi::Result<ffi::AnyBuffer>) { throw 1; }
XLA_FFI_DEFINE_HANDLER_SYMBOL(ForeignThrow, Throw, ffi::Ffi::Bind().Ret<ffi::AnyBuffer>());
