#include "weights/format/safetensors_write.h"

static uint64_t bytes_of(const SafetensorsRow *r) {
    return (uint64_t)r->shape[0] * (uint64_t)(r->rank == 2 ? r->shape[1] : 1) * sizeof(float);
}

// Padded with spaces, so that the data begins at a multiple of 64.
static void header_put(Buf *out, const SafetensorsRow *row, int rows) {
    enum { ALIGNMENT = 64, LENGTH = 8 };
    uint64_t at = 0;
    buf_puts(out, "{\"__metadata__\":{\"format\":\"pt\"}");
    for (int i = 0; i < rows; i++) {
        buf_printf(out, ",\"%s\":{\"dtype\":\"F32\",\"shape\":[%lld", row[i].name,
                   (long long)row[i].shape[0]);
        if (row[i].rank == 2) buf_printf(out, ",%lld", (long long)row[i].shape[1]);
        buf_printf(out, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)at,
                   (unsigned long long)(at + bytes_of(&row[i])));
        at += bytes_of(&row[i]);
    }
    buf_putc(out, '}');
    while ((out->len + LENGTH) % ALIGNMENT) buf_putc(out, ' ');
}

bool safetensors_write(const char *path, const SafetensorsRow *row, int rows, Err *e) {
    Arena a = {0};
    Buf header = BUF(&a);
    IoFile f;
    header_put(&header, row, rows);
    uint64_t length = header.len; // little-endian, as every machine that this is built for
    bool open = io_begin(&f, path, e);
    bool ok =
        open && io_write_all(f.fd, &length, sizeof length, e) && io_write_all(f.fd, header.p, header.len, e);
    for (int i = 0; ok && i < rows; i++) ok = io_write_all(f.fd, row[i].data, bytes_of(&row[i]), e);
    if (ok)
        ok = io_commit(&f, e);
    else if (open)
        io_abandon(&f);
    arena_free(&a);
    return ok || err_ctx(e, "%s", path);
}
