// d3d12_compiler_plugin.hpp: write a D3D12 compiler plugin in C++17.
//
// A vendor derives from Plugin and Compiler and writes D3D12_COMPILER_EXPORT_PLUGIN once; this header
// speaks the DDI of ShaderCompilerPlugin.md. What comes from the host is checked before the vendor's
// code sees it, values are named by receipts only and the keys are set once, and no exception leaves
// the DLL. docs/vendor-guide.md, "In C++", goes from an empty file to a conforming DLL.
//
// Exceptions. One that leaves the vendor's code fails the call with DXGI_ERROR_DRIVER_INTERNAL_ERROR,
// and the object that it left fails every later call until it is destroyed: a compiler, or the open for
// the methods of the plugin. std::bad_alloc is an ordinary failure, E_OUTOFMEMORY: the object can go on
// when there is memory again, so leave nothing half changed by an allocation. Ordinary failures are
// returned, as an Error. It all works with -fno-exceptions and -fno-rtti too.
//
// Needs d3d12_compiler_ddi.h beside it, and nothing else. Written by hand.
// SPDX-License-Identifier: MIT OR Apache-2.0
//
// References in comments are to headings of ShaderCompilerPlugin.md. Where it is silent, the reading
// is that of docs/spec-notes.md.

#ifndef D3D12_COMPILER_PLUGIN_HPP
#define D3D12_COMPILER_PLUGIN_HPP

#include "d3d12_compiler_ddi.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace d3d12_compiler {

// ---- Failures -----------------------------------------------------------------------------------

/// A failure: the HRESULT that the host gets, and a message for Plugin::logFailure.
class Error {
public:
    /// A failure with this HRESULT; one that means success becomes E_FAIL. A message is cut after
    /// 159 bytes, so that making an Error cannot fail.
    Error(HRESULT hresult, std::string_view message) noexcept
        : m_hresult(FAILED(hresult) ? hresult : E_FAIL),
          m_length((std::min)(message.size(), sizeof m_message))
    {
        std::copy_n(message.data(), m_length, m_message);
    }

    /// The host's input is wrong.
    static Error invalidArgument(std::string_view message) { return {E_INVALIDARG, message}; }
    /// The input is right, but the target cannot do it.
    static Error unsupported(std::string_view message) { return {DXGI_ERROR_UNSUPPORTED, message}; }
    /// The plugin's own failure.
    static Error failed(std::string_view message) { return {E_FAIL, message}; }

    HRESULT hresult() const noexcept { return m_hresult; }
    std::string_view message() const noexcept { return {m_message, m_length}; }

private:
    HRESULT m_hresult;
    std::size_t m_length;
    char m_message[159] = {};
};

namespace detail {
template <class...> inline constexpr bool kNever = false;
} // namespace detail

/// A value, or the Error why there is none.
template <class T> class [[nodiscard]] Result {
public:
    template <class U = T, std::enable_if_t<std::is_convertible_v<U&&, T>, int> = 0>
    Result(U&& value) : m_value(std::forward<U>(value))
    {
    }

    Result(const Error& error) noexcept : m_error(error) {}

    template <class U, std::enable_if_t<std::is_integral_v<U> && !std::is_convertible_v<U, T>, int> = 0>
    Result(U)
    {
        static_assert(detail::kNever<U>, "an HRESULT is no result here: return the value on success, "
                                         "and Error(hresult, message) on failure");
    }

    explicit operator bool() const noexcept { return m_value.has_value(); }

    /// The value; without one, std::bad_optional_access.
    T& operator*() { return m_value.value(); }
    const T& operator*() const { return m_value.value(); }
    T* operator->() { return &m_value.value(); }
    const T* operator->() const { return &m_value.value(); }

    /// Why there is no value.
    const Error& error() const noexcept { return m_error; }

private:
    std::optional<T> m_value;
    Error m_error{E_UNEXPECTED, "no failure"};
};

// ---- What a plugin compiles for -----------------------------------------------------------------

/// The elements of an array of the host's, whose count was checked.
template <class T> class Span {
public:
    Span() = default;
    Span(const T* data, std::size_t size) : m_data(size ? data : nullptr), m_size(size) {}
    const T* begin() const { return m_data; }
    const T* end() const { return m_data + m_size; }
    const T* data() const { return m_data; }
    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }

private:
    const T* m_data = nullptr;
    std::size_t m_size = 0;
};

/// UTF-16 text of the host's, whose end was found: 16-bit units on every system.
using TextView = std::basic_string_view<D3D12_COMPILER_WCHAR>;

using Bytes = std::vector<std::uint8_t>;

/// The number of D3D12DDI_VERSION_NUMBER.
constexpr UINT64 makeVersion(UINT16 major, UINT16 minor, UINT16 build, UINT16 revision)
{
    return UINT64{major} << 48 | UINT64{minor} << 32 | UINT64{build} << 16 | revision;
}

/// Adapters that share compiled output for one ABI version ("Adapter Families").
struct AdapterFamily {
    /// Unique within the plugin: 1 to 127 UTF-16 units, no NUL, no half of a surrogate pair.
    std::basic_string<D3D12_COMPILER_WCHAR> name;
    /// What can be targeted, newest first; 1 is the first ever, 0 and UINT64_MAX are reserved.
    std::vector<UINT64> abiVersions;
    /// Changes with every change of the compiler's output for this family; not 0. See makeVersion.
    UINT64 compilerVersion = 0;
};

/// What to compile for: a family and an ABI version of the plugin's own lists.
struct Target {
    UINT familyIndex;
    const AdapterFamily& family;
    UINT64 abiVersion;
};

/// The application that shaders belong to; its strings are the host's, for the call only.
struct ApplicationDesc {
    TextView exeFilename;
    TextView name;
    UINT64 version;
    /// Empty when no engine is named.
    TextView engineName;
    UINT64 engineVersion;
};

/// The answers to every capability that plugins are asked for (PFND3D12DDI_COMPILER_GET_CAPS). "This
/// is expected to match UMD implementation for adapter drivers in the same adapter family." To begin
/// with, the least that a target can have.
struct Capabilities {
    Capabilities()
    {
        options.ResourceBindingTier = D3D12DDI_RESOURCE_BINDING_TIER_1;
        options.ResourceHeapTier = D3D12DDI_RESOURCE_HEAP_TIER_1;
        options0110.ExecuteIndirectTier = D3D12DDI_EXECUTE_INDIRECT_TIER_1_0;
    }

    D3D12DDI_SHADER_CAPS_0084 shader{};
    D3D12DDI_D3D12_OPTIONS_DATA_0089 options{};
    D3D12DDI_OPTIONS_DATA_0090 options0090{};
    D3D12DDI_OPTIONS_DATA_0091 options0091{};
    D3D12DDI_OPTIONS_DATA_0093 options0093{};
    D3D12DDI_OPTIONS_DATA_0098 options0098{};
    D3D12DDI_OPTIONS_DATA_0101 options0101{};
    D3D12DDI_OPTIONS_DATA_0102 options0102{};
    D3D12DDI_OPTIONS1_DATA_0103 options1_0103{};
    D3D12DDI_OPTIONS_DATA_0109 options0109{};
    D3D12DDI_OPTIONS_DATA_0110 options0110{};
    D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110 shaderModel68Options{};
    /// Every shader model that shaders may have.
    std::vector<D3D12DDI_SHADER_MODEL> shaderModels = {D3D12DDI_SHADER_MODEL_6_0_RELEASE_0011};
    /// The host never gets an answer above what its runtime knows.
    D3D12DDI_3DPIPELINELEVEL highestFeatureLevel = D3D12DDI_3DPIPELINELEVEL_11_0;
};

/// The released shader models from 6.0 to the highest, for Capabilities::shaderModels; none above 6.8: those
/// came with a later usermode DDI than this header's.
inline std::vector<D3D12DDI_SHADER_MODEL> shaderModelsUpTo(D3D12DDI_SHADER_MODEL highest)
{
    std::vector<D3D12DDI_SHADER_MODEL> models;
    const INT last = (std::min)(highest, D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108);
    for (INT model = D3D12DDI_SHADER_MODEL_6_0_RELEASE_0011; model <= last; model += 0x10) {
        models.push_back(static_cast<D3D12DDI_SHADER_MODEL>(model));
    }
    return models;
}

// ---- Programs -----------------------------------------------------------------------------------

/// What a DXIL program is for, by the number in its header; for a shader of a pipeline, its stage.
enum class ShaderKind : UINT {
    Pixel = 0,
    Vertex = 1,
    Geometry = 2,
    Hull = 3,
    Domain = 4,
    Compute = 5,
    Library = 6,
    Mesh = 13,
    Amplification = 14,
};

/// A DXIL program whose header was checked: against itself, and for the stage that it is used in. The
/// bitcode itself is the compiler's to check.
class Program {
public:
    /// Reads the program at `code`: a bare one, or one in a container. No length crosses the DDI; the
    /// length is the one that the code's own header states (docs/spec-notes.md, "What `pShaderCode`
    /// points at").
    static Result<Program> read(const UINT* code)
    {
        const auto* at = reinterpret_cast<const std::uint8_t*>(code);
        if (!at) {
            return Error::invalidArgument("is null");
        }
        if (word(at) != kContainer) {
            return readBare(at, kMaxSize);
        }
        const UINT64 size = word(at + 24), parts = word(at + 28);
        if ((word(at + 20) & 0xFFFF) != 1 || size < 32 || size > kMaxSize || 32 + 4 * parts > size) {
            return Error::invalidArgument("is a container whose header cannot be one");
        }
        for (UINT64 part = 0; part < parts; ++part) {
            const UINT64 offset = word(at + 32 + 4 * part);
            if (offset + 8 > size || offset + 8 + word(at + offset + 4) > size) {
                return Error::invalidArgument("is a container with a part outside of it");
            }
            if (word(at + offset) == kDxil) {
                return readBare(at + offset + 8, word(at + offset + 4));
            }
        }
        return Error::invalidArgument("is a container without a DXIL part");
    }

    ShaderKind kind() const { return static_cast<ShaderKind>(word(m_bytes.data()) >> 16); }
    UINT shaderModelMajor() const { return word(m_bytes.data()) >> 4 & 0xFFF; }
    UINT shaderModelMinor() const { return word(m_bytes.data()) & 0xF; }
    /// The program with its header, without the container.
    Span<std::uint8_t> bytes() const { return m_bytes; }
    /// The LLVM bitcode.
    Span<std::uint8_t> bitcode() const { return m_bitcode; }

private:
    static constexpr UINT kContainer = 0x43425844, kDxil = 0x4C495844, kBitcode = 0xDEC04342;
    static constexpr UINT kHeader = 24, kMagic = 8, kLastKind = 15;
    static constexpr UINT64 kMaxSize = 0x80000000;

    Program(Span<std::uint8_t> bytes, Span<std::uint8_t> bitcode) : m_bytes(bytes), m_bitcode(bitcode)
    {
    }

    static UINT word(const std::uint8_t* at)
    {
        UINT value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }

    static Result<Program> readBare(const std::uint8_t* at, UINT64 available)
    {
        if (available < kHeader) {
            return Error::invalidArgument("is a program shorter than its header");
        }
        const UINT64 size = UINT64{word(at + 4)} * 4;
        if (word(at) >> 16 > kLastKind || size < kHeader || size > available) {
            return Error::invalidArgument("is no program: kind or size cannot be");
        }
        const UINT64 begin = UINT64{kMagic} + word(at + 16), length = word(at + 20);
        if (word(at + kMagic) != kDxil || begin < kHeader || length < 4 || length % 4 != 0
            || begin + length > size || word(at + begin) != kBitcode) {
            return Error::invalidArgument("is no DXIL program: magic or bitcode is not where it must be");
        }
        return Program({at, static_cast<std::size_t>(size)},
                       {at + begin, static_cast<std::size_t>(length)});
    }

    Span<std::uint8_t> m_bytes;
    Span<std::uint8_t> m_bitcode;
};

// ---- Views of descriptions ----------------------------------------------------------------------
//
// A view is made at the start of a call, after everything that it leads to was checked: null pointers
// that the DDI does not allow, counts without arrays, misaligned or absurd arrays, strings without an
// end, programs. After that reading it cannot fail, and the arrays and pointers inside the C structures
// can be followed too. Four things there keep to less:
//
//  - The elements of pSubobjects and ppAssociatedSubobjects say by their address which of subobjects()
//    is meant. One that is the address of none must not be followed.
//  - A list of a work graph ends with a null pNext, which can come before its count.
//  - The node behind pShareInputOfNode has been read as far as its name.
//  - Of an array inside a structure, the count can be larger than the array: renderTargetFormats() cuts
//    it; of D3D12DDI_RT_FORMAT_ARRAY the reader does.
//
// Views end with their call: copy what must stay.

namespace detail {
class Checker;
struct Entries;
} // namespace detail

/// A root signature. Without one in the pipeline, shaders bring their own.
class RootSignature {
public:
    explicit RootSignature(const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100& checked) : m_raw(&checked) {}

    /// D3D12DDI_ROOT_SIGNATURE_VERSION_1_1 or _1_2.
    D3D12DDI_ROOT_SIGNATURE_VERSION version() const { return m_raw->Version; }

    D3D12DDI_ROOT_SIGNATURE_FLAGS flags() const
    {
        return version() == D3D12DDI_ROOT_SIGNATURE_VERSION_1_1 ? v1_1().Flags : v1_2().Flags;
    }

    Span<D3D12DDI_ROOT_PARAMETER_0013> parameters() const
    {
        if (version() == D3D12DDI_ROOT_SIGNATURE_VERSION_1_1) {
            return {v1_1().pRootParameters, v1_1().NumParameters};
        }
        return {v1_2().pRootParameters, v1_2().NumParameters};
    }

    /// The samplers of version 1.1; none for 1.2.
    Span<D3D12DDI_STATIC_SAMPLER> staticSamplers1_1() const
    {
        if (version() != D3D12DDI_ROOT_SIGNATURE_VERSION_1_1) {
            return {};
        }
        return {v1_1().pStaticSamplers, v1_1().NumStaticSamplers};
    }

    /// The samplers of version 1.2; none for 1.1.
    Span<D3D12DDI_STATIC_SAMPLER_0100> staticSamplers1_2() const
    {
        if (version() != D3D12DDI_ROOT_SIGNATURE_VERSION_1_2) {
            return {};
        }
        return {v1_2().pStaticSamplers, v1_2().NumStaticSamplers};
    }

    const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100& arguments() const { return *m_raw; }

private:
    const D3D12DDI_ROOT_SIGNATURE_0013& v1_1() const
    {
        const void* content = m_raw->pRootSignature_1_2;
        return *static_cast<const D3D12DDI_ROOT_SIGNATURE_0013*>(content);
    }

    const D3D12DDI_ROOT_SIGNATURE_0100& v1_2() const { return *m_raw->pRootSignature_1_2; }

    const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100* m_raw;
};

/// A shader of a pipeline.
class Shader {
public:
    using Arguments = D3D12DDIARG_CREATE_SHADER_0026;
    using StreamOutput = D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026;

    Shader(ShaderKind stage, const Arguments& arguments, const StreamOutput* streams)
        : m_stage(stage), m_raw(&arguments), m_streams(streams)
    {
    }

    ShaderKind stage() const { return m_stage; }

