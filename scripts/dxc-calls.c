/* Asks the DirectX Shader Compiler library (DXC) about shaders; scripts/dxil-patch-proof builds and runs it.
 *
 *   dxc-calls LIBRARY < REQUESTS
 *
 * LIBRARY is dxcompiler.dll or libdxcompiler.so of DXC 1.8.2505 or later, whose validator signs. The first line of the
 * output is the version. Each request is a line, and gets one line: "ok", or what DXC says against it.
 *
 *   disassemble IN OUT    container to text
 *   validate IN OUT       container to the same one, signed
 *   optimize IN OUT       bitcode to text, by passes that fold constants and remove what cannot be reached
 *
 * Interfaces are called by their place in the table of virtual functions, as dxcapi.h declares them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

typedef struct { uint32_t a; uint16_t b, c; uint8_t d[8]; } Id;
typedef struct { const void *data; size_t size; uint32_t encoding; } Buffer;
typedef struct { void **table; } Object;

#define CALL(object, index, result, ...) ((result(*)(Object *, ##__VA_ARGS__))(object)->table[index])

static const Id COMPILER = {0x73e22d93, 0xe6ce, 0x47f3, {0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0}};
static const Id UTILS = {0x6245d6af, 0x66e0, 0x48fd, {0x80, 0xb4, 0x4d, 0x27, 0x17, 0x96, 0x74, 0x8c}};
static const Id VALIDATOR = {0x8ca3e215, 0xf728, 0x4cf3, {0x8c, 0xdd, 0x88, 0xaf, 0x91, 0x75, 0x87, 0xa1}};
static const Id OPTIMIZER = {0xae2cd79f, 0xcc22, 0x453f, {0x9b, 0x6b, 0xb1, 0x24, 0xe7, 0xa5, 0x20, 0x4c}};
static const Id I_COMPILER3 = {0x228b4687, 0x5a6a, 0x4730, {0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54}};
static const Id I_UTILS = {0x4605c4cb, 0x2019, 0x492a, {0xad, 0xa4, 0x65, 0xf2, 0x0b, 0xb7, 0xd6, 0x7f}};
static const Id I_VALIDATOR = {0xa6e82bd2, 0x1fd7, 0x4826, {0x98, 0x11, 0x28, 0x57, 0xe7, 0x97, 0xf4, 0x9a}};
static const Id I_OPTIMIZER = {0x25740e2e, 0x9cba, 0x401b, {0x91, 0x19, 0x4f, 0xb4, 0x2f, 0x39, 0xf2, 0x70}};
static const Id I_RESULT = {0x58346cda, 0xdde7, 0x4497, {0x94, 0x61, 0x6f, 0x87, 0xaf, 0x5e, 0x06, 0x59}};
static const Id I_BLOB = {0x8ba5fb08, 0x5195, 0x40e2, {0xac, 0x58, 0x0d, 0x98, 0x9c, 0x3a, 0x01, 0x02}};
static const Id I_VERSION = {0xb04f5b50, 0x2059, 0x4f12, {0xa8, 0xff, 0xa1, 0xe0, 0xcd, 0xe1, 0xcc, 0x7e}};

typedef int32_t (*Create)(const Id *, const Id *, Object **);

static void fail(const char *what)
{
    fprintf(stderr, "dxc-calls: %s\n", what);
    exit(2);
}

static Create load(const char *library)
{
#ifdef _WIN32
    HMODULE module = LoadLibraryA(library);
    Create create = module ? (Create)(void *)GetProcAddress(module, "DxcCreateInstance") : NULL;
#else
    void *module = dlopen(library, RTLD_NOW);
    Create create = module ? (Create)dlsym(module, "DxcCreateInstance") : NULL;
#endif
    if (!create)
        fail("the library cannot be loaded, or is not DXC");
    return create;
}

static Object *make(Create create, const Id *class_id, const Id *interface_id)
{
    Object *object = NULL;
    if (create(class_id, interface_id, &object) < 0 || !object)
        fail("this DXC lacks an interface that is needed");
    return object;
}

static void release(Object *object)
{
    if (object)
        CALL(object, 2, uint32_t)(object);
}

static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *data = malloc(1 << 24);
    if (!file || !data)
        fail(path);
    *size = fread(data, 1, 1 << 24, file);
    fclose(file);
    return data;
}

/* What a blob holds goes to a file; without a path, to the output as one line. */
static void write_blob(Object *blob, const char *path)
{
    const char *data = blob ? CALL(blob, 3, void *)(blob) : NULL;
    size_t size = blob ? CALL(blob, 4, size_t)(blob) : 0;
    while (size && !data[size - 1])
        --size;
    if (path) {
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(data, 1, size, file) != size || fclose(file))
            fail(path);
        return;
    }
    for (size_t i = 0; i < size; ++i)
        putchar(data[i] == '\n' || data[i] == '\r' ? ' ' : data[i]);
    putchar('\n');
}

