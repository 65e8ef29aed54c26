// A counter that stays where it is: its memory is donated to each step, which writes the next value
// there. Nothing is waited for until somebody looks.
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/literal_util.h"
#include "xla/pjrt/plugin/xla_cpu/xla_cpu_pjrt_client.h"
#include "xla/tsl/platform/errors.h"
#include "xla/tsl/platform/statusor.h"

namespace {

absl::StatusOr<xla::XlaComputation> Increment() {
  xla::XlaBuilder builder("increment");
  const xla::Shape shape = xla::ShapeUtil::MakeShape(xla::F32, {10});
  xla::Add(xla::Parameter(&builder, 0, shape, "counters"), xla::ConstantR0<float>(&builder, 1));
  builder.SetUpAlias({}, 0, {});
  return builder.Build();
}

absl::Status Run() {
  TF_ASSIGN_OR_RETURN(std::unique_ptr<xla::PjRtClient> client,
                      xla::GetXlaPjrtCpuClient(xla::CpuClientOptions()));
  TF_ASSIGN_OR_RETURN(const xla::XlaComputation computation, Increment());
  TF_ASSIGN_OR_RETURN(std::unique_ptr<xla::PjRtLoadedExecutable> increment,
                      client->CompileAndLoad(computation, xla::CompileOptions()));
  TF_ASSIGN_OR_RETURN(xla::PjRtMemorySpace* const memory,
                      client->addressable_devices()[0]->default_memory_space());

  const xla::Literal first = xla::LiteralUtil::CreateR1<float>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  TF_ASSIGN_OR_RETURN(std::unique_ptr<xla::PjRtBuffer> counters,
                      client->BufferFromHostLiteral(first, memory));
  for (int step = 0; step < 1000; ++step) {
    TF_ASSIGN_OR_RETURN(auto results, increment->Execute({{counters.get()}}, {}));
    counters = std::move(results[0][0]);
  }
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<xla::Literal> value, counters->ToLiteralSync());
  std::cout << value->ToString() << "\n";
  TF_ASSIGN_OR_RETURN(const xla::CompiledMemoryStats stats, increment->GetCompiledMemoryStats());
  std::cout << stats.peak_memory_in_bytes << " bytes for the counters and their next values\n";
  return absl::OkStatus();
}

}  // namespace

int main() {
  const absl::Status status = Run();
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
