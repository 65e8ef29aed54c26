// The binary interface: sizes, the table, and callers that were built for other versions.
#include <cstdint>
#include <set>

#include "tests/pjrt_c/plugin.h"
#include "xla/pjrt/c/hilo_plugin.h"
#include "xla/pjrt/c/pjrt_c_api_custom_partitioner_extension.h"
#include "xla/pjrt/c/pjrt_c_api_ffi_extension.h"
#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"
#include "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h"
#include "xla/pjrt/c/pjrt_c_api_shardings_extension.h"
#include "xla/pjrt/c/pjrt_c_api_xla_transform_extension.h"

namespace hilo_pjrt_test {
namespace {

static_assert(PJRT_Api_STRUCT_SIZE == 1144);
static_assert(offsetof(PJRT_Api, PJRT_Error_Destroy) == 40);
static_assert(PJRT_Extension_Base_STRUCT_SIZE == 24);
static_assert(PJRT_Api_Version_STRUCT_SIZE == 24);
static_assert(PJRT_Error_FunctionTable_STRUCT_SIZE == 56);
static_assert(PJRT_Memory_FunctionTable_STRUCT_SIZE == 40);
static_assert(PJRT_NamedValue_STRUCT_SIZE == 56);
static_assert(PJRT_KeyValueGetCallback_Args_STRUCT_SIZE == 80);
static_assert(PJRT_KeyValueTryGetCallback_Args_STRUCT_SIZE == 72);
static_assert(PJRT_KeyValuePutCallback_Args_STRUCT_SIZE == 64);
static_assert(PJRT_ProcessInfo_STRUCT_SIZE == 48);
static_assert(PJRT_Program_STRUCT_SIZE == 48);
static_assert(PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE == 56);
static_assert(PJRT_Buffer_MemoryLayout_Strides_STRUCT_SIZE == 32);
static_assert(PJRT_Buffer_MemoryLayout_STRUCT_SIZE == 76);
static_assert(PJRT_ShapeSpec_STRUCT_SIZE == 36);
static_assert(sizeof(PJRT_LogicalDeviceIds) == 8);
static_assert(sizeof(PJRT_Chunk) == 32);
static_assert(sizeof(PJRT_SendCallbackInfo) == 24);
static_assert(sizeof(PJRT_RecvCallbackInfo) == 24);
static_assert(sizeof(PJRT_HloOutputCallbackInfo) == 32);
static_assert(PJRT_ExecuteOptions_STRUCT_SIZE == 144);
static_assert(PJRT_LoadOptions_STRUCT_SIZE == 32);
static_assert(PJRT_Layouts_Extension_STRUCT_SIZE == 24 + 7 * 8);
static_assert(PJRT_Shardings_Extension_STRUCT_SIZE == 24 + 2 * 8);
static_assert(PJRT_Custom_Partitioner_Extension_STRUCT_SIZE == 24 + 2 * 8);
static_assert(PJRT_Register_Custom_Partitioner_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Register_Batch_Partitionable_Args_STRUCT_SIZE == 24);
static_assert(PJRT_FFI_Extension_STRUCT_SIZE == 24 + 3 * 8);
static_assert(PJRT_MemoryDescriptions_Extension_STRUCT_SIZE == 24 + 2 * 8);
static_assert(PJRT_Xla_Transform_Extension_STRUCT_SIZE == 24 + 2 * 8);
static_assert(PJRT_XlaTransform_Args_STRUCT_SIZE == 89);
static_assert(sizeof(PJRT_XlaTransform_Callbacks) == 24);
static_assert(PJRT_Register_Xla_Transform_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Clear_Xla_Transform_Args_STRUCT_SIZE == 41);

static_assert(PJRT_Error_Destroy_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Error_Message_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Error_GetCode_Args_STRUCT_SIZE == 28);
static_assert(PJRT_Plugin_Initialize_Args_STRUCT_SIZE == 16);
static_assert(PJRT_Plugin_Attributes_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Event_Destroy_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Event_IsReady_Args_STRUCT_SIZE == 25);
static_assert(PJRT_Event_Error_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Event_Await_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Event_OnReady_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_Create_Args_STRUCT_SIZE == 88);
static_assert(PJRT_Client_Destroy_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Client_PlatformName_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_ProcessIndex_Args_STRUCT_SIZE == 28);
static_assert(PJRT_Client_PlatformVersion_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_Devices_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_AddressableDevices_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_LookupDevice_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_LookupAddressableDevice_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_AddressableMemories_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_Compile_Args_STRUCT_SIZE == 56);
static_assert(PJRT_Client_DefaultDeviceAssignment_Args_STRUCT_SIZE == 48);
static_assert(PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE == 120);
static_assert(PJRT_DeviceDescription_Id_Args_STRUCT_SIZE == 28);
static_assert(PJRT_DeviceDescription_ProcessIndex_Args_STRUCT_SIZE == 28);
static_assert(PJRT_DeviceDescription_Attributes_Args_STRUCT_SIZE == 40);
static_assert(PJRT_DeviceDescription_Kind_Args_STRUCT_SIZE == 40);
static_assert(PJRT_DeviceDescription_DebugString_Args_STRUCT_SIZE == 40);
static_assert(PJRT_DeviceDescription_ToString_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Device_GetDescription_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Device_IsAddressable_Args_STRUCT_SIZE == 25);
static_assert(PJRT_Device_LocalHardwareId_Args_STRUCT_SIZE == 28);
static_assert(PJRT_Device_AddressableMemories_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Device_DefaultMemory_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Device_MemoryStats_Args_STRUCT_SIZE == 185);
static_assert(PJRT_Memory_Id_Args_STRUCT_SIZE == 28);
static_assert(PJRT_Memory_Kind_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Memory_DebugString_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Memory_ToString_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Memory_AddressableByDevices_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Executable_Destroy_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Executable_Name_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Executable_NumReplicas_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Executable_NumPartitions_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Executable_NumOutputs_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Executable_GetCostAnalysis_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Executable_OutputMemoryKinds_Args_STRUCT_SIZE == 48);
static_assert(PJRT_Executable_OptimizedProgram_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Executable_Serialize_Args_STRUCT_SIZE == 56);
static_assert(PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE == 24);
static_assert(PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE == 32);
static_assert(PJRT_LoadedExecutable_AddressableDevices_Args_STRUCT_SIZE == 40);
static_assert(PJRT_LoadedExecutable_Delete_Args_STRUCT_SIZE == 24);
static_assert(PJRT_LoadedExecutable_IsDeleted_Args_STRUCT_SIZE == 25);
static_assert(PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE == 80);
static_assert(PJRT_Executable_DeserializeAndLoad_Args_STRUCT_SIZE == 72);
static_assert(PJRT_LoadedExecutable_Fingerprint_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Buffer_Destroy_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Buffer_ElementType_Args_STRUCT_SIZE == 28);
static_assert(PJRT_Buffer_Dimensions_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Buffer_UnpaddedDimensions_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Buffer_DynamicDimensionIndices_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Buffer_GetMemoryLayout_Args_STRUCT_SIZE == 104);
static_assert(PJRT_Buffer_OnDeviceSizeInBytes_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Buffer_Device_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Buffer_Memory_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Buffer_Delete_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Buffer_IsDeleted_Args_STRUCT_SIZE == 25);
static_assert(PJRT_Buffer_CopyToDevice_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE == 56);
static_assert(PJRT_Buffer_IsOnCpu_Args_STRUCT_SIZE == 25);
static_assert(PJRT_Buffer_ReadyEvent_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Buffer_UnsafePointer_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Buffer_IncreaseExternalReferenceCount_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Buffer_DecreaseExternalReferenceCount_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args_STRUCT_SIZE == 32);
static_assert(PJRT_CopyToDeviceStream_Destroy_Args_STRUCT_SIZE == 24);
static_assert(PJRT_CopyToDeviceStream_AddChunk_Args_STRUCT_SIZE == 40);
static_assert(PJRT_CopyToDeviceStream_TotalBytes_Args_STRUCT_SIZE == 32);
static_assert(PJRT_CopyToDeviceStream_GranuleSize_Args_STRUCT_SIZE == 32);
static_assert(PJRT_CopyToDeviceStream_CurrentBytes_Args_STRUCT_SIZE == 32);
static_assert(PJRT_TopologyDescription_Create_Args_STRUCT_SIZE == 56);
static_assert(PJRT_TopologyDescription_Destroy_Args_STRUCT_SIZE == 24);
static_assert(PJRT_TopologyDescription_PlatformName_Args_STRUCT_SIZE == 40);
static_assert(PJRT_TopologyDescription_PlatformVersion_Args_STRUCT_SIZE == 40);
static_assert(PJRT_TopologyDescription_GetDeviceDescriptions_Args_STRUCT_SIZE == 40);
static_assert(PJRT_TopologyDescription_Serialize_Args_STRUCT_SIZE == 56);
static_assert(PJRT_TopologyDescription_Attributes_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Compile_Args_STRUCT_SIZE == 64);
static_assert(PJRT_Executable_OutputElementTypes_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Executable_OutputDimensions_Args_STRUCT_SIZE == 48);
static_assert(PJRT_Buffer_CopyToMemory_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_CreateViewOfDeviceBuffer_Args_STRUCT_SIZE == 112);
static_assert(PJRT_Executable_Fingerprint_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_TopologyDescription_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Executable_GetCompiledMemoryStats_Args_STRUCT_SIZE == 144);
static_assert(PJRT_Memory_Kind_Id_Args_STRUCT_SIZE == 28);
static_assert(PJRT_ExecuteContext_Create_Args_STRUCT_SIZE == 24);
static_assert(PJRT_ExecuteContext_Destroy_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Buffer_CopyRawToHost_Args_STRUCT_SIZE == 56);
static_assert(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args_STRUCT_SIZE == 24);
static_assert(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args_STRUCT_SIZE == 72);
static_assert(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args_STRUCT_SIZE == 72);
static_assert(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args_STRUCT_SIZE == 40);
static_assert(PJRT_AsyncHostToDeviceTransferManager_Device_Args_STRUCT_SIZE == 32);
static_assert(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args_STRUCT_SIZE == 32);
static_assert(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args_STRUCT_SIZE == 40);
static_assert(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args_STRUCT_SIZE == 48);
static_assert(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_DmaMap_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_DmaUnmap_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Client_CreateUninitializedBuffer_Args_STRUCT_SIZE == 80);
static_assert(PJRT_Client_UpdateGlobalProcessInfo_Args_STRUCT_SIZE == 40);
static_assert(PJRT_TopologyDescription_Deserialize_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Client_CreateAliasBuffer_Args_STRUCT_SIZE == 80);
static_assert(PJRT_Client_FulfillAliasBuffer_Args_STRUCT_SIZE == 64);
static_assert(PJRT_LoadedExecutable_GetDeviceAssignment_Args_STRUCT_SIZE == 56);
static_assert(PJRT_Client_CreateErrorBuffer_Args_STRUCT_SIZE == 112);
static_assert(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args_STRUCT_SIZE == 80);
static_assert(PJRT_Buffer_CopyRawToHostFuture_Args_STRUCT_SIZE == 64);
static_assert(PJRT_Device_PoisonExecution_Args_STRUCT_SIZE == 72);
static_assert(PJRT_Device_CreateAsyncTrackingEvent_Args_STRUCT_SIZE == 48);
static_assert(PJRT_AsyncTrackingEvent_Destroy_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Executable_GetCompileOptions_Args_STRUCT_SIZE == 56);
static_assert(PJRT_Buffer_DonateWithControlDependency_Args_STRUCT_SIZE == 48);
static_assert(PJRT_Event_Create_Args_STRUCT_SIZE == 24);
static_assert(PJRT_Event_Set_Args_STRUCT_SIZE == 48);
static_assert(PJRT_Device_GetAttributes_Args_STRUCT_SIZE == 56);
static_assert(PJRT_Client_Load_Args_STRUCT_SIZE == 56);
static_assert(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args_STRUCT_SIZE == 40);
static_assert(PJRT_Buffer_Bitcast_Args_STRUCT_SIZE == 64);
static_assert(PJRT_Error_ForEachPayload_Args_STRUCT_SIZE == 40);
static_assert(PJRT_TopologyDescription_Fingerprint_Args_STRUCT_SIZE == 32);
static_assert(PJRT_Executable_ParameterMemoryKinds_Args_STRUCT_SIZE == 48);
static_assert(PJRT_Device_ClearMemoryStats_Args_STRUCT_SIZE == 24);
static_assert(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args_STRUCT_SIZE == 88);
static_assert(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args_STRUCT_SIZE == 40);

// The functions of the table, which differ in the types of their arguments alone.
using AnyFunction = PJRT_Error* (*)(void* args);
constexpr size_t kFunctions = 138;

AnyFunction FunctionAt(size_t index) {
  AnyFunction function;
  const char* const place = reinterpret_cast<const char*>(&Api().PJRT_Error_Destroy);
  std::memcpy(&function, place + index * sizeof(function), sizeof(function));
  return function;
}

TEST(AbiTest, TableIsOfTheVersionAndFull) {
  const PJRT_Api& api = Api();
  EXPECT_EQ(api.struct_size, PJRT_Api_STRUCT_SIZE);
  EXPECT_EQ(api.pjrt_api_version.major_version, 0);
  EXPECT_EQ(api.pjrt_api_version.minor_version, 112);
  EXPECT_EQ(&api, &Api());
  for (size_t i = 0; i < kFunctions; ++i) EXPECT_NE(FunctionAt(i), nullptr) << i;
}

TEST(AbiTest, ExtensionsAreThoseThatFrameworksLookFor) {
  std::set<int> types;
  for (const PJRT_Extension_Base* next = Api().extension_start; next != nullptr;
       next = next->next) {
    EXPECT_GE(next->struct_size, PJRT_Extension_Base_STRUCT_SIZE);
    EXPECT_TRUE(types.insert(next->type).second);
  }
  EXPECT_EQ(types, (std::set<int>{PJRT_Extension_Type_Layouts, PJRT_Extension_Type_Shardings,
                                  PJRT_Extension_Type_FFI, PJRT_Extension_Type_MemoryDescriptions,
                                  PJRT_Extension_Type_XlaTransform,
                                  PJRT_Extension_Type_Custom_Partitioner}));
}

// No function reads a field that the caller has not got: those after the first two are not there.
TEST(AbiTest, StructsThatAreTooSmallAreErrors) {
  for (size_t i = 0; i < kFunctions; ++i) {
    const AnyFunction function = FunctionAt(i);
    if (i < 2) continue;  // PJRT_Error_Destroy and PJRT_Error_Message give nothing
    size_t only_size = sizeof(size_t);
    const Outcome outcome = Take(function(&only_size));
    EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT) << i;
    EXPECT_NE(outcome.message.find("8 bytes"), std::string::npos) << outcome;
  }
}

// Fields that came to the end of structs later are left alone where the caller has none.
TEST(AbiTest, OlderCallersAreServed) {
  auto create = Garbage<PJRT_Client_Create_Args>(PJRT_STRUCT_SIZE(PJRT_Client_Create_Args, client));
  create.create_options = nullptr;
  create.num_options = 0;
  Must(Api().PJRT_Client_Create, create);
  const Owned<PJRT_Client> client(create.client);

  std::vector<float> numbers = {1, 2};
  const int64_t dims[] = {2};
  auto view = Garbage<PJRT_Client_CreateViewOfDeviceBuffer_Args>(
      PJRT_STRUCT_SIZE(PJRT_Client_CreateViewOfDeviceBuffer_Args, buffer));
  view.client = client.get();
  view.device_buffer_ptr = numbers.data();
  view.dims = dims;
  view.num_dims = 1;
  view.element_type = PJRT_Buffer_Type_F32;
  view.layout = nullptr;
  view.device = Devices(client.get())[0];
  view.on_delete_callback = nullptr;
  Must(Api().PJRT_Client_CreateViewOfDeviceBuffer, view);
  const Owned<PJRT_Buffer> buffer(view.buffer);
  EXPECT_EQ(Get<float>(buffer.get()), numbers);
}

TEST(AbiTest, PluginSaysWhatItReads) {
  auto initialize = Garbage<PJRT_Plugin_Initialize_Args>(PJRT_Plugin_Initialize_Args_STRUCT_SIZE);
  Must(Api().PJRT_Plugin_Initialize, initialize);
  auto args = Garbage<PJRT_Plugin_Attributes_Args>(PJRT_Plugin_Attributes_Args_STRUCT_SIZE);
  Must(Api().PJRT_Plugin_Attributes, args);
  std::set<std::string> names;
  for (size_t i = 0; i < args.num_attributes; ++i) {
    const PJRT_NamedValue& attribute = args.attributes[i];
    const std::string name = Text(attribute.name, attribute.name_size);
    names.insert(name);
    if (name != "stablehlo_current_version") continue;
    ASSERT_EQ(attribute.type, PJRT_NamedValue_kInt64List);
    EXPECT_EQ(attribute.value_size, 3u);
    EXPECT_EQ(attribute.int64_array_value[0], 1);
  }
  EXPECT_EQ(names.count("stablehlo_current_version"), 1u);
}

// A handler that knows the interface of version 0.3 or whatever the library has.
TEST(AbiTest, HandlersAreRegisteredStageByStage) {
  auto* registers =
      reinterpret_cast<decltype(&Hilo_RegisterFfiHandler)>(Symbol("Hilo_RegisterFfiHandler"));
  EXPECT_EQ(Take(registers("some_target", "execution", &registers)).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(Take(registers("some_target", "execute", nullptr)).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace hilo_pjrt_test