/* IDxcOperationResult: writes the line that answers the request. */
static int answer(Object *result)
{
    int32_t status = -1;
    CALL(result, 3, int32_t, int32_t *)(result, &status);
    if (status >= 0) {
        puts("ok");
        return 1;
    }
    Object *messages = NULL;
    CALL(result, 5, int32_t, Object **)(result, &messages);
    printf("refused: ");
    write_blob(messages, NULL);
    release(messages);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage: dxc-calls LIBRARY < REQUESTS");
    Create create = load(argv[1]);
    Object *compiler = make(create, &COMPILER, &I_COMPILER3);
    Object *utils = make(create, &UTILS, &I_UTILS);
    Object *validator = make(create, &VALIDATOR, &I_VALIDATOR);
    Object *optimizer = make(create, &OPTIMIZER, &I_OPTIMIZER);
    Object *version = make(create, &COMPILER, &I_VERSION);
    uint32_t major = 0, minor = 0;
    CALL(version, 3, int32_t, uint32_t *, uint32_t *)(version, &major, &minor);
    printf("%u.%u\n", major, minor);

    static char line[8192], verb[16], in[4096], out[4096];
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%15s %4095s %4095s", verb, in, out) != 3)
            fail("a request is a word and two paths");
        Buffer buffer = {0};
        void *data = read_file(in, &buffer.size);
        buffer.data = data;
        Object *blob = NULL, *result = NULL, *text = NULL;
        CALL(utils, 6, int32_t, const void *, uint32_t, uint32_t, Object **)(utils, data, (uint32_t)buffer.size, 0, &blob);
        if (!strcmp(verb, "disassemble")) {
            CALL(compiler, 4, int32_t, const Buffer *, const Id *, Object **)(compiler, &buffer, &I_RESULT, &result);
            if (!result)
                puts("refused: not disassembled");
            else if (answer(result)) {
                CALL(result, 7, int32_t, uint32_t, const Id *, Object **, Object **)(result, 5, &I_BLOB, &text, NULL);
                write_blob(text, out);
            }
        } else if (!strcmp(verb, "validate")) {
            CALL(validator, 3, int32_t, Object *, uint32_t, Object **)(validator, blob, 1, &result);
            if (!result)
                puts("refused: not validated");
            else if (answer(result)) {
                /* It was signed in place. The last bytes may be zeros that belong to it. */
                FILE *file = fopen(out, "wb");
                if (!file || fwrite(CALL(blob, 3, void *)(blob), 1, buffer.size, file) != buffer.size || fclose(file))
                    fail(out);
            }
        } else if (!strcmp(verb, "optimize")) {
            const wchar_t *passes[] = {L"-instcombine", L"-sccp", L"-simplifycfg", L"-adce", L"-S"};
            Object *module = NULL;
            int32_t status = CALL(optimizer, 5, int32_t, Object *, const wchar_t **, uint32_t, Object **, Object **)(
                optimizer, blob, passes, sizeof passes / sizeof *passes, &module, &text);
            puts(status < 0 ? "refused: not optimized" : "ok");
            if (status >= 0)
                write_blob(text, out);
            release(module);
        } else
            fail("unknown request");
        fflush(stdout);
        release(text);
        release(result);
        release(blob);
        free(data);
    }
    return 0;
}
