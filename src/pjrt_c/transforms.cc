// Passes of callers: an extension of the C interface.
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "pjrt_c/tables.h"
#include "xla/pjrt/c/pjrt_c_api_xla_transform_extension.h"
#include "xla/service/xla_transform.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

class CallersTransform : public HloXlaTransform {
 public:
  CallersTransform(std::string name, PJRT_XlaTransform_Callbacks* callbacks)
      : HloXlaTransform(std::move(name)), callbacks_(callbacks) {}
  ~CallersTransform() override {
    if (callbacks_->dtor != nullptr) callbacks_->dtor(callbacks_);
  }

  absl::StatusOr<bool> Transform(HloModule* module) override {
    const std::string given = module->ToProto().SerializeAsString();
    PJRT_XlaTransform_Args args = {};
    args.struct_size = PJRT_XlaTransform_Args_STRUCT_SIZE;
    args.header.api_version = PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION;
    args.hlo_module = {given.data(), given.size()};
    callbacks_->transform_hlo_module(callbacks_, &args);
    absl::StatusOr<bool> changed = Read(args, module);
    if (args.header.cleanup_fn != nullptr) args.header.cleanup_fn(args.header.data);
    return changed;
  }

 private:
  static absl::StatusOr<bool> Read(const PJRT_XlaTransform_Args& args, HloModule* module) {
    if (args.header.has_error) {
      const absl::Status status =
          ToStatus(args.header.code, args.header.error_msg.data, args.header.error_msg.size);
      return status.ok() ? Internal("it failed without saying why") : status;
    }
    if (!args.changed) return false;
    HloModuleProto proto;
    if (!proto.ParseFromArray(args.transformed_hlo_module.data,
                              static_cast<int>(args.transformed_hlo_module.size)))
      return InvalidArgument("what it gave is no serialised HloModuleProto");
    HILO_RETURN_IF_ERROR(UpdateHloModuleFromProto(module, proto));
    return true;
  }

  PJRT_XlaTransform_Callbacks* const callbacks_;
};

absl::StatusOr<HloXlaTransform::PipelineStage> ToStage(PJRT_XlaTransform_PipelineStage stage) {
  switch (stage) {
    case PJRT_XlaTransform_PipelineStage_kPreScheduler:
      return HloXlaTransform::PipelineStage::kPreScheduler;
    case PJRT_XlaTransform_PipelineStage_kPostScheduler:
      return HloXlaTransform::PipelineStage::kPostScheduler;
  }
  return InvalidArgument("there is no stage of compiles %d", static_cast<int>(stage));
}

template <typename Args>
std::string NameOf(const Args& args) {
  if (args.name != nullptr) return std::string(args.name, args.name_size);
  return absl::StrCat("callbacks_at_", reinterpret_cast<uintptr_t>(args.callbacks));
}

absl::Status Register(PJRT_Register_Xla_Transform_Args& args) {
  HILO_ASSIGN_OR_RETURN(const HloXlaTransform::PipelineStage stage, ToStage(args.stage));
  if (args.callbacks == nullptr || args.callbacks->transform_hlo_module == nullptr)
    return InvalidArgument("a transform of modules needs a function");
  if (args.callbacks->version != PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION) {
    return InvalidArgument("the callbacks of a transform are of version %d, but known is %d",
                           args.callbacks->version, PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION);
  }
  RegisterHloXlaTransform(stage, std::make_shared<CallersTransform>(NameOf(args), args.callbacks));
  return absl::OkStatus();
}

absl::Status Clear(PJRT_Clear_Xla_Transform_Args& args) {
  HILO_ASSIGN_OR_RETURN(const HloXlaTransform::PipelineStage stage, ToStage(args.stage));
  if (args.name == nullptr && args.callbacks == nullptr)
    return InvalidArgument("a transform is taken out by its name or its callbacks");
  args.cleared = ClearHloXlaTransform(stage, NameOf(args));
  return absl::OkStatus();
}

PJRT_Xla_Transform_Extension transforms = {
    {PJRT_Xla_Transform_Extension_STRUCT_SIZE, PJRT_Extension_Type_XlaTransform,
     PartitionerExtension()},
    Entry<Register, PJRT_Register_Xla_Transform_Args_STRUCT_SIZE>,
    Entry<Clear, PJRT_Clear_Xla_Transform_Args_STRUCT_SIZE>};

}  // namespace

PJRT_Extension_Base* TransformExtension() { return &transforms.base; }

}  // namespace xla::pjrt_c