    /// The program, of the stage's kind. Null only for a geometry stage that passes vertices through to
    /// stream output.
    const Program* program() const { return m_program ? &*m_program : nullptr; }

    /// The create-arguments: the signatures of the stage's own arm, flags.
    const Arguments& arguments() const { return *m_raw; }

    /// Where the pipeline's root signature, or without one the shader's own, allows stream output.
    const StreamOutput* streamOutput() const { return m_streams; }

private:
    friend class PipelineStateDesc;
    ShaderKind m_stage;
    const Arguments* m_raw;
    const StreamOutput* m_streams;
    std::optional<Program> m_program;
};

/// A graphics or compute pipeline. The handles of its description are taken for pointers to
/// create-arguments (docs/spec-notes.md, "Handles inside create arguments").
class PipelineStateDesc {
public:
    using Arguments = D3D12DDIARG_CREATE_PIPELINE_STATE_0099;

    PipelineStateDesc(const Arguments* arguments, detail::Checker& checker);
    PipelineStateDesc(const PipelineStateDesc&) = delete;

    /// The shaders that are there, in the order of Arguments.
    const std::vector<Shader>& shaders() const { return m_shaders; }

    /// Null when the shaders bring their own.
    const RootSignature* rootSignature() const { return m_root ? &*m_root : nullptr; }

    const D3D12DDI_BLEND_DESC_0010* blend() const
    {
        return static_cast<const D3D12DDI_BLEND_DESC_0010*>(m_raw->hBlendState.pDrvPrivate);
    }

    const D3D12DDI_RASTERIZER_DESC_0102* rasterizer() const
    {
        return static_cast<const D3D12DDI_RASTERIZER_DESC_0102*>(m_raw->hRasterizerState.pDrvPrivate);
    }

    const D3D12DDI_DEPTH_STENCIL_DESC_0095* depthStencil() const
    {
        return static_cast<const D3D12DDI_DEPTH_STENCIL_DESC_0095*>(
            m_raw->hDepthStencilState.pDrvPrivate);
    }

    const D3D12DDIARG_CREATEELEMENTLAYOUT_0010* inputLayout() const
    {
        return static_cast<const D3D12DDIARG_CREATEELEMENTLAYOUT_0010*>(
            m_raw->hElementLayout.pDrvPrivate);
    }

    /// The formats that the pipeline writes; a count above 8 counts as 8.
    Span<DXGI_FORMAT> renderTargetFormats() const
    {
        return {m_raw->RTVFormats, (std::min)(std::size_t{m_raw->NumRenderTargets},
                                              std::size(m_raw->RTVFormats))};
    }

    /// Everything else: masks, topology, samples, view instances.
    const Arguments& arguments() const { return *m_raw; }

private:
    const Arguments* m_raw;
    std::vector<Shader> m_shaders;
    std::optional<RootSignature> m_root;
};

/// Subobject D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY.
struct DxilLibrary {
    Program program;
    Span<D3D12DDI_EXPORT_DESC_0054> exports;
};

/// A state object, or an addition to one; `StateObject` is what the vendor keeps of each. A subobject
/// of a type that this header does not know is refused with DXGI_ERROR_UNSUPPORTED.
template <class StateObject> class StateObjectDesc {
public:
    using Arguments = D3D12DDIARG_CREATE_STATE_OBJECT_0054;

    StateObjectDesc(const Arguments* arguments, detail::Checker& checker);
    StateObjectDesc(const StateObjectDesc&) = delete;

    D3D12DDI_STATE_OBJECT_TYPE type() const { return m_raw->Type; }

    /// Every subobject in the host's order; subobjectContent reads them.
    Span<D3D12DDI_STATE_SUBOBJECT_0054> subobjects() const
    {
        return {m_raw->pSubobjects, m_raw->NumSubobjects};
    }

    const std::vector<DxilLibrary>& libraries() const { return m_libraries; }

    /// What the vendor kept of each existing collection.
    const std::vector<const StateObject*>& collections() const { return m_collections; }

    const Arguments& arguments() const { return *m_raw; }

private:
    const Arguments* m_raw;
    std::vector<DxilLibrary> m_libraries;
    std::vector<const StateObject*> m_collections;
};

namespace detail {

/// Calls `f` with a subobject's content as the structure of its type; false for an unknown type.
template <class F> bool withContent(const D3D12DDI_STATE_SUBOBJECT_0054& subobject, F f)
{
#define D3D12_COMPILER_SUBOBJECT(type, structure)                                                   \
    case D3D12DDI_STATE_SUBOBJECT_TYPE_##type:                                                      \
        f(static_cast<const structure*>(subobject.pDesc));                                          \
        return true;
    switch (subobject.Type) {
        D3D12_COMPILER_SUBOBJECT(STATE_OBJECT_CONFIG, D3D12DDI_STATE_OBJECT_CONFIG_0054)
        D3D12_COMPILER_SUBOBJECT(GLOBAL_ROOT_SIGNATURE, D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054)
        D3D12_COMPILER_SUBOBJECT(LOCAL_ROOT_SIGNATURE, D3D12DDI_LOCAL_ROOT_SIGNATURE_0054)
        D3D12_COMPILER_SUBOBJECT(NODE_MASK, D3D12DDI_NODE_MASK_0054)
        D3D12_COMPILER_SUBOBJECT(DXIL_LIBRARY, D3D12DDI_DXIL_LIBRARY_DESC_0054)
        D3D12_COMPILER_SUBOBJECT(EXISTING_COLLECTION, D3D12DDI_EXISTING_COLLECTION_DESC_0054)
        D3D12_COMPILER_SUBOBJECT(RAYTRACING_SHADER_CONFIG, D3D12DDI_RAYTRACING_SHADER_CONFIG_0054)
        D3D12_COMPILER_SUBOBJECT(RAYTRACING_PIPELINE_CONFIG, D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075)
        D3D12_COMPILER_SUBOBJECT(HIT_GROUP, D3D12DDI_HIT_GROUP_DESC_0054)
        D3D12_COMPILER_SUBOBJECT(WORK_GRAPH, D3D12DDI_WORK_GRAPH_DESC_0108)
        D3D12_COMPILER_SUBOBJECT(STREAM_OUTPUT, D3D12DDI_STREAM_OUTPUT_DESC_0108)
        D3D12_COMPILER_SUBOBJECT(BLEND, D3D12DDI_BLEND_DESC_0010)
        D3D12_COMPILER_SUBOBJECT(SAMPLE_MASK, D3D12DDI_SAMPLE_MASK_0084)
        D3D12_COMPILER_SUBOBJECT(RASTERIZER, D3D12DDI_RASTERIZER_DESC_0102)
        D3D12_COMPILER_SUBOBJECT(DEPTH_STENCIL, D3D12DDI_DEPTH_STENCIL_DESC_0095)
        D3D12_COMPILER_SUBOBJECT(INPUT_LAYOUT, D3D12DDIARG_CREATEELEMENTLAYOUT_0010)
        D3D12_COMPILER_SUBOBJECT(IB_STRIP_CUT_VALUE, D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE)
        D3D12_COMPILER_SUBOBJECT(PRIMITIVE_TOPOLOGY, D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084)
        D3D12_COMPILER_SUBOBJECT(RENDER_TARGET_FORMATS, D3D12DDI_RT_FORMAT_ARRAY)
        D3D12_COMPILER_SUBOBJECT(DEPTH_STENCIL_FORMAT, D3D12DDI_DEPTH_STENCIL_FORMAT_0084)
        D3D12_COMPILER_SUBOBJECT(SAMPLE_DESC, DXGI_SAMPLE_DESC)
        D3D12_COMPILER_SUBOBJECT(FLAGS, D3D12DDI_PIPELINE_STATE_FLAGS)
        D3D12_COMPILER_SUBOBJECT(VIEW_INSTANCING, D3D12DDI_VIEW_INSTANCING_DESC)
        D3D12_COMPILER_SUBOBJECT(GENERIC_PROGRAM, D3D12DDI_GENERIC_PROGRAM_DESC_0108)
        D3D12_COMPILER_SUBOBJECT(GLOBAL_SERIALIZED_ROOT_SIGNATURE,
                                 D3D12DDI_GLOBAL_SERIALIZED_ROOT_SIGNATURE_0114)
        D3D12_COMPILER_SUBOBJECT(LOCAL_SERIALIZED_ROOT_SIGNATURE,
                                 D3D12DDI_LOCAL_SERIALIZED_ROOT_SIGNATURE_0114)
        D3D12_COMPILER_SUBOBJECT(SHADER_EXPORT_SUMMARY, D3D12DDI_FUNCTION_SUMMARY_0054)
    default:
        return false;
    }
#undef D3D12_COMPILER_SUBOBJECT
}

} // namespace detail

/// The content of a subobject; null when its type's structure is not `T`.
template <class T> const T* subobjectContent(const D3D12DDI_STATE_SUBOBJECT_0054& subobject)
{
    const void* found = nullptr;
    detail::withContent(subobject, [&](const auto* content) {
        if (std::is_same_v<std::decay_t<decltype(*content)>, T>) {
            found = content;
        }
    });
    return static_cast<const T*>(found);
}

// ---- Walking through descriptions ---------------------------------------------------------------
//
// `visit` names every field of a structure that compiled code can depend on, once, for two visitors:
// detail::Checker follows the pointers before anybody else does, detail::Hasher makes keys of the fields.

