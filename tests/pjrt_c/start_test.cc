// What the plug-in does before its core library is loaded, and what happens when it is. Each test
// runs in a process of its own (a death test), since a core that is loaded stays.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include "tests/pjrt_c/plugin.h"
#include "xla/pjrt/c/pjrt_c_api_custom_partitioner_extension.h"

namespace hilo_pjrt_test {
namespace {

constexpr char kTwice[] = R"(
module @twice {
  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = stablehlo.add %x, %x : tensor<2xf32>
    return %y : tensor<2xf32>
  }
})";

bool IsCoreLoaded() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libhilo_core.so") != std::string::npos) return true;
  }
  return false;
}

// One that nobody gave options.
Owned<PJRT_Client> PlainClient() { return NewClient(std::vector<PJRT_NamedValue>()); }

std::string Version(PJRT_Client* client) {
  auto args =
      Garbage<PJRT_Client_PlatformVersion_Args>(PJRT_Client_PlatformVersion_Args_STRUCT_SIZE);
  args.client = client;
  Must(Api().PJRT_Client_PlatformVersion, args);
  return Text(args.platform_version, args.platform_version_size);
}

std::vector<float> Twice(PJRT_Client* client, const std::vector<float>& values) {
  const Owned<PJRT_LoadedExecutable> executable = Compile(client, kTwice);
  const Owned<PJRT_Buffer> argument = Put(client, values);
  return Get<float>(RunOnce(executable.get(), {argument.get()})[0].get());
}

bool HasPassed() { return !testing::Test::HasFailure(); }

class StartTest : public testing::Test {
 protected:
  // Runs `body` in a process where nothing has been loaded yet.
  template <typename Body>
  static void Alone(Body body) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
          body();
          std::_Exit(HasPassed() ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
  }
};

TEST_F(StartTest, DescribesClientsWithoutTheCore) {
  Alone([] {
    auto initialize = Garbage<PJRT_Plugin_Initialize_Args>(PJRT_Plugin_Initialize_Args_STRUCT_SIZE);
    Must(Api().PJRT_Plugin_Initialize, initialize);
    const Owned<PJRT_Client> client = PlainClient();
    const std::vector<PJRT_Device*> devices = Devices(client.get());
    ASSERT_EQ(devices.size(), 1u);
    auto lookup = Garbage<PJRT_Client_LookupDevice_Args>(PJRT_Client_LookupDevice_Args_STRUCT_SIZE);
    lookup.client = client.get();
    lookup.id = 0;
    Must(Api().PJRT_Client_LookupDevice, lookup);
    EXPECT_EQ(lookup.device, devices[0]);
    lookup.id = 1;
    EXPECT_EQ(Take(Api().PJRT_Client_LookupDevice(&lookup)).message,
              "there is no device 1; this client has 1");
    const std::string version = Version(client.get());
    PJRT_Memory* const memory = DefaultMemory(devices[0]);
    EXPECT_FALSE(IsCoreLoaded());

    // The same objects then run programs.
    EXPECT_EQ(Twice(client.get(), {1, 2}), (std::vector<float>{2, 4}));
    EXPECT_TRUE(IsCoreLoaded());
    EXPECT_EQ(Devices(client.get()), devices);
    EXPECT_EQ(DefaultMemory(devices[0]), memory);
    EXPECT_EQ(Version(client.get()), version);
  });
}

TEST_F(StartTest, DescriptionsAreThoseOfTheCore) {
  Alone([] {
    const auto describe = [](PJRT_Client* client) {
      PJRT_Device* const device = Devices(client)[0];
      auto get =
          Garbage<PJRT_Device_GetDescription_Args>(PJRT_Device_GetDescription_Args_STRUCT_SIZE);
      get.device = device;
      Must(Api().PJRT_Device_GetDescription, get);
      auto text = Garbage<PJRT_DeviceDescription_ToString_Args>(
          PJRT_DeviceDescription_ToString_Args_STRUCT_SIZE);
      text.device_description = get.device_description;
      Must(Api().PJRT_DeviceDescription_ToString, text);
      auto memory = Garbage<PJRT_Memory_ToString_Args>(PJRT_Memory_ToString_Args_STRUCT_SIZE);
      memory.memory = DefaultMemory(device);
      Must(Api().PJRT_Memory_ToString, memory);
      return Text(text.to_string, text.to_string_size) + " " +
             Text(memory.to_string, memory.to_string_size) + " " + Version(client);
    };
    const Owned<PJRT_Client> described = PlainClient();
    const std::string description = describe(described.get());
    EXPECT_FALSE(IsCoreLoaded());
    const Owned<PJRT_Client> made = NewClient(1);
    EXPECT_TRUE(IsCoreLoaded());
    EXPECT_EQ(describe(made.get()), description);
  });
}

