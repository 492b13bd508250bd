#include "mint/evaluation.h"

enum { INTERVAL_SEED = 1 };

typedef struct {
    const EvaluationRequest *q;
    Arena *a;
    Evaluation *out;
    const Op *op;    // being drafted
    int before;      // drafts that were there when this part of it was begun
    Err write_error; // of the ledger
} Run;

static bool is_interrupted(void *arg) {
    const Run *v = arg;
    return v->q->interrupted && v->q->interrupted(v->q->arg);
}

static bool told(void *arg, const AttemptTally *tally, const Attempt *t) {
    Run *v = arg;
    if (t && !ledger_put(v->q->ledger, v->op, t, &v->write_error)) return false;
    if (t) v->out->world += verdict_of_world(&t->verdict);
    if (v->q->told) v->q->told(v->q->arg, v->before + tally->judged, tally);
    return true;
}

static void waits(void *arg, const char *sentence) {
    const Run *v = arg;
    if (v->q->waits) v->q->waits(v->q->arg, sentence);
}

static bool draft_range(Run *v, EvaluationOp *row, int first, int count, Err *e) {
    const EvaluationRequest *q = v->q;
    AttemptRequest drafts = {
        .service = q->service,
        .op = &row->op,
        .smith = q->smith,
        .profile = q->profile,
        .ask =
            {.m = q->m, .n = q->n, .seed = q->seed, .first = first, .count = count, .settings = q->settings},
        .filter = q->filter,
        .level = q->level,
        .interrupted = is_interrupted,
        .told = told,
        .waits = waits,
        .arg = v};
    if (!drafts.ask.m) op_usual_shape(&row->op, &drafts.ask.m, &drafts.ask.n);
    v->op = &row->op;
    Arena a = {0};
    AttemptResult got;
    bool ok = attempts_run(&a, &drafts, &got, e);
    bool beyond = ok && (got.smith_error.code == ERR_INPUT || got.smith_error.code == ERR_LIMIT);
    if (beyond && got.count == 0)
        row->refused = arena_printf(v->a, "%s", got.smith_error.msg);
    else if (ok && got.smith_error.code)
        v->out->smith_error = got.smith_error;
    arena_free(&a);
    if (ok && v->write_error.code) {
        *e = v->write_error;
        return false;
    }
    return ok && ledger_sync(q->ledger, e);
}

// What the file holds of this op has to be of this definition and this prompt.
static bool known_drafts(Run *v, const EvaluationOp *row, bool *there, Err *e) {
    char definition[65];
    Prompt prompt = {0};
    sha256_hex(row->op.hash, definition);
    int64_t rows = v->q->m, columns = v->q->n;
    if (!rows) op_usual_shape(&row->op, &rows, &columns);
    const PromptAsk about = {&row->op, v->q->filter.dtype, rows_class(columns), NULL};
    if (v->q->smith->takes_prompt && !prompt_make(v->a, v->q->profile, &about, &prompt, e)) return false;
    int n;
    const LedgerDraft *d = ledger_drafts(v->q->ledger, &n);
    for (int i = 0; i < n; i++) {
        if (!str_eq(d[i].op, row->op.name)) continue;
        if (strcmp(d[i].definition, definition) != 0 || strcmp(d[i].prompt, prompt.sha256) != 0)
            return err_set(e, ERR_INPUT, "the %s of %.*s has changed since the file was begun",
                           strcmp(d[i].definition, definition) != 0 ? "definition" : "prompt",
                           STR_ARG(row->op.name));
        if (d[i].index < v->q->drafts) there[d[i].index] = true;
    }
    return true;
}

