#ifndef HILO_COMPAT_ABSL_STATUS_STATUS_BUILDER_H_
#define HILO_COMPAT_ABSL_STATUS_STATUS_BUILDER_H_

#include <sstream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace absl {

// An error whose message can be added to with <<. A status that is OK stays as it is.
class StatusBuilder {
 public:
  explicit StatusBuilder(absl::Status status) : status_(std::move(status)) {}
  explicit StatusBuilder(absl::StatusCode code) : status_(code, "") {}
  StatusBuilder(const StatusBuilder& other)
      : status_(other.status_), place_(other.place_), added_(other.added_.str()) {
    added_.seekp(0, std::ios_base::end);
  }
  StatusBuilder(StatusBuilder&&) = default;

  bool ok() const { return status_.ok(); }
  absl::StatusCode code() const { return status_.code(); }

  // Where the added text goes: behind "; " (the default), directly behind, or before the message.
  StatusBuilder& SetAppend() & { return SetPlace(Place::kBehind); }
  StatusBuilder&& SetAppend() && { return std::move(SetPlace(Place::kBehind)); }
  StatusBuilder& SetPrepend() & { return SetPlace(Place::kBefore); }
  StatusBuilder&& SetPrepend() && { return std::move(SetPlace(Place::kBefore)); }
  StatusBuilder& SetCode(absl::StatusCode code) & {
    status_ = absl::Status(code, status_.message());
    return *this;
  }
  StatusBuilder&& SetCode(absl::StatusCode code) && { return std::move(SetCode(code)); }

  template <typename T>
  StatusBuilder& operator<<(const T& value) & {
    if (!ok()) added_ << value;
    return *this;
  }
  template <typename T>
  StatusBuilder&& operator<<(const T& value) && {
    return std::move(*this << value);
  }

  template <typename Adaptor>
  auto With(Adaptor&& adaptor) && -> decltype(std::forward<Adaptor>(adaptor)(
      std::declval<StatusBuilder>())) {
    return std::forward<Adaptor>(adaptor)(std::move(*this));
  }

  operator absl::Status() const { return Build(); }  // NOLINT: meant to convert in a return
  template <typename T>
  operator absl::StatusOr<T>() const {  // NOLINT
    return Build();
  }

 private:
  enum class Place { kJoined, kBehind, kBefore };

  StatusBuilder& SetPlace(Place place) {
    place_ = place;
    return *this;
  }

  absl::Status Build() const {
    const std::string added = added_.str();
    if (ok() || added.empty()) return status_;
    const absl::string_view message = status_.message();
    std::string text;
    if (place_ == Place::kBefore) {
      text = absl::StrCat(added, message);
    } else if (place_ == Place::kBehind || message.empty()) {
      text = absl::StrCat(message, added);
    } else {
      text = absl::StrCat(message, "; ", added);
    }
    absl::Status result(status_.code(), text);
    status_.ForEachPayload(
        [&](absl::string_view url, const absl::Cord& payload) { result.SetPayload(url, payload); });
    return result;
  }

  absl::Status status_;
  Place place_ = Place::kJoined;
  std::ostringstream added_;
};

}  // namespace absl

#endif  // HILO_COMPAT_ABSL_STATUS_STATUS_BUILDER_H_
