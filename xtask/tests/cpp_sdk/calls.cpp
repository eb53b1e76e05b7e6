// A plugin that throws where it is told to, and breaks the rules of receipts, and its host.

#include "d3d12_compiler_plugin.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

using namespace d3d12_compiler;

namespace {

enum class Place { Nowhere, Open, Families, Capabilities, Constructor, Compile, Make, StateObject, Log };
enum class Thrown { Exception, NoMemory, Number };
enum class Receipts { Right, Forgotten, MovedFrom, OfAnotherCall, KeysMovedFrom, KeysOfAnotherCall };

Place g_place = Place::Nowhere;
Thrown g_thrown = Thrown::Exception;
Receipts g_receipts = Receipts::Right;
int g_alive = 0, g_storeCalls = 0, g_keyCalls = 0, g_logged = 0;

void throwIn(Place place)
{
    if (place != g_place) {
        return;
    }
    switch (g_thrown) {
    case Thrown::Exception: throw std::runtime_error("told to throw");
    case Thrown::NoMemory: throw std::bad_alloc();
    case Thrown::Number: throw 7;
    }
}

struct Counted {
    Counted() { ++g_alive; }
    Counted(Counted&&) noexcept { ++g_alive; }
    ~Counted() { --g_alive; }
};

struct TestCompiler final : Compiler<Counted> {
    TestCompiler() { throwIn(Place::Constructor); }

    Result<ObjectValueKeys> compilePipelineState(const PipelineStateDesc&, Session& session) const override
    {
        throwIn(Place::Compile);
        auto receipt = session.findOrStore(KeyBuilder("test").finish(), [](ValueTypes types) -> Result<Values> {
            throwIn(Place::Make);
            Values values;
            for (const ValueType type : types.list()) {
                values.set(type, {1});
            }
            return values;
        });
        if (!receipt) {
            return receipt.error();
        }
        static std::vector<Receipt> kept;
        static std::optional<ObjectValueKeys> keptKeys;
        if (g_receipts == Receipts::OfAnotherCall) {
            return session.finish(kept);
        }
        if (g_receipts == Receipts::KeysOfAnotherCall) {
            return std::move(*keptKeys);
        }
        std::vector<Receipt> receipts;
        if (g_receipts == Receipts::MovedFrom) {
            kept.push_back(std::move(*receipt));
        }
        if (g_receipts != Receipts::Forgotten) {
            receipts.push_back(std::move(*receipt));
        }
        if (g_receipts == Receipts::Right) {
            keptKeys.emplace(session.finish(receipts));
        }
        ObjectValueKeys keys = session.finish(receipts);
        if (g_receipts == Receipts::KeysMovedFrom) {
            const ObjectValueKeys taken(std::move(keys));
        }
        kept = std::move(receipts);
        return keys;
    }

    Result<CompiledStateObject<Counted>> compileStateObject(const Counted*, const StateObjectDesc<Counted>&,
                                                            Session&) const override
    {
        throwIn(Place::StateObject);
        return Error::unsupported("no state objects");
    }

