// Topologies: what they are.
#include <iterator>

#include "pjrt_c/objects/error.h"
#include "pjrt_c/start/core.h"
#include "pjrt_c/start/tables.h"

namespace xla::pjrt_c {
namespace {

PJRT_Error* TopologyDestroy(PJRT_TopologyDescription_Destroy_Args& args) {
  // That of a client goes with it.
  if (args.topology != nullptr && !args.topology->is_of_client) delete args.topology;
  return nullptr;
}

PJRT_Error* TopologyPlatformName(PJRT_TopologyDescription_PlatformName_Args& args) {
  SetText(args.topology->platform_name, args.platform_name, args.platform_name_size);
  return nullptr;
}

PJRT_Error* TopologyPlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args& args) {
  SetText(PlatformVersion(), args.platform_version, args.platform_version_size);
  return nullptr;
}

PJRT_Error* TopologyGetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args& args) {
  args.descriptions = args.topology->descriptions.data();
  args.num_descriptions = args.topology->descriptions.size();
  return nullptr;
}

PJRT_Error* TopologyAttributes(PJRT_TopologyDescription_Attributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
  return nullptr;
}

PJRT_Error* TopologyGetMemorySpaceKindIds(
    PJRT_TopologyDescription_GetMemorySpaceKindIds_Args& args) {
  static const int kKinds[] = {0, 1, 2};
  args.memory_space_kind_ids = kKinds;
  args.num_memory_space_kind_ids = std::size(kKinds);
  return nullptr;
}

}  // namespace

void SetTopologyFunctions(PJRT_Api& api) {
  api.PJRT_TopologyDescription_Destroy =
      Entry<TopologyDestroy, PJRT_TopologyDescription_Destroy_Args_STRUCT_SIZE>;
  api.PJRT_TopologyDescription_PlatformName =
      Entry<TopologyPlatformName, PJRT_TopologyDescription_PlatformName_Args_STRUCT_SIZE>;
  api.PJRT_TopologyDescription_PlatformVersion =
      Entry<TopologyPlatformVersion, PJRT_TopologyDescription_PlatformVersion_Args_STRUCT_SIZE>;
  api.PJRT_TopologyDescription_GetDeviceDescriptions =
      Entry<TopologyGetDeviceDescriptions,
            PJRT_TopologyDescription_GetDeviceDescriptions_Args_STRUCT_SIZE>;
  api.PJRT_TopologyDescription_Attributes =
      Entry<TopologyAttributes, PJRT_TopologyDescription_Attributes_Args_STRUCT_SIZE>;
  api.PJRT_TopologyDescription_GetMemorySpaceKindIds =
      Entry<TopologyGetMemorySpaceKindIds,
            PJRT_TopologyDescription_GetMemorySpaceKindIds_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
