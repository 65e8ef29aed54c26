// How a program is to be compiled.
#ifndef XLA_CLIENT_EXECUTABLE_BUILD_OPTIONS_H_
#define XLA_CLIENT_EXECUTABLE_BUILD_OPTIONS_H_

#include <cstdint>
#include <optional>

#include "xla/shape.h"
#include "xla/xla.pb.h"

namespace xla {

// Setters return *this. Defaults: no device, one replica, one partition, the layouts of the program.
class ExecutableBuildOptions {
 public:
  ExecutableBuildOptions& set_device_ordinal(int device_ordinal) {
    device_ordinal_ = device_ordinal;
    return *this;
  }
  int device_ordinal() const { return device_ordinal_; }

  // The shape, with layout, in which results are given; it must be compatible with the program's result.
  ExecutableBuildOptions& set_result_layout(const Shape& shape_with_layout) {
    result_layout_ = shape_with_layout;
    return *this;
  }
  const Shape* result_layout() const { return result_layout_ ? &*result_layout_ : nullptr; }

  bool has_debug_options() const { return debug_options_.has_value(); }
  const DebugOptions& debug_options() const {
    return debug_options_ ? *debug_options_ : DebugOptions::default_instance();
  }
  DebugOptions* mutable_debug_options() {
    if (!debug_options_) debug_options_.emplace();
    return &*debug_options_;
  }

  int num_replicas() const { return num_replicas_; }
  ExecutableBuildOptions& set_num_replicas(int num_replicas) {
    num_replicas_ = num_replicas;
    return *this;
  }
  int num_partitions() const { return num_partitions_; }
  ExecutableBuildOptions& set_num_partitions(int num_partitions) {
    num_partitions_ = num_partitions;
    return *this;
  }

 private:
  int device_ordinal_ = -1;
  std::optional<Shape> result_layout_;
  std::optional<DebugOptions> debug_options_;
  int num_replicas_ = 1;
  int num_partitions_ = 1;
};

}  // namespace xla

#endif  // XLA_CLIENT_EXECUTABLE_BUILD_OPTIONS_H_
