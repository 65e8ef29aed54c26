// What steps of programs move and compute.
#ifndef HILO_CODEGEN_PROGRAM_WORK_H_
#define HILO_CODEGEN_PROGRAM_WORK_H_

#include "codegen/program/plan.h"
#include "runtime/profile.h"

namespace xla::program {

// Of the step once, apart from blocks in it and from copies before it. What is picked out of an
// array, or put into it, is moved, and not the rest.
runtime::Work WorkOf(const Plan& plan, const Step& step);
runtime::Work WorkOf(const Plan& plan, const Copies& copies);

}  // namespace xla::program

#endif  // HILO_CODEGEN_PROGRAM_WORK_H_
