#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_THREADPOOL_INTERFACE_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_THREADPOOL_INTERFACE_H_

#include <functional>

#define EIGEN_USE_THREADS
#include "unsupported/Eigen/CXX11/ThreadPool"

namespace tsl {
namespace thread {

// Threads of a client's own.
class ThreadPoolInterface : public Eigen::ThreadPoolInterface {};

}  // namespace thread
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_THREADPOOL_INTERFACE_H_
