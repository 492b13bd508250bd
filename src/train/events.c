#include "train/events.h"

// Bit by bit: a few hundred bytes at a step.
uint32_t crc32c(const void *p, size_t n) {
    const uint8_t *b = p;
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++) {
        crc ^= b[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (0x82f63b78u & (0u - (crc & 1)));
    }
    return ~crc;
}

static uint32_t masked(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8u; }

static void frame_put(Buf *out, Str message) {
    uint64_t n = message.len;
    uint32_t head = masked(crc32c(&n, sizeof n)), tail = masked(crc32c(message.p, message.len));
    buf_put(out, &n, sizeof n);
    buf_put(out, &head, sizeof head);
    buf_str_put(out, message);
    buf_put(out, &tail, sizeof tail);
}

// ---- protocol buffers: a field is its number and wire type, then its value

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };
static void varint(Buf *b, uint64_t x) {
    for (; x >= 0x80; x >>= 7) buf_putc(b, (char)(x | 0x80));
    buf_putc(b, (char)x);
}
static void field(Buf *b, int number, int wire) { varint(b, (uint64_t)(number << 3 | wire)); }
static void field_bytes(Buf *b, int number, Str s) {
    field(b, number, WIRE_BYTES);
    varint(b, s.len);
    buf_str_put(b, s);
}

static void event_begin(Buf *b, double wall_time) {
    field(b, 1, WIRE_64);
    buf_put(b, &wall_time, sizeof wall_time);
}

void event_version(Buf *out, double wall_time) {
    Arena a = {0};
    Buf event = BUF(&a);
    event_begin(&event, wall_time);
    field_bytes(&event, 3, STR("brain.Event:2"));
    frame_put(out, buf_str(&event));
    arena_free(&a);
}

void event_scalars(Buf *out, double wall_time, int64_t step, const EventScalar *scalar, int n) {
    Arena a = {0};
    Buf event = BUF(&a), summary = BUF(&a);
    for (int i = 0; i < n; i++) {
        Buf value = BUF(&a);
        float x = (float)scalar[i].value;
        field_bytes(&value, 1, str_of(scalar[i].tag));
        field(&value, 2, WIRE_32);
        buf_put(&value, &x, sizeof x);
        field_bytes(&summary, 1, buf_str(&value));
    }
    event_begin(&event, wall_time);
    field(&event, 2, WIRE_VARINT);
    varint(&event, (uint64_t)step);
    field_bytes(&event, 5, buf_str(&summary));
    frame_put(out, buf_str(&event));
    arena_free(&a);
}
