// state_object_database.cpp: what a program does with a state object database, in one file of C++17.
//
//     state_object_database <runtime> <out.sodb> <folder of shaders>
//
// Makes a database of pipelines, a raytracing pipeline with an addition, and a generic program that is
// linked from collections; opens it anew, finds everything by its key, and prints it. The folder is
// dxil/corpus/dxil; D3D12StateObjectCompiler compiles what was stored. A database that exists is added
// to. Exits with 1 when anything is not as StateObjectDatabase.md says.
//
// SPDX-License-Identifier: MIT OR Apache-2.0

#define NOMINMAX
#include "d3d12_compiler_api.h"

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
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
    case E_ACCESSDENIED: return "E_ACCESSDENIED";
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

// Of the API. A path converts every text.
std::string utf8(LPCWSTR text)
{
    return text ? utf8(path(text)) : "null";
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

// ---- The database -------------------------------------------------------------------------------

constexpr UINT kVersion = 1;

// Names of the program's own; a database takes any bytes.
struct Key {
    Key(const char* text) : name(text) {}

    const void* data() const { return name.data(); }
    UINT size() const { return static_cast<UINT>(name.size()); }

    std::string name;
};

Com<ID3D12StateObjectDatabase> open(const Library& runtime, const path& file,
                                    D3D12_STATE_OBJECT_DATABASE_FLAGS flags)
{
    const auto getInterface = runtime.function<PFN_D3D12_GET_INTERFACE>("D3D12GetInterface");
    const auto factory = get<ID3D12StateObjectDatabaseFactory>(
        "D3D12GetInterface", [&](REFIID riid, void** place) {
            return getInterface(CLSID_D3D12StateObjectFactory, riid, place);
        });
    return get<ID3D12StateObjectDatabase>(
        "CreateStateObjectDatabaseFromFile", [&](REFIID riid, void** place) {
            return factory->CreateStateObjectDatabaseFromFile(wide(absolute(file)).c_str(), flags,
                                                              riid, place);
        });
}

void storePipeline(ID3D12StateObjectDatabase& database, const Key& key, void* stream,
                   std::size_t size)
{
    const D3D12_PIPELINE_STATE_STREAM_DESC desc = {size, stream};
    check(database.StorePipelineStateDesc(key.data(), key.size(), kVersion, &desc),
          "StorePipelineStateDesc of " + key.name);
}

HRESULT storeStateObject(ID3D12StateObjectDatabase& database, const Key& key,
                         D3D12_STATE_OBJECT_TYPE type,
                         const std::vector<D3D12_STATE_SUBOBJECT>& subobjects,
                         const Key* parent = nullptr)
{
    const D3D12_STATE_OBJECT_DESC desc = {type, static_cast<UINT>(subobjects.size()),
                                          subobjects.data()};
    return database.StoreStateObjectDesc(key.data(), key.size(), kVersion, &desc,
                                         parent ? parent->data() : nullptr,
                                         parent ? parent->size() : 0);
}

// ---- Root signatures ----------------------------------------------------------------------------

// A table of each kind that the shaders bind.
Com<ID3DBlob> serializeRootSignature(const Library& runtime,
                                     const std::vector<D3D12_DESCRIPTOR_RANGE1>& ranges,
                                     D3D12_ROOT_SIGNATURE_FLAGS flags)
{
    std::vector<D3D12_ROOT_PARAMETER1> parameters;
    for (const auto& range : ranges) {
        D3D12_ROOT_PARAMETER1 parameter = {};
        parameter.ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE;
        parameter.DescriptorTable = {1, &range};
        parameter.ShaderVisibility = D3D12_SHADER_VISIBILITY_ALL;
        parameters.push_back(parameter);
    }
    D3D12_VERSIONED_ROOT_SIGNATURE_DESC desc = {};
    desc.Version = D3D_ROOT_SIGNATURE_VERSION_1_1;
    desc.Desc_1_1 = {static_cast<UINT>(parameters.size()), parameters.data(), 0, nullptr, flags};

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

Com<ID3DBlob> globalRootSignature(const Library& runtime)
{
    const auto flag = D3D12_DESCRIPTOR_RANGE_FLAG_NONE;
    return serializeRootSignature(runtime,
                                  {{D3D12_DESCRIPTOR_RANGE_TYPE_CBV, 2, 0, 0, flag, 0},
                                   {D3D12_DESCRIPTOR_RANGE_TYPE_SRV, 4, 0, 0, flag, 0},
                                   {D3D12_DESCRIPTOR_RANGE_TYPE_SRV, 4, 0, 1, flag, 0},
                                   {D3D12_DESCRIPTOR_RANGE_TYPE_UAV, 4, 0, 0, flag, 0},
                                   {D3D12_DESCRIPTOR_RANGE_TYPE_SAMPLER, 1, 0, 0, flag, 0}},
                                  D3D12_ROOT_SIGNATURE_FLAG_ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT);
}

// The record of a hit group.
Com<ID3DBlob> localRootSignature(const Library& runtime)
{
    const auto flag = D3D12_DESCRIPTOR_RANGE_FLAG_NONE;
    return serializeRootSignature(runtime, {{D3D12_DESCRIPTOR_RANGE_TYPE_CBV, 1, 0, 1, flag, 0}},
                                  D3D12_ROOT_SIGNATURE_FLAG_LOCAL_ROOT_SIGNATURE);
}

D3D12_SERIALIZED_ROOT_SIGNATURE_DESC serialized(ID3DBlob& blob)
{
    return {blob.GetBufferPointer(), blob.GetBufferSize()};
}

// ---- Pipelines ----------------------------------------------------------------------------------

// What d3dx12.h calls CD3DX12_PIPELINE_STATE_STREAM_SUBOBJECT.
template <D3D12_PIPELINE_STATE_SUBOBJECT_TYPE subobjectType, class T>
struct alignas(void*) Subobject {
    Subobject(const T& desc) : value(desc) {}

    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE type = subobjectType;
    T value;
};

using VertexShader = Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS, D3D12_SHADER_BYTECODE>;
using PixelShader = Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS, D3D12_SHADER_BYTECODE>;
using RenderTargets =
    Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS, D3D12_RT_FORMAT_ARRAY>;
using Topology =
    Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, D3D12_PRIMITIVE_TOPOLOGY_TYPE>;

// The root signature is the one that the shaders have in them.
struct EmbeddedStream {
    VertexShader vertexShader;
    PixelShader pixelShader;
    Topology topology;
    RenderTargets renderTargets;
};

// The root signature is of the application.
struct ExternalStream {
    Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE,
              D3D12_SERIALIZED_ROOT_SIGNATURE_DESC>
        rootSignature;
    VertexShader vertexShader;
    PixelShader pixelShader;
    Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER, D3D12_RASTERIZER_DESC> rasterizer;
    Subobject<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT, D3D12_INPUT_LAYOUT_DESC>
        inputLayout;
    Topology topology;
    RenderTargets renderTargets;
};

D3D12_SHADER_BYTECODE bytecode(const Bytes& container)
{
    return {container.data(), container.size()};
}
D3D12_SHADER_BYTECODE bytecode(Bytes&&) = delete;

const D3D12_RT_FORMAT_ARRAY kRenderTargets = {{DXGI_FORMAT_R8G8B8A8_UNORM}, 1};

constexpr auto kPerVertex = D3D12_INPUT_CLASSIFICATION_PER_VERTEX_DATA;
constexpr auto kAppend = D3D12_APPEND_ALIGNED_ELEMENT;
const D3D12_INPUT_ELEMENT_DESC kElements[] = {
    {"POSITION", 0, DXGI_FORMAT_R32G32B32_FLOAT, 0, kAppend, kPerVertex, 0},
    {"NORMAL", 0, DXGI_FORMAT_R16G16_SNORM, 0, kAppend, kPerVertex, 0},
    {"TEXCOORD", 0, DXGI_FORMAT_R32G32_FLOAT, 0, kAppend, kPerVertex, 0},
    {"COLOR", 0, DXGI_FORMAT_R8G8B8A8_UNORM, 0, kAppend, kPerVertex, 0},
};
const D3D12_INPUT_LAYOUT_DESC kInputLayout = {kElements, static_cast<UINT>(std::size(kElements))};

void storePipelines(ID3D12StateObjectDatabase& database, const path& shaders, ID3DBlob& root)
{
    const Bytes fullscreenVs = read(shaders / "fullscreen_vs.dxil");
    const Bytes fullscreenPs = read(shaders / "fullscreen_ps.dxil");
    EmbeddedStream embedded = {bytecode(fullscreenVs), bytecode(fullscreenPs),
                               D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE, kRenderTargets};
    storePipeline(database, "fullscreen", &embedded, sizeof embedded);

    const Bytes litVs = read(shaders / "forward_lit_vs.dxil");
    const Bytes litPs = read(shaders / "forward_lit_ps.dxil");
    D3D12_RASTERIZER_DESC rasterizer = {};
    rasterizer.FillMode = D3D12_FILL_MODE_SOLID;
    rasterizer.CullMode = D3D12_CULL_MODE_BACK;
    rasterizer.DepthBias = 4;
    rasterizer.DepthClipEnable = TRUE;
    ExternalStream external = {serialized(root),
                               bytecode(litVs),
                               bytecode(litPs),
                               rasterizer,
                               kInputLayout,
                               D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
                               kRenderTargets};
    storePipeline(database, "lit", &external, sizeof external);
}

// ---- State objects ------------------------------------------------------------------------------

// What all parts of a raytracing pipeline have in common.
const D3D12_STATE_OBJECT_CONFIG kGrows = {D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS};
const D3D12_RAYTRACING_SHADER_CONFIG kShaderConfig = {32, 32};
const D3D12_RAYTRACING_PIPELINE_CONFIG kPipelineConfig = {2};

void storeRaytracing(ID3D12StateObjectDatabase& database, const path& shaders, ID3DBlob& global,
                     ID3DBlob& local)
{
    const Bytes code = read(shaders / "rt_pipeline_lib63.dxil");
    const auto none = D3D12_EXPORT_FLAG_NONE;
    const D3D12_EXPORT_DESC exports[] = {{D3D12_COMPILER_TEXT("camera_rays"), nullptr, none},
                                         {D3D12_COMPILER_TEXT("sky_miss"), nullptr, none},
                                         {D3D12_COMPILER_TEXT("shade_triangle"), nullptr, none}};
    const D3D12_DXIL_LIBRARY_DESC library = {bytecode(code), static_cast<UINT>(std::size(exports)),
                                             exports};
    D3D12_HIT_GROUP_DESC hitGroup = {};
    hitGroup.HitGroupExport = D3D12_COMPILER_TEXT("triangles");
    hitGroup.ClosestHitShaderImport = D3D12_COMPILER_TEXT("shade_triangle");
    const D3D12_GLOBAL_SERIALIZED_ROOT_SIGNATURE globalRoot = {serialized(global)};
    const D3D12_LOCAL_SERIALIZED_ROOT_SIGNATURE localRoot = {serialized(local)};
    LPCWSTR associated[] = {D3D12_COMPILER_TEXT("triangles")};
    D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION association = {nullptr, 1, associated};
    const std::vector<D3D12_STATE_SUBOBJECT> subobjects = {
        {D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, &kGrows},
        {D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE, &globalRoot},
        {D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE, &localRoot},
        {D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION, &association},
        {D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library},
        {D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP, &hitGroup},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG, &kShaderConfig},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG, &kPipelineConfig},
    };
    // The subobjects have their places now.
    association.pSubobjectToAssociate = &subobjects[2];
    check(storeStateObject(database, "rays", D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
                           subobjects),
          "StoreStateObjectDesc of rays");

    // What AddToStateObject would get: the key of the parent says what it is added to.
    const D3D12_EXPORT_DESC noise = {D3D12_COMPILER_TEXT("noise_b"), nullptr, none};
    const D3D12_DXIL_LIBRARY_DESC addition = {bytecode(code), 1, &noise};
    const std::vector<D3D12_STATE_SUBOBJECT> added = {
        {D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, &kGrows},
        {D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &addition},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG, &kShaderConfig},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG, &kPipelineConfig},
    };
    const Key parent = "rays";
    check(storeStateObject(database, "rays: more", D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
                           added, &parent),
          "StoreStateObjectDesc of rays: more");
    const Key unknown = "unknown";
    mustFail(storeStateObject(database, "rays: none", D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
                              added, &unknown),
             DXGI_ERROR_NOT_FOUND, "StoreStateObjectDesc of an addition to nothing");
}

