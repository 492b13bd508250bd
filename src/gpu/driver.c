#include "gpu/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

bool driver_open(const char *path, Driver *out, Err *e) {
    static const struct {
        const char *symbol;
        size_t at;
    } table[] = {
#define DRIVER(symbol, params) {#symbol, offsetof(Driver, symbol)},
#include "gpu/driver.def"
#undef DRIVER
    };
    if (!path) path = getenv("OUROBOROS_LIBCUDA");
    bool usual = !path || !*path;
    if (usual) path = "libcuda.so.1";
    *out = (Driver){.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!out->library && usual)
        return err_set(e, ERR_IO,
                       "no NVIDIA driver here (%s cannot be loaded; OUROBOROS_LIBCUDA names another one)",
                       path);
    if (!out->library) return err_set(e, ERR_IO, "no NVIDIA driver here: %s", dlerror());
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        void *f = dlsym(out->library, table[i].symbol);
        if (!f) {
            driver_close(out);
            return err_set(e, ERR_IO, "%s lacks %s: a driver of CUDA 12.3 or later is needed", path,
                           table[i].symbol);
        }
        memcpy((char *)out + table[i].at, &f, sizeof f);
    }
    return true;
}

void driver_close(Driver *d) {
    if (d->library) dlclose(d->library);
    *d = (Driver){0};
}

bool driver_fail(const Driver *d, const char *call, int error, Err *e) {
    const char *name = NULL, *text = NULL;
    if (d->cuGetErrorName(error, &name) || !name) name = "an error without a name";
    if (d->cuGetErrorString(error, &text) || !text) text = "no text";
    return err_set(e, ERR_IO, "%s: %s: %s (%d)", call, name, text, error);
}
