#include "corpus/op_lookup.h"

#include "corpus/module_pair.h"
#include "corpus/program_hashes.h"

static bool find_op(OpLookup *l, Str name, Op *op, bool *found, Err *e) {
    *found = op_find(&l->arena, name, op);
    if (*found && op->user && l->service)
        return service_op(l->service, &l->arena, str_cdup(&l->arena, name), &(DomainAsked){0}, op, e);
    if (*found) return true;
    StoredDefinition d; // checked when it was put
    bool ok = store_definition_of(l->store, &l->arena, name, &d, found, e);
    if (!ok || !*found) return ok;
    DiagList diags = DIAGS(&l->arena);
    *found = op_define(&l->arena, name, d.source, true, op, &diags);
    return true;
}

static bool find_module(OpLookup *l, const StoredProgram *p, OpFound *f, Err *e) {
    ModulePair pair;
    Op *op = NEW(&l->arena, Op);
    Err why = {0};
    f->filter = (DrawFilter){.dtype = -1};
    f->module = true;
    if (!l->service || !module_pair(&l->arena, p->module, p->source, &pair)) return true;
    if (service_module(l->service, &l->arena, pair.reference, &(DomainAsked){0}, op, &why)) {
        f->op = op;
        return true;
    }
    if (why.code == ERR_IO) *e = why;
    return why.code != ERR_IO;
}

bool op_lookup(OpLookup *l, const StoredProgram *p, OpFound *out, Err *e) {
    for (int i = 0; i < LOOKUPS; i++)
        if (l->known[i].name.p && str_eq(l->known[i].name, p->op) && str_eq(l->known[i].key, p->domain)) {
            *out = l->known[i];
            return true;
        }
    OpFound *f = &l->known[l->next++ % LOOKUPS];
    *f = (OpFound){.name = str_dup(&l->arena, p->op), .key = str_dup(&l->arena, p->domain)};
    if (p->module.len && str_is(p->op, MODULE_OP)) {
        if (!find_module(l, p, f, e)) return false;
        *out = *f;
        return true;
    }
    Op *op = NEW(&l->arena, Op);
    DomainAsked asked;
    bool found;
    Err why = {0};
    if (!find_op(l, f->name, op, &found, e)) return false;
    Sha256 own = op->hash;
    if (found && domain_of_key(f->key, &asked, &f->filter) && op_in_domain(op, &asked, &why)) f->op = op;
    f->narrow = f->filter.m > 0 || memcmp(&own, &op->hash, sizeof own) != 0;
    *out = *f;
    return true;
}

void op_lookup_free(OpLookup *l) { arena_free(&l->arena); }
