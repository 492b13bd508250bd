// vm_device.h - between the libcuda of the tests (libcuda.c) and the process that runs its kernels in our
// virtual machine (vm_device.c). Device memory is one file that both map; its table of allocations lies at
// the beginning.
//
// A "cubin" is a text, one JSON object:
//   {"kernel":"softmax","source":"import triton...","warps":4,"stages":3,
//    "params":[{"name":"x","type":"*fp16"},{"name":"n","type":"i32"},{"name":"BLOCK","type":"constexpr","value":64}]}
#pragma once
#include <stdint.h>

enum { VM_ALLOCATIONS = 8192, VM_ARGS = 256 };
#define VM_MEMORY ((uint64_t)8 << 30) // of address space; pages come when they are touched
#define VM_BASE   ((uint64_t)0x700000000000)
typedef struct {
    uint64_t count;
    struct {
        uint64_t at, bytes; // at: as the device's address; 0: free again
    } allocation[VM_ALLOCATIONS];
} VmTable;

typedef enum { VM_LOAD, VM_LAUNCH } VmOrder;
typedef enum { VM_DONE, VM_ILLEGAL_ADDRESS, VM_FAILED } VmEnd;
typedef struct {
    int32_t order, kernel; // kernel: its number, from 0, in the order of loading
    uint64_t text_bytes;   // LOAD: they follow
    int64_t grid[3];
    uint64_t value[VM_ARGS]; // LAUNCH
} VmRequest;
typedef struct {
    int32_t end, args; // args: LOAD
    int32_t bytes[VM_ARGS];
    int64_t moved; // LAUNCH: bytes loaded and stored
    char why[256];
} VmReply;

// What was asked for since the library was loaded: by the last launch, and of functions.
enum { VM_LAUNCH_ATTRIBUTES = 8, VM_FUNCTION_ATTRIBUTES = 32 };
typedef struct {
    unsigned grid[3], block[3], shared, attributes;
    struct {
        int id, padding;
        unsigned value[16];
    } attribute[VM_LAUNCH_ATTRIBUTES];
    int function[VM_FUNCTION_ATTRIBUTES], cache_config;
} VmLaunched;
