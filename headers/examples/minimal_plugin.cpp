// minimal_plugin.cpp: a compiler plugin in one file of C++17, complete in everything but the
// compiling: its object code says what would have been translated, not how.
//
// SPDX-License-Identifier: MIT OR Apache-2.0
//
// References in comments are to headings of ShaderCompilerPlugin.md. Where it is silent, the
// reading is that of docs/spec-notes.md.

#define NOMINMAX
#include "d3d12_compiler_ddi.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace {

// ---- What this plugin is ------------------------------------------------------------------------

// 12.0.2.0 and 12.0.1.0. Both belong to usermode DDI 12.80; the structures of the plugin DDI exist
// from its build 109 on.
constexpr UINT64 kPluginVersions[] = {0x000C000000020000, 0x000C000000010000};
constexpr UINT64 kUsermodeInterface = 0x000C0050;
constexpr UINT64 kOldestUsermodeBuild = 109;

// Its one adapter family, index 0.
constexpr WCHAR kFamilyName[] = D3D12DDI_TEXT("Minimal Example Family");
constexpr UINT64 kAbiVersions[] = {2, 1}; // Newest first.
constexpr UINT64 kCompilerVersion = 0x0001000000000000; // 1.0.0.0

constexpr D3D12DDI_SHADER_MODEL kShaderModels[] = {
    D3D12DDI_SHADER_MODEL_6_0_RELEASE_0011,
    D3D12DDI_SHADER_MODEL_6_1_RELEASE_0033,
    D3D12DDI_SHADER_MODEL_6_2_RELEASE_0042,
    D3D12DDI_SHADER_MODEL_6_3_RELEASE_0054,
    D3D12DDI_SHADER_MODEL_6_4_RELEASE_0062,
    D3D12DDI_SHADER_MODEL_6_5_RELEASE_0071,
    D3D12DDI_SHADER_MODEL_6_6_RELEASE_0082,
    D3D12DDI_SHADER_MODEL_6_7_RELEASE_0093,
    D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108,
};

constexpr D3D12DDI_3DPIPELINELEVEL kFeatureLevels[] = {
    D3D12DDI_3DPIPELINELEVEL_11_0,
    D3D12DDI_3DPIPELINELEVEL_1_0_CORE,
    D3D12DDI_3DPIPELINELEVEL_1_0_GENERIC,
};

// ---- Objects ------------------------------------------------------------------------------------

// One open of the DDI. A host may hold several at once.
struct Open {
    std::atomic<bool> isOpen;
    bool hasVersion;
    bool hasCallbacks;
    D3D12DDI_COMPILER_CACHE_CALLBACKS callbacks;
};

// CreateCompiler takes no hCompilerDDI, so each open gets a CreateCompiler of its own, which knows
// the open by its slot.
constexpr std::size_t kSlots = 64;
Open g_opens[kSlots];

// Lives in the host's memory, which is aligned for a pointer and for nothing more.
struct Compiler {
    const Open* open;
    UINT abiVersion;
};

// Lives in the host's memory. The description, and for an addition the parent, are there until the
// object is destroyed (PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT, Remarks).
struct StateObject {
    const D3D12DDIARG_CREATE_STATE_OBJECT_0054* desc;
    const StateObject* parent;
};

Open* openOf(D3D12DDI_HCOMPILERDDI handle)
{
    for (Open& open : g_opens) {
        if (&open == handle.pDrvPrivate && open.isOpen) {
            return &open;
        }
    }
    return nullptr;
}

// S_OK for a target that this plugin enumerates.
HRESULT checkTarget(const D3D12DDI_COMPILER_TARGET* target)
{
    if (!target) {
        return E_INVALIDARG;
    }
    if (target->AdapterFamilyIndex != 0) {
        return DXGI_ERROR_NOT_FOUND;
    }
    const UINT64* end = std::end(kAbiVersions);
    return std::find(kAbiVersions, end, target->ABIVersion) != end ? S_OK : E_INVALIDARG;
}

// The two-call protocol of every list: the count becomes the true one, and what fits is copied.
template <class T, std::size_t N>
HRESULT copyList(const T (&list)[N], UINT* count, T* array)
{
    const std::size_t capacity = *count;
    *count = static_cast<UINT>(N);
    if (!array) {
        return S_OK;
    }
    std::copy_n(list, std::min(capacity, N), array);
    return capacity < N ? DXGI_ERROR_MORE_DATA : S_OK;
}

// No exception crosses the DDI.
template <class Function>
HRESULT guarded(Function function) noexcept
{
    try {
        return function();
    } catch (const std::bad_alloc&) {
        return E_OUTOFMEMORY;
    } catch (...) {
        return E_FAIL;
    }
}

// ---- Keys: SHA-256 (FIPS 180-4) of all that decides a value's object code -----------------------

using Digest = std::array<std::uint8_t, 32>;

class Hash {
public:
    void bytes(const void* data, std::size_t size)
    {
        const auto* at = static_cast<const std::uint8_t*>(data);
        m_size += size;
        for (; size != 0; --size) {
            m_block[m_used++] = *at++;
            if (m_used == sizeof m_block) {
                block();
            }
        }
    }

    void number(UINT64 value)
    {
        std::uint8_t little[8];
        for (std::uint8_t& byte : little) {
            byte = static_cast<std::uint8_t>(value);
            value >>= 8;
        }
        bytes(little, sizeof little);
    }

