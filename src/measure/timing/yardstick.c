#include "measure/timing/yardstick.h"

enum { PIECE = 16 };

#define PTX_HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"

const char *const nothing_ptx =
    "// ouroboros nothing\n" PTX_HEAD ".visible .entry nothing()\n{\n    ret;\n}\n";

const char *const clocks_ptx = "// ouroboros clocks\n" PTX_HEAD ".visible .entry clocks(.param .u64 to)\n"
                               "{\n"
                               "    .reg .pred %p;\n"
                               "    .reg .b64 %a, %c0, %c1, %t0, %t1, %d;\n"
                               "    ld.param.u64 %a, [to];\n"
                               "    cvta.to.global.u64 %a, %a;\n"
                               "    mov.u64 %t0, %globaltimer;\n"
                               "    mov.u64 %c0, %clock64;\n"
                               "again:\n"
                               "    mov.u64 %c1, %clock64;\n"
                               "    sub.u64 %d, %c1, %c0;\n"
                               "    setp.lt.u64 %p, %d, 100000;\n"
                               "    @%p bra again;\n"
                               "    mov.u64 %t1, %globaltimer;\n"
                               "    sub.u64 %t1, %t1, %t0;\n"
                               "    st.global.u64 [%a], %d;\n"
                               "    st.global.u64 [%a+8], %t1;\n"
                               "    ret;\n"
                               "}\n";

// Memory holds zeros, but the compiler does not know that: where their sum is something else, it is stored,
// so that no load can be left out.
#define READS_PIECE                                                                               \
    "    setp.lt.u64 %p, %i, %n;\n    shl.b64 %place, %i, 4;\n    add.u64 %place, %at, %place;\n" \
    "    @%p ld.global.L2::cache_hint.v4.u32 {%x0, %x1, %x2, %x3}, [%place], %hint;\n"            \
    "    or.b32 %x0, %x0, %x1;\n    or.b32 %x2, %x2, %x3;\n    or.b32 %sum, %sum, %x0;\n"         \
    "    or.b32 %sum, %sum, %x2;\n    add.u64 %i, %i, 256;\n"
const char *const reads_ptx =
    "// ouroboros reads\n" PTX_HEAD ".visible .entry reads(.param .u64 at, .param .u64 n)\n"
    "{\n    .reg .pred %p;\n    .reg .b32 %b, %t, %sum, %x<4>;\n"
    "    .reg .b64 %at, %n, %i, %place, %hint;\n"
    "    createpolicy.fractional.L2::evict_last.b64 %hint, 1.0;\n"
    "    ld.param.u64 %at, [at];\n    ld.param.u64 %n, [n];\n    cvta.to.global.u64 %at, %at;\n"
    "    mov.u32 %sum, 0;\n    mov.u32 %x0, 0;\n    mov.u32 %x1, 0;\n    mov.u32 %x2, 0;\n"
    "    mov.u32 %x3, 0;\n    mov.u32 %b, %ctaid.x;\n    mov.u32 %t, %tid.x;\n"
    "    mul.wide.u32 %i, %b, 1024;\n    cvt.u64.u32 %place, %t;\n    add.u64 %i, %i, %place;\n" READS_PIECE
        READS_PIECE READS_PIECE READS_PIECE
    "    setp.ne.u32 %p, %sum, 0;\n    @%p st.global.u32 [%at], %sum;\n    ret;\n}\n";

const char *const demotes_ptx =
    "// ouroboros demotes\n" PTX_HEAD ".visible .entry demotes(.param .u64 at, .param .u64 n)\n"
    "{\n    .reg .pred %p;\n    .reg .b32 %b, %t;\n    .reg .b64 %at, %n, %i, %place;\n"
    "    ld.param.u64 %at, [at];\n    ld.param.u64 %n, [n];\n    cvta.to.global.u64 %at, %at;\n"
    "    mov.u32 %b, %ctaid.x;\n    mov.u32 %t, %tid.x;\n    mul.wide.u32 %i, %b, 1024;\n"
    "    mul.wide.u32 %place, %t, 8;\n    add.u64 %i, %i, %place;\n    setp.lt.u64 %p, %i, %n;\n"
    "    setp.lt.and.u32 %p, %t, 128, %p;\n    shl.b64 %place, %i, 4;\n    add.u64 %place, %at, %place;\n"
    "    @%p applypriority.global.L2::evict_normal [%place], 128;\n    ret;\n}\n";

