// What a vendor must not write: each macro adds one fault, which must not compile. Without any this is
// a plugin.

#include "d3d12_compiler_plugin.hpp"

using namespace d3d12_compiler;

struct MyState {
#ifdef STATE_THAT_CANNOT_BE_MOVED
    MyState(MyState&&) = delete;
#endif
};

#ifdef NOT_A_COMPILER
struct MyCompiler {
    using StateObject = MyState;
};
#else
struct MyCompiler final : Compiler<MyState> {
#ifdef DESTRUCTOR_THAT_THROWS
    ~MyCompiler() noexcept(false) {}
#endif
#ifndef NO_COMPILE
    Result<ObjectValueKeys> compilePipelineState([[maybe_unused]] const PipelineStateDesc& desc,
                                                 Session& session) const override
    {
        const Key key = KeyBuilder("my.value").finish();
#ifdef MAKES_NO_VALUES
        auto receipt = session.findOrStore(key, [](ValueTypes) { return Bytes(); });
#else
        auto receipt = session.findOrStore(key, [](ValueTypes) -> Result<Values> { return Values(); });
#endif
        if (!receipt) {
            return receipt.error();
        }
        std::vector<Receipt> receipts;
        receipts.push_back(std::move(*receipt));
#ifdef RECEIPT_KEPT
        static Receipt* kept = nullptr;
        *kept = std::move(receipts.front());
#endif
#ifdef RECEIPT_MADE
        receipts.push_back(Receipt(key, true, 0));
#endif
#ifdef RECEIPT_COPIED
        receipts.push_back(receipts.front());
#endif
#ifdef KEYS_MADE
        const ObjectValueKeys made;
#endif
#ifdef DESCRIPTION_COPIED
        static const PipelineStateDesc kept(desc);
#endif
#ifdef SESSION_KEPT
        static Session kept(session);
#endif
#ifdef KEY_WITHOUT_RECEIPT
        return session.finish(std::vector<Key>{key});
#elif defined(HRESULT_RETURNED)
        return S_OK;
#else
        return session.finish(receipts);
#endif
    }
#endif
};
#endif

#ifdef NOT_A_PLUGIN
struct MyPlugin final {
#else
struct MyPlugin final : Plugin<MyCompiler> {
#endif
#ifndef NO_OPEN
    static Result<MyPlugin> open() { return MyPlugin(); }
#endif
#if !defined(NO_FAMILIES) && !defined(NOT_A_PLUGIN)
    std::vector<AdapterFamily> adapterFamilies() const override { return {}; }
#endif
#ifndef NOT_A_PLUGIN
    Result<MyCompiler> createCompiler(const Target&, const ApplicationDesc&) const override
    {
        return Error::failed("this one makes no compilers");
    }
#endif
};

D3D12_COMPILER_EXPORT_PLUGIN(MyPlugin);
