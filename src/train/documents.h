// documents.h - what is learned from: JSON Lines, each line one document of a prompt and a completion, as
// tokens. Three forms of a line:
//     {"prompt": "...", "completion": "..."}                 texts as they are
//     {"messages": [{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}]}
//                                                            in the model's chat format; a system message may
//                                                            go first
//     {"op": "softmax", "source": "..."}                     what `ouroboros propose --json` prints
// "op" may stand in any form: it names the group that the document belongs to. Other keys are left alone. The
// token that ends a reply is put behind every completion.
#pragma once
#include "text/chat.h"
#include "text/tokenizer.h"

enum { DOCUMENT_LINE_MAX = 16 << 20, DOCUMENTS_MAX = 1 << 26 };

typedef struct {
    const int32_t *token;
    int count, prompt; // the first `prompt` tokens are the prompt
    int group;         // index into Documents.group; -1: none was named
} Document;

typedef struct {
    Str name;
    Document first; // the first document of the group
} DocumentGroup;

typedef struct {
    Document *at;
    int count, room;
    int64_t tokens;
    DocumentGroup *group;
    int groups, group_room;
    int64_t lines, bad;
} Documents;

typedef struct {
    const Tokenizer *tokenizer;
    const ChatFamily *chat; // NULL: messages are refused
    int32_t end;            // the token that ends a reply
    int context;            // longer documents are refused
    // Each line that cannot be used: its number, from 1, and why. Returning false ends the reading.
    bool (*bad)(void *arg, int64_t line, const Err *why);
    void *arg;
} DocumentReader;

// Adds the lines of a file; "-" is standard input. A bad line is told and left out. False: the file itself.
MUST_CHECK bool documents_read(Arena *a, const DocumentReader *r, const char *path, Documents *out, Err *e);
// One line; what documents_read() does with each.
MUST_CHECK bool documents_line(Arena *a, const DocumentReader *r, Str line, Documents *out, Err *e);
// The prompt of an op, in the third form.
Str document_prompt(Arena *a, Str op);
// Texts of the same files, prompt and completion apart, for training a tokenizer: for each, `text` is called.
typedef struct {
    void (*text)(void *arg, Str text);
    bool (*bad)(void *bad_arg, int64_t line, const Err *why);
    void *arg, *bad_arg;
} TextReader;
MUST_CHECK bool documents_texts(Arena *a, const TextReader *r, const char *path, Err *e);
