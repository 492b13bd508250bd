// parse.h - what the files of the parser share; private to lang/. A recursive descent over a window of two
// tokens. Every function returns NULL or false after the first error, which is recorded by then.
#pragma once
#include "lang/parse/lex.h"

typedef struct {
    Arena *arena;
    Str source;
    DiagList *diags;
    bool failed;
    Lexer lex;
    Token tok, next;
    uint32_t prev_end; // of the last token that was taken
    int depth;         // of brackets, blocks and operators, up to NESTING_MAX
    // Children whose parent is not finished yet; a list is cut off its top when it is.
    Node **stack;
    int top, cap;
    bool in_function, in_async, in_loop; // directly, which a class between ends
    int enclosed;                        // functions around, at any distance
    int nested;                          // blocks of loops, `with` and `try` around in this function
    // Triton compiles a kernel from its text, which it cuts out and unindents by patterns: what they would
    // read otherwise is refused.
    bool in_decorator, in_def;
    bool may_match;     // the next statement starts its line
    uint32_t statement; // where the simple statement starts
} Parser;

// ---- parse.c: tokens, nodes, errors
void advance(Parser *p);
bool at(const Parser *p, TokenKind k);
bool accept(Parser *p, TokenKind k); // takes the token if it is there
// Takes the token or says "expected 'x' WHERE, found .."
MUST_CHECK bool expect(Parser *p, TokenKind k, const char *where);
MUST_CHECK bool expect_close(Parser *p, TokenKind k, Token open, const char *items);
Str token_str(const Parser *p, Token t);
Span token_span(Token t);

Node *node_new(Parser *p, NodeKind k, uint32_t at);
Node *node_done(Parser *p, Node *n); // ends the span and measures the height; NULL if the tree is too tall
void push(Parser *p, Node *n);
Nodes pop_list(Parser *p, int mark); // what was pushed since p->top was `mark`

// Records the first error only; always NULL. fail() quotes ASCII text of the source at will.
Node *fail_unread(Parser *p, Span span, const char *what); // valid Python that is not read: DIAG_UNSUPPORTED
Node *fail(Parser *p, Span span, const char *fmt, ...) PRINTF(3, 4);
Node *fail_token(Parser *p, const char *expected); // "expected EXPECTED, found .."
MUST_CHECK bool enter(Parser *p);                  // one level deeper
void leave(Parser *p);

// ---- parse_expr.c
Node *parse_expression(Parser *p);  // no tuple without parentheses, no `:=`, no yield
Node *parse_named(Parser *p);       // the same or `name := expression`
Node *parse_tuple(Parser *p);       // expressions and *expressions; a comma makes it a TUPLE
Node *parse_value(Parser *p);       // the same or a yield: the right of `=`, a statement
Node *parse_operands(Parser *p);    // operands; a comma makes them a TUPLE
Node *parse_targets(Parser *p);     // between `for` and `in`, checked
Node *parse_disjunction(Parser *p); // neither conditional nor lambda
Node *parse_operand(Parser *p);     // binds tighter than a comparison
Node *parse_star(Parser *p);        // `*` operand
bool at_walrus(const Parser *p);    // at `name :=`

// ---- parse_bracket.c
Node *parse_bracketed(Parser *p); // at an opening bracket that is no call's or subscript's
// After `(`, takes the `)`; check p->failed. Only a call may have a generator without parentheses of its own.
Nodes parse_arguments(Parser *p, Token open, bool call, Nodes *keywords);
Node *parse_subscript(Parser *p, Node *value, uint32_t start); // VALUE[..], which begins at `start`

// ---- parse_binding.c
// Up to `stop`, which stays; check p->failed.
Nodes parse_parameters(Parser *p, TokenKind stop, bool annotations);
MUST_CHECK bool check_target(Parser *p, const Node *n, const char *verb); // "assign to", "delete"
bool def_is_found(Parser *p, Token def, Token open); // by whoever reads kernels from their text
const char *node_describe(const Node *n);            // "a function call"

// ---- parse_string.c
Node *parse_strings(Parser *p); // adjacent literals, joined

// ---- parse_match.c
// `match` is a word like any other: what stands behind it tells. At the expression that may be one's head,
// *out is the statement, or NULL for none; false: a finding.
MUST_CHECK bool parse_match(Parser *p, Token first, Node *value, Node **out);

// ---- parse_compound.c
Node *parse_compound(Parser *p); // at the word, `@` or `async` that one begins with

// ---- parse_stmt.c
MUST_CHECK bool parse_block(Parser *p, const char *of, Nodes *out);
MUST_CHECK bool parse_statement(Parser *p); // pushes one or more
