// ast.h - the syntax tree of the Python that kernels, hosts and references are written in. Nodes are
// immutable after parsing (a candidate's own are settled first, host/normalize/normalize.c) and live in the
// arena they were parsed into; names and texts borrow from the source or the arena. A pointer that may be
// absent says "or NULL".
#pragma once
#include "lang/diag.h"

typedef enum {
#define NODE(id, doc) NODE_##id,
#include "lang/node.def"
#undef NODE
    NODE_COUNT
} NodeKind;

typedef enum {
#define OPERATOR(id, text, method, kind) OPER_##id,
#include "lang/operator.def"
#undef OPERATOR
    OPER_COUNT
} Oper;
const char *oper_text(Oper o);   // "+"
const char *oper_method(Oper o); // "__add__"

typedef struct Node Node;
typedef struct Library Library; // library.h
typedef struct {
    Node **at;
    int n;
} Nodes;

typedef enum { PARAM_PLAIN, PARAM_STAR, PARAM_KWONLY, PARAM_DOUBLESTAR } ParamKind;
typedef enum { COMP_LIST, COMP_SET, COMP_DICT, COMP_GENERATOR } CompKind;

struct Node {
    NodeKind kind;
    Span span;
    uint16_t height; // 1 for a leaf, else 1 + the tallest child; parse_module() sets it, at most HEIGHT_MAX
    union {
        Str name; // NAME
        struct {
            uint64_t value;
            bool too_big; // beyond 64 bits: value is not meaningful
            Str text;     // digits as written; the printer writes them in base 10 unless too_big
        } integer;        // INT
        double real;      // FLOAT
        struct {
            Str text; // decoded
            bool bytes;
        } string; // STRING
        // TUPLE LIST SET; GLOBAL (NAMEs); DELETE; FSTRING: a STRING that is not bytes is literal text,
        // anything else is an expression in braces, wrapped in a FORMAT when it has a conversion or a format
        // specification.
        Nodes items;
        struct {
            Node *value;
            char conversion; // 'r', 's', 'a', or 0
            Node *spec;      // an FSTRING, or NULL
        } format;            // FORMAT
        struct {
            Nodes keys, values; // a NULL key is `**value`
        } dict;                 // DICT
        struct {
            Oper op;
            Node *operand;
        } unary; // UNARY
        struct {
            Oper op;
            Node *left, *right;
            bool grows;    // written `+=`: a list on the left is extended
            bool in_place; // written `+=`, `*=` and the like: a tensor on the left is changed
        } binary;          // BINARY
        struct {
            Oper op; // AND or OR
            Nodes items;
        } boolop; // BOOLOP
        struct {
            Node *left;
            Oper *ops; // one for each of rest
            Nodes rest;
        } compare; // COMPARE
        struct {
            Node *func;
            Nodes args;     // expressions and STARRED
            Nodes keywords; // KEYWORD
        } call;             // CALL
        struct {
            Str name; // empty: `**value`
            Node *value;
        } keyword; // KEYWORD
        struct {
            Node *value;
            Str name;
        } attribute; // ATTRIBUTE
        struct {
            Node *value, *index; // index: any expression, SLICE, or a TUPLE of them
        } subscript;             // SUBSCRIPT
        struct {
            Node *lo, *hi, *step; // each or NULL
        } slice;                  // SLICE
        struct {
            Node *cond, *then, *otherwise;
        } ifexp; // IFEXP
        struct {
            Nodes params;
            Node *body;
        } lambda;    // LAMBDA
        Node *value; // STARRED, AWAIT, EXPRSTMT; RETURN (or NULL)
        struct {
            Node *value; // or NULL
            bool from;
        } yield; // YIELD
        struct {
            CompKind kind;
            Node *element, *val; // val only for COMP_DICT (element is the key)
            Nodes fors;          // COMPFOR
        } comp;                  // COMP
        struct {
            Node *target, *iter;
            Nodes conds;
            bool async;
        } compfor; // COMPFOR
        struct {
            Str name;
            Node *value;
        } walrus; // WALRUS
        struct {
            Nodes body;
            Str source;
            Library *library;  // what it may import helpers from, or NULL; set after parsing
            bool old_names;    // names of Triton before 3.3 mean what stands for them now; set after parsing
            const Node *model; // Extras.model, parsed; or NULL; set after parsing
            const struct Operators *operators; // what a ModelNew may leave to PyTorch's library
                                               // (library_operators.h); NULL: nothing. Set after parsing
        } module;                              // MODULE
        struct {
            Str name;
            Nodes params, body, decorators;
            Node *returns; // or NULL
            bool async;
            bool memo; // functools keeps its results; set after parsing (host/desugar/memoised.c)
        } function;    // FUNCTION
        struct {
            Str name;
            Node *annotation, *def; // each or NULL
            ParamKind kind;         // a bare `*` is PARAM_STAR with an empty name
            bool positional_only;   // stood before `/`
        } param;                    // PARAM
        struct {
            Str name;
            Nodes bases, keywords, body, decorators;
        } klass; // CLASS
        struct {
            Nodes targets; // each assigned the value, left to right
            Node *value;
            bool kept; // see host/policy/module_state.c
        } assign;      // ASSIGN
        struct {
            Node *target, *value;
            Oper op;
        } augassign; // AUGASSIGN
        struct {
            Node *target, *annotation, *value; // value or NULL
            bool kept;
        } annassign; // ANNASSIGN
        struct {
            Node *cond;
            Nodes then, otherwise; // elif: otherwise holds one IF
        } branch;                  // IF
        struct {
            Node *subject;
            Nodes cases; // CASE
        } match;         // MATCH
        struct {
            // A literal, -number, name, dotted name, TUPLE or LIST of patterns, or BINARY of `|`.
            Node *pattern, *guard; // guard or NULL
            Nodes body;
        } matchcase; // CASE
        struct {
            Node *target, *iter;
            Nodes body, otherwise;
            bool async;
        } loop; // FOR
        struct {
            Node *cond;
            Nodes body, otherwise;
        } whileloop; // WHILE
        struct {
            Nodes items, body;
            bool async;
        } with; // WITH
        struct {
            Node *value, *target; // target or NULL
        } withitem;               // WITHITEM
        struct {
            Nodes body, handlers, otherwise, final;
        } attempt; // TRY
        struct {
            Node *type; // or NULL
            Str name;   // may be empty
            Nodes body;
        } handler; // EXCEPT
        struct {
            Node *value, *cause; // each or NULL
        } raise;                 // RAISE
        struct {
            Node *cond, *message; // message or NULL
        } assertion;              // ASSERT
        struct {
            Str module;  // "from MODULE import"; empty for plain import
            int dots;    // leading dots of a relative import
            Nodes names; // ALIAS; one with name "*" for a star import
            bool from;
            bool old_names; // Node.module.old_names, once host_normalize() has seen it
        } import;           // IMPORT
        struct {
            Str name, as; // dotted name; `as` may be empty
        } alias;          // ALIAS
        struct {
            Nodes names; // NAME
            bool nonlocal;
        } global; // GLOBAL
    };
};

