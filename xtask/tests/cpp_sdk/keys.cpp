// Keys of a state object that is described in every order; the argument is a library of shaders.

#include "d3d12_compiler_plugin.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>

using d3d12_compiler::Key;
using d3d12_compiler::KeyBuilder;
using Subobject = D3D12DDI_STATE_SUBOBJECT_0054;

namespace {

std::vector<UINT> words(const char* name)
{
    std::ifstream file(name, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<UINT> words((bytes.size() + 3) / 4);
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(words.data()));
    return words;
}

void require(bool holds, const char* what)
{
    if (!holds) {
        std::fprintf(stderr, "%s\n", what);
        std::exit(1);
    }
}

// A state object, of which a test changes what it is about.
struct Described {
    explicit Described(const UINT* code)
    {
        exports[0].Name = D3D12_COMPILER_TEXT("first");
        exports[1].Name = D3D12_COMPILER_TEXT("second");
        library = {code, 2, exports};
        other = {code, 1, exports + 1};
        group.HitGroupExport = D3D12_COMPILER_TEXT("group");
        program.pExports = names;
        program.NumExports = 2;
        program.pSubobjects = &listed;
        program.NumSubobjects = 1;
        summaries[0].ExportNameUnmangled = exports[0].Name;
        summaries[1].ExportNameUnmangled = exports[1].Name;
        summary = {2, summaries, {}};
        for (D3D12DDI_NODE_0108& node : nodes) {
            node.NodeType = D3D12DDI_NODE_TYPE_SHADER_0108;
            node.Shader.Shader = exports[&node - nodes].Name;
        }
        graph.ProgramName = D3D12_COMPILER_TEXT("graph");
        graph.NumNodes = graph.NumEntrypoints = 2;
        graph.pNodes = nodeLinks;
        graph.pEntrypoints = entryLinks;
    }

    Key key(const std::vector<std::size_t>& order, bool isSplit = false)
    {
        library.NumExports = isSplit ? 1 : 2;
        const Subobject all[] = {
            {D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG, &config},
            {D3D12DDI_STATE_SUBOBJECT_TYPE_BLEND, &blend},
            {D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library},
            {D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP, &group},
            {D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM, &program},
            {D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH, &graph},
            {D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY, &summary},
            {D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &other},
        };
        std::vector<Subobject> subobjects;
        for (const std::size_t place : order) {
            subobjects.push_back(all[place]);
        }
        const auto at = [&](std::size_t place) {
            return subobjects.data() + (std::find(order.begin(), order.end(), place) - order.begin());
        };
        const Subobject* associated = at(0);
        listed = at(1);
        summaries[0].ppAssociatedSubobjects = &associated;
        summaries[0].NumAssociatedSubobjects = 1;
        D3D12DDIARG_CREATE_STATE_OBJECT_0054 arguments{};
        arguments.Type = D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE;
        arguments.NumSubobjects = static_cast<UINT>(subobjects.size());
        arguments.pSubobjects = subobjects.data();
        return KeyBuilder("test").describe("state object", arguments).finish();
    }

    D3D12DDI_RAYTRACING_SHADER_CONFIG_0054 config{32, 8};
    D3D12DDI_BLEND_DESC_0010 blend{};
    D3D12DDI_EXPORT_DESC_0054 exports[2]{};
    D3D12DDI_DXIL_LIBRARY_DESC_0054 library{}, other{};
    D3D12DDI_HIT_GROUP_DESC_0054 group{};
    const D3D12_COMPILER_WCHAR* names[2]{D3D12_COMPILER_TEXT("vs"), D3D12_COMPILER_TEXT("ps")};
    const Subobject* listed = nullptr;
    D3D12DDI_GENERIC_PROGRAM_DESC_0108 program{};
    D3D12DDI_FUNCTION_SUMMARY_NODE_0054 summaries[2]{};
    D3D12DDI_FUNCTION_SUMMARY_0054 summary{};
    D3D12DDI_NODE_0108 nodes[2]{};
    D3D12DDI_NODE_LIST_ENTRY_0108 nodeLinks[2]{{nodes, nodeLinks + 1}, {nodes + 1, nullptr}};
    D3D12DDI_NODE_LIST_ENTRY_0108 entryLinks[2]{{nodes, entryLinks + 1}, {nodes + 1, nullptr}};
    D3D12DDI_WORK_GRAPH_DESC_0108 graph{};
};

} // namespace

int main(int count, char** arguments)
{
    require(count == 2, "usage: keys LIBRARY.dxil");
    const std::vector<UINT> code = words(arguments[1]);
    std::vector<std::size_t> order(7);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::vector<std::size_t> first = order;
    const Key key = Described(code.data()).key(first);
    do {
        require(Described(code.data()).key(order) == key, "the order of subobjects counts");
    } while (std::next_permutation(order.begin(), order.end()));

    const auto changed = [&](auto change) {
        Described other(code.data());
        change(other);
        return !(other.key(first) == key);
    };
    require(!changed([](Described& d) { std::swap(d.exports[0], d.exports[1]); }), "the order of exports counts");
    require(!changed([](Described& d) { std::swap(d.names[0], d.names[1]); }), "the order of a program's exports counts");
    require(!changed([](Described& d) { std::swap(d.nodeLinks[0].pNode, d.nodeLinks[1].pNode); }),
            "the order of nodes counts");
    require(changed([](Described& d) { std::swap(d.entryLinks[0].pNode, d.entryLinks[1].pNode); }),
            "the order of entry points does not count");
    require(changed([](Described& d) { d.config.MaxPayloadSizeInBytes = 33; }), "a configuration does not count");
    require(changed([](Described& d) { d.blend.AlphaToCoverageEnable = 1; }), "state of a program does not count");
    require(changed([](Described& d) { d.exports[0].Name = D3D12_COMPILER_TEXT("other"); }), "a name does not count");
    require(changed([](Described& d) { d.program.NumSubobjects = 0; }), "what a program lists does not count");

    std::vector<std::size_t> split = first;
    split.push_back(7);
    require(Described(code.data()).key(split, true) == key, "it counts in how many libraries the exports are");
    std::puts("every order has the same key");
}