void storeCollection(ID3D12StateObjectDatabase& database, const Key& key, const Bytes& code,
                     LPCWSTR name)
{
    // A shader that was compiled for its stage has one entry, whatever its name.
    const D3D12_EXPORT_DESC whole = {name, D3D12_COMPILER_TEXT("*"), D3D12_EXPORT_FLAG_NONE};
    const D3D12_DXIL_LIBRARY_DESC library = {bytecode(code), 1, &whole};
    // The root signature is that of the program.
    const D3D12_STATE_OBJECT_CONFIG config = {
        D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS};
    check(storeStateObject(database, key, D3D12_STATE_OBJECT_TYPE_COLLECTION,
                           {{D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, &config},
                            {D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library}}),
          "StoreStateObjectDesc of " + key.name);
}

void storeProgram(ID3D12StateObjectDatabase& database, const path& shaders, ID3DBlob& root)
{
    const Key vs = "lit: vs", ps = "lit: ps";
    storeCollection(database, vs, read(shaders / "forward_lit_vs.dxil"), D3D12_COMPILER_TEXT("vs"));
    storeCollection(database, ps, read(shaders / "forward_lit_ps.dxil"), D3D12_COMPILER_TEXT("ps"));

    const D3D12_EXISTING_COLLECTION_BY_KEY_DESC collections[] = {
        {vs.data(), vs.size(), 0, nullptr}, {ps.data(), ps.size(), 0, nullptr}};
    const D3D12_GLOBAL_SERIALIZED_ROOT_SIGNATURE globalRoot = {serialized(root)};
    const auto topology = D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE;
    LPCWSTR exports[] = {D3D12_COMPILER_TEXT("vs"), D3D12_COMPILER_TEXT("ps")};
    D3D12_GENERIC_PROGRAM_DESC program = {};
    program.ProgramName = D3D12_COMPILER_TEXT("lit");
    program.NumExports = static_cast<UINT>(std::size(exports));
    program.pExports = exports;
    const std::vector<D3D12_STATE_SUBOBJECT> subobjects = {
        {D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE, &globalRoot},
        {D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY, &collections[0]},
        {D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY, &collections[1]},
        {D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, &topology},
        {D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS, &kRenderTargets},
        {D3D12_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT, &kInputLayout},
        {D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM, &program},
    };
    const D3D12_STATE_SUBOBJECT* const listed[] = {&subobjects[3], &subobjects[4], &subobjects[5]};
    program.NumSubobjects = static_cast<UINT>(std::size(listed));
    program.ppSubobjects = listed;
    check(storeStateObject(database, "program", D3D12_STATE_OBJECT_TYPE_EXECUTABLE, subobjects),
          "StoreStateObjectDesc of program");
}