// Each number is mixed with the key and its place (the finalizer of MurmurHash3), so that no change of some
// of them is made up for by a change of others.
#define SUMS_MIX(x)                                                                                       \
    "    shr.u64 %h, " x ", 33;\n    xor.b64 " x ", " x ", %h;\n    mul.lo.u64 " x ", " x                 \
    ", 0xff51afd7ed558ccd;\n    shr.u64 %h, " x ", 33;\n    xor.b64 " x ", " x ", %h;\n    mul.lo.u64 " x \
    ", " x ", 0xc4ceb9fe1a85ec53;\n    shr.u64 %h, " x ", 33;\n    xor.b64 " x ", " x                     \
    ", %h;\n    add.u64 %sum, %sum, " x ";\n"
const char *const sums_ptx =
    "// ouroboros sums\n" PTX_HEAD
    ".visible .entry sums(.param .u64 at, .param .u64 n, .param .u64 key, .param .u64 to)\n"
    "{\n    .reg .pred %p;\n    .reg .b32 %b, %t, %w, %g;\n"
    "    .reg .b64 %at, %n, %key, %to, %i, %step, %place, %x, %y, %k, %h, %sum;\n"
    "    ld.param.u64 %at, [at];\n    ld.param.u64 %n, [n];\n    ld.param.u64 %key, [key];\n"
    "    ld.param.u64 %to, [to];\n    cvta.to.global.u64 %at, %at;\n    cvta.to.global.u64 %to, %to;\n"
    "    mov.u32 %b, %ctaid.x;\n    mov.u32 %t, %tid.x;\n    mov.u32 %w, %ntid.x;\n    mov.u32 %g, "
    "%nctaid.x;\n"
    "    mul.wide.u32 %i, %b, %w;\n    cvt.u64.u32 %place, %t;\n    add.u64 %i, %i, %place;\n"
    "    mul.wide.u32 %step, %g, %w;\n    mov.u64 %sum, 0;\n"
    "again:\n    setp.ge.u64 %p, %i, %n;\n    @%p bra done;\n"
    "    shl.b64 %place, %i, 4;\n    add.u64 %place, %at, %place;\n"
    "    ld.global.v2.u64 {%x, %y}, [%place];\n    mad.lo.u64 %k, %i, 0x9e3779b97f4a7c15, %key;\n"
    "    xor.b64 %x, %x, %k;\n    add.u64 %k, %k, 0x6a09e667f3bcc909;\n    xor.b64 %y, %y, %k;\n" SUMS_MIX(
        "%x") SUMS_MIX("%y") "    add.u64 %i, %i, %step;\n    bra again;\n"
                             "done:\n    red.global.add.u64 [%to], %sum;\n    ret;\n}\n";

// All loads of a thread stand before its first store, so that they are under way together.
void stream_ptx(Buf *out, int inputs, int unroll) {
    buf_printf(out, "// ouroboros stream inputs=%d unroll=%d\n" PTX_HEAD ".visible .entry stream(\n", inputs,
               unroll);
    for (int i = 0; i <= inputs; i++) buf_printf(out, "    .param .u64 at%d,\n", i);
    for (int i = 0; i <= inputs; i++) buf_printf(out, "    .param .u64 n%d%s\n", i, i < inputs ? "," : ")");
    buf_puts(
        out,
        "{\n    .reg .pred %p;\n    .reg .b32 %b, %t, %w;\n    .reg .b64 %at, %n, %first, %i, %place;\n");
    buf_printf(out, "    .reg .b32 %%x<%d>;\n    .reg .b32 %%y<4>;\n", 4 * unroll);
    buf_puts(out, "    mov.u32 %b, %ctaid.x;\n    mov.u32 %t, %tid.x;\n");
    buf_printf(
        out,
        "    mul.wide.u32 %%first, %%b, %d;\n    cvt.u64.u32 %%i, %%t;\n    add.u64 %%first, %%first, %%i;\n",
        STREAM_THREADS * unroll);
    for (int i = 0; i < 4 * unroll; i++) buf_printf(out, "    mov.u32 %%x%d, 0;\n", i);
    for (int k = 0; k <= inputs; k++) {
        buf_printf(out, "    ld.param.u64 %%at, [at%d];\n    ld.param.u64 %%n, [n%d];\n", k, k);
        buf_puts(out, "    cvta.to.global.u64 %at, %at;\n");
        for (int u = 0; u < unroll; u++) {
            const int x = 4 * u;
            buf_printf(out, "    add.u64 %%i, %%first, %d;\n    setp.lt.u64 %%p, %%i, %%n;\n",
                       u * STREAM_THREADS);
            buf_printf(out, "    shl.b64 %%place, %%i, 4;\n    add.u64 %%place, %%at, %%place;\n");
            if (k == inputs) {
                buf_printf(out, "    @%%p st.global.v4.u32 [%%place], {%%x%d, %%x%d, %%x%d, %%x%d};\n", x,
                           x + 1, x + 2, x + 3);
            } else if (k == 0) {
                buf_printf(out, "    @%%p ld.global.v4.u32 {%%x%d, %%x%d, %%x%d, %%x%d}, [%%place];\n", x,
                           x + 1, x + 2, x + 3);
            } else {
                buf_puts(out, "    @%p ld.global.v4.u32 {%y0, %y1, %y2, %y3}, [%place];\n");
                for (int c = 0; c < 4; c++)
                    buf_printf(out, "    @%%p xor.b32 %%x%d, %%x%d, %%y%d;\n", x + c, x + c, c);
            }
        }
    }
    buf_puts(out, "    ret;\n}\n");
}

