// Unbounded arrays of each class, used in the stage that STAGE names. PLAIN leaves them out.
struct One { float4 a; };
struct Vertex { float4 at : SV_Position; };
struct Factors { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
struct Payload { uint page; };

Texture2D<float4> album[] : register(t7, space2);
ByteAddressBuffer pages[] : register(t7, space3);
RWByteAddressBuffer outs[] : register(u5, space4);
ConstantBuffer<One> many[] : register(b3, space5);
SamplerState soft[] : register(s2, space6);

float use(uint page)
{
#ifdef PLAIN
    return page;
#else
    outs[page].Store(0, pages[page].Load(4));
    return album[page].SampleLevel(soft[page], float2(0, 0), 0).x + many[page].a.x;
#endif
}

void store(uint page)
{
    outs[page].Store(8, asuint(use(page)));
}

Vertex vertex(uint page)
{
    Vertex v;
    v.at = use(page);
    return v;
}

#if !defined(LIBRARY) && !defined(NODE)
Vertex vs(uint page : SV_VertexID) { return vertex(page); }

Factors factors(uint patch : SV_PrimitiveID)
{
    Factors f;
    f.edges[0] = f.edges[1] = f.edges[2] = f.inside = 2;
    return f;
}
[domain("tri")][partitioning("integer")][outputtopology("triangle_cw")][outputcontrolpoints(3)][patchconstantfunc("factors")]
Vertex hs(uint k : SV_OutputControlPointID, InputPatch<Vertex, 3> patch) { return vertex(k); }

[domain("tri")]
Vertex ds(float3 at : SV_DomainLocation, Factors f, OutputPatch<Vertex, 3> patch, uint id : SV_PrimitiveID) { return vertex(id); }

[maxvertexcount(1)]
void gs(triangle Vertex v[3], uint id : SV_PrimitiveID, inout PointStream<Vertex> points) { points.Append(vertex(id)); }

float4 ps(Vertex v) : SV_Target { return use(v.at.x); }

groupshared Payload sent;
[numthreads(1, 1, 1)]
void as(uint group : SV_GroupID)
{
    sent.page = use(group);
    DispatchMesh(1, 1, 1, sent);
}

[numthreads(1, 1, 1)][outputtopology("triangle")]
void ms(uint group : SV_GroupID, in payload Payload given, out vertices Vertex v[3], out indices uint3 i[1])
{
    SetMeshOutputCounts(3, 1);
    v[0] = vertex(group);
    v[1] = vertex(group);
    v[2] = vertex(group);
    i[0] = uint3(0, 1, 2);
}

[numthreads(1, 1, 1)]
void cs(uint group : SV_GroupID) { store(group); }
#endif

#ifdef LIBRARY
[shader("raygeneration")]
void gen() { store(DispatchRaysIndex().x); }
#endif
#ifdef NODE
[Shader("node")][NodeLaunch("broadcasting")][NodeDispatchGrid(1, 1, 1)][NumThreads(1, 1, 1)]
void node(uint group : SV_GroupID) { store(group); }
#endif
