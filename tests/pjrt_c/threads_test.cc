// Many threads that compile, run, donate, delete and fail at random. Meant for the thread
// sanitizer.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

#include "tests/pjrt_c/plugin.h"

namespace hilo_pjrt_test {
namespace {

constexpr int kThreads = 8;
constexpr int kSize = 64;

std::string Type() { return "tensor<" + std::to_string(kSize) + "xf32>"; }

// Adds a number to its argument, in its place where that is donated.
std::string AddProgram(int number, bool is_donated) {
  const std::string type = Type();
  return "module @add { func.func public @main(%x: " + type +
         (is_donated ? " {tf.aliasing_output = 0 : i32}" : "") + ") -> " + type +
         " { %c = stablehlo.constant dense<" + std::to_string(number) + ".0> : " + type +
         " %y = stablehlo.add %x, %c : " + type + " return %y : " + type + " } }";
}

// Adds 1 many times, so that it takes a while.
std::string LoopProgram(int times) {
  const std::string type = Type();
  return R"(module @loop { func.func public @main(%x: )" + type + ") -> " + type + R"( {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %times = stablehlo.constant dense<)" +
         std::to_string(times) + R"(> : tensor<i32>
    %ones = stablehlo.constant dense<1.0> : )" +
         type + R"(
    %i, %y = stablehlo.while(%k = %zero, %s = %x) : tensor<i32>, )" +
         type + R"(
    cond {
      %goes_on = stablehlo.compare LT, %k, %times : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %goes_on : tensor<i1>
    } do {
      %next = stablehlo.add %k, %one : tensor<i32>
      %more = stablehlo.add %s, %ones : )" +
         type + R"(
      stablehlo.return %next, %more : tensor<i32>, )" +
         type + R"(
    }
    return %y : )" +
         type + "\n} }";
}

// Sums over two devices.
std::string SumProgram() {
  const std::string type = Type();
  return R"(module @sum attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
    func.func public @main(%x: )" +
         type + ") -> " + type + R"( {
      %sum = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
        use_global_device_ids
      } : ()" +
         type + ") -> " + type + R"(
      return %sum : )" +
         type + "\n} }";
}

// Runs on one device and waits for nothing.
std::vector<Owned<PJRT_Buffer>> Begin(PJRT_LoadedExecutable* executable, PJRT_Device* device,
                                      PJRT_Buffer* argument) {
  ExecutionOptions options;
  options.device = device;
  Execution execution = Execute(executable, {{argument}}, options);
  EXPECT_TRUE(execution.outcome.ok()) << execution.outcome;
  if (!execution.outcome.ok()) return {};
  return std::move(execution.outputs[0]);
}

class Shared {
 public:
  Shared()
      : client(NewClient(2)),
        devices(Devices(client.get())),
        add(Compile(client.get(), AddProgram(3, false))),
        add_donated(Compile(client.get(), AddProgram(1, true))),
        loop(Compile(client.get(), LoopProgram(2000))),
        sum(Compile(client.get(), SumProgram(), {0, 1})) {}

  Owned<PJRT_Buffer> Number(float number, int device = 0) {
    return Put(client.get(), std::vector<float>(kSize, number), device);
  }

  const Owned<PJRT_Client> client;
  const std::vector<PJRT_Device*> devices;
  const Owned<PJRT_LoadedExecutable> add, add_donated, loop, sum;

  // Buffers that threads take from each other.
  std::mutex mutex;
  std::vector<std::pair<float, Owned<PJRT_Buffer>>> pool;
  std::atomic<int> launches = 1;
};

void Expect(PJRT_Buffer* buffer, float number) {
  EXPECT_EQ(Get<float>(buffer), std::vector<float>(kSize, number));
}

void CompileAndRun(Shared& shared, std::mt19937& random) {
  const int number = static_cast<int>(random() % 1000);
  const Owned<PJRT_LoadedExecutable> executable =
      Compile(shared.client.get(), AddProgram(number, false));
  const Owned<PJRT_Buffer> x = shared.Number(1);
  Owned<PJRT_Buffer> y = std::move(Begin(executable.get(), shared.devices[0], x.get())[0]);
  Expect(y.get(), 1.0f + static_cast<float>(number));
}

// The executable goes while it runs.
void DropWhileRunning(Shared& shared, std::mt19937&) {
  Owned<PJRT_LoadedExecutable> executable = Compile(shared.client.get(), LoopProgram(500));
  Owned<PJRT_Buffer> x = shared.Number(1);
  Owned<PJRT_Buffer> y = std::move(Begin(executable.get(), shared.devices[0], x.get())[0]);
  executable.reset();
  x.reset();
  Expect(y.get(), 501);
}

