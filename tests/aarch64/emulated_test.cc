// Code for AArch64, compiled here, linked by a cross compiler and run under QEMU.
#include <stdlib.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/backend.h"
#include "api/cpu_backend.h"
#include "api/program_interface.h"
#include "base/status_macros.h"
#include "codegen/target.h"
#include "cpu/compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/program.h"
#include "tools/check_file.h"
#include "tools/compare_backends.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"
#include "xla/util.h"

namespace xla {
namespace {

constexpr char kTests[] = HILO_SOURCE_DIR "/tests/";
constexpr char kCompiler[] = "aarch64-linux-gnu-gcc", kEmulator[] = "qemu-aarch64-static";

bool IsInstalled(const char* command) {
  return std::system(absl::StrCat("command -v ", command, " >/dev/null").c_str()) == 0;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::string& path, absl::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<int64_t>(bytes.size()));
}

// A folder for as long as the process runs.
class Folder {
 public:
  static const Folder& Get() {
    static const Folder folder;
    return folder;
  }
  std::string File(absl::string_view name) const { return absl::StrCat(path_, "/", name); }
  // Internal, with what the command says, unless it succeeds.
  absl::Status Execute(absl::string_view command) const {
    const std::string messages = File("messages");
    if (std::system(absl::StrCat(command, " >", messages, " 2>&1").c_str()) == 0)
      return absl::OkStatus();
    return Internal("%s: %s", command, ReadFile(messages));
  }

 private:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "hilo-aarch64-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path_;
};

// What driver.c reads.
class Inputs {
 public:
  void Number(int64_t number) { Bytes(&number, sizeof number); }
  void Array(const void* data, int64_t bytes) {
    Number(bytes);
    Bytes(data, bytes);
  }
  const std::string& text() const { return text_; }

 private:
  void Bytes(const void* data, int64_t bytes) {
    if (bytes > 0) text_.append(static_cast<const char*>(data), static_cast<size_t>(bytes));
  }
  std::string text_;
};

class EmulatedModule : public CompiledModule {
 public:
  EmulatedModule(std::unique_ptr<HloModule> module, runtime::ProgramImage image)
      : module_(std::move(module)), interface_(*module_), image_(std::move(image)) {}

  static absl::Status Link(const runtime::ProgramImage& image) {
    std::string objects;
    for (const std::string& object : image.objects) {
      const std::string path = Folder::Get().File(absl::StrCat(objects.size(), ".o"));
      WriteFile(path, object);
      absl::StrAppend(&objects, " ", path);
    }
    const std::string driver = Folder::Get().File("driver.o");
    if (!std::filesystem::exists(driver)) {
      HILO_RETURN_IF_ERROR(Folder::Get().Execute(
          absl::StrCat(kCompiler, " -O1 -c ", kTests, "aarch64/driver.c -o ", driver)));
    }
    return Folder::Get().Execute(absl::StrCat(kCompiler, " -static ", driver, objects, " -lm -o ",
                                              Folder::Get().File("program")));
  }

  const HloModule& module() const override { return *module_; }
  const ProgramInterface& interface() const override { return interface_; }
  Traits traits() const override { return TraitsOf(*module_); }

  absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments,
                              const RunContext& context) override {
    Inputs inputs;
    inputs.Number(image_.arena_bytes);
    inputs.Number(static_cast<int64_t>(image_.constant_offsets.size()));
    for (int64_t offset : image_.constant_offsets)
      inputs.Array(image_.constants.get() + offset, image_.constant_bytes - offset);
    inputs.Number(static_cast<int64_t>(image_.parameter_bytes.size()));
    size_t next = 0;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Literal held = arguments[i]->Relayout(interface_.parameters[i].held);
      for (const ShapeIndex& leaf : interface_.parameters[i].leaves)
        inputs.Array(held.untyped_data(leaf), image_.parameter_bytes[next++]);
    }
    int64_t bytes_of_results = 0;
    inputs.Number(static_cast<int64_t>(image_.result_bytes.size()));
    for (int64_t bytes : image_.result_bytes) {
      inputs.Array(std::string(static_cast<size_t>(bytes), '\0').data(), bytes);
      bytes_of_results += bytes;
    }
    inputs.Number(static_cast<int64_t>(image_.lists.size()));
    for (const runtime::ListedArray& array : image_.lists) {
      inputs.Number(array.of);
      inputs.Number(array.number);
      inputs.Number(array.offset);
    }
    const Folder& folder = Folder::Get();
    WriteFile(folder.File("inputs"), inputs.text());
    HILO_RETURN_IF_ERROR(
        folder.Execute(absl::StrCat("timeout 60 ", kEmulator, " ", folder.File("program"), " ",
                                    folder.File("inputs"), " ", folder.File("results"))));
    const std::string results = ReadFile(folder.File("results"));
    if (static_cast<int64_t>(results.size()) != bytes_of_results)
      return Internal("%d bytes of results instead of %d", results.size(), bytes_of_results);
    HILO_ASSIGN_OR_RETURN(Literal result, Literal::Make(interface_.result.held));
    const char* from = results.data();
    for (size_t i = 0; i < interface_.result.leaves.size(); ++i) {
      const ShapeIndex& leaf = interface_.result.leaves[i];
      const auto bytes = static_cast<size_t>(image_.result_bytes[i]);
      if (bytes > 0) std::memcpy(result.untyped_data(leaf), from, bytes);
      from += bytes;
    }
    return result.Relayout(*interface_.result.declared);
  }

  absl::Status RunOnMemory(absl::Span<const void* const> parameters,
                           absl::Span<void* const> results, const RunContext& context) override {
    return Unimplemented("RunOnMemory");
  }
  absl::StatusOr<std::vector<Literal>> RunReplicated(
      absl::Span<const std::vector<const Literal*>> arguments, int64_t replicas, int64_t partitions,
      const RunContext& context) override {
    return Unimplemented("RunReplicated");
  }

 private:
  const std::unique_ptr<HloModule> module_;
  const ProgramInterface interface_;
  const runtime::ProgramImage image_;
};

