// events.h - the records of a TensorBoard event file: TFRecord frames (length, its checksum, data, its
// checksum; CRC32C, masked) around the protocol buffer message Event, of which a version and scalar summaries
// are written. Format: tensorflow/core/util/event.proto and lib/io/record_writer of TensorFlow's
// documentation.
#pragma once
#include "base/str.h"

typedef struct {
    const char *tag;
    double value;
} EventScalar;
void event_version(Buf *out, double wall_time); // what a file begins with
void event_scalars(Buf *out, double wall_time, int64_t step, const EventScalar *scalar, int n);
uint32_t crc32c(const void *p, size_t n); // Castagnoli
