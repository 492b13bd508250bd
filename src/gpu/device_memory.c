// Memory of a device. The driver takes 0.1 ms and more to give or take back a piece, and waits for the GPU in
// the meantime; a job asks for hundreds of pieces, and the next job for as many of the same sizes. So pieces
// that are given back are kept, up to a share of what was free.
#include "gpu/device.h"

#include <stdlib.h>

enum { KEPT_SHARE = 4 };

static DevicePiece *piece_at(const DeviceMemory *m, DeviceAddress at) {
    for (int i = 0; i < m->pieces; i++)
        if (m->piece[i].at == at) return &m->piece[i];
    return NULL;
}

static void forget(DeviceMemory *m, DevicePiece *p) { *p = m->piece[--m->pieces]; }

// All that nobody uses goes back to the driver. False: there was none.
static bool give_back(Device *d) {
    DeviceMemory *m = &d->memory;
    bool any = false;
    for (int i = m->pieces; i-- > 0;)
        if (!m->piece[i].used) {
            d->driver.cuMemFree_v2(m->piece[i].at);
            forget(m, &m->piece[i]);
            any = true;
        }
    m->spare = 0;
    return any;
}

static bool remember(DeviceMemory *m, DevicePiece p) {
    if (m->pieces == m->room) {
        int room = m->room ? 2 * m->room : 256;
        DevicePiece *more = realloc(m->piece, (size_t)room * sizeof *more);
        if (!more) return false;
        m->piece = more;
        m->room = room;
    }
    m->piece[m->pieces++] = p;
    return true;
}

bool device_alloc(Device *d, size_t bytes, DeviceAddress *out, Err *e) {
    DeviceMemory *m = &d->memory;
    if (!bytes) bytes = 1;
    for (int i = 0; i < m->pieces; i++)
        if (!m->piece[i].used && m->piece[i].bytes == bytes) {
            m->piece[i].used = true;
            m->spare -= (int64_t)bytes;
            *out = m->piece[i].at;
            return true;
        }
    int error = d->driver.cuMemAlloc_v2(out, bytes);
    if (error && give_back(d)) error = d->driver.cuMemAlloc_v2(out, bytes);
    if (error) return driver_fail(&d->driver, "cuMemAlloc_v2", error, e);
    if (remember(m, (DevicePiece){*out, bytes, true})) return true;
    d->driver.cuMemFree_v2(*out);
    return err_set(e, ERR_LIMIT, "no memory to note a piece of the GPU's memory");
}

void device_free(Device *d, DeviceAddress at) {
    DeviceMemory *m = &d->memory;
    DevicePiece *p = at ? piece_at(m, at) : NULL;
    if (!p || !p->used) return;
    p->used = false;
    m->spare += (int64_t)p->bytes;
    if (m->spare > d->facts.free_bytes / KEPT_SHARE) give_back(d);
}

void device_memory_close(DeviceMemory *m) {
    free(m->piece);
    *m = (DeviceMemory){0};
}
