// yardstick.h - kernels of our own, as PTX text that the driver compiles: plain streaming from several inputs
// into one output, and a copy, to which a kernel's time is compared; one that does nothing; one that reads
// memory, and one that sums it up; one that reads the clocks.
#pragma once
#include "measure/timing/timed_run.h"

// The streaming kernel has this name, and takes the addresses of its inputs, of its output, then the number
// of 16-byte pieces of each. A thread moves `unroll` of them.
enum { STREAM_INPUTS_MAX = 8, STREAM_THREADS = 256 };
void stream_ptx(Buf *out, int inputs, int unroll);
extern const char *const nothing_ptx; // entry "nothing"
// Entries "reads" and "demotes": what lay in the L2, of whatever priority, makes room for zeros of normal
// priority. Both take the address of memory full of zeros, a multiple of 128, and the number of its 16-byte
// pieces; a block has STREAM_THREADS threads for READS_OF_BLOCK of them. The first loads them to be evicted
// last, the second makes them ordinary. Neither writes: nothing has to be written back in a window.
enum { READS_OF_BLOCK = 1024 };
extern const char *const reads_ptx, *const demotes_ptx;
// Entry "sums" takes the address of memory, the number of its 16-byte pieces, a key, and where to add a
// 64-bit number that all bytes and their order go into. The same bytes and key give the same number; whoever
// does not know the key cannot change bytes and keep it, but by luck of 2^-64. Any grid will do.
extern const char *const sums_ptx;
// Entry "clocks", takes an address of two 64-bit numbers: cycles of the processor and nanoseconds that it was
// busy for.
extern const char *const clocks_ptx;

// The big ones of the inputs (a quarter of the largest and more) into an answer of so many bytes.
void streaming_run(Arena *a, const int64_t *input_bytes, int inputs, int64_t output_bytes, int unroll,
                   TimedRun *out);
// As many bytes as that moves, half of them read and half written, or as many written as the answer has.
// False where that is the very same.
bool copying_run(Arena *a, const TimedRun *streaming, int unroll, TimedRun *out);
