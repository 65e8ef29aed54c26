// Callers may have told their thread to round elsewhere and to take subnormal numbers for zeros.
#include "base/float_environment.h"

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "api/backend.h"
#include "codegen/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

// 0.5 of f4e2m1fn is subnormal there and must not be lost. The folded sum is the compiler's work,
// `sum` that of threads besides the caller's.
constexpr char kProgram[] = R"(
HloModule m
ENTRY e {
  small = f4e2m1fn[3] parameter(0)
  roots = f4e2m1fn[3] rsqrt(small)
  tiny = f32[300000] parameter(1)
  sum = f32[300000] add(tiny, tiny)
  least = f32[] constant(1e-45)
  folded = f32[] add(least, least)
  third = f32[300000] divide(tiny, sum)
  ROOT t = (f4e2m1fn[3], f32[300000], f32[], f32[300000]) tuple(roots, sum, folded, third)
})";

class ForeignFloatEnvironment {
 public:
  ForeignFloatEnvironment() {
    std::fegetenv(&before_);
    std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
    // Flush to zero, and denormals are zeros.
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined(__aarch64__)
    uint64_t word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    asm volatile("msr fpcr, %0" : : "r"(word | (uint64_t{1} << 24)));
#endif
  }
  ~ForeignFloatEnvironment() { std::fesetenv(&before_); }

  static bool IsThere() {
    const volatile float least = std::numeric_limits<float>::denorm_min();
    return std::fegetround() == FE_UPWARD && least * 2 == 0;
  }

 private:
  std::fenv_t before_;
};

Literal RunOn(ExecutionBackend& backend, bool keeps_subnormals = false) {
  Literal small = LiteralUtil::CreateR1<tsl::float4_e2m1fn>(
      {tsl::float4_e2m1fn(0.5f), tsl::float4_e2m1fn(1.0f), tsl::float4_e2m1fn(4.0f)});
  Literal tiny = LiteralUtil::CreateFullWithDescendingLayout<float>({300000}, 3e-45f);
  std::unique_ptr<HloModule> module = ParseAndReturnUnverifiedModule(kProgram).value();
  if (keeps_subnormals) {
    DebugOptions& options = module->mutable_config().mutable_debug_options();
    (*options.mutable_xla_backend_extra_options())[codegen::kSubnormalsOption] = "kept";
  }
  return backend.Compile(std::move(module)).value()->Run({&small, &tiny}).value();
}

TEST(FloatEnvironmentTest, ResultsDoNotDependOnTheCallers) {
  for (const std::string& name : BackendNames()) {
    SCOPED_TRACE(name);
    ExecutionBackend& backend = *FindBackend(name).value();
    Literal wanted = RunOn(backend);
    EXPECT_EQ(wanted.Get<float>({}, {2}), 3e-45f);
    const bool is_flushed = name == "cpu";  // while it runs
    EXPECT_EQ(wanted.Get<float>({0}, {1}), is_flushed ? 0 : 6e-45f);
    EXPECT_EQ(wanted.Get<float>({299999}, {1}), is_flushed ? 0 : 6e-45f);
    EXPECT_EQ(std::isnan(wanted.Get<float>({299999}, {3})), is_flushed);
    EXPECT_EQ(static_cast<float>(wanted.Get<tsl::float4_e2m1fn>({0}, {0})), 1.5f);
    Literal found;
    {
      const ForeignFloatEnvironment foreign;
      if (!ForeignFloatEnvironment::IsThere()) GTEST_SKIP() << "This machine has no other";
      found = RunOn(backend);
      EXPECT_TRUE(ForeignFloatEnvironment::IsThere());
    }
    EXPECT_EQ(found, wanted);
  }
}

TEST(FloatEnvironmentTest, SubnormalNumbersMayBeKept) {
  for (const std::string& name : BackendNames()) {
    SCOPED_TRACE(name);
    const Literal found = RunOn(*FindBackend(name).value(), /*keeps_subnormals=*/true);
    EXPECT_EQ(found.Get<float>({0}, {1}), 6e-45f);
    EXPECT_EQ(found.Get<float>({299999}, {1}), 6e-45f);
    EXPECT_EQ(found.Get<float>({299999}, {3}), 0.5f);
  }
}

TEST(FloatEnvironmentTest, OtherWordsThanKeptAreErrors) {
  DebugOptions options;
  (*options.mutable_xla_backend_extra_options())[codegen::kSubnormalsOption] = "some";
  const absl::StatusOr<bool> keeps = codegen::KeepsSubnormals(options);
  EXPECT_EQ(keeps.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(keeps.status().message()), testing::HasSubstr("hilo_subnormals"));
}

}  // namespace
}  // namespace xla
