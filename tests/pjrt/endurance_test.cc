// Many executions from many threads: none fails, and nothing is left behind.
#include <atomic>
#include <thread>

#include "tests/pjrt/pjrt_testing.h"
#include "tests/repetitions.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr int kThreads = 64;

constexpr char kAdd[] = R"(
HloModule add
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)  ROOT z = f32[4] add(x, y) })";
// So large that it does not run on the thread that asks for it.
constexpr char kLarge[] = R"(
HloModule large, input_output_alias={ {}: 0 }
ENTRY e { x = f32[64,64] parameter(0)  y = f32[64,64] parameter(1)
  z = f32[64,64] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[64,64] tanh(z) })";

// Calls act(thread, i) from all threads, in all as often as the environment says.
template <typename Act>
void FromAllThreads(const Act& act) {
  const int64_t each = (Repetitions("HILO_TEST_EXECUTIONS", 20000) + kThreads - 1) / kThreads;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&act, t, each] {
      for (int64_t i = 0; i < each; ++i) act(t, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(PjRtEnduranceTest, SmallProgram) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, kAdd);
  const auto x = Put(*client, LiteralUtil::CreateR1<float>({0, 1, 2, 3}));
  const int64_t bytes = BytesInUse(*client);
  std::atomic<int> wrong = 0;
  FromAllThreads([&](int, int64_t i) {
    auto results = RunProgram(*executable, {x.get(), x.get()});
    if (!results.ok()) {
      ++wrong;
    } else if (i % 2 == 0) {  // the others are not waited for
      wrong += (*results)[0]->ToLiteralSync().value()->Get<float>({3}) != 6;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(BytesInUseInTheEnd(*client, bytes), bytes);
  EXPECT_GT(client->devices()[0]->GetAllocatorStats()->peak_bytes_in_use, bytes);
}

// Each thread feeds results to the next execution, which writes over them.
TEST(PjRtEnduranceTest, ResultsAreDonated) {
  const std::unique_ptr<PjRtClient> client = MakeClient(2);
  CompileOptions options;
  options.compile_portable_executable = true;
  const auto executable = client->CompileAndLoad(Parse(kLarge), options).value();
  Literal zeros(ShapeUtil::MakeShape(F32, {64, 64}));
  std::unique_ptr<PjRtBuffer> lent[2], state[kThreads];
  for (int d = 0; d < 2; ++d) lent[d] = Put(*client, zeros, d);
  for (int t = 0; t < kThreads; ++t) state[t] = Put(*client, zeros, t % 2);
  const int64_t bytes = BytesInUse(*client);
  std::atomic<int> wrong = 0;
  FromAllThreads([&](int t, int64_t i) {
    auto results = executable->ExecutePortable({state[t].get(), lent[t % 2].get()},
                                               client->devices()[t % 2], {});
    wrong += !results.ok();
    if (!results.ok()) return;
    state[t] = std::move((*results)[0]);
    if (i % 16 == 0) wrong += !state[t]->GetReadyFuture().Await().ok();
  });
  for (const auto& buffer : state) EXPECT_TRUE(buffer->ToLiteralSync().value()->IsAllFloat(0));
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(BytesInUseInTheEnd(*client, bytes), bytes);
}

}  // namespace
}  // namespace xla
