/* mock_umd.c: a program in C11 that drives mock-umd as a runtime does, and reads what the driver has recorded.
 *
 *     mock_umd <driver library>
 *
 * Opens the adapter, creates a device and a command list, records a draw, and prints the recording and the last failure.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */

#include "d3d12_mock_umd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
typedef FARPROC address;
static HMODULE load(const char *path) { return LoadLibraryA(path); }
static address look_up(HMODULE library, const char *name) { return GetProcAddress(library, name); }
#else
#include <dlfcn.h>
typedef void *address;
typedef void *HMODULE;
static HMODULE load(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static address look_up(HMODULE library, const char *name) { return dlsym(library, name); }
#endif

/* C has no cast from an object pointer to a function pointer; the bytes are the same. */
#define FUNCTION(type, name)                                                                       \
    type name;                                                                                     \
    do {                                                                                           \
        address symbol = look_up(library, #name);                                                  \
        if (symbol == NULL)                                                                        \
            fail("the library has no " #name);                                                     \
        memcpy(&name, &symbol, sizeof name);                                                       \
    } while (0)

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(EXIT_FAILURE);
}

static void check(HRESULT result, const char *call)
{
    if (SUCCEEDED(result))
        return;
    fprintf(stderr, "%s: 0x%08lX\n", call, (unsigned long)(UINT)result);
    exit(EXIT_FAILURE);
}

/* The host's side: what the driver asks of it, and tells it. */
static HRESULT D3D12DDI_APIENTRY query(HANDLE adapter, D3DDDICB_QUERYADAPTERINFO2 *question)
{
    (void)adapter;
    (void)question;
    return E_INVALIDARG;
}

static void D3D12DDI_APIENTRY device_error(D3D12DDI_HRTDEVICE device, HRESULT error)
{
    (void)device;
    check(error, "the device");
}

static void D3D12DDI_APIENTRY list_error(D3D12DDI_HRTCOMMANDLIST list, HRESULT error)
{
    (void)list;
    check(error, "the command list");
}

/* Private memory of an object, which the host allocates. */
static void *private_memory(SIZE_T size)
{
    void *memory = calloc(1, size);
    if (memory == NULL)
        fail("no memory");
    return memory;
}

static char *text_of(HRESULT (*read)(void *, char *, SIZE_T *), void *object)
{
    SIZE_T size = 0, again;
    char *text;
    check(read(object, NULL, &size), "the size");
    again = size;
    text = private_memory(size);
    check(read(object, text, &again), "the text");
    if (strlen(text) + 1 != size)
        fail("the text has another size");
    return text;
}

static PFN_MockUmdStatistics statistics;
static PFN_MockUmdCommandList command_list;
static HRESULT read_statistics(void *object, char *buffer, SIZE_T *size)
{
    (void)object;
    return statistics(buffer, size);
}
static HRESULT read_list(void *list, char *buffer, SIZE_T *size)
{
    return command_list(list, buffer, size);
}

int main(int argc, char **argv)
{
    const UINT release = 0x000C0050, version = 113u << 16;
    D3DDDI_ADAPTERCALLBACKS callbacks;
    D3D12DDI_ADAPTERFUNCS adapter;
    D3D12DDIARG_OPENADAPTER open;
    D3D12DDIARG_CALCPRIVATEDEVICESIZE size;
    D3D12DDIARG_CREATEDEVICE_0109 create;
    D3D12DDI_CORELAYER_DEVICECALLBACKS_0003 core_callbacks;
    D3D12DDI_DEVICE_FUNCS_CORE_0113 core;
    D3D12DDI_COMMAND_LIST_FUNCS_3D_0108 list_functions;
    D3D12DDIARG_CREATE_COMMAND_POOL_0040 pool_desc;
    D3D12DDIARG_CREATE_COMMAND_RECORDER_0040 recorder_desc;
    D3D12DDIARG_CREATE_COMMAND_LIST_0040 list_desc;
    D3D12DDIARG_RESETCOMMANDLIST_0040 reset;
    D3D12DDI_HRTTABLE table;
    D3D12DDI_HRTCOMMANDLIST runtime_list;
    D3D12DDI_HCOMMANDPOOL_0040 pool;
    D3D12DDI_HCOMMANDRECORDER_0040 recorder;
    D3D12DDI_HCOMMANDLIST list;
    HMODULE library;
    char *text;

    if (argc != 2)
        fail("usage: mock_umd <driver library>");
    library = load(argv[1]);
    if (library == NULL)
        fail("the library cannot be loaded");
    FUNCTION(PFND3D12DDI_OPENADAPTER, OpenAdapter12);
    FUNCTION(PFN_MockUmdSet, MockUmdSet);
    FUNCTION(PFN_MockUmdStatistics, MockUmdStatistics);
    FUNCTION(PFN_MockUmdCommandList, MockUmdCommandList);
    FUNCTION(PFN_MockUmdCommandCount, MockUmdCommandCount);
    statistics = MockUmdStatistics;
    command_list = MockUmdCommandList;

    check(MockUmdSet("MOCK_UMD_BUILD", "113"), "MockUmdSet");
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.pfnQueryAdapterInfoCb2 = query;
    memset(&open, 0, sizeof open);
    open.pAdapterCallbacks = &callbacks;
    open.pAdapterFuncs = &adapter;
    check(OpenAdapter12(&open), "OpenAdapter12");

    memset(&size, 0, sizeof size);
    size.Interface = release;
    size.Version = version;
    memset(&core_callbacks, 0, sizeof core_callbacks);
    core_callbacks.pfnSetErrorCb = device_error;
    core_callbacks.pfnSetCommandListErrorCb = list_error;
    memset(&create, 0, sizeof create);
    create.Interface = release;
    create.Version = version;
    create.p12UMCallbacks = &core_callbacks;
    create.hDrvDevice.pDrvPrivate = private_memory(adapter.pfnCalcPrivateDeviceSize(open.hAdapter, &size));
    check(adapter.pfnCreateDevice(open.hAdapter, (const void *)&create), "pfnCreateDevice");
    memset(&table, 0, sizeof table);
    check(adapter.pfnFillDDITable(open.hAdapter, D3D12DDI_TABLE_TYPE_DEVICE_CORE, &core, sizeof core, 0, table),
        "pfnFillDDITable");
    check(adapter.pfnFillDDITable(open.hAdapter, D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D, &list_functions,
              sizeof list_functions, 0, table),
        "pfnFillDDITable");

    memset(&pool_desc, 0, sizeof pool_desc);
    memset(&recorder_desc, 0, sizeof recorder_desc);
    memset(&list_desc, 0, sizeof list_desc);
    memset(&reset, 0, sizeof reset);
    memset(&runtime_list, 0, sizeof runtime_list);
    pool.pDrvPrivate = private_memory(core.pfnCalcPrivateCommandPoolSize(create.hDrvDevice, &pool_desc));
    check(core.pfnCreateCommandPool(create.hDrvDevice, &pool_desc, pool), "pfnCreateCommandPool");
    recorder.pDrvPrivate = private_memory(core.pfnCalcPrivateCommandRecorderSize(create.hDrvDevice, &recorder_desc));
    check(core.pfnCreateCommandRecorder(create.hDrvDevice, &recorder_desc, recorder), "pfnCreateCommandRecorder");
    core.pfnCommandRecorderSetCommandPoolAsTarget(create.hDrvDevice, recorder, pool);
    list.pDrvPrivate = private_memory(core.pfnCalcPrivateCommandListSize(create.hDrvDevice, &list_desc));
    check(core.pfnCreateCommandList(create.hDrvDevice, &list_desc, list, runtime_list), "pfnCreateCommandList");
    reset.hDrvCommandRecorder = recorder;
    list_functions.pfnResetCommandList(list, &reset);
    list_functions.pfnDrawInstanced(list, 3, 1, 0, 0);
    list_functions.pfnCloseCommandList(list);

    text = text_of(read_list, list.pDrvPrivate);
    printf("%u command: %s\n", (unsigned)MockUmdCommandCount(list.pDrvPrivate), text);
    free(text);

    /* A switch that there is not; reading the reason does not change it. */
    if (MockUmdSet("MOCK_UMD_SLOW", "fast") != E_INVALIDARG)
        fail("a value that is no number was taken");
    free(text_of(read_statistics, NULL));
    text = text_of(read_statistics, NULL);
    if (strstr(text, "MOCK_UMD_SLOW=fast") == NULL)
        fail("the last failure is another one");
    free(text);
    if (MockUmdCommandList(NULL, NULL, NULL) != E_INVALIDARG)
        fail("no list has a recording");

    adapter.pfnDestroyDevice(create.hDrvDevice);
    check(adapter.pfnCloseAdapter(open.hAdapter), "pfnCloseAdapter");
    printf("commands of a list that is gone: %u\n", (unsigned)MockUmdCommandCount(list.pDrvPrivate));
    return 0;
}
