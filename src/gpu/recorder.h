// recorder.h - the backend that writes down what host code asks for, and runs no kernel. Tensors need no
// memory: give the machine sparse storages (StorageTable.sparse), and sizes cost nothing. An autotuned kernel
// is written down with every config that may run.
#pragma once
#include "gpu/recorded_run.h"
#include "host/candidate/backend.h"

typedef struct Recorder Recorder;
// All that it keeps lives in `a`, which must not be the machine's arena: what is compared before and after a
// call must not hold it. Makes `m` a machine whose backend it is; its inputs are what is in it already.
Recorder *recorder_new(Arena *a, Machine *m, const Tensor *input, int inputs);
// What has been asked for until now runs once, before what is timed; storages from now on are the call's own.
void recorder_setup_ends(Recorder *r);
// After the call. Borrowed; kernels have no source.
MUST_CHECK bool recorder_run(Recorder *r, RecordedRun *out, Err *e);