// ---- Showing ------------------------------------------------------------------------------------

// An exception must not cross the API: these callbacks only print, and count that they were called.

// Size and FNV-1a of 64 bits.
void showBytes(const char* what, const void* start, std::size_t size)
{
    std::uint64_t hash = 0xCBF29CE484222325;
    for (std::size_t i = 0; i < size; i++) {
        hash = (hash ^ static_cast<const unsigned char*>(start)[i]) * 0x100000001B3;
    }
    std::printf("  %s: %zu bytes, %016" PRIx64, what, size, hash);
}

void showInputLayout(const D3D12_INPUT_LAYOUT_DESC& layout)
{
    std::printf("  input layout:");
    for (UINT i = 0; i < layout.NumElements; i++) {
        const auto& element = layout.pInputElementDescs[i];
        std::printf(" %s%u format %d", element.SemanticName, element.SemanticIndex, element.Format);
    }
    std::puts("");
}

void showRenderTargets(const D3D12_RT_FORMAT_ARRAY& formats)
{
    std::printf("  render targets:");
    for (UINT i = 0; i < formats.NumRenderTargets; i++) {
        std::printf(" format %d", formats.RTFormats[i]);
    }
    std::puts("");
}

void showTopology(D3D12_PRIMITIVE_TOPOLOGY_TYPE topology)
{
    std::printf("  topology type: %d\n", topology);
}