    // Needs more alignment than any host promises.
    alignas(64) Counted counted;
};

struct TestPlugin final : Plugin<TestCompiler> {
    static Result<TestPlugin> open()
    {
        throwIn(Place::Open);
        return TestPlugin();
    }
    std::vector<AdapterFamily> adapterFamilies() const override
    {
        throwIn(Place::Families);
        return {{D3D12DDI_TEXT("Test"), {1}, 1}};
    }
    Result<TestCompiler> createCompiler(const Target&, const ApplicationDesc&) const override
    {
        return TestCompiler();
    }
    Capabilities capabilities(const Target&, const ApplicationDesc&) const override
    {
        throwIn(Place::Capabilities);
        return {};
    }
    static void logFailure(const char*, HRESULT, std::string_view)
    {
        ++g_logged;
        throwIn(Place::Log);
    }
    Counted counted;
};

#define CHECK(condition)                                                                            \
    do {                                                                                            \
        if (!(condition)) {                                                                         \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                            \
            std::exit(1);                                                                           \
        }                                                                                           \
    } while (false)

// The host.

const D3D12DDI_COMPILER_TARGET kTarget = {0, 1};
const D3D12DDI_APPLICATION_DESC kApplication = {D3D12DDI_TEXT("test.exe"), D3D12DDI_TEXT("Test"), {1}, nullptr, {0}};

HRESULT D3D12DDI_APIENTRY findValue(D3D12DDI_HRTCOMPILERCACHESESSION, const D3D12DDI_COMPILER_CACHE_VALUE_KEY*,
                                    D3D12DDI_COMPILER_CACHE_TYPED_VALUE*, UINT, PFND3D12DDI_COMPILER_ALLOCATION,
                                    void*)
{
    return DXGI_ERROR_NOT_FOUND;
}

HRESULT D3D12DDI_APIENTRY storeValue(D3D12DDI_HRTCOMPILERCACHESESSION, const D3D12DDI_COMPILER_CACHE_VALUE_KEY*,
                                     const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE*, UINT)
{
    ++g_storeCalls;
    return S_OK;
}

HRESULT D3D12DDI_APIENTRY setKeys(D3D12DDI_HRTCOMPILERCACHESESSION, const D3D12DDI_COMPILER_CACHE_VALUE_KEY*, UINT)
{
    ++g_keyCalls;
    return S_OK;
}

struct Host {
    D3D12DDI_HCOMPILERDDI handle{};
    D3D12DDI_COMPILER_DDI_FUNCS functions{};
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS capabilities{};
    D3D12DDI_COMPILER_FUNCS compiler{};

    HRESULT open()
    {
        D3D12DDIARG_COMPILER_OPEN_DDI argument = {{nullptr}, {nullptr}, &functions};
        const HRESULT result = D3D12OpenCompilerDDI(&argument);
        if (FAILED(result)) {
            return result;
        }
        handle = argument.hCompilerDDI;
        const D3D12DDI_COMPILER_CACHE_CALLBACKS callbacks = {findValue, storeValue, setKeys};
        CHECK(functions.pfnSetSelectedVersion(handle, makeVersion(12, 0, 2, 0), makeVersion(12, 80, 115, 0)) == S_OK);
        CHECK(functions.pfnFillDDITable(handle, D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES, &capabilities,
                                        sizeof capabilities) == S_OK);
        CHECK(functions.pfnFillDDITable(handle, D3D12DDI_COMPILER_TABLE_TYPE_COMPILER, &compiler, sizeof compiler)
              == S_OK);
        CHECK(functions.pfnSetCallbackDDITable(handle, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE, &callbacks,
                                               sizeof callbacks) == S_OK);
        return S_OK;
    }

    HRESULT getCaps() const
    {
        D3D12DDI_OPTIONS_DATA_0090 data;
        const D3D12DDIARG_GETCAPS query = {D3D12DDICAPS_TYPE_OPTIONS_0090, nullptr, &data, sizeof data};
        return capabilities.pfnGetCaps(handle, &kTarget, &kApplication, &query);
    }

    HRESULT create(void* memory) const
    {
        return compiler.pfnCreateCompiler(&kTarget, &kApplication, {memory}, {nullptr});
    }

    HRESULT compile(void* memory) const
    {
        UINT program[] = {0x10060, 7, 0x4C495844, 0x100, 16, 4, 0xDEC04342};
        D3D12DDIARG_CREATE_SHADER_0026 shader{};
        shader.pShaderCode = program;
        D3D12DDIARG_CREATE_PIPELINE_STATE_0099 desc{};
        desc.hVertexShader.pDrvPrivate = &shader;
        return compiler.pfnCompilePipelineState({memory}, {nullptr},
                                                D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE, &desc);
    }

    HRESULT compileStateObject(void* memory) const
    {
        std::vector<char> state(compiler.pfnCalcPrivateStateObjectSize({memory}, nullptr));
        const D3D12DDIARG_CREATE_STATE_OBJECT_0054 desc{};
        return compiler.pfnCompileCreateStateObject({memory}, {nullptr}, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_NONE,
                                                    &desc, {state.data()});
    }

