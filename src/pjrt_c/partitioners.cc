// Custom calls that callers divide among devices: an extension of the C interface.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "passes/partition/call_partitioner.h"
#include "pjrt_c/error.h"
#include "pjrt_c/python.h"
#include "pjrt_c/tables.h"
#include "xla/hlo/translate/stablehlo.h"
#include "xla/pjrt/c/pjrt_c_api_custom_partitioner_extension.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

using CText = JAX_CustomCallPartitioner_string;

absl::StatusOr<HloSharding> ReadSharding(const CText& text) {
  OpSharding proto;
  if (!proto.ParseFromArray(text.data, static_cast<int>(text.size)))
    return InvalidArgument("what a partitioner gave is no serialised OpSharding");
  return HloSharding::FromProto(proto);
}

// A value as the callbacks get it, with the bytes that it refers to.
struct Described {
  explicit Described(const passes::CallPartitioner::Value& value)
      : shape(value.shape.ToProto().SerializeAsString()),
        sharding(value.sharding.ToProto().SerializeAsString()) {}
  JAX_CustomCallPartitioner_aval ToC() const {
    return {{shape.data(), shape.size()}, true, {sharding.data(), sharding.size()}};
  }
  std::string shape, sharding;
};

class CallersPartitioner : public passes::CallPartitioner {
 public:
  explicit CallersPartitioner(JAX_CustomCallPartitioner_Callbacks* callbacks)
      : callbacks_(callbacks) {}
  ~CallersPartitioner() override {
    if (callbacks_->dtor != nullptr) callbacks_->dtor(callbacks_);
  }

  absl::StatusOr<passes::DividedCall> Divide(absl::string_view backend_config,
                                             absl::Span<const Value> operands,
                                             const Value& result) override {
    const std::vector<Described> described(operands.begin(), operands.end());
    std::vector<JAX_CustomCallPartitioner_aval> arrays;
    for (const Described& array : described) arrays.push_back(array.ToC());
    const Described described_result(result);
    JAX_CustomCallPartitioner_Partition_Args args = {};
    args.header.api_version = PJRT_API_CUSTOM_PARTITIONER_EXTENSION_VERSION;
    args.num_args = arrays.size();
    args.op_args = arrays.data();
    args.op_result = described_result.ToC();
    args.backend_config = {backend_config.data(), backend_config.size()};
    callbacks_->partition(callbacks_, &args);
    absl::StatusOr<passes::DividedCall> divided = Read(args);
    if (args.header.cleanup_fn != nullptr) args.header.cleanup_fn(args.header.data);
    return divided;
  }

 private:
  static absl::StatusOr<passes::DividedCall> Read(
      const JAX_CustomCallPartitioner_Partition_Args& args) {
    if (args.header.has_error) {
      const absl::Status status =
          ToStatus(args.header.code, args.header.error_msg.data, args.header.error_msg.size);
      return status.ok() ? Internal("a partitioner failed without saying why") : status;
    }
    passes::DividedCall divided;
    HILO_ASSIGN_OR_RETURN(divided.module, ConvertStablehloToHlo(ToPortable(absl::string_view(
                                              args.mlir_module.data, args.mlir_module.size))));
    for (size_t i = 0; i < args.num_args; ++i) {
      HILO_ASSIGN_OR_RETURN(HloSharding sharding, ReadSharding(args.args_sharding[i]));
      divided.operands.push_back(std::move(sharding));
    }
    HILO_ASSIGN_OR_RETURN(divided.result, ReadSharding(args.result_sharding));
    return divided;
  }

  JAX_CustomCallPartitioner_Callbacks* const callbacks_;
};

absl::Status RegisterPartitioner(PJRT_Register_Custom_Partitioner_Args& args) {
  if (args.callbacks == nullptr || args.callbacks->partition == nullptr)
    return InvalidArgument("a partitioner of custom calls needs a function");
  if (args.callbacks->version != PJRT_API_CUSTOM_PARTITIONER_EXTENSION_VERSION) {
    return InvalidArgument("the callbacks of a partitioner are of version %d, but known is %d",
                           args.callbacks->version, PJRT_API_CUSTOM_PARTITIONER_EXTENSION_VERSION);
  }
  passes::RegisterCallPartitioner(absl::string_view(args.name, args.name_size),
                                  std::make_shared<CallersPartitioner>(args.callbacks));
  return absl::OkStatus();
}

absl::Status RegisterBatchPartitionable(PJRT_Register_Batch_Partitionable_Args& args) {
  passes::RegisterBatchPartitionable(absl::string_view(args.name, args.name_size));
  return absl::OkStatus();
}

PJRT_Custom_Partitioner_Extension partitioners = {
    {PJRT_Custom_Partitioner_Extension_STRUCT_SIZE, PJRT_Extension_Type_Custom_Partitioner,
     nullptr},
    Entry<RegisterPartitioner, PJRT_Register_Custom_Partitioner_Args_STRUCT_SIZE>,
    Entry<RegisterBatchPartitionable, PJRT_Register_Batch_Partitionable_Args_STRUCT_SIZE>};

}  // namespace

PJRT_Extension_Base* PartitionerExtension() { return &partitioners.base; }

}  // namespace xla::pjrt_c