// From all buffers but the last into the last one, which is the answer.
static void stream_launch(Arena *a, int unroll, TimedRun *out) {
    int last = out->buffers - 1;
    int64_t most = 0, each = (int64_t)STREAM_THREADS * unroll;
    TimedArg *arg = NEWN(a, TimedArg, 2 * (size_t)out->buffers);
    for (int b = 0; b <= last; b++) {
        int64_t pieces = out->buffer[b].bytes / PIECE;
        if (pieces > most) most = pieces;
        arg[b] = (TimedArg){.buffer = b, .bytes = 8};
        arg[last + 1 + b] = (TimedArg){.buffer = -1, .bytes = 8, .bits = (uint64_t)pieces};
    }
    out->step = NEW(a, TimedStep);
    out->steps = 1;
    *out->step = (TimedStep){.kind = STEP_LAUNCH,
                             .grid = {most > each ? (most + each - 1) / each : 1, 1, 1},
                             .block = {STREAM_THREADS, 1, 1},
                             .arg = arg,
                             .args = 2 * out->buffers};
    out->output[0] = (TimedView){last, 0};
    out->outputs = 1;
    Buf text = BUF(a);
    stream_ptx(&text, last, unroll);
    const char *ptx = buf_cstr(&text);
    out->kernel = NEW(a, TimedKernel);
    out->kernels = 1;
    *out->kernel = (TimedKernel){.entry = STR("stream"), .image = {ptx, text.len}, .cluster = 1};
}

void streaming_run(Arena *a, const int64_t *input_bytes, int inputs, int64_t output_bytes, int unroll,
                   TimedRun *out) {
    int64_t largest = 0;
    for (int i = 0; i < inputs; i++) largest = input_bytes[i] > largest ? input_bytes[i] : largest;
    *out = (TimedRun){.buffer = NEWN(a, TimedBuffer, (size_t)inputs + 1)};
    for (int i = 0; i < inputs && out->buffers < STREAM_INPUTS_MAX; i++)
        if (input_bytes[i] >= largest / 4) out->buffer[out->buffers++] = (TimedBuffer){i, input_bytes[i]};
    out->buffer[out->buffers++] = (TimedBuffer){-1, output_bytes};
    stream_launch(a, unroll, out);
}

bool copying_run(Arena *a, const TimedRun *streaming, int unroll, TimedRun *out) {
    int last = streaming->buffers - 1;
    int64_t all = 0, written = streaming->buffer[last].bytes;
    for (int b = 0; b <= last; b++) all += streaming->buffer[b].bytes;
    if (last == 1 && streaming->buffer[0].bytes == written) return false;
    if (all / 2 / PIECE * PIECE > written) written = all / 2 / PIECE * PIECE;
    *out = (TimedRun){.buffer = NEWN(a, TimedBuffer, 2), .buffers = 2};
    out->buffer[0] = (TimedBuffer){-1, all - written};
    out->buffer[1] = (TimedBuffer){-1, written};
    stream_launch(a, unroll, out);
    return true;
}
