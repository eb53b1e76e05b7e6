/* host.c: loads a compiler plugin and compiles one pipeline with it, in C11.
 *
 *     host <plugin library> <shader.dxil>
 *
 * The shader is a vertex, mesh or compute shader in a DXIL container. Prints what the plugin offers
 * and the values that it stores; exits with 1 when anything is not as ShaderCompilerPlugin.md says.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */

#include "d3d12_compiler_ddi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <dlfcn.h>
#endif

/* ---- Failing: an example need not clean up on the way out ------------------------------------ */

static void fail(const char *what)
{
    fprintf(stderr, "host: %s\n", what);
    exit(EXIT_FAILURE);
}

static void check(HRESULT result, const char *call)
{
    if (FAILED(result)) {
        fprintf(stderr, "host: %s returned 0x%08lX\n", call, (unsigned long)(UINT)result);
        exit(EXIT_FAILURE);
    }
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size != 0 ? size : 1);
    if (memory == NULL) {
        fail("out of memory");
    }
    return memory;
}

/* ---- The library ----------------------------------------------------------------------------- */

/* C has no cast from an object pointer to a function pointer; the bytes are the same. */
#ifdef _WIN32
static HMODULE load(const char *path, PFND3D12DDI_COMPILER_OPEN_DDI *open)
{
    HMODULE library = LoadLibraryA(path);
    FARPROC symbol = library != NULL ? GetProcAddress(library, "D3D12OpenCompilerDDI") : NULL;
    memcpy(open, &symbol, sizeof *open);
    return library;
}

static void unload(HMODULE library) { FreeLibrary(library); }
#else
static void *load(const char *path, PFND3D12DDI_COMPILER_OPEN_DDI *open)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, "D3D12OpenCompilerDDI") : NULL;
    memcpy(open, &symbol, sizeof *open);
    return library;
}

static void unload(void *library) { dlclose(library); }
#endif

/* ---- A cache session in memory --------------------------------------------------------------- */

enum { MAX_VALUES = 64, VALUE_TYPES = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID };

struct value {
    void *key;
    UINT key_size;
    void *bytes[VALUE_TYPES];
    SIZE_T sizes[VALUE_TYPES];
};

struct session {
    struct value values[MAX_VALUES];
    UINT num_values;
    UINT stores;      /* Successful stores in the compile that runs. */
    UINT keys_calls;  /* Calls of SetObjectValueKeys in it. */
    struct value *object[MAX_VALUES];
    UINT num_object;
};

static struct value *find(struct session *session, const D3D12DDI_COMPILER_CACHE_VALUE_KEY *key)
{
    for (UINT i = 0; i < session->num_values; i++) {
        struct value *value = &session->values[i];
        if (value->key_size == key->KeySize && memcmp(value->key, key->pKey, key->KeySize) == 0) {
            return value;
        }
    }
    return NULL;
}

static int is_key(const D3D12DDI_COMPILER_CACHE_VALUE_KEY *key)
{
    return key != NULL && key->pKey != NULL && key->KeySize != 0;
}

