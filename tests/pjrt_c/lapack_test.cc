// Linear algebra, whose libraries the plug-in loads when a program needs them.
#include <dlfcn.h>

#include <cmath>
#include <filesystem>

#include "tests/pjrt_c/plugin.h"

namespace hilo_pjrt_test {
namespace {

constexpr int kSize = 64;

// Row by row; positive definite.
std::vector<float> Matrix() {
  std::vector<float> matrix(kSize * kSize);
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j)
      matrix[i * kSize + j] = 1.0f / (1 + i + j) + (i == j ? 1.0f : 0.0f);
  }
  return matrix;
}

TEST(Lapack, FactorisesByTheLibraryBesideThePlugin) {
  const Owned<PJRT_Client> client = NewClient();
  const Owned<PJRT_LoadedExecutable> executable = Compile(client.get(), R"(
module @factorise {
  func.func public @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %l = stablehlo.cholesky %a, lower = true : tensor<64x64xf32>
    return %l : tensor<64x64xf32>
  }
})");
  const std::vector<float> a = Matrix();
  const Owned<PJRT_Buffer> argument =
      Put(client.get(), Devices(client.get())[0], PJRT_Buffer_Type_F32, a, {kSize, kSize});
  const std::vector<float> l = Get<float>(RunOnce(executable.get(), {argument.get()})[0].get());
  ASSERT_EQ(l.size(), a.size());
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) {
      double sum = 0;
      for (int k = 0; k < kSize; ++k)
        sum += static_cast<double>(l[i * kSize + k]) * l[j * kSize + k];
      ASSERT_NEAR(sum, a[i * kSize + j], 1e-5) << i << ", " << j;
      if (j > i) ASSERT_EQ(l[i * kSize + j], 0);
    }
  }
  const std::filesystem::path library =
      std::filesystem::path(HILO_PJRT_LIBRARY).parent_path() / "libhilo_lapack_module.so";
  if (!std::filesystem::exists(library)) GTEST_SKIP() << "built without BLAS and LAPACK";
  EXPECT_NE(dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr) << library;
}

}  // namespace
}  // namespace hilo_pjrt_test