namespace detail {

template <class T> const T* asPointer(const void* handle)
{
    return static_cast<const T*>(handle);
}

template <class V, class T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>, int> = 0>
void visit(V& v, const T& scalar)
{
    v.values(scalar);
}

template <class V> void visit(V& v, const D3D12_COMPILER_PCWSTR& text) { v.text("pExports", text); }

template <class V> void visit(V& v, const D3D12DDI_APPLICATION_DESC& d)
{
    v.text("pExeFilename", d.pExeFilename);
    v.text("pName", d.pName);
    v.optionalText("pEngineName", d.pEngineName);
}

template <class V> void visit(V& v, const D3D12DDI_DESCRIPTOR_RANGE_0013& r)
{
    v.values(r.RangeType, r.NumDescriptors, r.BaseShaderRegister, r.RegisterSpace, r.Flags,
             r.OffsetInDescriptorsFromTableStart);
}

template <class V> void visit(V& v, const D3D12DDI_ROOT_PARAMETER_0013& p)
{
    v.values(p.ParameterType, p.ShaderVisibility);
    switch (p.ParameterType) {
    case D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE:
        v.array("pDescriptorRanges", p.DescriptorTable.pDescriptorRanges,
                p.DescriptorTable.NumDescriptorRanges);
        break;
    case D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS:
        v.values(p.Constants.ShaderRegister, p.Constants.RegisterSpace, p.Constants.Num32BitValues);
        break;
    case D3D12DDI_ROOT_PARAMETER_TYPE_CBV:
    case D3D12DDI_ROOT_PARAMETER_TYPE_SRV:
    case D3D12DDI_ROOT_PARAMETER_TYPE_UAV:
        v.values(p.Descriptor.ShaderRegister, p.Descriptor.RegisterSpace, p.Descriptor.Flags);
        break;
    default:
        v.unknown(DXGI_ERROR_UNSUPPORTED, "ParameterType");
    }
}

template <class V, class Sampler> void visitSampler(V& v, const Sampler& s)
{
    v.values(s.Filter, s.AddressU, s.AddressV, s.AddressW, s.MipLODBias, s.MaxAnisotropy,
             s.ComparisonFunc, s.BorderColor, s.MinLOD, s.MaxLOD, s.ShaderRegister, s.RegisterSpace,
             s.ShaderVisibility);
}

template <class V> void visit(V& v, const D3D12DDI_STATIC_SAMPLER& s) { visitSampler(v, s); }

template <class V> void visit(V& v, const D3D12DDI_STATIC_SAMPLER_0100& s)
{
    visitSampler(v, s);
    v.values(s.Flags);
}

template <class V, class Content> void visitRootSignature(V& v, const Content& s)
{
    v.values(s.Flags);
    v.array("pRootParameters", s.pRootParameters, s.NumParameters);
    v.array("pStaticSamplers", s.pStaticSamplers, s.NumStaticSamplers);
}

template <class V> void visit(V& v, const D3D12DDI_ROOT_SIGNATURE_0013& s)
{
    visitRootSignature(v, s);
}

template <class V> void visit(V& v, const D3D12DDI_ROOT_SIGNATURE_0100& s)
{
    visitRootSignature(v, s);
}

template <class V> void visit(V& v, const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100& a)
{
    v.values(a.Version);
    switch (a.Version) {
    case D3D12DDI_ROOT_SIGNATURE_VERSION_1_1:
        v.required("pRootSignature_1_1",
                   asPointer<D3D12DDI_ROOT_SIGNATURE_0013>(a.pRootSignature_1_2));
        break;
    case D3D12DDI_ROOT_SIGNATURE_VERSION_1_2:
        v.required("pRootSignature_1_2", a.pRootSignature_1_2);
        break;
    default:
        v.unknown(E_INVALIDARG, "root signature Version");
    }
}

template <class V> void visit(V& v, const RootSignature& r) { visit(v, r.arguments()); }

template <class V> void visitRootSignatureOf(V& v, const D3D12DDI_HROOTSIGNATURE& handle)
{
    v.optional("hRootSignature",
               asPointer<D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100>(handle.pDrvPrivate));
}

template <class V> void visit(V& v, const D3D12DDIARG_SIGNATURE_ENTRY_0012& e)
{
    v.values(e.SystemValue, e.Register, e.Mask, e.Stream, e.RegisterComponentType, e.MinPrecision);
}

template <class V> void visit(V& v, const D3D12DDIARG_STAGE_IO_SIGNATURES& s)
{
    v.array("pInputSignature", s.pInputSignature, s.NumInputSignatureEntries);
    v.array("pOutputSignature", s.pOutputSignature, s.NumOutputSignatureEntries);
}

template <class V> void visit(V& v, const D3D12DDIARG_TESSELLATION_IO_SIGNATURES& s)
{
    v.array("pInputSignature", s.pInputSignature, s.NumInputSignatureEntries);
    v.array("pOutputSignature", s.pOutputSignature, s.NumOutputSignatureEntries);
    v.array("pPatchConstantSignature", s.pPatchConstantSignature, s.NumPatchConstantSignatureEntries);
}

template <class V> void visit(V& v, const D3D12DDIARG_MESH_IO_SIGNATURES& s)
{
    v.array("pVertexOutputSignature", s.pVertexOutputSignature, s.NumVertexOutputSignatureEntries);
    v.array("pPrimitiveOutputSignature", s.pPrimitiveOutputSignature,
            s.NumPrimitiveOutputSignatureEntries);
}

template <class V> void visit(V& v, const D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY& e)
{
    v.values(e.Stream, e.OutputSlot, e.RegisterIndex, e.RegisterMask);
}

template <class V>
void visit(V& v, const D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026& s)
{
    v.array("pOutputStreamDecl", s.pOutputStreamDecl, s.NumEntries);
    v.array("BufferStridesInBytes", s.BufferStridesInBytes, s.NumStrides);
    v.values(s.RasterizedStream);
}

template <class V> void visit(V& v, const Shader& s)
{
    const D3D12DDIARG_CREATE_SHADER_0026& a = s.arguments();
    v.values(s.stage(), a.Flags);
    // A geometry stage without code, with stream output, passes vertices through.
    if (a.pShaderCode || !s.streamOutput()) {
        v.program("pShaderCode", a.pShaderCode, &s);
    } else {
        v.values(false);
    }
    visitRootSignatureOf(v, a.hRootSignature);
    switch (s.stage()) {
    case ShaderKind::Vertex:
    case ShaderKind::Pixel:
    case ShaderKind::Geometry:
        v.optional("IOSignatures.Standard", a.IOSignatures.Standard);
        break;
    case ShaderKind::Hull:
    case ShaderKind::Domain:
        v.optional("IOSignatures.Tessellation", a.IOSignatures.Tessellation);
        break;
    case ShaderKind::Mesh:
        v.optional("IOSignatures.Mesh", a.IOSignatures.Mesh);
        break;
    default: // Compute and amplification have no signatures: no arm may be read.
        break;
    }
    v.optional("hGeometryShader", s.streamOutput());
}

template <class V> void visit(V& v, const D3D12DDI_RENDER_TARGET_BLEND_DESC& t)
{
    v.values(t.BlendEnable, t.LogicOpEnable, t.SrcBlend, t.DestBlend, t.BlendOp, t.SrcBlendAlpha,
             t.DestBlendAlpha, t.BlendOpAlpha, t.LogicOp, t.RenderTargetWriteMask);
}

template <class V> void visit(V& v, const D3D12DDI_BLEND_DESC_0010& b)
{
    v.values(b.AlphaToCoverageEnable, b.IndependentBlendEnable);
    v.array("RenderTarget", b.RenderTarget, static_cast<UINT>(std::size(b.RenderTarget)));
}

template <class V> void visit(V& v, const D3D12DDI_RASTERIZER_DESC_0102& r)
{
    v.values(r.FillMode, r.CullMode, r.FrontCounterClockwise, r.DepthBias, r.DepthBiasClamp,
             r.SlopeScaledDepthBias, r.DepthClipEnable, r.ScissorEnable, r.LineRasterizationMode,
             r.ForcedSampleCount, r.ConservativeRasterizationMode);
}

template <class V> void visit(V& v, const D3D12DDI_DEPTH_STENCIL_DESC_0095& d)
{
    v.values(d.DepthEnable, d.DepthWriteMask, d.DepthFunc, d.StencilEnable, d.FrontEnable, d.BackEnable,
             d.FrontFaceStencilReadMask, d.FrontFaceStencilWriteMask, d.DepthBoundsTestEnable,
             d.BackFaceStencilReadMask, d.BackFaceStencilWriteMask);
    for (const D3D12DDI_DEPTH_STENCILOP_DESC* face : {&d.FrontFace, &d.BackFace}) {
        v.values(face->StencilFailOp, face->StencilDepthFailOp, face->StencilPassOp, face->StencilFunc);
    }
}

template <class V> void visit(V& v, const D3D12DDIARG_INPUT_ELEMENT_DESC& e)
{
    v.values(e.InputSlot, e.AlignedByteOffset, e.Format, e.InputSlotClass, e.InstanceDataStepRate,
             e.InputRegister);
}

template <class V> void visit(V& v, const D3D12DDIARG_CREATEELEMENTLAYOUT_0010& l)
{
    v.array("pVertexElements", l.pVertexElements, l.NumElements);
}

template <class V> void visit(V& v, const D3D12DDI_VIEW_INSTANCE_LOCATION& l)
{
    v.values(l.ViewportArrayIndex, l.RenderTargetArrayIndex);
}

template <class V> void visit(V& v, const D3D12DDI_VIEW_INSTANCING_DESC& i)
{
    v.array("pViewInstanceLocations", i.pViewInstanceLocations, i.ViewInstanceCount);
    v.values(i.Flags);
}

template <class V> void visit(V& v, const DXGI_SAMPLE_DESC& s) { v.values(s.Count, s.Quality); }

template <class V> void visit(V& v, const PipelineStateDesc& d)
{
    const D3D12DDIARG_CREATE_PIPELINE_STATE_0099& a = d.arguments();
    v.array("shaders", d.shaders().data(), static_cast<UINT>(d.shaders().size()));
    visitRootSignatureOf(v, a.hRootSignature);
    v.optional("hBlendState", d.blend());
    v.optional("hRasterizerState", d.rasterizer());
    v.optional("hDepthStencilState", d.depthStencil());
    v.optional("hElementLayout", d.inputLayout());
    v.values(a.SampleMask, a.IBStripCutValue, a.PrimitiveTopologyType, a.NumRenderTargets, a.DSVFormat,
             a.Flags);
    v.array("RTVFormats", d.renderTargetFormats().data(),
            static_cast<UINT>(d.renderTargetFormats().size()));
    visit(v, a.SampleDesc);
    visit(v, a.ViewInstancingDesc);
}

// The subobjects of a state object, and what they lead to.

template <class V> void visit(V& v, const D3D12DDI_STATE_OBJECT_CONFIG_0054& c)
{
    v.values(c.Flags);
}

template <class V> void visit(V& v, const D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054& r)
{
    visitRootSignatureOf(v, r.hGlobalRootSignature);
}

template <class V> void visit(V& v, const D3D12DDI_LOCAL_ROOT_SIGNATURE_0054& r)
{
    visitRootSignatureOf(v, r.hLocalRootSignature);
}

template <class V> void visit(V& v, const D3D12DDI_GLOBAL_SERIALIZED_ROOT_SIGNATURE_0114& r)
{
    visit(v, r.RootSignature);
}

template <class V> void visit(V& v, const D3D12DDI_LOCAL_SERIALIZED_ROOT_SIGNATURE_0114& r)
{
    visit(v, r.RootSignature);
}

// Which node it is for changes nothing of what is compiled.
template <class V> void visit(V&, const D3D12DDI_NODE_MASK_0054&) {}

template <class V> void visit(V& v, const D3D12DDI_EXPORT_DESC_0054& e)
{
    v.text("Name", e.Name);
    v.optionalText("ExportToRename", e.ExportToRename);
    v.values(e.Flags);
}

template <class V> void visit(V& v, const D3D12DDI_DXIL_LIBRARY_DESC_0054& l)
{
    v.program("pDXILLibrary", l.pDXILLibrary, nullptr);
    v.set("pExports", l.pExports, l.NumExports);
}

// What is in the collection, the vendor's own object knows.
template <class V> void visit(V& v, const D3D12DDI_EXISTING_COLLECTION_DESC_0054& c)
{
    v.set("pExports", c.pExports, c.NumExports);
}

template <class V> void visit(V& v, const D3D12DDI_RAYTRACING_SHADER_CONFIG_0054& c)
{
    v.values(c.MaxPayloadSizeInBytes, c.MaxAttributeSizeInBytes);
}

template <class V> void visit(V& v, const D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075& c)
{
    v.values(c.MaxTraceRecursionDepth, c.Flags);
}

template <class V> void visit(V& v, const D3D12DDI_HIT_GROUP_DESC_0054& g)
{
    v.text("HitGroupExport", g.HitGroupExport);
    v.values(g.Type, g.SummaryFlags);
    v.optionalText("AnyHitShaderImport", g.AnyHitShaderImport);
    v.optionalText("ClosestHitShaderImport", g.ClosestHitShaderImport);
    v.optionalText("IntersectionShaderImport", g.IntersectionShaderImport);
}

template <class V> void visit(V& v, const D3D12DDI_STREAM_OUTPUT_DESC_0108& s)
{
    v.array("pSODeclaration", s.pSODeclaration, s.NumEntries);
    v.array("pBufferStrides", s.pBufferStrides, s.NumStrides);
    v.values(s.RasterizedStream);
}

template <class V> void visit(V& v, const D3D12DDI_SAMPLE_MASK_0084& s) { v.values(s.SampleMask); }

template <class V> void visit(V& v, const D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084& t)
{
    v.values(t.PrimitiveTopology);
}

template <class V> void visit(V& v, const D3D12DDI_RT_FORMAT_ARRAY& f)
{
    v.values(f.NumRenderTargets);
    const UINT most = static_cast<UINT>(std::size(f.RTFormats));
    v.array("RTFormats", f.RTFormats, (std::min)(f.NumRenderTargets, most));
}

template <class V> void visit(V& v, const D3D12DDI_DEPTH_STENCIL_FORMAT_0084& f)
{
    v.values(f.DepthStencilFormat);
}

template <class V> void visit(V& v, const D3D12DDI_GENERIC_PROGRAM_DESC_0108& p)
{
    v.optionalText("ProgramName", p.ProgramName);
    v.set("pExports", p.pExports, p.NumExports);
    v.places("pSubobjects", p.pSubobjects, p.NumSubobjects);
}

template <class V> void visit(V& v, const D3D12DDI_FUNCTION_SUMMARY_NODE_0054& n)
{
    v.optionalText("ExportNameUnmangled", n.ExportNameUnmangled);
    v.optionalText("ExportNameMangled", n.ExportNameMangled);
    v.places("ppAssociatedSubobjects", n.ppAssociatedSubobjects, n.NumAssociatedSubobjects);
    v.values(n.Flags);
}

template <class V> void visit(V& v, const D3D12DDI_FUNCTION_SUMMARY_0054& s)
{
    v.set("pSummaries", s.pSummaries, s.NumExportedFunctions);
    v.values(s.OverallFlags);
}

template <class V> void visit(V& v, const D3D12DDI_NODE_ID_0108& id)
{
    v.text("FinalName.Name", id.Name);
    v.values(id.ArrayIndex);
}

template <class V> void visit(V& v, const D3D12DDI_RECORD_DISPATCH_GRID_0108& g)
{
    v.values(g.ByteOffset, g.NumComponents, g.b16BitsPerComponent);
}

template <class V> void visit(V& v, const D3D12DDI_NODE_OUTPUT_0108& o)
{
    visit(v, o.FinalName);
    v.values(o.OutputIndex, o.NodeIOKind, o.NodeIOFlags, o.RecordSizeInBytes, o.bAllowSparseNodes,
             o.ArraySize);
    v.optional("pRecordDispatchGrid", o.pRecordDispatchGrid);
    v.optional("pMaxRecords", o.pMaxRecords);
    v.optional("pMaxRecordsSharedWithOutputIndex", o.pMaxRecordsSharedWithOutputIndex);
}

// Of the node whose input is shared, the name: following the node itself would never end.
struct SharedInput {
    D3D12DDI_NODE_0108 node;
};

template <class V> void visit(V& v, const SharedInput& shared)
{
    const D3D12DDI_SHADER_NODE_0108& shader = shared.node.Shader;
    if (shared.node.NodeType == D3D12DDI_NODE_TYPE_SHADER_0108
        && shader.PropertiesType >= D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108
        && shader.PropertiesType <= D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108) {
        // It is the first member of all three structures.
        v.optional("pShareInputOfNode",
                   asPointer<D3D12DDI_NODE_ID_0108>(shader.pThreadLaunchNodeProperties));
    }
}

template <class V, class Properties> void visitProperties(V& v, const Properties& p)
{
    visit(v, p.FinalName);
    v.values(p.bProgramEntry, p.InputNodeIOKind, p.InputNodeIOFlags, p.InputRecordSizeInBytes,
             p.GroupSharedUsageInBytes, p.MaxRecursionDepth);
    v.optional("pLocalRootArgumentsTableIndex", p.pLocalRootArgumentsTableIndex);
    v.optional("pShareInputOfNode", asPointer<SharedInput>(p.pShareInputOfNode));
    v.array("pOutputs", p.pOutputs, p.NumOutputs);
}

template <class V> void visit(V& v, const D3D12DDI_BROADCASTING_LAUNCH_NODE_PROPERTIES_0108& p)
{
    visitProperties(v, p);
    v.array("pDispatchGrid", p.pDispatchGrid, p.pDispatchGrid ? 3 : 0);
    v.array("pMaxDispatchGrid", p.pMaxDispatchGrid, p.pMaxDispatchGrid ? 3 : 0);
    v.optional("pRecordDispatchGrid", p.pRecordDispatchGrid);
}

template <class V> void visit(V& v, const D3D12DDI_COALESCING_LAUNCH_NODE_PROPERTIES_0108& p)
{
    visitProperties(v, p);
    v.values(p.InputMaxRecordArraySize);
}

template <class V> void visit(V& v, const D3D12DDI_THREAD_LAUNCH_NODE_PROPERTIES_0108& p)
{
    visitProperties(v, p);
}

template <class V> void visit(V& v, const D3D12DDI_NODE_0108& n)
{
    v.values(n.VersionAdded, n.NodeType);
    if (n.NodeType != D3D12DDI_NODE_TYPE_SHADER_0108) {
        return;
    }
    v.optionalText("Shader", n.Shader.Shader);
    v.values(n.Shader.PropertiesType);
    switch (n.Shader.PropertiesType) {
    case D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108:
        v.required("pBroadcastingLaunchNodeProperties", n.Shader.pBroadcastingLaunchNodeProperties);
        break;
    case D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108:
        v.required("pCoalescingLaunchNodeProperties", n.Shader.pCoalescingLaunchNodeProperties);
        break;
    case D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108:
        v.required("pThreadLaunchNodeProperties", n.Shader.pThreadLaunchNodeProperties);
        break;
    default:
        break;
    }
}

template <class V> void visit(V& v, const D3D12DDI_WORK_GRAPH_DESC_0108& g)
{
    v.text("ProgramName", g.ProgramName);
    v.values(g.Version, g.Flags);
    v.nodes("pNodes", g.pNodes, g.NumNodes);
    // The driver deduces the indices of entry points from their order.
    v.list("pEntrypoints", g.pEntrypoints, g.NumEntrypoints);
}

template <class V> void visit(V& v, const D3D12DDI_STATE_SUBOBJECT_0054& s)
{
    v.values(s.Type);
    const bool known = withContent(s, [&](const auto* content) { v.required("pDesc", content); });
    if (!known) {
        v.unknown(DXGI_ERROR_UNSUPPORTED, "the Type of a subobject");
    }
}

template <class V> void visit(V& v, const D3D12DDIARG_CREATE_STATE_OBJECT_0054& a)
{
    v.values(a.Type);
    v.subobjects("pSubobjects", a.pSubobjects, a.NumSubobjects);
}

template <class V, class StateObject> void visit(V& v, const StateObjectDesc<StateObject>& d)
{
    visit(v, d.arguments());
}

/// Follows every pointer of a description, and stops at the first that cannot be followed. Whether the
/// host's memory really is there is the host's promise.
class Checker {
public:
    const std::optional<Error>& error() const { return m_error; }

    void fail(HRESULT hresult, const char* what, std::string_view why)
    {
        if (!m_error) {
            m_error = Error(hresult, std::string(what).append(" ").append(why));
        }
    }

    void unknown(HRESULT hresult, const char* what) { fail(hresult, what, "is not known"); }

    template <class... T> void values(const T&...) {}

    template <class T> bool isAligned(const char* what, const T* pointer)
    {
        // 32-bit compilers align no more than a pointer on the stack.
        constexpr std::size_t alignment = (std::min)(alignof(T), alignof(void*));
        if (reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0) {
            fail(E_INVALIDARG, what, "is not aligned");
        }
        return !m_error;
    }

