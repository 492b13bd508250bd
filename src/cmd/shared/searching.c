#include "cmd/shared/searching.h"

#include "cmd/shared/judging.h"

static void nobody_waits(void *arg) { (void)arg; }

void searching_open(Service *s, Measurer *m, const char *python, Searching *out) {
    const TimerOptions options = {.python = python, .alone = true};
    *out = (Searching){s, m, stream_times_open(s, m, &options, nobody_waits, NULL), NULL};
}

bool searching_close(Searching *s, Err *e) { return stream_times_close(s->times, e); }

static SearchRequest request_of(const Searching *s, const Op *op, const SearchingAsk *ask) {
    return (SearchRequest){.op = op,
                           .service = s->service,
                           .times = s->times,
                           .measurer = s->measurer,
                           .place = ask->place,
                           .places = ask->places,
                           .seconds = ask->seconds,
                           .start = ask->start,
                           .known = s->known,
                           .filter = ask->filter,
                           .interrupted = interrupts_seen,
                           .told = ask->told,
                           .arg = ask->arg};
}

bool searching_run(Arena *a, const Searching *s, const Op *op, const SearchingAsk *ask, SearchResult *out,
                   Err *e) {
    const SearchRequest q = request_of(s, op, ask);
    return search_run(a, &q, out, e);
}

json_t *searching_more(Arena *a, const Searching *s, const Op *op, const SearchWinner *w, DType dtype,
                       const SearchingAsk *ask) {
    CellPlace place[TIMED_CELLS_MAX];
    for (int i = 0; i < ask->places; i++)
        place[i] = (CellPlace){ask->place[i].rows, ask->place[i].columns, dtype};
    const SearchRequest q = request_of(s, op, ask);
    return search_times(a, &q, w, place, ask->places);
}

void searching_text(Buf *out, const SearchResult *r, const SearchingAsk *ask, const char *prefix) {
    const SearchWinner *w = &r->best;
    buf_printf(out, "%s%d kernels proposed, %d accepted at full, %d timed at %d shape%s, %.0f s\n", prefix,
               r->proposed, r->accepted, r->timed, ask->places, ask->places == 1 ? "" : "s", r->seconds);
    for (int i = 0; i < w->rows; i++) buf_printf(out, "%s%s\n", prefix, w->row[i]);
    for (int i = 0; i < ask->places; i++)
        buf_printf(out, "%s%lldx%lld %s: %.2f us, timed again, apart (%.2f us in the search)\n", prefix,
                   (long long)ask->place[i].rows, (long long)ask->place[i].columns,
                   dtype_info[ask->place[i].dtype].torch, w->us[i], w->first_us[i]);
}

json_t *searching_json(const SearchResult *r) {
    json_t *table = json_array();
    for (int i = 0; i < r->best.rows; i++) json_array_append_new(table, json_string(r->best.row[i]));
    return json_pack("{s:i,s:i,s:i,s:i,s:f,s:o,s:O}", "proposed", r->proposed, "accepted", r->accepted,
                     "timed", r->timed, "taken_back", r->taken_back, "seconds", r->seconds, "table", table,
                     "tried", r->tried);
}