static HRESULT D3D12DDI_APIENTRY find_value(D3D12DDI_HRTCOMPILERCACHESESSION handle,
                                            const D3D12DDI_COMPILER_CACHE_VALUE_KEY *key,
                                            D3D12DDI_COMPILER_CACHE_TYPED_VALUE *values,
                                            UINT num_values,
                                            PFND3D12DDI_COMPILER_ALLOCATION callback,
                                            void *context)
{
    if (!is_key(key) || (values == NULL && num_values != 0)) {
        return E_INVALIDARG;
    }
    const struct value *found = find(handle.handle, key);
    int has_any = 0;
    for (UINT i = 0; i < num_values; i++) {
        if (values[i].Type < 0 || values[i].Type >= VALUE_TYPES) {
            return E_INVALIDARG;
        }
        has_any |= found != NULL && found->sizes[values[i].Type] != 0;
    }
    if (!has_any) {
        return DXGI_ERROR_NOT_FOUND;
    }
    HRESULT result = S_OK;
    for (UINT i = 0; i < num_values; i++) {
        D3D12DDI_COMPILER_CACHE_VALUE *value = &values[i].Value;
        const SIZE_T size = found->sizes[values[i].Type];
        const SIZE_T capacity = value->ValueSize;
        value->ValueSize = size;
        if (size == 0 || (capacity == 0 && callback == NULL)) {
            continue; /* The type is not stored, or only its size is asked for. */
        }
        if (capacity == 0) {
            value->pValue = callback(size, context);
            if (value->pValue == NULL) {
                return E_OUTOFMEMORY;
            }
        } else if (value->pValue == NULL) {
            return E_INVALIDARG;
        } else if (capacity < size) {
            result = DXGI_ERROR_MORE_DATA;
            continue;
        }
        memcpy(value->pValue, found->bytes[values[i].Type], size);
    }
    return result;
}

static HRESULT D3D12DDI_APIENTRY store_value(
    D3D12DDI_HRTCOMPILERCACHESESSION handle, const D3D12DDI_COMPILER_CACHE_VALUE_KEY *key,
    const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE *values, UINT num_values)
{
    struct session *session = handle.handle;
    if (!is_key(key) || values == NULL || num_values == 0) {
        return E_INVALIDARG;
    }
    struct value *stored = find(session, key);
    int types[VALUE_TYPES] = {0};
    for (UINT i = 0; i < num_values; i++) {
        const INT type = (INT)values[i].Type;
        if (type < 0 || type >= VALUE_TYPES || types[type]++ != 0 || values[i].Value.pValue == NULL
            || values[i].Value.ValueSize == 0) {
            return E_INVALIDARG;
        }
        if (stored != NULL && stored->sizes[type] != 0) {
            return DXGI_ERROR_ALREADY_EXISTS;
        }
    }
    if (stored == NULL) {
        if (session->num_values == MAX_VALUES) {
            return DXGI_ERROR_CACHE_FULL;
        }
        stored = &session->values[session->num_values++];
        stored->key = allocate(key->KeySize);
        stored->key_size = key->KeySize;
        memcpy(stored->key, key->pKey, key->KeySize);
    }
    for (UINT i = 0; i < num_values; i++) {
        const SIZE_T size = values[i].Value.ValueSize;
        stored->bytes[values[i].Type] = allocate(size);
        stored->sizes[values[i].Type] = size;
        memcpy(stored->bytes[values[i].Type], values[i].Value.pValue, size);
    }
    session->stores++;
    return S_OK;
}

static HRESULT D3D12DDI_APIENTRY set_object_value_keys(
    D3D12DDI_HRTCOMPILERCACHESESSION handle, const D3D12DDI_COMPILER_CACHE_VALUE_KEY *keys,
    UINT num_keys)
{
    struct session *session = handle.handle;
    if (session->keys_calls++ != 0 || keys == NULL || num_keys == 0 || num_keys > MAX_VALUES) {
        return E_INVALIDARG;
    }
    for (UINT i = 0; i < num_keys; i++) {
        session->object[i] = is_key(&keys[i]) ? find(session, &keys[i]) : NULL;
        if (session->object[i] == NULL) {
            return E_INVALIDARG;
        }
    }
    session->num_object = num_keys;
    return S_OK;
}

static void free_session(struct session *session)
{
    for (UINT i = 0; i < session->num_values; i++) {
        free(session->values[i].key);
        for (int type = 0; type < VALUE_TYPES; type++) {
            free(session->values[i].bytes[type]);
        }
    }
    free(session);
}

/* ---- The shader ------------------------------------------------------------------------------ */