// The records of a stream, each of which begins where a pointer could.
class Records {
public:
    explicit Records(const D3D12_PIPELINE_STATE_STREAM_DESC& desc)
        : m_at(static_cast<const unsigned char*>(desc.pPipelineStateSubobjectStream)),
          m_end(m_at + desc.SizeInBytes)
    {
    }

    bool isAtEnd() const { return m_at == m_end; }

    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE type() const
    {
        return *reinterpret_cast<const D3D12_PIPELINE_STATE_SUBOBJECT_TYPE*>(m_at);
    }

    // The payload; goes on to the next record.
    template <class T>
    const T& take()
    {
        struct alignas(void*) Record {
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE type;
            T value;
        };
        const auto& record = *reinterpret_cast<const Record*>(m_at);
        m_at += sizeof(Record);
        return record.value;
    }

private:
    const unsigned char* m_at;
    const unsigned char* m_end;
};

void D3D12_COMPILER_APIENTRY showPipeline(const void* key, UINT keySize, UINT version,
                                          const D3D12_PIPELINE_STATE_STREAM_DESC* desc,
                                          void* context) noexcept
{
    ++*static_cast<unsigned*>(context);
    std::printf("pipeline %.*s, version %u\n", static_cast<int>(keySize),
                static_cast<const char*>(key), version);
    for (Records records(*desc); !records.isAtEnd();) {
        switch (const auto type = records.type()) {
        case D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE: {
            const auto& root = records.take<D3D12_SERIALIZED_ROOT_SIGNATURE_DESC>();
            showBytes("root signature", root.pSerializedBlob, root.SerializedBlobSizeInBytes);
            std::puts("");
            break;
        }
        case D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS:
        case D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS: {
            const auto& code = records.take<D3D12_SHADER_BYTECODE>();
            const bool isVs = type == D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS;
            showBytes(isVs ? "vertex shader" : "pixel shader", code.pShaderBytecode,
                      code.BytecodeLength);
            std::puts("");
            break;
        }
        // What was stored in an older structure comes back in the newest.
        case D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2: {
            const auto& rasterizer = records.take<D3D12_RASTERIZER_DESC2>();
            std::printf("  rasterizer: fill %d, cull %d, depth bias %g\n", rasterizer.FillMode,
                        rasterizer.CullMode, static_cast<double>(rasterizer.DepthBias));
            break;
        }
        case D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT:
            showInputLayout(records.take<D3D12_INPUT_LAYOUT_DESC>());
            break;
        case D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY:
            showTopology(records.take<D3D12_PRIMITIVE_TOPOLOGY_TYPE>());
            break;
        case D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS:
            showRenderTargets(records.take<D3D12_RT_FORMAT_ARRAY>());
            break;
        default:
            // Its size is not known here.
            std::printf("  a record of type %d, which was not stored\n", type);
            return;
        }
    }
}