    template <class T> bool isReadable(const char* what, const T* pointer, UINT count)
    {
        if (!pointer) {
            fail(E_INVALIDARG, what, "is null, but its count is not 0");
        } else if (count > kMaxElements) {
            fail(E_INVALIDARG, what, "has more elements than any array of the DDI");
        }
        return isAligned(what, pointer);
    }

    template <class T> void array(const char* what, const T* pointer, UINT count)
    {
        if (count != 0 && isReadable(what, pointer, count)) {
            for (UINT i = 0; i < count && !m_error; ++i) {
                visit(*this, pointer[i]);
            }
        }
    }

    template <class T> void optional(const char* what, const T* pointer)
    {
        if (pointer && isAligned(what, pointer)) {
            visit(*this, *pointer);
        }
    }

    template <class T> void required(const char* what, const T* pointer)
    {
        if (!pointer) {
            fail(E_INVALIDARG, what, "is null");
        }
        optional(what, pointer);
    }

    void text(const char* what, const D3D12_COMPILER_WCHAR* pointer)
    {
        if (!pointer) {
            fail(E_INVALIDARG, what, "is null");
        }
        optionalText(what, pointer);
    }

    void optionalText(const char* what, const D3D12_COMPILER_WCHAR* pointer)
    {
        if (pointer && isAligned(what, pointer)
            && std::find(pointer, pointer + kMaxText, D3D12_COMPILER_WCHAR{}) == pointer + kMaxText) {
            fail(E_INVALIDARG, what, "has no NUL within 65536 characters");
        }
    }

    void program(const char* what, const UINT* code, const Shader* shader)
    {
        const Result<Program> program = Program::read(code);
        if (!program) {
            fail(program.error().hresult(), what, program.error().message());
        } else if (shader && program->kind() != shader->stage()) {
            fail(E_INVALIDARG, what, "is a program of another stage");
        }
    }

    void list(const char* what, const D3D12DDI_NODE_LIST_ENTRY_0108* link, UINT count)
    {
        for (UINT i = 0; link && isAligned(what, link); ++i, link = link->pNext) {
            if (i == count) {
                fail(E_INVALIDARG, what, "has more links than its count");
                return;
            }
            required("pNode", link->pNode);
        }
    }

    void places(const char* what, const D3D12DDI_STATE_SUBOBJECT_0054* const* pointers, UINT count)
    {
        if (count != 0) {
            isReadable(what, pointers, count);
        }
    }

    template <class T> void set(const char* what, const T* pointer, UINT count)
    {
        array(what, pointer, count);
    }

    void nodes(const char* what, const D3D12DDI_NODE_LIST_ENTRY_0108* link, UINT count)
    {
        list(what, link, count);
    }

    void subobjects(const char* what, const D3D12DDI_STATE_SUBOBJECT_0054* all, UINT count)
    {
        array(what, all, count);
    }

private:
    static constexpr UINT kMaxElements = 1 << 20;
    static constexpr std::size_t kMaxText = 1 << 16;

    std::optional<Error> m_error;
};

} // namespace detail

inline PipelineStateDesc::PipelineStateDesc(const Arguments* arguments, detail::Checker& checker)
    : m_raw(arguments)
{
    using RootArguments = D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100;
    static constexpr struct {
        const char* name;
        D3D12DDI_HSHADER Arguments::*handle;
        ShaderKind kind;
    } stages[] = {
        {"hComputeShader", &Arguments::hComputeShader, ShaderKind::Compute},
        {"hVertexShader", &Arguments::hVertexShader, ShaderKind::Vertex},
        {"hPixelShader", &Arguments::hPixelShader, ShaderKind::Pixel},
        {"hDomainShader", &Arguments::hDomainShader, ShaderKind::Domain},
        {"hHullShader", &Arguments::hHullShader, ShaderKind::Hull},
        {"hGeometryShader", &Arguments::hGeometryShader, ShaderKind::Geometry},
        {"hMeshShader", &Arguments::hMeshShader, ShaderKind::Mesh},
        {"hAmplificationShader", &Arguments::hAmplificationShader, ShaderKind::Amplification},
    };
    if (!arguments) {
        checker.fail(E_INVALIDARG, "pPipelineStateArg", "is null");
    }
    if (!checker.isAligned("pPipelineStateArg", arguments)) {
        return;
    }
    const auto* root = detail::asPointer<RootArguments>(m_raw->hRootSignature.pDrvPrivate);
    checker.optional("hRootSignature", root);
    for (const auto& stage : stages) {
        const void* handle = (m_raw->*stage.handle).pDrvPrivate;
        const auto* shader = detail::asPointer<Shader::Arguments>(handle);
        if (!shader || !checker.isAligned(stage.name, shader)) {
            continue;
        }
        const Shader::StreamOutput* streams = nullptr;
        if (stage.kind == ShaderKind::Geometry) {
            const auto* own = detail::asPointer<RootArguments>(shader->hRootSignature.pDrvPrivate);
            checker.optional("hRootSignature", own);
            const auto* decisive = root ? root : own;
            const auto allowed = D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_STREAM_OUTPUT;
            if (!checker.error() && decisive && (RootSignature(*decisive).flags() & allowed) != 0) {
                streams = detail::asPointer<Shader::StreamOutput>(handle);
                streams = streams->NumEntries != 0 ? streams : nullptr;
            }
        }
        m_shaders.emplace_back(stage.kind, *shader, streams);
    }
    visit(checker, *this);
    if (checker.error()) {
        return;
    }
    if (root) {
        m_root.emplace(*root);
    }
    for (Shader& shader : m_shaders) {
        if (shader.arguments().pShaderCode) {
            shader.m_program.emplace(*Program::read(shader.arguments().pShaderCode));
        }
    }
}

// ---- Keys ---------------------------------------------------------------------------------------

namespace detail {

/// SHA-256 (FIPS 180-4).
class Sha256 {
public:
    using Digest = std::array<std::uint8_t, 32>;

    void bytes(const void* data, std::size_t size)
    {
        const auto* at = static_cast<const std::uint8_t*>(data);
        m_size += size;
        for (; size != 0; --size) {
            m_block[m_used++] = *at++;
            if (m_used == m_block.size()) {
                block();
            }
        }
    }

    void number(UINT64 value)
    {
        std::uint8_t little[8];
        for (std::uint8_t& byte : little) {
            byte = static_cast<std::uint8_t>(value & 0xFF);
            value >>= 8;
        }
        bytes(little, sizeof little);
    }

    Digest finish()
    {
        const UINT64 bits = m_size * 8;
        const std::uint8_t end = 0x80, zero = 0;
        bytes(&end, 1);
        while (m_used != 56) {
            bytes(&zero, 1);
        }
        for (int shift = 56; shift >= 0; shift -= 8) {
            const auto byte = static_cast<std::uint8_t>(bits >> shift & 0xFF);
            bytes(&byte, 1);
        }
        Digest digest;
        for (std::size_t i = 0; i < digest.size(); ++i) {
            digest[i] = static_cast<std::uint8_t>(m_state[i / 4] >> (24 - 8 * (i % 4)) & 0xFF);
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
        for (std::size_t i = 0; i < 16; ++i) {
            w[i] = std::uint32_t{m_block[4 * i]} << 24 | std::uint32_t{m_block[4 * i + 1]} << 16
                | std::uint32_t{m_block[4 * i + 2]} << 8 | m_block[4 * i + 3];
        }
        for (std::size_t i = 16; i < 64; ++i) {
            const std::uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7]
                + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
        }
        std::array<std::uint32_t, 8> s = m_state;
        for (std::size_t i = 0; i < 64; ++i) {
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
    std::array<std::uint8_t, 64> m_block = {};
    std::size_t m_used = 0;
    UINT64 m_size = 0;
};

/// Hashes the fields of a checked description: values, never memory, so that padding and addresses
/// cannot get in. What follows a number, a count or a mark of presence is decided by it, so two
/// different descriptions never give the same bytes to hash.
class Hasher {
public:
    explicit Hasher(Sha256& hash) : m_hash(hash) {}

    void unknown(HRESULT, const char*) {}

    template <class... T> void values(const T&... values) { (m_hash.number(bits(values)), ...); }

    template <class T> void array(const char*, const T* pointer, UINT count)
    {
        values(count);
        for (UINT i = 0; i < count; ++i) {
            visit(*this, pointer[i]);
        }
    }

    template <class T> void optional(const char*, const T* pointer)
    {
        values(pointer != nullptr);
        if (pointer) {
            visit(*this, *pointer);
        }
    }

    template <class T> void required(const char* what, const T* pointer) { optional(what, pointer); }

    void text(const char*, const D3D12_COMPILER_WCHAR* pointer)
    {
        const TextView text(pointer);
        values(text.size());
        for (const D3D12_COMPILER_WCHAR unit : text) {
            values(static_cast<std::uint16_t>(unit));
        }
    }

    void optionalText(const char* what, const D3D12_COMPILER_WCHAR* pointer)
    {
        values(pointer != nullptr);
        if (pointer) {
            text(what, pointer);
        }
    }

    void program(const char*, const UINT* code, const Shader*) { program(*Program::read(code)); }

    /// The same for a container and for the bare program in it.
    void program(const Program& program)
    {
        Sha256 inner;
        inner.bytes(program.bytes().data(), program.bytes().size());
        const Sha256::Digest digest = inner.finish();
        values(true);
        m_hash.bytes(digest.data(), digest.size());
    }

    void list(const char*, const D3D12DDI_NODE_LIST_ENTRY_0108* link, UINT)
    {
        for (; link; link = link->pNext) {
            required("pNode", link->pNode);
        }
        values(false);
    }

    /// An array without an order, in which one more of the same means nothing.
    template <class T> void set(const char*, const T* pointer, UINT count)
    {
        Parts parts;
        for (UINT i = 0; i < count; ++i) {
            parts.push_back(digest([&](Hasher& inner) { visit(inner, pointer[i]); }));
        }
        hash(std::move(parts));
    }

    /// The same of a list.
    void nodes(const char*, const D3D12DDI_NODE_LIST_ENTRY_0108* link, UINT)
    {
        Parts parts;
        for (; link; link = link->pNext) {
            parts.push_back(digest([&](Hasher& inner) { inner.required("pNode", link->pNode); }));
        }
        hash(std::move(parts));
    }

    /// The pointed-at subobjects by content; of one that stands elsewhere, such as in a collection, nothing.
    void places(const char*, const D3D12DDI_STATE_SUBOBJECT_0054* const* pointers, UINT count)
    {
        Parts parts;
        for (UINT i = 0; i < count; ++i) {
            const auto isIt = [&](const auto& own) { return &own == pointers[i]; };
            const auto own = std::find_if(m_subobjects.begin(), m_subobjects.end(), isIt);
            parts.push_back(digest([&](Hasher& inner) {
                inner.optional("", own == m_subobjects.end() ? nullptr : own);
            }));
        }
        hash(std::move(parts));
    }

    /// A state object database keeps the subobjects of a kind together and equal ones once: the order of a
    /// game's description is not that from which a tool compiles, and their keys must be the same. State
    /// of generic programs is where they list it. Of collections the order counts, for what is in them
    /// is the vendor's to add.
    void subobjects(const char*, const D3D12DDI_STATE_SUBOBJECT_0054* all, UINT count)
    {
        m_subobjects = {all, count};
        Parts parts;
        for (const auto& subobject : m_subobjects) {
            const bool isState = subobject.Type >= D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT
                && subobject.Type <= D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING;
            if (isState) {
                continue;
            }
            if (subobject.Type == D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION) {
                values(true);
                visit(*this, subobject);
            } else if (subobject.Type == D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY) {
                library(parts, *asPointer<D3D12DDI_DXIL_LIBRARY_DESC_0054>(subobject.pDesc));
            } else {
                parts.push_back(digest([&](Hasher& inner) { visit(inner, subobject); }));
            }
        }
        values(false);
        hash(std::move(parts));
    }

private:
    using Parts = std::vector<Sha256::Digest>;

    template <class F> Sha256::Digest digest(F f) const
    {
        Sha256 hash;
        Hasher inner(hash);
        inner.m_subobjects = m_subobjects;
        f(inner);
        return hash.finish();
    }

    void hash(Parts parts)
    {
        std::sort(parts.begin(), parts.end());
        parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
        values(parts.size());
        for (const Sha256::Digest& part : parts) {
            m_hash.bytes(part.data(), part.size());
        }
    }

    /// A part for each export, so that it is the same in how many libraries they are listed.
    void library(Parts& parts, const D3D12DDI_DXIL_LIBRARY_DESC_0054& library) const
    {
        const auto code = digest([&](Hasher& inner) { inner.program("", library.pDXILLibrary, nullptr); });
        const auto add = [&](const D3D12DDI_EXPORT_DESC_0054* own) {
            parts.push_back(digest([&](Hasher& inner) {
                inner.values(D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY);
                inner.m_hash.bytes(code.data(), code.size());
                inner.optional("", own);
            }));
        };
        if (library.NumExports == 0) {
            add(nullptr);
        }
        for (UINT i = 0; i < library.NumExports; ++i) {
            add(library.pExports + i);
        }
    }

    template <class T> static UINT64 bits(const T& value)
    {
        if constexpr (std::is_floating_point_v<T>) {
            std::uint32_t bits;
            static_assert(sizeof value == sizeof bits, "the DDI has no double");
            std::memcpy(&bits, &value, sizeof bits);
            return bits;
        } else {
            return static_cast<UINT64>(value);
        }
    }

    Sha256& m_hash;
    Span<D3D12DDI_STATE_SUBOBJECT_0054> m_subobjects;
};

} // namespace detail

/// The key of a cached value.
class Key {
public:
    /// A key of the vendor's own making.
    ///
    /// E_INVALIDARG for no bytes, or more than the DDI can say.
    static Result<Key> fromBytes(Bytes bytes)
    {
        if (bytes.empty() || bytes.size() > 0xFFFFFFFF) {
            return Error::invalidArgument("a value key must have 1 to 2^32 - 1 bytes");
        }
        return Key(std::move(bytes));
    }

    // No move, which would leave a key without bytes behind.
    Key(const Key&) noexcept = default;
    Key& operator=(const Key&) noexcept = default;

    const Bytes& bytes() const { return *m_bytes; }
    bool operator==(const Key& other) const { return bytes() == other.bytes(); }
    bool operator<(const Key& other) const { return bytes() < other.bytes(); }

private:
    friend class KeyBuilder;
    explicit Key(Bytes bytes) : m_bytes(std::make_shared<const Bytes>(std::move(bytes))) {}
    std::shared_ptr<const Bytes> m_bytes;
};

/// Builds a Key from everything that a compiled value depends on ("the IHV plugin is responsible for
/// generating value keys from the inputs that contribute to the compiled output"): SHA-256 over
/// labelled fields. Shader code enters as a hash of its program, so keys stay small.
class KeyBuilder {
public:
    /// Keys of different domains, such as "vendor.stage", differ whatever their fields are.
    explicit KeyBuilder(std::string_view domain) { put('D', domain); }

    KeyBuilder& number(std::string_view label, UINT64 value)
    {
        put('N', label);
        m_hash.number(value);
        return *this;
    }

    KeyBuilder& bytes(std::string_view label, Span<std::uint8_t> value)
    {
        put('B', label);
        m_hash.number(value.size());
        m_hash.bytes(value.data(), value.size());
        return *this;
    }

