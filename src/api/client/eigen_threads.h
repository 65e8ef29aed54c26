// Eigen's threads, which clients use to say how many.
#ifndef HILO_API_CLIENT_EIGEN_THREADS_H_
#define HILO_API_CLIENT_EIGEN_THREADS_H_

namespace Eigen {
struct ThreadPoolDevice;
}  // namespace Eigen

namespace xla {

// 0 for null.
int ThreadsOf(const Eigen::ThreadPoolDevice* device);

}  // namespace xla

#endif  // HILO_API_CLIENT_EIGEN_THREADS_H_
