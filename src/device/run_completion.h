// The end of a run, for those who wait for what it computes.
#ifndef HILO_DEVICE_RUN_COMPLETION_H_
#define HILO_DEVICE_RUN_COMPLETION_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/synchronization/notification.h"

namespace xla {

class RunCompletion {
 public:
  // To be called once.
  void Set(absl::Status status) {
    status_ = std::move(status);
    done_.Notify();
  }
  bool IsDone() const { return done_.HasBeenNotified(); }
  absl::Status Await() const {
    done_.WaitForNotification();
    return status_;
  }

 private:
  absl::Notification done_;
  absl::Status status_;
};

}  // namespace xla

#endif  // HILO_DEVICE_RUN_COMPLETION_H_