TEST_F(StartTest, ClientsOfBeforeAndAfterRunSideBySide) {
  Alone([] {
    const Owned<PJRT_Client> first = PlainClient();
    Owned<PJRT_Client> second = PlainClient();
    const Owned<PJRT_Client> third = PlainClient();
    second.reset();
    EXPECT_FALSE(IsCoreLoaded());
    EXPECT_EQ(Twice(third.get(), {1, 2}), (std::vector<float>{2, 4}));
    const Owned<PJRT_Client> fourth = PlainClient();
    EXPECT_EQ(Twice(first.get(), {3, 4}), (std::vector<float>{6, 8}));
    EXPECT_EQ(Twice(fourth.get(), {5, 6}), (std::vector<float>{10, 12}));
  });
}

TEST_F(StartTest, OptionsOfTheEnvironmentCountAtOnce) {
  Alone([] {
    setenv("HILO_FLAGS", "cpu_device_count=3", 1);
    const Owned<PJRT_Client> client = PlainClient();
    EXPECT_EQ(Devices(client.get()).size(), 3u);
    setenv("HILO_FLAGS", "colour=green", 1);
    auto args = Garbage<PJRT_Client_Create_Args>(PJRT_Client_Create_Args_STRUCT_SIZE);
    args.num_options = 0;
    EXPECT_NE(Take(Api().PJRT_Client_Create(&args)).message.find("colour"), std::string::npos);
  });
}

// Those that are set later change nothing that was described.
TEST_F(StartTest, OptionsOfTheEnvironmentDoNotCountLater) {
  Alone([] {
    const Owned<PJRT_Client> client = PlainClient();
    setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=4", 1);
    EXPECT_EQ(Twice(client.get(), {1, 2}), (std::vector<float>{2, 4}));
    EXPECT_EQ(Devices(client.get()).size(), 1u);
  });
}

