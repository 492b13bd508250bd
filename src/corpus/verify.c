#include "corpus/verify.h"

#include "corpus/identity.h"
#include "corpus/record.h"

static const double TOGETHER_SECONDS = 0.5;

typedef struct {
    const VerifyRequest *q;
    VerifyTally *out;
    Ladder *ladder;
    Recorder recorder;
    Arena ops;     // as long as verdicts come in
    const Op *op;  // of the program before, in its domain; NULL: there is none
    Str name, key; // what it was looked up by
    DrawFilter filter;
} Verify;

static bool is_interrupted(const Verify *v) { return v->q->interrupted && v->q->interrupted(v->q->arg); }

// ---- ops

// From the suite; of a user's, from what the store holds.
static bool find_op(Verify *v, Str name, Op *op, bool *found, Err *e) {
    *found = op_find(&v->ops, name, op);
    if (*found) return true;
    StoredDefinition d;
    if (!store_definition_of(v->q->store, &v->ops, name, &d, found, e) || !*found) return *found || !e->code;
    DiagList diags = DIAGS(&v->ops);
    *found = op_define(&v->ops, name, d.source, true, op, &diags);
    return true;
}

// Programs come in the order of their ops, so that the last one is mostly the right one.
static bool op_of(Verify *v, const StoredProgram *p, Err *e) {
    if (v->name.p && str_eq(p->op, v->name) && str_eq(p->domain, v->key)) return true;
    v->name = str_dup(&v->ops, p->op);
    v->key = str_dup(&v->ops, p->domain);
    v->op = NULL;
    Op *op = NEW(&v->ops, Op);
    DomainAsked asked;
    bool found;
    Err why = {0};
    if (!find_op(v, v->name, op, &found, e)) return false;
    if (found && domain_of_key(v->key, &asked, &v->filter) && op_in_domain(op, &asked, &why)) v->op = op;
    return true;
}

// ---- answers

static bool put_one(Verify *v, const Pending *k, const LadderAnswer *n, Err *e) {
    v->out->lost += n->lost;
    if (n->lost) return true;
    if (!record_verdict(&v->recorder, k, k->program.id, n, e)) return false;
    bool was = k->accepted;
    v->out->judged++;
    v->out->promoted += !was && n->accepted;
    v->out->demoted += was && !n->accepted;
    if (was && !n->accepted && v->q->demoted) v->q->demoted(v->q->arg, &k->program, n->status);
    return true;
}

static bool put_answers(Verify *v, double seconds, Err *e) {
    LadderAnswer *list = ladder_take(v->ladder, seconds);
    if (!list) return true;
    bool ok = store_begin(v->q->store, e);
    for (const LadderAnswer *n = list; ok && n; n = n->next) ok = put_one(v, n->of, n, e);
    ok = ok && store_commit(v->q->store, e);
    if (!ok) store_rollback(v->q->store);
    for (const LadderAnswer *n = list; n; n = n->next) pending_release(n->of);
    ladder_release(list);
    if (v->q->told) v->q->told(v->q->arg, v->out);
    return ok;
}

// ---- programs

static bool take_row(Verify *v, const StoredRow *row, Err *e) {
    v->out->programs++;
    if (!op_of(v, &row->program, e)) return false;
    if (!v->op) {
        v->out->without_op++;
        return true;
    }
    bool stands = row->verdict.status.len && str_eq(row->verdict.build, v->q->build) &&
                  memcmp(&row->definition, &v->op->hash, sizeof row->definition) == 0;
    if (stands && !v->q->all) return true;
    Pending *k = pending_new();
    k->op = v->op;
    k->program = row->program;
    k->accepted = row->verdict.accepted && str_is(row->verdict.level, level_name(LEVEL_FULL));
    pending_keep(k);
    ladder_ask(v->ladder, v->op, &v->filter, k->program.source, k);
    return true;
}

static bool take_all(Verify *v, Err *e) {
    Arena page = {0};
    StorePage *rows = NEW(&v->ops, StorePage);
    StorePlace at = {0};
    bool ok = true;
    service_gather(v->q->service, GATHER_FAST);
    while (ok && !is_interrupted(v)) {
        Arena next = {0};
        ok = store_page(v->q->store, &next, &(StoreFilter){.verifiable = true}, &at, rows, e);
        arena_free(&page); // the place lived there
        page = next;
        if (!ok || !rows->n) break;
        for (int i = 0; ok && i < rows->n && !is_interrupted(v); i++) ok = take_row(v, &rows->row[i], e);
        ok = ok && put_answers(v, 0, e);
    }
    service_gather(v->q->service, GATHER_NONE);
    while (ok && ladder_waiting(v->ladder) > 0) {
        if (is_interrupted(v)) ladder_cancel(v->ladder);
        ok = put_answers(v, TOGETHER_SECONDS, e);
    }
    arena_free(&page);
    return ok;
}

bool corpus_verify(const VerifyRequest *q, VerifyTally *out, Err *e) {
    *out = (VerifyTally){0};
    Arena a = {0};
    Verify v = {.q = q, .out = out, .recorder = {.store = q->store, .build = q->build}};
    bool ok = ladder_open(&a, q->service, &v.ladder, e);
    if (ok) {
        ok = take_all(&v, e);
        if (!ok) ladder_cancel(v.ladder);
        Err end = {0};
        bool closed = ladder_close(v.ladder, &end);
        if (ok && !closed) *e = end;
        ok = ok && closed;
    }
    arena_free(&v.ops);
    arena_free(&a);
    return ok;
}
