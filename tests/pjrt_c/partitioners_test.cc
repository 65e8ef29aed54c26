// Custom calls that callers divide among devices.
#include <string>

#include "gmock/gmock.h"
#include "tests/pjrt_c/plugin.h"
#include "xla/pjrt/c/pjrt_c_api_custom_partitioner_extension.h"

namespace hilo_pjrt_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Each of two devices has half of the argument and gets half of the result.
constexpr char kCall[] = R"(
module @calls attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
    %y = stablehlo.custom_call @divided(%x) {backend_config = "a key", mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
})";

constexpr char kOnParts[] = R"(
module @on_parts {
  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = func.call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
  func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = stablehlo.add %x, %x : tensor<2xf32>
    return %y : tensor<2xf32>
  }
})";

const PJRT_Custom_Partitioner_Extension& Partitioners() {
  return *reinterpret_cast<const PJRT_Custom_Partitioner_Extension*>(
      Extension(PJRT_Extension_Type_Custom_Partitioner));
}

// The callbacks come first, so that their address is that of the whole.
struct Doubler {
  JAX_CustomCallPartitioner_Callbacks callbacks = {PJRT_API_CUSTOM_PARTITIONER_EXTENSION_VERSION,
                                                   nullptr,
                                                   Destroy,
                                                   Partition,
                                                   nullptr,
                                                   nullptr,
                                                   true};
  std::string key, program = kOnParts;
  JAX_CustomCallPartitioner_string argument_sharding = {};
  int cleanups = 0;
  bool fails = false, is_destroyed = false;

  static Doubler& Of(void* data) { return *static_cast<Doubler*>(data); }
  static void Destroy(JAX_CustomCallPartitioner_Callbacks* data) { Of(data).is_destroyed = true; }
  static void Partition(JAX_CustomCallPartitioner_Callbacks* data,
                        JAX_CustomCallPartitioner_Partition_Args* args) {
    Doubler& self = Of(data);
    args->header.data = &self;
    args->header.cleanup_fn = [](void* user) { ++Of(user).cleanups; };
    if (self.fails) {
      args->header.has_error = true;
      args->header.code = PJRT_Error_Code_DATA_LOSS;
      args->header.error_msg = {"cannot do it", 12};
      return;
    }
    EXPECT_EQ(args->num_args, 1u);
    EXPECT_TRUE(args->op_args[0].has_sharding && args->op_result.has_sharding);
    self.key.assign(args->backend_config.data, args->backend_config.size);
    self.argument_sharding = args->op_args[0].sharding;
    args->args_sharding = &self.argument_sharding;
    args->result_sharding = args->op_result.sharding;
    args->mlir_module = {self.program.data(), self.program.size()};
  }
};

Outcome Register(JAX_CustomCallPartitioner_Callbacks* callbacks) {
  auto args = Garbage<PJRT_Register_Custom_Partitioner_Args>(
      PJRT_Register_Custom_Partitioner_Args_STRUCT_SIZE);
  args.name = "divided";
  args.name_size = 7;
  args.callbacks = callbacks;
  return Take(Partitioners().register_custom_partitioner(&args));
}

// With use_spmd_partitioning.
std::string Options() { return CompileOptions({0, 1}) + "\x1a\x02\x30\x01"; }

TEST(PartitionersTest, GiveWhatEachDeviceDoes) {
  const Owned<PJRT_Client> client = NewClient(2);
  Doubler doubler;
  ASSERT_TRUE(Register(&doubler.callbacks).ok());
  Owned<PJRT_LoadedExecutable> executable;
  const Outcome compiled = TryCompile(client.get(), kCall, Options(), executable);
  ASSERT_TRUE(compiled.ok()) << compiled;
  EXPECT_EQ(doubler.key, "a key");
  EXPECT_EQ(doubler.cleanups, 1);
  const Owned<PJRT_Buffer> first = Put(client.get(), {1, 2}), second = Put(client.get(), {3, 4}, 1);
  const Execution execution = Execute(executable.get(), {{first.get()}, {second.get()}});
  ASSERT_TRUE(execution.outcome.ok()) << execution.outcome;
  EXPECT_THAT(Get<float>(execution.outputs[0][0].get()), ElementsAre(2, 4));
  EXPECT_THAT(Get<float>(execution.outputs[1][0].get()), ElementsAre(6, 8));

  Doubler other;
  other.fails = true;
  ASSERT_TRUE(Register(&other.callbacks).ok());
  EXPECT_TRUE(doubler.is_destroyed);
  Outcome failed = TryCompile(client.get(), kCall, Options(), executable);
  EXPECT_EQ(failed.code, PJRT_Error_Code_DATA_LOSS);
  EXPECT_THAT(failed.message, HasSubstr("cannot do it"));
  EXPECT_EQ(other.cleanups, 1);

  Doubler last;
  last.program = "module @m { func.func public @main() { return } }";
  ASSERT_TRUE(Register(&last.callbacks).ok());
  failed = TryCompile(client.get(), kCall, Options(), executable);
  EXPECT_EQ(failed.code, PJRT_Error_Code_INVALID_ARGUMENT) << failed;
  // What stays registered lives as long as the process.
  ASSERT_TRUE(Register(&(new Doubler())->callbacks).ok());
}

TEST(PartitionersTest, MustHaveFunctions) {
  EXPECT_EQ(Register(nullptr).code, PJRT_Error_Code_INVALID_ARGUMENT);
  Doubler doubler;
  doubler.callbacks.version = 7;
  EXPECT_EQ(Register(&doubler.callbacks).code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_FALSE(doubler.is_destroyed);
}

}  // namespace
}  // namespace hilo_pjrt_test
