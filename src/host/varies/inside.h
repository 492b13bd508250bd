// inside.h - what the files of this room share: the names of a file with what is known of them, its
// functions, and the evaluation of expressions. See varies.h for what it is good for.
#pragma once
#include "host/policy/screen.h"
#include "host/varies/varies.h"

// A file of more variables, or one that takes longer, is not looked at.
enum { VARS_MAX = 1 << 12, STEPS_MAX = 1 << 20, PASSES_MAX = 64, RESULTS_MAX = 8 };

typedef struct {
    const void *scope; // a function, NULL for the module, or &members
    Str name;
    Fact fact;
    int grown;   // in how many passes
    int64_t cap; // where a function raises for larger ones; 0: nowhere
} Var;

// `x = x.contiguous()` that every call of a function comes to: from there on the name stands for that alone.
typedef struct {
    Str name;
    uint32_t at, value, end; // places of the name, of what it gets, and behind the statement
} Rebound;

typedef struct {
    const Node *node;
    const Scope *scope, *own; // around it, and its own
    Rebound *rebound;
    int rebounds;
    bool method, plain; // plain: without self
    bool entered;       // something calls it, or hands it about
    bool open;          // in another way than varies_wrapped_call()
    bool calling;       // by what a call of the program comes to, not only while it is built
    uint8_t control;    // what its being called follows from
} Callable;

// A function that a decorator of the file's own was given.
enum { WRAPPED_MAX = 32 };
typedef struct {
    const Node *decorator;
    Str name;
} Wrapped;

struct Varies {
    Arena *arena;
    const VariesInputs *inputs;
    Var *var; // open addressing
    int vars, cap;
    Callable *callable;
    int callables, callable_cap;
    Wrapped wrapped[WRAPPED_MAX];
    int wrappeds;
    Names state;                // lists and dictionaries of the module that calls change
    const Node *const *classes; // of the module
    int class_count;
    bool classes_about; // some class of the file is handed about: a variable may hold it
    bool applies;       // apply() of an autograd.Function is handed about: a variable may hold it
    bool changed, callee;
    bool calling;    // the present expression is evaluated in a call of the program
    uint8_t control; // what it follows from that the present expression is evaluated
    bool full;       // too much to look at: everything may be
    int steps;
};

// Attributes of objects and classes of the file, by name alone: the scope of theirs.
extern const char varies_members;
// Scope of one name, "item": what is ever put into a list or dictionary, and whether any of it is.
extern const char varies_held;
// The same, of lists and dictionaries that outlive a call and change in one: there, if any does.
extern const char varies_grows;

// ---- variables.c

Var *var_slot(const Varies *v, const void *scope, Str name);
const Var *var_find(const Varies *v, const void *scope, Str name); // or NULL
const Var *var_visible(const Varies *v, const Scope *scope, Str name);
// What a name stands for at the place of `n`, and one more value that it gets there.
bool var_read(const Varies *v, const Scope *scope, const Node *n, Fact *out);
void var_write(Varies *v, const Scope *scope, const Node *n, Str name, Fact f);
void var_param(Varies *v, const Callable *c, Str name, Fact f);
void var_add(Varies *v, const void *scope, Str name, Fact f); // one more value of it
const void *scope_key(const Scope *s);
const Scope *varies_callable(Varies *v, const Node *node, const Scope *scope, bool method);
Callable *varies_called(Varies *v, const Node *function);
void varies_enter(Varies *v, Callable *c); // called, or handed about, where the present expression is
void varies_handed(Varies *v,
                   Callable *c); // about: it may be called whenever a call of the program comes there
