// build.h - which sanitizer this build has: BUILD_ASAN and BUILD_TSAN are 0 or 1. gcc and clang tell it in
// different words.
#pragma once
#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define BUILD_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BUILD_ASAN 1
#endif
#endif
#ifndef BUILD_ASAN
#define BUILD_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define BUILD_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BUILD_TSAN 1
#endif
#endif
#ifndef BUILD_TSAN
#define BUILD_TSAN 0
#endif

// Loops over numbers that are compiled without ThreadSanitizer (the Makefile says of which files) tell it
// what they read and write, all of a piece: to report each number takes thirty times as long as to compute
// it.
#ifdef TSAN_BY_RANGE
void __tsan_read_range(void *p, unsigned long bytes);
void __tsan_write_range(void *p, unsigned long bytes);
#define LOOP_READS(p, n)  __tsan_read_range((void *)(uintptr_t)(p), (n) * sizeof *(p))
#define LOOP_WRITES(p, n) __tsan_write_range((void *)(uintptr_t)(p), (n) * sizeof *(p))
#else
#define LOOP_READS(p, n)  ((void)sizeof((p) + (n)))
#define LOOP_WRITES(p, n) ((void)sizeof((p) + (n)))
#endif
