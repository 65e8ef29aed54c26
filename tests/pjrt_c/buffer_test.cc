// Buffers: from the host and back, what is known of them, copies, references, donation, transfers.
#include <cstdint>
#include <numeric>

#include "tests/pjrt_c/plugin.h"
#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"

namespace hilo_pjrt_test {
namespace {

class BufferTest : public testing::Test {
 protected:
  PJRT_Device* device(int i = 0) { return Devices(client_.get())[i]; }
  Owned<PJRT_Buffer> Numbers() { return Put(client_.get(), {1, 2, 3, 4}); }

  Owned<PJRT_Client> client_ = NewClient(2);
};

PJRT_Client_BufferFromHostBuffer_Args FromHost(PJRT_Client* client, PJRT_Device* device,
                                               const void* data, PJRT_Buffer_Type type,
                                               const std::vector<int64_t>& dims,
                                               PJRT_HostBufferSemantics semantics) {
  auto args = Garbage<PJRT_Client_BufferFromHostBuffer_Args>(
      PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE);
  args.client = client;
  args.data = data;
  args.type = type;
  args.dims = dims.data();
  args.num_dims = dims.size();
  args.byte_strides = nullptr;
  args.num_byte_strides = 0;
  args.host_buffer_semantics = semantics;
  args.device = device;
  args.memory = nullptr;
  args.device_layout = nullptr;
  return args;
}

PJRT_Buffer_MemoryLayout Tiled(const std::vector<int64_t>& minor_to_major) {
  auto layout = Garbage<PJRT_Buffer_MemoryLayout>(PJRT_Buffer_MemoryLayout_STRUCT_SIZE);
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.extension_start = nullptr;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  layout.tiled.num_tiles = 0;
  return layout;
}

PJRT_Buffer_MemoryLayout Strides(const std::vector<int64_t>& byte_strides) {
  auto layout = Garbage<PJRT_Buffer_MemoryLayout>(PJRT_Buffer_MemoryLayout_STRUCT_SIZE);
  layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
  layout.strides.struct_size = PJRT_Buffer_MemoryLayout_Strides_STRUCT_SIZE;
  layout.strides.extension_start = nullptr;
  layout.strides.byte_strides = byte_strides.data();
  layout.strides.num_byte_strides = byte_strides.size();
  return layout;
}

template <typename T>
std::vector<T> GetInLayout(PJRT_Buffer* buffer, PJRT_Buffer_MemoryLayout layout, size_t count) {
  std::vector<T> values(count);
  auto args = Garbage<PJRT_Buffer_ToHostBuffer_Args>(PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE);
  args.src = buffer;
  args.host_layout = &layout;
  args.dst = values.data();
  args.dst_size = count * sizeof(T);
  Must(Api().PJRT_Buffer_ToHostBuffer, args);
  const Owned<PJRT_Event> event(args.event);
  EXPECT_TRUE(Await(event.get()).ok());
  return values;
}

TEST_F(BufferTest, KnowsWhatItIs) {
  const Owned<PJRT_Buffer> buffer =
      Put<int16_t>(client_.get(), device(1), PJRT_Buffer_Type_S16, {1, 2, 3, 4, 5, 6}, {2, 3});
  auto type = Garbage<PJRT_Buffer_ElementType_Args>(PJRT_Buffer_ElementType_Args_STRUCT_SIZE);
  type.buffer = buffer.get();
  Must(Api().PJRT_Buffer_ElementType, type);
  EXPECT_EQ(type.type, PJRT_Buffer_Type_S16);
  auto dims = Garbage<PJRT_Buffer_Dimensions_Args>(PJRT_Buffer_Dimensions_Args_STRUCT_SIZE);
  dims.buffer = buffer.get();
  Must(Api().PJRT_Buffer_Dimensions, dims);
  EXPECT_EQ(std::vector<int64_t>(dims.dims, dims.dims + dims.num_dims),
            (std::vector<int64_t>{2, 3}));
  auto unpadded =
      Garbage<PJRT_Buffer_UnpaddedDimensions_Args>(PJRT_Buffer_UnpaddedDimensions_Args_STRUCT_SIZE);
  unpadded.buffer = buffer.get();
  Must(Api().PJRT_Buffer_UnpaddedDimensions, unpadded);
  EXPECT_EQ(unpadded.num_dims, 2u);
  EXPECT_EQ(unpadded.unpadded_dims[1], 3);
  auto dynamic = Garbage<PJRT_Buffer_DynamicDimensionIndices_Args>(
      PJRT_Buffer_DynamicDimensionIndices_Args_STRUCT_SIZE);
  dynamic.buffer = buffer.get();
  Must(Api().PJRT_Buffer_DynamicDimensionIndices, dynamic);
  EXPECT_EQ(dynamic.num_dynamic_dims, 0u);
  auto layout =
      Garbage<PJRT_Buffer_GetMemoryLayout_Args>(PJRT_Buffer_GetMemoryLayout_Args_STRUCT_SIZE);
  layout.buffer = buffer.get();
  Must(Api().PJRT_Buffer_GetMemoryLayout, layout);
  ASSERT_EQ(layout.layout.type, PJRT_Buffer_MemoryLayout_Type_Tiled);
  ASSERT_EQ(layout.layout.tiled.minor_to_major_size, 2u);
  EXPECT_EQ(layout.layout.tiled.minor_to_major[0], 1);
  EXPECT_EQ(layout.layout.tiled.num_tiles, 0u);
  auto size = Garbage<PJRT_Buffer_OnDeviceSizeInBytes_Args>(
      PJRT_Buffer_OnDeviceSizeInBytes_Args_STRUCT_SIZE);
  size.buffer = buffer.get();
  Must(Api().PJRT_Buffer_OnDeviceSizeInBytes, size);
  EXPECT_EQ(size.on_device_size_in_bytes, 12u);
  auto place = Garbage<PJRT_Buffer_Device_Args>(PJRT_Buffer_Device_Args_STRUCT_SIZE);
  place.buffer = buffer.get();
  Must(Api().PJRT_Buffer_Device, place);
  EXPECT_EQ(place.device, device(1));
  auto memory = Garbage<PJRT_Buffer_Memory_Args>(PJRT_Buffer_Memory_Args_STRUCT_SIZE);
  memory.buffer = buffer.get();
  Must(Api().PJRT_Buffer_Memory, memory);
  EXPECT_EQ(memory.memory, DefaultMemory(device(1)));
  auto on_cpu = Garbage<PJRT_Buffer_IsOnCpu_Args>(PJRT_Buffer_IsOnCpu_Args_STRUCT_SIZE);
  on_cpu.buffer = buffer.get();
  Must(Api().PJRT_Buffer_IsOnCpu, on_cpu);
  EXPECT_TRUE(on_cpu.is_on_cpu);
}

// Whatever the type, what was put is what one gets: bytes, of which types narrower than one take a
// whole one for each element.
TEST_F(BufferTest, HoldsEveryElementType) {
  const int widths[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 2, 8, 16,
                        1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  for (int type = PJRT_Buffer_Type_PRED; type <= PJRT_Buffer_Type_U1; ++type) {
    if (type == PJRT_Buffer_Type_TOKEN) continue;
    const std::vector<char> bytes(static_cast<size_t>(2 * widths[type]), 1);
    const std::vector<int64_t> dims = {2};
    auto args = FromHost(client_.get(), device(), bytes.data(), static_cast<PJRT_Buffer_Type>(type),
                         dims, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
    Must(Api().PJRT_Client_BufferFromHostBuffer, args);
    const Owned<PJRT_Buffer> buffer(args.buffer);
    const Owned<PJRT_Event> event(args.done_with_host_buffer);
    EXPECT_EQ(Get<char>(buffer.get()), bytes) << type;
  }
}

TEST_F(BufferTest, WrongArraysAreErrors) {
  const float number = 0;
  const auto code = [&](int type, const std::vector<int64_t>& dims, int semantics) {
    auto args = FromHost(client_.get(), device(), &number, static_cast<PJRT_Buffer_Type>(type),
                         dims, static_cast<PJRT_HostBufferSemantics>(semantics));
    const Outcome outcome = Take(Api().PJRT_Client_BufferFromHostBuffer(&args));
    if (outcome.ok()) {
      Destroyer()(args.buffer);
      Destroyer()(args.done_with_host_buffer);
    }
    return outcome.code;
  };
  EXPECT_EQ(code(PJRT_Buffer_Type_F32, {}, 0), PJRT_Error_Code_OK);
  EXPECT_NE(code(PJRT_Buffer_Type_INVALID, {}, 0), PJRT_Error_Code_OK);
  EXPECT_NE(code(99, {}, 0), PJRT_Error_Code_OK);
  EXPECT_NE(code(-1, {}, 0), PJRT_Error_Code_OK);
  EXPECT_NE(code(PJRT_Buffer_Type_TOKEN, {}, 0), PJRT_Error_Code_OK);
  EXPECT_NE(code(PJRT_Buffer_Type_F32, {-1}, 0), PJRT_Error_Code_OK);
  EXPECT_NE(code(PJRT_Buffer_Type_F32, {int64_t{1} << 40, int64_t{1} << 40}, 0),
            PJRT_Error_Code_OK);
  EXPECT_NE(code(PJRT_Buffer_Type_F32, {}, 7), PJRT_Error_Code_OK);
}

TEST_F(BufferTest, StridesSayWhereElementsLie) {
  const std::vector<int32_t> data = {0, 1, 2, 3, 4, 5};
  const std::vector<int64_t> dims = {3, 2};
  const std::vector<int64_t> transposed = {4, 12}, backwards = {-8, 4}, repeated = {0, 4};
  const auto with = [&](const int32_t* first, const std::vector<int64_t>& strides) {
    auto args = FromHost(client_.get(), device(), first, PJRT_Buffer_Type_S32, dims,
                         PJRT_HostBufferSemantics_kImmutableZeroCopy);
    args.byte_strides = strides.data();
    args.num_byte_strides = strides.size();
    Must(Api().PJRT_Client_BufferFromHostBuffer, args);
    const Owned<PJRT_Buffer> buffer(args.buffer);
    const Owned<PJRT_Event> event(args.done_with_host_buffer);
    return Get<int32_t>(buffer.get());
  };
  EXPECT_EQ(with(data.data(), transposed), (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(with(data.data() + 4, backwards), (std::vector<int32_t>{4, 5, 2, 3, 0, 1}));
  EXPECT_EQ(with(data.data(), repeated), (std::vector<int32_t>{0, 1, 0, 1, 0, 1}));
  auto args = FromHost(client_.get(), device(), data.data(), PJRT_Buffer_Type_S32, dims,
                       PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
  args.byte_strides = transposed.data();
  args.num_byte_strides = 1;
  EXPECT_FALSE(Take(Api().PJRT_Client_BufferFromHostBuffer(&args)).ok());
}

TEST_F(BufferTest, LayoutsOfTheHostAndOfTheDevice) {
  const std::vector<int32_t> data = {0, 1, 2, 3, 4, 5};
  const Owned<PJRT_Buffer> buffer =
      Put(client_.get(), device(), PJRT_Buffer_Type_S32, data, {2, 3});
  const std::vector<int64_t> row_major = {1, 0}, column_major = {0, 1};
  EXPECT_EQ(GetInLayout<int32_t>(buffer.get(), Tiled(row_major), 6), data);
  const std::vector<int32_t> columns = {0, 3, 1, 4, 2, 5};
  EXPECT_EQ(GetInLayout<int32_t>(buffer.get(), Tiled(column_major), 6), columns);
  const std::vector<int64_t> strides = {4, 8};
  EXPECT_EQ(GetInLayout<int32_t>(buffer.get(), Strides(strides), 6), columns);

  // The same on the device.
  PJRT_Buffer_MemoryLayout layout = Tiled(column_major);
  const std::vector<int64_t> dims = {2, 3};
  auto args = FromHost(client_.get(), device(), data.data(), PJRT_Buffer_Type_S32, dims,
                       PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
  args.device_layout = &layout;
  Must(Api().PJRT_Client_BufferFromHostBuffer, args);
  const Owned<PJRT_Buffer> laid_out(args.buffer);
  const Owned<PJRT_Event> event(args.done_with_host_buffer);
  EXPECT_EQ(Get<int32_t>(laid_out.get()), data);
  std::vector<int32_t> raw(6);
  auto copy = Garbage<PJRT_Buffer_CopyRawToHost_Args>(PJRT_Buffer_CopyRawToHost_Args_STRUCT_SIZE);
  copy.buffer = laid_out.get();
  copy.dst = raw.data();
  copy.offset = 0;
  copy.transfer_size = 24;
  Must(Api().PJRT_Buffer_CopyRawToHost, copy);
  const Owned<PJRT_Event> copied(copy.event);
  EXPECT_TRUE(Await(copied.get()).ok());
  EXPECT_EQ(raw, columns);

  const std::vector<int64_t> twice = {0, 0}, too_many = {2, 1, 0}, holes = {4, 40};
  for (PJRT_Buffer_MemoryLayout wrong : {Tiled(twice), Tiled(too_many), Strides(holes)}) {
    args.device_layout = &wrong;
    EXPECT_FALSE(Take(Api().PJRT_Client_BufferFromHostBuffer(&args)).ok());
  }
}

TEST_F(BufferTest, LiesInTheHostsMemoryUntilItGoes) {
  alignas(64) static float numbers[16] = {1, 2, 3};
  const std::vector<int64_t> dims = {16};
  auto args = FromHost(client_.get(), device(), numbers, PJRT_Buffer_Type_F32, dims,
                       PJRT_HostBufferSemantics_kImmutableZeroCopy);
  Must(Api().PJRT_Client_BufferFromHostBuffer, args);
  Owned<PJRT_Buffer> buffer(args.buffer);
  const Owned<PJRT_Event> done(args.done_with_host_buffer);
  auto pointer =
      Garbage<PJRT_Buffer_UnsafePointer_Args>(PJRT_Buffer_UnsafePointer_Args_STRUCT_SIZE);
  pointer.buffer = buffer.get();
  Must(Api().PJRT_Buffer_UnsafePointer, pointer);
  EXPECT_EQ(pointer.buffer_pointer, reinterpret_cast<uintptr_t>(numbers));
  auto ready = Garbage<PJRT_Event_IsReady_Args>(PJRT_Event_IsReady_Args_STRUCT_SIZE);
  ready.event = done.get();
  Must(Api().PJRT_Event_IsReady, ready);
  EXPECT_FALSE(ready.is_ready);
  buffer.reset();
  EXPECT_TRUE(Await(done.get()).ok());
}

// Large arrays are copied while the caller goes on.
TEST_F(BufferTest, LargeArraysMayComeLater) {
  std::vector<float> numbers(1 << 20);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  const std::vector<int64_t> dims = {(1 << 20) - 1};
  auto args = FromHost(client_.get(), device(), numbers.data() + 1, PJRT_Buffer_Type_F32, dims,
                       PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes);
  Must(Api().PJRT_Client_BufferFromHostBuffer, args);
  const Owned<PJRT_Buffer> buffer(args.buffer);
  const Owned<PJRT_Event> event(args.done_with_host_buffer);
  EXPECT_TRUE(Await(event.get()).ok());
  EXPECT_EQ(Get<float>(buffer.get()), std::vector<float>(numbers.begin() + 1, numbers.end()));
}

TEST_F(BufferTest, ExternalReferencesKeepTheMemory) {
  Owned<PJRT_Buffer> buffer = Numbers();
  auto increase = Garbage<PJRT_Buffer_IncreaseExternalReferenceCount_Args>(
      PJRT_Buffer_IncreaseExternalReferenceCount_Args_STRUCT_SIZE);
  auto decrease = Garbage<PJRT_Buffer_DecreaseExternalReferenceCount_Args>(
      PJRT_Buffer_DecreaseExternalReferenceCount_Args_STRUCT_SIZE);
  auto pointer = Garbage<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>(
      PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args_STRUCT_SIZE);
  increase.buffer = decrease.buffer = pointer.buffer = buffer.get();
  EXPECT_FALSE(Take(Api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&pointer)).ok());
  EXPECT_FALSE(Take(Api().PJRT_Buffer_DecreaseExternalReferenceCount(&decrease)).ok());
  Must(Api().PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  Must(Api().PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  Must(Api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer, pointer);
  const float* const numbers = static_cast<const float*>(pointer.device_memory_ptr);
  auto erase = Garbage<PJRT_Buffer_Delete_Args>(PJRT_Buffer_Delete_Args_STRUCT_SIZE);
  erase.buffer = buffer.get();
  Must(Api().PJRT_Buffer_Delete, erase);
  EXPECT_TRUE(IsDeleted(buffer.get()));
  EXPECT_EQ(numbers[3], 4);
  Must(Api().PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
  EXPECT_EQ(numbers[0], 1);
  // The last reference may outlive the buffer.
  buffer.reset();
  EXPECT_EQ(numbers[2], 3);
  Must(Api().PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
}

TEST_F(BufferTest, DeletedOnesAreErrors) {
  const Owned<PJRT_Buffer> buffer = Numbers();
  auto erase = Garbage<PJRT_Buffer_Delete_Args>(PJRT_Buffer_Delete_Args_STRUCT_SIZE);
  erase.buffer = buffer.get();
  Must(Api().PJRT_Buffer_Delete, erase);
  Must(Api().PJRT_Buffer_Delete, erase);
  EXPECT_TRUE(IsDeleted(buffer.get()));
  std::vector<char> bytes;
  EXPECT_FALSE(ReadBytes(buffer.get(), bytes).ok());
  EXPECT_FALSE(ReadyOutcome(buffer.get()).ok());
}

TEST_F(BufferTest, CopiesToOtherDevicesAndMemories) {
  const Owned<PJRT_Buffer> buffer = Numbers();
  auto to_device =
      Garbage<PJRT_Buffer_CopyToDevice_Args>(PJRT_Buffer_CopyToDevice_Args_STRUCT_SIZE);
  to_device.buffer = buffer.get();
  to_device.dst_device = device(1);
  Must(Api().PJRT_Buffer_CopyToDevice, to_device);
  const Owned<PJRT_Buffer> there(to_device.dst_buffer);
  EXPECT_EQ(Get<float>(there.get()), (std::vector<float>{1, 2, 3, 4}));
  auto own = Garbage<PJRT_Device_AddressableMemories_Args>(
      PJRT_Device_AddressableMemories_Args_STRUCT_SIZE);
  own.device = device(1);
  Must(Api().PJRT_Device_AddressableMemories, own);
  auto to_memory =
      Garbage<PJRT_Buffer_CopyToMemory_Args>(PJRT_Buffer_CopyToMemory_Args_STRUCT_SIZE);
  to_memory.buffer = there.get();
  to_memory.dst_memory = own.memories[2];
  Must(Api().PJRT_Buffer_CopyToMemory, to_memory);
  const Owned<PJRT_Buffer> pinned(to_memory.dst_buffer);
  EXPECT_EQ(Get<float>(pinned.get()), (std::vector<float>{1, 2, 3, 4}));
  auto memory = Garbage<PJRT_Buffer_Memory_Args>(PJRT_Buffer_Memory_Args_STRUCT_SIZE);
  memory.buffer = pinned.get();
  Must(Api().PJRT_Buffer_Memory, memory);
  EXPECT_EQ(memory.memory, own.memories[2]);
}

TEST_F(BufferTest, RawBytesWithinBounds) {
  const Owned<PJRT_Buffer> buffer = Numbers();
  float numbers[2] = {};
  auto args = Garbage<PJRT_Buffer_CopyRawToHost_Args>(PJRT_Buffer_CopyRawToHost_Args_STRUCT_SIZE);
  args.buffer = buffer.get();
  args.dst = numbers;
  args.offset = 4;
  args.transfer_size = 8;
  Must(Api().PJRT_Buffer_CopyRawToHost, args);
  const Owned<PJRT_Event> inside(args.event);
  EXPECT_TRUE(Await(inside.get()).ok());
  EXPECT_EQ(numbers[1], 3);
  args.offset = 12;
  Must(Api().PJRT_Buffer_CopyRawToHost, args);
  const Owned<PJRT_Event> outside(args.event);
  EXPECT_EQ(Await(outside.get()).code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST_F(BufferTest, RawBytesToWhereTheCallerSaysLater) {
  const Owned<PJRT_Buffer> buffer = Numbers();
  for (const PJRT_Error_Code code : {PJRT_Error_Code_OK, PJRT_Error_Code_CANCELLED}) {
    auto args = Garbage<PJRT_Buffer_CopyRawToHostFuture_Args>(
        PJRT_Buffer_CopyRawToHostFuture_Args_STRUCT_SIZE);
    args.buffer = buffer.get();
    args.offset = 8;
    args.transfer_size = 4;
    Must(Api().PJRT_Buffer_CopyRawToHostFuture, args);
    const Owned<PJRT_Event> event(args.event);
    float number = 0;
    auto ready = Garbage<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>(
        PJRT_Buffer_CopyRawToHostFuture_Callback_Args_STRUCT_SIZE);
    ready.callback_data = args.callback_data;
    ready.error_code = code;
    ready.error_message_size = 0;
    ready.dst = &number;
    args.future_ready_callback(&ready);
    EXPECT_EQ(Await(event.get()).code, code);
    EXPECT_EQ(number, code == PJRT_Error_Code_OK ? 3 : 0);
  }
}

TEST_F(BufferTest, HostBuffersMustBeLargeEnough) {
  const Owned<PJRT_Buffer> buffer = Numbers();
  float numbers[4];
  auto args = Garbage<PJRT_Buffer_ToHostBuffer_Args>(PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE);
  args.src = buffer.get();
  args.host_layout = nullptr;
  args.dst = numbers;
  args.dst_size = 15;
  EXPECT_EQ(Take(Api().PJRT_Buffer_ToHostBuffer(&args)).code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST_F(BufferTest, ViewsOfOthersMemory) {
  std::vector<float> numbers = {1, 2, 3};
  const int64_t dims[] = {3};
  int deleted = 0;
  auto args = Garbage<PJRT_Client_CreateViewOfDeviceBuffer_Args>(
      PJRT_Client_CreateViewOfDeviceBuffer_Args_STRUCT_SIZE);
  args.client = client_.get();
  args.device_buffer_ptr = numbers.data();
  args.dims = dims;
  args.num_dims = 1;
  args.element_type = PJRT_Buffer_Type_F32;
  args.layout = nullptr;
  args.device = nullptr;
  args.on_delete_callback = [](void*, void* count) { ++*static_cast<int*>(count); };
  args.on_delete_callback_arg = &deleted;
  args.memory = DefaultMemory(device());
  Must(Api().PJRT_Client_CreateViewOfDeviceBuffer, args);
  Owned<PJRT_Buffer> buffer(args.buffer);
  EXPECT_EQ(Get<float>(buffer.get()), numbers);
  EXPECT_EQ(deleted, 0);
  buffer.reset();
  EXPECT_EQ(deleted, 1);
  args.memory = nullptr;
  EXPECT_EQ(Take(Api().PJRT_Client_CreateViewOfDeviceBuffer(&args)).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST_F(BufferTest, WithoutValueAndWithAnError) {
  const int64_t dims[] = {3};
  auto empty = Garbage<PJRT_Client_CreateUninitializedBuffer_Args>(
      PJRT_Client_CreateUninitializedBuffer_Args_STRUCT_SIZE);
  empty.client = client_.get();
  empty.shape_dims = dims;
  empty.shape_num_dims = 1;
  empty.shape_element_type = PJRT_Buffer_Type_F64;
  empty.shape_layout = nullptr;
  empty.device = device();
  empty.memory = nullptr;
  Must(Api().PJRT_Client_CreateUninitializedBuffer, empty);
  const Owned<PJRT_Buffer> uninitialized(empty.buffer);
  EXPECT_EQ(Get<double>(uninitialized.get()).size(), 3u);

  const std::string message = "lost";
  auto wrong =
      Garbage<PJRT_Client_CreateErrorBuffer_Args>(PJRT_Client_CreateErrorBuffer_Args_STRUCT_SIZE);
  wrong.client = client_.get();
  wrong.error_code = PJRT_Error_Code_DATA_LOSS;
  wrong.error_message = message.data();
  wrong.error_message_size = message.size();
  wrong.shape_dims = dims;
  wrong.shape_num_dims = 1;
  wrong.shape_element_type = PJRT_Buffer_Type_F64;
  wrong.shape_layout = nullptr;
  wrong.memory = DefaultMemory(device());
  wrong.num_payload = 0;
  Must(Api().PJRT_Client_CreateErrorBuffer, wrong);
  const Owned<PJRT_Buffer> lost(wrong.buffer);
  EXPECT_EQ(ReadyOutcome(lost.get()).code, PJRT_Error_Code_DATA_LOSS);
  std::vector<char> bytes;
  EXPECT_EQ(ReadBytes(lost.get(), bytes).message, "lost");
}

TEST_F(BufferTest, AliasesStandForOthers) {
  const int64_t dims[] = {4};
  for (const bool is_error : {false, true}) {
    auto args =
        Garbage<PJRT_Client_CreateAliasBuffer_Args>(PJRT_Client_CreateAliasBuffer_Args_STRUCT_SIZE);
    args.client = client_.get();
    args.memory = DefaultMemory(device());
    args.shape_dims = dims;
    args.shape_num_dims = 1;
    args.shape_element_type = PJRT_Buffer_Type_F32;
    args.shape_layout = nullptr;
    Must(Api().PJRT_Client_CreateAliasBuffer, args);
    const Owned<PJRT_Buffer> alias(args.alias_buffer);
    const Owned<PJRT_Buffer> numbers = Numbers();
    auto fulfill = Garbage<PJRT_Client_FulfillAliasBuffer_Args>(
        PJRT_Client_FulfillAliasBuffer_Args_STRUCT_SIZE);
    fulfill.client = client_.get();
    fulfill.buffer = numbers.get();
    fulfill.status_code = is_error ? PJRT_Error_Code_ABORTED : PJRT_Error_Code_OK;
    fulfill.error_message_size = 0;
    fulfill.fulfill_alias_buffer_cb = args.fulfill_alias_buffer_cb;
    Must(Api().PJRT_Client_FulfillAliasBuffer, fulfill);
    if (is_error) {
      EXPECT_EQ(ReadyOutcome(alias.get()).code, PJRT_Error_Code_ABORTED);
    } else {
      EXPECT_EQ(Get<float>(alias.get()), (std::vector<float>{1, 2, 3, 4}));
    }
  }
}

TEST_F(BufferTest, BitcastAndDependencyDonateIt) {
  const Owned<PJRT_Buffer> numbers = Numbers();
  const int64_t dims[] = {2, 8};
  auto cast = Garbage<PJRT_Buffer_Bitcast_Args>(PJRT_Buffer_Bitcast_Args_STRUCT_SIZE);
  cast.buffer = numbers.get();
  cast.element_type = PJRT_Buffer_Type_U8;
  cast.dims = dims;
  cast.num_dims = 2;
  cast.device_layout = nullptr;
  Must(Api().PJRT_Buffer_Bitcast, cast);
  const Owned<PJRT_Buffer> bytes(cast.out_buffer);
  EXPECT_TRUE(IsDeleted(numbers.get()));
  EXPECT_EQ(Get<float>(bytes.get())[3], 4);

  auto donate = Garbage<PJRT_Buffer_DonateWithControlDependency_Args>(
      PJRT_Buffer_DonateWithControlDependency_Args_STRUCT_SIZE);
  donate.buffer = bytes.get();
  Must(Api().PJRT_Buffer_DonateWithControlDependency, donate);
  const Owned<PJRT_Buffer> later(donate.out_buffer);
  EXPECT_TRUE(IsDeleted(bytes.get()));
  auto ready = Garbage<PJRT_Buffer_DonateWithControlDependency_Callback_Args>(
      PJRT_Buffer_DonateWithControlDependency_Callback_Args_STRUCT_SIZE);
  ready.callback_data = donate.callback_data;
  ready.error_code = PJRT_Error_Code_OK;
  ready.error_message_size = 0;
  donate.dependency_ready_callback(&ready);
  EXPECT_EQ(Get<float>(later.get())[2], 3);
}

TEST_F(BufferTest, LayoutExtensionTellsItsLayout) {
  PJRT_Extension_Base* const extension = Extension(PJRT_Extension_Type_Layouts);
  ASSERT_NE(extension, nullptr);
  auto* const layouts = reinterpret_cast<PJRT_Layouts_Extension*>(extension);
  const Owned<PJRT_Buffer> buffer = Numbers();
  auto of_buffer = Garbage<PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args>(
      PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args_STRUCT_SIZE);
  of_buffer.buffer = buffer.get();
  Must(layouts->PJRT_Layouts_PJRT_Buffer_MemoryLayout, of_buffer);
  auto of_client = Garbage<PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args>(
      PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args_STRUCT_SIZE);
  const std::vector<int64_t> dims(10, 1);
  of_client.client = client_.get();
  of_client.type = PJRT_Buffer_Type_F32;
  of_client.dims = dims.data();
  of_client.num_dims = dims.size();
  Must(layouts->PJRT_Layouts_PJRT_Client_GetDefaultLayout, of_client);
  const std::pair<PJRT_Layouts_MemoryLayout*, std::string> expected[] = {
      {of_buffer.layout, "{0}"}, {of_client.layout, "{9,8,7,6,5,4,3,2,1,0}"}};
  for (const auto& [layout, text] : expected) {
    auto serialize = Garbage<PJRT_Layouts_MemoryLayout_Serialize_Args>(
        PJRT_Layouts_MemoryLayout_Serialize_Args_STRUCT_SIZE);
    serialize.layout = layout;
    Must(layouts->PJRT_Layouts_MemoryLayout_Serialize, serialize);
    auto destroy = Garbage<PJRT_Layouts_MemoryLayout_Destroy_Args>(
        PJRT_Layouts_MemoryLayout_Destroy_Args_STRUCT_SIZE);
    destroy.layout = layout;
    Must(layouts->PJRT_Layouts_MemoryLayout_Destroy, destroy);
    EXPECT_EQ(Text(serialize.serialized_bytes, serialize.serialized_bytes_size), text);
    serialize.serialized_layout_deleter(serialize.serialized_layout);
  }
}

// ---- Transfers piece by piece
// ------------------------------------------------------------------------

class TransferTest : public BufferTest {
 protected:
  void SetUp() override {
    static const int64_t vector[] = {4}, matrix[] = {2, 2};
    PJRT_ShapeSpec specs[2] = {
        {PJRT_ShapeSpec_STRUCT_SIZE, nullptr, vector, 1, PJRT_Buffer_Type_F32},
        {PJRT_ShapeSpec_STRUCT_SIZE, nullptr, matrix, 2, PJRT_Buffer_Type_S32}};
    auto args = Garbage<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>(
        PJRT_Client_CreateBuffersForAsyncHostToDevice_Args_STRUCT_SIZE);
    args.client = client_.get();
    args.shape_specs = specs;
    args.num_shape_specs = 2;
    args.device_layouts = nullptr;
    args.num_device_layouts = 0;
    args.memory = DefaultMemory(device(1));
    Must(Api().PJRT_Client_CreateBuffersForAsyncHostToDevice, args);
    manager_.reset(args.transfer_manager);
  }

  Outcome Retrieve(int index, Owned<PJRT_Buffer>& buffer) {
    auto args = Garbage<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>(
        PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args_STRUCT_SIZE);
    args.transfer_manager = manager_.get();
    args.buffer_index = index;
    Outcome outcome = Take(Api().PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(&args));
    if (outcome.ok()) buffer.reset(args.buffer_out);
    return outcome;
  }

  Outcome Transfer(int index, const void* data, int64_t offset, int64_t size, bool is_last) {
    auto args = Garbage<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>(
        PJRT_AsyncHostToDeviceTransferManager_TransferData_Args_STRUCT_SIZE);
    args.transfer_manager = manager_.get();
    args.buffer_index = index;
    args.data = data;
    args.offset = offset;
    args.transfer_size = size;
    args.is_last_transfer = is_last;
    Outcome outcome = Take(Api().PJRT_AsyncHostToDeviceTransferManager_TransferData(&args));
    if (!outcome.ok()) return outcome;
    const Owned<PJRT_Event> done(args.done_with_h2d_transfer);
    return Await(done.get());
  }

  Owned<PJRT_AsyncHostToDeviceTransferManager> manager_;
};

TEST_F(TransferTest, KnowsItsBuffers) {
  auto count = Garbage<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>(
      PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args_STRUCT_SIZE);
  count.transfer_manager = manager_.get();
  Must(Api().PJRT_AsyncHostToDeviceTransferManager_BufferCount, count);
  EXPECT_EQ(count.buffer_count, 2u);
  auto size = Garbage<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>(
      PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args_STRUCT_SIZE);
  size.transfer_manager = manager_.get();
  size.buffer_index = 1;
  Must(Api().PJRT_AsyncHostToDeviceTransferManager_BufferSize, size);
  EXPECT_EQ(size.buffer_size, 16u);
  size.buffer_index = 2;
  EXPECT_FALSE(Take(Api().PJRT_AsyncHostToDeviceTransferManager_BufferSize(&size)).ok());
  auto place = Garbage<PJRT_AsyncHostToDeviceTransferManager_Device_Args>(
      PJRT_AsyncHostToDeviceTransferManager_Device_Args_STRUCT_SIZE);
  place.transfer_manager = manager_.get();
  Must(Api().PJRT_AsyncHostToDeviceTransferManager_Device, place);
  EXPECT_EQ(place.device_out, device(1));
  const PJRT_NamedValue note = Option("note", "text");
  auto metadata = Garbage<PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args>(
      PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args_STRUCT_SIZE);
  metadata.transfer_manager = manager_.get();
  metadata.transfer_metadata = &note;
  metadata.num_metadata = 1;
  Must(Api().PJRT_AsyncHostToDeviceTransferManager_AddMetadata, metadata);
}

TEST_F(TransferTest, PiecesMakeAnArray) {
  Owned<PJRT_Buffer> buffer, again;
  EXPECT_TRUE(Retrieve(0, buffer).ok());
  EXPECT_FALSE(Retrieve(0, again).ok());
  EXPECT_FALSE(Retrieve(5, again).ok());
  EXPECT_FALSE(Retrieve(-1, again).ok());
  const float numbers[] = {1, 2, 3, 4};
  EXPECT_TRUE(Transfer(0, numbers + 2, 8, 8, false).ok());
  EXPECT_FALSE(Transfer(0, numbers, 12, 8, false).ok());
  EXPECT_FALSE(Transfer(7, numbers, 0, 8, false).ok());
  EXPECT_TRUE(Transfer(0, numbers, 0, 8, true).ok());
  EXPECT_FALSE(Transfer(0, numbers, 0, 8, true).ok());
  EXPECT_EQ(Get<float>(buffer.get()), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(TransferTest, WholeArraysAndErrors) {
  Owned<PJRT_Buffer> vector, matrix;
  EXPECT_TRUE(Retrieve(0, vector).ok());
  EXPECT_TRUE(Retrieve(1, matrix).ok());
  const int32_t numbers[] = {1, 2, 3, 4};
  const int64_t dims[] = {2, 2};
  auto literal = Garbage<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>(
      PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args_STRUCT_SIZE);
  literal.transfer_manager = manager_.get();
  literal.buffer_index = 1;
  literal.data = numbers;
  literal.shape_dims = dims;
  literal.shape_num_dims = 2;
  literal.shape_element_type = PJRT_Buffer_Type_S32;
  literal.shape_layout = nullptr;
  Must(Api().PJRT_AsyncHostToDeviceTransferManager_TransferLiteral, literal);
  const Owned<PJRT_Event> done(literal.done_with_h2d_transfer);
  EXPECT_TRUE(Await(done.get()).ok());
  EXPECT_EQ(Get<int32_t>(matrix.get()), (std::vector<int32_t>{1, 2, 3, 4}));

  auto error = Garbage<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>(
      PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args_STRUCT_SIZE);
  error.transfer_manager = manager_.get();
  error.buffer_index = 0;
  error.error_code = PJRT_Error_Code_UNAVAILABLE;
  error.error_message = "gone";
  error.error_message_size = 4;
  Must(Api().PJRT_AsyncHostToDeviceTransferManager_SetBufferError, error);
  EXPECT_EQ(ReadyOutcome(vector.get()).code, PJRT_Error_Code_UNAVAILABLE);
}

TEST_F(TransferTest, WhatNeverComesIsAnError) {
  Owned<PJRT_Buffer> buffer;
  EXPECT_TRUE(Retrieve(0, buffer).ok());
  manager_.reset();
  EXPECT_EQ(ReadyOutcome(buffer.get()).code, PJRT_Error_Code_CANCELLED);
}

}  // namespace
}  // namespace hilo_pjrt_test
