// bench_file.h - measurements on disk: a folder with one file for each op and source. Its first line says
// what was measured, where and with which versions; then a line for each cell that is finished. A run that
// was cut off goes on there; one with another GPU, other versions or other settings is told apart, never
// mixed in.
#pragma once
#include "measure/timer.h"

typedef struct {
    const char *folder;
    const Op *op;
    const char *source_sha256;
    const Timer *timer;
} BenchFileRequest;
typedef struct {
    const char *path;
    int fd;
    const CellTimes *cell; // that were finished before
    int cells;
} BenchFile;
// ERR_INPUT names the member of the first line that is another one here.
MUST_CHECK bool bench_file_open(Arena *a, const BenchFileRequest *q, BenchFile *out, Err *e);
void bench_file_close(BenchFile *f);
const CellTimes *bench_file_find(const BenchFile *f, CellPlace place); // NULL: it is not finished
// Appends a finished cell, durably. What has failed is not finished.
MUST_CHECK bool bench_file_add(BenchFile *f, const CellTimes *c, Err *e);

// All measurements of a folder, with the first line of each. Files of other programs are passed over.
typedef struct {
    Str op, gpu, compiler;
    int cuda;
    const CellTimes *cell;
    int cells;
} BenchRecord;
MUST_CHECK bool bench_folder_read(Arena *a, const char *folder, BenchRecord **out, int *n, Err *e);
