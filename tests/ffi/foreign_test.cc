// A handler compiled against the header that comes with jaxlib, where that is found: in the folder
// HILO_JAXLIB_INCLUDE of the environment, or where python3 finds jaxlib.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/ffi/run.h"
#include "xla/ffi/ffi_api.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char part[256];
  while (fgets(part, sizeof(part), pipe) != nullptr) output += part;
  pclose(pipe);
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

std::string FindHeaders() {
  if (const char* folder = std::getenv("HILO_JAXLIB_INCLUDE")) return folder;
  return OutputOf(
      "python3 -c 'import importlib.util, os; "
      "s = importlib.util.find_spec(\"jaxlib\"); "
      "print(os.path.join(os.path.dirname(s.origin), \"include\") if s else \"\")' 2>/dev/null");
}

// The library with the handlers; null where it cannot be made.
void* Library() {
  static void* const library = []() -> void* {
    const std::string headers = FindHeaders();
    if (headers.empty() || !std::filesystem::exists(headers + "/xla/ffi/api/ffi.h")) return nullptr;
    const std::string file = ::testing::TempDir() + "/hilo_foreign_handlers.so";
    const std::string command = std::string(HILO_CXX) + " -std=c++17 -shared -fPIC -I" + headers +
                                " " + HILO_SOURCE_DIR + "/tests/ffi/foreign/handlers.cc -o " + file;
    if (std::system(command.c_str()) != 0) return nullptr;
    return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  }();
  return library;
}

template <typename Function>
Function* Find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(Library(), name));
}

// Registered once, by the way of the table, as the header does it.
absl::Status Register() {
  static const absl::Status status = [] {
    const XLA_FFI_Api* const api = ffi::GetXlaFfiApi();
    const std::string type = "foreign.total", name = "foreign.scale";
    XLA_FFI_Type_Register_Args type_args = {XLA_FFI_Type_Register_Args_STRUCT_SIZE,
                                            nullptr,
                                            {type.data(), type.size()},
                                            Find<XLA_FFI_TypeId*()>("ForeignTypeId")(),
                                            Find<const XLA_FFI_TypeInfo*()>("ForeignTypeInfo")()};
    absl::Status result = ffi::TakeStatus(api->XLA_FFI_Type_Register(&type_args));
    if (!result.ok()) return result;
    XLA_FFI_Handler_Bundle bundle = {};
    bundle.instantiate = Find<XLA_FFI_Handler>("ForeignInstantiate");
    bundle.execute = Find<XLA_FFI_Handler>("ForeignExecute");
    result = ffi::RegisterHandler(api, name, "cpu", bundle);
    if (!result.ok()) return result;
    XLA_FFI_Handler_Bundle throws = {};
    throws.execute = Find<XLA_FFI_Handler>("ForeignThrow");
    return ffi::RegisterHandler(api, "foreign.throw", "cpu", throws);
  }();
  return status;
}

class Foreign : public BackEndTest {
 protected:
  void SetUp() override {
    if (Library() == nullptr) {
      GTEST_SKIP()
          << "jaxlib's headers were not found, or nothing could be compiled with them: set "
             "HILO_JAXLIB_INCLUDE to their folder";
    }
    ASSERT_TRUE(Register().ok()) << Register();
  }
};
HILO_ON_BOTH_BACK_ENDS(Foreign);

std::string Scale(const std::string& mode) {
  return Module("(f32[3], s64[])", {"f32[3]"}, "foreign.scale",
                "{factor = 2.0 : f32, mode = \"" + mode + "\", sizes = array<i64: 1, 2>}");
}

TEST_P(Foreign, HandlersRun) {
  absl::StatusOr<std::unique_ptr<CompiledModule>> module = Compile(GetParam(), Scale("run"));
  ASSERT_TRUE(module.ok()) << module.status();
  const Literal x = LiteralUtil::CreateR1<float>({1, 2, 3});
  for (int64_t call = 1; call <= 3; ++call) {
    absl::StatusOr<Literal> result = (*module)->Run({&x});
    ASSERT_TRUE(result.ok()) << result.status();
    std::vector<Literal> parts = result->DecomposeTuple();
    EXPECT_EQ(parts[0], LiteralUtil::CreateR1<float>({2, 4, 6}));
    EXPECT_EQ(parts[1].Get<int64_t>({}), call);
  }
}

TEST_P(Foreign, TheirErrorsAreStatuses) {
  std::vector<Literal> arguments;
  arguments.push_back(LiteralUtil::CreateR1<float>({1, 2, 3}));
  absl::Status status = RunOn(GetParam(), Scale("fail"), arguments).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(status.message(), HasSubstr("custom-call call: it was to fail"));
  status = RunOn(GetParam(), Module("f32[]", {}, "foreign.throw")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  status = RunOn(GetParam(), Module("f32[]", {}, "foreign.scale")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace xla
