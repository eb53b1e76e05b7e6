/* Kills the process at the change KILL_AT of a file, or writes to KILL_COUNT how many changes there were. For LD_PRELOAD. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static long changes;

static void change(void)
{
    const char *at = getenv("KILL_AT");
    if (__sync_add_and_fetch(&changes, 1) == (at == NULL ? 0 : atol(at)))
        kill(getpid(), SIGKILL);
}

__attribute__((destructor)) static void count(void)
{
    const char *path = getenv("KILL_COUNT");
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    if (file != NULL) {
        fprintf(file, "%ld", changes);
        fclose(file);
    }
}

#define CHANGE(type, name, parameters, arguments)           \
    type name parameters                                    \
    {                                                       \
        static type(*next) parameters;                      \
        if (next == NULL)                                   \
            *(void **)&next = dlsym(RTLD_NEXT, #name);      \
        change();                                           \
        return next arguments;                              \
    }

CHANGE(ssize_t, pwrite64, (int file, const void *bytes, size_t size, off64_t at), (file, bytes, size, at))
CHANGE(ssize_t, pwrite, (int file, const void *bytes, size_t size, off_t at), (file, bytes, size, at))
CHANGE(int, ftruncate64, (int file, off64_t size), (file, size))
CHANGE(int, ftruncate, (int file, off_t size), (file, size))
CHANGE(int, fsync, (int file), (file))
CHANGE(int, fdatasync, (int file), (file))
CHANGE(int, unlink, (const char *path), (path))
CHANGE(int, rename, (const char *from, const char *to), (from, to))
CHANGE(int, link, (const char *from, const char *to), (from, to))
