// Errors, events, clients, devices, memories and topologies.
#include <cstdlib>
#include <set>
#include <thread>

#include "tests/pjrt_c/plugin.h"
#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"
#include "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h"

namespace hilo_pjrt_test {
namespace {

// ---- Errors and events
// -----------------------------------------------------------------------------

TEST(ErrorTest, CarriesItsFunctionsAndItsPayload) {
  const Owned<PJRT_Client> client = NewClient();
  auto lookup = Garbage<PJRT_Client_LookupDevice_Args>(PJRT_Client_LookupDevice_Args_STRUCT_SIZE);
  lookup.client = client.get();
  lookup.id = 77;
  PJRT_Error* const error = Api().PJRT_Client_LookupDevice(&lookup);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->vtable->get_code(error), PJRT_Error_Code_INVALID_ARGUMENT);
  const char* message;
  size_t size;
  error->vtable->message(error, &message, &size);
  EXPECT_NE(Text(message, size).find("77"), std::string::npos);
  auto each = Garbage<PJRT_Error_ForEachPayload_Args>(PJRT_Error_ForEachPayload_Args_STRUCT_SIZE);
  each.error = error;
  each.visitor = [](const char*, size_t, const char*, size_t, void* count) {
    ++*static_cast<int*>(count);
  };
  int payloads = 0;
  each.user_arg = &payloads;
  Must(Api().PJRT_Error_ForEachPayload, each);
  EXPECT_EQ(payloads, 0);
  error->vtable->destroy(error);
}

TEST(ErrorTest, NullIsDestroyed) {
  auto args = Garbage<PJRT_Error_Destroy_Args>(PJRT_Error_Destroy_Args_STRUCT_SIZE);
  args.error = nullptr;
  Api().PJRT_Error_Destroy(&args);
}

Owned<PJRT_Event> NewEvent() {
  auto args = Garbage<PJRT_Event_Create_Args>(PJRT_Event_Create_Args_STRUCT_SIZE);
  Must(Api().PJRT_Event_Create, args);
  return Owned<PJRT_Event>(args.event);
}

Outcome Set(PJRT_Event* event, PJRT_Error_Code code, const std::string& message) {
  auto args = Garbage<PJRT_Event_Set_Args>(PJRT_Event_Set_Args_STRUCT_SIZE);
  args.event = event;
  args.error_code = code;
  args.error_message = message.data();
  args.error_message_size = message.size();
  return Take(Api().PJRT_Event_Set(&args));
}

bool IsReady(PJRT_Event* event) {
  auto args = Garbage<PJRT_Event_IsReady_Args>(PJRT_Event_IsReady_Args_STRUCT_SIZE);
  args.event = event;
  Must(Api().PJRT_Event_IsReady, args);
  return args.is_ready;
}

Outcome ErrorOf(PJRT_Event* event) {
  auto args = Garbage<PJRT_Event_Error_Args>(PJRT_Event_Error_Args_STRUCT_SIZE);
  args.event = event;
  return Take(Api().PJRT_Event_Error(&args));
}

TEST(EventTest, IsSetOnce) {
  const Owned<PJRT_Event> event = NewEvent();
  EXPECT_FALSE(IsReady(event.get()));
  EXPECT_EQ(ErrorOf(event.get()).code, PJRT_Error_Code_FAILED_PRECONDITION);
  EXPECT_TRUE(Set(event.get(), PJRT_Error_Code_OK, "").ok());
  EXPECT_TRUE(IsReady(event.get()));
  EXPECT_TRUE(ErrorOf(event.get()).ok());
  EXPECT_TRUE(Await(event.get()).ok());
  EXPECT_EQ(Set(event.get(), PJRT_Error_Code_OK, "").code, PJRT_Error_Code_FAILED_PRECONDITION);
}

TEST(EventTest, CallbacksGetTheErrorAndMayDestroyTheEvent) {
  struct Seen {
    PJRT_Event* event;
    Outcome outcome;
    int calls = 0;
  };
  const auto callback = [](PJRT_Error* error, void* user_arg) {
    Seen& seen = *static_cast<Seen*>(user_arg);
    seen.outcome = Take(error);
    ++seen.calls;
    Destroyer()(seen.event);
  };
  for (const bool is_ready_before : {false, true}) {
    Owned<PJRT_Event> event = NewEvent();
    Seen seen = {event.get(), {}};
    if (is_ready_before) Set(event.get(), PJRT_Error_Code_ABORTED, "stop");
    auto args = Garbage<PJRT_Event_OnReady_Args>(PJRT_Event_OnReady_Args_STRUCT_SIZE);
    args.event = event.release();
    args.callback = callback;
    args.user_arg = &seen;
    Must(Api().PJRT_Event_OnReady, args);
    if (!is_ready_before) {
      EXPECT_EQ(seen.calls, 0);
      Set(args.event, PJRT_Error_Code_ABORTED, "stop");
    }
    EXPECT_EQ(seen.calls, 1);
    EXPECT_EQ(seen.outcome.code, PJRT_Error_Code_ABORTED);
    EXPECT_EQ(seen.outcome.message, "stop");
  }
}

TEST(EventTest, WaitsForAnotherThread) {
  const Owned<PJRT_Event> event = NewEvent();
  std::thread setter([&] { Set(event.get(), PJRT_Error_Code_NOT_FOUND, "nothing"); });
  EXPECT_EQ(Await(event.get()).code, PJRT_Error_Code_NOT_FOUND);
  setter.join();
}

// ---- Clients
// -----------------------------------------------------------------------------------------

std::string PlatformName(PJRT_Client* client) {
  auto args = Garbage<PJRT_Client_PlatformName_Args>(PJRT_Client_PlatformName_Args_STRUCT_SIZE);
  args.client = client;
  Must(Api().PJRT_Client_PlatformName, args);
  return Text(args.platform_name, args.platform_name_size);
}

TEST(ClientTest, OptionsSayWhatItIs) {
  const Owned<PJRT_Client> plain = NewClient();
  EXPECT_EQ(PlatformName(plain.get()), "cpu");
  EXPECT_EQ(Devices(plain.get()).size(), 1u);
  // Some callers have all values as texts.
  const Owned<PJRT_Client> other =
      NewClient({Option("cpu_device_count", "3"), Option("platform_name", "hilo"),
                 Option("asynchronous", false), Option("node_id", int64_t{0}),
                 Option("num_nodes", int64_t{1})});
  EXPECT_EQ(PlatformName(other.get()), "hilo");
  EXPECT_EQ(Devices(other.get()).size(), 3u);
}

TEST(ClientTest, EnvironmentSaysHowManyDevicesWhereOptionsDoNot) {
  setenv("JAX_NUM_CPU_DEVICES", "2", 1);
  EXPECT_EQ(Devices(NewClient(std::vector<PJRT_NamedValue>()).get()).size(), 2u);
  EXPECT_EQ(Devices(NewClient(5).get()).size(), 5u);
  unsetenv("JAX_NUM_CPU_DEVICES");
  setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=4", 1);
  EXPECT_EQ(Devices(NewClient(std::vector<PJRT_NamedValue>()).get()).size(), 4u);
  unsetenv("XLA_FLAGS");
}

TEST(ClientTest, WrongOptionsAreErrors) {
  for (const PJRT_NamedValue& option :
       {Option("cpu_device_count", int64_t{0}), Option("cpu_device_count", "many"),
        Option("cpu_device_count", int64_t{1} << 40), Option("asynchronous", "perhaps"),
        Option("platform_name", int64_t{3}), Option("platform_name", ""),
        Option("num_nodes", int64_t{2}), Option("threads", int64_t{0}), Option("threads", true),
        Option("cache_dir", false), Option("log", "everything"), Option("colour", "green")}) {
    auto args = Garbage<PJRT_Client_Create_Args>(PJRT_Client_Create_Args_STRUCT_SIZE);
    args.create_options = &option;
    args.num_options = 1;
    EXPECT_FALSE(Take(Api().PJRT_Client_Create(&args)).ok()) << option.name;
  }
}

TEST(ClientTest, KnowsItsDevices) {
  const Owned<PJRT_Client> client = NewClient(2);
  const std::vector<PJRT_Device*> devices = Devices(client.get());
  auto own =
      Garbage<PJRT_Client_AddressableDevices_Args>(PJRT_Client_AddressableDevices_Args_STRUCT_SIZE);
  own.client = client.get();
  Must(Api().PJRT_Client_AddressableDevices, own);
  ASSERT_EQ(own.num_addressable_devices, 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(own.addressable_devices[i], devices[i]);
    auto lookup = Garbage<PJRT_Client_LookupDevice_Args>(PJRT_Client_LookupDevice_Args_STRUCT_SIZE);
    lookup.client = client.get();
    lookup.id = i;
    Must(Api().PJRT_Client_LookupDevice, lookup);
    EXPECT_EQ(lookup.device, devices[i]);
    auto local = Garbage<PJRT_Client_LookupAddressableDevice_Args>(
        PJRT_Client_LookupAddressableDevice_Args_STRUCT_SIZE);
    local.client = client.get();
    local.local_hardware_id = i;
    Must(Api().PJRT_Client_LookupAddressableDevice, local);
    EXPECT_EQ(local.addressable_device, devices[i]);
    local.local_hardware_id = 9;
    EXPECT_FALSE(Take(Api().PJRT_Client_LookupAddressableDevice(&local)).ok());
  }
  auto process = Garbage<PJRT_Client_ProcessIndex_Args>(PJRT_Client_ProcessIndex_Args_STRUCT_SIZE);
  process.client = client.get();
  Must(Api().PJRT_Client_ProcessIndex, process);
  EXPECT_EQ(process.process_index, 0);
  auto version =
      Garbage<PJRT_Client_PlatformVersion_Args>(PJRT_Client_PlatformVersion_Args_STRUCT_SIZE);
  version.client = client.get();
  Must(Api().PJRT_Client_PlatformVersion, version);
  // The version, and what tells builds apart.
  EXPECT_GT(Text(version.platform_version, version.platform_version_size).size(), 40u);
}

TEST(ClientTest, AssignsDevices) {
  const Owned<PJRT_Client> client = NewClient(4);
  int numbers[4] = {-1, -1, -1, -1};
  auto args = Garbage<PJRT_Client_DefaultDeviceAssignment_Args>(
      PJRT_Client_DefaultDeviceAssignment_Args_STRUCT_SIZE);
  args.client = client.get();
  args.num_replicas = 2;
  args.num_partitions = 2;
  args.default_assignment_size = 4;
  args.default_assignment = numbers;
  Must(Api().PJRT_Client_DefaultDeviceAssignment, args);
  EXPECT_EQ(std::vector<int>(numbers, numbers + 4), (std::vector<int>{0, 1, 2, 3}));
  args.default_assignment_size = 3;
  EXPECT_EQ(Take(Api().PJRT_Client_DefaultDeviceAssignment(&args)).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  args.num_replicas = 3;
  EXPECT_FALSE(Take(Api().PJRT_Client_DefaultDeviceAssignment(&args)).ok());
}

TEST(ClientTest, TakesWhatOnlyOthersNeed) {
  const Owned<PJRT_Client> client = NewClient();
  auto info = Garbage<PJRT_Client_UpdateGlobalProcessInfo_Args>(
      PJRT_Client_UpdateGlobalProcessInfo_Args_STRUCT_SIZE);
  info.client = client.get();
  info.num_process_infos = 0;
  Must(Api().PJRT_Client_UpdateGlobalProcessInfo, info);
  char memory[64];
  auto map = Garbage<PJRT_Client_DmaMap_Args>(PJRT_Client_DmaMap_Args_STRUCT_SIZE);
  map.client = client.get();
  map.data = memory;
  map.size = sizeof(memory);
  Must(Api().PJRT_Client_DmaMap, map);
  auto unmap = Garbage<PJRT_Client_DmaUnmap_Args>(PJRT_Client_DmaUnmap_Args_STRUCT_SIZE);
  unmap.client = client.get();
  unmap.data = memory;
  Must(Api().PJRT_Client_DmaUnmap, unmap);
}

// ---- Devices and memories
// ------------------------------------------------------------------------------

TEST(DeviceTest, DescribesItself) {
  const Owned<PJRT_Client> client = NewClient(2);
  PJRT_Device* const device = Devices(client.get())[1];
  auto get = Garbage<PJRT_Device_GetDescription_Args>(PJRT_Device_GetDescription_Args_STRUCT_SIZE);
  get.device = device;
  Must(Api().PJRT_Device_GetDescription, get);
  PJRT_DeviceDescription* const description = get.device_description;

  auto id = Garbage<PJRT_DeviceDescription_Id_Args>(PJRT_DeviceDescription_Id_Args_STRUCT_SIZE);
  id.device_description = description;
  Must(Api().PJRT_DeviceDescription_Id, id);
  EXPECT_EQ(id.id, 1);
  auto process = Garbage<PJRT_DeviceDescription_ProcessIndex_Args>(
      PJRT_DeviceDescription_ProcessIndex_Args_STRUCT_SIZE);
  process.device_description = description;
  Must(Api().PJRT_DeviceDescription_ProcessIndex, process);
  EXPECT_EQ(process.process_index, 0);
  auto kind =
      Garbage<PJRT_DeviceDescription_Kind_Args>(PJRT_DeviceDescription_Kind_Args_STRUCT_SIZE);
  kind.device_description = description;
  Must(Api().PJRT_DeviceDescription_Kind, kind);
  EXPECT_EQ(Text(kind.device_kind, kind.device_kind_size), "cpu");
  auto debug = Garbage<PJRT_DeviceDescription_DebugString_Args>(
      PJRT_DeviceDescription_DebugString_Args_STRUCT_SIZE);
  debug.device_description = description;
  Must(Api().PJRT_DeviceDescription_DebugString, debug);
  EXPECT_EQ(Text(debug.debug_string, debug.debug_string_size), "TFRT_CPU_1");
  auto text = Garbage<PJRT_DeviceDescription_ToString_Args>(
      PJRT_DeviceDescription_ToString_Args_STRUCT_SIZE);
  text.device_description = description;
  Must(Api().PJRT_DeviceDescription_ToString, text);
  EXPECT_EQ(Text(text.to_string, text.to_string_size), "CpuDevice(id=1)");
  auto attributes = Garbage<PJRT_DeviceDescription_Attributes_Args>(
      PJRT_DeviceDescription_Attributes_Args_STRUCT_SIZE);
  attributes.device_description = description;
  Must(Api().PJRT_DeviceDescription_Attributes, attributes);
  EXPECT_EQ(attributes.num_attributes, 0u);

  auto addressable =
      Garbage<PJRT_Device_IsAddressable_Args>(PJRT_Device_IsAddressable_Args_STRUCT_SIZE);
  addressable.device = device;
  Must(Api().PJRT_Device_IsAddressable, addressable);
  EXPECT_TRUE(addressable.is_addressable);
  auto local =
      Garbage<PJRT_Device_LocalHardwareId_Args>(PJRT_Device_LocalHardwareId_Args_STRUCT_SIZE);
  local.device = device;
  Must(Api().PJRT_Device_LocalHardwareId, local);
  EXPECT_EQ(local.local_hardware_id, 1);
  auto own = Garbage<PJRT_Device_GetAttributes_Args>(PJRT_Device_GetAttributes_Args_STRUCT_SIZE);
  own.device = device;
  Must(Api().PJRT_Device_GetAttributes, own);
  EXPECT_EQ(own.num_attributes, 0u);
  own.attributes_deleter(own.device_attributes);
}

TEST(DeviceTest, AnswersWhatItHasNoFiguresFor) {
  const Owned<PJRT_Client> client = NewClient();
  PJRT_Device* const device = Devices(client.get())[0];
  auto stats = Garbage<PJRT_Device_MemoryStats_Args>(PJRT_Device_MemoryStats_Args_STRUCT_SIZE);
  stats.device = device;
  EXPECT_EQ(Take(Api().PJRT_Device_MemoryStats(&stats)).code, PJRT_Error_Code_UNIMPLEMENTED);
  auto clear =
      Garbage<PJRT_Device_ClearMemoryStats_Args>(PJRT_Device_ClearMemoryStats_Args_STRUCT_SIZE);
  clear.device = device;
  Must(Api().PJRT_Device_ClearMemoryStats, clear);
  auto poison =
      Garbage<PJRT_Device_PoisonExecution_Args>(PJRT_Device_PoisonExecution_Args_STRUCT_SIZE);
  poison.device = device;
  poison.launch_id = 1;
  poison.error_code = PJRT_Error_Code_ABORTED;
  poison.error_message_size = 0;
  poison.num_payload = 0;
  EXPECT_EQ(Take(Api().PJRT_Device_PoisonExecution(&poison)).code, PJRT_Error_Code_UNIMPLEMENTED);
  auto tracking = Garbage<PJRT_Device_CreateAsyncTrackingEvent_Args>(
      PJRT_Device_CreateAsyncTrackingEvent_Args_STRUCT_SIZE);
  tracking.device = device;
  tracking.description_size = 0;
  Must(Api().PJRT_Device_CreateAsyncTrackingEvent, tracking);
  auto destroy = Garbage<PJRT_AsyncTrackingEvent_Destroy_Args>(
      PJRT_AsyncTrackingEvent_Destroy_Args_STRUCT_SIZE);
  destroy.event = tracking.event;
  Must(Api().PJRT_AsyncTrackingEvent_Destroy, destroy);
}

TEST(MemoryTest, EachDeviceHasThree) {
  const Owned<PJRT_Client> client = NewClient(2);
  const char* const kinds[] = {"device", "pinned_host", "unpinned_host"};
  auto all = Garbage<PJRT_Client_AddressableMemories_Args>(
      PJRT_Client_AddressableMemories_Args_STRUCT_SIZE);
  all.client = client.get();
  Must(Api().PJRT_Client_AddressableMemories, all);
  EXPECT_EQ(all.num_addressable_memories, 6u);
  std::set<int> numbers;
  for (PJRT_Device* const device : Devices(client.get())) {
    auto own = Garbage<PJRT_Device_AddressableMemories_Args>(
        PJRT_Device_AddressableMemories_Args_STRUCT_SIZE);
    own.device = device;
    Must(Api().PJRT_Device_AddressableMemories, own);
    ASSERT_EQ(own.num_memories, 3u);
    EXPECT_EQ(DefaultMemory(device), own.memories[0]);
    for (int i = 0; i < 3; ++i) {
      PJRT_Memory* const memory = own.memories[i];
      auto kind = Garbage<PJRT_Memory_Kind_Args>(PJRT_Memory_Kind_Args_STRUCT_SIZE);
      kind.memory = memory;
      Must(Api().PJRT_Memory_Kind, kind);
      EXPECT_EQ(Text(kind.kind, kind.kind_size), kinds[i]);
      auto kind_id = Garbage<PJRT_Memory_Kind_Id_Args>(PJRT_Memory_Kind_Id_Args_STRUCT_SIZE);
      kind_id.memory = memory;
      Must(Api().PJRT_Memory_Kind_Id, kind_id);
      EXPECT_EQ(kind_id.kind_id, i);
      auto id = Garbage<PJRT_Memory_Id_Args>(PJRT_Memory_Id_Args_STRUCT_SIZE);
      id.memory = memory;
      Must(Api().PJRT_Memory_Id, id);
      EXPECT_TRUE(numbers.insert(id.id).second);
      auto text = Garbage<PJRT_Memory_ToString_Args>(PJRT_Memory_ToString_Args_STRUCT_SIZE);
      text.memory = memory;
      Must(Api().PJRT_Memory_ToString, text);
      EXPECT_NE(Text(text.to_string, text.to_string_size).find(kinds[i]), std::string::npos);
      auto debug = Garbage<PJRT_Memory_DebugString_Args>(PJRT_Memory_DebugString_Args_STRUCT_SIZE);
      debug.memory = memory;
      Must(Api().PJRT_Memory_DebugString, debug);
      EXPECT_GT(debug.debug_string_size, 0u);
      auto devices = Garbage<PJRT_Memory_AddressableByDevices_Args>(
          PJRT_Memory_AddressableByDevices_Args_STRUCT_SIZE);
      devices.memory = memory;
      Must(Api().PJRT_Memory_AddressableByDevices, devices);
      ASSERT_EQ(devices.num_devices, 1u);
      EXPECT_EQ(devices.devices[0], device);
    }
  }
}

TEST(MemoryTest, KeepsWhatCallersGiveIt) {
  static int destroyed;
  destroyed = 0;
  const auto destructor = [](void* data) { destroyed += *static_cast<int*>(data); };
  int first = 1, second = 10, other = 100;
  int keys[2];
  {
    const Owned<PJRT_Client> client = NewClient();
    PJRT_Memory* const memory = DefaultMemory(Devices(client.get())[0]);
    ASSERT_NE(memory->vtable, nullptr);
    EXPECT_EQ(memory->vtable->struct_size, PJRT_Memory_FunctionTable_STRUCT_SIZE);
    EXPECT_EQ(memory->vtable->get_user_data(memory, &keys[0]), nullptr);
    memory->vtable->set_user_data(memory, &keys[0], &first, destructor);
    memory->vtable->set_user_data(memory, &keys[1], &other, destructor);
    EXPECT_EQ(memory->vtable->get_user_data(memory, &keys[0]), &first);
    memory->vtable->set_user_data(memory, &keys[0], &second, destructor);
    EXPECT_EQ(destroyed, 1);
    EXPECT_EQ(memory->vtable->get_user_data(memory, &keys[0]), &second);
  }
  EXPECT_EQ(destroyed, 111);
}

// ---- Topologies
// ----------------------------------------------------------------------------------------

uint64_t Fingerprint(PJRT_TopologyDescription* topology) {
  auto args = Garbage<PJRT_TopologyDescription_Fingerprint_Args>(
      PJRT_TopologyDescription_Fingerprint_Args_STRUCT_SIZE);
  args.topology = topology;
  Must(Api().PJRT_TopologyDescription_Fingerprint, args);
  return args.fingerprint;
}

std::vector<PJRT_DeviceDescription*> Descriptions(PJRT_TopologyDescription* topology) {
  auto args = Garbage<PJRT_TopologyDescription_GetDeviceDescriptions_Args>(
      PJRT_TopologyDescription_GetDeviceDescriptions_Args_STRUCT_SIZE);
  args.topology = topology;
  Must(Api().PJRT_TopologyDescription_GetDeviceDescriptions, args);
  return {args.descriptions, args.descriptions + args.num_descriptions};
}

PJRT_TopologyDescription* NewTopology(int64_t devices, int64_t processes = 1) {
  const PJRT_NamedValue options[] = {Option("cpu_device_count", devices),
                                     Option("num_nodes", processes), Option("node_id", int64_t{0})};
  auto args = Garbage<PJRT_TopologyDescription_Create_Args>(
      PJRT_TopologyDescription_Create_Args_STRUCT_SIZE);
  args.topology_name = "";
  args.topology_name_size = 0;
  args.create_options = options;
  args.num_options = std::size(options);
  Must(Api().PJRT_TopologyDescription_Create, args);
  return args.topology;
}

void Destroy(PJRT_TopologyDescription* topology) {
  auto args = Garbage<PJRT_TopologyDescription_Destroy_Args>(
      PJRT_TopologyDescription_Destroy_Args_STRUCT_SIZE);
  args.topology = topology;
  Must(Api().PJRT_TopologyDescription_Destroy, args);
}

TEST(TopologyTest, ThatOfAClientIsTheSameAsOneMadeAlone) {
  const Owned<PJRT_Client> client = NewClient(3);
  auto get = Garbage<PJRT_Client_TopologyDescription_Args>(
      PJRT_Client_TopologyDescription_Args_STRUCT_SIZE);
  get.client = client.get();
  Must(Api().PJRT_Client_TopologyDescription, get);
  PJRT_TopologyDescription* const alone = NewTopology(3);
  PJRT_TopologyDescription* const larger = NewTopology(4);
  EXPECT_EQ(Descriptions(get.topology).size(), 3u);
  EXPECT_EQ(Descriptions(larger).size(), 4u);
  EXPECT_EQ(Fingerprint(alone), Fingerprint(get.topology));
  EXPECT_NE(Fingerprint(alone), Fingerprint(larger));
  Destroy(get.topology);  // which does nothing
  EXPECT_EQ(Descriptions(get.topology).size(), 3u);

  auto name = Garbage<PJRT_TopologyDescription_PlatformName_Args>(
      PJRT_TopologyDescription_PlatformName_Args_STRUCT_SIZE);
  name.topology = alone;
  Must(Api().PJRT_TopologyDescription_PlatformName, name);
  EXPECT_EQ(Text(name.platform_name, name.platform_name_size), "cpu");
  auto version = Garbage<PJRT_TopologyDescription_PlatformVersion_Args>(
      PJRT_TopologyDescription_PlatformVersion_Args_STRUCT_SIZE);
  version.topology = alone;
  Must(Api().PJRT_TopologyDescription_PlatformVersion, version);
  EXPECT_GT(version.platform_version_size, 0u);
  auto attributes = Garbage<PJRT_TopologyDescription_Attributes_Args>(
      PJRT_TopologyDescription_Attributes_Args_STRUCT_SIZE);
  attributes.topology = alone;
  Must(Api().PJRT_TopologyDescription_Attributes, attributes);
  EXPECT_EQ(attributes.num_attributes, 0u);
  Destroy(alone);
  Destroy(larger);
}

TEST(TopologyTest, GoesThroughBytes) {
  PJRT_TopologyDescription* const topology = NewTopology(2, /*processes=*/3);
  auto save = Garbage<PJRT_TopologyDescription_Serialize_Args>(
      PJRT_TopologyDescription_Serialize_Args_STRUCT_SIZE);
  save.topology = topology;
  Must(Api().PJRT_TopologyDescription_Serialize, save);
  const std::string bytes = Text(save.serialized_bytes, save.serialized_bytes_size);
  save.serialized_topology_deleter(save.serialized_topology);
  auto load = Garbage<PJRT_TopologyDescription_Deserialize_Args>(
      PJRT_TopologyDescription_Deserialize_Args_STRUCT_SIZE);
  load.serialized_topology = bytes.data();
  load.serialized_topology_size = bytes.size();
  Must(Api().PJRT_TopologyDescription_Deserialize, load);
  EXPECT_EQ(Fingerprint(load.topology), Fingerprint(topology));
  const std::vector<PJRT_DeviceDescription*> descriptions = Descriptions(load.topology);
  ASSERT_EQ(descriptions.size(), 6u);
  for (size_t i = 0; i < descriptions.size(); ++i) {
    auto process = Garbage<PJRT_DeviceDescription_ProcessIndex_Args>(
        PJRT_DeviceDescription_ProcessIndex_Args_STRUCT_SIZE);
    process.device_description = descriptions[i];
    Must(Api().PJRT_DeviceDescription_ProcessIndex, process);
    EXPECT_EQ(process.process_index, static_cast<int>(i / 2));
  }
  Destroy(load.topology);
  Destroy(topology);
  for (size_t size = 0; size < bytes.size(); ++size) {
    load.serialized_topology_size = size;
    EXPECT_FALSE(Take(Api().PJRT_TopologyDescription_Deserialize(&load)).ok()) << size;
  }
}

TEST(TopologyTest, KnowsMemoriesAndLayouts) {
  PJRT_TopologyDescription* const topology = NewTopology(1);
  auto kinds = Garbage<PJRT_TopologyDescription_GetMemorySpaceKindIds_Args>(
      PJRT_TopologyDescription_GetMemorySpaceKindIds_Args_STRUCT_SIZE);
  kinds.topology = topology;
  Must(Api().PJRT_TopologyDescription_GetMemorySpaceKindIds, kinds);
  EXPECT_EQ(kinds.num_memory_space_kind_ids, 3u);
  const int64_t dims[] = {2, 3};
  auto shape = Garbage<PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args>(
      PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args_STRUCT_SIZE);
  shape.topology = topology;
  shape.memory_space_kind_id = 0;
  shape.dims = dims;
  shape.num_dims = 2;
  shape.element_type = PJRT_Buffer_Type_F32;
  shape.layout = nullptr;
  Must(Api().PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace, shape);
  EXPECT_GT(shape.serialized_shape_size, 0u);
  shape.serialized_shape_deleter(shape.serialized_shape);

  auto* const extension = reinterpret_cast<PJRT_MemoryDescriptions_Extension*>(
      Extension(PJRT_Extension_Type_MemoryDescriptions));
  auto memories = Garbage<PJRT_DeviceDescription_MemoryDescriptions_Args>(
      PJRT_DeviceDescription_MemoryDescriptions_Args_STRUCT_SIZE);
  memories.device_description = Descriptions(topology)[0];
  Must(extension->PJRT_DeviceDescription_MemoryDescriptions, memories);
  ASSERT_EQ(memories.num_memory_descriptions, 3u);
  EXPECT_EQ(memories.default_memory_index, 0u);
  auto kind =
      Garbage<PJRT_MemoryDescription_Kind_Args>(PJRT_MemoryDescription_Kind_Args_STRUCT_SIZE);
  kind.memory_description = memories.memory_descriptions[1];
  Must(extension->PJRT_MemoryDescription_Kind, kind);
  EXPECT_EQ(Text(kind.kind, kind.kind_size), "pinned_host");
  EXPECT_EQ(kind.kind_id, 1);

  auto* const layouts =
      reinterpret_cast<PJRT_Layouts_Extension*>(Extension(PJRT_Extension_Type_Layouts));
  auto layout = Garbage<PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args>(
      PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args_STRUCT_SIZE);
  layout.topology_description = topology;
  layout.type = PJRT_Buffer_Type_F32;
  layout.dims = dims;
  layout.num_dims = 2;
  Must(layouts->PJRT_Layouts_PJRT_Topology_GetDefaultLayout, layout);
  auto text = Garbage<PJRT_Layouts_MemoryLayout_Serialize_Args>(
      PJRT_Layouts_MemoryLayout_Serialize_Args_STRUCT_SIZE);
  text.layout = layout.layout;
  Must(layouts->PJRT_Layouts_MemoryLayout_Serialize, text);
  EXPECT_EQ(Text(text.serialized_bytes, text.serialized_bytes_size), "{1,0}");
  text.serialized_layout_deleter(text.serialized_layout);
  auto destroy = Garbage<PJRT_Layouts_MemoryLayout_Destroy_Args>(
      PJRT_Layouts_MemoryLayout_Destroy_Args_STRUCT_SIZE);
  destroy.layout = layout.layout;
  Must(layouts->PJRT_Layouts_MemoryLayout_Destroy, destroy);
  Destroy(topology);
}

}  // namespace
}  // namespace hilo_pjrt_test
