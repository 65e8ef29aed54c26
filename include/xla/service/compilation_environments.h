// Options of compilers in messages of any type.
#ifndef XLA_SERVICE_COMPILATION_ENVIRONMENTS_H_
#define XLA_SERVICE_COMPILATION_ENVIRONMENTS_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/log/check.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/xla.pb.h"

namespace xla {

// At most one message of each type. Hilo's own compiler looks at none of them.
class CompilationEnvironments {
 public:
  // Makes an environment of what a client has given, or the default one of null. Null from it is an
  // error.
  using ProcessNewEnvFn = std::function<std::unique_ptr<google::protobuf::Message>(
      std::unique_ptr<google::protobuf::Message>)>;

  CompilationEnvironments() = default;
  CompilationEnvironments(const CompilationEnvironments& other) { *this = other; }
  CompilationEnvironments& operator=(const CompilationEnvironments& other);
  CompilationEnvironments(CompilationEnvironments&&) = default;
  CompilationEnvironments& operator=(CompilationEnvironments&&) = default;

  // Says what is done with new environments of a type, for the whole process. CHECKs that a type
  // gets no second function.
  static void RegisterProcessNewEnvFn(const google::protobuf::Descriptor* descriptor,
                                      ProcessNewEnvFn process_new_env);

  // InvalidArgument when there is one of that type, when no function is registered for it, or when
  // that refuses it.
  absl::Status AddEnv(std::unique_ptr<google::protobuf::Message> env);
  bool HasEnv(const google::protobuf::Descriptor& descriptor) const {
    return environments_.count(descriptor.full_name()) > 0;
  }
  template <typename T>
  bool HasEnv() const {
    return HasEnv(*T::descriptor());
  }
  // The environment of a type, which is the default one when none was added. CHECK that a function
  // is registered for it.
  template <typename T>
  T& GetMutableEnv() {
    return static_cast<T&>(GetOrCreate(*T::descriptor()));
  }
  template <typename T>
  const T& GetEnv() {
    return GetMutableEnv<T>();
  }
  template <typename T>
  absl::Status DeleteEnv() {
    if (environments_.erase(T::descriptor()->full_name()) > 0) return absl::OkStatus();
    return absl::NotFoundError("there is no environment of that type");
  }
  void Clear() { environments_.clear(); }
  // Makes the default environment of each type that a function is registered for, where there is
  // none.
  absl::Status InitializeAllKnownEnvs();

  // In alphabetical order of types. CreateFromProto processes each as AddEnv does; InvalidArgument
  // for bytes that are no message of their type, or a type that the program does not know.
  CompilationEnvironmentsProto ToProto() const;
  static absl::StatusOr<std::unique_ptr<CompilationEnvironments>> CreateFromProto(
      const CompilationEnvironmentsProto& proto);

 private:
  google::protobuf::Message& GetOrCreate(const google::protobuf::Descriptor& descriptor);

  std::map<std::string, std::unique_ptr<google::protobuf::Message>> environments_;  // by type
};

}  // namespace xla

#endif  // XLA_SERVICE_COMPILATION_ENVIRONMENTS_H_
