// What a device is.
#ifndef XLA_STREAM_EXECUTOR_DEVICE_DESCRIPTION_H_
#define XLA_STREAM_EXECUTOR_DEVICE_DESCRIPTION_H_

#include <cstdint>
#include <string>
#include <utility>

namespace stream_executor {

class DeviceDescription {
 public:
  // The processor's name, its maker, and the system it runs on; empty where that is not known.
  const std::string& name() const { return name_; }
  const std::string& model_str() const { return name_; }
  const std::string& device_vendor() const { return device_vendor_; }
  const std::string& platform_version() const { return platform_version_; }
  // Processors that this process may use, and bytes of memory of the machine, which all devices
  // share.
  int core_count() const { return core_count_; }
  int64_t device_memory_size() const { return device_memory_size_; }
  int numa_node() const { return 0; }

  void set_name(std::string value) { name_ = std::move(value); }
  void set_device_vendor(std::string value) { device_vendor_ = std::move(value); }
  void set_platform_version(std::string value) { platform_version_ = std::move(value); }
  void set_core_count(int value) { core_count_ = value; }
  void set_device_memory_size(int64_t value) { device_memory_size_ = value; }

  std::string ToString() const;

 private:
  std::string name_, device_vendor_, platform_version_;
  int core_count_ = 0;
  int64_t device_memory_size_ = 0;
};

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_DEVICE_DESCRIPTION_H_