// Unimplemented for programs with library kernels and for those with dynamic sizes.
class EmulatedBackend : public ExecutionBackend {
 public:
  absl::string_view name() const override { return "aarch64"; }
  absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(
      std::unique_ptr<HloModule> module) override {
    HILO_RETURN_IF_ERROR(VerifyForCompiler(*module));
    DebugOptions& options = module->mutable_config().mutable_debug_options();
    (*options.mutable_xla_backend_extra_options())[codegen::kTargetOption] = "aarch64";
    HILO_ASSIGN_OR_RETURN(runtime::ProgramImage image, cpu::Compile(*module));
    const ProgramInterface interface(*module);
    if (!image.calls.empty() || interface.parameter_sizes != 0 ||
        !interface.result.dynamic_dimensions.empty()) {
      return Unimplemented("%s calls the library", module->name());
    }
    HILO_RETURN_IF_ERROR(EmulatedModule::Link(image));
    return std::make_unique<EmulatedModule>(std::move(module), std::move(image));
  }
};

// The cases of a file of self-checking modules that need no library kernels, on random inputs.
class EmulatedTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    for (const char* command : {kCompiler, kEmulator}) {
      if (!IsInstalled(command)) GTEST_SKIP() << command << " is not installed";
    }
    const auto module = ParseAndReturnUnverifiedModule("ENTRY e { ROOT x = f32[] parameter(0) }");
    const absl::Status status = EmulatedBackend().Compile(module.value()->Clone("")).status();
    // An LLVM that is linked statically knows its own machine only.
    if (absl::IsUnimplemented(status)) GTEST_SKIP() << status;
  }
};

TEST_P(EmulatedTest, GivesWhatTheHostGives) {
  constexpr int kMost = 4;
  const std::string path = absl::StrCat(kTests, GetParam(), ".hlo");
  int compared = 0;
  for (const CheckCase& check : SplitCheckFile(path, ReadFile(path))) {
    if (check.runs.empty() || !check.passes.empty() || compared == kMost) continue;
    const auto module = ParseAndReturnUnverifiedModule(check.text);
    ASSERT_TRUE(module.ok()) << module.status();
    // As the program that calls the code here does.
    DebugOptions& options = (*module)->mutable_config().mutable_debug_options();
    (*options.mutable_xla_backend_extra_options())[codegen::kSubnormalsOption] = "kept";
    EmulatedBackend backend;
    const BackendComparison comparison =
        CompareBackends(**module, backend, CpuBackend(), /*seed=*/1);
    EXPECT_NE(comparison.agreement, Agreement::kDiffer)
        << path << ":" << check.first_line << ": " << comparison.reason;
    if (comparison.agreement == Agreement::kAgree) ++compared;
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Files, EmulatedTest,
    ::testing::Values("ops/add", "ops/atan2", "ops/bitcast-convert", "ops/complex", "ops/convert",
                      "ops/count-leading-zeros", "ops/divide", "ops/dynamic-update-slice",
                      "ops/erf", "ops/exponential", "ops/gather", "ops/log", "ops/multiply",
                      "ops/pad", "ops/popcnt", "ops/power", "ops/reduce", "ops/reduce-precision",
                      "ops/reduce-window", "ops/remainder", "ops/round-nearest-even", "ops/scatter",
                      "ops/shift-right-arithmetic", "ops/tanh", "ops/transpose",
                      "cpu/element_types", "cpu/fusion", "cpu/reductions", "cpu/registers"),
    [](const auto& instance) {
      std::string name = instance.param;
      for (char& c : name) c = c == '/' || c == '-' ? '_' : c;
      return name;
    });

}  // namespace
}  // namespace xla
