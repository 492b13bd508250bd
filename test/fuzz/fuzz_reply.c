// What models and their programs say, profiles and files of evaluations, made of any bytes: no crash, no read
// outside; a kernel that is found lies within its reply; a line that is taken holds what it needs.
#include "mint/ledger.h"
#include "propose/extract.h"
#include "propose/pipe.h"
#include "propose/prompt.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_extraction(Str reply, bool cut) {
    Str source;
    Extraction is = extract_kernel(reply, cut, &source);
    if (is == EXTRACT_TRUNCATED && !cut) abort();
    if (is != EXTRACT_KERNEL) {
        if (source.len) abort();
        return;
    }
    if (source.p < reply.p || source.p + source.len > reply.p + reply.len) abort();
    if (!memmem(source.p, source.len, "def ", 4) || memmem(source.p, source.len, "```", 3)) abort();
    Str answer = extract_answer(reply);
    if (answer.len && (answer.p < reply.p || answer.p + answer.len != reply.p + reply.len)) abort();
}

static void check_line(Arena *a, Str line) {
    PipeAnswer r;
    Err e = {0};
    if (!pipe_answer_read(a, line, &r, &e)) {
        if (!e.code) abort();
    } else if (!r.id.p || (!r.text.p && !r.error.p) || r.tokens < 0 || !utf8_valid(r.text))
        abort();
}

static void check_profile(Arena *a, Str text) {
    Profile p;
    Prompt t;
    Op op;
    Err e = {0};
    if (!profile_read(a, "p", text, &p, &e)) {
        if (!e.code) abort();
        return;
    }
    if (!p.user.len || p.settings.max_tokens < 1 || !(p.settings.top_p <= 1)) abort();
    static const char *const name[] = {"softmax", "swiglu"};
    if (!op_find(a, str_of(name[text.len & 1]), &op)) abort();
    if (prompt_make(a, &p, &(PromptAsk){&op, -1, ROWS_ANY, &(LastTry){STR("f"), STR("{op}")}}, &t, &e) &&
        !t.user.p)
        abort();
}

static void check_ledger(Str text) {
    Ledger *l = ledger_blank();
    Err e = {0};
    json_t *settings = json_pack("{s:i}", "seed", 1);
    int n;
    if (!ledger_read(l, "f", text, settings, &e) && !e.code) abort();
    const LedgerDraft *d = ledger_drafts(l, &n);
    for (int i = 0; i < n; i++)
        if (d[i].index < 0 || !d[i].op.p || (unsigned)d[i].status >= STATUS_COUNT) abort();
    json_decref(settings);
    ledger_close(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    // Exactly as long as the text, so that a read beyond it is seen.
    size_t n = size - 1;
    char *exact = malloc(n ? n : 1);
    memcpy(exact, data + 1, n);
    Str text = {exact, n};
    Arena a = {0};
    switch (data[0] % 4) {
    case 0: check_extraction(text, data[0] & 4); break;
    case 1: check_line(&a, text); break;
    case 2: check_profile(&a, text); break;
    case 3: check_ledger(text); break;
    }
    arena_free(&a);
    free(exact);
    return 0;
}