    KeyBuilder& text(std::string_view label, std::string_view value)
    {
        put('T', label);
        put('T', value);
        return *this;
    }

    /// The key of another value, which this one refers to.
    KeyBuilder& key(std::string_view label, const Key& key)
    {
        return bytes(label, {key.bytes().data(), key.bytes().size()});
    }

    KeyBuilder& program(std::string_view label, const Program& program)
    {
        put('P', label);
        detail::Hasher(m_hash).program(program);
        return *this;
    }

    /// Every field of a description, or of a structure that one has checked.
    template <class T> KeyBuilder& describe(std::string_view label, const T& description)
    {
        put('F', label);
        detail::Hasher hasher(m_hash);
        visit(hasher, description);
        return *this;
    }

    /// Every field of a description, or that there is none.
    template <class T> KeyBuilder& describe(std::string_view label, const T* description)
    {
        put('O', label);
        detail::Hasher(m_hash).optional("", description);
        return *this;
    }

    /// The key, 32 bytes. The builder can go on.
    Key finish() const
    {
        detail::Sha256 hash = m_hash;
        const detail::Sha256::Digest digest = hash.finish();
        return Key(Bytes(digest.begin(), digest.end()));
    }

private:
    void put(char tag, std::string_view text)
    {
        m_hash.bytes(&tag, 1);
        m_hash.number(text.size());
        m_hash.bytes(text.data(), text.size());
    }

    detail::Sha256 m_hash;
};

// ---- The cache session of a compile call --------------------------------------------------------

/// D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE and so on. Object code holds no compiler version, no
/// application and no time: two compilers that compile the same must give the same bytes.
using ValueType = D3D12DDI_COMPILER_CACHE_VALUE_TYPE;

/// A set of value types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS without the bits that are not defined.
class ValueTypes {
public:
    constexpr explicit ValueTypes(D3D12DDI_COMPILER_VALUE_TYPE_FLAGS flags)
        : m_bits(static_cast<UINT>(flags) & kAll)
    {
    }

    static constexpr ValueTypes all() { return ValueTypes(kAll); }
    static constexpr ValueTypes of(ValueType type) { return ValueTypes(1u << static_cast<UINT>(type)); }

    constexpr bool contains(ValueType type) const { return !(of(type) - *this).m_bits; }
    constexpr bool empty() const { return m_bits == 0; }
    constexpr bool operator==(ValueTypes other) const { return m_bits == other.m_bits; }
    constexpr ValueTypes operator|(ValueTypes other) const { return ValueTypes(m_bits | other.m_bits); }
    constexpr ValueTypes operator&(ValueTypes other) const { return ValueTypes(m_bits & other.m_bits); }
    constexpr ValueTypes operator-(ValueTypes other) const { return ValueTypes(m_bits & ~other.m_bits); }

    /// The types of the set, in the DDI's order.
    std::vector<ValueType> list() const
    {
        std::vector<ValueType> types;
        for (UINT i = 0; i < D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID; ++i) {
            if (m_bits & 1u << i) {
                types.push_back(static_cast<ValueType>(i));
            }
        }
        return types;
    }

private:
    static constexpr UINT kAll = (1u << D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID) - 1;
    constexpr explicit ValueTypes(UINT bits) : m_bits(bits) {}
    UINT m_bits;
};

/// The values of one key, at most one of each type.
class Values {
public:
    Values& set(ValueType type, Bytes value)
    {
        m_values.insert_or_assign(type, std::move(value));
        return *this;
    }

    /// Null when there is none.
    const Bytes* get(ValueType type) const
    {
        const auto found = m_values.find(type);
        return found != m_values.end() ? &found->second : nullptr;
    }

private:
    std::map<ValueType, Bytes> m_values;
};

/// Proof that the values which a compile call asks for are in its session under one key: only Session
/// makes it, for its own call. Without one no key can be named among an object's.
class Receipt {
public:
    /// What was moved from is no receipt of any call.
    Receipt(Receipt&& other) noexcept
        : m_key(other.m_key), m_stored(other.m_stored), m_call(std::exchange(other.m_call, 0))
    {
    }

    template <class T> Receipt& operator=(T&&)
    {
        static_assert(detail::kNever<T>, "a receipt ends with its call and cannot be kept: put those of "
                                         "one call into a std::vector<Receipt> for Session::finish");
        return *this;
    }

    const Key& key() const { return m_key; }

private:
    friend class Session;
    Receipt(const Key& key, bool stored, UINT64 call) : m_key(key), m_stored(stored), m_call(call) {}

    Key m_key;
    /// Whether the session holds a value of any type under the key.
    bool m_stored;
    UINT64 m_call;
};

/// The keys of every value of a compiled object, what a compile call returns. The SDK hands them to the
/// host, once, when the call succeeds.
class ObjectValueKeys {
public:
    /// What was moved from are the keys of no call.
    ObjectValueKeys(ObjectValueKeys&& other) noexcept
        : m_keys(std::move(other.m_keys)), m_receipts(other.m_receipts),
          m_call(std::exchange(other.m_call, 0))
    {
    }

private:
    friend class Session;
    ObjectValueKeys() = default;
    std::vector<Key> m_keys;
    std::size_t m_receipts = 0;
    /// 0 with a receipt of another call.
    UINT64 m_call = 0;
};

/// The host's cache session, alive for a single compile call ("Cache Session Callbacks"). Inside the call any thread may use
/// it, several at a time, and send receipts to another; the call joins them before it returns.
class Session {
public:
    Session(const Session&) = delete;

    template <class T, std::enable_if_t<std::is_same_v<std::decay_t<T>, Session>, int> = 0>
    Session(T&& other) : Session(other.m_handle, other.m_callbacks, other.m_requested)
    {
        static_assert(detail::kNever<T>, "a session ends with its call and cannot be kept");
    }

    /// The value types that this call must store.
    ValueTypes requested() const { return m_requested; }

    /// A copy of a stored value; none when the session has none. Fails with what the host answers,
    /// DXGI_ERROR_NOT_FOUND aside.
    Result<std::optional<Bytes>> find(const Key& key, ValueType type)
    {
        D3D12DDI_COMPILER_CACHE_TYPED_VALUE value = {type, {nullptr, 0}};
        const Result<bool> found = ask(key, &value, 1);
        if (!found) {
            return found.error();
        }
        if (!*found || value.Value.ValueSize == 0) {
            return std::optional<Bytes>();
        }
        Bytes bytes(value.Value.ValueSize);
        value.Value.pValue = bytes.data();
        const Result<bool> copied = ask(key, &value, 1);
        if (!copied) {
            return copied.error();
        }
        if (!*copied || value.Value.ValueSize != bytes.size()) {
            return Error(E_UNEXPECTED, "the host changed a value while it was read");
        }
        return std::optional<Bytes>(std::move(bytes));
    }

    /// Makes sure that every requested value among `types` is stored under `key`: asks the session for
    /// them, has `make`, a Result<Values>(ValueTypes missing), make those that are missing, and stores
    /// these. That another thread or process was faster is success.
    ///
    /// Fails with what `make` returns, E_FAIL when it leaves out a missing type or makes an empty one,
    /// and with what the host answers.
    template <class Make>
    Result<Receipt> findOrStore(const Key& key, Make make, ValueTypes types = ValueTypes::all())
    {
        static_assert(std::is_invocable_r_v<Result<Values>, Make, ValueTypes>,
                      "findOrStore takes a function that makes the missing values: "
                      "Result<Values>(ValueTypes missing)");
        const ValueTypes wanted = types & m_requested;
        // Where only something else is requested, a key without any value must not be named.
        const Result<ValueTypes> missing = missingOf(key, wanted.empty() ? ValueTypes::all() : wanted);
        if (!missing) {
            return missing.error();
        }
        if (wanted.empty()) {
            return receipt(key, m_requested.empty() || !(*missing == ValueTypes::all()));
        }
        if (missing->empty()) {
            return receipt(key, true);
        }
        const Result<Values> values = make(*missing);
        if (!values) {
            return values.error();
        }
        Result<HRESULT> stored = store(key, *values, *missing);
        if (stored && *stored == DXGI_ERROR_ALREADY_EXISTS) {
            // Somebody was faster with one of them; nothing was stored, the others may be missing.
            for (const ValueType type : missing->list()) {
                stored = store(key, *values, ValueTypes::of(type));
                if (!stored) {
                    break;
                }
            }
        }
        if (!stored) {
            return stored.error();
        }
        return receipt(key, true);
    }

    /// Ends the work on the object: these are the keys of all its values, in this order. A key that
    /// comes twice counts once; one that holds nothing, since its value has none of the requested types,
    /// is left out as long as another remains.
    ///
    /// The call then fails with E_UNEXPECTED for a receipt of another call, or when one of this call is
    /// not among them: a host could never find that value. So it does when it returns the keys of another
    /// call. It fails with E_FAIL without any receipt.
    ObjectValueKeys finish(const std::vector<Receipt>& receipts)
    {
        ObjectValueKeys keys;
        keys.m_receipts = receipts.size();
        keys.m_call = m_call;
        const bool anyStored = std::any_of(receipts.begin(), receipts.end(),
                                           [](const Receipt& receipt) { return receipt.m_stored; });
        std::map<Key, bool> named;
        for (const Receipt& receipt : receipts) {
            named[receipt.m_key] |= receipt.m_stored || !anyStored;
            if (receipt.m_call != m_call) {
                keys.m_call = 0;
            }
        }
        for (const Receipt& receipt : receipts) {
            if (std::exchange(named[receipt.m_key], false)) {
                keys.m_keys.push_back(receipt.m_key);
            }
        }
        return keys;
    }

    template <class T, std::enable_if_t<!std::is_convertible_v<T, const std::vector<Receipt>&>, int> = 0>
    ObjectValueKeys finish(const T&)
    {
        static_assert(detail::kNever<T>, "finish takes the receipts of this call, a std::vector<Receipt>: "
                                         "a key alone does not prove that its value is stored");
        return {};
    }

private:
    friend struct detail::Entries;

    Session(D3D12DDI_HRTCOMPILERCACHESESSION handle,
            const D3D12DDI_COMPILER_CACHE_CALLBACKS& callbacks, ValueTypes requested)
        : m_handle(handle), m_callbacks(callbacks), m_requested(requested)
    {
        static std::atomic<UINT64> calls{0};
        m_call = ++calls;
    }

    static D3D12DDI_COMPILER_CACHE_VALUE_KEY raw(const Key& key)
    {
        return {key.bytes().data(), static_cast<UINT>(key.bytes().size())};
    }

    Receipt receipt(const Key& key, bool stored)
    {
        ++m_receipts;
        return Receipt(key, stored, m_call);
    }

    Error failed(HRESULT hresult, const char* message)
    {
        m_failureMessage = message;
        m_failure = hresult;
        return Error(hresult, message);
    }

    /// Whether the host knows the key.
    Result<bool> ask(const Key& key, D3D12DDI_COMPILER_CACHE_TYPED_VALUE* values, UINT count)
    {
        const auto rawKey = raw(key);
        const HRESULT found = m_callbacks.pfnCompilerCacheFindValue(m_handle, &rawKey, values, count,
                                                                    nullptr, nullptr);
        if (FAILED(found) && found != DXGI_ERROR_NOT_FOUND) {
            return failed(found, "the host's pfnCompilerCacheFindValue failed");
        }
        return SUCCEEDED(found);
    }

    /// Which of `types` the session does not hold under `key`.
    Result<ValueTypes> missingOf(const Key& key, ValueTypes types)
    {
        std::vector<D3D12DDI_COMPILER_CACHE_TYPED_VALUE> values;
        for (const ValueType type : types.list()) {
            values.push_back({type, {nullptr, 0}});
        }
        const Result<bool> found = ask(key, values.data(), static_cast<UINT>(values.size()));
        if (!found) {
            return found.error();
        }
        for (const D3D12DDI_COMPILER_CACHE_TYPED_VALUE& value : values) {
            if (*found && value.Value.ValueSize != 0) {
                types = types - ValueTypes::of(value.Type);
            }
        }
        return types;
    }

    /// S_OK or DXGI_ERROR_ALREADY_EXISTS.
    Result<HRESULT> store(const Key& key, const Values& values, ValueTypes types)
    {
        std::vector<D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE> typed;
        for (const ValueType type : types.list()) {
            const Bytes* bytes = values.get(type);
            if (!bytes || bytes->empty()) {
                return Error::failed("a value was asked for and not made, or is empty");
            }
            typed.push_back({type, {bytes->data(), bytes->size()}});
        }
        const auto rawKey = raw(key);
        const HRESULT stored = m_callbacks.pfnCompilerCacheStoreValue(
            m_handle, &rawKey, typed.data(), static_cast<UINT>(typed.size()));
        if (FAILED(stored) && stored != DXGI_ERROR_ALREADY_EXISTS) {
            return failed(stored, "the host's pfnCompilerCacheStoreValue failed");
        }
        return stored;
    }

    /// The one call of SetObjectValueKeys.
    Result<HRESULT> setKeys(const ObjectValueKeys& keys)
    {
        if (FAILED(m_failure)) {
            return Error(m_failure, m_failureMessage.load());
        }
        if (keys.m_call != m_call || keys.m_receipts != m_receipts) {
            return Error(E_UNEXPECTED, "finish takes every receipt of its call and no other, and the call "
                                       "returns what finish made");
        }
        if (keys.m_keys.empty()) {
            return Error::failed("the object has no value; finish takes one receipt or more");
        }
        std::vector<D3D12DDI_COMPILER_CACHE_VALUE_KEY> named;
        for (const Key& key : keys.m_keys) {
            named.push_back(raw(key));
        }
        const HRESULT set = m_callbacks.pfnCompilerCacheSetObjectValueKeys(
            m_handle, named.data(), static_cast<UINT>(named.size()));
        if (FAILED(set)) {
            return Error(set, "the host's pfnCompilerCacheSetObjectValueKeys failed");
        }
        return S_OK;
    }

