// Extension: custom calls that the caller divides among devices. While a program with shardings is
// compiled, the callbacks that were registered for the target of such a call say how its arrays are
// to be divided and give the program that each device runs on its parts.
//
// Shapes are serialised ShapeProtos, shardings serialised OpShardings. What the caller of a
// callback passes lives until the callback returns; what the callback gives, until `cleanup_fn` is
// called with `data`.
#ifndef XLA_PJRT_C_PJRT_C_API_CUSTOM_PARTITIONER_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_CUSTOM_PARTITIONER_EXTENSION_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PJRT_API_CUSTOM_PARTITIONER_EXTENSION_VERSION 0

struct JAX_CustomCallPartitioner_string {
  const char* data;
  size_t size;
};

struct JAX_CustomCallPartitioner_aval {
  struct JAX_CustomCallPartitioner_string shape;
  bool has_sharding;
  struct JAX_CustomCallPartitioner_string sharding;
};

struct JAX_CustomCallPartitioner_version_and_error {
  int64_t api_version;
  void* data;                                         // output
  void (*cleanup_fn)(void* data);                     // output
  bool has_error;                                     // output
  PJRT_Error_Code code;                               // output
  struct JAX_CustomCallPartitioner_string error_msg;  // output
};

struct JAX_CustomCallPartitioner_Partition_Args {
  struct JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  struct JAX_CustomCallPartitioner_aval* op_args;
  struct JAX_CustomCallPartitioner_aval op_result;
  struct JAX_CustomCallPartitioner_string backend_config;
  struct JAX_CustomCallPartitioner_string mlir_module;      // output
  struct JAX_CustomCallPartitioner_string* args_sharding;   // output
  struct JAX_CustomCallPartitioner_string result_sharding;  // output
};

struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args {
  struct JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  struct JAX_CustomCallPartitioner_aval* op_args;
  struct JAX_CustomCallPartitioner_string result_shape;
  struct JAX_CustomCallPartitioner_string backend_config;
  bool has_result_sharding;                                 // output
  struct JAX_CustomCallPartitioner_string result_sharding;  // output
};

struct JAX_CustomCallPartitioner_PropagateUserSharding_Args {
  struct JAX_CustomCallPartitioner_version_and_error header;
  struct JAX_CustomCallPartitioner_string backend_config;
  struct JAX_CustomCallPartitioner_string result_shape;
  struct JAX_CustomCallPartitioner_string result_sharding;  // in and output
};

typedef struct JAX_CustomCallPartitioner_Callbacks {
  int64_t version;
  void* private_data;
  void (*dtor)(struct JAX_CustomCallPartitioner_Callbacks* data);
  void (*partition)(struct JAX_CustomCallPartitioner_Callbacks* data,
                    struct JAX_CustomCallPartitioner_Partition_Args* args);
  void (*infer_sharding)(struct JAX_CustomCallPartitioner_Callbacks* data,
                         struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args* args);
  void (*propagate_user_sharding)(
      struct JAX_CustomCallPartitioner_Callbacks* data,
      struct JAX_CustomCallPartitioner_PropagateUserSharding_Args* args);
  bool can_side_effecting_have_replicated_sharding;
} JAX_CustomCallPartitioner_Callbacks;

struct PJRT_Register_Custom_Partitioner_Args {
  size_t struct_size;
  const char* name;  // the target
  size_t name_size;
  JAX_CustomCallPartitioner_Callbacks* callbacks;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Custom_Partitioner_Args, callbacks);
typedef PJRT_Error* PJRT_Register_Custom_Partitioner(PJRT_Register_Custom_Partitioner_Args* args);

// Calls of this target do the same for each element of the dimensions that lead all their arrays.
struct PJRT_Register_Batch_Partitionable_Args {
  size_t struct_size;
  const char* name;  // the target
  size_t name_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Batch_Partitionable_Args, name_size);
typedef PJRT_Error* PJRT_Register_Batch_Partitionable(PJRT_Register_Batch_Partitionable_Args* args);

typedef struct PJRT_Custom_Partitioner_Extension {
  PJRT_Extension_Base base;
  PJRT_Register_Custom_Partitioner* register_custom_partitioner;
  PJRT_Register_Batch_Partitionable* register_batch_partitionable;
} PJRT_Custom_Partitioner_Extension;
enum {
  PJRT_Custom_Partitioner_Extension_STRUCT_SIZE =
      PJRT_STRUCT_SIZE(PJRT_Custom_Partitioner_Extension, register_batch_partitionable)
};

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_CUSTOM_PARTITIONER_EXTENSION_H_
