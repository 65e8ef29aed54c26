// What users see of compiles: options, a line for each, files, the cache, places in their source.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "gmock/gmock.h"
#include "tests/pjrt_c/plugin.h"

namespace hilo_pjrt_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The lines are those of a program in another language.
constexpr char kSquare[] = R"(
#line = loc("model.py":7:3)
module @square {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = stablehlo.multiply %x, %x : tensor<4xf32> loc(#line)
    return %y : tensor<4xf32> loc(#line)
  }
})";

std::string CallOf(const std::string& target) {
  return R"(
module @caller {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = stablehlo.custom_call @)" +
         target + R"((%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32> loc(#call)
    return %y : tensor<4xf32>
  }
}
#call = loc("jit(f)/call"(callsite("g"("layer.py":12:5) at "f"("model.py":3:1)))))";
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

class InsightTest : public testing::Test {
 protected:
  InsightTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("hilo_insight_" + std::to_string(getpid()))) {}
  ~InsightTest() override {
    unsetenv("HILO_FLAGS");
    unsetenv("HILO_LOG");
    NewClient({Option("cache_dir", "")});
    std::filesystem::remove_all(folder_);
  }

  std::string Folder(const std::string& name) { return (folder_ / name).string(); }

  // What a compile writes to stderr.
  std::string LogOf(PJRT_Client* client, const std::string& program) {
    testing::internal::CaptureStderr();
    const Owned<PJRT_LoadedExecutable> executable = Compile(client, program);
    const std::string log = testing::internal::GetCapturedStderr();
    if (executable != nullptr) {
      const Owned<PJRT_Buffer> x = Put(client, {1, 2, 3, 4});
      EXPECT_EQ(Get<float>(RunOnce(executable.get(), {x.get()})[0].get()),
                (std::vector<float>{1, 4, 9, 16}));
    }
    return log;
  }

  const std::filesystem::path folder_;
};

std::string MessageOfCreate(const std::vector<PJRT_NamedValue>& options) {
  auto args = Garbage<PJRT_Client_Create_Args>(PJRT_Client_Create_Args_STRUCT_SIZE);
  args.create_options = options.data();
  args.num_options = options.size();
  const Outcome outcome = Take(Api().PJRT_Client_Create(&args));
  EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  return outcome.message;
}

TEST_F(InsightTest, UnknownOptionsNameTheKnownOnes) {
  const std::string message = MessageOfCreate({Option("treads", int64_t{2})});
  EXPECT_THAT(message, HasSubstr("treads"));
  for (const char* name : {"cpu_device_count", "threads", "cache_dir", "dump_to", "log",
                           "asynchronous", "platform_name"})
    EXPECT_THAT(message, HasSubstr(name));
}

TEST_F(InsightTest, FlagsOfTheEnvironmentAreOptions) {
  setenv("HILO_FLAGS", "cpu_device_count=3  --platform_name=other", 1);
  const Owned<PJRT_Client> client = NewClient(std::vector<PJRT_NamedValue>());
  EXPECT_EQ(Devices(client.get()).size(), 3u);
  // What the caller says goes before.
  EXPECT_EQ(Devices(NewClient(2).get()).size(), 2u);
  setenv("HILO_FLAGS", "cpu_device_count", 1);
  EXPECT_THAT(MessageOfCreate({}), HasSubstr("HILO_FLAGS: cpu_device_count has no value"));
  setenv("HILO_FLAGS", "colour=green", 1);
  EXPECT_THAT(MessageOfCreate({}), HasSubstr("HILO_FLAGS: there is no option colour"));
  unsetenv("HILO_FLAGS");
  setenv("HILO_LOG", "everything", 1);
  EXPECT_THAT(MessageOfCreate({}), HasSubstr("HILO_LOG: "));
}

TEST_F(InsightTest, LogsALineForEachCompile) {
  EXPECT_EQ(LogOf(NewClient().get(), kSquare), "");
  setenv("HILO_LOG", "compile", 1);
  EXPECT_THAT(LogOf(NewClient().get(), kSquare),
              testing::ContainsRegex("^hilo: compiled square: 2 instructions, [0-9.]+ ms\n$"));
  unsetenv("HILO_LOG");
  EXPECT_THAT(LogOf(NewClient({Option("log", "compile")}).get(), kSquare),
              HasSubstr("hilo: compiled square"));
}

