// build.h - which sanitizer this build has: BUILD_ASAN and BUILD_TSAN are 0 or 1. gcc and clang tell it in
// different words.
#pragma once

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
