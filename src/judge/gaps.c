#include "judge/gaps.h"

#include "judge/decide/decide.h"
#include "judge/roundings.h"

static const char guard[] = "Guard that access, so that it stays inside the tensor.";

static bool asks_for_strides(Str source) {
    static const char word[] = "stride";
    for (size_t i = 0; i + sizeof word <= source.len; i++)
        if (memcmp(source.p + i, word, sizeof word - 1) == 0) return true;
    return false;
}

static const char *mend(Arena *a, const Op *op, const Gaps *g, Str source) {
    Buf b = BUF(a), strides = BUF(a);
    const char *joint = "";
    // A program that counts in strides and fails without gaps, too, or on longer rows: its sizes are wrong.
    if (!g->only && !g->refuses && !g->between && asks_for_strides(source)) return g->outside ? guard : "";
    for (int i = 0; i < op->inputs; i++) {
        if (!(g->inputs >> i & 1)) continue;
        buf_printf(&strides, "%s%.*s.stride(0)", joint, STR_ARG(op->input[i].name));
        joint = ", ";
    }
    const char *s = buf_cstr(&strides);
    if (g->outside && !g->only) buf_printf(&b, "%s ", guard);
    buf_puts(&b, g->only ? "Only inputs with gaps between their rows fail: "
                         : "Inputs have gaps between their rows there: ");
    if (g->refuses)
        buf_printf(&b,
                   "the program itself refuses them. Count rows in steps of %s, or take .contiguous() first.",
                   s);
    else if (!asks_for_strides(source))
        buf_printf(&b,
                   "the program asks for no stride. Count their rows in steps of %s, or take .contiguous() "
                   "first.",
                   s);
    else if (g->store)
        buf_printf(&b, "a new tensor has none. Store rows in steps of the output's own stride(0), not of %s.",
                   s);
    else
        buf_printf(&b,
                   "count rows of each input in steps of its own stride (%s), and those of the output in "
                   "steps of the output's.",
                   s);
    return buf_cstr(&b);
}

static bool judge_contiguous(Candidates *b, size_t i, Verdict *v, Err *e) {
    Op op = *b->draw->op;
    if (!op_in_domain(&op, &(DomainAsked){.layout = LAYOUT_CONTIGUOUS}, e)) return false;
    Arena a = {0};
    Pool *alone = pool_open(1); // candidates are judged side by side already
    JudgeRequest q = *b->q;
    q.op = &op;
    q.without_gaps = false;
    DrawRequest of = {.op = &op, .level = q.level, .seed = v->judged.seed, .filter = &q.filter};
    Draw d;
    bool ok = draw_make(&a, alone, &of, &d, e);
    if (ok) {
        Candidates again = {.r = b->r,
                            .q = &q,
                            .draw = &d,
                            .rounded = op.roundings ? rounded_draws_open() : NULL,
                            .production = q.level == LEVEL_FULL ? production_open() : NULL,
                            .source = b->source,
                            .out = b->out,
                            .arena = b->arena,
                            .err = b->err};
        ok = judge_whole(&again, i, v, e);
        rounded_draws_close(again.rounded);
        production_close(again.production);
        draw_free(&d);
    }
    pool_close(alone);
    arena_free(&a);
    return ok;
}

bool gaps_tell(Candidates *b, size_t i, Verdict *v, Err *e) {
    Arena *a = &b->arena[i];
    Gaps *g = &v->gaps;
    if (b->q->without_gaps) {
        Verdict other = *v;
        if (!judge_contiguous(b, i, &other, e)) return false;
        g->judged = true;
        g->contiguous = other.decision.status;
        StatusClass class = status_class(g->contiguous);
        g->only = class == CLASS_ACCEPTED || (class == CLASS_UNDECIDED && g->only);
    }
    const char *said = mend(a, b->draw->op, g, b->source[i]);
    if (g->judged && status_class(g->contiguous) == CLASS_REJECTED)
        said = arena_printf(a, "%s%sContiguous inputs fail, too (%s).", said, *said ? " " : "",
                            status_name(g->contiguous));
    else if (g->judged)
        said = arena_printf(a, "%s%sWith --layout contiguous it is %s.", said, *said ? " " : "",
                            status_class_name(status_class(g->contiguous)));
    if (*said) v->decision.feedback = feedback_join(a, v->decision.feedback, said);
    return true;
}
