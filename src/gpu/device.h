// device.h - one GPU of this process: one context, one stream, memory, modules, launches, graphs and events.
// Every failure is an Err that names the driver's call. After a fault of a kernel (an illegal address, say) a
// context is lost: whoever launches what it does not trust does it in a process that may end
// (measure/measurer.h).
#pragma once
#include "base/str.h"
#include "gpu/driver.h"
#include "gpu/power.h"

typedef uint64_t DeviceAddress;
typedef struct {
    char name[96];
    int version; // of CUDA that the driver speaks: 13000 is 13.0
    int major, minor, processors;
    int sm_khz, memory_khz, bus_bits; // at most; what they are at the moment, a kernel's own clock tells
    int shared_most;                  // bytes of shared memory for one block
    int64_t l2_bytes, memory_bytes, free_bytes;
} DeviceFacts;

// Pieces of its memory: those that are used, and those that are kept for the next who asks for as many bytes.
typedef struct {
    DeviceAddress at;
    size_t bytes;
    bool used;
} DevicePiece;
typedef struct {
    DevicePiece *piece;
    int pieces, room;
    int64_t spare; // bytes of those that nobody uses
} DeviceMemory;

enum { DEVICE_EVENTS = 4 };
typedef struct {
    Driver driver;
    DeviceFacts facts;
    Power power;
    DeviceMemory memory;
    void *context, *stream, *event[DEVICE_EVENTS];
} Device;
MUST_CHECK bool device_open(const char *library, Device *out, Err *e);
void device_close(Device *d);

// --- memory; what is `queued` runs on the stream, in order ---
// What was given back and not yet asked for again may still be the process's, with what was in it.
MUST_CHECK bool device_alloc(Device *d, size_t bytes, DeviceAddress *out, Err *e);
void device_free(Device *d, DeviceAddress at);
void device_memory_close(DeviceMemory *m); // device_close does it
// Both after all that was queued; they return when they are done.
MUST_CHECK bool device_write(Device *d, DeviceAddress to, const void *from, size_t bytes, Err *e);
MUST_CHECK bool device_read(Device *d, void *to, DeviceAddress from, size_t bytes, Err *e);
// Queued: `count` times the low `width` bytes of the pattern; width 1, 2, 4 or 8.
MUST_CHECK bool device_fill(Device *d, DeviceAddress to, uint64_t pattern, int width, size_t count, Err *e);
MUST_CHECK bool device_copy(Device *d, DeviceAddress to, DeviceAddress from, size_t bytes, Err *e); // queued

// --- code ---
typedef struct {
    void *module, *function;
    int registers, local_bytes; // of a thread
} DeviceKernel;
// A cubin, or PTX as text (NUL-terminated), which the driver compiles. `shared`: dynamic shared memory that
// its launches ask for.
MUST_CHECK bool device_load(Device *d, const char *image, const char *entry, int shared, DeviceKernel *out,
                            Err *e);
void device_unload(Device *d, DeviceKernel *k);

typedef struct {
    const DeviceKernel *kernel;
    unsigned grid[3], block[3], shared;
    unsigned cluster; // blocks, along the first axis; 1: none
    bool cooperative, overlaps;
    void **params; // one pointer to a value for each parameter
} DeviceLaunch;
MUST_CHECK bool device_launch(Device *d, const DeviceLaunch *l, Err *e); // queued

// --- graphs: what is queued between begin and end is written down instead ---
typedef struct {
    void *graph, *executable;
} DeviceGraph;
MUST_CHECK bool device_capture_begin(Device *d, Err *e);
MUST_CHECK bool device_capture_end(Device *d, DeviceGraph *out, Err *e);
MUST_CHECK bool device_replay(Device *d, const DeviceGraph *g, Err *e); // queued
void device_graph_free(Device *d, DeviceGraph *g);

// --- time ---
MUST_CHECK bool device_mark(Device *d, int event, Err *e); // queued
MUST_CHECK bool device_between(Device *d, int from, int to, double *us,
                               Err *e); // of events that have happened
// Until all that was queued is done. ERR_LIMIT after so many seconds: a kernel does not end.
MUST_CHECK bool device_wait(Device *d, double seconds, Err *e);