void Chain(Shared& shared, std::mt19937& random) {
  const int count = 1 + static_cast<int>(random() % 20);
  const bool is_donated = random() % 2 == 0;
  PJRT_LoadedExecutable* const executable =
      is_donated ? shared.add_donated.get() : shared.add.get();
  Owned<PJRT_Buffer> x = shared.Number(0);
  for (int i = 0; i < count; ++i) {
    Owned<PJRT_Buffer> y = std::move(Begin(executable, shared.devices[0], x.get())[0]);
    EXPECT_EQ(IsDeleted(x.get()), is_donated);
    x = std::move(y);
  }
  Expect(x.get(), static_cast<float>(is_donated ? count : 3 * count));
}

// A donated buffer that others still read.
void DonateWhileInUse(Shared& shared, std::mt19937&) {
  Owned<PJRT_Buffer> x = shared.Number(5);
  Owned<PJRT_Buffer> slow = std::move(Begin(shared.loop.get(), shared.devices[0], x.get())[0]);
  Owned<PJRT_Buffer> y = std::move(Begin(shared.add_donated.get(), shared.devices[0], x.get())[0]);
  Expect(y.get(), 6);
  Expect(slow.get(), 2005);
}

void DeleteWhileInUse(Shared& shared, std::mt19937&) {
  Owned<PJRT_Buffer> x = shared.Number(7);
  Owned<PJRT_Buffer> y = std::move(Begin(shared.loop.get(), shared.devices[0], x.get())[0]);
  auto args = Garbage<PJRT_Buffer_Delete_Args>(PJRT_Buffer_Delete_Args_STRUCT_SIZE);
  args.buffer = x.get();
  Must(Api().PJRT_Buffer_Delete, args);
  Expect(y.get(), 2007);
  EXPECT_FALSE(Execute(shared.add.get(), {{x.get()}}).outcome.ok());
}

void Forget(Shared& shared, std::mt19937&) {
  const Owned<PJRT_Buffer> x = shared.Number(1);
  Begin(shared.loop.get(), shared.devices[0], x.get());
}

void CallBack(Shared& shared, std::mt19937&) {
  const Owned<PJRT_Buffer> x = shared.Number(2);
  Owned<PJRT_Buffer> y = std::move(Begin(shared.loop.get(), shared.devices[0], x.get())[0]);
  auto ready = Garbage<PJRT_Buffer_ReadyEvent_Args>(PJRT_Buffer_ReadyEvent_Args_STRUCT_SIZE);
  ready.buffer = y.get();
  Must(Api().PJRT_Buffer_ReadyEvent, ready);
  const Owned<PJRT_Event> event(ready.event);
  std::atomic<bool> called = false;
  auto args = Garbage<PJRT_Event_OnReady_Args>(PJRT_Event_OnReady_Args_STRUCT_SIZE);
  args.event = event.get();
  args.callback = [](PJRT_Error* error, void* user_arg) {
    EXPECT_TRUE(Take(error).ok());
    *static_cast<std::atomic<bool>*>(user_arg) = true;
  };
  args.user_arg = &called;
  Must(Api().PJRT_Event_OnReady, args);
  EXPECT_TRUE(Await(event.get()).ok());
  while (!called) std::this_thread::yield();
  Expect(y.get(), 2002);
}

void Exchange(Shared& shared, std::mt19937& random) {
  const float number = static_cast<float>(random() % 100);
  Owned<PJRT_Buffer> x = shared.Number(number);
  std::pair<float, Owned<PJRT_Buffer>> taken;
  {
    const std::lock_guard<std::mutex> lock(shared.mutex);
    shared.pool.emplace_back(number, std::move(x));
    std::swap(shared.pool[random() % shared.pool.size()], shared.pool.back());
    taken = std::move(shared.pool.back());
    shared.pool.pop_back();
    if (shared.pool.empty() || random() % 2 == 0)
      shared.pool.emplace_back(number + 3, std::move(Begin(shared.add.get(), shared.devices[0],
                                                           shared.Number(number).get())[0]));
    if (shared.pool.size() > 20) shared.pool.clear();
  }
  Expect(taken.second.get(), taken.first);
}

void RunTogether(Shared& shared, std::mt19937&) {
  const Owned<PJRT_Buffer> x = shared.Number(1, 0), y = shared.Number(2, 1);
  ExecutionOptions options;
  options.launch_id = shared.launches++;
  const Execution execution = Execute(shared.sum.get(), {{x.get()}, {y.get()}}, options);
  ASSERT_TRUE(execution.outcome.ok()) << execution.outcome;
  Expect(execution.outputs[0][0].get(), 3);
  Expect(execution.outputs[1][0].get(), 3);
}

