// Specialization constants of every type in every stage.
#include "spec_constants.hlsli"

static float specialized(float x, uint n)
{
    if (SC_BOOL(1))
        x = sqrt(x);
    x += (float)((int)n / max(SC_INT(2), 1));
    for (uint k = 0; k < SC_UINT(3); ++k)
        x = frac(x * SC_FLOAT(4));
    x += (float)((half)x * SC_BARE_HALF(5));
    x += (float)((int16_t)n * SC_BARE_INT16(6));
    x += (float)((uint64_t)n * SC_BARE_UINT64(7));
    x += (float)((double)x * SC_BARE_DOUBLE(8));
    return x;
}

RWByteAddressBuffer buf : register(u0);

static void store(uint n)
{
    buf.Store(4 * n, asuint(specialized(asfloat(buf.Load(4 * n)), n)));
}

#ifndef LIBRARY
struct Vertex { float4 position : SV_Position; float value : VALUE; };

Vertex vs_main(uint n : SV_VertexID)
{
    Vertex v = { float4(n, 0, 0, 1), specialized(n, n) };
    return v;
}

struct Patch { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };

Patch patch(InputPatch<Vertex, 3> p)
{
    Patch o;
    o.edges[0] = o.edges[1] = o.edges[2] = o.inside = p[0].value;
    return o;
}

[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("patch")]
Vertex hs_main(InputPatch<Vertex, 3> p, uint n : SV_OutputControlPointID)
{
    Vertex v = p[n];
    v.value = specialized(v.value, n);
    return v;
}

[domain("tri")]
Vertex ds_main(Patch patch, float3 at : SV_DomainLocation, OutputPatch<Vertex, 3> p, uint n : SV_PrimitiveID)
{
    Vertex v = p[0];
    v.value = specialized(at.x, n);
    return v;
}

[maxvertexcount(3)]
void gs_main(triangle Vertex p[3], uint n : SV_PrimitiveID, inout TriangleStream<Vertex> stream)
{
    for (uint k = 0; k < 3; ++k)
    {
        Vertex v = p[k];
        v.value = specialized(v.value, n);
        stream.Append(v);
    }
}

float4 ps_main(Vertex v, uint n : SV_PrimitiveID) : SV_Target
{
    return specialized(v.value, n);
}

[numthreads(32, 1, 1)]
void cs_main(uint n : SV_DispatchThreadID)
{
    store(n);
}

struct MeshPayload { float value; };
groupshared MeshPayload mesh_payload;

[numthreads(1, 1, 1)]
void as_main(uint n : SV_GroupID)
{
    mesh_payload.value = specialized(n, n);
    DispatchMesh(1, 1, 1, mesh_payload);
}

[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms_main(uint n : SV_GroupIndex, in payload MeshPayload p, out vertices Vertex v[3], out indices uint3 triangles[1])
{
    SetMeshOutputCounts(3, 1);
    v[n].position = float4(n, 0, 0, 1);
    v[n].value = specialized(p.value, n);
    triangles[0] = uint3(0, 1, 2);
}

#else
struct [raypayload] RayPayload { uint n : read(caller, anyhit, closesthit, miss) : write(caller, closesthit, miss); };
struct Attributes { float2 at; };
struct Parameter { uint n; };

[shader("raygeneration")] void raygeneration_main() { store(DispatchRaysIndex().x); }
[shader("intersection")] void intersection_main() { store(PrimitiveIndex()); }
[shader("anyhit")] void anyhit_main(inout RayPayload p, Attributes a) { store(p.n); }
[shader("closesthit")] void closesthit_main(inout RayPayload p, Attributes a) { store(p.n); }
[shader("miss")] void miss_main(inout RayPayload p) { store(p.n); }
[shader("callable")] void callable_main(inout Parameter p) { store(p.n); }

[shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [numthreads(32, 1, 1)]
void node_main(uint n : SV_DispatchThreadID) { store(n); }
#endif