void showExports(const D3D12_EXPORT_DESC* exports, UINT count)
{
    std::printf(count == 0 ? ", all exports" : ", exports");
    for (UINT i = 0; i < count; i++) {
        std::printf(" %s", utf8(exports[i].Name).c_str());
        if (exports[i].ExportToRename) {
            std::printf(" = %s", utf8(exports[i].ExportToRename).c_str());
        }
    }
    std::puts("");
}

void showNames(LPCWSTR* names, UINT count)
{
    for (UINT i = 0; i < count; i++) {
        std::printf(" %s", utf8(names[i]).c_str());
    }
}

// The place of a subobject among those of its description.
std::size_t place(const D3D12_STATE_OBJECT_DESC& of, const D3D12_STATE_SUBOBJECT* subobject)
{
    return static_cast<std::size_t>(subobject - of.pSubobjects);
}

template <class T>
const T& as(const D3D12_STATE_SUBOBJECT& subobject)
{
    return *static_cast<const T*>(subobject.pDesc);
}

void showSubobject(const D3D12_STATE_OBJECT_DESC& of, const D3D12_STATE_SUBOBJECT& subobject)
{
    switch (subobject.Type) {
    case D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG:
        std::printf("  flags: %d\n", as<D3D12_STATE_OBJECT_CONFIG>(subobject).Flags);
        break;
    case D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE:
    case D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE: {
        const bool isGlobal =
            subobject.Type == D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE;
        const auto& root = as<D3D12_SERIALIZED_ROOT_SIGNATURE_DESC>(subobject);
        showBytes(isGlobal ? "global root signature" : "local root signature", root.pSerializedBlob,
                  root.SerializedBlobSizeInBytes);
        std::puts("");
        break;
    }
    case D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY: {
        const auto& library = as<D3D12_DXIL_LIBRARY_DESC>(subobject);
        showBytes("library", library.DXILLibrary.pShaderBytecode,
                  library.DXILLibrary.BytecodeLength);
        showExports(library.pExports, library.NumExports);
        break;
    }
    case D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY: {
        const auto& collection = as<D3D12_EXISTING_COLLECTION_BY_KEY_DESC>(subobject);
        std::printf("  collection: %.*s", static_cast<int>(collection.KeySize),
                    static_cast<const char*>(collection.pKey));
        showExports(collection.pExports, collection.NumExports);
        break;
    }
    case D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP: {
        const auto& group = as<D3D12_HIT_GROUP_DESC>(subobject);
        std::printf("  hit group: %s, any hit %s, closest hit %s, intersection %s\n",
                    utf8(group.HitGroupExport).c_str(), utf8(group.AnyHitShaderImport).c_str(),
                    utf8(group.ClosestHitShaderImport).c_str(),
                    utf8(group.IntersectionShaderImport).c_str());
        break;
    }
    case D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG: {
        const auto& config = as<D3D12_RAYTRACING_SHADER_CONFIG>(subobject);
        std::printf("  shader config: payload %u, attributes %u\n", config.MaxPayloadSizeInBytes,
                    config.MaxAttributeSizeInBytes);
        break;
    }
    case D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG:
        std::printf("  pipeline config: depth %u\n",
                    as<D3D12_RAYTRACING_PIPELINE_CONFIG>(subobject).MaxTraceRecursionDepth);
        break;
    case D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION: {
        const auto& association = as<D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION>(subobject);
        std::printf("  association: subobject %zu with",
                    place(of, association.pSubobjectToAssociate));
        showNames(association.pExports, association.NumExports);
        std::puts("");
        break;
    }
    case D3D12_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT:
        showInputLayout(as<D3D12_INPUT_LAYOUT_DESC>(subobject));
        break;
    case D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY:
        showTopology(as<D3D12_PRIMITIVE_TOPOLOGY_TYPE>(subobject));
        break;
    case D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS:
        showRenderTargets(as<D3D12_RT_FORMAT_ARRAY>(subobject));
        break;
    case D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM: {
        const auto& program = as<D3D12_GENERIC_PROGRAM_DESC>(subobject);
        std::printf("  program: %s, of", utf8(program.ProgramName).c_str());
        showNames(program.pExports, program.NumExports);
        std::printf(", with subobjects");
        for (UINT i = 0; i < program.NumSubobjects; i++) {
            std::printf(" %zu", place(of, program.ppSubobjects[i]));
        }
        std::puts("");
        break;
    }
    default: std::printf("  a subobject of type %d, which was not stored\n", subobject.Type);
    }
}

