#include "judge/shapes/branches.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/numeric/rng.h"
#include "cases/domain/domain.h"
#include "sandbox/child/keys_search.h"

enum { MEMORY = 256 << 20, ORDINARY_ROW = 65537 };
static const int64_t room = (int64_t)1 << 37; // of address space, for all tensors of a call
static const int64_t ordinary_elements = 3 << 20, most_elements = 10 << 20,
                     entry_elements = 16 << 20; // many entries, each of which few rows show

static void seed_add(ExploreDomain *d, const CaseTruth *t, int32_t processors) {
    int way = explore_way(t->dtype, t->strided != 0);
    for (int i = 0; i < d->seeds; i++)
        if (d->seed_way[i] == way && d->seed_processors[i] == processors &&
            memcmp(d->seed[i], t->dim, sizeof d->seed[i]) == 0)
            return;
    if (d->seeds == EXPLORE_SEEDS_MAX) return;
    d->seed_way[d->seeds] = (uint8_t)way;
    d->seed_processors[d->seeds] = processors;
    memcpy(d->seed[d->seeds++], t->dim, sizeof d->seed[0]);
}

static bool domain_file(const ExploreDomain *d, int *fd, size_t *bytes, Err *e) {
    DrawHeader header = {.magic = EXPLORE_MAGIC};
    *bytes = sizeof header + sizeof *d;
    *fd = memfd_create("ouroboros-branches", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0) return err_set(e, ERR_IO, "branches: memfd: %s", strerror(errno));
    return io_write_all(*fd, &header, sizeof header, e) && io_write_all(*fd, d, sizeof *d, e) &&
           io_seal(*fd, "branches", e);
}

static void point_add(ExplorePoints *p, const ExplorePoints *all, int i) {
    p->ways[p->n] = all->ways[i];
    p->entry[p->n] = all->entry[i];
    p->gap[p->n] = all->gap[i];
    p->processors[p->n] = all->processors[i];
    memcpy(p->size[p->n++], all->size[i], sizeof p->size[0]);
}

// Of rows with gaps between them all are drawn.
static bool is_many(const Domain *m, const ExplorePoints *all, int i, int64_t elements) {
    enum { ELEMENTS = 1 << 20, ROWS = 128, PLAIN = (1 << EXPLORE_GAPS) - 1 };
    return elements > ELEMENTS && domain_slices_first(m) && domain_slices(m, all->size[i]) >= ROWS &&
           all->ways[i] & PLAIN;
}

// Small tensors first: as many points as a CPU has time for.
static void sort_out(const Domain *m, const ExploreDomain *d, const ExplorePoints *all, BranchPoints *out) {
    int64_t sum[3] = {0}, elements[EXPLORE_POINTS_MAX];
    int order[EXPLORE_POINTS_MAX];
    for (int i = 0; i < all->n; i++) {
        int k = i;
        elements[i] = explore_elements(d, all->size[i]);
        for (; k > 0 && elements[order[k - 1]] > elements[i]; k--) order[k] = order[k - 1];
        order[k] = i;
    }
    for (int k = 0; k < all->n; k++) {
        int i = order[k];
        bool beyond = elements[i] > ordinary_elements || domain_length(m, all->size[i]) > ORDINARY_ROW;
        if (is_many(m, all, i, elements[i])) {
            point_add(&out->many, all, i);
            continue;
        }
        int list = beyond ? 1 : all->entry[i] ? 2 : 0;
        if (sum[list] + elements[i] > (list == 2 ? entry_elements : most_elements)) continue;
        sum[list] += elements[i];
        point_add(list == 1 ? &out->beyond : list == 2 ? &out->entries : &out->ordinary, all, i);
    }
}

// A child that ends otherwise than it should has found nothing.
static void read_result(const ExploreDomain *d, const ChildResult *r, ExplorePoints *out) {
    if (r->end != CHILD_EXITED || r->code != 0 || r->garbage || !explore_read(d, r->report, r->reports, out))
        *out = (ExplorePoints){0};
}

static bool ask(const BranchSearch *s, const ForkJob *job, const ExploreDomain *d, ExplorePoints *out,
                Err *e) {
    Arena scratch = {0};
    ChildResult r = {0};
    ForkServer *fork_server = fork_servers_take(s->fork_servers, e);
    Err why = {0};
    bool ok = fork_server && fork_server_run(fork_server, &scratch, job, &r, &why);
    if (ok) read_result(d, &r, out);
    if (ok) child_result_free(fork_server, &r);
    if (fork_server) fork_servers_leave(s->fork_servers, fork_server, !ok);
    arena_free(&scratch);
    // Where the machine gives no such room nothing is found; what no case reached is told all the same.
    return fork_server != NULL;
}

static void domain_of(const BranchSearch *s, ExploreDomain *d) {
    explore_domain(s->draw->op, s->draw->domain->slices, domain_length_symbol(s->draw->domain), d);
    for (int i = 0; i < s->draw->cases; i++) seed_add(d, &s->draw->truth[i], s->draw->spec[i].processors);
}

// The caller closes its inputs.
static bool job_of(const BranchSearch *s, const ExploreDomain *d, ForkJob *job, Err *e) {
    *job = (ForkJob){.source = s->source,
                     .extras = s->extras,
                     .arena_bytes = (size_t)(MEMORY + room),
                     .sparse_bytes = (size_t)room,
                     .wall_seconds = FORK_WALL_SECONDS,
                     .draw_fd = -1,
                     .max_reports = EXPLORE_POINTS_MAX + 1};
    if (domain_file(d, &job->draw_fd, &job->draw_bytes, e)) return true;
    if (job->draw_fd >= 0) close(job->draw_fd);
    return false;
}

bool branches_ahead(const BranchSearch *s, Ahead *w, int *number, Err *e) {
    Arena a = {0};
    ExploreDomain *d = NEW(&a, ExploreDomain);
    ForkJob job;
    domain_of(s, d);
    bool ok = job_of(s, d, &job, e);
    if (ok) *number = ahead_add(w, &job, true);
    arena_free(&a);
    return ok;
}

bool branches_find(const BranchSearch *s, const ChildResult *came, BranchPoints *out, Err *e) {
    Arena a = {0};
    ExploreDomain *d = NEW(&a, ExploreDomain);
    ExplorePoints *all = NEW(&a, ExplorePoints);
    ForkJob job;
    *out = (BranchPoints){0};
    domain_of(s, d);
    bool ok = came || job_of(s, d, &job, e);
    if (came) read_result(d, came, all);
    if (ok && !came) {
        ok = ask(s, &job, d, all, e);
        close(job.draw_fd);
    }
    if (ok) sort_out(s->draw->domain, d, all, out);
    arena_free(&a);
    return ok;
}

bool branches_pairs(const BranchSearch *s, int pairs, ExplorePoints *out, Err *e) {
    Arena a = {0};
    ExploreDomain *d = NEW(&a, ExploreDomain);
    ForkJob job;
    *out = (ExplorePoints){0};
    explore_domain(s->draw->op, s->draw->domain->slices, domain_length_symbol(s->draw->domain), d);
    d->pairs = pairs;
    d->turn = rng_mix(s->draw->seed, 0x6b657973); // says nothing about the seed
    bool ok = job_of(s, d, &job, e);
    if (ok) {
        ok = ask(s, &job, d, out, e);
        close(job.draw_fd);
    }
    if (!keys_are_pairs(out) || !keys_are_small(d, out)) *out = (ExplorePoints){0};
    arena_free(&a);
    return ok;
}