    void destroy() const { functions.pfnDestroyCompilerDDI(handle); }
};

constexpr HRESULT kPoisoned = DXGI_ERROR_DRIVER_INTERNAL_ERROR;

// What the calls after an exception return: without memory for one call nothing is poisoned.
HRESULT afterwards() { return g_thrown == Thrown::NoMemory ? S_OK : kPoisoned; }

void throwWhileOpening(HRESULT expected)
{
    for (const Place place : {Place::Open, Place::Families}) {
        Host host;
        g_place = place;
        CHECK(host.open() == expected && g_alive == 0);
    }
}

// An exception in the plugin's methods, or in a compiler's constructor, poisons that open only.
void throwInThePlugin(HRESULT expected)
{
    for (const Place place : {Place::Capabilities, Place::Constructor}) {
        g_place = Place::Nowhere;
        Host host, other;
        CHECK(host.open() == S_OK && other.open() == S_OK);
        std::vector<char> memory(host.compiler.pfnCalcPrivateCompilerSize(&kTarget, &kApplication));
        CHECK(host.getCaps() == S_OK);
        g_place = place;
        CHECK((place == Place::Capabilities ? host.getCaps() : host.create(memory.data())) == expected);
        g_place = Place::Nowhere;
        CHECK(host.getCaps() == afterwards());
        const HRESULT created = host.create(memory.data());
        CHECK(created == afterwards());
        if (created == S_OK) {
            host.compiler.pfnDestroyCopiler({memory.data()});
        }
        CHECK(other.getCaps() == S_OK);
        host.destroy();
        other.destroy();
        CHECK(g_alive == 0);
    }
}

// An exception in a compiler poisons that compiler only, and sets no keys.
void throwInACompiler(HRESULT expected)
{
    for (const Place place : {Place::Compile, Place::Make, Place::StateObject}) {
        g_place = Place::Nowhere;
        Host host;
        CHECK(host.open() == S_OK);
        const SIZE_T size = host.compiler.pfnCalcPrivateCompilerSize(&kTarget, &kApplication);
        std::vector<char> first(size), second(size);
        CHECK(host.create(first.data()) == S_OK && host.create(second.data()) == S_OK);
        CHECK(host.compile(first.data()) == S_OK);
        g_place = place;
        g_keyCalls = 0;
        const bool isState = place == Place::StateObject;
        CHECK((isState ? host.compileStateObject(first.data()) : host.compile(first.data())) == expected);
        g_place = Place::Nowhere;
        CHECK(g_keyCalls == 0);
        const bool goesOn = afterwards() == S_OK;
        CHECK(host.compile(first.data()) == afterwards() && g_keyCalls == (goesOn ? 1 : 0));
        CHECK(host.compileStateObject(first.data()) == (goesOn ? DXGI_ERROR_UNSUPPORTED : kPoisoned));
        g_keyCalls = 0;
        CHECK(host.compile(second.data()) == S_OK && g_keyCalls == 1 && host.getCaps() == S_OK);
        host.compiler.pfnDestroyCopiler({first.data()});
        host.compiler.pfnDestroyCopiler({second.data()});
        host.destroy();
        CHECK(g_alive == 0);
    }
}

// Failures are logged; an exception there changes nothing, and a failure that is returned poisons nothing.
void failAndLog()
{
    Host host;
    CHECK(host.open() == S_OK);
    std::vector<char> memory(host.compiler.pfnCalcPrivateCompilerSize(&kTarget, &kApplication));
    CHECK(host.create(memory.data()) == S_OK);
    g_place = Place::Log;
    g_logged = 0;
    CHECK(host.compileStateObject(memory.data()) == DXGI_ERROR_UNSUPPORTED && g_logged == 1);
    D3D12DDI_COMPILER_ADAPTER_FAMILY family;
    CHECK(host.capabilities.pfnEnumerateAdapterFamilies(host.handle, 1, &family) == DXGI_ERROR_NOT_FOUND);
    CHECK(g_logged == 1);
    CHECK(host.compile(memory.data()) == S_OK);
    g_place = Place::Nowhere;
    host.compiler.pfnDestroyCopiler({memory.data()});
    host.destroy();
}

void breakTheRulesOfReceipts()
{
    Host host;
    CHECK(host.open() == S_OK);
    std::vector<char> memory(host.compiler.pfnCalcPrivateCompilerSize(&kTarget, &kApplication));
    CHECK(host.create(memory.data()) == S_OK && host.compile(memory.data()) == S_OK);
    g_keyCalls = 0;
    for (const Receipts broken :
         {Receipts::OfAnotherCall, Receipts::KeysOfAnotherCall, Receipts::KeysMovedFrom, Receipts::MovedFrom,
          Receipts::Forgotten}) {
        g_receipts = broken;
        CHECK(host.compile(memory.data()) == E_UNEXPECTED && g_keyCalls == 0);
    }
    g_receipts = Receipts::Right;
    CHECK(host.compile(memory.data()) == S_OK && g_keyCalls == 1);
    host.compiler.pfnDestroyCopiler({memory.data()});
    host.destroy();
}

// Objects live anywhere in the host's memory, and handles that mean none are refused.
void placeAnywhere()
{
    Host host;
    CHECK(host.open() == S_OK);
    const SIZE_T size = host.compiler.pfnCalcPrivateCompilerSize(&kTarget, &kApplication);
    for (std::size_t offset = 0; offset < 64; ++offset) {
        std::vector<char> memory(offset + size + 1, '\x5A');
        char* at = memory.data() + offset;
        CHECK(host.compile(at) == E_INVALIDARG);
        CHECK(host.create(at) == S_OK && host.compile(at) == S_OK);
        host.compiler.pfnDestroyCopiler({at});
        CHECK(host.compile(at) == E_INVALIDARG);
        CHECK(std::count(memory.data(), at, '\x5A') == static_cast<std::ptrdiff_t>(offset) && at[size] == '\x5A');
    }
    host.destroy();
    std::vector<char> memory(size);
    CHECK(host.getCaps() == E_INVALIDARG && host.create(memory.data()) == E_INVALIDARG);
    CHECK(g_alive == 0);
}

void openMany()
{
    std::vector<Host> hosts(1024);
    for (Host& host : hosts) {
        CHECK(host.open() == S_OK);
    }
    CHECK(Host().open() == DXGI_ERROR_NOT_CURRENTLY_AVAILABLE);
    for (const Host& host : hosts) {
        host.destroy();
    }
    CHECK(g_alive == 0);
}

// FIPS 180-4, "abc" and the message of two blocks.
void hash()
{
    const auto startsWith = [](std::string_view text, std::array<std::uint8_t, 4> expected) {
        detail::Sha256 sha;
        sha.bytes(text.data(), text.size());
        const auto digest = sha.finish();
        return std::equal(expected.begin(), expected.end(), digest.begin());
    };
    CHECK(startsWith("abc", {0xBA, 0x78, 0x16, 0xBF}));
    CHECK(startsWith("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", {0x24, 0x8D, 0x6A, 0x61}));
}

void moveKeysAndCountModels()
{
    Key key = KeyBuilder("test").finish();
    const Key taken(std::move(key));
    CHECK(key == taken && !key.bytes().empty());
    CHECK(shaderModelsUpTo(D3D12DDI_SHADER_MODEL_6_1_RELEASE_0033).size() == 2);
    CHECK(shaderModelsUpTo(D3D12DDI_SHADER_MODEL_6_9_RELEASE_0118).size() == 9);
}

} // namespace

namespace vendor {
D3D12_COMPILER_EXPORT_PLUGIN(TestPlugin);
}

int main()
{
    for (const Thrown thrown : {Thrown::Exception, Thrown::NoMemory, Thrown::Number}) {
        g_thrown = thrown;
        const HRESULT expected = thrown == Thrown::NoMemory ? E_OUTOFMEMORY : kPoisoned;
        throwWhileOpening(expected);
        throwInThePlugin(expected);
        throwInACompiler(expected);
    }
    g_thrown = Thrown::Exception;
    failAndLog();
    breakTheRulesOfReceipts();
    placeAnywhere();
    openMany();
    hash();
    moveKeysAndCountModels();
    std::puts("every call was answered");
}