void varies_open(Varies *v, Callable *c);
void varies_named(Varies *v, Str name); // by a decorator
bool varies_has_method(const Varies *v, Str name);
bool varies_is_function(const Varies *v, Str name);
// A class of the module's: calling it makes an object, whose methods are not run by that.
bool varies_is_class(const Varies *v, const Scope *scope, Str name);
void varies_result_add(Varies *v, const Node *function, Fact f);
Fact varies_result(const Varies *v, const Node *function);
// The same, one by one, of a function that returns tuples of n items and nothing else; n = 0: it does not.
void varies_result_count(Varies *v, const Node *function, int n);
void varies_result_item(Varies *v, const Node *function, int i, Fact f);
// Of a call of such functions, as n names take it apart. False: what is called is not known to be such.
bool varies_results(const Varies *v, const Scope *scope, const Node *call, int n, Fact *item);

// ---- callees.c

// What a call hands over.
typedef struct {
    Fact *arg;
    int args;
    const Nodes *keywords;
    Fact *named;
    bool more; // *args or **kw: `rest` holds what they hand over
    Fact rest;
} Given;
uint8_t given_how(const Given *g);
// Functions of that name: of the module's, or methods of any class. False: there is none.
bool varies_call_named(Varies *v, Str name, bool method, const Given *g, Fact *out);
// __init__ of a class, or of all of them where it has none.
bool varies_make(Varies *v, Str klass, const Given *g, Fact *out);
// A method that is read without being called: sizes.append. Who calls it puts anything there.
void varies_handed_method(Varies *v, const Scope *scope, const Node *attribute);
// A function that is handed about: by whom it is called, and with what, nobody knows.
void varies_escapes(Varies *v, Str name);
// The same of methods, which may be properties: what they give. False: there is none of that name.
bool varies_hand_out(Varies *v, Str name, Fact *out);
Fact varies_call(Varies *v, const Scope *scope, const Node *n);
// Where None comes from by sizes, an arm or a branch of its own shows it.
static inline Fact varies_any(void) { return fact_other(FACT_VARIES | FACT_DTYPE | FACT_EMPTY | FACT_STAYS); }

void varies_bind(Varies *v, Callable *c, const Given *g); // arguments reach parameters

// ---- decorated.c

// A call of what a decorator of the file's own makes of a function; of the function, by the name that the
// decorator has for it. False: it is no such call.
bool varies_wrapped_call(Varies *v, const Node *call, const Given *g, Fact *out);
bool varies_wrapped_name(Varies *v, const Scope *scope, Str name, const Given *g, Fact *out);
// Whether `return wrapper` gives the wrapper to nobody but such calls.
bool varies_gives_wrapper(Varies *v, const Scope *scope, const Node *statement);

// ---- members.c

// What the members of an input say. Kernels' own tensors have no sizes that a call could change.
bool varies_member(const Varies *v, Str name, Fact base, Fact *out);
// Methods of tensors that tell of their layout or keep it. False: it is none of these.
bool varies_tensor_method(const Node *call, Str name, Fact base, const Given *g, Fact *out);
// Whether a function of that name asks a GPU.
bool varies_asks_device(Str name);
// A function or method that the file does not define; `base`: what stands in front of the dot, or nothing.
Fact varies_known_call(const Node *call, Str name, Fact base, const Given *g);

// ---- guards.c

// Sizes that a function refuses by `raise` in every call.
void varies_guards(Varies *v, const Node *function);

// ---- values.c

Fact varies_eval(Varies *v, const Scope *scope, const Node *n);
// Of a condition; *how: what it follows from, too.
Truth varies_truth(Varies *v, const Scope *scope, const Node *n, uint8_t *how);
void varies_assign(Varies *v, const Scope *scope, const Node *target, Fact f);
bool varies_empty(const Varies *v, Fact f); // a list or dictionary with nothing in it, ever
// Put into a list or dictionary; `of`: what that one follows from.
void varies_hold(Varies *v, Fact f, uint8_t of);
// What is chosen by a condition is None or not by it, too.
static inline uint8_t varies_control(uint8_t how) {
    // A list, or a tensor without elements, that decides is not what it decides about.
    how &= (uint8_t) ~(FACT_HELD | FACT_STAYS | FACT_MIXED | FACT_EMPTY);
    return how & FACT_VARIES ? how | FACT_NONE : how;
}
