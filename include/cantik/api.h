// What the shared library shows: everything marked CANTIK_API, nothing else.
#pragma once

#if defined(CANTIK_BUILDING)
#define CANTIK_API __attribute__((visibility("default")))
#else
#define CANTIK_API
#endif

#define CANTIK_VERSION_MAJOR 0
#define CANTIK_VERSION_MINOR 1
#define CANTIK_VERSION_PATCH 0
