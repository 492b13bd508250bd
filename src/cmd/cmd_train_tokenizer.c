#include <stdio.h>

#include "base/io.h"
#include "cmd/shared/training.h"

int cmd_train_tokenizer(int argc, char **argv) {
    Texts data = {0};
    const char *file = NULL;
    int vocab = 2048;
    const Option options[] = {
        {"--data", OPTION_TEXTS, &data}, {"--vocab", OPTION_COUNT, &vocab}, {"-o", OPTION_TEXT, &file}};
    Positionals rest;
    Err e = {0};
    Vocabulary made;
    if (!options_parse(&(CommandLine){"train tokenizer", argc, argv}, options,
                       sizeof options / sizeof *options, &rest, &e))
        return cmd_fail("train tokenizer", &e);
    if (!data.n || !file)
        return cmd_usage("train tokenizer",
                         data.n ? "-o is missing: the file to write" : "--data is missing: JSON Lines");
    Arena a = {0};
    bool ok = vocabulary_train(&a, "train tokenizer", &data, vocab, &made, &e) &&
              io_write_atomic(file, made.json, &e);
    if (ok) printf("%s: %d tokens\n", file, made.size);
    int code = ok ? EXIT_OK : cmd_fail("train tokenizer", &e);
    arena_free(&a);
    return code;
}
