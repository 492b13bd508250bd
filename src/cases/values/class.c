#include "cases/values/class.h"

static const struct {
    const char *name, *words;
    char who;
} class_info[CLASS_COUNT] = {
#define CLASS(id, who, doc) {#id, doc, #who[0]},
#include "cases/values/class.def"
#undef CLASS
};

const char *class_name(ClassId c) { return class_info[c].name; }
const char *class_words(ClassId c) { return class_info[c].words; }
char class_who(ClassId c) { return class_info[c].who; }
