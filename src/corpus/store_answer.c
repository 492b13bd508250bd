#include "corpus/store_answer.h"

#include "base/own_program.h"
#include "corpus/program_hashes.h"
#include "service/verdict_cache.h"

Pending *pending_new(void) {
    Arena a = {0};
    Pending *k = NEW(&a, Pending);
    k->arena = a;
    return k;
}

void pending_release(Pending *k) {
    Arena a = k->arena;
    arena_free(&a);
}

void pending_drop(void *k) { pending_release(k); }

void pending_keep(Pending *k) {
    StoredProgram *p = &k->program;
    Str *const texts[] = {&p->op,       &p->domain,  &p->source, &p->smith,  &p->model,       &p->prompt,
                          &p->schedule, &p->licence, &p->origin, &p->module, &p->unverifiable};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = texts[i]->len ? str_dup(&k->arena, *texts[i]) : (Str){"", 0};
    Identity id = identity_of(p->source);
    p->canonical = id.canonical;
    p->structure = id.structure;
    p->skeleton = id.skeleton;
}

bool referee_build(char out[65], Err *e) {
    Sha256 h;
    if (!own_program_hash(&h, e)) return false;
    sha256_hex(h, out);
    return true;
}

static bool stands(const Recorder *r, const Pending *k, const StoredRow *row) {
    return row->verdict.status.len && str_eq(row->verdict.build, r->build) &&
           memcmp(&row->definition, &k->op->hash, sizeof k->op->hash) == 0;
}

bool record_known(Recorder *r, const Pending *k, int64_t *program, Err *e) {
    Arena a = {0};
    StoredRow row;
    bool found;
    *program = 0;
    bool ok = store_find(r->store, &a, &k->program, &row, &found, e);
    if (ok && found && stands(r, k, &row)) *program = row.program.id;
    arena_free(&a);
    return ok;
}

static bool definition_of(Recorder *r, const Op *op, Err *e) {
    if (r->definition && memcmp(&r->of, &op->hash, sizeof r->of) == 0) return true;
    StoredDefinition d = {op->name, op->hash, op->source, op->user};
    if (!store_definition_put(r->store, &d, &r->definition, e)) return false;
    r->of = op->hash;
    return true;
}

bool record_verdict(Recorder *r, const Pending *k, int64_t program, const LadderAnswer *n, Err *e) {
    if (!definition_of(r, k->op, e)) return false;
    StoredVerdict v = {.status = n->status,
                       .level = n->level,
                       .evidence = n->evidence,
                       .accepted = n->accepted,
                       .decided = n->decided,
                       .referee = STR(OUROBOROS_VERSION),
                       .build = r->build,
                       .definition = r->definition};
    return store_verdict_put(r->store, program, &v, e);
}

bool record_answer(Recorder *r, const Pending *k, const LadderAnswer *n, Recorded *put, Err *e) {
    int64_t id, known = 0;
    *put = (Recorded){0};
    if (!store_program_put(r->store, &k->program, &id, &put->fresh, e)) return false;
    // Two equal programs that were under way together have one verdict.
    if (!put->fresh && !record_known(r, k, &known, e)) return false;
    put->known = known > 0;
    return (known || record_verdict(r, k, id, n, e)) &&
           (!k->drafted || store_draft_put(r->store, &k->draft, id, e));
}
