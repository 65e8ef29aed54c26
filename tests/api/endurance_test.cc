// Many executions of one program from many threads through the local client: none fails, and no
// memory of the device is left behind.
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/repetitions.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr int kThreads = 64;

int64_t BytesInUse(LocalClient& client) {
  return client.backend().default_stream_executor()->GetAllocatorStats()->bytes_in_use;
}

TEST(LocalClientEnduranceTest, ManyThreads) {
  LocalClient* const client = ClientLibrary::LocalClientOrDie();
  XlaBuilder builder("add");
  const Shape shape = ShapeUtil::MakeShape(F32, {4});
  Add(Parameter(&builder, 0, shape, "x"), Parameter(&builder, 1, shape, "y"));
  const std::unique_ptr<LocalExecutable> executable =
      std::move(client->Compile(builder.Build().value(), {&shape, &shape}, ExecutableBuildOptions())
                    .value()[0]);
  const ScopedShapedBuffer x =
      client->LiteralToShapedBuffer(LiteralUtil::CreateR1<float>({0, 1, 2, 3}), 0).value();
  const std::vector<const ShapedBuffer*> arguments = {&x, &x};
  const int64_t bytes = BytesInUse(*client);
  const int64_t each = (Repetitions("HILO_TEST_EXECUTIONS", 10000) + kThreads - 1) / kThreads;
  std::atomic<int> wrong = 0;
  // Two of three do not wait for their runs, one of these drops the result at once.
  const auto run = [&](int64_t i) {
    absl::StatusOr<ScopedShapedBuffer> sum =
        i % 3 == 0 ? executable->Run(arguments, ExecutableRunOptions())
                   : executable->RunAsync(arguments, ExecutableRunOptions());
    wrong += !sum.ok();
    if (!sum.ok() || i % 3 == 2) return;
    const absl::StatusOr<Literal> literal = client->ShapedBufferToLiteral(*sum);
    wrong += !literal.ok() || literal->Get<float>({3}) != 6;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&run, each] {
      for (int64_t i = 0; i < each; ++i) run(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(BytesInUse(*client), bytes);
}

}  // namespace
}  // namespace xla