TEST_F(StartTest, ThreadsNeedTheCoreAtOnce) {
  Alone([] {
    const Owned<PJRT_Client> client = PlainClient();
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&client, i] {
        const auto x = static_cast<float>(i);
        EXPECT_EQ(Twice(client.get(), {x, 1}), (std::vector<float>{2 * x, 2}));
        const Owned<PJRT_Client> own = PlainClient();
        EXPECT_EQ(Twice(own.get(), {x, 1}), (std::vector<float>{2 * x, 2}));
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
}

TEST_F(StartTest, ForkedProcessesLoadTheirOwnCore) {
  Alone([] {
    const Owned<PJRT_Client> client = PlainClient();
    const pid_t child = fork();
    if (child == 0) {
      const bool is_right = Twice(client.get(), {1, 2}) == std::vector<float>{2, 4};
      std::_Exit(is_right && HasPassed() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(IsCoreLoaded());
    EXPECT_EQ(Twice(client.get(), {3, 4}), (std::vector<float>{6, 8}));
  });
}

TEST_F(StartTest, PartitionersAreRegisteredWithoutTheCore) {
  Alone([] {
    const auto& partitioners = *reinterpret_cast<const PJRT_Custom_Partitioner_Extension*>(
        Extension(PJRT_Extension_Type_Custom_Partitioner));
    auto batch = Garbage<PJRT_Register_Batch_Partitionable_Args>(
        PJRT_Register_Batch_Partitionable_Args_STRUCT_SIZE);
    std::string name = "some_target";
    batch.name = name.data();
    batch.name_size = name.size();
    Must(partitioners.register_batch_partitionable, batch);
    name = "?";  // is the caller's again
    static bool is_destroyed = false;
    static JAX_CustomCallPartitioner_Callbacks callbacks = {};
    callbacks.version = PJRT_API_CUSTOM_PARTITIONER_EXTENSION_VERSION;
    callbacks.partition = [](JAX_CustomCallPartitioner_Callbacks*,
                             JAX_CustomCallPartitioner_Partition_Args*) {};
    callbacks.dtor = [](JAX_CustomCallPartitioner_Callbacks*) { is_destroyed = true; };
    auto one = Garbage<PJRT_Register_Custom_Partitioner_Args>(
        PJRT_Register_Custom_Partitioner_Args_STRUCT_SIZE);
    one.name = "target";
    one.name_size = 6;
    one.callbacks = &callbacks;
    Must(partitioners.register_custom_partitioner, one);
    EXPECT_FALSE(IsCoreLoaded());

    // That without callbacks is an error at once; the next one of a name takes the place of the
    // first.
    one.callbacks = nullptr;
    EXPECT_EQ(Take(partitioners.register_custom_partitioner(&one)).code,
              PJRT_Error_Code_INVALID_ARGUMENT);
    EXPECT_TRUE(IsCoreLoaded());
    EXPECT_FALSE(is_destroyed);
    static JAX_CustomCallPartitioner_Callbacks others = callbacks;
    others.dtor = nullptr;
    one.callbacks = &others;
    Must(partitioners.register_custom_partitioner, one);
    EXPECT_TRUE(is_destroyed);
  });
}

// A copy of the plug-in in a folder with something else, or nothing, in the place of the core.
Outcome OutcomeBeside(const char* beside) {
  namespace fs = std::filesystem;
  const fs::path library = HILO_PJRT_LIBRARY;
  std::string folder = (fs::temp_directory_path() / "hilo_start_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return {PJRT_Error_Code_UNKNOWN, "no folder"};
  const fs::path copy = fs::path(folder) / library.filename();
  fs::copy_file(library, copy);
  if (beside != nullptr)
    fs::copy_file(library.parent_path() / beside, fs::path(folder) / "libhilo_core.so");
  void* const handle = dlopen(copy.c_str(), RTLD_LAZY);
  const auto get = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(handle, "GetPjrtApi"));
  auto create = Garbage<PJRT_Client_Create_Args>(PJRT_Client_Create_Args_STRUCT_SIZE);
  create.num_options = 0;
  Must(get()->PJRT_Client_Create, create);
  auto put = Garbage<PJRT_Client_DmaMap_Args>(PJRT_Client_DmaMap_Args_STRUCT_SIZE);
  put.client = create.client;
  const Outcome outcome = Take(get()->PJRT_Client_DmaMap(&put));
  EXPECT_EQ(Take(get()->PJRT_Client_DmaMap(&put)).message, outcome.message);
  fs::remove_all(folder);
  return outcome;
}

TEST_F(StartTest, TheCoreDoesNotUseWhatOthersShow) {
  Alone([] {
    ASSERT_NE(dlopen(HILO_OTHER_PROTOBUF, RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
    const Owned<PJRT_Client> client = PlainClient();
    EXPECT_EQ(Twice(client.get(), {1, 2}), (std::vector<float>{2, 4}));
  });
}

TEST_F(StartTest, CoreThatIsMissingIsAnError) {
  Alone([] {
    const Outcome outcome = OutcomeBeside(nullptr);
    EXPECT_EQ(outcome.code, PJRT_Error_Code_INTERNAL);
    EXPECT_NE(outcome.message.find("Hilo cannot be loaded: "), std::string::npos) << outcome;
    EXPECT_NE(outcome.message.find("libhilo_core.so"), std::string::npos) << outcome;
  });
}

TEST_F(StartTest, AnotherLibraryInItsPlaceIsAnError) {
  Alone([] {
    const Outcome outcome = OutcomeBeside("libhilo_pjrt.so");
    EXPECT_NE(outcome.message.find("is no core of the plug-in"), std::string::npos) << outcome;
  });
}

}  // namespace
}  // namespace hilo_pjrt_test
