// chat.h - chat templates of the families that the project supports, recognised by what the model folder says
// (the Jinja text), rendered by our own code, exact to the newline. An unknown template is an error, never a
// guess. Sources: the families' published templates (shared facts in chat.def).
#pragma once
#include "base/str.h"

typedef struct ChatFamily ChatFamily; // a row of chat.def

// By the Jinja text of tokenizer_config.json / chat_template.jinja / tokenizer.chat_template: all of it that
// can run for a system and a user turn has to be a family's. ERR_INPUT tells where it differs from the
// nearest family, names those that are known, and how to go on.
MUST_CHECK bool chat_detect(Str jinja, const ChatFamily **out, Err *e);
MUST_CHECK bool chat_by_name(const char *name, const ChatFamily **out, Err *e);
const char *chat_name(const ChatFamily *f);
const ChatFamily *chat_at(int i);   // in the order of the table; NULL behind the last
Str chat_end(const ChatFamily *f);  // the token that ends a turn
Str chat_live(const ChatFamily *f); // a template that renders these turns as the family's does

typedef struct {
    Str system; // p == NULL: no system turn (what the family writes then)
    Str user;
    bool think; // the families with a thinking mode: leave it open; false: an empty think block
} ChatTurn;
// The prompt up to where the assistant's reply begins. It holds control tokens as text: encode with
// `special`. What the turns hold is written as it is: the caller decides whether control tokens in it may
// count.
void chat_render(const ChatFamily *f, const ChatTurn *turn, Buf *out);
// The reply without a leading <think>...</think> block, where the family has one. Empty when the block does
// not end.
Str chat_reply(const ChatFamily *f, Str reply);
