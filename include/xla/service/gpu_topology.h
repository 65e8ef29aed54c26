#ifndef XLA_SERVICE_GPU_TOPOLOGY_H_
#define XLA_SERVICE_GPU_TOPOLOGY_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/service/gpu_topology.pb.h"

namespace xla {

// How the graphics processors of a cluster are arranged: partitions of hosts with devices. A
// description that is kept with build options; there are no such devices here.
class GpuTopology {
 public:
  GpuTopology(absl::string_view platform_version, int num_partitions, int num_hosts_per_partition,
              int num_devices_per_host)
      : platform_version_(platform_version.data(), platform_version.size()),
        num_partitions_(num_partitions),
        num_hosts_per_partition_(num_hosts_per_partition),
        num_devices_per_host_(num_devices_per_host) {}

  const std::string& platform_version() const { return platform_version_; }
  int num_partitions() const { return num_partitions_; }
  int num_hosts_per_partition() const { return num_hosts_per_partition_; }
  int num_devices_per_host() const { return num_devices_per_host_; }
  int number_of_hosts() const { return num_partitions_ * num_hosts_per_partition_; }
  int number_of_devices() const { return number_of_hosts() * num_devices_per_host_; }

  GpuTopologyProto ToProto() const;
  // InvalidArgument for negative numbers.
  static absl::StatusOr<GpuTopology> FromProto(const GpuTopologyProto& proto);

  friend bool operator==(const GpuTopology& a, const GpuTopology& b) {
    return a.platform_version_ == b.platform_version_ && a.num_partitions_ == b.num_partitions_ &&
           a.num_hosts_per_partition_ == b.num_hosts_per_partition_ &&
           a.num_devices_per_host_ == b.num_devices_per_host_;
  }
  friend bool operator!=(const GpuTopology& a, const GpuTopology& b) { return !(a == b); }

 private:
  std::string platform_version_;
  int num_partitions_, num_hosts_per_partition_, num_devices_per_host_;
};

}  // namespace xla

#endif  // XLA_SERVICE_GPU_TOPOLOGY_H_
