// version.h - of the program; a release changes it.
#pragma once

#define OUROBOROS_VERSION "0.1"

// What `git describe` said of the sources when the program was linked, for `--version` alone: a mark that
// finds it in the program's file, then the text. Programs that differ in nothing else are one program
// (own_program.h). Made by tools/version.sh.
enum { VERSION_MARK = 16, VERSION_BYTES = 96 };
extern const char version_described[VERSION_BYTES];