static UINT word(const unsigned char *at)
{
    UINT value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* The program in a container: what crosses the DDI is the payload of the part DXIL. */
static UINT *read_program(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail("the shader cannot be opened");
    }
    unsigned char *container = allocate(1 << 24);
    const size_t size = fread(container, 1, 1 << 24, file);
    fclose(file);
    if (size < 32 || memcmp(container, "DXBC", 4) != 0 || word(container + 24) > size) {
        fail("the shader is not a container");
    }
    const size_t parts = word(container + 28);
    for (size_t i = 0; i < parts && 36 + 4 * i <= size; i++) {
        const size_t part = word(container + 32 + 4 * i);
        if (part > size - 8 || word(container + part + 4) > size - 8 - part) {
            fail("a part of the container is outside of it");
        }
        const size_t length = word(container + part + 4);
        if (memcmp(container + part, "DXIL", 4) == 0 && length >= 24) {
            UINT *program = allocate(length);
            memcpy(program, container + part + 8, length);
            free(container);
            if (program[1] > length / 4) {
                fail("the program is longer than its part");
            }
            return program;
        }
    }
    fail("the container has no DXIL part");
    return NULL;
}

/* ---- The host -------------------------------------------------------------------------------- */

/* printf has no conversion for 64 bits that every C library of Windows knows. */
static void print_number(UINT64 number)
{
    if (number >= 10) {
        print_number(number / 10);
    }
    putchar('0' + (int)(number % 10));
}

static void print_version(const char *what, UINT64 version)
{
    printf("%s %u.%u.%u.%u\n", what, (UINT)(version >> 48), (UINT)(version >> 32 & 0xFFFF),
           (UINT)(version >> 16 & 0xFFFF), (UINT)(version & 0xFFFF));
}

/* Selects the newest of the plugin's versions that this host knows. */
static void negotiate(const D3D12DDI_COMPILER_DDI_FUNCS *ddi, D3D12DDI_HCOMPILERDDI handle)
{
    static const UINT64 known[] = {0x000C000000020000, 0x000C000000010000};
    static const UINT64 usermode = 0x000C005000730000; /* 12.80, build 115, belongs to both. */

    UINT32 count = 0;
    check(ddi->pfnGetSupportedVersions(handle, &count, NULL), "GetSupportedVersions");
    UINT64 *versions = allocate(count * sizeof *versions);
    check(ddi->pfnGetSupportedVersions(handle, &count, versions), "GetSupportedVersions");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        for (UINT32 j = 0; j < count; j++) {
            if (versions[j] == known[i]) {
                check(ddi->pfnSetSelectedVersion(handle, known[i], usermode), "SetSelectedVersion");
                print_version("plugin DDI", known[i]);
                free(versions);
                return;
            }
        }
    }
    fail("the plugin has no version that this host knows");
}

/* Prints every family; the target is the newest ABI of the first. */
static D3D12DDI_COMPILER_TARGET list_families(const D3D12DDI_COMPILER_CAPABILITIES_FUNCS *caps,
                                              D3D12DDI_HCOMPILERDDI handle)
{
    D3D12DDI_COMPILER_TARGET target = {0, 0};
    D3D12DDI_COMPILER_ADAPTER_FAMILY family;
    UINT index = 0;
    for (;; index++) {
        const HRESULT result = caps->pfnEnumerateAdapterFamilies(handle, index, &family);
        if (result == DXGI_ERROR_NOT_FOUND) {
            break;
        }
        check(result, "EnumerateAdapterFamilies");
        printf("family %u: ", index);
        for (int i = 0; i < 128 && family.szAdapterFamily[i] != 0; i++) {
            const WCHAR unit = family.szAdapterFamily[i];
            putchar(unit >= 0x20 && unit < 0x7F ? (char)unit : '?');
        }
        putchar('\n');

        D3D12DDI_VERSION_NUMBER version;
        check(caps->pfnGetCompilerVersion(handle, index, &version), "GetCompilerVersion");
        print_version("  compiler", version.Version);

        UINT count = 0;
        check(caps->pfnGetAdapterFamilyABIVersions(handle, index, &count, NULL),
              "GetAdapterFamilyABIVersions");
        UINT64 *abis = allocate(count * sizeof *abis);
        check(caps->pfnGetAdapterFamilyABIVersions(handle, index, &count, abis),
              "GetAdapterFamilyABIVersions");
        printf("  ABI versions");
        for (UINT i = 0; i < count; i++) {
            putchar(' ');
            print_number(abis[i]);
        }
        putchar('\n');
        if (index == 0 && count != 0) {
            target.ABIVersion = abis[0];
        }
        free(abis);
    }
    if (target.ABIVersion == 0) {
        fail("the plugin has no adapter family with an ABI version");
    }
    return target;
}

