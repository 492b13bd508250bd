#include "gpu/device.h"

#include <sched.h>
#include <time.h>

#include "base/clock.h"

enum { SHARED_ALWAYS = 48 << 10, STREAM_ALONE = 1, CAPTURE_RELAXED = 2, SPREAD = 1 };

static bool read_facts(Device *d, int device, Err *e) {
    DeviceFacts *f = &d->facts;
    int l2 = 0;
    size_t all = 0, free_bytes = 0;
    const struct {
        int attribute, *value;
    } table[] = {{DEVICE_SM_KHZ, &f->sm_khz},
                 {DEVICE_PROCESSORS, &f->processors},
                 {DEVICE_MEMORY_KHZ, &f->memory_khz},
                 {DEVICE_BUS_BITS, &f->bus_bits},
                 {DEVICE_L2_BYTES, &l2},
                 {DEVICE_MAJOR, &f->major},
                 {DEVICE_MINOR, &f->minor},
                 {DEVICE_SHARED_MOST, &f->shared_most}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        DRIVER_TRY(&d->driver, cuDeviceGetAttribute, table[i].value, table[i].attribute, device);
    DRIVER_TRY(&d->driver, cuDriverGetVersion, &f->version);
    DRIVER_TRY(&d->driver, cuDeviceGetName, f->name, (int)sizeof f->name - 1, device);
    DRIVER_TRY(&d->driver, cuDeviceTotalMem_v2, &all, device);
    DRIVER_TRY(&d->driver, cuMemGetInfo_v2, &free_bytes, &all);
    f->l2_bytes = l2;
    f->memory_bytes = (int64_t)all;
    f->free_bytes = (int64_t)free_bytes;
    return true;
}

static bool start(Device *d, Err *e) {
    int device = 0;
    char bus[32] = "";
    DRIVER_TRY(&d->driver, cuInit, 0);
    DRIVER_TRY(&d->driver, cuDeviceGet, &device, 0);
    DRIVER_TRY(&d->driver, cuCtxCreate_v2, &d->context, 0, device);
    DRIVER_TRY(&d->driver, cuStreamCreate, &d->stream, STREAM_ALONE);
    for (int i = 0; i < DEVICE_EVENTS; i++) DRIVER_TRY(&d->driver, cuEventCreate, &d->event[i], 0);
    if (d->driver.cuDeviceGetPCIBusId(bus, (int)sizeof bus, device) == 0) power_open(bus, &d->power);
    return read_facts(d, device, e);
}

bool device_open(const char *library, Device *out, Err *e) {
    *out = (Device){0};
    if (!driver_open(library, &out->driver, e)) return false;
    if (start(out, e)) return true;
    device_close(out);
    return err_ctx(e, "the GPU does not start");
}

// What is not given back here goes with the context.
void device_close(Device *d) {
    for (int i = 0; i < DEVICE_EVENTS; i++)
        if (d->event[i]) d->driver.cuEventDestroy_v2(d->event[i]);
    if (d->stream) d->driver.cuStreamDestroy_v2(d->stream);
    if (d->context) d->driver.cuCtxDestroy_v2(d->context);
    device_memory_close(&d->memory);
    power_close(&d->power);
    driver_close(&d->driver);
    *d = (Device){0};
}

// ---- memory (device_memory.c gives it and takes it back)

// The stream does not wait for copies that are not queued in it, nor they for it.
static bool settle(Device *d, Err *e) { return device_wait(d, 60, e); }

bool device_write(Device *d, DeviceAddress to, const void *from, size_t bytes, Err *e) {
    if (!bytes) return true;
    if (!settle(d, e)) return false;
    DRIVER_TRY(&d->driver, cuMemcpyHtoD_v2, to, from, bytes);
    return true;
}

bool device_read(Device *d, void *to, DeviceAddress from, size_t bytes, Err *e) {
    if (!bytes) return true;
    if (!settle(d, e)) return false;
    DRIVER_TRY(&d->driver, cuMemcpyDtoH_v2, to, from, bytes);
    return true;
}

bool device_fill(Device *d, DeviceAddress to, uint64_t pattern, int width, size_t count, Err *e) {
    const Driver *r = &d->driver;
    uint32_t low = (uint32_t)pattern, high = (uint32_t)(pattern >> 32);
    if (!count) return true;
    switch (width) {
    case 1: DRIVER_TRY(r, cuMemsetD8Async, to, (unsigned char)low, count, d->stream); return true;
    case 2: DRIVER_TRY(r, cuMemsetD16Async, to, (unsigned short)low, count, d->stream); return true;
    case 4: DRIVER_TRY(r, cuMemsetD32Async, to, low, count, d->stream); return true;
    case 8: break;
    default: return err_set(e, ERR_INPUT, "a fill of %d bytes an element", width);
    }
    if (low == high) {
        DRIVER_TRY(r, cuMemsetD32Async, to, low, 2 * count, d->stream);
        return true;
    }
    // Each half as one column of a table whose rows are the elements.
    DRIVER_TRY(r, cuMemsetD2D32Async, to, 8, low, 1, count, d->stream);
    DRIVER_TRY(r, cuMemsetD2D32Async, to + 4, 8, high, 1, count, d->stream);
    return true;
}

bool device_copy(Device *d, DeviceAddress to, DeviceAddress from, size_t bytes, Err *e) {
    if (bytes) DRIVER_TRY(&d->driver, cuMemcpyDtoDAsync_v2, to, from, bytes, d->stream);
    return true;
}

// ---- code

static bool prepare(Device *d, const char *entry, int shared, DeviceKernel *k, Err *e) {
    const Driver *r = &d->driver;
    DRIVER_TRY(r, cuModuleGetFunction, &k->function, k->module, entry);
    DRIVER_TRY(r, cuFuncGetAttribute, &k->registers, FUNCTION_REGISTERS, k->function);
    DRIVER_TRY(r, cuFuncGetAttribute, &k->local_bytes, FUNCTION_LOCAL_BYTES, k->function);
    if (shared <= SHARED_ALWAYS) return true;
    if (shared > d->facts.shared_most)
        return err_set(e, ERR_INPUT, "%s needs %d bytes of shared memory; a block has at most %d", entry,
                       shared, d->facts.shared_most);
    DRIVER_TRY(r, cuFuncSetCacheConfig, k->function, FUNCTION_PREFER_SHARED);
    DRIVER_TRY(r, cuFuncSetAttribute, k->function, FUNCTION_SHARED_MOST, shared);
    return true;
}

bool device_load(Device *d, const char *image, const char *entry, int shared, DeviceKernel *out, Err *e) {
    *out = (DeviceKernel){0};
    void *module = NULL; // a driver that fails may leave anything there
    DRIVER_TRY(&d->driver, cuModuleLoadDataEx, &module, image, 0, NULL, NULL);
    out->module = module;
    if (prepare(d, entry, shared, out, e)) return true;
    device_unload(d, out);
    return false;
}

void device_unload(Device *d, DeviceKernel *k) {
    if (k->module) d->driver.cuModuleUnload(k->module);
    *k = (DeviceKernel){0};
}

bool device_launch(Device *d, const DeviceLaunch *l, Err *e) {
    DriverAttribute attribute[4] = {0};
    unsigned n = 0;
    DriverLaunch c = {.shared = l->shared, .stream = d->stream, .attribute = attribute};
    memcpy(c.grid, l->grid, sizeof c.grid);
    memcpy(c.block, l->block, sizeof c.block);
    if (l->overlaps) attribute[n].id = LAUNCH_OVERLAPS, attribute[n++].value.flag = 1;
    if (l->cooperative) attribute[n].id = LAUNCH_COOPERATIVE, attribute[n++].value.flag = 1;
    if (l->cluster > 1) {
        attribute[n].id = LAUNCH_CLUSTER;
        attribute[n].value.cluster[0] = l->cluster;
        attribute[n].value.cluster[1] = attribute[n].value.cluster[2] = 1;
        n++;
        attribute[n].id = LAUNCH_CLUSTER_POLICY, attribute[n++].value.flag = SPREAD;
        if (l->cluster > 8)
            DRIVER_TRY(&d->driver, cuFuncSetAttribute, l->kernel->function, FUNCTION_ODD_CLUSTERS, 1);
    }
    c.attributes = n;
    DRIVER_TRY(&d->driver, cuLaunchKernelEx, &c, l->kernel->function, l->params, NULL);
    return true;
}

// ---- graphs

bool device_capture_begin(Device *d, Err *e) {
    DRIVER_TRY(&d->driver, cuStreamBeginCapture_v2, d->stream, CAPTURE_RELAXED);
    return true;
}

bool device_capture_end(Device *d, DeviceGraph *out, Err *e) {
    *out = (DeviceGraph){0};
    DRIVER_TRY(&d->driver, cuStreamEndCapture, d->stream, &out->graph);
    int error = d->driver.cuGraphInstantiateWithFlags(&out->executable, out->graph, 0);
    if (!error) error = d->driver.cuGraphUpload(out->executable, d->stream);
    if (!error) return true;
    device_graph_free(d, out);
    return driver_fail(&d->driver, "cuGraphInstantiateWithFlags", error, e);
}

bool device_replay(Device *d, const DeviceGraph *g, Err *e) {
    DRIVER_TRY(&d->driver, cuGraphLaunch, g->executable, d->stream);
    return true;
}

void device_graph_free(Device *d, DeviceGraph *g) {
    if (g->executable) d->driver.cuGraphExecDestroy(g->executable);
    if (g->graph) d->driver.cuGraphDestroy(g->graph);
    *g = (DeviceGraph){0};
}

// ---- time

bool device_mark(Device *d, int event, Err *e) {
    DRIVER_TRY(&d->driver, cuEventRecord, d->event[event], d->stream);
    return true;
}

bool device_between(Device *d, int from, int to, double *us, Err *e) {
    float ms = 0;
    DRIVER_TRY(&d->driver, cuEventElapsedTime, &ms, d->event[from], d->event[to]);
    *us = 1000.0 * (double)ms;
    return true;
}

// What is timed ends soon, and is looked for without a pause. A kernel that hangs takes no core beside the
// GPU.
bool device_wait(Device *d, double seconds, Err *e) {
    enum { SOON_MS = 50 };
    const struct timespec pause = {.tv_nsec = 500000};
    double from = clock_seconds();
    for (;;) {
        int error = d->driver.cuStreamQuery(d->stream);
        if (!error) return true;
        if (error != DRIVER_NOT_READY) return driver_fail(&d->driver, "cuStreamQuery", error, e);
        double waited = clock_seconds() - from;
        if (waited > seconds) return err_set(e, ERR_LIMIT, "a kernel has not ended in %.0f seconds", seconds);
        if (waited > SOON_MS * 1e-3)
            nanosleep(&pause, NULL);
        else
            sched_yield();
    }
}