    // Only for structures whose members are all 32 bits wide: they have no padding.
    template <class T>
    bool array(const T* data, UINT count)
    {
        static_assert(alignof(T) == 4 && sizeof(T) % 4 == 0, "padding would be hashed");
        if (!data && count != 0) {
            return false;
        }
        number(count);
        bytes(data, count * sizeof(T));
        return true;
    }

    Digest finish()
    {
        const UINT64 bits = m_size * 8;
        const std::uint8_t end = 0x80;
        bytes(&end, 1);
        while (m_used != 56) {
            const std::uint8_t zero = 0;
            bytes(&zero, 1);
        }
        for (int shift = 56; shift >= 0; shift -= 8) {
            const auto byte = static_cast<std::uint8_t>(bits >> shift);
            bytes(&byte, 1);
        }
        Digest digest;
        for (std::size_t i = 0; i < digest.size(); ++i) {
            digest[i] = static_cast<std::uint8_t>(m_state[i / 4] >> (24 - 8 * (i % 4)));
        }
        return digest;
    }

private:
    static std::uint32_t rotate(std::uint32_t x, int n) { return x >> n | x << (32 - n); }

    void block()
    {
        static constexpr std::uint32_t k[64] = {
            0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
            0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
            0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
            0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
            0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
            0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
            0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
            0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
            0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
            0xc67178f2};
        std::uint32_t w[64];
        for (int i = 0; i < 16; ++i) {
            const std::uint8_t* at = m_block + 4 * i;
            w[i] = std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16
                | std::uint32_t{at[2]} << 8 | at[3];
        }
        for (int i = 16; i < 64; ++i) {
            const std::uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7]
                + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
        }
        std::array<std::uint32_t, 8> s = m_state;
        for (int i = 0; i < 64; ++i) {
            const std::uint32_t t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25))
                + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
            const std::uint32_t t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22))
                + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
        }
        for (std::size_t i = 0; i < s.size(); ++i) {
            m_state[i] += s[i];
        }
        m_used = 0;
    }

    std::array<std::uint32_t, 8> m_state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::uint8_t m_block[64] = {};
    std::size_t m_used = 0;
    UINT64 m_size = 0;
};

// ---- Programs -----------------------------------------------------------------------------------

enum class Kind : UINT {
    Pixel = 0,
    Vertex = 1,
    Geometry = 2,
    Hull = 3,
    Domain = 4,
    Compute = 5,
    Mesh = 13,
    Amplification = 14,
    Last = 15,
};

struct Program {
    const std::uint8_t* bytes;
    UINT size;
    Kind kind;
};

constexpr UINT fourCC(const char (&name)[5])
{
    UINT value = 0;
    for (int i = 3; i >= 0; --i) {
        value = value << 8 | static_cast<unsigned char>(name[i]);
    }
    return value;
}

