// What the rank model is told of kernels: counters of one quick judgment in float16 and, at given shapes,
// what their host code launches. JSON Lines in, as `ouroboros propose --json` prints them, and with "at":
// [[rows, row, bytes of a float], ...]. Out: a line "k" a kernel and a line "t" a shape, as in h100_times.tsv
// but for the times.
//   bench_launches kernels.jsonl
#include <inttypes.h>
#include <string.h>

#include "base/io.h"
#include "base/json.h"
#include "bench.h"
#include "judge/judge.h"
#include "rank/launches.h"

enum { PROCESSORS = 132, TEXT_MAX = 256 << 20 };
static const uint64_t seed = 1;

static void print_launches(const RankLaunches *l) {
    for (int i = 0; i < l->launches; i++)
        printf("%s%" PRId64 "/%d/%.0f", i ? "," : "", l->at[i].programs, l->at[i].warps, l->at[i].tile);
    puts(l->launches ? "" : "-");
}

static void print_kernel(Str op, Str schedule, Str source, const Traffic *t) {
    const Counters *c = &t->count;
    const RankCase *f = &t->facts;
    printf("k\t%.*s\t%.*s\t%d\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64
           "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t",
           STR_ARG(op), STR_ARG(schedule), rank_hints(source), c->lanes, c->instructions, c->programs,
           c->launches, c->bytes_loaded, c->bytes_stored, c->bytes_copied, c->tile_bytes, c->warps,
           c->function_lanes);
    printf("%" PRId64 "\t%" PRId64 "\t%d\t%d\t%.0f\t%.0f\t", f->rows, f->row, f->has_rows, f->elem_bytes,
           f->row_bytes, f->shared_bytes);
}

static bool print_shapes(Referee *r, LaunchesAsk *ask, const json_t *at, Err *e) {
    size_t i;
    const json_t *shape;
    json_array_foreach(at, i, shape) {
        int64_t x[3];
        for (size_t k = 0; k < 3; k++) x[k] = json_integer_value(json_array_get(shape, k));
        RankLaunches l;
        ask->dtype = x[2] == 4 ? DT_F32 : DT_F16;
        if (!launches_at(r->fork_servers, ask, x[0], x[1], &l, e)) return false;
        printf("t\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t", x[0], x[1], x[2]);
        print_launches(&l);
    }
    return true;
}

static bool kernel(Referee *r, Arena *a, Str line, Err *e) {
    Json j;
    Str name = {0}, source = {0}, schedule = {0};
    Op op;
    Verdict v;
    RankLaunches at;
    bool ok = json_parse("kernels", line, &j, e) && json_get_text(&j, j.root, "op", &name) &&
              json_get_text(&j, j.root, "schedule", &schedule) &&
              json_get_text(&j, j.root, "source", &source) && op_resolve(a, str_cdup(a, name), &op, e);
    const JudgeRequest judge = {.op = &op, .level = LEVEL_QUICK, .filter = {.dtype = DT_F16}, .seed = &seed};
    ok = ok && referee_judge(r, a, &judge, &source, 1, &v, e);
    if (ok && !verdict_accepted(&v))
        fprintf(stderr, "bench_launches: %.*s: %s\n", STR_ARG(name), v.decision.feedback);
    if (ok && verdict_accepted(&v)) {
        LaunchesAsk ask = {&op, source, referee_extras(r), DT_F16, PROCESSORS};
        const RankCase *f = &v.traffic.facts;
        print_kernel(name, schedule, source, &v.traffic);
        ok = launches_at(r->fork_servers, &ask, f->rows, f->row, &at, e);
        print_launches(&at);
        ok = ok && print_shapes(r, &ask, json_object_get(j.root, "at"), e);
    }
    json_close(&j);
    return ok;
}

int main(int argc, char **argv) {
    Err e = {0};
    Arena text = {0};
    Str all;
    Referee *r;
    RefereeConfig config = {.jobs = 1, .no_journal = true};
    bool ok = argc == 2 && io_read(&text, argv[1], TEXT_MAX, &all, &e) && referee_open(&config, &r, &e);
    if (!ok) return fprintf(stderr, "bench_launches: %s\n", argc == 2 ? e.msg : "a file of JSON Lines"), 1;
    while (ok && all.len) {
        Arena a = {0};
        const char *end = memchr(all.p, '\n', all.len);
        Str line = {all.p, end ? (size_t)(end - all.p) : all.len};
        all = (Str){all.p + line.len + (end != NULL), all.len - line.len - (end != NULL)};
        ok = !line.len || kernel(r, &a, line, &e);
        arena_free(&a);
    }
    referee_close(r);
    arena_free(&text);
    return ok ? 0 : (fprintf(stderr, "bench_launches: %s\n", e.msg), 1);
}