void Fail(Shared& shared, std::mt19937&) {
  Owned<PJRT_LoadedExecutable> executable;
  EXPECT_FALSE(TryCompile(shared.client.get(), "no program", CompileOptions({0}), executable).ok());
  const Owned<PJRT_Buffer> x = Put(shared.client.get(), {1, 2});
  EXPECT_FALSE(Execute(shared.add.get(), {{x.get()}}).outcome.ok());
}

void SaveAndLoad(Shared& shared, std::mt19937&) {
  const Owned<PJRT_Executable> executable = ExecutableOf(shared.add.get());
  auto save = Garbage<PJRT_Executable_Serialize_Args>(PJRT_Executable_Serialize_Args_STRUCT_SIZE);
  save.executable = executable.get();
  Must(Api().PJRT_Executable_Serialize, save);
  auto load = Garbage<PJRT_Executable_DeserializeAndLoad_Args>(
      PJRT_Executable_DeserializeAndLoad_Args_STRUCT_SIZE);
  load.client = shared.client.get();
  load.serialized_executable = save.serialized_bytes;
  load.serialized_executable_size = save.serialized_bytes_size;
  load.overridden_serialized_compile_options = nullptr;
  load.overridden_serialized_compile_options_size = 0;
  Must(Api().PJRT_Executable_DeserializeAndLoad, load);
  save.serialized_executable_deleter(save.serialized_executable);
  const Owned<PJRT_LoadedExecutable> loaded(load.loaded_executable);
  const Owned<PJRT_Buffer> x = shared.Number(1);
  Expect(Begin(loaded.get(), shared.devices[0], x.get())[0].get(), 4);
}

using Action = void (*)(Shared&, std::mt19937&);
constexpr Action kActions[] = {
    CompileAndRun, DropWhileRunning, Chain, DonateWhileInUse, DeleteWhileInUse, Forget, CallBack,
    Exchange,      RunTogether,      Fail,  SaveAndLoad};

std::chrono::duration<double> Duration() {
  const char* const seconds = std::getenv("HILO_STRESS_SECONDS");
  return std::chrono::duration<double>(seconds == nullptr ? 1.5 : std::atof(seconds));
}

TEST(ThreadsTest, DoAnythingAtOnce) {
  Shared shared;
  const auto end = std::chrono::steady_clock::now() + Duration();
  std::atomic<int64_t> done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random(i);
      while (std::chrono::steady_clock::now() < end && !testing::Test::HasFailure()) {
        kActions[random() % std::size(kActions)](shared, random);
        ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  shared.pool.clear();
  RecordProperty("actions", std::to_string(done));
}

// Loops end at their next call of a library when their client goes.
TEST(ThreadsTest, ClientsGoWithLoopsInFlightThatNeverEnd) {
  Owned<PJRT_Client> client = NewClient(1);
  const std::vector<PJRT_Device*> devices = Devices(client.get());
  Owned<PJRT_LoadedExecutable> loop = Compile(client.get(), R"(
module @endless {
  func.func public @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %i, %y = stablehlo.while(%k = %zero, %s = %x) : tensor<i32>, tensor<64x64xf32>
    cond {
      %goes_on = stablehlo.compare GE, %k, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %goes_on : tensor<i1>
    } do {
      %next = stablehlo.subtract %one, %k : tensor<i32>
      %more = stablehlo.dot_general %s, %s, contracting_dims = [1] x [0]
          : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      stablehlo.return %next, %more : tensor<i32>, tensor<64x64xf32>
    }
    return %y : tensor<64x64xf32>
  }
})");
  const Owned<PJRT_Buffer> x =
      Put(client.get(), devices[0], PJRT_Buffer_Type_F32, std::vector<float>(64 * 64, 0), {64, 64});
  Begin(loop.get(), devices[0], x.get());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // so that it has begun
}

// The client goes while programs run that nobody waits for.
TEST(ThreadsTest, ClientsGoWithWorkInFlight) {
  for (int i = 0; i < 10; ++i) {
    Owned<PJRT_Client> client = NewClient(1);
    const std::vector<PJRT_Device*> devices = Devices(client.get());
    Owned<PJRT_LoadedExecutable> loop = Compile(client.get(), LoopProgram(20000));
    Owned<PJRT_Buffer> x = Put(client.get(), std::vector<float>(kSize, 0));
    for (int k = 0; k < 8; ++k) {
      std::vector<Owned<PJRT_Buffer>> results = Begin(loop.get(), devices[0], x.get());
      if (k % 2 == 0) x = std::move(results[0]);
    }
    x.reset();
    loop.reset();
  }
}

}  // namespace
}  // namespace hilo_pjrt_test