TEST_F(InsightTest, KeepsCompiledProgramsForOtherRuns) {
  const Owned<PJRT_Client> client =
      NewClient({Option("cache_dir", Folder("cache").c_str()), Option("log", "compile")});
  EXPECT_THAT(LogOf(client.get(), kSquare), Not(HasSubstr("cached")));
  EXPECT_THAT(LogOf(client.get(), kSquare), HasSubstr("cached"));
  // The same program from another line of its source.
  std::string moved = kSquare;
  moved.replace(moved.find("7:3"), 3, "8:3");
  EXPECT_THAT(LogOf(client.get(), moved), HasSubstr("cached"));

  // What is damaged is compiled anew, and replaced.
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(Folder("cache"))) {
    EXPECT_TRUE(file.empty());
    file = entry.path();
  }
  const std::string whole = Read(file);
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), std::string(),
                                     whole + "more", std::string(whole.size(), 'x')}) {
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_THAT(LogOf(client.get(), kSquare), Not(HasSubstr("cached")));
    EXPECT_THAT(LogOf(client.get(), kSquare), HasSubstr("cached"));
  }
  NewClient({Option("cache_dir", "")});
  EXPECT_THAT(LogOf(client.get(), kSquare), Not(HasSubstr("cached")));
}

TEST_F(InsightTest, ManyMayWriteTheCacheAtOnce) {
  const Owned<PJRT_Client> client = NewClient({Option("cache_dir", Folder("cache").c_str())});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        const Owned<PJRT_LoadedExecutable> executable = Compile(client.get(), kSquare);
        const Owned<PJRT_Buffer> x = Put(client.get(), {3});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // No file of a write that has not come to its end is left.
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(Folder("cache"))) {
    EXPECT_EQ(entry.path().extension(), ".hilo");
    ++files;
  }
  EXPECT_EQ(files, 1);
}

TEST_F(InsightTest, ACacheThatCannotBeWrittenIsDoneWithout) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "file") << "no folder";
  const Owned<PJRT_Client> client =
      NewClient({Option("cache_dir", Folder("file/cache").c_str()), Option("log", "compile")});
  EXPECT_THAT(LogOf(client.get(), kSquare), Not(HasSubstr("cached")));
}

TEST_F(InsightTest, DumpsHaveAllForms) {
  const Owned<PJRT_Client> client = NewClient({Option("dump_to", Folder("dump").c_str())});
  LogOf(client.get(), kSquare);
  EXPECT_EQ(Read(Folder("dump/square.mlir")), kSquare);
  EXPECT_THAT(Read(Folder("dump/square.00.input.hlo")), HasSubstr("model.py"));
  EXPECT_THAT(Read(Folder("dump/square.output.hlo")), HasSubstr("multiply"));
  EXPECT_THAT(Read(Folder("dump/square.plan.txt")), HasSubstr("from model.py:7"));
  for (const char* end : {"ll", "o"})
    EXPECT_TRUE(std::filesystem::exists(Folder(std::string("dump/square.") + end)));
  // The next one of the name has files of its own.
  LogOf(client.get(), kSquare);
  EXPECT_EQ(Read(Folder("dump/square.2.mlir")), kSquare);
  EXPECT_TRUE(std::filesystem::exists(Folder("dump/square.2.plan.txt")));
}

TEST_F(InsightTest, DumpsThatCannotBeWrittenAreErrors) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "file") << "no folder";
  const Owned<PJRT_Client> client = NewClient({Option("dump_to", Folder("file/dump").c_str())});
  Owned<PJRT_LoadedExecutable> executable;
  const Outcome outcome = TryCompile(client.get(), kSquare, CompileOptions({0}), executable);
  EXPECT_THAT(outcome.message, HasSubstr("file/dump"));
}

TEST_F(InsightTest, WhatCannotBeReadIsDumped) {
  const Owned<PJRT_Client> client = NewClient({Option("dump_to", Folder("dump").c_str())});
  Owned<PJRT_LoadedExecutable> executable;
  const std::string bytes = "ML\xefR\x0d and no more";
  EXPECT_FALSE(TryCompile(client.get(), bytes, CompileOptions({0}), executable).ok());
  EXPECT_EQ(Read(Folder("dump/unreadable.mlirbc")), bytes);
}

TEST_F(InsightTest, ErrorsNameTheLineOfTheSource) {
  const Owned<PJRT_Client> client = NewClient();
  Owned<PJRT_LoadedExecutable> executable;
  const Outcome missing =
      TryCompile(client.get(), CallOf("no_such_function"), CompileOptions({0}), executable);
  EXPECT_THAT(missing.message, HasSubstr("no_such_function"));
  EXPECT_THAT(missing.message, HasSubstr("layer.py:12"));
  const std::string wrong = R"(
module @wrong {
  func.func public @main(%x: tensor<4xf32>) -> tensor<5xf32> {
    %y = "stablehlo.negate"(%x) : (tensor<4xf32>) -> tensor<5xf32> loc("model.py":9:1)
    return %y : tensor<5xf32>
  }
})";
  const Outcome outcome = TryCompile(client.get(), wrong, CompileOptions({0}), executable);
  EXPECT_THAT(outcome.message, HasSubstr("model.py:9"));
}

}  // namespace
}  // namespace hilo_pjrt_test
