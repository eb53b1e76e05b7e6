// The example plugin, but its D3D12OpenCompilerDDI ends in the fault that the environment variable
// DDI_MISBEHAVE names. GCC or Clang, on every system.

#define D3D12OpenCompilerDDI conforming_open
#include "examples/minimal_plugin.cpp"
#undef D3D12OpenCompilerDDI

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#ifndef _WIN32
#include <thread>
#endif

namespace {

bool told(const char* what)
{
    const char* misbehaviour = std::getenv("DDI_MISBEHAVE");
    return misbehaviour && std::strcmp(misbehaviour, what) == 0;
}

void fault()
{
    *reinterpret_cast<volatile int*>(0x12345000) = 1;
}

int overflow(volatile char* caller)
{
    volatile char frame[4096];
    frame[0] = caller[0];
    return frame[0] == 0 ? overflow(frame) + frame[0] : 0;
}

#ifdef _WIN32

DWORD CALLBACK thread(void*)
{
    fault();
    return 0;
}

void fault_in_a_thread()
{
    WaitForSingleObject(CreateThread(nullptr, 0, thread, nullptr, 0, nullptr), INFINITE);
}

// Lives on, and keeps a file of the folder DDI_PIDS to itself as long as it does.
void live_on(const wchar_t* name)
{
    wchar_t path[1024];
    const DWORD length = GetEnvironmentVariableW(L"DDI_PIDS", path, 512);
    wcscpy(path + length, L"\\");
    wcscat(path, name);
    CreateFileW(path, GENERIC_WRITE, 0, nullptr, CREATE_ALWAYS, 0, nullptr);
    Sleep(INFINITE);
}

// Starts a process, out of the console and process group of this one, that calls
// `live_on_elsewhere`.
void start_another()
{
    HMODULE self = nullptr;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       reinterpret_cast<const wchar_t*>(&start_another), &self);
    wchar_t command[1024] = L"rundll32.exe \"";
    GetModuleFileNameW(self, command + wcslen(command), 512);
    wcscat(command, L"\",live_on_elsewhere");
    STARTUPINFOW startup = {};
    startup.cb = sizeof startup;
    PROCESS_INFORMATION process = {};
    CreateProcessW(nullptr, command, nullptr, nullptr, FALSE,
                   DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP, nullptr, nullptr, &startup, &process);
}

bool g_probing = false;

// Steps over the instruction of `readable_by_trial`.
LONG CALLBACK step_over(EXCEPTION_POINTERS* pointers)
{
    if (!g_probing || pointers->ExceptionRecord->ExceptionCode != EXCEPTION_ACCESS_VIOLATION) {
        return EXCEPTION_CONTINUE_SEARCH;
    }
    g_probing = false;
#ifdef _WIN64
    pointers->ContextRecord->Rip += 2;
#else
    pointers->ContextRecord->Eip += 2;
#endif
    return EXCEPTION_CONTINUE_EXECUTION;
}

// Whether memory can be read, as a plugin finds out that handles structured exceptions.
bool readable_by_trial(const void* memory)
{
    AddVectoredExceptionHandler(0, step_over);
    g_probing = true;
    // Two bytes long: test [register a], al.
    __asm__ volatile("testb %%al, (%0)" : : "a"(memory) : "memory", "cc");
    return g_probing;
}

#else

void fault_in_a_thread()
{
    std::thread(fault).join();
}

#endif

PFND3D12DDI_COMPILER_FILL_DDI_TABLE conforming_fill = nullptr;

HRESULT D3D12DDI_APIENTRY aborting_compile(D3D12DDI_HCOMPILER, D3D12DDI_HRTCOMPILERCACHESESSION,
                                           D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
                                           const D3D12DDIARG_CREATE_PIPELINE_STATE_0099*)
{
    std::abort();
}

HRESULT D3D12DDI_APIENTRY fill(D3D12DDI_HCOMPILERDDI plugin, D3D12DDI_COMPILER_TABLE_TYPE type, void* table,
                               SIZE_T size)
{
    const HRESULT result = conforming_fill(plugin, type, table, size);
    if (result == 0 && type == D3D12DDI_COMPILER_TABLE_TYPE_COMPILER) {
        static_cast<D3D12DDI_COMPILER_FUNCS*>(table)->pfnCompilePipelineState = aborting_compile;
    }
    return result;
}

} // namespace

#ifdef _WIN32
// What rundll32 passes does not matter: this does not return.
extern "C" __declspec(dllexport) void live_on_elsewhere()
{
    live_on(L"descendant");
}
#endif

extern "C"
#ifndef _WIN32
__attribute__((visibility("default")))
#endif
HRESULT D3D12DDI_APIENTRY D3D12OpenCompilerDDI(D3D12DDIARG_COMPILER_OPEN_DDI* argument)
{
    if (told("throw")) {
        throw std::runtime_error("nobody catches this");
    }
    if (told("abort")) {
        std::abort();
    }
    if (told("fault")) {
        fault();
    }
    if (told("fault in a thread")) {
        fault_in_a_thread();
    }
    if (told("call null")) {
        void (*volatile null)() = nullptr;
        null();
    }
    if (told("trap")) {
        __builtin_trap();
    }
    if (told("divide by zero")) {
        volatile int number = 1;
        volatile int zero = 0;
        number = number / zero;
    }
    if (told("raise SIGSEGV")) {
        std::raise(SIGSEGV);
    }
    if (told("raise SIGABRT")) {
        std::raise(SIGABRT);
    }
    if (told("raise SIGFPE")) {
        std::raise(SIGFPE);
    }
    if (told("overflow the stack")) {
        volatile char frame = 0;
        return overflow(&frame);
    }
#ifdef _WIN32
    if (told("hang")) {
        start_another();
        live_on(L"child");
    }
    if (told("probe") && !readable_by_trial(argument)) {
        return E_INVALIDARG;
    }
#endif
    const HRESULT result = conforming_open(argument);
    if (result == 0 && told("abort in a compile")) {
        conforming_fill = argument->pDDIFuncs->pfnFillDDITable;
        argument->pDDIFuncs->pfnFillDDITable = fill;
    }
    return result;
}