UINT word(const std::uint8_t* at)
{
    UINT value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

// Checks the program header against itself and against the bytes that are there.
bool readProgram(const std::uint8_t* at, UINT64 available, Program* program)
{
    constexpr UINT kHeader = 24, kMagic = 8, kMostWords = 0x20000000;
    if (available < kHeader) {
        return false;
    }
    const UINT version = word(at), words = word(at + 4);
    const UINT64 begin = UINT64{kMagic} + word(at + 16), size = word(at + 20);
    if (words < kHeader / 4 || words > kMostWords || words * UINT64{4} > available
        || word(at + kMagic) != fourCC("DXIL") || begin < kHeader || size < 4 || size % 4 != 0
        || begin + size > words * UINT64{4} || word(at + begin) != fourCC("BC\xC0\xDE")
        || version >> 16 > static_cast<UINT>(Kind::Last)) {
        return false;
    }
    *program = {at, words * 4, static_cast<Kind>(version >> 16)};
    return true;
}

// pShaderCode is a bare program, whose second word counts its words, or a container; no length
// crosses the DDI.
bool findProgram(const void* code, Program* program)
{
    const auto* at = static_cast<const std::uint8_t*>(code);
    if (!at) {
        return false;
    }
    if (word(at) != fourCC("DXBC")) {
        return readProgram(at, UINT64{0x80000000}, program);
    }
    const UINT64 size = word(at + 24), parts = word(at + 28);
    if (size < 32 || size > 0x80000000 || 32 + 4 * parts > size) {
        return false;
    }
    for (UINT64 part = 0; part < parts; ++part) {
        const UINT64 offset = word(at + 32 + 4 * part);
        if (offset + 8 > size || offset + 8 + word(at + offset + 4) > size) {
            return false;
        }
        if (word(at + offset) == fourCC("DXIL")) {
            return readProgram(at + offset + 8, word(at + offset + 4), program);
        }
    }
    return false;
}

// ---- Values -------------------------------------------------------------------------------------

// One unit of deduplication: the code of a stage or of a library, under the digest of what decides
// it.
struct Value {
    Digest key;
    UINT abiVersion;
    UINT kind;
    UINT programSize;
};

using Bytes = std::vector<std::uint8_t>;

void append(Bytes* bytes, const void* data, std::size_t size)
{
    const auto* at = static_cast<const std::uint8_t*>(data);
    bytes->insert(bytes->end(), at, at + size);
}

// Object code is a function of what the key is made of, and of nothing else: no time, no
// application, no compiler version (that is METADATA's).
Bytes content(const Value& value, D3D12DDI_COMPILER_CACHE_VALUE_TYPE type)
{
    Bytes bytes;
    switch (type) {
    case D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE:
        append(&bytes, "MPOC", 4);
        append(&bytes, &value.abiVersion, sizeof value.abiVersion);
        append(&bytes, &value.kind, sizeof value.kind);
        append(&bytes, value.key.data(), value.key.size());
        break;
    case D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA:
        append(&bytes, "MPMD", 4);
        append(&bytes, &kCompilerVersion, sizeof kCompilerVersion);
        break;
    case D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB:
        append(&bytes, "MPDB", 4);
        append(&bytes, value.key.data(), value.key.size());
        break;
    default:
        append(&bytes, "MPPD", 4);
        append(&bytes, &value.programSize, sizeof value.programSize);
        break;
    }
    return bytes;
}

// The cache session of one compile call.
class Session {
public:
    Session(const Compiler& compiler, D3D12DDI_HRTCOMPILERCACHESESSION handle,
            D3D12DDI_COMPILER_VALUE_TYPE_FLAGS types)
        : m_callbacks(compiler.open->callbacks), m_handle(handle), m_types(types)
    {
    }

    // Stores what was asked for and is not there, then names the keys, once.
    HRESULT finish(const std::vector<Value>& values) const
    {
        std::vector<D3D12DDI_COMPILER_CACHE_VALUE_KEY> keys;
        for (const Value& value : values) {
            keys.push_back({value.key.data(), static_cast<UINT>(value.key.size())});
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            const HRESULT result = store(values[i], keys[i]);
            if (FAILED(result)) {
                return result;
            }
        }
        return m_callbacks.pfnCompilerCacheSetObjectValueKeys(
            m_handle, keys.data(), static_cast<UINT>(keys.size()));
    }

private:
    // Type by type: "already exists" then means that this type is there.
    HRESULT store(const Value& value, const D3D12DDI_COMPILER_CACHE_VALUE_KEY& key) const
    {
        for (INT i = 0; i < D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID; ++i) {
            const auto type = static_cast<D3D12DDI_COMPILER_CACHE_VALUE_TYPE>(i);
            if ((static_cast<INT>(m_types) & 1 << i) == 0) {
                continue;
            }
            D3D12DDI_COMPILER_CACHE_TYPED_VALUE size = {type, {nullptr, 0}};
            HRESULT result =
                m_callbacks.pfnCompilerCacheFindValue(m_handle, &key, &size, 1, nullptr, nullptr);
            if (SUCCEEDED(result) && size.Value.ValueSize != 0) {
                continue;
            }
            if (FAILED(result) && result != DXGI_ERROR_NOT_FOUND) {
                return result;
            }
            const Bytes bytes = content(value, type);
            const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE typed = {
                type, {bytes.data(), bytes.size()}};
            result = m_callbacks.pfnCompilerCacheStoreValue(m_handle, &key, &typed, 1);
            if (FAILED(result) && result != DXGI_ERROR_ALREADY_EXISTS) {
                return result;
            }
        }
        return S_OK;
    }

    const D3D12DDI_COMPILER_CACHE_CALLBACKS& m_callbacks;
    D3D12DDI_HRTCOMPILERCACHESESSION m_handle;
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS m_types;
};

// ---- Pipeline states ----------------------------------------------------------------------------

template <class Signature>
bool hashParametersAndSamplers(Hash* hash, const Signature* signature)
{
    if (!signature || (!signature->pRootParameters && signature->NumParameters != 0)) {
        return false;
    }
    hash->number(static_cast<UINT>(signature->Flags));
    hash->number(signature->NumParameters);
    for (UINT i = 0; i < signature->NumParameters; ++i) {
        const D3D12DDI_ROOT_PARAMETER_0013& parameter = signature->pRootParameters[i];
        hash->number(static_cast<UINT>(parameter.ParameterType));
        hash->number(static_cast<UINT>(parameter.ShaderVisibility));
        switch (parameter.ParameterType) {
        case D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE:
            if (!hash->array(parameter.DescriptorTable.pDescriptorRanges,
                             parameter.DescriptorTable.NumDescriptorRanges)) {
                return false;
            }
            break;
        case D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS:
            hash->array(&parameter.Constants, 1);
            break;
        case D3D12DDI_ROOT_PARAMETER_TYPE_CBV:
        case D3D12DDI_ROOT_PARAMETER_TYPE_SRV:
        case D3D12DDI_ROOT_PARAMETER_TYPE_UAV:
            hash->array(&parameter.Descriptor, 1);
            break;
        default:
            return false;
        }
    }
    return hash->array(signature->pStaticSamplers, signature->NumStaticSamplers);
}

// By our reading the handle points at the create arguments; their version chooses the content.
bool hashRootSignature(Hash* hash, D3D12DDI_HROOTSIGNATURE handle)
{
    const void* arg = handle.pDrvPrivate;
    if (!arg) {
        hash->number(0);
        return true;
    }
    const auto& v1_1 = *static_cast<const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0013*>(arg);
    const auto& v1_2 = *static_cast<const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100*>(arg);
    hash->number(static_cast<UINT>(v1_2.Version));
    switch (v1_2.Version) {
    case D3D12DDI_ROOT_SIGNATURE_VERSION_1_1:
        return hashParametersAndSamplers(hash, v1_1.pRootSignature_1_1);
    case D3D12DDI_ROOT_SIGNATURE_VERSION_1_2:
        return hashParametersAndSamplers(hash, v1_2.pRootSignature_1_2);
    default:
        return false;
    }
}

using Pipeline = D3D12DDIARG_CREATE_PIPELINE_STATE_0099;

struct Stage {
    D3D12DDI_HSHADER Pipeline::*handle;
    Kind kind;
};

constexpr Stage kStages[] = {
    {&Pipeline::hComputeShader, Kind::Compute},
    {&Pipeline::hVertexShader, Kind::Vertex},
    {&Pipeline::hHullShader, Kind::Hull},
    {&Pipeline::hDomainShader, Kind::Domain},
    {&Pipeline::hGeometryShader, Kind::Geometry},
    {&Pipeline::hAmplificationShader, Kind::Amplification},
    {&Pipeline::hMeshShader, Kind::Mesh},
    {&Pipeline::hPixelShader, Kind::Pixel},
};

// The value of one stage. What this compiler reads is the program, its flags, the root signature
// and, for pixel shaders, the render targets; so two pipelines share the value of a shader that
// they share. Structures are hashed member by member: their padding is not input.
bool compileStage(const Compiler& compiler, const Pipeline& pipeline, const Stage& stage,
                  Value* value)
{
    const auto& shader = *static_cast<const D3D12DDIARG_CREATE_SHADER_0026*>(
        (pipeline.*stage.handle).pDrvPrivate);
    Program program = {nullptr, 0, stage.kind};
    // A geometry stage without code passes vertices to stream output.
    const bool passThrough = stage.kind == Kind::Geometry && !shader.pShaderCode;
    if (!passThrough && !findProgram(shader.pShaderCode, &program)) {
        return false;
    }
    if (program.kind != stage.kind) {
        return false;
    }
    Hash hash;
    hash.number(compiler.abiVersion);
    hash.number(static_cast<UINT>(stage.kind));
    hash.number(static_cast<UINT>(shader.Flags));
    hash.number(program.size);
    hash.bytes(program.bytes, program.size);
    if (!hashRootSignature(&hash, pipeline.hRootSignature.pDrvPrivate ? pipeline.hRootSignature
                                                                      : shader.hRootSignature)) {
        return false;
    }
    if (stage.kind == Kind::Pixel) {
        if (pipeline.NumRenderTargets > std::size(pipeline.RTVFormats)) {
            return false;
        }
        hash.array(pipeline.RTVFormats, pipeline.NumRenderTargets);
        hash.number(pipeline.SampleDesc.Count);
        hash.number(pipeline.SampleDesc.Quality);
    }
    *value = {hash.finish(), compiler.abiVersion, static_cast<UINT>(stage.kind), program.size};
    return true;
}

HRESULT compilePipeline(const Compiler& compiler, const Session& session, const Pipeline& pipeline)
{
    std::vector<Value> values;
    for (const Stage& stage : kStages) {
        if (!(pipeline.*stage.handle).pDrvPrivate) {
            continue;
        }
        Value value;
        if (!compileStage(compiler, pipeline, stage, &value)) {
            return E_INVALIDARG;
        }
        values.push_back(value);
    }
    return values.empty() ? E_INVALIDARG : session.finish(values);
}

// ---- State objects ------------------------------------------------------------------------------

// The values of a state object: one for each DXIL library of its own, of the objects that it grew
// from and of the collections in them. A library's code depends on the library alone.
bool compileLibraries(const Compiler& compiler, const StateObject* object,
                      std::vector<Value>* values)
{
    for (; object; object = object->parent) {
        const D3D12DDIARG_CREATE_STATE_OBJECT_0054& desc = *object->desc;
        if (!desc.pSubobjects && desc.NumSubobjects != 0) {
            return false;
        }
        for (UINT i = 0; i < desc.NumSubobjects; ++i) {
            const D3D12DDI_STATE_SUBOBJECT_0054& subobject = desc.pSubobjects[i];
            if (!subobject.pDesc) {
                return false;
            }
            if (subobject.Type == D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION) {
                // The handle carries the pDrvPrivate of this plugin's own object.
                const auto* collection =
                    static_cast<const D3D12DDI_EXISTING_COLLECTION_DESC_0054*>(subobject.pDesc);
                const auto* inner =
                    static_cast<const StateObject*>(collection->hExistingCollection.pDrvPrivate);
                if (!inner || !compileLibraries(compiler, inner, values)) {
                    return false;
                }
            }
            if (subobject.Type != D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY) {
                continue;
            }
            const auto* library =
                static_cast<const D3D12DDI_DXIL_LIBRARY_DESC_0054*>(subobject.pDesc);
            Program program;
            if (!findProgram(library->pDXILLibrary, &program)) {
                return false;
            }
            const UINT kind = static_cast<UINT>(program.kind);
            Hash hash;
            hash.number(compiler.abiVersion);
            hash.number(kind);
            hash.bytes("library", sizeof "library");
            hash.number(program.size);
            hash.bytes(program.bytes, program.size);
            const Value value = {hash.finish(), compiler.abiVersion, kind, program.size};
            const auto same = [&](const Value& other) { return other.key == value.key; };
            if (std::none_of(values->begin(), values->end(), same)) {
                values->push_back(value);
            }
        }
    }
    return true;
}

HRESULT compileStateObject(const Compiler& compiler, const Session& session,
                           const StateObject& object, void* memory)
{
    std::vector<Value> values;
    if (!compileLibraries(compiler, &object, &values) || values.empty()) {
        return E_INVALIDARG;
    }
    const HRESULT result = session.finish(values);
    if (SUCCEEDED(result)) {
        new (memory) StateObject(object);
    }
    return result;
}

// ---- Table COMPILER -----------------------------------------------------------------------------

SIZE_T D3D12DDI_APIENTRY calcPrivateCompilerSize(const D3D12DDI_COMPILER_TARGET*,
                                                 const D3D12DDI_APPLICATION_DESC*) noexcept
{
    return sizeof(Compiler);
}

template <std::size_t Slot>
HRESULT D3D12DDI_APIENTRY createCompiler(const D3D12DDI_COMPILER_TARGET* pTarget,
                                         const D3D12DDI_APPLICATION_DESC* pApplicationDesc,
                                         D3D12DDI_HCOMPILER hCompiler,
                                         D3D12DDI_HRTCOMPILER) noexcept
{
    const Open& open = g_opens[Slot];
    if (!pApplicationDesc || !hCompiler.pDrvPrivate) {
        return E_INVALIDARG;
    }
    const HRESULT result = checkTarget(pTarget);
    if (FAILED(result)) {
        return result;
    }
    if (!open.isOpen || !open.hasCallbacks) {
        return DXGI_ERROR_INVALID_CALL;
    }
    new (hCompiler.pDrvPrivate) Compiler{&open, static_cast<UINT>(pTarget->ABIVersion)};
    return S_OK;
}

template <std::size_t... Slots>
constexpr std::array<PFND3D12DDI_COMPILER_CREATE_COMPILER, sizeof...(Slots)>
createCompilers(std::index_sequence<Slots...>)
{
    return {createCompiler<Slots>...};
}

// The objects own nothing outside the host's memory, which is the host's again.
void D3D12DDI_APIENTRY destroyCompiler(D3D12DDI_HCOMPILER) noexcept {}

HRESULT D3D12DDI_APIENTRY compilePipelineState(
    D3D12DDI_HCOMPILER hCompiler, D3D12DDI_HRTCOMPILERCACHESESSION hrtCompilerCacheSession,
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS ValueTypeFlags, const Pipeline* pPipelineStateArg) noexcept
{
    if (!hCompiler.pDrvPrivate || !pPipelineStateArg) {
        return E_INVALIDARG;
    }
    const auto& compiler = *static_cast<const Compiler*>(hCompiler.pDrvPrivate);
    return guarded([&] {
        const Session session(compiler, hrtCompilerCacheSession, ValueTypeFlags);
        return compilePipeline(compiler, session, *pPipelineStateArg);
    });
}

SIZE_T D3D12DDI_APIENTRY calcPrivateStateObjectSize(
    D3D12DDI_HCOMPILER, const D3D12DDIARG_CREATE_STATE_OBJECT_0054*) noexcept
{
    return sizeof(StateObject);
}

SIZE_T D3D12DDI_APIENTRY calcPrivateAddToStateObjectSize(
    D3D12DDI_HCOMPILER, const D3D12DDIARG_CREATE_STATE_OBJECT_0054*,
    D3D12DDI_HCOMPILERSTATEOBJECT) noexcept
{
    return sizeof(StateObject);
}

HRESULT D3D12DDI_APIENTRY compileCreateStateObject(
    D3D12DDI_HCOMPILER hCompiler, D3D12DDI_HRTCOMPILERCACHESESSION hrtCompilerCacheSession,
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS ValueTypeFlags,
    const D3D12DDIARG_CREATE_STATE_OBJECT_0054* pCreateStateObject,
    D3D12DDI_HCOMPILERSTATEOBJECT hStateObject) noexcept
{
    if (!hCompiler.pDrvPrivate || !pCreateStateObject || !hStateObject.pDrvPrivate) {
        return E_INVALIDARG;
    }
    const auto& compiler = *static_cast<const Compiler*>(hCompiler.pDrvPrivate);
    return guarded([&] {
        const Session session(compiler, hrtCompilerCacheSession, ValueTypeFlags);
        const StateObject object = {pCreateStateObject, nullptr};
        return compileStateObject(compiler, session, object, hStateObject.pDrvPrivate);
    });
}

HRESULT D3D12DDI_APIENTRY compileAddToStateObject(
    D3D12DDI_HCOMPILER hCompiler, D3D12DDI_HRTCOMPILERCACHESESSION hrtCompilerCacheSession,
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS ValueTypeFlags,
    const D3D12DDIARG_CREATE_STATE_OBJECT_0054* pCreateStateObject,
    D3D12DDI_HCOMPILERSTATEOBJECT StateObjectToGrowFrom,
    D3D12DDI_HCOMPILERSTATEOBJECT hStateObject) noexcept
{
    if (!hCompiler.pDrvPrivate || !pCreateStateObject || !StateObjectToGrowFrom.pDrvPrivate
        || !hStateObject.pDrvPrivate) {
        return E_INVALIDARG;
    }
    const auto& compiler = *static_cast<const Compiler*>(hCompiler.pDrvPrivate);
    return guarded([&] {
        const Session session(compiler, hrtCompilerCacheSession, ValueTypeFlags);
        const auto* parent = static_cast<const StateObject*>(StateObjectToGrowFrom.pDrvPrivate);
        const StateObject object = {pCreateStateObject, parent};
        return compileStateObject(compiler, session, object, hStateObject.pDrvPrivate);
    });
}

void D3D12DDI_APIENTRY destroyStateObject(D3D12DDI_HCOMPILER,
                                          D3D12DDI_HCOMPILERSTATEOBJECT) noexcept
{
}

// ---- Table CAPABILITIES -------------------------------------------------------------------------

// The negotiated version fixes each structure, so there is one right size.
template <class T>
HRESULT answer(const D3D12DDIARG_GETCAPS& caps, const T& data)
{
    if (caps.DataSize != sizeof data) {
        return E_INVALIDARG;
    }
    std::memcpy(caps.pData, &data, sizeof data);
    return S_OK;
}

// The optional features are left out: zero is "not supported" in every member that is not set.
HRESULT D3D12DDI_APIENTRY getCaps(D3D12DDI_HCOMPILERDDI hCompilerDDI,
                                  const D3D12DDI_COMPILER_TARGET* pTarget,
                                  const D3D12DDI_APPLICATION_DESC* pApplicationDesc,
                                  const D3D12DDIARG_GETCAPS* pCaps) noexcept
{
    if (!openOf(hCompilerDDI) || !pApplicationDesc || !pCaps || !pCaps->pData) {
        return E_INVALIDARG;
    }
    const HRESULT result = checkTarget(pTarget);
    if (FAILED(result)) {
        return result;
    }
    switch (pCaps->Type) {
    case D3D12DDICAPS_TYPE_SHADER: {
        D3D12DDI_SHADER_CAPS_0084 caps = {};
        caps.WaveOps = TRUE;
        caps.WaveLaneCountMin = 32;
        caps.WaveLaneCountMax = 32;
        caps.TotalLaneCount = 1024;
        return answer(*pCaps, caps);
    }
    case D3D12DDICAPS_TYPE_D3D12_OPTIONS: {
        D3D12DDI_D3D12_OPTIONS_DATA_0089 options = {};
        options.ResourceBindingTier = D3D12DDI_RESOURCE_BINDING_TIER_1;
        options.ResourceHeapTier = D3D12DDI_RESOURCE_HEAP_TIER_1;
        return answer(*pCaps, options);
    }
    case D3D12DDICAPS_TYPE_OPTIONS_0090:
        return answer(*pCaps, D3D12DDI_OPTIONS_DATA_0090{});
    case D3D12DDICAPS_TYPE_OPTIONS_0091:
        return answer(*pCaps, D3D12DDI_OPTIONS_DATA_0091{});
    case D3D12DDICAPS_TYPE_OPTIONS_0093:
        return answer(*pCaps, D3D12DDI_OPTIONS_DATA_0093{});
    case D3D12DDICAPS_TYPE_OPTIONS_0098:
        return answer(*pCaps, D3D12DDI_OPTIONS_DATA_0098{});
    case D3D12DDICAPS_TYPE_OPTIONS_0101:
        return answer(*pCaps, D3D12DDI_OPTIONS_DATA_0101{});
    case D3D12DDICAPS_TYPE_OPTIONS_0102: {
        D3D12DDI_OPTIONS_DATA_0102 options = {};
        options.SupportedSampleCountsWithNoOutputs = 1;
        options.MaxSamplerDescriptorHeapSize = 2048;
        options.MaxSamplerDescriptorHeapSizeWithStaticSamplers = 2048;
        options.MaxViewDescriptorHeapSize = 1000000;
        return answer(*pCaps, options);
    }
    case D3D12DDICAPS_TYPE_OPTIONS1_0103:
        return answer(*pCaps, D3D12DDI_OPTIONS1_DATA_0103{});
    case D3D12DDICAPS_TYPE_OPTIONS_0109:
        return answer(*pCaps, D3D12DDI_OPTIONS_DATA_0109{});
    case D3D12DDICAPS_TYPE_OPTIONS_0110:
        return answer(*pCaps, D3D12DDI_OPTIONS_DATA_0110{D3D12DDI_EXECUTE_INDIRECT_TIER_1_0});
    case D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110:
        return answer(*pCaps, D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110{});
    case D3D12DDICAPS_TYPE_0011_SHADER_MODELS: {
        if (pCaps->DataSize != sizeof(D3D12DDI_D3D12_SHADER_MODELS_DATA_0011)) {
            return E_INVALIDARG;
        }
        const auto& list =
            *static_cast<const D3D12DDI_D3D12_SHADER_MODELS_DATA_0011*>(pCaps->pData);
        if (!list.pNumShaderModelsSupported) {
            return E_INVALIDARG;
        }
        return copyList(kShaderModels, list.pNumShaderModelsSupported, list.pShaderModelsSupported);
    }
    case D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1: {
        D3D12DDI_3DPIPELINESUPPORT1_DATA_0081 support;
        if (pCaps->DataSize != sizeof support) {
            return E_INVALIDARG;
        }
        std::memcpy(&support, pCaps->pData, sizeof support);
        for (const D3D12DDI_3DPIPELINELEVEL level : kFeatureLevels) {
            if (level <= support.HighestRuntimeSupportedFeatureLevel) {
                support.MaximumDriverSupportedFeatureLevel = level;
                return answer(*pCaps, support);
            }
        }
        return E_INVALIDARG;
    }
    default:
        return E_INVALIDARG;
    }
}

HRESULT D3D12DDI_APIENTRY enumerateAdapterFamilies(
    D3D12DDI_HCOMPILERDDI hCompilerDDI, UINT AdapterFamilyIndex,
    D3D12DDI_COMPILER_ADAPTER_FAMILY* pAdapterFamily) noexcept
{
    if (!openOf(hCompilerDDI) || !pAdapterFamily) {
        return E_INVALIDARG;
    }
    if (AdapterFamilyIndex != 0) {
        return DXGI_ERROR_NOT_FOUND;
    }
    *pAdapterFamily = {};
    std::copy(std::begin(kFamilyName), std::end(kFamilyName), pAdapterFamily->szAdapterFamily);
    return S_OK;
}

HRESULT D3D12DDI_APIENTRY getAdapterFamilyABIVersions(D3D12DDI_HCOMPILERDDI hCompilerDDI,
                                                      UINT AdapterFamilyIndex,
                                                      UINT* pNumABIVersions,
                                                      UINT64* pABIVersions) noexcept
{
    if (!openOf(hCompilerDDI) || !pNumABIVersions) {
        return E_INVALIDARG;
    }
    if (AdapterFamilyIndex != 0) {
        *pNumABIVersions = 0;
        return DXGI_ERROR_NOT_FOUND;
    }
    return copyList(kAbiVersions, pNumABIVersions, pABIVersions);
}

HRESULT D3D12DDI_APIENTRY getCompilerVersion(D3D12DDI_HCOMPILERDDI hCompilerDDI,
                                             UINT AdapterFamilyIndex,
                                             D3D12DDI_VERSION_NUMBER* pCompilerVersion) noexcept
{
    if (!openOf(hCompilerDDI) || !pCompilerVersion) {
        return E_INVALIDARG;
    }
    if (AdapterFamilyIndex != 0) {
        return DXGI_ERROR_NOT_FOUND;
    }
    pCompilerVersion->Version = kCompilerVersion;
    return S_OK;
}

// No application has a profile, which is version 0.
HRESULT D3D12DDI_APIENTRY getApplicationProfileVersion(
    D3D12DDI_HCOMPILERDDI hCompilerDDI, const D3D12DDI_COMPILER_TARGET* pTarget,
    const D3D12DDI_APPLICATION_DESC* pApplicationDesc,
    D3D12DDI_VERSION_NUMBER* pApplicationProfileVersion) noexcept
{
    if (!openOf(hCompilerDDI) || !pApplicationDesc || !pApplicationProfileVersion) {
        return E_INVALIDARG;
    }
    const HRESULT result = checkTarget(pTarget);
    if (SUCCEEDED(result)) {
        pApplicationProfileVersion->Version = 0;
    }
    return result;
}

// Colour formats can be multisampled; a format that is not listed has no optional use.
UINT formatSupport(DXGI_FORMAT format)
{
    constexpr UINT kTexture = D3D12DDI_FORMAT_SUPPORT_SHADER_SAMPLE
        | D3D12DDI_FORMAT_SUPPORT_SHADER_GATHER;
    constexpr UINT kTarget = D3D12DDI_FORMAT_SUPPORT_RENDERTARGET
        | D3D12DDI_FORMAT_SUPPORT_BLENDABLE | D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET
        | D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_LOAD;
    constexpr UINT kBuffer = D3D12DDI_FORMAT_SUPPORT_BUFFER | D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER;
    switch (format) {
    case DXGI_FORMAT_R8G8B8A8_UNORM:
    case DXGI_FORMAT_R16G16B16A16_FLOAT:
    case DXGI_FORMAT_R32G32B32A32_FLOAT:
        return kTexture | kTarget | kBuffer;
    case DXGI_FORMAT_R8G8B8A8_UNORM_SRGB:
    case DXGI_FORMAT_B8G8R8A8_UNORM:
        return kTexture | kTarget;
    case DXGI_FORMAT_R32_FLOAT:
    case DXGI_FORMAT_R32_UINT:
        return kBuffer | D3D12DDI_FORMAT_SUPPORT_UAV_WRITES | D3D12DDI_FORMAT_SUPPORT_UAV_READS;
    case DXGI_FORMAT_R32G32_FLOAT:
    case DXGI_FORMAT_R32G32B32_FLOAT:
    case DXGI_FORMAT_R8G8B8A8_UINT:
        return kBuffer;
    case DXGI_FORMAT_BC1_UNORM:
    case DXGI_FORMAT_BC3_UNORM:
    case DXGI_FORMAT_BC7_UNORM:
        return kTexture;
    default:
        return 0;
    }
}

HRESULT D3D12DDI_APIENTRY checkFormatSupport(D3D12DDI_HCOMPILERDDI hCompilerDDI,
                                             const D3D12DDI_COMPILER_TARGET* pTarget,
                                             DXGI_FORMAT Format, UINT* pFormatSupport) noexcept
{
    if (!openOf(hCompilerDDI) || !pFormatSupport) {
        return E_INVALIDARG;
    }
    const HRESULT result = checkTarget(pTarget);
    if (SUCCEEDED(result)) {
        *pFormatSupport = formatSupport(Format);
    }
    return result;
}

BOOL D3D12DDI_APIENTRY checkMultisampleQualityLevels(D3D12DDI_HCOMPILERDDI hCompilerDDI,
                                                     const D3D12DDI_COMPILER_TARGET* pTarget,
                                                     DXGI_FORMAT Format, UINT SampleCount,
                                                     UINT QualityLevel) noexcept
{
    if (!openOf(hCompilerDDI) || FAILED(checkTarget(pTarget)) || QualityLevel != 0) {
        return FALSE;
    }
    const UINT support = formatSupport(Format);
    switch (SampleCount) {
    case 1:
        return (support & D3D12DDI_FORMAT_SUPPORT_RENDERTARGET) != 0;
    case 2:
    case 4:
    case 8:
        return (support & D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET) != 0;
    default:
        return FALSE;
    }
}

// ---- The first table ----------------------------------------------------------------------------

void D3D12DDI_APIENTRY destroyCompilerDDI(D3D12DDI_HCOMPILERDDI hCompilerDDI) noexcept
{
    if (Open* open = openOf(hCompilerDDI)) {
        open->isOpen = false;
    }
}

HRESULT D3D12DDI_APIENTRY getSupportedVersions(D3D12DDI_HCOMPILERDDI hCompilerDDI,
                                               UINT32* puEntries,
                                               UINT64* pSupportedPluginDDIVersions) noexcept
{
    if (!openOf(hCompilerDDI) || !puEntries) {
        return E_INVALIDARG;
    }
    return copyList(kPluginVersions, puEntries, pSupportedPluginDDIVersions);
}

HRESULT D3D12DDI_APIENTRY setSelectedVersion(D3D12DDI_HCOMPILERDDI hCompilerDDI,
                                             UINT64 PluginDDIVersion,
                                             UINT64 UsermodeDDIVersion) noexcept
{
    Open* open = openOf(hCompilerDDI);
    const UINT64* end = std::end(kPluginVersions);
    if (!open || std::find(kPluginVersions, end, PluginDDIVersion) == end
        || UsermodeDDIVersion >> 32 != kUsermodeInterface
        || (UsermodeDDIVersion >> 16 & 0xFFFF) < kOldestUsermodeBuild) {
        return E_INVALIDARG;
    }
    open->hasVersion = true;
    return S_OK;
}

template <class Table>
HRESULT fill(const Table& table, void* pTable, SIZE_T tableSize)
{
    if (tableSize < sizeof table) {
        return E_INVALIDARG;
    }
    std::memcpy(pTable, &table, sizeof table);
    return S_OK;
}

// Both versions have the same tables.
HRESULT D3D12DDI_APIENTRY fillDDITable(D3D12DDI_HCOMPILERDDI hCompilerDDI,
                                       D3D12DDI_COMPILER_TABLE_TYPE tableType, void* pTable,
                                       SIZE_T tableSize) noexcept
{
    static constexpr auto createCompilerOf = createCompilers(std::make_index_sequence<kSlots>());
    const Open* open = openOf(hCompilerDDI);
    if (!open || !pTable) {
        return E_INVALIDARG;
    }
    if (!open->hasVersion) {
        return DXGI_ERROR_INVALID_CALL;
    }
    switch (tableType) {
    case D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES: {
        const D3D12DDI_COMPILER_CAPABILITIES_FUNCS table = {
            getCaps,
            enumerateAdapterFamilies,
            getAdapterFamilyABIVersions,
            getCompilerVersion,
            getApplicationProfileVersion,
            checkFormatSupport,
            checkMultisampleQualityLevels,
        };
        return fill(table, pTable, tableSize);
    }
    case D3D12DDI_COMPILER_TABLE_TYPE_COMPILER: {
        const D3D12DDI_COMPILER_FUNCS table = {
            calcPrivateCompilerSize,
            createCompilerOf[static_cast<std::size_t>(open - g_opens)],
            destroyCompiler,
            compilePipelineState,
            calcPrivateStateObjectSize,
            compileCreateStateObject,
            calcPrivateAddToStateObjectSize,
            compileAddToStateObject,
            destroyStateObject,
        };
        return fill(table, pTable, tableSize);
    }
    default:
        return E_INVALIDARG;
    }
}

HRESULT D3D12DDI_APIENTRY setCallbackDDITable(D3D12DDI_HCOMPILERDDI hCompilerDDI,
                                              D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE tableType,
                                              const void* pTable, SIZE_T TableSize) noexcept
{
    Open* open = openOf(hCompilerDDI);
    D3D12DDI_COMPILER_CACHE_CALLBACKS callbacks;
    if (!open || tableType != D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE || !pTable
        || TableSize < sizeof callbacks) {
        return E_INVALIDARG;
    }
    std::memcpy(&callbacks, pTable, sizeof callbacks);
    if (!callbacks.pfnCompilerCacheFindValue || !callbacks.pfnCompilerCacheStoreValue
        || !callbacks.pfnCompilerCacheSetObjectValueKeys) {
        return E_INVALIDARG;
    }
    open->callbacks = callbacks;
    open->hasCallbacks = true;
    return S_OK;
}

} // namespace

// On Windows minimal_plugin.def exports it.
#ifndef _WIN32
__attribute__((visibility("default")))
#endif
HRESULT D3D12DDI_APIENTRY D3D12OpenCompilerDDI(D3D12DDIARG_COMPILER_OPEN_DDI* pOpenDDIArg)
{
    if (!pOpenDDIArg || !pOpenDDIArg->pDDIFuncs) {
        return E_INVALIDARG;
    }
    for (Open& open : g_opens) {
        if (open.isOpen.exchange(true)) {
            continue;
        }
        open.hasVersion = false;
        open.hasCallbacks = false;
        pOpenDDIArg->hCompilerDDI.pDrvPrivate = &open;
        *pOpenDDIArg->pDDIFuncs = {
            destroyCompilerDDI, getSupportedVersions, setSelectedVersion,
            fillDDITable,       setCallbackDDITable,
        };
        return S_OK;
    }
    return DXGI_ERROR_NOT_CURRENTLY_AVAILABLE;
}
