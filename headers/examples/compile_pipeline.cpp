// compile_pipeline.cpp: a client of the compiler runtime in one file of C++17. It does what the
// specification's "API Sample" does, and reads back what was stored.
//
//     compile_pipeline <runtime> <plugin> <out.psdb> <debug.psdb> <vs.dxil> <ps.dxil>...
//
// Compiles a pipeline of the vertex shader and each pixel shader, as a group that has the pixel
// shader's name and is not in the files yet. Input layout and root signature are those of the
// forward_* shaders in dxil/corpus. Exits with 1 when anything is not as ShaderCompilerPlugin.md
// says.
//
// SPDX-License-Identifier: MIT OR Apache-2.0

#define NOMINMAX
#include "d3d12_compiler_api.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef _WIN32
#else
#include <dlfcn.h>
#endif

namespace {

using std::filesystem::path;
using Bytes = std::vector<unsigned char>;

// ---- Failing ------------------------------------------------------------------------------------

std::string resultName(HRESULT result)
{
    switch (result) {
    case S_OK: return "S_OK";
    case DXGI_ERROR_ALREADY_EXISTS: return "DXGI_ERROR_ALREADY_EXISTS";
    case DXGI_ERROR_NOT_FOUND: return "DXGI_ERROR_NOT_FOUND";
    case E_INVALIDARG: return "E_INVALIDARG";
    default: break;
    }
    char text[11];
    std::snprintf(text, sizeof text, "0x%08X", static_cast<unsigned>(result));
    return text;
}

void check(HRESULT result, const std::string& call)
{
    if (FAILED(result)) {
        throw std::runtime_error(call + " returned " + resultName(result));
    }
}

// A call that must fail, and with this result.
void mustFail(HRESULT result, HRESULT expected, const std::string& call)
{
    if (result != expected) {
        throw std::runtime_error(call + " returned " + resultName(result) + ", not "
                                 + resultName(expected));
    }
    std::printf("%s: %s\n", call.c_str(), resultName(result).c_str());
}

// ---- COM ----------------------------------------------------------------------------------------

struct Releaser {
    void operator()(IUnknown* object) const { object->Release(); }
};

template <class Interface>
using Com = std::unique_ptr<Interface, Releaser>;

// The object that a function gives in its last two parameters.
template <class Interface, class Call>
Com<Interface> get(const std::string& name, Call call)
{
    void* object = nullptr;
    check(call(D3D12CompilerIid<Interface>::value, &object), name);
    return Com<Interface>(static_cast<Interface*>(object));
}

// ---- The system ---------------------------------------------------------------------------------

// std::filesystem has file names as the system has them, and converts.
std::basic_string<WCHAR> wide(const path& name)
{
    return name.string<WCHAR>();
}

std::string utf8(const path& name)
{
    const auto text = name.u8string();
    return std::string(text.begin(), text.end());
}

#ifdef _WIN32
using LibraryHandle = HMODULE;
LibraryHandle load(const path& file) { return LoadLibraryW(file.c_str()); }
void* find(LibraryHandle library, const char* name)
{
    return reinterpret_cast<void*>(GetProcAddress(library, name));
}
void unload(LibraryHandle library) { FreeLibrary(library); }
std::string lastError() { return "error " + std::to_string(GetLastError()); }
#else
using LibraryHandle = void*;
LibraryHandle load(const path& file) { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); }
void* find(LibraryHandle library, const char* name) { return dlsym(library, name); }
void unload(LibraryHandle library) { dlclose(library); }
std::string lastError() { return dlerror(); }
#endif

