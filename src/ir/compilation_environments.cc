#include "xla/service/compilation_environments.h"

#include <mutex>
#include <vector>

#include "base/status_macros.h"
#include "xla/util.h"

namespace xla {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::Message;

struct Functions {
  std::mutex mutex;
  std::map<std::string, CompilationEnvironments::ProcessNewEnvFn> of_type;
};

Functions& TheFunctions() {
  static Functions* const functions = new Functions();
  return *functions;
}

// Null when there is none.
CompilationEnvironments::ProcessNewEnvFn FunctionFor(const std::string& type) {
  Functions& functions = TheFunctions();
  const std::lock_guard<std::mutex> lock(functions.mutex);
  const auto found = functions.of_type.find(type);
  return found == functions.of_type.end() ? nullptr : found->second;
}

absl::StatusOr<std::unique_ptr<Message>> Process(const std::string& type,
                                                 std::unique_ptr<Message> given) {
  const CompilationEnvironments::ProcessNewEnvFn process = FunctionFor(type);
  if (process == nullptr) {
    return InvalidArgument("no function is registered for compilation environments of type %s",
                           type);
  }
  std::unique_ptr<Message> env = process(std::move(given));
  if (env == nullptr || env->GetDescriptor()->full_name() != type)
    return InvalidArgument("the compilation environment of type %s was refused", type);
  return env;
}

absl::StatusOr<std::unique_ptr<Message>> Unpack(const google::protobuf::Any& any) {
  std::string type;
  const bool has_type = google::protobuf::Any::ParseAnyTypeUrl(any.type_url(), &type);
  const Descriptor* const descriptor =
      has_type ? google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(type)
               : nullptr;
  if (descriptor == nullptr)
    return InvalidArgument("compilation environment of unknown type %s", any.type_url());
  std::unique_ptr<Message> env(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(descriptor)->New());
  if (!any.UnpackTo(env.get()))
    return InvalidArgument("a compilation environment is no message of type %s", type);
  return env;
}

}  // namespace

CompilationEnvironments& CompilationEnvironments::operator=(const CompilationEnvironments& other) {
  if (this == &other) return *this;
  environments_.clear();
  for (const auto& [type, env] : other.environments_) {
    std::unique_ptr<Message> copy(env->New());
    copy->CopyFrom(*env);
    environments_.emplace(type, std::move(copy));
  }
  return *this;
}

void CompilationEnvironments::RegisterProcessNewEnvFn(const Descriptor* descriptor,
                                                      ProcessNewEnvFn process_new_env) {
  Functions& functions = TheFunctions();
  const std::lock_guard<std::mutex> lock(functions.mutex);
  const bool is_new =
      functions.of_type.emplace(descriptor->full_name(), std::move(process_new_env)).second;
  CHECK(is_new) << "there is a function for " << descriptor->full_name() << " already";
}

absl::Status CompilationEnvironments::InitializeAllKnownEnvs() {
  std::vector<std::string> types;
  {
    Functions& functions = TheFunctions();
    const std::lock_guard<std::mutex> lock(functions.mutex);
    for (const auto& [type, function] : functions.of_type) types.push_back(type);
  }
  for (const std::string& type : types) {
    if (environments_.count(type) > 0) continue;
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<Message> env, Process(type, nullptr));
    environments_.emplace(type, std::move(env));
  }
  return absl::OkStatus();
}

absl::Status CompilationEnvironments::AddEnv(std::unique_ptr<Message> env) {
  const std::string type = env->GetDescriptor()->full_name();
  if (environments_.count(type) > 0)
    return InvalidArgument("there is a compilation environment of type %s already", type);
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Message> processed, Process(type, std::move(env)));
  environments_.emplace(type, std::move(processed));
  return absl::OkStatus();
}

Message& CompilationEnvironments::GetOrCreate(const Descriptor& descriptor) {
  const auto found = environments_.find(descriptor.full_name());
  if (found != environments_.end()) return *found->second;
  absl::StatusOr<std::unique_ptr<Message>> env = Process(descriptor.full_name(), nullptr);
  CHECK_OK(env.status());
  return *(environments_[descriptor.full_name()] = *std::move(env));
}

CompilationEnvironmentsProto CompilationEnvironments::ToProto() const {
  CompilationEnvironmentsProto proto;
  for (const auto& [type, env] : environments_) proto.add_environments()->PackFrom(*env);
  return proto;
}

absl::StatusOr<std::unique_ptr<CompilationEnvironments>> CompilationEnvironments::CreateFromProto(
    const CompilationEnvironmentsProto& proto) {
  auto environments = std::make_unique<CompilationEnvironments>();
  for (const google::protobuf::Any& any : proto.environments()) {
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<Message> env, Unpack(any));
    HILO_RETURN_IF_ERROR(environments->AddEnv(std::move(env)));
  }
  return environments;
}

}  // namespace xla
