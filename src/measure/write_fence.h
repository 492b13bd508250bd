// write_fence.h - keeps a process and all it starts from writing files, by Landlock: its own folder, its own
// part of /proc and /dev (a GPU's devices) stay open to it. Reading and starting programs are not touched;
// connecting and binding by TCP, and signals to others, end where the kernel's Landlock knows them. Private
// to measure/.
#pragma once
#include <stdbool.h>

// In a child, before execve(). False: this system has no Landlock of version 3, or a rule is
// refused.
bool write_fence_enter(const char *own);
