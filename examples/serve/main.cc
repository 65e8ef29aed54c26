// Serves a model that JAX has exported: reads StableHLO, compiles it once and runs it from many
// threads, each with inputs of its own. There is no Python here.
//
//   python3 examples/jax/export_model.py model.mlirbc && build/bin/serve model.mlirbc
#include <atomic>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/translate/stablehlo.h"
#include "xla/literal_util.h"
#include "xla/pjrt/plugin/xla_cpu/xla_cpu_pjrt_client.h"
#include "xla/tsl/platform/errors.h"
#include "xla/tsl/platform/statusor.h"

namespace {

// The model, compiled, and the shapes of its inputs.
struct Model {
  std::unique_ptr<xla::PjRtClient> client;
  std::unique_ptr<xla::PjRtLoadedExecutable> executable;
  std::vector<xla::Shape> inputs;
};

absl::StatusOr<Model> Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError("there is no file " + path);
  std::ostringstream program;
  program << file.rdbuf();
  TF_ASSIGN_OR_RETURN(std::unique_ptr<xla::HloModule> module,
                      xla::ConvertStablehloToHlo(program.str()));
  Model model;
  model.inputs = module->entry_computation_layout().ComputeProgramShape().parameters();
  TF_ASSIGN_OR_RETURN(model.client, xla::GetXlaPjrtCpuClient(xla::CpuClientOptions()));
  TF_ASSIGN_OR_RETURN(model.executable,
                      model.client->CompileAndLoad(xla::XlaComputation(module->ToProto()),
                                                   xla::CompileOptions()));
  return model;
}

// One request: zeros for all inputs, up to the results on the host.
absl::Status Answer(const Model& model) {
  TF_ASSIGN_OR_RETURN(xla::PjRtMemorySpace* const memory,
                      model.client->addressable_devices()[0]->default_memory_space());
  std::vector<std::unique_ptr<xla::PjRtBuffer>> inputs;
  std::vector<xla::PjRtBuffer*> arguments;
  for (const xla::Shape& shape : model.inputs) {
    TF_ASSIGN_OR_RETURN(std::unique_ptr<xla::PjRtBuffer> input,
                        model.client->BufferFromHostLiteral(
                            xla::Literal::CreateFromShape(shape), memory));
    arguments.push_back(input.get());
    inputs.push_back(std::move(input));
  }
  TF_ASSIGN_OR_RETURN(auto results, model.executable->Execute({arguments}, {}));
  for (const std::unique_ptr<xla::PjRtBuffer>& result : results[0])
    TF_RETURN_IF_ERROR(result->ToLiteralSync().status());
  return absl::OkStatus();
}

int Serve(const Model& model, int threads, int requests) {
  std::atomic<int> left = requests, failed = 0;
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      while (left.fetch_sub(1) > 0) {
        if (!Answer(model).ok()) ++failed;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Serves a StableHLO program from many threads");
  std::string path;
  int threads = 8, requests = 1000;
  app.add_option("program", path, "a portable artifact or text")->required();
  app.add_option("--threads", threads, "threads that send requests");
  app.add_option("--requests", requests, "requests in all");
  CLI11_PARSE(app, argc, argv);
  absl::StatusOr<Model> model = Load(path);
  if (!model.ok()) {
    std::cerr << model.status() << "\n";
    return 1;
  }
  const int failed = Serve(*model, threads, requests);
  std::cout << requests - failed << " of " << requests << " requests answered\n";
  return failed == 0 ? 0 : 1;
}
