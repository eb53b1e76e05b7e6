// sdk_plugin.cpp: a conforming plugin by d3d12_compiler_plugin.hpp, with state objects, complete in
// everything but the compiling. SPDX-License-Identifier: MIT OR Apache-2.0
#include "d3d12_compiler_plugin.hpp"
using namespace d3d12_compiler;

using Keys = std::vector<Key>; // All that an addition must know of its parent.

class MyCompiler final : public Compiler<Keys> {
public:
    explicit MyCompiler(UINT64 abiVersion) : m_abiVersion(abiVersion) {}

    Result<ObjectValueKeys> compilePipelineState(const PipelineStateDesc& desc, Session& session) const override {
        Keys keys;
        for (const Shader& shader : desc.shaders()) {
            KeyBuilder key("my.stage");
            key.number("abi", m_abiVersion).describe("shader", shader);
            keys.push_back(key.describe("root signature", desc.rootSignature()).finish());
        }
        return store(keys, session);
    }

    Result<CompiledStateObject<Keys>> compileStateObject(const Keys* parent, const StateObjectDesc<Keys>& desc, Session& session) const override {
        Keys keys = parent ? *parent : Keys();
        for (const Keys* other : desc.collections()) keys.insert(keys.end(), other->begin(), other->end());
        KeyBuilder key("my.library");
        key.number("abi", m_abiVersion).describe("state object", desc);
        for (const Key& inherited : keys) key.key("inherited", inherited);
        for (const DxilLibrary& library : desc.libraries())
            keys.push_back(KeyBuilder(key).program("library", library.program).finish());
        auto named = store(keys, session);
        if (!named) return named.error();
        return CompiledStateObject<Keys>{std::move(*named), std::move(keys)};
    }

private:
    // Where the real compiler begins: here a value is its type and its key.
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

class MyPlugin final : public Plugin<MyCompiler> {
public:
    static Result<MyPlugin> open() { return MyPlugin(); }
    std::vector<AdapterFamily> adapterFamilies() const override { return {{D3D12DDI_TEXT("My GPU"), {2, 1}, makeVersion(1, 0, 0, 0)}}; }
    Result<MyCompiler> createCompiler(const Target& target, const ApplicationDesc&) const override { return MyCompiler(target.abiVersion); }
};
D3D12_COMPILER_EXPORT_PLUGIN(MyPlugin);
