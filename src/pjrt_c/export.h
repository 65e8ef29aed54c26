// What marks a function that the library shows.
#ifndef HILO_PJRT_C_EXPORT_H_
#define HILO_PJRT_C_EXPORT_H_

#define HILO_EXPORT __attribute__((visibility("default")))

#endif  // HILO_PJRT_C_EXPORT_H_