void D3D12_COMPILER_APIENTRY showStateObject(const void* key, UINT keySize, UINT version,
                                             const D3D12_STATE_OBJECT_DESC* desc, const void* parent,
                                             UINT parentSize, void* context) noexcept
{
    ++*static_cast<unsigned*>(context);
    std::printf("state object %.*s, version %u, type %d", static_cast<int>(keySize),
                static_cast<const char*>(key), version, desc->Type);
    if (parentSize != 0) {
        std::printf(", added to %.*s", static_cast<int>(parentSize),
                    static_cast<const char*>(parent));
    }
    std::puts("");
    for (UINT i = 0; i < desc->NumSubobjects; i++) {
        showSubobject(*desc, desc->pSubobjects[i]);
    }
}

std::string versionText(D3D12_VERSION_NUMBER version)
{
    std::string text;
    for (int shift = 48; shift >= 0; shift -= 16) {
        text += std::to_string(version.Version >> shift & 0xFFFF) + (shift != 0 ? "." : "");
    }
    return text;
}

void D3D12_COMPILER_APIENTRY showApplication(const D3D12_APPLICATION_DESC* desc,
                                             void* context) noexcept
{
    ++*static_cast<unsigned*>(context);
    std::printf("application %s %s (%s), engine %s %s\n", utf8(desc->pName).c_str(),
                versionText(desc->Version).c_str(), utf8(desc->pExeFilename).c_str(),
                utf8(desc->pEngineName).c_str(), versionText(desc->EngineVersion).c_str());
}

// ---- The program --------------------------------------------------------------------------------

const D3D12_APPLICATION_DESC kApplication = {
    D3D12_COMPILER_TEXT("Game.exe"),       D3D12_COMPILER_TEXT("Das Spiel \u2728"), {0x0001005D00010000},
    D3D12_COMPILER_TEXT("Example Engine"), {0x0007000000000000},
};

