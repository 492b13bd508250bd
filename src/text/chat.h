// chat.h - chat templates of the families that the project supports, recognised by what the model folder says
// (the Jinja text), rendered by our own code, exact to the newline. An unknown template is an error, never a
// guess. Sources: the families' published templates (shared facts in chat.def).
#pragma once
#include "base/str.h"

typedef struct ChatFamily ChatFamily; // a row of chat.def: minicpm5, qwen35, qwen25, llama31

// By the Jinja text of tokenizer_config.json / chat_template.jinja / tokenizer.chat_template. ERR_INPUT names
// the families that are known, and how to go on (--profile plain, or --chat FAMILY).
MUST_CHECK bool chat_detect(Str jinja, const ChatFamily **out, Err *e);
MUST_CHECK bool chat_by_name(const char *name, const ChatFamily **out, Err *e);
const char *chat_name(const ChatFamily *f);

typedef struct {
    Str system; // p == NULL: no system turn (what the family writes then)
    Str user;
    bool think; // the families with a thinking mode: leave it open; false: an empty think block
} ChatTurn;
// The prompt up to where the assistant's reply begins. It holds control tokens as text: encode with
// `special`. What the turns hold is written as it is: the caller decides whether control tokens in it may
// count.
void chat_render(const ChatFamily *f, const ChatTurn *turn, Buf *out);
// The reply without a leading <think>...</think> block, where the family has one.
Str chat_reply(const ChatFamily *f, Str reply);