enum {
    SOURCE_MAX = 1 << 20, // bytes
    TOKENS_MAX = 1 << 18, // tokens of one source
    NESTING_MAX = 100,    // nested brackets, blocks and operators together
    HEIGHT_MAX =
        1000, // levels of the tree: a + b + c + .., f()()().., elif chains; bounds every recursion over it
    PARAMS_MAX = 1000, // parameters of one function, keywords of one call
    BLOCKS_MAX = 20,   // loops, `with` and `try` in one another: CPython's own limit, as the next one is
    DIGITS_MAX = 4300, // of a decimal integer
};

// The MODULE, or NULL with at least one DIAG_SYNTAX. `source` must outlive the tree. An empty, too long, not
// UTF-8 or NUL-holding source is a DIAG_SYNTAX as well.
Node *parse_module(Arena *a, Str source, DiagList *d);

// Canonical text: four spaces, one statement per line, double quotes, fewest parentheses. parse(print(n))
// equals n.
void print_module(Buf *out, const Node *module);
void print_node(Buf *out, const Node *n); // one expression or statement
bool node_equal(const Node *a,
                const Node *b);         // spans, heights and literal spelling aside; either may be NULL
const char *node_kind_name(NodeKind k); // "NAME"
// Calls fn for each child that is there, in the order of the text as far as fields allow; not for
// grandchildren.
void node_each_child(const Node *n, void (*fn)(void *arg, const Node *child), void *arg);

// Text with the variables of functions replaced by their order of first binding and docstrings dropped; names
// that others can refer to and annotations stay (canon.c). Two sources with equal text are the same program.
void print_canonical(Buf *out, const Node *module);

// Top-level helpers.
const Node *module_function(const Node *module, Str name); // last FUNCTION of that name, or NULL
// The last statement at the top level that binds the name, or NULL; for an import also which ALIAS.
const Node *module_binding(const Node *module, Str name, const Node **alias);
bool node_is_name(const Node *n, const char *name);
// A place of the source that stands for a part of an expression which need not be evaluated (an arm, a later
// operand, the body of a lambda, the element of a comprehension) and for nothing else: what follows the word
// or sign in front of it. No two parts have the same one, whatever parentheses there are.
// min(a, b) or max(a, b), of two arguments or more; tl.minimum(a, b) and tl.maximum(a, b).
bool node_extreme(const Node *n);
// Arithmetic of whole numbers that can choose as a condition does, by coming out as zero or not.
bool node_saturates(const Node *n);
uint32_t node_part_place(const Node *n, const Node *part);
// Of an expression, or an assignment, that may make one truth of several (`a & b`, a product, tl.where): the
// part whose place tells of it. NULL: it is none.
const Node *node_combined_part(const Node *n);
// "tl.load" for ATTRIBUTE/NAME chains of at most 4 parts; false for anything else.
bool node_dotted(const Node *n, Buf *out);