/* Compiles and checks that the object's keys were set once and that every value is there. */
static void compile(const D3D12DDI_COMPILER_FUNCS *compiler, D3D12DDI_HCOMPILER handle,
                    struct session *session, const D3D12DDIARG_CREATE_PIPELINE_STATE_0099 *pipeline)
{
    const D3D12DDI_COMPILER_VALUE_TYPE_FLAGS types =
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE
        | D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_METADATA;
    const D3D12DDI_HRTCOMPILERCACHESESSION session_handle = {session};
    session->stores = 0;
    session->keys_calls = 0;
    session->num_object = 0;
    check(compiler->pfnCompilePipelineState(handle, session_handle, types, pipeline),
          "CompilePipelineState");
    if (session->keys_calls != 1) {
        fail("SetObjectValueKeys was not called exactly once");
    }
    for (UINT i = 0; i < session->num_object; i++) {
        for (int type = 0; type < VALUE_TYPES; type++) {
            const int wanted = (types >> type & 1) != 0;
            if (wanted != (session->object[i]->sizes[type] != 0)) {
                fail("the stored types are not those that were asked for");
            }
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fail("usage: host <plugin library> <shader.dxil>");
    }
    UINT *program = read_program(argv[2]);

    PFND3D12DDI_COMPILER_OPEN_DDI open_ddi;
    void *library = load(argv[1], &open_ddi);
    if (open_ddi == NULL) {
        fail("the library cannot be loaded, or has no D3D12OpenCompilerDDI");
    }

    D3D12DDI_COMPILER_DDI_FUNCS ddi = {0};
    int host_object = 0;
    D3D12DDIARG_COMPILER_OPEN_DDI open = {{&host_object}, {NULL}, &ddi};
    check(open_ddi(&open), "D3D12OpenCompilerDDI");
    const D3D12DDI_HCOMPILERDDI handle = open.hCompilerDDI;
    negotiate(&ddi, handle);

    D3D12DDI_COMPILER_CAPABILITIES_FUNCS caps = {0};
    D3D12DDI_COMPILER_FUNCS compiler = {0};
    check(ddi.pfnFillDDITable(handle, D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES, &caps,
                              sizeof caps),
          "FillDDITable CAPABILITIES");
    check(ddi.pfnFillDDITable(handle, D3D12DDI_COMPILER_TABLE_TYPE_COMPILER, &compiler,
                              sizeof compiler),
          "FillDDITable COMPILER");
    const D3D12DDI_COMPILER_CACHE_CALLBACKS callbacks = {find_value, store_value,
                                                         set_object_value_keys};
    check(ddi.pfnSetCallbackDDITable(handle, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE,
                                     &callbacks, sizeof callbacks),
          "SetCallbackDDITable");

    const D3D12DDI_COMPILER_TARGET target = list_families(&caps, handle);
    D3D12DDI_APPLICATION_DESC application;
    memset(&application, 0, sizeof application);
    application.pExeFilename = D3D12DDI_TEXT("host.exe");
    application.pName = D3D12DDI_TEXT("Example Host");
    application.Version.Version = 0x0001000000000000;

    const D3D12DDI_HCOMPILER object = {
        allocate(compiler.pfnCalcPrivateCompilerSize(&target, &application))};
    const D3D12DDI_HRTCOMPILER host_compiler = {&host_object};
    check(compiler.pfnCreateCompiler(&target, &application, object, host_compiler),
          "CreateCompiler");

    /* No call of the plugin DDI creates the objects behind a pipeline's handles: by our reading a
     * handle points at the create arguments (docs/spec-notes.md). */
    D3D12DDI_ROOT_SIGNATURE_0100 empty;
    memset(&empty, 0, sizeof empty);
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 root_signature;
    memset(&root_signature, 0, sizeof root_signature);
    root_signature.Version = D3D12DDI_ROOT_SIGNATURE_VERSION_1_2;
    root_signature.pRootSignature_1_2 = &empty;

    D3D12DDIARG_STAGE_IO_SIGNATURES standard;
    memset(&standard, 0, sizeof standard);
    D3D12DDIARG_MESH_IO_SIGNATURES mesh;
    memset(&mesh, 0, sizeof mesh);
    D3D12DDIARG_CREATE_SHADER_0026 shader;
    memset(&shader, 0, sizeof shader);
    shader.pShaderCode = program;
    shader.hRootSignature.pDrvPrivate = &root_signature;

    D3D12DDI_BLEND_DESC_0010 blend;
    memset(&blend, 0, sizeof blend);
    D3D12DDI_RASTERIZER_DESC_0102 rasterizer;
    memset(&rasterizer, 0, sizeof rasterizer);
    rasterizer.FillMode = D3D12DDI_FILL_MODE_SOLID;
    rasterizer.CullMode = D3D12DDI_CULL_MODE_NONE;
    D3D12DDI_DEPTH_STENCIL_DESC_0095 depth_stencil;
    memset(&depth_stencil, 0, sizeof depth_stencil);
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010 layout;
    memset(&layout, 0, sizeof layout);

    D3D12DDIARG_CREATE_PIPELINE_STATE_0099 pipeline;
    memset(&pipeline, 0, sizeof pipeline);
    pipeline.hRootSignature.pDrvPrivate = &root_signature;
    pipeline.NodeMask = 1;
    switch (program[0] >> 16) {
    case 1:
        shader.IOSignatures.Standard = &standard;
        pipeline.hVertexShader.pDrvPrivate = &shader;
        break;
    case 13:
        shader.IOSignatures.Mesh = &mesh;
        pipeline.hMeshShader.pDrvPrivate = &shader;
        break;
    case 5:
        pipeline.hComputeShader.pDrvPrivate = &shader;
        break;
    default:
        fail("the shader is not a vertex, mesh or compute shader");
    }
    if (pipeline.hComputeShader.pDrvPrivate == NULL) {
        pipeline.hBlendState.pDrvPrivate = &blend;
        pipeline.hRasterizerState.pDrvPrivate = &rasterizer;
        pipeline.hDepthStencilState.pDrvPrivate = &depth_stencil;
        pipeline.hElementLayout.pDrvPrivate = &layout;
        pipeline.SampleMask = 0xFFFFFFFFu;
        pipeline.PrimitiveTopologyType = D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE;
        pipeline.SampleDesc.Count = 1;
    }

    struct session *session = allocate(sizeof *session);
    compile(&compiler, object, session, &pipeline);
    for (UINT i = 0; i < session->num_object; i++) {
        const struct value *value = session->object[i];
        printf("key ");
        for (UINT j = 0; j < value->key_size; j++) {
            printf("%02x", ((const unsigned char *)value->key)[j]);
        }
        printf(": object code ");
        print_number(value->sizes[D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE]);
        printf(" bytes, metadata ");
        print_number(value->sizes[D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA]);
        puts(" bytes");
    }

    compile(&compiler, object, session, &pipeline);
    if (session->stores != 0) {
        fail("the same pipeline again stored values again");
    }
    puts("the same pipeline again: nothing stored");

    compiler.pfnDestroyCopiler(object);
    ddi.pfnDestroyCompilerDDI(handle);
    unload(library);
    free(object.pDrvPrivate);
    free_session(session);
    free(program);
    return EXIT_SUCCESS;
}
