#include "gpu/power.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int (*init)(void);
    int (*shutdown)(void);
    int (*by_bus)(const char *bus, void **device);
    int (*usage)(void *device, unsigned *milliwatts);
} Nvml;

static bool functions_find(void *library, Nvml *out) {
    static const struct {
        const char *symbol;
        size_t at;
    } table[] = {{"nvmlInit_v2", offsetof(Nvml, init)},
                 {"nvmlShutdown", offsetof(Nvml, shutdown)},
                 {"nvmlDeviceGetHandleByPciBusId_v2", offsetof(Nvml, by_bus)},
                 {"nvmlDeviceGetPowerUsage", offsetof(Nvml, usage)}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        void *f = dlsym(library, table[i].symbol);
        if (!f) return false;
        memcpy((char *)out + table[i].at, &f, sizeof f);
    }
    return true;
}

void power_open(const char *bus, Power *out) {
    const char *path = getenv("OUROBOROS_LIBNVML");
    Nvml n = {0};
    *out = (Power){.library = dlopen(path && *path ? path : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!out->library) return;
    if (functions_find(out->library, &n) && n.init() == 0) {
        if (n.by_bus(bus, &out->device) == 0)
            out->usage = n.usage;
        else
            n.shutdown();
    }
    if (!out->usage) power_close(out);
}

double power_watts(const Power *p) {
    unsigned milliwatts = 0;
    return p->usage && p->usage(p->device, &milliwatts) == 0 ? milliwatts / 1000.0 : 0;
}

void power_close(Power *p) {
    Nvml n = {0};
    if (p->usage && functions_find(p->library, &n)) n.shutdown();
    if (p->library) dlclose(p->library);
    *p = (Power){0};
}
