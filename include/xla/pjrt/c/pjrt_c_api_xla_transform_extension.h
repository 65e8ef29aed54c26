// Extension: passes of the caller's own that every compile runs (xla/service/xla_transform.h).
#ifndef XLA_PJRT_C_PJRT_C_API_XLA_TRANSFORM_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_XLA_TRANSFORM_EXTENSION_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION 1

// Bytes that need not end in NUL.
typedef struct PJRT_XlaTransform_string {
  const char* data;
  size_t size;
} PJRT_XlaTransform_string;

// How a callback ended. `cleanup_fn`, unless it is null, is called with `data` when what the
// callback gave out has been read.
typedef struct PJRT_XlaTransform_version_and_error {
  int64_t api_version;
  void* data;                          // output
  void (*cleanup_fn)(void* data);      // output
  bool has_error;                      // output
  PJRT_Error_Code code;                // output
  PJRT_XlaTransform_string error_msg;  // output
} PJRT_XlaTransform_version_and_error;

// Both modules are serialised HloModuleProtos. The second one counts where `changed` is set.
typedef struct PJRT_XlaTransform_Args {
  size_t struct_size;
  PJRT_XlaTransform_version_and_error header;
  PJRT_XlaTransform_string hlo_module;
  PJRT_XlaTransform_string transformed_hlo_module;  // output
  bool changed;                                     // output
} PJRT_XlaTransform_Args;
enum { PJRT_XlaTransform_Args_STRUCT_SIZE = PJRT_STRUCT_SIZE(PJRT_XlaTransform_Args, changed) };

// What is registered. It lives until `dtor`, which may be null, is called with it.
typedef struct PJRT_XlaTransform_Callbacks {
  int64_t version;  // PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION
  void (*dtor)(struct PJRT_XlaTransform_Callbacks* data);
  void (*transform_hlo_module)(struct PJRT_XlaTransform_Callbacks* data,
                               PJRT_XlaTransform_Args* args);
} PJRT_XlaTransform_Callbacks;

typedef enum {
  PJRT_XlaTransform_PipelineStage_kPreScheduler = 0,
  PJRT_XlaTransform_PipelineStage_kPostScheduler = 1,
} PJRT_XlaTransform_PipelineStage;

// Adds a pass behind those of the same stage. There is no extension_start in this struct. Without a
// name the pass has one that is made of the address of its callbacks.
struct PJRT_Register_Xla_Transform_Args {
  size_t struct_size;
  const char* name;  // may be null
  size_t name_size;
  PJRT_XlaTransform_PipelineStage stage;
  PJRT_XlaTransform_Callbacks* callbacks;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Xla_Transform_Args, callbacks);
typedef PJRT_Error* (*PJRT_Register_Xla_Transform_Fn)(PJRT_Register_Xla_Transform_Args* args);

// Takes out the first pass of that name, or of those callbacks where there is no name.
struct PJRT_Clear_Xla_Transform_Args {
  size_t struct_size;
  PJRT_XlaTransform_PipelineStage stage;
  const char* name;  // may be null
  size_t name_size;
  PJRT_XlaTransform_Callbacks* callbacks;
  bool cleared;  // output: whether there was one
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Clear_Xla_Transform_Args, cleared);
typedef PJRT_Error* (*PJRT_Clear_Xla_Transform_Fn)(PJRT_Clear_Xla_Transform_Args* args);

typedef struct PJRT_Xla_Transform_Extension {
  PJRT_Extension_Base base;
  PJRT_Register_Xla_Transform_Fn register_xla_transform;
  PJRT_Clear_Xla_Transform_Fn clear_xla_transform;
} PJRT_Xla_Transform_Extension;
enum {
  PJRT_Xla_Transform_Extension_STRUCT_SIZE =
      PJRT_STRUCT_SIZE(PJRT_Xla_Transform_Extension, clear_xla_transform)
};

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_XLA_TRANSFORM_EXTENSION_H_
