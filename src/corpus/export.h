// export.h - data sets for training from the store: programs that were accepted at full, as JSON Lines that
// Hugging Face `datasets` and TRL load, in three splits, balanced, with a card that counts.
#pragma once
#include "corpus/held_out.h"
#include "corpus/phrasing.h"
#include "propose/prompt.h"

typedef enum { EXPORT_CHAT, EXPORT_PAIRS, EXPORT_KERNELBOOK } ExportFormat;
MUST_CHECK bool export_format(Str name, ExportFormat *out); // "chat", "prompt-completion", "kernelbook"

typedef struct {
    int64_t rows[SPLITS], kinds[SPLITS][PHRASE_KINDS];
    int64_t programs; // accepted at full
    // Left out: judged by a module of its own, of which no prompt tells; no licence; in --against; of the
    // structure of something held out; of another definition than today's; right on a shape, layout or values
    // that the op does not ask for; beyond the share of its op.
    int64_t modules, unlicensed, contaminated, tested, stale, narrow, beyond;
    int64_t unsaid;             // the profile has no prompt for the op
    int ops[SPLITS];            // that have a row
    int64_t fewest, most;       // rows of an op in train
    int64_t structures;         // of train
    int64_t held[HELD_OUT_MAX]; // rows of test by the line that holds them back
    int64_t against;            // programs that rows were compared with
} ExportTally;

typedef struct {
    Store *store;
    const char *dir;
    ExportFormat format;
    int per_op; // rows of an op in train, at most
    uint64_t seed;
    double conversions, validation; // shares
    bool unlicensed;                // also rows without a licence
    const Profile *profile;         // whose prompts the rows have, as raw text; NULL: phrase.def's
    bool no_plan;                   // with a profile: the answer does not begin with the schedule
    const char *held_out;           // file; NULL: the built-in list
    const char *const *against;     // [againsts] files
    int againsts;
    bool (*interrupted)(void *arg); // may be NULL
    void *arg;
} ExportRequest;
// Writes train.jsonl, validation.jsonl, test.jsonl and README.md. Each file is whole or as it was before.
MUST_CHECK bool corpus_export(const ExportRequest *q, ExportTally *out, Err *e);

// card.c: the README.md beside the splits.
typedef struct {
    const ExportRequest *q;
    const ExportTally *t;
    const HeldOutList *held;
    StoreTally *licence, *smith; // of the rows that were written, all splits
    int licences, smiths;
} Card;
void card_put(Buf *out, const Card *c);