    D3D12DDI_HRTCOMPILERCACHESESSION m_handle;
    const D3D12DDI_COMPILER_CACHE_CALLBACKS& m_callbacks;
    ValueTypes m_requested;
    UINT64 m_call;
    /// How many were given out.
    std::atomic<std::size_t> m_receipts{0};
    /// What the host answered to a call that failed: the compile fails with it, whatever the vendor says.
    std::atomic<HRESULT> m_failure{S_OK};
    std::atomic<const char*> m_failureMessage{""};
};

// ---- The log ------------------------------------------------------------------------------------

namespace detail {

#if defined(_MSC_VER)
#pragma warning(push)
#pragma warning(disable : 4996) // Of getenv and fopen it says that there are other functions.
#endif

inline void logByEnvironment(const char* function, HRESULT hresult, std::string_view message)
{
    const char* const level = std::getenv("D3D12_COMPILER_PLUGIN_LOG");
    const std::string_view levels[] = {"error", "warn", "info", "debug", "trace"};
    if (!level || std::find(std::begin(levels), std::end(levels), level) == std::end(levels)) {
        return;
    }
    const char* const name = std::getenv("D3D12_COMPILER_PLUGIN_LOG_FILE");
    std::FILE* const file = name ? std::fopen(name, "a") : stderr;
    if (file) {
        std::fprintf(file, "ERROR %s: 0x%08X: %.*s\n", function, static_cast<unsigned>(hresult),
                     static_cast<int>(message.size()), message.data());
        name ? std::fclose(file) : std::fflush(file);
    }
}

#if defined(_MSC_VER)
#pragma warning(pop)
#endif

} // namespace detail

// ---- What a vendor derives from -----------------------------------------------------------------

/// What a compiler keeps of state objects that it does not have.
struct NoStateObject {};

/// A compiled state object: its keys, and what the vendor keeps of it for additions.
template <class StateObject> struct CompiledStateObject {
    ObjectValueKeys keys;
    StateObject state;
};

/// A compiler for one target and application. It lives in the host's memory, and so does what it keeps
/// of each state object, a `StateObjectType`. The host compiles on several threads at once.
template <class StateObjectType = NoStateObject> class Compiler {
public:
    using StateObject = StateObjectType;

    /// Compiles a pipeline and stores what comes out (PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE).
    ///
    /// E_INVALIDARG for a description or shader that is wrong, DXGI_ERROR_UNSUPPORTED for one that the
    /// target cannot run, and what the session returned.
    virtual Result<ObjectValueKeys> compilePipelineState(const PipelineStateDesc& desc,
                                                         Session& session) const = 0;

    /// Compiles a state object (PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT); with a parent, an
    /// addition to it (PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT). The parent stays, and may get
    /// other additions. DXGI_ERROR_UNSUPPORTED, unless the vendor overrides it.
    virtual Result<CompiledStateObject<StateObject>>
    compileStateObject(const StateObject* /*parent*/, const StateObjectDesc<StateObject>& /*desc*/,
                       Session& /*session*/) const
    {
        return Error::unsupported("this compiler has no state objects");
    }

protected:
    Compiler() = default;
    Compiler(const Compiler&) = default;
    Compiler& operator=(const Compiler&) = default;
    ~Compiler() = default;
};

/// The plugin of one open: its families, what they can do, and their compilers. The host may call it on
/// several threads. It needs no adapter and no driver ("Driver Independent Plugin").
///
/// The derived class has `static Result<Derived> open()`, which makes the plugin of one open.
template <class VendorCompiler> class Plugin {
public:
    using CompilerType = VendorCompiler;

    /// The adapter families, asked for once, at open; at least one. A target names one by its index.
    virtual std::vector<AdapterFamily> adapterFamilies() const = 0;

    /// Makes a compiler (PFND3D12DDI_COMPILER_CREATE_COMPILER).
    virtual Result<VendorCompiler> createCompiler(const Target&, const ApplicationDesc&) const = 0;

    /// What the target can do; nothing, unless the vendor says more. Answers that differ by
    /// application should be rare (PFND3D12DDI_COMPILER_GET_CAPS).
    virtual Capabilities capabilities(const Target&, const ApplicationDesc&) const { return {}; }

    /// D3D12DDI_FORMAT_SUPPORT bits; none, unless the vendor says more. Bits that the DDI does not
    /// define are dropped (PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT).
    virtual UINT formatSupport(const Target&, DXGI_FORMAT) const { return 0; }

    /// How many quality levels a format has at a sample count above 1; 0, unless the vendor says more
    /// (PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS).
    virtual UINT multisampleQualityLevels(const Target&, DXGI_FORMAT, UINT /*sampleCount*/) const
    {
        return 0;
    }

    /// The version of the target's profile for an application; 0 when it has none
    /// (PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION).
    virtual UINT64 applicationProfileVersion(const Target&, const ApplicationDesc&) const { return 0; }

    /// Hears of every call that fails. The answers to a host's questions, such as where a list ends, are no failures.
    ///
    /// This one writes a line for whoever runs the plugin and sets D3D12_COMPILER_PLUGIN_LOG to a level (error, warn, info,
    /// debug or trace): to standard error, or appended to the file that D3D12_COMPILER_PLUGIN_LOG_FILE names. For a log of
    /// your own declare one of the same form in the derived class.
    static void logFailure(const char* function, HRESULT hresult, std::string_view message)
    {
        detail::logByEnvironment(function, hresult, message);
    }

protected:
    Plugin() = default;
    Plugin(const Plugin&) = default;
    Plugin& operator=(const Plugin&) = default;
    ~Plugin() = default;
};

// ---- The DDI ------------------------------------------------------------------------------------

namespace detail {

/// What an entry of a table returns on success, S_OK or the answer to a question of the host's.
using Status = Result<HRESULT>;

/// Runs `body`; an exception that leaves it becomes an error. The only `try` of this header.
template <class Body> std::invoke_result_t<Body> withoutExceptions(Body body)
{
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return Error(E_OUTOFMEMORY, "out of memory");
    } catch (const std::exception& exception) {
        return Error(DXGI_ERROR_DRIVER_INTERNAL_ERROR, exception.what());
    } catch (...) {
        return Error(DXGI_ERROR_DRIVER_INTERNAL_ERROR, "an exception that is no std::exception");
    }
#else
    return body();
#endif
}

/// The one way through which every entry of every table runs.
template <class P, class Body> HRESULT entry(const char* function, Body body) noexcept
{
    const Status status = withoutExceptions(body);
    if (status) {
        return *status;
    }
    // A log is foreign code too; if it fails, nothing is left that could say so.
    static_cast<void>(withoutExceptions([&]() -> Status {
        P::logFailure(function, status.error().hresult(), status.error().message());
        return S_OK;
    }));
    return status.error().hresult();
}

/// Set by an exception in vendor code other than std::bad_alloc: what the object holds may be half changed, so it
/// refuses to go on.
class Poison {
public:
    template <class Body> std::invoke_result_t<Body> guard(Body body) const
    {
        if (m_poisoned) {
            return Error(DXGI_ERROR_DRIVER_INTERNAL_ERROR,
                         "an earlier call threw; destroy this object and create another");
        }
        bool returned = false;
        auto result = withoutExceptions([&] {
            auto value = body();
            returned = true;
            return value;
        });
        if (!returned && result.error().hresult() != E_OUTOFMEMORY) {
            m_poisoned = true;
        }
        return result;
    }

private:
    mutable std::atomic<bool> m_poisoned{false};
};

/// An object in memory which the host allocates. The DDI states no alignment, so none is needed: a block
/// asks for as many bytes more as aligning can cost.
template <class T> struct Block {
    static constexpr SIZE_T size() { return sizeof(Block) + alignof(Block) - 1; }

    static Result<Block*> locate(void* memory)
    {
        if (!memory) {
            return Error::invalidArgument("the object's memory is null");
        }
        std::size_t space = size();
        return static_cast<Block*>(std::align(alignof(Block), sizeof(Block), memory, space));
    }

    template <class... Arguments> static Status place(void* memory, Arguments&&... arguments)
    {
        const Result<Block*> at = locate(memory);
        if (!at) {
            return at.error();
        }
        new (*at) Block(std::forward<Arguments>(arguments)...);
        return S_OK;
    }

    /// E_INVALIDARG where no live object of this kind is.
    static Result<Block*> get(void* memory)
    {
        const Result<Block*> at = locate(memory);
        // Read as bytes until they tell that an object is there.
        struct {
            std::uintptr_t tag;
            const void* kind;
        } head;
        if (at) {
            const auto* bytes = reinterpret_cast<const unsigned char*>(*at);
            std::memcpy(&head.tag, bytes + offsetof(Head, tag), sizeof head.tag);
            std::memcpy(&head.kind, bytes + offsetof(Head, kind), sizeof head.kind);
            if (head.tag != tagOf(*at) || head.kind != &s_kind) {
                return Error::invalidArgument("the handle is no live object of this kind");
            }
        }
        return at;
    }

    /// Ends the object; the memory stays the host's.
    static Status end(void* memory)
    {
        const Result<Block*> at = get(memory);
        if (!at) {
            return at.error();
        }
        (*at)->m_head.tag = 0;
        (*at)->~Block();
        return S_OK;
    }

    struct Head {
        /// The block's own address, changed; 0 after the end.
        std::uintptr_t tag;
        const void* kind;
    } m_head;
    T value;

private:
    template <class... Arguments>
    explicit Block(Arguments&&... arguments)
        : m_head{tagOf(this), &s_kind}, value{std::forward<Arguments>(arguments)...}
    {
    }

    static std::uintptr_t tagOf(const Block* at)
    {
        return reinterpret_cast<std::uintptr_t>(at) ^ std::uintptr_t{0x0D3D5DC0};
    }

    /// Its address tells kinds apart. Not const: a linker may fold equal constants.
    static inline char s_kind = 0;
};

/// One open of the DDI.
template <class P> struct Open {
    P plugin;
    std::vector<AdapterFamily> families;
    std::size_t slot = 0;
    Poison poison{};
    /// The selected plugin DDI version; 0 before.
    UINT64 version = 0;
    std::optional<D3D12DDI_COMPILER_CACHE_CALLBACKS> callbacks{};

    Open(P&& made, std::vector<AdapterFamily>&& list)
        : plugin(std::move(made)), families(std::move(list))
    {
    }

    Result<const AdapterFamily*> family(UINT index) const
    {
        if (index >= families.size()) {
            return Error(DXGI_ERROR_NOT_FOUND, "the plugin has no such adapter family");
        }
        return &families[index];
    }

    Result<Target> target(const D3D12DDI_COMPILER_TARGET* target) const
    {
        if (!target) {
            return Error::invalidArgument("pTarget is null");
        }
        const Result<const AdapterFamily*> named = family(target->AdapterFamilyIndex);
        if (!named) {
            return named.error();
        }
        const std::vector<UINT64>& versions = (*named)->abiVersions;
        if (std::find(versions.begin(), versions.end(), target->ABIVersion) == versions.end()) {
            return Error::invalidArgument("the family has no such ABI version");
        }
        return Target{target->AdapterFamilyIndex, **named, target->ABIVersion};
    }
};

/// The opens of a plugin. CreateCompiler is told no hCompilerDDI, yet each open has callbacks of its own;
/// so every open takes a slot, and its COMPILER table has a CreateCompiler that was compiled for it. A
/// handle is a slot's number and the count of opens it has had, never an address: one that is stale or
/// made up is refused, not followed.
template <class P> class Opens {
public:
    static constexpr std::size_t kSlots = 1024;
    using Pointer = std::shared_ptr<Open<P>>;

    static Result<D3D12DDI_HCOMPILERDDI> insert(P&& plugin, std::vector<AdapterFamily>&& families)
    {
        auto open = std::make_unique<Pointer>(
            std::make_shared<Open<P>>(std::move(plugin), std::move(families)));
        for (std::size_t i = 0; i < kSlots; ++i) {
            Slot& slot = s_slots[i];
            if (slot.taken.exchange(true)) {
                continue;
            }
            (*open)->slot = i;
            slot.open = open.release();
            slot.generation = (slot.generation + 1) % (SIZE_MAX / kSlots);
            const std::size_t handle = slot.generation * kSlots + i + 1;
            slot.handle = handle;
            return D3D12DDI_HCOMPILERDDI{reinterpret_cast<void*>(handle)};
        }
        return Error(DXGI_ERROR_NOT_CURRENTLY_AVAILABLE, "1024 opens are alive; destroy one");
    }

    static Result<Pointer> get(D3D12DDI_HCOMPILERDDI handle)
    {
        const std::size_t number = reinterpret_cast<std::size_t>(handle.pDrvPrivate);
        const Slot& slot = slotOf(number);
        if (number == 0 || slot.handle != number) {
            return Error::invalidArgument("hCompilerDDI is no open of this plugin, or was destroyed");
        }
        return *slot.open;
    }

    /// The open that has a slot now.
    static Result<Pointer> inSlot(std::size_t slot)
    {
        return get({reinterpret_cast<void*>(s_slots[slot].handle.load())});
    }

    static Status end(D3D12DDI_HCOMPILERDDI handle)
    {
        std::size_t number = reinterpret_cast<std::size_t>(handle.pDrvPrivate);
        Slot& slot = slotOf(number);
        if (number == 0 || !slot.handle.compare_exchange_strong(number, 0)) {
            return Error::invalidArgument("hCompilerDDI is no open of this plugin, or was destroyed");
        }
        const std::unique_ptr<Pointer> open(std::exchange(slot.open, nullptr));
        slot.taken = false;
        return S_OK;
    }

private:
    struct Slot {
        std::atomic<bool> taken{false};
        /// 0 while nothing is open.
        std::atomic<std::size_t> handle{0};
        std::size_t generation = 0;
        // Without a destructor: what a host leaves open must not run vendor code at exit.
        Pointer* open = nullptr;
    };

    static Slot& slotOf(std::size_t handle) { return s_slots[(handle - 1) % kSlots]; }

    static inline Slot s_slots[kSlots];
};

/// A compiler, in the host's memory. One that outlives its open is the host's mistake; it must not be
/// ours too.
template <class P> struct CompilerObject {
    typename P::CompilerType compiler;
    D3D12DDI_COMPILER_CACHE_CALLBACKS callbacks;
    std::shared_ptr<Open<P>> open;
    Poison poison{};
};

/// Answers the two-call query of a list: `count` is the capacity on entry and the true number on return,
/// whatever the result; what fits is written, and DXGI_ERROR_MORE_DATA says that some did not. A null
/// array asks for the number only.
template <class T> Status fillList(Span<T> list, UINT* count, T* array)
{
    if (!count) {
        return Error::invalidArgument("the count pointer is null");
    }
    const std::size_t capacity = *count;
    *count = static_cast<UINT>(list.size());
    if (!array) {
        return S_OK;
    }
    std::copy_n(list.begin(), (std::min)(capacity, list.size()), array);
    return capacity < list.size() ? DXGI_ERROR_MORE_DATA : S_OK;
}

inline Status checkFamilies(const std::vector<AdapterFamily>& families)
{
    const auto fail = [&](const AdapterFamily& family, const char* why) {
        const std::string index = std::to_string(&family - families.data());
        return Error(E_UNEXPECTED, std::string("adapter family ").append(index).append(" ").append(why));
    };
    if (families.empty()) {
        return Error(E_UNEXPECTED, "the plugin has no adapter family");
    }
    for (const AdapterFamily& family : families) {
        bool wantsLow = false;
        for (const D3D12_COMPILER_WCHAR unit : family.name + D3D12_COMPILER_WCHAR{}) {
            const bool isLow = unit >= 0xDC00 && unit <= 0xDFFF;
            if (isLow != wantsLow) {
                return fail(family, "has half of a surrogate pair in its name");
            }
            wantsLow = unit >= 0xD800 && unit <= 0xDBFF;
        }
        const bool hasNul = family.name.find(D3D12_COMPILER_WCHAR{}) != family.name.npos;
        if (family.name.empty() || family.name.size() > 127 || hasNul) {
            return fail(family, "must have a name of 1 to 127 UTF-16 units without NUL");
        }
        for (const AdapterFamily* other = families.data(); other != &family; ++other) {
            if (other->name == family.name) {
                return fail(family, "has the name of an earlier one");
            }
        }
        const std::vector<UINT64>& versions = family.abiVersions;
        if (versions.empty() || versions.front() == UINT64_MAX || versions.back() == 0) {
            return fail(family, "must have ABI versions, without 0 and UINT64_MAX");
        }
        const auto rises = [](UINT64 earlier, UINT64 later) { return earlier <= later; };
        if (std::adjacent_find(versions.begin(), versions.end(), rises) != versions.end()) {
            return fail(family, "must list its ABI versions newest first, each once");
        }
        if (family.compilerVersion == 0) {
            return fail(family, "has no compiler version");
        }
    }
    return S_OK;
}

inline Result<ApplicationDesc> readApplication(const D3D12DDI_APPLICATION_DESC* desc)
{
    Checker checker;
    checker.required("pApplicationDesc", desc);
    if (checker.error()) {
        return *checker.error();
    }
    return ApplicationDesc{desc->pExeFilename, desc->pName, desc->Version.Version,
                           desc->pEngineName ? TextView(desc->pEngineName) : TextView(),
                           desc->EngineVersion.Version};
}

/// Writes exactly the bytes of the answer, or nothing.
inline Status answerCaps(const Capabilities& caps, const D3D12DDIARG_GETCAPS& query)
{
    const struct {
        D3D12DDICAPS_TYPE type;
        const void* answer;
        std::size_t size;
    } plain[] = {
        {D3D12DDICAPS_TYPE_SHADER, &caps.shader, sizeof caps.shader},
        {D3D12DDICAPS_TYPE_D3D12_OPTIONS, &caps.options, sizeof caps.options},
        {D3D12DDICAPS_TYPE_OPTIONS_0090, &caps.options0090, sizeof caps.options0090},
        {D3D12DDICAPS_TYPE_OPTIONS_0091, &caps.options0091, sizeof caps.options0091},
        {D3D12DDICAPS_TYPE_OPTIONS_0093, &caps.options0093, sizeof caps.options0093},
        {D3D12DDICAPS_TYPE_OPTIONS_0098, &caps.options0098, sizeof caps.options0098},
        {D3D12DDICAPS_TYPE_OPTIONS_0101, &caps.options0101, sizeof caps.options0101},
        {D3D12DDICAPS_TYPE_OPTIONS_0102, &caps.options0102, sizeof caps.options0102},
        {D3D12DDICAPS_TYPE_OPTIONS1_0103, &caps.options1_0103, sizeof caps.options1_0103},
        {D3D12DDICAPS_TYPE_OPTIONS_0109, &caps.options0109, sizeof caps.options0109},
        {D3D12DDICAPS_TYPE_OPTIONS_0110, &caps.options0110, sizeof caps.options0110},
        {D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110, &caps.shaderModel68Options,
         sizeof caps.shaderModel68Options},
    };
    D3D12DDI_D3D12_SHADER_MODELS_DATA_0011 models;
    D3D12DDI_3DPIPELINESUPPORT1_DATA_0081 level;
    if (!query.pData) {
        return Error::invalidArgument("pData is null");
    }
    for (const auto& cap : plain) {
        if (cap.type == query.Type && cap.size == query.DataSize) {
            std::memcpy(query.pData, cap.answer, cap.size);
            return S_OK;
        }
    }
    if (query.Type == D3D12DDICAPS_TYPE_0011_SHADER_MODELS && query.DataSize == sizeof models) {
        std::memcpy(&models, query.pData, sizeof models);
        return fillList(Span(caps.shaderModels.data(), caps.shaderModels.size()),
                        models.pNumShaderModelsSupported, models.pShaderModelsSupported);
    }
    if (query.Type == D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1 && query.DataSize == sizeof level) {
        std::memcpy(&level, query.pData, sizeof level);
        level.MaximumDriverSupportedFeatureLevel =
            (std::min)(caps.highestFeatureLevel, level.HighestRuntimeSupportedFeatureLevel);
        std::memcpy(query.pData, &level, sizeof level);
        return S_OK;
    }
    return Error::invalidArgument("plugins are not asked for this cap, or it has another size");
}

inline constexpr UINT64 kPluginVersions[] = {makeVersion(12, 0, 2, 0), makeVersion(12, 0, 1, 0)};

/// Interface 12.80 of the usermode DDI, from build 109 on (docs/spec-notes.md, "Which usermode DDI
/// version goes with a plugin DDI version").
constexpr bool speaksUsermodeDdi(UINT64 version)
{
    return version >> 32 == 0x000C0050 && (version >> 16 & 0xFFFF) >= 109;
}

template <class T> Status writeTable(const T& table, void* memory, SIZE_T size)
{
    if (!memory || size < sizeof table) {
        return Error::invalidArgument("pTable is null, or smaller than the table");
    }
    std::memcpy(memory, &table, sizeof table);
    return S_OK;
}

} // namespace detail

template <class StateObject>
StateObjectDesc<StateObject>::StateObjectDesc(const Arguments* arguments, detail::Checker& checker)
    : m_raw(arguments)
{
    checker.required("pCreateStateObject", arguments);
    if (checker.error()) {
        return;
    }
    for (const D3D12DDI_STATE_SUBOBJECT_0054& subobject : subobjects()) {
        if (const auto* library = subobjectContent<D3D12DDI_DXIL_LIBRARY_DESC_0054>(subobject)) {
            m_libraries.push_back({*Program::read(library->pDXILLibrary),
                                   {library->pExports, library->NumExports}});
        }
        if (const auto* collection = subobjectContent<D3D12DDI_EXISTING_COLLECTION_DESC_0054>(subobject)) {
            const auto own = detail::Block<StateObject>::get(collection->hExistingCollection.pDrvPrivate);
            if (!own) {
                checker.fail(E_INVALIDARG, "hExistingCollection", own.error().message());
                return;
            }
            m_collections.push_back(&(*own)->value);
        }
    }
}

namespace detail {

/// Runs a compile call: a session, the vendor's code in it, and the keys if that succeeds.
struct Entries {
    template <class P, class Vendor>
    static Status compile(const CompilerObject<P>& object, D3D12DDI_HRTCOMPILERCACHESESSION handle,
                          D3D12DDI_COMPILER_VALUE_TYPE_FLAGS flags, Vendor vendor)
    {
        Session session(handle, object.callbacks, ValueTypes(flags));
        const auto keys =
            object.poison.guard([&]() -> Result<ObjectValueKeys> { return vendor(session); });
        if (!keys) {
            return keys.error();
        }
        return session.setKeys(*keys);
    }
};

/// The functions of the tables for the plugin `P`.
template <class P> struct Tables {
    using C = typename P::CompilerType;
    using S = typename C::StateObject;
    using CompilerBlock = Block<CompilerObject<P>>;
    using StateBlock = Block<S>;

    // Table CAPABILITIES.

    static HRESULT D3D12DDI_APIENTRY getCaps(D3D12DDI_HCOMPILERDDI handle,
                                             const D3D12DDI_COMPILER_TARGET* pTarget,
                                             const D3D12DDI_APPLICATION_DESC* pApplicationDesc,
                                             const D3D12DDIARG_GETCAPS* pCaps) noexcept
    {
        return entry<P>("pfnGetCaps", [&] {
            return withTarget(handle, pTarget, [&](const Open<P>& open, const Target& target) -> Status {
                const Result<ApplicationDesc> application = readApplication(pApplicationDesc);
                if (!application) {
                    return application.error();
                }
                if (!pCaps) {
                    return Error::invalidArgument("pCaps is null");
                }
                const auto caps = open.poison.guard([&]() -> Result<Capabilities> {
                    return open.plugin.capabilities(target, *application);
                });
                return caps ? answerCaps(*caps, *pCaps) : Status(caps.error());
            });
        });
    }

    static HRESULT D3D12DDI_APIENTRY
    enumerateAdapterFamilies(D3D12DDI_HCOMPILERDDI handle, UINT AdapterFamilyIndex,
                             D3D12DDI_COMPILER_ADAPTER_FAMILY* pAdapterFamily) noexcept
    {
        return entry<P>("pfnEnumerateAdapterFamilies", [&] {
            return withOpen(handle, [&](const Open<P>& open) -> Status {
                if (!pAdapterFamily) {
                    return Error::invalidArgument("pAdapterFamily is null");
                }
                const Result<const AdapterFamily*> family = open.family(AdapterFamilyIndex);
                if (!family) {
                    return DXGI_ERROR_NOT_FOUND; // How a host finds out how many there are.
                }
                *pAdapterFamily = {};
                std::copy((*family)->name.begin(), (*family)->name.end(),
                          pAdapterFamily->szAdapterFamily);
                return S_OK;
            });
        });
    }

    static HRESULT D3D12DDI_APIENTRY getAdapterFamilyABIVersions(D3D12DDI_HCOMPILERDDI handle,
                                                                 UINT AdapterFamilyIndex,
                                                                 UINT* pNumABIVersions,
                                                                 UINT64* pABIVersions) noexcept
    {
        return entry<P>("pfnGetAdapterFamilyABIVersions", [&] {
            return withOpen(handle, [&](const Open<P>& open) -> Status {
                const Result<const AdapterFamily*> family = open.family(AdapterFamilyIndex);
                if (family) {
                    const std::vector<UINT64>& versions = (*family)->abiVersions;
                    return fillList(Span(versions.data(), versions.size()), pNumABIVersions,
                                    pABIVersions);
                }
                if (!pNumABIVersions) {
                    return Error::invalidArgument("pNumABIVersions is null");
                }
                *pNumABIVersions = 0;
                return family.error();
            });
        });
    }

    static HRESULT D3D12DDI_APIENTRY
    getCompilerVersion(D3D12DDI_HCOMPILERDDI handle, UINT AdapterFamilyIndex,
                       D3D12DDI_VERSION_NUMBER* pCompilerVersion) noexcept
    {
        return entry<P>("pfnGetCompilerVersion", [&] {
            return withOpen(handle, [&](const Open<P>& open) -> Status {
                const Result<const AdapterFamily*> family = open.family(AdapterFamilyIndex);
                if (!family) {
                    return family.error();
                }
                return write("pCompilerVersion", pCompilerVersion,
                             D3D12DDI_VERSION_NUMBER{(*family)->compilerVersion});
            });
        });
    }

    static HRESULT D3D12DDI_APIENTRY
    getApplicationProfileVersion(D3D12DDI_HCOMPILERDDI handle, const D3D12DDI_COMPILER_TARGET* pTarget,
                                 const D3D12DDI_APPLICATION_DESC* pApplicationDesc,
                                 D3D12DDI_VERSION_NUMBER* pApplicationProfileVersion) noexcept
    {
        return entry<P>("pfnGetApplicationProfileVersion", [&] {
            return withTarget(handle, pTarget, [&](const Open<P>& open, const Target& target) -> Status {
                const Result<ApplicationDesc> application = readApplication(pApplicationDesc);
                if (!application) {
                    return application.error();
                }
                const auto version = open.poison.guard([&]() -> Result<UINT64> {
                    return open.plugin.applicationProfileVersion(target, *application);
                });
                if (!version) {
                    return version.error();
                }
                return write("pApplicationProfileVersion", pApplicationProfileVersion,
                             D3D12DDI_VERSION_NUMBER{*version});
            });
        });
    }

    static HRESULT D3D12DDI_APIENTRY checkFormatSupport(D3D12DDI_HCOMPILERDDI handle,
                                                        const D3D12DDI_COMPILER_TARGET* pTarget,
                                                        DXGI_FORMAT Format,
                                                        UINT* pFormatSupport) noexcept
    {
        return entry<P>("pfnCheckFormatSupport", [&] {
            return withTarget(handle, pTarget, [&](const Open<P>& open, const Target& target) -> Status {
                const auto support = open.poison.guard(
                    [&]() -> Result<UINT> { return open.plugin.formatSupport(target, Format); });
                if (!support) {
                    return support.error();
                }
                return write("pFormatSupport", pFormatSupport, *support & D3D12DDI_FORMAT_SUPPORT_ALL);
            });
        });
    }

    static BOOL D3D12DDI_APIENTRY checkMultisampleQualityLevels(D3D12DDI_HCOMPILERDDI handle,
                                                                const D3D12DDI_COMPILER_TARGET* pTarget,
                                                                DXGI_FORMAT Format, UINT SampleCount,
                                                                UINT QualityLevel) noexcept
    {
        bool isSupported = false;
        const auto ask = [&](const Open<P>& open, const Target& target) -> Status {
            return open.poison.guard([&]() -> Status {
                switch (SampleCount) {
                case 1: // A depth format is rendered to without being a render target.
                    isSupported = QualityLevel == 0
                        && (open.plugin.formatSupport(target, Format)
                            & (D3D12DDI_FORMAT_SUPPORT_RENDERTARGET
                               | D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET))
                            != 0;
                    break;
                case 2:
                case 4:
                case 8:
                case 16:
                case 32:
                    isSupported = QualityLevel
                        < open.plugin.multisampleQualityLevels(target, Format, SampleCount);
                    break;
                default:
                    break;
                }
                return S_OK;
            });
        };
        entry<P>("pfnCheckMultisampleQualityLevels", [&] { return withTarget(handle, pTarget, ask); });
        return isSupported ? TRUE : FALSE;
    }

    // Table COMPILER.

    static SIZE_T D3D12DDI_APIENTRY
    calcPrivateCompilerSize(const D3D12DDI_COMPILER_TARGET*, const D3D12DDI_APPLICATION_DESC*) noexcept
    {
        return CompilerBlock::size();
    }

    template <std::size_t Slot>
    static HRESULT D3D12DDI_APIENTRY createCompiler(const D3D12DDI_COMPILER_TARGET* pTarget,
                                                    const D3D12DDI_APPLICATION_DESC* pApplicationDesc,
                                                    D3D12DDI_HCOMPILER hCompiler,
                                                    D3D12DDI_HRTCOMPILER) noexcept
    {
        return createCompilerInSlot(Slot, pTarget, pApplicationDesc, hCompiler);
    }

    static HRESULT createCompilerInSlot(std::size_t slot, const D3D12DDI_COMPILER_TARGET* pTarget,
                                        const D3D12DDI_APPLICATION_DESC* pApplicationDesc,
                                        D3D12DDI_HCOMPILER hCompiler) noexcept
    {
        return entry<P>("pfnCreateCompiler", [&]() -> Status {
            const auto open = Opens<P>::inSlot(slot);
            if (!open) {
                return open.error();
            }
            const Result<Target> target = (*open)->target(pTarget);
            if (!target) {
                return target.error();
            }
            const Result<ApplicationDesc> application = readApplication(pApplicationDesc);
            if (!application) {
                return application.error();
            }
            if (!(*open)->callbacks) {
                return Error(DXGI_ERROR_INVALID_CALL, "the CACHE callback table is not set yet");
            }
            auto compiler = (*open)->poison.guard(
                [&]() -> Result<C> { return (*open)->plugin.createCompiler(*target, *application); });
            if (!compiler) {
                return compiler.error();
            }
            return CompilerBlock::place(hCompiler.pDrvPrivate, std::move(*compiler),
                                        *(*open)->callbacks, *open);
        });
    }

    static void D3D12DDI_APIENTRY destroyCompiler(D3D12DDI_HCOMPILER hCompiler) noexcept
    {
        entry<P>("pfnDestroyCopiler", [&] { return CompilerBlock::end(hCompiler.pDrvPrivate); });
    }

    static HRESULT D3D12DDI_APIENTRY
    compilePipelineState(D3D12DDI_HCOMPILER hCompiler,
                         D3D12DDI_HRTCOMPILERCACHESESSION hrtCompilerCacheSession,
                         D3D12DDI_COMPILER_VALUE_TYPE_FLAGS ValueTypeFlags,
                         const D3D12DDIARG_CREATE_PIPELINE_STATE_0099* pPipelineStateArg) noexcept
    {
        return entry<P>("pfnCompilePipelineState", [&]() -> Status {
            const auto compiler = CompilerBlock::get(hCompiler.pDrvPrivate);
            if (!compiler) {
                return compiler.error();
            }
            Checker checker;
            const PipelineStateDesc desc(pPipelineStateArg, checker);
            if (checker.error()) {
                return *checker.error();
            }
            const CompilerObject<P>& object = (*compiler)->value;
            return Entries::compile(object, hrtCompilerCacheSession, ValueTypeFlags, [&](Session& session) {
                return object.compiler.compilePipelineState(desc, session);
            });
        });
    }

    static SIZE_T D3D12DDI_APIENTRY calcPrivateStateObjectSize(
        D3D12DDI_HCOMPILER, const D3D12DDIARG_CREATE_STATE_OBJECT_0054*) noexcept
    {
        return StateBlock::size();
    }

    static SIZE_T D3D12DDI_APIENTRY calcPrivateAddToStateObjectSize(
        D3D12DDI_HCOMPILER, const D3D12DDIARG_CREATE_STATE_OBJECT_0054*,
        D3D12DDI_HCOMPILERSTATEOBJECT) noexcept
    {
        return StateBlock::size();
    }

    static HRESULT D3D12DDI_APIENTRY
    compileCreateStateObject(D3D12DDI_HCOMPILER hCompiler,
                             D3D12DDI_HRTCOMPILERCACHESESSION hrtCompilerCacheSession,
                             D3D12DDI_COMPILER_VALUE_TYPE_FLAGS ValueTypeFlags,
                             const D3D12DDIARG_CREATE_STATE_OBJECT_0054* pCreateStateObject,
                             D3D12DDI_HCOMPILERSTATEOBJECT hStateObject) noexcept
    {
        return entry<P>("pfnCompileCreateStateObject", [&] {
            return compileStateObject(hCompiler, hrtCompilerCacheSession, ValueTypeFlags, nullptr,
                                      pCreateStateObject, hStateObject);
        });
    }

    static HRESULT D3D12DDI_APIENTRY
    compileAddToStateObject(D3D12DDI_HCOMPILER hCompiler,
                            D3D12DDI_HRTCOMPILERCACHESESSION hrtCompilerCacheSession,
                            D3D12DDI_COMPILER_VALUE_TYPE_FLAGS ValueTypeFlags,
                            const D3D12DDIARG_CREATE_STATE_OBJECT_0054* pCreateStateObject,
                            D3D12DDI_HCOMPILERSTATEOBJECT StateObjectToGrowFrom,
                            D3D12DDI_HCOMPILERSTATEOBJECT hStateObject) noexcept
    {
        return entry<P>("pfnCompileAddToStateObject", [&]() -> Status {
            const auto parent = StateBlock::get(StateObjectToGrowFrom.pDrvPrivate);
            if (!parent) {
                return parent.error();
            }
            return compileStateObject(hCompiler, hrtCompilerCacheSession, ValueTypeFlags,
                                      &(*parent)->value, pCreateStateObject, hStateObject);
        });
    }

    static Status compileStateObject(D3D12DDI_HCOMPILER hCompiler,
                                     D3D12DDI_HRTCOMPILERCACHESESSION hrtCompilerCacheSession,
                                     D3D12DDI_COMPILER_VALUE_TYPE_FLAGS flags, const S* parent,
                                     const D3D12DDIARG_CREATE_STATE_OBJECT_0054* pDesc,
                                     D3D12DDI_HCOMPILERSTATEOBJECT hStateObject)
    {
        const auto compiler = CompilerBlock::get(hCompiler.pDrvPrivate);
        if (!compiler) {
            return compiler.error();
        }
        // Before the compile: once the keys are set, nothing may fail.
        if (!hStateObject.pDrvPrivate) {
            return Error::invalidArgument("hStateObject is null");
        }
        Checker checker;
        const StateObjectDesc<S> desc(pDesc, checker);
        if (checker.error()) {
            return *checker.error();
        }
        const CompilerObject<P>& object = (*compiler)->value;
        std::optional<S> state;
        const Status status = Entries::compile(
            object, hrtCompilerCacheSession, flags, [&](Session& session) -> Result<ObjectValueKeys> {
                auto made = object.compiler.compileStateObject(parent, desc, session);
                if (!made) {
                    return made.error();
                }
                state.emplace(std::move(made->state));
                return std::move(made->keys);
            });
        if (!status) {
            return status;
        }
        return StateBlock::place(hStateObject.pDrvPrivate, std::move(*state));
    }

    static void D3D12DDI_APIENTRY destroyStateObject(D3D12DDI_HCOMPILER,
                                                     D3D12DDI_HCOMPILERSTATEOBJECT hStateObject) noexcept
    {
        entry<P>("pfnDestroyStateObject", [&] { return StateBlock::end(hStateObject.pDrvPrivate); });
    }

    // The first table.

    static void D3D12DDI_APIENTRY destroyCompilerDDI(D3D12DDI_HCOMPILERDDI handle) noexcept
    {
        entry<P>("pfnDestroyCompilerDDI", [&] { return Opens<P>::end(handle); });
    }

    static HRESULT D3D12DDI_APIENTRY getSupportedVersions(D3D12DDI_HCOMPILERDDI handle,
                                                          UINT32* puEntries,
                                                          UINT64* pSupportedPluginDDIVersions) noexcept
    {
        return entry<P>("pfnGetSupportedVersions", [&] {
            return withOpen(handle, [&](const Open<P>&) {
                return fillList(Span(kPluginVersions, std::size(kPluginVersions)), puEntries,
                                pSupportedPluginDDIVersions);
            });
        });
    }

    static HRESULT D3D12DDI_APIENTRY setSelectedVersion(D3D12DDI_HCOMPILERDDI handle,
                                                        UINT64 PluginDDIVersion,
                                                        UINT64 UsermodeDDIVersion) noexcept
    {
        return entry<P>("pfnSetSelectedVersion", [&] {
            return withOpen(handle, [&](Open<P>& open) -> Status {
                const UINT64* end = std::end(kPluginVersions);
                if (std::find(kPluginVersions, end, PluginDDIVersion) == end
                    || !speaksUsermodeDdi(UsermodeDDIVersion)) {
                    return Error::invalidArgument("the version was never reported, or the usermode DDI "
                                                  "version does not go with it");
                }
                open.version = PluginDDIVersion;
                return S_OK;
            });
        });
    }

    // Both versions have the same tables.
    static HRESULT D3D12DDI_APIENTRY fillDDITable(D3D12DDI_HCOMPILERDDI handle,
                                                  D3D12DDI_COMPILER_TABLE_TYPE tableType, void* pTable,
                                                  SIZE_T tableSize) noexcept
    {
        return entry<P>("pfnFillDDITable", [&] {
            return withOpen(handle, [&](const Open<P>& open) -> Status {
                if (open.version == 0) {
                    return Error(DXGI_ERROR_INVALID_CALL,
                                 "pfnSetSelectedVersion comes before pfnFillDDITable");
                }
                switch (tableType) {
                case D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES:
                    return writeTable(capabilitiesTable(), pTable, tableSize);
                case D3D12DDI_COMPILER_TABLE_TYPE_COMPILER:
                    return writeTable(compilerTable(open.slot), pTable, tableSize);
                default:
                    return Error::invalidArgument("the table is not known");
                }
            });
        });
    }

    static HRESULT D3D12DDI_APIENTRY setCallbackDDITable(D3D12DDI_HCOMPILERDDI handle,
                                                         D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE tableType,
                                                         const void* pTable, SIZE_T TableSize) noexcept
    {
        return entry<P>("pfnSetCallbackDDITable", [&] {
            return withOpen(handle, [&](Open<P>& open) -> Status {
                D3D12DDI_COMPILER_CACHE_CALLBACKS callbacks;
                if (tableType != D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE || !pTable
                    || TableSize < sizeof callbacks) {
                    return Error::invalidArgument("the table is not known, null or too small");
                }
                std::memcpy(&callbacks, pTable, sizeof callbacks);
                if (!callbacks.pfnCompilerCacheFindValue || !callbacks.pfnCompilerCacheStoreValue
                    || !callbacks.pfnCompilerCacheSetObjectValueKeys) {
                    return Error::invalidArgument("a function of the CACHE callback table is null");
                }
                open.callbacks = callbacks;
                return S_OK;
            });
        });
    }

    static HRESULT openCompilerDDI(D3D12DDIARG_COMPILER_OPEN_DDI* pOpenDDIArg) noexcept
    {
        return entry<P>("D3D12OpenCompilerDDI", [&]() -> Status {
            if (!pOpenDDIArg || !pOpenDDIArg->pDDIFuncs) {
                return Error::invalidArgument("pOpenDDIArg or its pDDIFuncs is null");
            }
            Result<P> plugin = P::open();
            if (!plugin) {
                return plugin.error();
            }
            std::vector<AdapterFamily> families = plugin->adapterFamilies();
            const Status checked = checkFamilies(families);
            if (!checked) {
                return checked;
            }
            const auto handle = Opens<P>::insert(std::move(*plugin), std::move(families));
            if (!handle) {
                return handle.error();
            }
            pOpenDDIArg->hCompilerDDI = *handle;
            *pOpenDDIArg->pDDIFuncs = {destroyCompilerDDI, getSupportedVersions, setSelectedVersion,
                                       fillDDITable, setCallbackDDITable};
            return S_OK;
        });
    }

private:
    template <class Body> static Status withOpen(D3D12DDI_HCOMPILERDDI handle, Body body)
    {
        const auto open = Opens<P>::get(handle);
        return open ? body(**open) : Status(open.error());
    }

    template <class Body>
    static Status withTarget(D3D12DDI_HCOMPILERDDI handle, const D3D12DDI_COMPILER_TARGET* pTarget,
                             Body body)
    {
        return withOpen(handle, [&](const Open<P>& open) -> Status {
            const Result<Target> target = open.target(pTarget);
            return target ? body(open, *target) : Status(target.error());
        });
    }

    template <class T> static Status write(const char* what, T* place, T value)
    {
        if (!place) {
            return Error::invalidArgument(std::string(what).append(" is null"));
        }
        *place = value;
        return S_OK;
    }

    static D3D12DDI_COMPILER_CAPABILITIES_FUNCS capabilitiesTable()
    {
        return {getCaps,
                enumerateAdapterFamilies,
                getAdapterFamilyABIVersions,
                getCompilerVersion,
                getApplicationProfileVersion,
                checkFormatSupport,
                checkMultisampleQualityLevels};
    }

    static D3D12DDI_COMPILER_FUNCS compilerTable(std::size_t slot)
    {
        static constexpr auto createCompilerOf =
            createCompilers(std::make_index_sequence<Opens<P>::kSlots>());
        return {calcPrivateCompilerSize,
                createCompilerOf[slot],
                destroyCompiler,
                compilePipelineState,
                calcPrivateStateObjectSize,
                compileCreateStateObject,
                calcPrivateAddToStateObjectSize,
                compileAddToStateObject,
                destroyStateObject};
    }

    template <std::size_t... Slots>
    static constexpr std::array<PFND3D12DDI_COMPILER_CREATE_COMPILER, sizeof...(Slots)>
    createCompilers(std::index_sequence<Slots...>)
    {
        return {createCompiler<Slots>...};
    }
};

template <class C, class S> std::true_type derivesFromCompiler(const Compiler<S>*, const C*);
template <class C> std::false_type derivesFromCompiler(const void*, const C*);
template <class P, class C> std::true_type derivesFromPlugin(const Plugin<C>*, const P*);
template <class P> std::false_type derivesFromPlugin(const void*, const P*);

template <class P, class = void> inline constexpr bool kHasOpen = false;
template <class P>
inline constexpr bool kHasOpen<P, std::enable_if_t<std::is_same_v<decltype(P::open()), Result<P>>>> = true;

/// What the SDK needs of an object that a call makes and another destroys.
template <class T> constexpr bool checkObject()
{
    static_assert(std::is_nothrow_move_constructible_v<T>,
                  "a plugin, a compiler and what it keeps of a state object are moved into their place and "
                  "need a noexcept move constructor: put what cannot be moved behind a std::unique_ptr");
    static_assert(std::is_nothrow_destructible_v<T>,
                  "a destructor of a plugin, a compiler or a state object must not throw: the host's call "
                  "that destroys it cannot fail");
    return true;
}

/// D3D12OpenCompilerDDI for the plugin `P`, after it was checked that `P` is one.
template <class P> HRESULT openPlugin(D3D12DDIARG_COMPILER_OPEN_DDI* pOpenDDIArg) noexcept
{
    constexpr bool isPlugin =
        decltype(derivesFromPlugin(std::declval<P*>(), std::declval<P*>()))::value;
    static_assert(isPlugin, "the plugin must derive publicly from d3d12_compiler::Plugin<its compiler>");
    if constexpr (isPlugin) {
        using C = typename P::CompilerType;
        constexpr bool isCompiler =
            decltype(derivesFromCompiler(std::declval<C*>(), std::declval<C*>()))::value;
        static_assert(!std::is_abstract_v<P>,
                      "the plugin must override adapterFamilies and createCompiler");
        static_assert(kHasOpen<P>, "the plugin must have a public static Result<itself> open()");
        static_assert(isCompiler, "the compiler must derive publicly from d3d12_compiler::Compiler");
        static_assert(!std::is_abstract_v<C>, "the compiler must override compilePipelineState");
        if constexpr (!std::is_abstract_v<P> && kHasOpen<P> && isCompiler && !std::is_abstract_v<C>) {
            if constexpr (checkObject<P>() && checkObject<C>() && checkObject<typename C::StateObject>()) {
                return Tables<P>::openCompilerDDI(pOpenDDIArg);
            }
        }
    }
    return E_NOTIMPL;
}

} // namespace detail
} // namespace d3d12_compiler

