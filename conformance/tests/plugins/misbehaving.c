// A library that is loaded like a plugin and then does what the environment variable DDI_MISBEHAVE
// says. It tests the runner, not the rules.

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int told(const char *what)
{
    const char *misbehaviour = getenv("DDI_MISBEHAVE");
    return misbehaviour && strcmp(misbehaviour, what) == 0;
}

// Leaves its process number in the folder DDI_PIDS and lives on.
static void live_on(const char *name)
{
    char path[4096];
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    snprintf(path, sizeof path, "%s/%s", getenv("DDI_PIDS"), name);
    FILE *file = fopen(path, "w");
    fprintf(file, "%d", (int)getpid());
    fclose(file);
    for (;;) {
        sleep(1000);
    }
}

__attribute__((constructor)) static void load(void)
{
    if (told("crash when loaded")) {
        abort();
    }
}

#define E_FAIL ((int32_t)0x80004005)

// Stands for every function of the table: whatever it is called with, it fails.
static int32_t fail(void)
{
    return E_FAIL;
}

// D3D12DDIARG_COMPILER_OPEN_DDI, with its handles and its table of five functions as plain pointers.
struct OpenArgument {
    void *runtime;
    void *handle;
    int32_t (**functions)(void);
};

__attribute__((visibility("default"))) int32_t D3D12OpenCompilerDDI(struct OpenArgument *argument)
{
    if (told("open and no more") && argument) {
        argument->handle = argument;
        for (int entry = 0; entry < 5; ++entry) {
            argument->functions[entry] = fail;
        }
        return 0;
    }
    if (told("abort")) {
        fprintf(stderr, "the last words\n");
        abort();
    }
    if (told("fault")) {
        *(volatile int *)(uintptr_t)0x123450000 = 1;
    }
    if (told("exit")) {
        exit(0);
    }
    if (told("exit at once")) {
        _exit(7);
    }
    if (told("close everything")) {
        for (int file = 0; file < 1024; ++file) {
            close(file);
        }
    }
    if (told("hang")) {
        if (fork() == 0) {
            live_on("grandchild");
        }
        // Out of the process group, and no longer a child of ours.
        if (fork() == 0) {
            setsid();
            if (fork() == 0) {
                live_on("daemon");
            }
            _exit(0);
        }
        live_on("child");
    }
    if (told("chatter")) {
        for (int line = 0; line < 200000; ++line) {
            printf("{\"Outcome\":null}\n\"End\"\n");
            fprintf(stderr, "%d: how do you do, how do you do, how do you do\n", line);
        }
        fflush(stdout);
    }
    return E_FAIL;
}
