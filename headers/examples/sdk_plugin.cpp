// A conforming plugin by d3d12_compiler_plugin.hpp, complete in everything but the compiling.
// SPDX-License-Identifier: MIT OR Apache-2.0
#include "d3d12_compiler_plugin.hpp"
using namespace d3d12_compiler;
using Keys = std::vector<Key>; // Of a state object: all that an addition must know of its parent.
class MyCompiler final : public Compiler<Keys> {
public:
    explicit MyCompiler(UINT64 abiVersion) : m_abiVersion(abiVersion) {}
    Result<ObjectValueKeys> compilePipelineState(const PipelineStateDesc& desc, Session& session) const override {
        Keys keys;
        const KeyBuilder key = KeyBuilder("my.stage").number("abi", m_abiVersion);
        for (const Shader& shader : desc.shaders())
            keys.push_back(KeyBuilder(key).describe("shader", shader).describe("root", desc.rootSignature()).finish());
        return store(keys, session);
    }
    Result<CompiledStateObject<Keys>> compileStateObject(const Keys* parent, const StateObjectDesc<Keys>& desc,
                                                         Session& session) const override {
        Keys keys = parent ? *parent : Keys();
        for (const Keys* other : desc.collections()) keys.insert(keys.end(), other->begin(), other->end());
        KeyBuilder key = KeyBuilder("my.library").number("abi", m_abiVersion).describe("state object", desc);
        for (const Key& inherited : keys) key.key("inherited", inherited);
        for (const DxilLibrary& library : desc.libraries())
            keys.push_back(KeyBuilder(key).program("library", library.program).finish());
        auto named = store(keys, session);
        if (!named) return named.error();
        return CompiledStateObject<Keys>{std::move(*named), std::move(keys)};
    }
private: // Where the real compiler begins: here each value of a key is the key.
    static Result<ObjectValueKeys> store(const Keys& keys, Session& session) {
        std::vector<Receipt> receipts;
        for (const Key& key : keys) {
            auto receipt = session.findOrStore(key, [&](ValueTypes missing) -> Result<Values> {
                Values values;
                for (const ValueType type : missing.list()) values.set(type, key.bytes());
                return values;
            });
            if (!receipt) return receipt.error();
            receipts.push_back(std::move(*receipt));
        }
        return session.finish(receipts);
    }
    UINT64 m_abiVersion;
};
struct MyPlugin final : Plugin<MyCompiler> {
    static Result<MyPlugin> open() { return MyPlugin(); }
    std::vector<AdapterFamily> adapterFamilies() const override {
        return {{D3D12DDI_TEXT("My GPU"), {2, 1}, makeVersion(1, 0, 0, 0)}};
    }
    Result<MyCompiler> createCompiler(const Target& target, const ApplicationDesc&) const override {
        return MyCompiler(target.abiVersion);
    }
    Capabilities capabilities(const Target&, const ApplicationDesc&) const override {
        Capabilities can;
        can.shaderModels = shaderModelsUpTo(D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108);
        can.options.RaytracingTier = D3D12DDI_RAYTRACING_TIER_1_1;
        can.options1_0103.WorkGraphsTier = D3D12DDI_WORK_GRAPHS_TIER_1_0;
        return can;
    }
};
D3D12_COMPILER_EXPORT_PLUGIN(MyPlugin);