static bool draft_op(Run *v, EvaluationOp *row, Err *e) {
    int n = v->q->drafts;
    bool *there = NEWN(v->a, bool, (size_t)n + 1);
    if (!known_drafts(v, row, there, e)) return false;
    int earlier = 0;
    for (int i = 0; i < n; i++) earlier += there[i];
    v->before += earlier;
    if (v->q->resumed) v->q->resumed(v->q->arg, earlier);
    for (int i = 0; i < n && !v->out->smith_error.code && !row->refused && !is_interrupted(v);) {
        int end = i;
        while (end < n && !there[end]) end++;
        if (end > i && !draft_range(v, row, i, end - i, e)) return false;
        v->before += end - i;
        i = end > i ? end : i + 1;
    }
    return true;
}

// ---- counting

static void count_op(const EvaluationRequest *q, EvaluationOp *row) {
    int n;
    const LedgerDraft *d = ledger_drafts(q->ledger, &n);
    for (int i = 0; i < n; i++) {
        if (d[i].index >= q->drafts || !str_eq(d[i].op, row->op.name)) continue;
        row->n++;
        row->status[d[i].status]++;
        row->accepted += status_class(d[i].status) == CLASS_ACCEPTED;
        row->undecided += status_class(d[i].status) == CLASS_UNDECIDED;
        row->tokens += d[i].tokens;
    }
    row->counts = !row->unjudged && (row->n > row->undecided || row->refused);
    for (int k = 0; k < q->ks; k++) row->pass[k] = pass_at_k(row->n - row->undecided, row->accepted, q->k[k]);
}

// pass@k over the ops that count, of one group or of all. How many those are.
static int pass_over(Run *v, const EvaluationOp *op, int ops, const Str *group, PassInterval *at) {
    double *estimate = NEWN(v->a, double, (size_t)ops + 1);
    int n = 0;
    for (int k = 0; k < v->q->ks; k++) {
        n = 0;
        for (int i = 0; i < ops; i++)
            if (op[i].counts && (!group || str_eq(op[i].group, *group))) estimate[n++] = op[i].pass[k];
        at[k] = pass_interval(v->a, estimate, n, INTERVAL_SEED);
    }
    return n;
}

static void count_groups(Run *v, const EvaluationOp *op, int ops) {
    Evaluation *out = v->out;
    for (int i = 0; i < ops; i++) {
        bool known = !op[i].group.len || out->groups == EVALUATION_GROUPS;
        for (int g = 0; g < out->groups; g++) known |= str_eq(out->group[g].name, op[i].group);
        if (known) continue;
        EvaluationGroup *g = &out->group[out->groups++];
        g->name = op[i].group;
        g->ops = pass_over(v, op, ops, &g->name, g->at);
    }
}

static void count_all(Run *v, EvaluationOp *op, int ops) {
    const EvaluationRequest *q = v->q;
    Evaluation *out = v->out;
    out->interrupted = is_interrupted(v);
    out->complete = !out->smith_error.code && !out->interrupted;
    for (int i = 0; i < ops; i++) {
        count_op(q, &op[i]);
        out->ops += op[i].counts;
        out->drafts += op[i].n;
        out->accepted += op[i].accepted;
        out->undecided += op[i].undecided;
        out->tokens += op[i].tokens;
        out->unjudged += op[i].unjudged != NULL;
        if (op[i].unjudged) continue;
        out->not_run += !op[i].n && !op[i].refused;
        for (int s = 0; s < STATUS_COUNT; s++) out->status[s] += op[i].status[s];
        // A smith that is no model may have no more ideas.
        if (!op[i].refused && op[i].n < q->drafts && q->smith->takes_prompt) out->complete = false;
    }
    pass_over(v, op, ops, NULL, out->at);
    count_groups(v, op, ops);
}

bool evaluation_run(Arena *a, const EvaluationRequest *q, EvaluationOp *op, int ops, Evaluation *out,
                    Err *e) {
    *out = (Evaluation){0};
    Run v = {.q = q, .a = a, .out = out};
    for (int i = 0; i < ops && !out->smith_error.code && !is_interrupted(&v); i++)
        if (!op[i].unjudged && !draft_op(&v, &op[i], e)) return false;
    count_all(&v, op, ops);
    return true;
}
