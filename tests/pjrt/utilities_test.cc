// What PJRT's headers have beside clients.
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/pjrt/pjrt_testing.h"
#include "xla/overflow_util.h"
#include "xla/pjrt/distributed/in_memory_key_value_store.h"
#include "xla/pjrt/lru_cache.h"
#include "xla/protobuf_util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

TEST(KeyValueStoreTest, GetWaitsForSet) {
  InMemoryKeyValueStore store;
  EXPECT_TRUE(absl::IsNotFound(store.TryGet("a").status()));
  EXPECT_TRUE(absl::IsNotFound(store.Get("a", absl::Milliseconds(1)).status()));
  std::string value;
  std::thread waiter([&] { value = store.Get("a", absl::InfiniteDuration()).value(); });
  ASSERT_TRUE(store.Set("a", "1").ok());
  waiter.join();
  EXPECT_EQ(value, "1");
  ASSERT_TRUE(store.Set("a", "2").ok());
  EXPECT_EQ(store.Get("a", absl::Hours(1)).value(), "2");
  InMemoryKeyValueStore strict(/*allow_overwrite=*/false);
  ASSERT_TRUE(strict.Set("a", "1").ok());
  EXPECT_TRUE(absl::IsAlreadyExists(strict.Set("a", "2")));
  EXPECT_EQ(strict.TryGet("a").value(), "1");
}

TEST(KeyValueStoreTest, GoesWithBuildOptions) {
  ExecutableBuildOptions options;
  EXPECT_EQ(options.key_value_store(), nullptr);
  const auto store = std::make_shared<InMemoryKeyValueStore>();
  options.set_key_value_store(store);
  EXPECT_EQ(ExecutableBuildOptions(options).key_value_store(), store);
}

TEST(LRUCacheTest, ForgetsWhatWasNotUsed) {
  LRUCache<int, std::string>::LRUList list(3);
  LRUCache<int, std::string> cache(&list), other(&list);
  int made = 0;
  const auto make = [&](int key) {
    ++made;
    return std::to_string(key);
  };
  for (const int key : {1, 2, 1, 3, 1})
    EXPECT_EQ(cache.GetOrCreateIfAbsent(key, make), std::to_string(key));
  EXPECT_EQ(made, 3);
  EXPECT_EQ(other.GetOrCreateIfAbsent(2, make), "2");  // instead of 2 of the first one
  EXPECT_EQ(cache.Size(), 2);
  EXPECT_EQ(other.Size(), 1);
  EXPECT_EQ(list.Size(), 3);
  EXPECT_FALSE(cache.Remove(2));
  EXPECT_TRUE(cache.Remove(3));
  int sum = 0;
  cache.ForEach([&](int key, const std::string&) { sum += key; });
  EXPECT_EQ(sum, 1);
  list.Clear();
  EXPECT_EQ(cache.Size() + other.Size(), 0);
}

TEST(OverflowTest, SaysWhatDoesNotFit) {
  EXPECT_EQ(OverflowSafeMultiply(int64_t{1} << 31, int64_t{1} << 31),
            std::make_pair(int64_t{1} << 62, false));
  EXPECT_TRUE(OverflowSafeMultiply(int64_t{1} << 32, int64_t{1} << 31).second);
  EXPECT_EQ(OverflowSafeAdd(1, 2), 3);
  EXPECT_EQ(OverflowSafeAdd<int32_t>(2147483647, 1), std::nullopt);
  EXPECT_EQ(OverflowSafeAdd<uint8_t>(255, 1), std::nullopt);
}

TEST(ProtobufTest, SameBytes) {
  ShapeProto a, b;
  a.add_dimensions(2);
  b.add_dimensions(2);
  EXPECT_TRUE(protobuf_util::HaveSameSerialization(a, b));
  EXPECT_EQ(protobuf_util::ProtobufHashBySerialization(a),
            protobuf_util::ProtobufHashBySerializationFunctor()(b));
  b.add_dimensions(3);
  EXPECT_FALSE(protobuf_util::HaveSameSerializationFunctor()(a, b));
}

// Clients of two processes, which are threads of the test, by Gloo.
TEST(TopologyTest, HasTheDevicesOfAllProcesses) {
  const auto store = std::make_shared<InMemoryKeyValueStore>();
  std::vector<absl::StatusOr<std::unique_ptr<PjRtClient>>> clients(2);
  std::vector<std::thread> threads;
  for (int process = 0; process < 2; ++process) {
    threads.emplace_back([&, process] {
      CpuClientOptions options;
      options.cpu_device_count = process + 2;
      options.process_id = process;
      options.process_count = 2;
      options.key_value_store = store;
      clients[process] = GetXlaPjrtCpuClient(options);
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (absl::IsNotFound(clients[0].status())) GTEST_SKIP() << clients[0].status();
  for (const auto& client : clients) {
    ASSERT_TRUE(client.ok()) << client.status();
    const PjRtTopologyDescription& topology = **(*client)->GetTopologyDescription();
    std::vector<std::pair<int, int>> found;
    for (const auto& device : topology.DeviceDescriptions())
      found.emplace_back(device->process_index(), device->id());
    std::vector<std::pair<int, int>> of_client;
    for (const PjRtDevice* device : (*client)->devices())
      of_client.emplace_back(device->process_index(), device->id());
    EXPECT_EQ(found, of_client);
    EXPECT_EQ(found.size(), 5u);
    EXPECT_EQ(topology.ProcessCount().value(), 2);
    EXPECT_TRUE(topology.GetDefaultDeviceAssignment(0, 5, std::nullopt, 1, nullptr).ok());
  }
}

TEST(TopologyTest, DefaultDeviceAssignment) {
  const std::unique_ptr<PjRtClient> client = MakeClient(3);
  const PjRtTopologyDescription& topology = **client->GetTopologyDescription();
  const DeviceAssignment devices =
      topology.GetDefaultDeviceAssignment(0, 3, std::nullopt, 1, nullptr).value();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(devices(i, 0), client->devices()[i]->id());
  EXPECT_TRUE(topology.GetDefaultDeviceAssignment(1, 1, std::nullopt, 2, nullptr).ok());
  EXPECT_FALSE(topology.GetDefaultDeviceAssignment(0, 4, std::nullopt, 1, nullptr).ok());
  EXPECT_FALSE(topology.GetDefaultDeviceAssignment(0, 0, std::nullopt, 1, nullptr).ok());
}

TEST(CostTest, ClientsAndExecutablesAgree) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, R"(
HloModule m
ENTRY e { x = f32[8,8] parameter(0)
  y = f32[8,8] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT z = f32[8,8] exponential(y) })");
  const std::unique_ptr<HloCostAnalysis> analysis = client->GetHloCostAnalysis().value();
  const std::shared_ptr<HloModule> module = executable->GetHloModules().value()[0];
  ASSERT_TRUE(module->entry_computation()->Accept(analysis.get()).ok());
  EXPECT_EQ(analysis->flop_count(), 2 * 8 * 8 * 8);
  EXPECT_EQ(analysis->transcendental_count(), 64);
  const auto figures = executable->GetCostAnalysis().value();
  for (const char* key : {"flops", "transcendentals", "bytes accessed"})
    EXPECT_EQ(std::get<float>(figures.at(key)), analysis->property(key));
}

}  // namespace
}  // namespace xla
