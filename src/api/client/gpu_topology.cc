#include "xla/service/gpu_topology.h"

#include "xla/util.h"

namespace xla {

GpuTopologyProto GpuTopology::ToProto() const {
  GpuTopologyProto proto;
  proto.set_platform_version(platform_version_);
  proto.set_num_partitions(num_partitions_);
  proto.set_num_hosts_per_partition(num_hosts_per_partition_);
  proto.set_num_devices_per_host(num_devices_per_host_);
  return proto;
}

absl::StatusOr<GpuTopology> GpuTopology::FromProto(const GpuTopologyProto& proto) {
  if (proto.num_partitions() < 0 || proto.num_hosts_per_partition() < 0 ||
      proto.num_devices_per_host() < 0)
    return InvalidArgument("a topology has negative numbers: %s", proto.ShortDebugString());
  return GpuTopology(proto.platform_version(), proto.num_partitions(),
                     proto.num_hosts_per_partition(), proto.num_devices_per_host());
}

}  // namespace xla
