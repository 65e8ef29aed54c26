// What the library does to the process that it is part of: memory that it keeps, settings of
// others.
#include <dlfcn.h>

#include <chrono>
#include <thread>

#include "api/cpu_backend.h"
#include "gtest/gtest.h"
#include "runtime/memory.h"
#include "xla/array2d.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"
#include "xla/service/trim_memory.h"

namespace xla {
namespace {

constexpr int64_t kBytes = 64 << 20;

void AllocateOnce(int64_t bytes) { ASSERT_TRUE(runtime::Allocate(bytes).ok()); }

TEST(MemoryTest, LargeBlocksAreKeptUntilTheyAreTrimmed) {
  TrimMemory();
  AllocateOnce(kBytes);
  AllocateOnce(kBytes);
  EXPECT_EQ(TrimMemory(), kBytes);
  EXPECT_EQ(TrimMemory(), 0);
}

TEST(MemoryTest, BlocksInUseStay) {
  TrimMemory();
  absl::StatusOr<runtime::Memory> memory = runtime::Allocate(kBytes);
  ASSERT_TRUE(memory.ok());
  memory->get()[kBytes - 1] = 1;
  EXPECT_EQ(TrimMemory(), 0);
  EXPECT_EQ(memory->get()[kBytes - 1], 1);
}

TEST(MemoryTest, BlocksThatNobodyAsksForGoWhileOthersComeAndGo) {
  TrimMemory();
  {
    const absl::StatusOr<runtime::Memory> one = runtime::Allocate(kBytes);
    const absl::StatusOr<runtime::Memory> other = runtime::Allocate(kBytes / 2);
    ASSERT_TRUE(one.ok() && other.ok());
  }
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    AllocateOnce(kBytes / 2);
  }
  EXPECT_EQ(TrimMemory(), kBytes / 2);
}

TEST(BlasTest, KeepsItsThreads) {
  const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (get == nullptr || set == nullptr) GTEST_SKIP() << "OpenBLAS is not linked";
  const auto module = ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e { a = f32[40,40] parameter(0)  ROOT l = f32[40,40] cholesky(a), lower=true })");
  absl::StatusOr<std::unique_ptr<CompiledModule>> program =
      CpuBackend().Compile(module->get()->Clone(""));
  if (!program.ok()) GTEST_SKIP() << program.status();
  Array2D<float> matrix(40, 40);
  for (int i = 0; i < 40; ++i) matrix(i, i) = 4;
  const Literal argument = LiteralUtil::CreateR2FromArray2D(matrix);
  set(3);
  const absl::StatusOr<Literal> factor = (*program)->Run({&argument});
  ASSERT_TRUE(factor.ok()) << factor.status();
  EXPECT_EQ(factor->Get<float>({39, 39}), 2);
  EXPECT_EQ(get(), 3);
}

}  // namespace
}  // namespace xla