#if defined(_MSC_VER) && defined(_M_IX86)
#define D3D12_COMPILER_EXPORT                                                                       \
    __pragma(comment(linker, "/EXPORT:D3D12OpenCompilerDDI=_D3D12OpenCompilerDDI@4")) extern "C"
#elif defined(_MSC_VER)
#define D3D12_COMPILER_EXPORT __pragma(comment(linker, "/EXPORT:D3D12OpenCompilerDDI")) extern "C"
#elif defined(_WIN32)
#define D3D12_COMPILER_EXPORT extern "C" __attribute__((dllexport))
#else
#define D3D12_COMPILER_EXPORT extern "C" __attribute__((visibility("default")))
#endif

/// Exports a plugin as D3D12OpenCompilerDDI: once in a DLL, in any namespace. For 32-bit MinGW link with
/// -Wl,--kill-at.
#define D3D12_COMPILER_EXPORT_PLUGIN(Plugin)                                                        \
    D3D12_COMPILER_EXPORT HRESULT D3D12DDI_APIENTRY D3D12OpenCompilerDDI(                           \
        D3D12DDIARG_COMPILER_OPEN_DDI* pOpenDDIArg)                                                 \
    {                                                                                               \
        return ::d3d12_compiler::detail::openPlugin<Plugin>(pOpenDDIArg);                           \
    }                                                                                               \
    static_assert(true, "")

#endif // D3D12_COMPILER_PLUGIN_HPP
