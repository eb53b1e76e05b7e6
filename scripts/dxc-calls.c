/* Asks the DirectX Shader Compiler library (DXC) about shaders; scripts/dxil-patch-proof and scripts/dxil-compare build
 * and run it.
 *
 *   dxc-calls LIBRARY < REQUESTS
 *
 * LIBRARY is dxcompiler.dll or libdxcompiler.so of DXC 1.8.2505 or later, whose validator signs. The first line of the
 * output is the version. Each request is a line, and gets one line: "ok", or what DXC says against it.
 *
 *   disassemble IN OUT    container to text
 *   validate IN OUT       container to the same one, signed
 *   optimize IN OUT       bitcode to text, by passes that fold constants and remove what cannot be reached
 *   parts IN OUT          container to the list of its parts, by IDxcContainerReflection
 *   reflect IN OUT        container to what ID3D12ShaderReflection or ID3D12LibraryReflection says, as numbers
 *   unpack IN OUT         PDB to the container in it
 *
 * Interfaces are called by their place in the table of virtual functions, as dxcapi.h and d3d12shader.h declare them.
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
static const Id CONTAINER = {0xb9f54489, 0x55b8, 0x400c, {0xba, 0x3a, 0x16, 0x75, 0xe4, 0x72, 0x8b, 0x91}};
static const Id I_CONTAINER = {0xd2c21b26, 0x8350, 0x4bdc, {0x97, 0x6a, 0x33, 0x1c, 0xe6, 0xf4, 0xc5, 0x4c}};
static const Id I_SHADER = {0x5a58797d, 0xa72c, 0x478d, {0x8b, 0xa2, 0xef, 0xc6, 0xb0, 0xef, 0xe8, 0x8e}};
static const Id I_LIBRARY = {0x8e349d19, 0x54db, 0x4a56, {0x9d, 0xc9, 0x11, 0x9d, 0x87, 0xbd, 0xb8, 0x04}};
static const Id I_VERSION3 = {0x5e13e843, 0x9d25, 0x473c, {0x9a, 0xd2, 0x03, 0xb2, 0xd0, 0xb4, 0x4b, 0x1e}};
static const Id I_VERSION = {0xb04f5b50, 0x2059, 0x4f12, {0xa8, 0xff, 0xa1, 0xe0, 0xcd, 0xe1, 0xcc, 0x7e}};

/* D3D12_SHADER_DESC */
typedef struct {
    uint32_t version;
    const char *creator;
    uint32_t flags, constant_buffers, resources, inputs, outputs;
    uint32_t instructions[19];
    uint32_t output_topology, max_output_vertices, input_primitive, patch_constants, instances, control_points;
    uint32_t output_primitive, partitioning, domain;
    uint32_t barriers[3];
} Shader;

/* D3D12_LIBRARY_DESC */
typedef struct { const char *creator; uint32_t flags, functions; } Library;

/* D3D12_FUNCTION_DESC */
typedef struct {
    uint32_t version;
    const char *creator;
    uint32_t flags, constant_buffers, resources;
    uint32_t instructions[21];
    uint32_t min_feature_level;
    uint64_t required_features;
    const char *name;
    int32_t parameters, has[3];
} Function;

/* D3D12_SHADER_INPUT_BIND_DESC */
typedef struct {
    const char *name;
    uint32_t type, bind_point, bind_count, flags, return_type, dimension, samples, space, id;
} Binding;

/* D3D12_SHADER_BUFFER_DESC */
typedef struct { const char *name; uint32_t type, variables, size, flags; } ConstantBuffer;

/* D3D12_SIGNATURE_PARAMETER_DESC */
typedef struct {
    const char *name;
    uint32_t index, place, system_value, component_type;
    uint8_t mask, read_write_mask;
    uint32_t stream, min_precision;
} Parameter;

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

static FILE *create_file(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        fail(path);
    return file;
}

/* The end of a line: a name in quotes, what cannot be shown in hexadecimal. */
static void write_name(FILE *file, const char *name)
{
    fputs(" \"", file);
    for (; name && *name; ++name)
        fprintf(file, (uint8_t)*name < 0x20 || (uint8_t)*name > 0x7e || *name == '"' || *name == '\\' ? "\\x%02x" : "%c",
                (uint8_t)*name);
    fputs("\"\n", file);
}

/* One line for each part: what IDxcContainerReflection calls it, its size, the FNV-1a hash of its bytes. */
static int write_parts(Object *container, Object *blob, const char *path)
{
    uint32_t count = 0;
    if (CALL(container, 3, int32_t, Object *)(container, blob) < 0 ||
        CALL(container, 4, int32_t, uint32_t *)(container, &count) < 0)
        return 0;
    FILE *file = create_file(path);
    int complete = 1;
    for (uint32_t i = 0; i < count && complete; ++i) {
        char kind[4];
        Object *content = NULL;
        complete = CALL(container, 5, int32_t, uint32_t, char *)(container, i, kind) >= 0 &&
                   CALL(container, 6, int32_t, uint32_t, Object **)(container, i, &content) >= 0;
        if (complete) {
            const uint8_t *data = CALL(content, 3, void *)(content);
            size_t size = CALL(content, 4, size_t)(content);
            uint64_t hash = 0xcbf29ce484222325;
            for (size_t at = 0; at < size; ++at)
                hash = (hash ^ data[at]) * 0x100000001b3;
            fprintf(file, "part %.4s %u %08x%08x\n", kind, (uint32_t)size, (uint32_t)(hash >> 32), (uint32_t)hash);
        }
        release(content);
    }
    return !fclose(file) && complete;
}

