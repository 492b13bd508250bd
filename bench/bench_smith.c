// How many structurally different programs the grammar smith writes over the suite (literals and launch
// options masked), and how fast. Fails below 5,000 in all or 8 for some op.
//   bench_smith [proposals per op]
#include "base/clock.h"
#include "propose/distinct.h"
#include "propose/smith.h"
#include <stdio.h>
#include <stdlib.h>

enum { PER_OP = 120, LEAST = 5000, LEAST_PER_OP = 8 };

int main(int argc, char **argv) {
    Arena a = {0}, scratch = {0};
    Err e = {0};
    Smith *smith;
    int ops, per_op = argc > 1 ? atoi(argv[1]) : PER_OP, proposed = 0, total = 0, fewest = 1 << 30;
    Str poorest = {0};
    if (per_op < 1 || per_op > 4096 || !smith_open(&a, "grammar", NULL, &smith, &e)) return 2;
    const Str *names = op_names(&a, &ops);
    SeenPrograms all = {.arena = &a};
    double spent = 0;
    for (int i = 0; i < ops; i++) {
        ArenaMark mark = arena_mark(&scratch);
        Op op;
        Proposal *p = NEWN(&scratch, Proposal, (size_t)per_op);
        SmithRequest q = {.seed = 1, .count = per_op};
        int got = 0, here = 0;
        if (!op_find(&scratch, names[i], &op)) return 1;
        double t0 = clock_seconds();
        if (!smith_propose(smith, &scratch, &op, &q, p, &got, &e))
            return printf("%.*s: %s\n", STR_ARG(op.name), e.msg), 1;
        spent += clock_seconds() - t0;
        for (int k = 0; k < got; k++) {
            Sha256 h;
            here += program_structure(p[k].source, &h) && !seen_before(&all, h);
        }
        proposed += got;
        total += here;
        if (here < fewest) fewest = here, poorest = names[i];
        arena_reset(&scratch, mark);
    }
    printf("smith: %d structurally different programs of %d proposed for %d ops; fewest %d (%.*s); %.0f "
           "proposals/s\n",
           total, proposed, ops, fewest, STR_ARG(poorest), proposed / spent);
    arena_free(&scratch);
    arena_free(&a);
    return total < LEAST || fewest < LEAST_PER_OP;
}
