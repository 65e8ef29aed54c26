// All-reduces of Hilo beside those of the engine, in turn, in the same processes:
//
//   hilo_distributed_benchmark [PROCESSES]            over Gloo, 2 processes by default
//   mpirun -n 2 hilo_distributed_benchmark            over MPI
//
// Prints times of one all-reduce, and of a bare message to the next process and from the one
// before.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "api/backend.h"
#include "bench/distributed/baseline.h"
#include "tools/divided_run.h"
#include "tools/process_run.h"
#include "tools/processes.h"
#include "tools/program_file.h"
#include "tools/stopwatch.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

constexpr absl::Duration kTimeout = absl::Minutes(2);

// So many all-reduces one after the other.
std::string ModuleText(int64_t elements, int64_t times, int processes) {
  std::string text = absl::Substitute(R"(
HloModule all_reduces, num_partitions=$1
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e {
  x0 = f32[$0] parameter(0)
)",
                                      elements, processes);
  for (int64_t i = 0; i < times; ++i) {
    absl::SubstituteAndAppend(&text,
                              "  x$1 = f32[$2] all-reduce(x$0), replica_groups=[1,$3]<=[$3], "
                              "channel_id=$1, use_global_device_ids=true, to_apply=add\n",
                              i, i + 1, elements, processes);
  }
  absl::SubstituteAndAppend(&text, "  ROOT first = f32[1] slice(x$0), slice={[0:1]}\n}\n", times);
  return text;
}

// Microseconds of the fastest of several runs, each of which does it `times` times.
class Fastest {
 public:
  explicit Fastest(int64_t times) : times_(static_cast<double>(times)) {}
  template <typename Function>
  void Time(const Function& function) {
    const Stopwatch clock;
    function();
    least_ = std::min(least_, clock.Milliseconds() * 1e3 / times_);
  }
  double least() const { return least_; }

 private:
  double times_;
  double least_ = 1e18;
};

void Measure(int64_t elements, int64_t times, runtime::ProcessGroup& group, Baseline& baseline) {
  auto module = ParseAndReturnUnverifiedModule(ModuleText(elements, times, group.size()));
  CHECK_OK(module.status());
  const auto program = DividedProgram::Compile(DefaultBackend(), *std::move(module), group.size());
  CHECK_OK(program.status());
  std::vector<Literal> inputs;
  inputs.push_back(Literal::CreateFromShape(ShapeUtil::MakeShape(F32, {elements})));
  const std::vector<std::vector<Literal>> parts = PartsOfProcess(*program, inputs, group);
  std::vector<float> data(elements);
  std::vector<char> sent(elements * sizeof(float)), received(sent.size());
  Fastest own(times), of_engine(times), message(times);
  for (int round = 0; round < 5; ++round) {
    own.Time([&] { CHECK_OK(RunOnProcesses(*program, parts, group, 0).status()); });
    of_engine.Time([&] {
      for (int64_t i = 0; i < times; ++i) baseline.AllReduce(data.data(), data.size());
    });
    message.Time([&] {
      for (int64_t i = 0; i < times; ++i)
        baseline.Exchange(sent.data(), received.data(), sent.size());
    });
  }
  if (group.rank() > 0) return;
  std::printf("%12lld bytes: %10.1f us, all-reduce of the engine %10.1f us, message %10.1f us\n",
              static_cast<long long>(elements * sizeof(float)), own.least(), of_engine.least(),
              message.least());
  std::fflush(stdout);
}

int Run(const ProcessPlace& place) {
  auto group = JoinProcesses(place, kTimeout);
  CHECK_OK(group.status());
  std::unique_ptr<Baseline> baseline;
#ifdef HILO_WITH_GLOO
  if (place.engine == "gloo") baseline = MakeGlooBaseline(place);
#endif
#ifdef HILO_WITH_MPI
  if (place.engine == "mpi") baseline = MakeMpiBaseline(place);
#endif
  CHECK(baseline != nullptr) << "built without " << place.engine;
  for (const int64_t elements :
       {2, 256, 4096, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24})
    Measure(elements, std::clamp<int64_t>((1 << 22) / elements, 4, 200), **group, *baseline);
  return 0;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  if (const auto place = xla::PlaceOfProcess()) return xla::Run(*place);
  const auto code = xla::StartProcesses(argc > 1 ? std::atoi(argv[1]) : 2, xla::kTimeout);
  CHECK_OK(code.status());
  return *code;
}
