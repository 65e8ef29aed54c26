// Topologies, as far as they do something, and compiling for them.
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "api/pjrt/cpu_client.h"
#include "base/device_names.h"
#include "base/status_macros.h"
#include "codegen/target.h"
#include "pjrt_c/error.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/options.h"
#include "pjrt_c/tables.h"
#include "pjrt_c/types.h"
#include "runtime/saved_program.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

constexpr char kTopologyMark[] = "hilo topology";

absl::StatusOr<std::unique_ptr<PJRT_TopologyDescription>> MakeTopology(
    const std::string& platform_name, const device_names::DeviceCounts& device_counts) {
  for (const auto& [process, count] : device_counts) {
    if (count < 1 || count > device_names::kMostDevices) {
      return InvalidArgument(
          "a topology of %d devices of process %d: each process must have between 1 and %d", count,
          process, device_names::kMostDevices);
    }
  }
  auto topology = std::make_unique<PJRT_TopologyDescription>(platform_name, device_counts);
  topology->topology = std::make_shared<CpuTopology>(std::string(CpuName()), device_counts);
  return topology;
}

// What makes it again, on one line for each fact: the platform, then processes with their devices.
std::string BytesOf(const PJRT_TopologyDescription& topology) {
  return absl::StrCat(kTopologyMark, "\n", topology.platform_name, "\n",
                      absl::StrJoin(topology.device_counts, " ", absl::PairFormatter(":")), "\n");
}

absl::StatusOr<device_names::DeviceCounts> ReadDeviceCounts(absl::string_view text) {
  device_names::DeviceCounts counts;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    const std::pair<absl::string_view, absl::string_view> entry = absl::StrSplit(word, ':');
    int process = 0, count = 0;
    if (!absl::SimpleAtoi(entry.first, &process) || process < 0 ||
        !absl::SimpleAtoi(entry.second, &count) || !counts.emplace(process, count).second)
      return InvalidArgument("these bytes are no serialised topology");
  }
  return counts;
}

absl::Status TopologyCreate(PJRT_TopologyDescription_Create_Args& args) {
  HILO_ASSIGN_OR_RETURN(const CreateOptions options,
                        ReadCreateOptions(args.create_options, args.num_options));
  device_names::DeviceCounts counts = {{options.process.value_or(0), options.device_count}};
  if (options.process_count > 1) {
    for (int process = 0; process < options.process_count; ++process)
      counts[process] = options.device_count;
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PJRT_TopologyDescription> topology,
                        MakeTopology(options.platform_name, counts));
  args.topology = topology.release();
  return absl::OkStatus();
}

absl::Status TopologySerialize(PJRT_TopologyDescription_Serialize_Args& args) {
  auto* const bytes = new std::string(BytesOf(*args.topology));
  SetText(*bytes, args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_topology = reinterpret_cast<PJRT_SerializedTopology*>(bytes);
  args.serialized_topology_deleter = [](PJRT_SerializedTopology* serialized) {
    delete reinterpret_cast<std::string*>(serialized);
  };
  return absl::OkStatus();
}

absl::Status TopologyDeserialize(PJRT_TopologyDescription_Deserialize_Args& args) {
  const std::vector<std::string> lines =
      absl::StrSplit(ToView(args.serialized_topology, args.serialized_topology_size), '\n');
  if (lines.size() != 4 || lines[0] != kTopologyMark)
    return InvalidArgument("these bytes are no serialised topology");
  HILO_ASSIGN_OR_RETURN(const device_names::DeviceCounts counts, ReadDeviceCounts(lines[2]));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PJRT_TopologyDescription> topology,
                        MakeTopology(lines[1], counts));
  args.topology = topology.release();
  return absl::OkStatus();
}

// Executables are for the processor that compiles them.
absl::Status TopologyFingerprint(PJRT_TopologyDescription_Fingerprint_Args& args) {
  std::string text = absl::StrCat(BytesOf(*args.topology), "\n", PlatformVersion());
  absl::StrAppend(&text, " ", absl::StrJoin(codegen::Target::Host().features, " "));
  args.fingerprint = runtime::Checksum(text);
  return absl::OkStatus();
}

absl::Status TopologyMakeCanonicalShape(
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args& args) {
  HILO_ASSIGN_OR_RETURN(const Shape shape,
                        ToShape(args.element_type, args.dims, args.num_dims, args.layout));
  const std::string bytes = shape.ToProto().SerializeAsString();
  char* const copy = new char[bytes.size() + 1];
  std::memcpy(copy, bytes.data(), bytes.size());
  args.serialized_shape = copy;
  args.serialized_shape_size = bytes.size();
  args.serialized_shape_deleter = [](const char* serialized) { delete[] serialized; };
  return absl::OkStatus();
}

absl::Status CompileForTopology(PJRT_Compile_Args& args) {
  Insight insight;
  if (args.client != nullptr) {
    insight = args.client->insight;
  } else {
    HILO_ASSIGN_OR_RETURN(const CreateOptions of_environment, ReadCreateOptions(nullptr, 0));
    insight = of_environment.insight;
  }
  const CompileLog log(insight);
  HILO_ASSIGN_OR_RETURN(
      CompileRequest request,
      ReadAndDump(*args.program, ToView(args.compile_options, args.compile_options_size), insight));
  const int64_t instructions = log.Count(request.computation);
  HILO_ASSIGN_OR_RETURN(
      std::shared_ptr<PjRtExecutable> executable,
      PjRtCompile(std::move(request.options), request.computation, *args.topology->topology,
                  args.client == nullptr ? nullptr : args.client->client.get()));
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<ExecutableRecord> record,
                        ExecutableRecord::Make(std::move(executable), std::move(request.facts)));
  log.Compiled(instructions, *record);
  args.executable = new PJRT_Executable{std::move(record)};
  return absl::OkStatus();
}

}  // namespace

void SetTopologyFunctions(PJRT_Api& api) {
  api.PJRT_TopologyDescription_Create =
      Entry<TopologyCreate, PJRT_TopologyDescription_Create_Args_STRUCT_SIZE>;
  api.PJRT_TopologyDescription_Serialize =
      Entry<TopologySerialize, PJRT_TopologyDescription_Serialize_Args_STRUCT_SIZE>;
  api.PJRT_TopologyDescription_Deserialize =
      Entry<TopologyDeserialize, PJRT_TopologyDescription_Deserialize_Args_STRUCT_SIZE>;
  api.PJRT_TopologyDescription_Fingerprint =
      Entry<TopologyFingerprint, PJRT_TopologyDescription_Fingerprint_Args_STRUCT_SIZE>;
  api.PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace =
      Entry<TopologyMakeCanonicalShape,
            PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args_STRUCT_SIZE>;
  api.PJRT_Compile = Entry<CompileForTopology, PJRT_Compile_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