// Loaded by its full path; unloaded after the objects that came from it.
class Library {
public:
    explicit Library(const path& file) : m_handle(load(absolute(file)))
    {
        if (!m_handle) {
            throw std::runtime_error(utf8(file) + " cannot be loaded: " + lastError());
        }
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() { unload(m_handle); }

    template <class Function>
    Function function(const char* name) const
    {
        void* const address = find(m_handle, name);
        if (!address) {
            throw std::runtime_error("the runtime has no " + std::string(name) + ": "
                                     + lastError());
        }
        return reinterpret_cast<Function>(address);
    }

private:
    LibraryHandle m_handle;
};

Bytes read(const path& file)
{
    std::ifstream stream(file, std::ios::binary);
    Bytes bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (!stream || bytes.empty()) {
        throw std::runtime_error(utf8(file) + " cannot be read");
    }
    return bytes;
}

// ---- What the plugin offers ---------------------------------------------------------------------

std::string versionText(D3D12_VERSION_NUMBER version)
{
    std::string text;
    for (int shift = 48; shift >= 0; shift -= 16) {
        text += std::to_string(version.Version >> shift & 0xFFFF) + (shift != 0 ? "." : "");
    }
    return text;
}

void listFamilies(ID3D12CompilerFactory& factory)
{
    for (UINT index = 0;; index++) {
        D3D12_ADAPTER_FAMILY family = {};
        const HRESULT result = factory.EnumerateAdapterFamilies(index, &family);
        if (result == DXGI_ERROR_NOT_FOUND) {
            return;
        }
        check(result, "EnumerateAdapterFamilies");

        D3D12_VERSION_NUMBER version = {};
        check(factory.EnumerateAdapterFamilyCompilerVersion(index, &version),
              "EnumerateAdapterFamilyCompilerVersion");
        std::printf("family %u: %s, compiler %s, ABI versions", index,
                    utf8(family.szAdapterFamily).c_str(), versionText(version).c_str());

        UINT count = 0;
        check(factory.EnumerateAdapterFamilyABIVersions(index, &count, nullptr),
              "EnumerateAdapterFamilyABIVersions");
        std::vector<UINT64> versions(count);
        check(factory.EnumerateAdapterFamilyABIVersions(index, &count, versions.data()),
              "EnumerateAdapterFamilyABIVersions");
        for (const UINT64 abi : versions) {
            std::printf(" %" PRIu64, static_cast<std::uint64_t>(abi));
        }
        std::puts("");
    }
}

// ---- The pipeline, and the group that it becomes ------------------------------------------------

constexpr UINT kGroupVersion = 1;

D3D12_ROOT_PARAMETER1 constantBuffer(UINT shaderRegister)
{
    D3D12_ROOT_PARAMETER1 parameter = {};
    parameter.ParameterType = D3D12_ROOT_PARAMETER_TYPE_CBV;
    parameter.Descriptor.ShaderRegister = shaderRegister;
    parameter.ShaderVisibility = D3D12_SHADER_VISIBILITY_ALL;
    return parameter;
}

D3D12_ROOT_PARAMETER1 table(const D3D12_DESCRIPTOR_RANGE1& range)
{
    D3D12_ROOT_PARAMETER1 parameter = {};
    parameter.ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE;
    parameter.DescriptorTable = {1, &range};
    parameter.ShaderVisibility = D3D12_SHADER_VISIBILITY_PIXEL;
    return parameter;
}

// b0 and b1 for both shaders; t0, t1 and s0 for the pixel shader.
Com<ID3DBlob> serializeRootSignature(const Library& runtime)
{
    const D3D12_DESCRIPTOR_RANGE1 textures = {
        D3D12_DESCRIPTOR_RANGE_TYPE_SRV, 2, 0, 0, D3D12_DESCRIPTOR_RANGE_FLAG_NONE, 0};
    const D3D12_DESCRIPTOR_RANGE1 samplers = {
        D3D12_DESCRIPTOR_RANGE_TYPE_SAMPLER, 1, 0, 0, D3D12_DESCRIPTOR_RANGE_FLAG_NONE, 0};
    const D3D12_ROOT_PARAMETER1 parameters[] = {constantBuffer(0), constantBuffer(1),
                                                table(textures), table(samplers)};
    D3D12_VERSIONED_ROOT_SIGNATURE_DESC desc = {};
    desc.Version = D3D_ROOT_SIGNATURE_VERSION_1_1;
    desc.Desc_1_1 = {static_cast<UINT>(std::size(parameters)), parameters, 0, nullptr,
                     D3D12_ROOT_SIGNATURE_FLAG_ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT};

    using Serialize = decltype(&D3D12CompilerSerializeVersionedRootSignature);
    constexpr auto name = "D3D12CompilerSerializeVersionedRootSignature";
    const auto serialize = runtime.function<Serialize>(name);
    ID3DBlob* blobPlace = nullptr;
    ID3DBlob* errorPlace = nullptr;
    const HRESULT result = serialize(&desc, &blobPlace, &errorPlace);
    Com<ID3DBlob> blob(blobPlace);
    const Com<ID3DBlob> error(errorPlace);
    check(result, error ? static_cast<const char*>(error->GetBufferPointer()) : name);
    return blob;
}

// What d3dx12.h calls CD3DX12_PIPELINE_STATE_STREAM_SUBOBJECT.
template <D3D12_PIPELINE_STATE_SUBOBJECT_TYPE subobjectType, class T>
struct alignas(void*) Subobject {
    Subobject(const T& desc) : value(desc) {}

    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE type = subobjectType;
    T value;
};

struct PipelineStream {
    Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE,
              D3D12_SERIALIZED_ROOT_SIGNATURE_DESC>
        rootSignature;
    Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT, D3D12_INPUT_LAYOUT_DESC>
        inputLayout;
    Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, D3D12_PRIMITIVE_TOPOLOGY_TYPE>
        topology;
    Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS, D3D12_SHADER_BYTECODE> vertexShader;
    Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS, D3D12_SHADER_BYTECODE> pixelShader;
    Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS, D3D12_RT_FORMAT_ARRAY>
        renderTargets;
};

D3D12_SHADER_BYTECODE bytecode(const Bytes& container)
{
    return {container.data(), container.size()};
}

// Points into the name.
D3D12_COMPILER_CACHE_GROUP_KEY groupKey(const std::string& name)
{
    return {name.data(), static_cast<UINT>(name.size())};
}
D3D12_COMPILER_CACHE_GROUP_KEY groupKey(std::string&&) = delete;

HRESULT compile(ID3D12Compiler& compiler, const std::string& group, ID3DBlob& rootSignature,
                const Bytes& vertexShader, const Bytes& pixelShader)
{
    constexpr auto append = D3D12_APPEND_ALIGNED_ELEMENT;
    constexpr auto perVertex = D3D12_INPUT_CLASSIFICATION_PER_VERTEX_DATA;
    static const D3D12_INPUT_ELEMENT_DESC elements[] = {
        {"POSITION", 0, DXGI_FORMAT_R32G32B32_FLOAT, 0, append, perVertex, 0},
        {"NORMAL", 0, DXGI_FORMAT_R16G16_SNORM, 0, append, perVertex, 0},
        {"TEXCOORD", 0, DXGI_FORMAT_R32G32_FLOAT, 0, append, perVertex, 0},
        {"COLOR", 0, DXGI_FORMAT_R8G8B8A8_UNORM, 0, append, perVertex, 0},
    };
    PipelineStream stream = {
        D3D12_SERIALIZED_ROOT_SIGNATURE_DESC{rootSignature.GetBufferPointer(),
                                             rootSignature.GetBufferSize()},
        D3D12_INPUT_LAYOUT_DESC{elements, static_cast<UINT>(std::size(elements))},
        D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
        bytecode(vertexShader),
        bytecode(pixelShader),
        D3D12_RT_FORMAT_ARRAY{{DXGI_FORMAT_R8G8B8A8_UNORM}, 1},
    };
    const D3D12_PIPELINE_STATE_STREAM_DESC desc = {sizeof stream, &stream};
    const auto key = groupKey(group);
    return compiler.CompilePipelineState(&key, kGroupVersion, &desc);
}

// ---- Reading back -------------------------------------------------------------------------------

// An exception must not cross the API: out of memory in a callback that cannot say so ends the
// program.

using ValueKeys = std::vector<Bytes>;
// By index of the value key.
using Values = std::map<std::pair<UINT, D3D12_COMPILER_VALUE_TYPE>, Bytes>;

Bytes copy(const void* start, UINT size)
{
    const auto* bytes = static_cast<const unsigned char*>(start);
    return Bytes(bytes, bytes + size);
}

void D3D12_COMPILER_APIENTRY takeKey(const D3D12_COMPILER_CACHE_VALUE_KEY* key,
                                     void* context) noexcept
{
    static_cast<ValueKeys*>(context)->push_back(copy(key->pKey, key->KeySize));
}

void D3D12_COMPILER_APIENTRY takeValue(UINT index,
                                       const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE* value,
                                       void* context) noexcept
{
    static_cast<Values*>(context)->insert_or_assign(
        {index, value->Type}, copy(value->Value.pValue, value->Value.ValueSize));
}

using Allocations = std::vector<std::unique_ptr<unsigned char[]>>;

void* D3D12_COMPILER_APIENTRY allocate(SIZE_T size, void* context) noexcept
{
    try {
        auto& allocations = *static_cast<Allocations*>(context);
        allocations.push_back(std::make_unique<unsigned char[]>(size));
        return allocations.back().get();
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

ValueKeys findKeys(ID3D12CompilerCacheSession& session, const std::string& group)
{
    const auto key = groupKey(group);
    UINT version = 0;
    check(session.FindGroup(&key, &version), "FindGroup");
    if (version != kGroupVersion) {
        throw std::runtime_error(group + " has version " + std::to_string(version));
    }
    ValueKeys keys;
    check(session.FindGroupValueKeys(&key, &version, takeKey, &keys), "FindGroupValueKeys");
    return keys;
}

// Every value of every key, one key at a time.
Values findValues(ID3D12CompilerCacheSession& session, const ValueKeys& keys)
{
    Values found;
    for (UINT index = 0; index < keys.size(); index++) {
        D3D12_COMPILER_CACHE_TYPED_VALUE values[] = {
            {D3D12_COMPILER_VALUE_TYPE_OBJECT_CODE, {}},
            {D3D12_COMPILER_VALUE_TYPE_METADATA, {}},
            {D3D12_COMPILER_VALUE_TYPE_DEBUG_PDB, {}},
        };
        const D3D12_COMPILER_CACHE_VALUE_KEY key = {keys[index].data(),
                                                    static_cast<UINT>(keys[index].size())};
        Allocations allocations;
        check(session.FindValue(&key, values, static_cast<UINT>(std::size(values)), allocate,
                                &allocations),
              "FindValue");
        for (const auto& value : values) {
            // A type that is not stored has size 0.
            if (value.Value.ValueSize != 0) {
                found[{index, value.Type}] = copy(value.Value.pValue, value.Value.ValueSize);
            }
        }
    }
    return found;
}

// The same in one call.
Values findGroupValues(ID3D12CompilerCacheSession& session, const std::string& group)
{
    const auto key = groupKey(group);
    Values found;
    check(session.FindGroupValues(&key, &kGroupVersion, session.GetValueTypes(), takeValue, &found),
          "FindGroupValues");
    return found;
}

// ---- Showing ------------------------------------------------------------------------------------

const char* typeName(D3D12_COMPILER_VALUE_TYPE type)
{
    switch (type) {
    case D3D12_COMPILER_VALUE_TYPE_OBJECT_CODE: return "object code";
    case D3D12_COMPILER_VALUE_TYPE_METADATA: return "metadata";
    case D3D12_COMPILER_VALUE_TYPE_DEBUG_PDB: return "debug PDB";
    default: return "performance data";
    }
}

// The beginning of a value key.
std::string prefix(const Bytes& key)
{
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(key.size(), 8); i++) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", key[i]);
        text += digits;
    }
    return text;
}

// FNV-1a of 64 bits.
std::uint64_t hash(const Bytes& bytes)
{
    std::uint64_t hash = 0xCBF29CE484222325;
    for (const unsigned char byte : bytes) {
        hash = (hash ^ byte) * 0x100000001B3;
    }
    return hash;
}

void showValues(const std::string& group, const ValueKeys& keys, const Values& values)
{
    for (const auto& [place, bytes] : values) {
        std::printf("%-20s %7u  %-16s  %-11s %6zu  %016" PRIx64 "\n", group.c_str(),
                    kGroupVersion, prefix(keys[place.first]).c_str(), typeName(place.second),
                    bytes.size(), hash(bytes));
    }
}

// ---- The client ---------------------------------------------------------------------------------

void run(const std::vector<path>& arguments)
{
    if (arguments.size() < 6) {
        throw std::runtime_error("usage: compile_pipeline <runtime> <plugin> <out.psdb> "
                                 "<debug.psdb> <vs.dxil> <ps.dxil>...");
    }
    const Library runtime(arguments[0]);
    const auto plugin = wide(absolute(arguments[1]));
    const auto output = wide(absolute(arguments[2]));
    const auto debugOutput = wide(absolute(arguments[3]));
    const Bytes vertexShader = read(arguments[4]);

    // The specification's name is D3D12CreateCompilerFactory, which the runtime exports too.
    static_assert(std::is_same_v<decltype(D3D12CompilerCreateFactory),
                                 decltype(D3D12CreateCompilerFactory)>);
    const auto createFactory =
        runtime.function<decltype(&D3D12CompilerCreateFactory)>("D3D12CompilerCreateFactory");
    const auto factory = get<ID3D12CompilerFactory>(
        "D3D12CompilerCreateFactory",
        [&](REFIID riid, void** place) { return createFactory(plugin.c_str(), riid, place); });
    listFamilies(*factory);

    // The first family; ABI version 0 is its latest.
    const D3D12_COMPILER_TARGET wanted = {0, 0};
    const D3D12_APPLICATION_DESC application = {
        D3D12_COMPILER_TEXT("compile_pipeline.exe"), D3D12_COMPILER_TEXT("Example Game"),  {0x0001000000000000},
        D3D12_COMPILER_TEXT("Example Engine"),       {0x0007000000000000},
    };
    D3D12_VERSION_NUMBER profile = {};
    check(factory->GetApplicationProfileVersion(&wanted, &application, &profile),
          "GetApplicationProfileVersion");
    std::printf("application profile %s\n", versionText(profile).c_str());

    // Debug data go to a file of their own, which stays with the developer.
    const D3D12_COMPILER_DATABASE_PATH files[] = {
        {D3D12_COMPILER_VALUE_TYPE_FLAGS_OBJECT_CODE | D3D12_COMPILER_VALUE_TYPE_FLAGS_METADATA,
         output.c_str()},
        {D3D12_COMPILER_VALUE_TYPE_FLAGS_DEBUG_PDB, debugOutput.c_str()},
    };
    const auto session = get<ID3D12CompilerCacheSession>(
        "CreateCompilerCacheSession", [&](REFIID riid, void** place) {
            return factory->CreateCompilerCacheSession(files, static_cast<UINT>(std::size(files)),
                                                       &wanted, &application, riid, place);
        });
    const D3D12_COMPILER_TARGET target = D3D12CompilerCacheSessionTarget(session.get());
    std::printf("target: family %u, ABI version %" PRIu64 "\n", target.AdapterFamilyIndex,
                static_cast<std::uint64_t>(target.ABIVersion));

    const auto compiler =
        get<ID3D12Compiler>("CreateCompiler", [&](REFIID riid, void** place) {
            return factory->CreateCompiler(session.get(), riid, place);
        });
    const auto rootSignature = serializeRootSignature(runtime);
    std::printf("root signature: %zu bytes\n\n",
                static_cast<std::size_t>(rootSignature->GetBufferSize()));

    std::printf("%-20s %7s  %-16s  %-11s %6s  %s\n", "group", "version", "value key", "type",
                "bytes", "FNV-1a");
    // By value key, in the order of their first use.
    std::vector<std::pair<Bytes, std::vector<std::string>>> users;
    for (auto pixelShader = arguments.begin() + 5; pixelShader != arguments.end(); ++pixelShader) {
        const std::string group = utf8(pixelShader->stem());
        check(compile(*compiler, group, *rootSignature, vertexShader, read(*pixelShader)),
              "CompilePipelineState of " + group);

        const ValueKeys keys = findKeys(*session, group);
        const Values values = findValues(*session, keys);
        if (values.empty()) {
            throw std::runtime_error("nothing was stored for " + group);
        }
        if (values != findGroupValues(*session, group)) {
            throw std::runtime_error("FindGroupValues and FindValue do not agree on " + group);
        }
        showValues(group, keys, values);
        for (const Bytes& key : keys) {
            const auto known = std::find_if(users.begin(), users.end(),
                                            [&](const auto& entry) { return entry.first == key; });
            if (known == users.end()) {
                users.push_back({key, {group}});
            } else {
                known->second.push_back(group);
            }
        }
    }

    std::puts("");
    for (const auto& [key, groups] : users) {
        if (groups.size() > 1) {
            std::printf("%s is shared by", prefix(key).c_str());
            for (const std::string& group : groups) {
                std::printf(" %s", group.c_str());
            }
            std::puts("");
        }
    }

    std::puts("");
    const std::string first = utf8(arguments[5].stem());
    mustFail(compile(*compiler, first, *rootSignature, vertexShader, read(arguments[5])),
             DXGI_ERROR_ALREADY_EXISTS, "CompilePipelineState of the same group");
    UINT found = 0;
    const std::string unknown = "unknown";
    const auto unknownKey = groupKey(unknown);
    mustFail(session->FindGroup(&unknownKey, &found), DXGI_ERROR_NOT_FOUND,
             "FindGroup of an unknown group");
    const auto firstKey = groupKey(first);
    const UINT other = kGroupVersion + 1;
    mustFail(session->FindGroupValueKeys(&firstKey, &other, nullptr, nullptr), DXGI_ERROR_NOT_FOUND,
             "FindGroupValueKeys of another version");
    mustFail(compile(*compiler, "incomplete", *rootSignature, {}, vertexShader),
             E_INVALIDARG, "CompilePipelineState without a vertex shader");
}

} // namespace

#ifdef _WIN32
int wmain(int argc, wchar_t** argv)
#else
int main(int argc, char** argv)
#endif
{
    try {
        run(std::vector<path>(argv + std::min(argc, 1), argv + argc));
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "compile_pipeline: %s\n", error.what());
        return 1;
    }
}
