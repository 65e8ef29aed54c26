#include "runtime/ffi/call.h"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

constexpr char kPlatform[] = "Host";

absl::Status InCall(absl::string_view name, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("custom-call ", name, ": ", status.message()));
}

// The handler is code of somebody else: nothing that it throws may pass through ours.
absl::Status CallHandler(XLA_FFI_Handler* handler, XLA_FFI_CallFrame& frame) {
  try {
    return ffi::TakeStatus(handler(&frame));
  } catch (const std::exception& exception) {
    return Internal("The FFI handler threw an exception: %s", exception.what());
  } catch (...) {
    return Internal("The FFI handler threw something that is no std::exception");
  }
}

// The interface knows the element types up to F8E8M0FNU by their numbers, and none after it.
absl::Status CheckTypes(const Shape& shape) {
  absl::Status status;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& leaf, const ShapeIndex&) {
    if (!leaf.IsArray() || leaf.element_type() <= F8E8M0FNU) return;
    status = Unimplemented("FFI handlers cannot be called with values of type %s",
                           ShapeUtil::HumanString(leaf));
  });
  return status;
}

}  // namespace

absl::StatusOr<const TypedCall*> TypedCalls::Get(
    const void* instruction, absl::FunctionRef<absl::StatusOr<std::unique_ptr<TypedCall>>()> make) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<TypedCall>& call = calls_[instruction];
  if (call == nullptr) {
    HILO_ASSIGN_OR_RETURN(call, make());
  }
  return call.get();
}

absl::StatusOr<std::unique_ptr<FfiCall>> FfiCall::Make(absl::string_view name,
                                                       absl::string_view target,
                                                       absl::string_view attributes,
                                                       absl::Span<const Shape> operands,
                                                       const Shape& result) {
  const absl::StatusOr<ffi::HandlerRegistration> registration = ffi::FindHandler(target, kPlatform);
  if (!registration.ok()) return InCall(name, registration.status());
  const absl::StatusOr<FfiAttributes> parsed = ParseFfiAttributes(attributes);
  if (!parsed.ok()) return InCall(name, parsed.status());
  for (const Shape& operand : operands) HILO_RETURN_IF_ERROR(InCall(name, CheckTypes(operand)));
  HILO_RETURN_IF_ERROR(InCall(name, CheckTypes(result)));
  std::unique_ptr<FfiCall> call(new FfiCall(name, *registration, *parsed));
  Buffers none;
  XLA_FFI_InvokeContext context;
  context.instance = &call->instance_;
  context.device_ordinal = -1;
  HILO_RETURN_IF_ERROR(call->Call(registration->bundle.instantiate,
                                  XLA_FFI_ExecutionStage_INSTANTIATE, none, none, context));
  for (const Shape& operand : operands) call->AddBuffers(operand, call->operands_);
  call->AddBuffers(result, call->results_);
  return call;
}

FfiCall::FfiCall(absl::string_view name, const ffi::HandlerRegistration& registration,
                 const FfiAttributes& attributes)
    : name_(name), registration_(registration), attributes_(attributes) {}

void FfiCall::AddBuffers(const Shape& shape, Buffers& buffers) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) AddBuffers(element, buffers);
    return;
  }
  std::vector<int64_t>& dimensions = dimensions_.emplace_back();
  if (shape.IsArray()) dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
  buffers.push_back({XLA_FFI_Buffer_STRUCT_SIZE, nullptr,
                     static_cast<XLA_FFI_DataType>(shape.element_type()), nullptr,
                     static_cast<int64_t>(dimensions.size()), dimensions.data()});
}

absl::Status FfiCall::Call(XLA_FFI_Handler* handler, XLA_FFI_ExecutionStage stage,
                           Buffers& operands, Buffers& results,
                           XLA_FFI_InvokeContext context) const {
  if (handler == nullptr) return absl::OkStatus();
  const size_t most = std::max(operands.size(), results.size());
  // Arguments and results are of one kind only, which has one number.
  absl::InlinedVector<XLA_FFI_ArgType, 8> operand_types(operands.size(), XLA_FFI_ArgType_BUFFER);
  absl::InlinedVector<XLA_FFI_RetType, 8> result_types(results.size(), XLA_FFI_RetType_BUFFER);
  absl::InlinedVector<void*, 16> pointers;
  pointers.reserve(2 * most);
  for (XLA_FFI_Buffer& buffer : operands) pointers.push_back(&buffer);
  for (XLA_FFI_Buffer& buffer : results) pointers.push_back(&buffer);
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = ffi::GetXlaFfiApi();
  frame.ctx = &context;
  frame.stage = stage;
  frame.args = {XLA_FFI_Args_STRUCT_SIZE, nullptr, static_cast<int64_t>(operands.size()),
                operand_types.data(), pointers.data()};
  frame.rets = {XLA_FFI_Rets_STRUCT_SIZE, nullptr, static_cast<int64_t>(results.size()),
                result_types.data(), pointers.data() + operands.size()};
  frame.attrs = attributes_.attrs();
  absl::Status status = CallHandler(handler, frame);
  if (frame.future != nullptr) {
    absl::Status later = frame.future->Await();
    if (status.ok()) status = std::move(later);
  }
  return InCall(name_, status);
}

