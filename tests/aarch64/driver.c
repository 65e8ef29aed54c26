// Runs a program once: reads what a file says of it, and writes its results to another one. Linked
// with the program's object code by the cross compiler, without anything else of Hilo.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As src/runtime/program.h has them.
typedef void Kernel(void* const* arrays, int64_t begin, int64_t end);
typedef struct Frame {
  const void* const* parameters;
  void* const* results;
  const void* const* constants;
  char* arena;
  void** lists;
  void (*parallel)(struct Frame* frame, Kernel* kernel, void* const* arrays, int64_t rows,
                   int64_t least, int64_t site);
  bool (*call)(struct Frame* frame, int64_t number, void* const* arrays);
  void* run;
} Frame;
void hilo_entry(Frame* frame);

static FILE* file;

static void Fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void Read(void* to, int64_t bytes) {
  if (fread(to, 1, bytes, file) != (size_t)bytes) Fail("the file is too short");
}

static int64_t Number(void) {
  int64_t number;
  Read(&number, sizeof number);
  return number;
}

static void* Allocate(int64_t bytes) {
  void* memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (memory == NULL) Fail("out of memory");
  return memory;
}

// In two parts, as two threads would.
static void Parallel(Frame* frame, Kernel* kernel, void* const* arrays, int64_t rows, int64_t least,
                     int64_t site) {
  const int64_t middle = rows >= 2 * least ? rows / 2 : rows;
  kernel(arrays, middle, rows);
  kernel(arrays, 0, middle);
}

static bool Call(Frame* frame, int64_t number, void* const* arrays) {
  Fail("a library kernel was called");
  return false;
}

typedef struct {
  int64_t count;
  int64_t* bytes;
  void** data;
} Arrays;

// Their number, and the size and contents of each.
static Arrays ReadArrays(void) {
  Arrays arrays = {Number(), NULL, NULL};
  arrays.bytes = calloc(arrays.count + 1, sizeof(int64_t));
  arrays.data = calloc(arrays.count + 1, sizeof(void*));
  for (int64_t i = 0; i < arrays.count; ++i) {
    arrays.bytes[i] = Number();
    arrays.data[i] = Allocate(arrays.bytes[i]);
    Read(arrays.data[i], arrays.bytes[i]);
  }
  return arrays;
}

// Where the arrays of lists lie, which are given as numbers of ListedArray.
static void** ReadLists(const void* const* of[4]) {
  const int64_t count = Number();
  void** lists = calloc(count + 1, sizeof(void*));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t kind = Number(), number = Number(), offset = Number();
    lists[i] = (char*)of[kind][number] + offset;
  }
  return lists;
}

int main(int argc, char** argv) {
  if (argc != 3 || (file = fopen(argv[1], "rb")) == NULL) Fail("usage: driver INPUTS RESULTS");
  const int64_t arena_bytes = Number();
  const Arrays constants = ReadArrays(), parameters = ReadArrays(), results = ReadArrays();
  void* const arena = Allocate(arena_bytes);
  memset(arena, 0x5a, arena_bytes);
  const void* const* of[4] = {(const void* const*)parameters.data, (const void* const*)results.data,
                              (const void* const*)constants.data, (const void* const*)&arena};
  void** const lists = ReadLists(of);
  Frame frame = {of[0], results.data, of[2], arena, lists, Parallel, Call, NULL};
  hilo_entry(&frame);

  FILE* const output = fopen(argv[2], "wb");
  if (output == NULL) Fail("the results cannot be written");
  for (int64_t i = 0; i < results.count; ++i) fwrite(results.data[i], 1, results.bytes[i], output);
  return fclose(output) == 0 ? 0 : 1;
}