static int write_parameters(FILE *file, Object *shader, const char *word, int method, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        Parameter it = {0};
        if (CALL(shader, method, int32_t, uint32_t, Parameter *)(shader, i, &it) < 0)
            return 0;
        fprintf(file, "%s %u %u %u %u %u %u %u %u", word, it.index, it.place, it.system_value, it.component_type, it.mask,
                it.read_write_mask, it.stream, it.min_precision);
        write_name(file, it.name);
    }
    return 1;
}

/* ID3D12ShaderReflection and ID3D12FunctionReflection list resources alike. */
static int write_resources(FILE *file, Object *object, int buffer_method, uint32_t buffers, int method, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        Binding it = {0};
        if (CALL(object, method, int32_t, uint32_t, Binding *)(object, i, &it) < 0)
            return 0;
        fprintf(file, "resource %u %u %u %u %u %u %u %u %u", it.type, it.bind_point, it.bind_count, it.flags, it.return_type,
                it.dimension, it.samples, it.space, it.id);
        write_name(file, it.name);
    }
    for (uint32_t i = 0; i < buffers; ++i) {
        ConstantBuffer it = {0};
        Object *buffer = CALL(object, buffer_method, Object *, uint32_t)(object, i);
        if (!buffer || CALL(buffer, 0, int32_t, ConstantBuffer *)(buffer, &it) < 0)
            return 0;
        fprintf(file, "buffer %u %u", it.type, it.size);
        write_name(file, it.name);
    }
    return 1;
}

static int write_shader(FILE *file, Object *shader)
{
    Shader it = {0};
    uint32_t x = 0, y = 0, z = 0;
    if (CALL(shader, 3, int32_t, Shader *)(shader, &it) < 0)
        return 0;
    CALL(shader, 20, uint32_t, uint32_t *, uint32_t *, uint32_t *)(shader, &x, &y, &z);
    uint64_t requires = CALL(shader, 21, uint64_t)(shader);
    fprintf(file, "program %u %u %u\nfeatures %08x%08x\n", it.version >> 16, it.version >> 4 & 15, it.version & 15,
            (uint32_t)(requires >> 32), (uint32_t)requires);
    fprintf(file, "group %u %u %u\n", x, y, z);
    fprintf(file, "geometry %u %u %u %u\n", it.input_primitive, it.output_topology, it.max_output_vertices, it.instances);
    fprintf(file, "tessellation %u %u %u %u\n", it.control_points, it.output_primitive, it.partitioning, it.domain);
    return write_parameters(file, shader, "input", 7, it.inputs) &&
           write_parameters(file, shader, "output", 8, it.outputs) &&
           write_parameters(file, shader, "patch", 9, it.patch_constants) &&
           write_resources(file, shader, 4, it.constant_buffers, 6, it.resources);
}

static int write_library(FILE *file, Object *library)
{
    Library it = {0};
    if (CALL(library, 3, int32_t, Library *)(library, &it) < 0)
        return 0;
    for (uint32_t i = 0; i < it.functions; ++i) {
        Function function = {0};
        Object *object = CALL(library, 4, Object *, int32_t)(library, (int32_t)i);
        if (!object || CALL(object, 0, int32_t, Function *)(object, &function) < 0)
            return 0;
        fprintf(file, "function %u %u %u %08x%08x", function.version >> 16, function.version >> 4 & 15, function.version & 15,
                (uint32_t)(function.required_features >> 32), (uint32_t)function.required_features);
        write_name(file, function.name);
        if (!write_resources(file, object, 1, function.constant_buffers, 3, function.resources))
            return 0;
    }
    return 1;
}

/* Writes what DXC reflects, or nothing of a container without a program. */
static int write_reflection(Object *utils, const Buffer *container, const char *path)
{
    FILE *file = create_file(path);
    Object *reflection = NULL;
    int complete = 1;
    if (CALL(utils, 13, int32_t, const Buffer *, const Id *, Object **)(utils, container, &I_SHADER, &reflection) >= 0)
        complete = write_shader(file, reflection);
    else if (CALL(utils, 13, int32_t, const Buffer *, const Id *, Object **)(utils, container, &I_LIBRARY, &reflection) >= 0)
        complete = write_library(file, reflection);
    release(reflection);
    return !fclose(file) && complete;
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
    Object *container = make(create, &CONTAINER, &I_CONTAINER);
    uint32_t major = 0, minor = 0;
    Object *version3 = NULL;
    char *complete = NULL;
    if (CALL(version, 0, int32_t, const Id *, Object **)(version, &I_VERSION3, &version3) >= 0 &&
        CALL(version3, 3, int32_t, char **)(version3, &complete) >= 0 && complete)
        puts(complete);
    else {
        CALL(version, 3, int32_t, uint32_t *, uint32_t *)(version, &major, &minor);
        printf("%u.%u\n", major, minor);
    }

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
        } else if (!strcmp(verb, "parts")) {
            puts(write_parts(container, blob, out) ? "ok" : "refused: parts not listed");
        } else if (!strcmp(verb, "reflect")) {
            puts(write_reflection(utils, &buffer, out) ? "ok" : "refused: not reflected");
        } else if (!strcmp(verb, "unpack")) {
            Object *hash = NULL;
            int32_t status = CALL(utils, 15, int32_t, Object *, Object **, Object **)(utils, blob, &hash, &text);
            puts(status < 0 || !text ? "refused: not unpacked" : "ok");
            if (text) {
                FILE *file = create_file(out);
                size_t size = CALL(text, 4, size_t)(text);
                if (fwrite(CALL(text, 3, void *)(text), 1, size, file) != size || fclose(file))
                    fail(out);
            }
            release(hash);
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