namespace {

// Numbers of less than a byte, which handlers have packed and programs have in a byte each. Arrays
// that share memory share the packed ones.
class PackedArrays {
 public:
  void Pack(XLA_FFI_Buffer& buffer, bool is_result) {
    const auto type = static_cast<PrimitiveType>(buffer.dtype);
    if (!primitive_util::IsArrayType(type) || !primitive_util::IsSubByteNonPredType(type)) return;
    const int bits = primitive_util::BitWidth(type);
    int64_t count = 1;
    for (int64_t i = 0; i < buffer.rank; ++i) count *= buffer.dims[i];
    const auto [entry, is_new] = arrays_.try_emplace(buffer.data);
    Array& array = entry->second;
    array.is_result = array.is_result || is_result;
    if (is_new) {
      array.type = type;
      array.count = count;
      // As large as the array was: handlers may take the size of an element for a whole byte.
      array.packed.resize(count);
      PackIntN(bits, {static_cast<const char*>(buffer.data), static_cast<size_t>(count)},
               absl::MakeSpan(array.packed).first(PackedBytes(type, count)));
    }
    buffer.data = array.packed.data();
  }

  // Gives the results what the handler has made of them.
  void Unpack() {
    for (const auto& [data, array] : arrays_) {
      if (!array.is_result) continue;
      const absl::Span<char> numbers(static_cast<char*>(data), array.count);
      const int bits = primitive_util::BitWidth(array.type);
      UnpackIntN(bits,
                 absl::MakeConstSpan(array.packed).first(PackedBytes(array.type, array.count)),
                 numbers);
      if (!primitive_util::IsSignedIntegralType(array.type)) continue;
      const int sign = 1 << (bits - 1);
      for (char& number : numbers) number = static_cast<char>((number ^ sign) - sign);
    }
  }

 private:
  static int64_t PackedBytes(PrimitiveType type, int64_t count) {
    return CeilOfRatio<int64_t>(count * primitive_util::BitWidth(type), 8);
  }

  struct Array {
    PrimitiveType type = PRIMITIVE_TYPE_INVALID;
    int64_t count = 0;
    bool is_result = false;
    std::vector<char> packed;
  };
  std::map<void*, Array> arrays_;
};

}  // namespace

absl::Status FfiCall::Run(absl::Span<void* const> operand_arrays,
                          absl::Span<void* const> result_arrays, FfiRun& run) const {
  const auto with_data = [](Buffers buffers, absl::Span<void* const> arrays) {
    size_t next = 0;
    for (XLA_FFI_Buffer& buffer : buffers) {
      if (buffer.dtype != XLA_FFI_DataType_TOKEN) buffer.data = arrays[next++];
    }
    return buffers;
  };
  Buffers operands = with_data(operands_, operand_arrays);
  Buffers results = with_data(results_, result_arrays);
  PackedArrays packed;
  for (XLA_FFI_Buffer& buffer : operands) packed.Pack(buffer, /*is_result=*/false);
  for (XLA_FFI_Buffer& buffer : results) packed.Pack(buffer, /*is_result=*/true);
  XLA_FFI_InvokeContext context = {
      run.setting_.execution_context, &instance_,           nullptr, run.setting_.run_id,
      run.setting_.device_ordinal,    &registration_.bundle};
  const XLA_FFI_Handler_Bundle& bundle = registration_.bundle;
  if (bundle.prepare != nullptr || bundle.initialize != nullptr) {
    std::unique_lock<std::mutex> lock(run.mutex_);
    const auto [entry, is_new] = run.states_.try_emplace(this);
    lock.unlock();
    context.run = &entry->second;
    if (is_new) {
      HILO_RETURN_IF_ERROR(
          Call(bundle.prepare, XLA_FFI_ExecutionStage_PREPARE, operands, results, context));
      HILO_RETURN_IF_ERROR(
          Call(bundle.initialize, XLA_FFI_ExecutionStage_INITIALIZE, operands, results, context));
    }
  }
  HILO_RETURN_IF_ERROR(
      Call(bundle.execute, XLA_FFI_ExecutionStage_EXECUTE, operands, results, context));
  packed.Unpack();
  return absl::OkStatus();
}

}  // namespace xla::runtime
