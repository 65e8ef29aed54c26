// Passes of callers: they change what is compiled while they are registered.
#include <cmath>
#include <string>

#include "tests/pjrt_c/plugin.h"
#include "xla/pjrt/c/pjrt_c_api_xla_transform_extension.h"

namespace hilo_pjrt_test {
namespace {

constexpr char kCeil[] = R"(
module @ceil {
  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = stablehlo.ceil %x : tensor<2xf32>
    return %y : tensor<2xf32>
  }
})";

const PJRT_Xla_Transform_Extension& Transforms() {
  return *reinterpret_cast<const PJRT_Xla_Transform_Extension*>(
      Extension(PJRT_Extension_Type_XlaTransform));
}

// The callbacks come first, so that their address is that of the whole.
struct CeilToSine {
  PJRT_XlaTransform_Callbacks callbacks = {PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION, Destroy,
                                           Transform};
  std::string bytes;
  int calls = 0, cleanups = 0;
  bool fails = false, is_destroyed = false;

  static CeilToSine& Of(void* data) { return *static_cast<CeilToSine*>(data); }
  static void Destroy(PJRT_XlaTransform_Callbacks* data) { Of(data).is_destroyed = true; }
  static void Transform(PJRT_XlaTransform_Callbacks* data, PJRT_XlaTransform_Args* args) {
    CeilToSine& self = Of(data);
    ++self.calls;
    args->header.data = &self;
    args->header.cleanup_fn = [](void* user) { ++Of(user).cleanups; };
    if (self.fails) {
      args->header.has_error = true;
      args->header.code = PJRT_Error_Code_DATA_LOSS;
      args->header.error_msg = {"cannot do it", 12};
      return;
    }
    // Field 2 of an instruction is the name of its operation.
    self.bytes = std::string(args->hlo_module.data, args->hlo_module.size);
    const size_t place = self.bytes.find(
        "\x12\x04"
        "ceil");
    args->changed = place != std::string::npos;
    if (!args->changed) return;
    self.bytes.replace(place, 6,
                       "\x12\x04"
                       "sine");
    args->transformed_hlo_module = {self.bytes.data(), self.bytes.size()};
  }
};

Outcome Register(CeilToSine& transform, const std::string& name, int stage) {
  auto args =
      Garbage<PJRT_Register_Xla_Transform_Args>(PJRT_Register_Xla_Transform_Args_STRUCT_SIZE);
  args.name = name.data();
  args.name_size = name.size();
  args.stage = static_cast<PJRT_XlaTransform_PipelineStage>(stage);
  args.callbacks = &transform.callbacks;
  return Take(Transforms().register_xla_transform(&args));
}

bool Clear(const std::string& name, int stage) {
  auto args = Garbage<PJRT_Clear_Xla_Transform_Args>(PJRT_Clear_Xla_Transform_Args_STRUCT_SIZE);
  args.name = name.data();
  args.name_size = name.size();
  args.stage = static_cast<PJRT_XlaTransform_PipelineStage>(stage);
  args.callbacks = nullptr;
  Must(Transforms().clear_xla_transform, args);
  return args.cleared;
}

std::vector<float> RunCeil(PJRT_Client* client) {
  const Owned<PJRT_LoadedExecutable> executable = Compile(client, kCeil);
  const Owned<PJRT_Buffer> argument = Put(client, {0.5f, 1.5f});
  return Get<float>(RunOnce(executable.get(), {argument.get()})[0].get());
}

TEST(TransformsTest, ChangeWhatIsCompiled) {
  const Owned<PJRT_Client> client = NewClient();
  const std::vector<float> ceil = {1, 2};
  for (int stage : {0, 1}) {
    CeilToSine transform;
    ASSERT_TRUE(Register(transform, "ceil to sine", stage).ok());
    const std::vector<float> sine = RunCeil(client.get());
    EXPECT_NEAR(sine[0], std::sin(0.5f), 1e-6);
    EXPECT_NEAR(sine[1], std::sin(1.5f), 1e-6);
    EXPECT_EQ(transform.calls, 1);
    EXPECT_EQ(transform.cleanups, 1);
    EXPECT_FALSE(Clear("another", stage));
    EXPECT_FALSE(Clear("ceil to sine", 1 - stage));
    EXPECT_FALSE(transform.is_destroyed);
    EXPECT_TRUE(Clear("ceil to sine", stage));
    EXPECT_TRUE(transform.is_destroyed);
    EXPECT_FALSE(Clear("ceil to sine", stage));
    EXPECT_EQ(RunCeil(client.get()), ceil);
    EXPECT_EQ(transform.calls, 1);
  }
}

TEST(TransformsTest, ErrorsAreThoseOfTheCompile) {
  const Owned<PJRT_Client> client = NewClient();
  CeilToSine transform;
  transform.fails = true;
  ASSERT_TRUE(Register(transform, "unable", 0).ok());
  Owned<PJRT_LoadedExecutable> executable;
  const Outcome outcome = TryCompile(client.get(), kCeil, CompileOptions({0}), executable);
  EXPECT_TRUE(Clear("unable", 0));
  EXPECT_EQ(outcome.code, PJRT_Error_Code_DATA_LOSS);
  EXPECT_NE(outcome.message.find("the transform unable: cannot do it"), std::string::npos)
      << outcome;
  EXPECT_EQ(transform.cleanups, 1);
}

TEST(TransformsTest, AreRefused) {
  CeilToSine transform;
  EXPECT_EQ(Register(transform, "of no stage", 2).code, PJRT_Error_Code_INVALID_ARGUMENT);
  transform.callbacks.version = 7;
  EXPECT_EQ(Register(transform, "of another version", 0).code, PJRT_Error_Code_INVALID_ARGUMENT);
  transform.callbacks.version = PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION;
  transform.callbacks.transform_hlo_module = nullptr;
  EXPECT_EQ(Register(transform, "without a function", 0).code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_FALSE(transform.is_destroyed);
}

}  // namespace
}  // namespace hilo_pjrt_test
