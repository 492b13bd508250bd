// driver.h - libcuda, loaded at run time: the few types and functions that are needed, declared here. Nothing
// of CUDA is needed to build, and a machine without it lacks this only.
#pragma once
#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

// What cuLaunchKernelEx takes: CUlaunchConfig and CUlaunchAttribute.
enum { LAUNCH_COOPERATIVE = 2, LAUNCH_CLUSTER = 4, LAUNCH_CLUSTER_POLICY = 5, LAUNCH_OVERLAPS = 6 };
typedef struct {
    int id, padding;
    union {
        char bytes[64];
        int flag; // of a cooperative launch, of one that may overlap the one before it, and a cluster's
                  // policy
        unsigned cluster[3];
    } value;
} DriverAttribute;
typedef struct {
    unsigned grid[3], block[3], shared;
    void *stream;
    DriverAttribute *attribute;
    unsigned attributes;
} DriverLaunch;
_Static_assert(sizeof(DriverAttribute) == 72 && sizeof(DriverLaunch) == 56, "as in cuda.h");

// Attributes of devices and functions that are asked for.
enum {
    DEVICE_SM_KHZ = 13,
    DEVICE_PROCESSORS = 16,
    DEVICE_MEMORY_KHZ = 36,
    DEVICE_BUS_BITS = 37,
    DEVICE_L2_BYTES = 38,
    DEVICE_MAJOR = 75,
    DEVICE_MINOR = 76,
    DEVICE_SHARED_MOST = 97,
    FUNCTION_LOCAL_BYTES = 3,
    FUNCTION_REGISTERS = 4,
    FUNCTION_SHARED_MOST = 8,
    FUNCTION_ODD_CLUSTERS = 14,
    FUNCTION_PREFER_SHARED = 1,
};
enum { DRIVER_NOT_READY = 600 };

typedef struct {
    void *library;
#define DRIVER(symbol, params) int(*symbol) params;
#include "gpu/driver.def"
#undef DRIVER
} Driver;

// `path` NULL: $OUROBOROS_LIBCUDA, else libcuda.so.1. ERR_IO in one line where there is none.
MUST_CHECK bool driver_open(const char *path, Driver *out, Err *e);
void driver_close(Driver *d);
// "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY: out of memory (2)"; false.
bool driver_fail(const Driver *d, const char *call, int error, Err *e);
// In a function that returns bool and has an Err *e.
#define DRIVER_TRY(d, call, ...)                                           \
    do {                                                                   \
        int driver_error = (d)->call(__VA_ARGS__);                         \
        if (driver_error) return driver_fail((d), #call, driver_error, e); \
    } while (0)
