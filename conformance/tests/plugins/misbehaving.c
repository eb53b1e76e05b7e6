// A library that is loaded like a plugin and then does what the environment variable DDI_MISBEHAVE
// says. It tests the runner, not the rules.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
    if (told("exit when loaded")) {
        _exit(0);
    }
    while (told("hang when loaded")) {
        sleep(1000);
    }
}

// Spoils something of the process, and is a good plugin otherwise, that of DDI_GOOD_PLUGIN.
static int spoils(void)
{
    if (told("change the folder")) {
        return chdir("/") == 0;
    }
    if (told("ignore SIGCHLD")) {
        return signal(SIGCHLD, SIG_IGN) != SIG_ERR;
    }
    if (told("lower the number of files")) {
        const struct rlimit few = {4, 4};
        return setrlimit(RLIMIT_NOFILE, &few) == 0;
    }
    if (told("lower the number of processes")) {
        const struct rlimit few = {0, 0};
        return setrlimit(RLIMIT_NPROC, &few) == 0;
    }
    if (told("lower the memory")) {
        const struct rlimit little = {1 << 20, 1 << 20};
        return setrlimit(RLIMIT_AS, &little) == 0;
    }
    if (told("close the streams")) {
        return close(1) == 0 && close(2) == 0;
    }
    // As an orphan, in a session of its own and with an empty environment.
    if (told("leave a process behind")) {
        return system("setsid env -i sh -c 'sleep 600 & echo $! >>\"$0\"' \"$DDI_PIDS\"") == 0;
    }
    return 0;
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
    static int32_t (*open_good)(struct OpenArgument *);
    if (!open_good && getenv("DDI_GOOD_PLUGIN")) {
        void *good = dlopen(getenv("DDI_GOOD_PLUGIN"), RTLD_NOW);
        if (good && spoils()) {
            *(void **)&open_good = dlsym(good, "D3D12OpenCompilerDDI");
        }
    }
    if (open_good) {
        return open_good(argument);
    }
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
