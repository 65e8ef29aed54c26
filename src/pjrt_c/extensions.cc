// What the library offers beyond the table: layouts, shardings, handlers of custom calls.
#include <utility>

#include "absl/types/span.h"
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "pjrt_c/handlers.h"
#include "pjrt_c/layouts.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/tables.h"
#include "pjrt_c/types.h"
#include "xla/ffi/ffi_api.h"
#include "xla/layout_util.h"
#include "xla/pjrt/c/pjrt_c_api_ffi_extension.h"
#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"
#include "xla/pjrt/c/pjrt_c_api_shardings_extension.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

absl::Status LayoutDestroy(PJRT_Layouts_MemoryLayout_Destroy_Args& args) {
  DestroyLayout(args.layout);
  return absl::OkStatus();
}

absl::Status LayoutSerialize(PJRT_Layouts_MemoryLayout_Serialize_Args& args) {
  if (args.layout->is_shared) {
    SetText(args.layout->text, args.serialized_bytes, args.serialized_bytes_size);
    args.serialized_layout = nullptr;
    args.serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout*) {};
    return absl::OkStatus();
  }
  auto* const copy = new std::string(args.layout->text);
  SetText(*copy, args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_layout = reinterpret_cast<PJRT_Layouts_SerializedLayout*>(copy);
  args.serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout* layout) {
    delete reinterpret_cast<std::string*>(layout);
  };
  return absl::OkStatus();
}

// The layout of a shape; a token has an empty one.
PJRT_Layouts_MemoryLayout* LayoutOf(const Shape& shape) {
  return NewLayout(shape.IsArray() ? shape.layout() : LayoutUtil::MakeDescendingLayout(0));
}

absl::Status ClientDefaultLayout(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args& args) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, ToShape(args.type, args.dims, args.num_dims, nullptr));
  args.layout = LayoutOf(shape);
  return absl::OkStatus();
}

absl::Status BufferLayout(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args& args) {
  args.layout = LayoutOf(args.buffer->buffer->on_device_shape());
  return absl::OkStatus();
}

absl::Status TopologyDefaultLayout(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args& args) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, ToShape(args.type, args.dims, args.num_dims, nullptr));
  args.layout = LayoutOf(shape);
  return absl::OkStatus();
}

absl::Status OutputLayouts(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args& args) {
  HILO_ASSIGN_OR_RETURN(const auto* layouts, args.executable->record->OutputLayouts());
  args.num_outputs = layouts->size();
  args.layouts = const_cast<PJRT_Layouts_MemoryLayout**>(layouts->data());
  return absl::OkStatus();
}

absl::Status ParameterLayouts(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args& args) {
  HILO_ASSIGN_OR_RETURN(const auto* layouts, args.executable->record->ParameterLayouts());
  args.num_parameters = layouts->size();
  args.layouts = const_cast<PJRT_Layouts_MemoryLayout**>(layouts->data());
  return absl::OkStatus();
}

absl::Status ParameterShardings(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args& args) {
  const TextList* const shardings = args.executable->record->ParameterShardings();
  args.num_parameters = shardings == nullptr ? 0 : shardings->data.size();
  args.shardings = shardings == nullptr ? nullptr : shardings->data.data();
  args.sharding_sizes = shardings == nullptr ? nullptr : shardings->sizes.data();
  return absl::OkStatus();
}

absl::Status OutputShardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args& args) {
  const TextList* const shardings = args.executable->record->OutputShardings();
  args.num_outputs = shardings == nullptr ? 0 : shardings->data.size();
  args.shardings = shardings == nullptr ? nullptr : shardings->data.data();
  args.sharding_sizes = shardings == nullptr ? nullptr : shardings->sizes.data();
  return absl::OkStatus();
}

absl::Status TypeRegister(PJRT_FFI_Type_Register_Args& args) {
  ffi::TypeRegistry::TypeInfo info;
  if (args.type_info != nullptr) info.deleter = args.type_info->deleter;
  return RegisterFfiType(ToView(args.type_name, args.type_name_size), info, args.type_id);
}

absl::Status UserDataAdd(PJRT_FFI_UserData_Add_Args& args) {
  auto& user_data = args.context->user_data;
  for (const PJRT_ExecuteContext::UserData& other : user_data) {
    if (other.type_id == args.user_data.type_id)
      return absl::AlreadyExistsError("the context has an object of that type already");
  }
  user_data.push_back({args.user_data.type_id, args.user_data.data});
  return absl::OkStatus();
}

absl::Status HandlerRegister(PJRT_FFI_Register_Handler_Args& args) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = reinterpret_cast<XLA_FFI_Handler*>(args.handler);
  return ffi::RegisterHandler(ffi::GetXlaFfiApi(), ToView(args.target_name, args.target_name_size),
                              ToView(args.platform_name, args.platform_name_size), bundle,
                              args.traits);
}

PJRT_FFI_Extension handlers = {
    {PJRT_FFI_Extension_STRUCT_SIZE, PJRT_Extension_Type_FFI, TransformExtension()},
    Entry<TypeRegister, PJRT_FFI_Type_Register_Args_STRUCT_SIZE>,
    Entry<UserDataAdd, PJRT_FFI_UserData_Add_Args_STRUCT_SIZE>,
    Entry<HandlerRegister, PJRT_FFI_Register_Handler_Args_STRUCT_SIZE>};

PJRT_Shardings_Extension shardings = {
    {PJRT_Shardings_Extension_STRUCT_SIZE, PJRT_Extension_Type_Shardings, &handlers.base},
    Entry<ParameterShardings, PJRT_Shardings_PJRT_Executable_ParameterShardings_Args_STRUCT_SIZE>,
    Entry<OutputShardings, PJRT_Shardings_PJRT_Executable_OutputShardings_Args_STRUCT_SIZE>};

PJRT_Layouts_Extension layouts = {
    {PJRT_Layouts_Extension_STRUCT_SIZE, PJRT_Extension_Type_Layouts, &shardings.base},
    Entry<LayoutDestroy, PJRT_Layouts_MemoryLayout_Destroy_Args_STRUCT_SIZE>,
    Entry<LayoutSerialize, PJRT_Layouts_MemoryLayout_Serialize_Args_STRUCT_SIZE>,
    Entry<ClientDefaultLayout, PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args_STRUCT_SIZE>,
    Entry<BufferLayout, PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args_STRUCT_SIZE>,
    Entry<TopologyDefaultLayout, PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args_STRUCT_SIZE>,
    Entry<OutputLayouts, PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args_STRUCT_SIZE>,
    Entry<ParameterLayouts, PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args_STRUCT_SIZE>};

}  // namespace

PJRT_Extension_Base* Extensions() { return &layouts.base; }

}  // namespace xla::pjrt_c
