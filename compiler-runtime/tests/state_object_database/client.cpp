// A C++ program over state object databases:
//
//     client <runtime> <database> <shader or library>
//
// Stores a pipeline, a raytracing pipeline with an addition, and the application; finds them again in
// the file as it is opened anew. Exits with 1 when anything is not as StateObjectDatabase.md says.

#define NOMINMAX
#include "d3d12_compiler_api.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#ifdef _WIN32
#define WIDE(text) L##text
#else
#include <dlfcn.h>
#define WIDE(text) u##text
#endif

namespace {

using Bytes = std::vector<char>;

void check(bool good, const char* what)
{
    if (!good) {
        std::fprintf(stderr, "not as it should be: %s\n", what);
        std::exit(1);
    }
}

#define CHECK(condition) check(condition, #condition)

PFN_D3D12_GET_INTERFACE load(const std::filesystem::path& runtime)
{
#ifdef _WIN32
    HMODULE const library = LoadLibraryW(runtime.c_str());
    CHECK(library);
    void* const address = reinterpret_cast<void*>(GetProcAddress(library, "D3D12GetInterface"));
#else
    void* const library = dlopen(runtime.c_str(), RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    void* const address = dlsym(library, "D3D12GetInterface");
#endif
    CHECK(address);
    return reinterpret_cast<PFN_D3D12_GET_INTERFACE>(address);
}

struct Stream {
    alignas(void*) D3D12_PIPELINE_STATE_SUBOBJECT_TYPE type;
    D3D12_SHADER_BYTECODE code;
};

struct Found {
    const Bytes& code;
    unsigned calls;
};

bool isCode(const D3D12_SHADER_BYTECODE& found, const Bytes& code)
{
    return found.BytecodeLength == code.size()
        && std::memcmp(found.pShaderBytecode, code.data(), code.size()) == 0;
}

void D3D12_COMPILER_APIENTRY takeApplication(const D3D12_APPLICATION_DESC* desc, void* context)
{
    ++static_cast<Found*>(context)->calls;
    CHECK(std::basic_string<WCHAR>(desc->pExeFilename) == WIDE("Game.exe"));
    CHECK(std::basic_string<WCHAR>(desc->pName) == WIDE("Das Spiel \u2728"));
    CHECK(desc->Version.Version == 0x0001005D00010000 && !desc->pEngineName);
}

void D3D12_COMPILER_APIENTRY takePipeline(const void* key, UINT keySize, UINT version,
    const D3D12_PIPELINE_STATE_STREAM_DESC* desc, void* context)
{
    auto& found = *static_cast<Found*>(context);
    ++found.calls;
    CHECK(keySize == 8 && std::memcmp(key, "pipeline", 8) == 0 && version == 3);
    CHECK(desc->SizeInBytes == sizeof(Stream));
    const auto& stream = *static_cast<const Stream*>(desc->pPipelineStateSubobjectStream);
    CHECK(stream.type == D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS && isCode(stream.code, found.code));
}

void D3D12_COMPILER_APIENTRY takeAddition(const void* key, UINT keySize, UINT version,
    const D3D12_STATE_OBJECT_DESC* desc, const void* parentKey, UINT parentKeySize, void* context)
{
    auto& found = *static_cast<Found*>(context);
    ++found.calls;
    CHECK(keySize == 8 && std::memcmp(key, "addition", 8) == 0 && version == 5);
    CHECK(parentKeySize == 4 && std::memcmp(parentKey, "root", 4) == 0);
    CHECK(desc->Type == D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE && desc->NumSubobjects == 2);
    CHECK(desc->pSubobjects[0].Type == D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG);
    const auto& config = *static_cast<const D3D12_STATE_OBJECT_CONFIG*>(desc->pSubobjects[0].pDesc);
    CHECK(config.Flags == D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS);
    CHECK(desc->pSubobjects[1].Type == D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY);
    const auto& library = *static_cast<const D3D12_DXIL_LIBRARY_DESC*>(desc->pSubobjects[1].pDesc);
    CHECK(library.NumExports == 0 && isCode(library.DXILLibrary, found.code));
}

ID3D12StateObjectDatabase* open(PFN_D3D12_GET_INTERFACE getInterface,
    const std::filesystem::path& file, D3D12_STATE_OBJECT_DATABASE_FLAGS flags)
{
    void* object = nullptr;
    CHECK(getInterface(CLSID_D3D12StateObjectFactory, IID_ID3D12StateObjectDatabaseFactory, &object)
        == S_OK);
    auto* const factory = static_cast<ID3D12StateObjectDatabaseFactory*>(object);
    CHECK(factory->CreateStateObjectDatabaseFromFile(
              file.string<WCHAR>().c_str(), flags, IID_ID3D12StateObjectDatabase, &object)
        == S_OK);
    factory->Release();
    return static_cast<ID3D12StateObjectDatabase*>(object);
}

int run(const std::vector<std::filesystem::path>& arguments)
{
    CHECK(arguments.size() == 3);
    const auto getInterface = load(arguments[0]);
    std::ifstream file(arguments[2], std::ios::binary);
    const Bytes code{std::istreambuf_iterator<char>(file), {}};
    CHECK(!code.empty());

    D3D12_SHADER_BYTECODE bytecode = {};
    bytecode.pShaderBytecode = code.data();
    bytecode.BytecodeLength = code.size();

    auto* database = open(getInterface, arguments[1], D3D12_STATE_OBJECT_DATABASE_FLAG_NONE);
    Found found{code, 0};
    CHECK(database->GetApplicationDesc(takeApplication, &found) == DXGI_ERROR_NOT_FOUND);
    D3D12_APPLICATION_DESC application = {};
    application.pExeFilename = WIDE("Game.exe");
    application.pName = WIDE("Das Spiel \u2728");
    application.Version.Version = 0x0001005D00010000;
    CHECK(database->SetApplicationDesc(&application) == S_OK);

    Stream stream = {D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS, bytecode};
    const D3D12_PIPELINE_STATE_STREAM_DESC pipeline = {sizeof stream, &stream};
    CHECK(database->StorePipelineStateDesc("pipeline", 8, 3, &pipeline) == S_OK);

    D3D12_STATE_OBJECT_CONFIG config = {D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS};
    D3D12_DXIL_LIBRARY_DESC library = {};
    library.DXILLibrary = bytecode;
    const D3D12_STATE_SUBOBJECT subobjects[] = {
        {D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, &config},
        {D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library},
    };
    const D3D12_STATE_OBJECT_DESC object = {
        D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, 2, subobjects};
    CHECK(database->StoreStateObjectDesc("addition", 8, 5, &object, "root", 4)
        == DXGI_ERROR_NOT_FOUND);
    CHECK(database->StoreStateObjectDesc("root", 4, 4, &object, nullptr, 0) == S_OK);
    CHECK(database->StoreStateObjectDesc("addition", 8, 5, &object, "root", 4) == S_OK);
    CHECK(database->Release() == 0);

    database = open(getInterface, arguments[1], D3D12_STATE_OBJECT_DATABASE_FLAG_READ_ONLY);
    CHECK(database->SetApplicationDesc(&application) == E_ACCESSDENIED);
    CHECK(database->GetApplicationDesc(takeApplication, &found) == S_OK);
    CHECK(database->FindPipelineStateDesc("pipeline", 8, takePipeline, &found) == S_OK);
    CHECK(database->FindStateObjectDesc("addition", 8, takeAddition, &found) == S_OK);
    CHECK(found.calls == 3);
    CHECK(database->FindPipelineStateDesc("root", 4, takePipeline, &found) == DXGI_ERROR_NOT_FOUND);
    UINT version = 0;
    CHECK(database->FindObjectVersion("root", 4, &version) == S_OK && version == 4);
    CHECK(database->FindObjectVersion("none", 4, &version) == DXGI_ERROR_NOT_FOUND);
    CHECK(database->Release() == 0);
    return 0;
}

} // namespace

#ifdef _WIN32
int wmain(int count, wchar_t** arguments)
#else
int main(int count, char** arguments)
#endif
{
    return run({arguments + 1, arguments + count});
}
