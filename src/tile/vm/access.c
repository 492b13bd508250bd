// What is wrong with an access: the passes over its bytes only know that something is.
#include "tile/vm/access.h"
#include <assert.h>

static bool touched_by_other(const Access *x, uint32_t serial) {
    return serial >= x->v->first && serial != x->v->serial;
}

// What is wrong with one lane's element, found again by the slow road. False when something is.
static bool explain_lane(Access *x, size_t lane) {
    Vm *v = x->v;
    const Step *s = x->s;
    const char *what = x->store ? "store" : "load";
    int64_t offset, size = (int64_t)x->bytes;
    Storage *m = storage_at(x, lane_address(x, lane), &offset);
    if (!m)
        return vm_finding(v, s, DIAG_OOB, (int64_t)lane, "%s at an address that left the range of its tensor",
                          what);
    int64_t element = offset >= 0 ? offset / size : -((size - 1 - offset) / size);
    long long at = (long long)element, end = (long long)(m->bytes / x->bytes);
    if (offset < -VM_NEAR_MISS || offset > (int64_t)m->bytes + VM_NEAR_MISS)
        return vm_finding(v, s, DIAG_OOB, (int64_t)lane, "%s outside the tensor's memory, far from it", what);
    if (offset < 0)
        return vm_finding(
            v, s, DIAG_OOB, (int64_t)lane,
            "%s outside the tensor's memory: element offset %lld, %lld before its first element", what, at,
            -at);
    if (offset + size > (int64_t)m->bytes)
        return vm_finding(v, s, DIAG_OOB, (int64_t)lane,
                          "%s outside the tensor's memory: element offset %lld, %lld past its last element",
                          what, at, at - end + 1);
    if (offset % size) return vm_finding(v, s, DIAG_OOB, (int64_t)lane, "%s at a misaligned address", what);
    storage_reach(m, (size_t)offset, (size_t)(offset + size)); // of a run that leaves it, nobody has yet
    uint8_t flags = shadow_flags(v->loops, m, (size_t)offset, x->bytes);
    if (!(flags & SHADOW_ALLOC))
        return vm_finding(
            v, s, DIAG_OOB, (int64_t)lane,
            "%s of element offset %lld, which lies between the rows of the tensor and belongs to no element",
            what, at);
    if (x->store && m->read_only)
        return vm_finding(v, s, DIAG_WRITE, (int64_t)lane,
                          "store to an input (element offset %lld); inputs are read-only", at);
    if (!x->store && !(flags & SHADOW_INIT))
        return vm_finding(v, s, DIAG_UNINIT, (int64_t)lane,
                          "load of element offset %lld, which nothing has written yet: store it first, or "
                          "allocate with torch.zeros",
                          at);
    if (!m->writer) return true;
    size_t unit = (size_t)dtype_bytes(m->dtype);
    for (size_t w = (size_t)offset / unit; w <= ((size_t)offset + x->bytes - 1) / unit; w++) {
        uint32_t word = m->was_read ? m->reader[w] : 0, reader = word & ~READER_MANY;
        bool many = reader >= v->first && (word & READER_MANY);
        if (touched_by_other(x, m->writer[w]))
            return vm_finding(v, s, DIAG_RACE, (int64_t)lane,
                              "%s of element offset %lld, which another program of this launch has written; "
                              "programs run in any order",
                              what, at);
        if (x->store && (many || touched_by_other(x, reader)))
            return vm_finding(v, s, DIAG_RACE, (int64_t)lane,
                              "store to element offset %lld, which another program of this launch has read; "
                              "programs run in any order",
                              at);
    }
    return true;
}

void access_explain(Access *x, size_t lane, size_t n) {
    for (size_t i = lane; i < lane + n; i++)
        if (!explain_lane(x, i)) return;
    assert(false && "the passes over a run saw what none of its lanes shows");
    (void)vm_finding(x->v, x->s, DIAG_OOB, (int64_t)lane, "an access that could not be explained");
}
