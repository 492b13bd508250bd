#include "grammar/plan_space.h"
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    Arena a = {0};
    Op op; Err e = {0}; Graph g;
    if (!op_find(&a, str_of(argv[1]), &op)) return 2;
    if (!graph_trace(&a, &op, &g, &e)) return fprintf(stderr, "%s\n", e.msg), 3;
    Plans *p = NEW(&a, Plans);
    plan_starts(&g, 4096, p);
    if (argc == 2) { for (int i = 0; i < p->n; i++) printf("%d %s hints %d\n", i, plan_words(&a, &g, &p->at[i]), p->at[i].hints); return 0; }
    TableRow row[TABLE_ROWS_MAX]; int n = 0;
    for (int i = 2; i + 1 < argc; i += 2) row[n++] = (TableRow){(ShapeClass)atoi(argv[i]), p->at[atoi(argv[i+1])]};
    Str s = kernel_table_emit(&a, &g, row, n);
    fwrite(s.p, 1, s.len, stdout);
    (void)argc;
}
