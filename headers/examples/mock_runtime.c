/* mock_runtime.c: creates a pipeline on a user-mode driver, through the test runtime, in C11.
 *
 *     mock_runtime <runtime library> <vertex shader> <pixel shader> [<driver> [<PSDB>]]
 *
 * The shaders are DXIL containers that have a root signature in them. Without a driver, or with "-", the
 * driver is mock-umd. Prints what the driver looked up and compiled, and calls it through a command list.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */

#include "d3d12_mock_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <dlfcn.h>
#endif

/* The library's functions. C has no cast from an object pointer to a function pointer; the bytes are the same. */
#define FUNCTION(name)                                                                             \
    PFN_##name name;                                                                               \
    do {                                                                                           \
        symbol = find(library, #name);                                                             \
        memcpy(&name, &symbol, sizeof name);                                                       \
    } while (0)

#ifdef _WIN32
typedef FARPROC address;
static HMODULE load(const char *path) { return LoadLibraryA(path); }
static address look_up(void *library, const char *name)
{
    return GetProcAddress((HMODULE)library, name);
}
#else
typedef void *address;
static void *load(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static address look_up(void *library, const char *name) { return dlsym(library, name); }
#endif

static address find(void *library, const char *name)
{
    address symbol = look_up(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "the library has no %s\n", name);
        exit(EXIT_FAILURE);
    }
    return symbol;
}

static PFN_MockRuntimeGetLastError last_error;

static void check(HRESULT result, const char *call)
{
    char text[512];
    if (SUCCEEDED(result))
        return;
    last_error(text, sizeof text);
    fprintf(stderr, "%s: 0x%08lX: %s\n", call, (unsigned long)(UINT)result, text);
    exit(EXIT_FAILURE);
}

static void *read_file(const char *path, SIZE_T *size)
{
    FILE *file = fopen(path, "rb");
    long length = -1;
    void *bytes = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    if (length > 0)
        bytes = malloc((size_t)length);
    if (bytes != NULL) {
        rewind(file);
        *size = fread(bytes, 1, (size_t)length, file);
    }
    if (file != NULL)
        fclose(file);
    if (bytes == NULL || *size != (SIZE_T)length) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(EXIT_FAILURE);
    }
    return bytes;
}

/* A record of a pipeline state stream begins where a pointer may. */
struct shader_record {
    _Alignas(void *) D3D12_PIPELINE_STATE_SUBOBJECT_TYPE type;
    D3D12_SHADER_BYTECODE shader;
};
struct formats_record {
    _Alignas(void *) D3D12_PIPELINE_STATE_SUBOBJECT_TYPE type;
    struct D3D12_RT_FORMAT_ARRAY formats;
};
struct stream {
    struct shader_record vertex, pixel;
    struct formats_record formats;
};

int main(int argc, char **argv)
{
    static const char key[] = "pipeline";
    MOCK_RUNTIME_ADAPTER_DESC adapter_desc = {0};
    MOCK_RUNTIME_DEVICE_DESC device_desc = {0};
    D3D12_PIPELINE_STATE_STREAM_DESC desc = {0};
    D3D12_STATE_OBJECT_STATISTICS statistics;
    MOCK_RUNTIME_OUTCOME outcome;
    struct stream stream;
    const char *caches[1];
    void *library, *adapter, *device, *pipeline, *list, *address_of_list;
    HRESULT result;
    address symbol;

    if (argc < 4 || argc > 6) {
        fprintf(stderr, "usage: mock_runtime <runtime> <vertex shader> <pixel shader> [<driver> [<PSDB>]]\n");
        return 2;
    }
    library = (void *)load(argv[1]);
    if (library == NULL) {
        fprintf(stderr, "%s cannot be loaded\n", argv[1]);
        return 1;
    }
    FUNCTION(MockRuntimeGetLastError);
    FUNCTION(MockRuntimeOpenAdapter);
    FUNCTION(MockRuntimeCreateDevice);
    FUNCTION(MockRuntimeCreatePipelineState);
    FUNCTION(MockRuntimeGetStatistics);
    FUNCTION(MockRuntimeGetObject);
    FUNCTION(MockRuntimeCreateCommandList);
    FUNCTION(MockRuntimeSetDirect);
    FUNCTION(MockRuntimeReset);
    FUNCTION(MockRuntimeClose);
    FUNCTION(MockRuntimeRelease);
    last_error = MockRuntimeGetLastError;

    if (argc > 4 && strcmp(argv[4], "-") != 0)
        adapter_desc.pUmdPath = argv[4];
    check(MockRuntimeOpenAdapter(&adapter_desc, &adapter), "MockRuntimeOpenAdapter");
    if (argc > 5) {
        caches[0] = argv[5];
        device_desc.NumCaches = 1;
        device_desc.ppCaches = caches;
    }
    check(MockRuntimeCreateDevice(adapter, &device_desc, &device), "MockRuntimeCreateDevice");

    memset(&stream, 0, sizeof stream);
    stream.vertex.type = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS;
    stream.vertex.shader.pShaderBytecode = read_file(argv[2], &stream.vertex.shader.BytecodeLength);
    stream.pixel.type = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS;
    stream.pixel.shader.pShaderBytecode = read_file(argv[3], &stream.pixel.shader.BytecodeLength);
    stream.formats.type = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS;
    stream.formats.formats.NumRenderTargets = 1;
    stream.formats.formats.RTFormats[0] = DXGI_FORMAT_R8G8B8A8_UNORM;
    desc.SizeInBytes = sizeof stream;
    desc.pPipelineStateSubobjectStream = &stream;
    result = MockRuntimeCreatePipelineState(device, key, sizeof key, &desc, &outcome);
    check(result, "MockRuntimeCreatePipelineState");
    printf("from database %u, from driver %u, missed %u, stored %u\n", (unsigned)outcome.NumFromDatabase,
        (unsigned)outcome.NumFromDriver, (unsigned)outcome.NumMissed, (unsigned)outcome.NumStored);
    check(MockRuntimeGetStatistics(device, &statistics), "MockRuntimeGetStatistics");
    printf("pipelines %u, missed the database %u\n",
        statistics.PipelineStateObjectStatistics.NumCreated,
        statistics.PipelineStateObjectStatistics.NumPSDBCacheMissed);

    /* The same key again is a mistake, and so is a handle that was released. */
    result = MockRuntimeCreatePipelineState(device, key, sizeof key, &desc, NULL);
    printf("again: 0x%08lX\n", (unsigned long)(UINT)result);

    check(MockRuntimeGetObject(device, key, sizeof key, &pipeline), "MockRuntimeGetObject");
    check(MockRuntimeCreateCommandList(device, &list, &address_of_list), "MockRuntimeCreateCommandList");
    check(MockRuntimeReset(list), "MockRuntimeReset");
    check(MockRuntimeSetDirect(list, TRUE), "MockRuntimeSetDirect");
    /* D3D12DDI_RUNTIME_BYPASS_HEADER: the v-table, and the driver's object. */
    printf("driver's objects: %s\n",
        ((void **)address_of_list)[1] != NULL && ((void **)pipeline)[1] != NULL ? "there" : "missing");
    check(MockRuntimeClose(list), "MockRuntimeClose");

    check(MockRuntimeRelease(list), "MockRuntimeRelease");
    check(MockRuntimeRelease(device), "MockRuntimeRelease");
    check(MockRuntimeRelease(adapter), "MockRuntimeRelease");
    result = MockRuntimeRelease(adapter);
    printf("released twice: 0x%08lX\n", (unsigned long)(UINT)result);
    return 0;
}