void store(const Library& runtime, const path& file, const path& shaders)
{
    const auto database = open(runtime, file, D3D12_STATE_OBJECT_DATABASE_FLAG_NONE);
    check(database->SetApplicationDesc(&kApplication), "SetApplicationDesc");
    const auto global = globalRootSignature(runtime);
    const auto local = localRootSignature(runtime);
    storePipelines(*database, shaders, *global);
    storeRaytracing(*database, shaders, *global, *local);
    storeProgram(*database, shaders, *global);

    // The same again is no error, another object under the same key and version is.
    storePipelines(*database, shaders, *global);
    mustFail(storeStateObject(*database, "lit", D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
                              {{D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, &kGrows}}),
             DXGI_ERROR_ALREADY_EXISTS, "StoreStateObjectDesc of a key that a pipeline has");
}

// Takes one object's keys: the program's own, and the database's, which is of another type for each
// kind of object.
template <class ObjectKey>
BOOL D3D12_COMPILER_APIENTRY showKeys(const D3D12_DATABASE_GROUP_KEY* keys, const UINT*, UINT count,
                                      const ObjectKey*, void* context) noexcept
{
    for (UINT i = 0; i < count; i++) {
        std::printf("%s %.*s", (*static_cast<unsigned*>(context))++ == 0 ? "" : ",",
                    static_cast<int>(keys[i].KeySize), static_cast<const char*>(keys[i].pKey));
    }
    // A pipeline without keys is no reason to stop.
    return TRUE;
}

// What the database has, as the preview of d3d12.h lets it say.
void list(ID3D12StateObjectDatabase& database)
{
    void* object = nullptr;
    if (FAILED(database.QueryInterface(D3D12CompilerIid<ID3D12StateObjectDatabase1>::value,
                                       &object))) {
        std::puts("the runtime has no lists of keys");
        return;
    }
    const Com<ID3D12StateObjectDatabase1> preview(
        static_cast<ID3D12StateObjectDatabase1*>(object));
    unsigned pipelines = 0, stateObjects = 0;
    std::printf("keys of pipelines:");
    check(preview->EnumeratePipelineStates(showKeys<D3D12_DATABASE_PIPELINE_STATE_KEY>, &pipelines),
          "EnumeratePipelineStates");
    std::printf("\nkeys of state objects:");
    check(preview->EnumerateStateObjects(showKeys<D3D12_DATABASE_STATE_OBJECT_KEY>, &stateObjects),
          "EnumerateStateObjects");
    std::puts("");
}

// What the keys of a list name.
void show(const Library& runtime, const path& file)
{
    const auto database = open(runtime, file, D3D12_STATE_OBJECT_DATABASE_FLAG_READ_ONLY);
    mustFail(database->SetApplicationDesc(&kApplication), E_ACCESSDENIED,
             "SetApplicationDesc of a database that is only read");
    std::puts("");
    unsigned calls = 0, expected = 1;
    check(database->GetApplicationDesc(showApplication, &calls), "GetApplicationDesc");
    for (const Key& key : {Key("fullscreen"), Key("lit"), Key("rays"), Key("rays: more"),
                           Key("lit: vs"), Key("lit: ps"), Key("program"), Key("unknown")}) {
        UINT version = 0;
        if (database->FindObjectVersion(key.data(), key.size(), &version) != S_OK) {
            std::printf("nothing has the key %s\n", key.name.c_str());
            continue;
        }
        HRESULT result =
            database->FindPipelineStateDesc(key.data(), key.size(), showPipeline, &calls);
        if (result == DXGI_ERROR_NOT_FOUND) {
            result = database->FindStateObjectDesc(key.data(), key.size(), showStateObject, &calls);
        }
        check(result, "finding " + key.name);
        expected++;
    }
    if (calls != expected) {
        throw std::runtime_error("a callback was not called once");
    }
    list(*database);
}

void run(const std::vector<path>& arguments)
{
    if (arguments.size() != 3) {
        throw std::runtime_error(
            "usage: state_object_database <runtime> <out.sodb> <folder of shaders>");
    }
    const Library runtime(arguments[0]);
    store(runtime, arguments[1], arguments[2]);
    show(runtime, arguments[1]);
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
        std::fprintf(stderr, "state_object_database: %s\n", error.what());
        return 1;
    }
}
