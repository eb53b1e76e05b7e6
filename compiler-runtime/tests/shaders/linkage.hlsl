// One shader of each stage whose signatures the compiler's arguments name: IN and OUT are elements, PRIMITIVE those for each
// primitive of a mesh shader, CONSTANT the patch constants, OUT1 a second stream.
#ifndef IN
#define IN
#endif
#ifndef OUT
#define OUT float4 at : SV_Position; float3 tint : TINT; float2 lean : LEAN; uint4 ids : IDS;
#endif
#ifndef CONSTANT
#define CONSTANT float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor;
#endif

struct In { IN };
struct Out { OUT };

#ifdef VS
Out main(float4 at : POSITION) { return (Out)at.x; }
#endif

#ifdef HS
struct Constants { CONSTANT };
Constants constants() { return (Constants)2; }
[domain("tri")][partitioning("integer")][outputtopology("triangle_cw")][outputcontrolpoints(3)][patchconstantfunc("constants")]
Out main(uint k : SV_OutputControlPointID, InputPatch<In, 3> patch) { return (Out)k; }
#endif

#ifdef DS
#ifdef NO_CONSTANTS
#define PARAMETERS
#else
struct Constants { CONSTANT };
#define PARAMETERS Constants constants,
#endif
#ifdef NO_POINTS
[domain("tri")] Out main(PARAMETERS float3 at : SV_DomainLocation) { return (Out)at.x; }
#else
[domain("tri")] Out main(PARAMETERS float3 at : SV_DomainLocation, OutputPatch<In, 3> patch) { return (Out)at.x; }
#endif
#endif

#ifdef GS
#ifdef EMPTY
struct Nothing { };
[maxvertexcount(1)]
void main(triangle In v[3], inout PointStream<Nothing> points) { }
#elif defined(OUT1)
struct Out1 { OUT1 };
[maxvertexcount(2)]
void main(triangle In v[3], inout PointStream<Out> points, inout PointStream<Out1> more)
{
    points.Append((Out)1);
    more.Append((Out1)1);
}
#else
[maxvertexcount(1)]
void main(triangle In v[3], inout TriangleStream<Out> triangles) { triangles.Append((Out)1); }
#endif
#endif

#ifdef AS
struct Payload { uint4 content[AS]; };
groupshared Payload sent;
[numthreads(1, 1, 1)]
void main() { sent.content[0] = 1; DispatchMesh(1, 1, 1, sent); }
#endif

#ifdef MS
#ifdef PAYLOAD
struct Payload { uint4 content[PAYLOAD]; };
#define GIVEN in payload Payload given,
#define SCALE given.content[0].x
#else
#define GIVEN
#define SCALE 1
#endif
#ifdef PRIMITIVE
struct Primitive { PRIMITIVE };
#define PRIMITIVES , out primitives Primitive p[1]
#else
#define PRIMITIVES
#endif
[numthreads(1, 1, 1)][outputtopology("triangle")]
void main(GIVEN out vertices Out v[3], out indices uint3 i[1] PRIMITIVES)
{
    SetMeshOutputCounts(3, 1);
    v[0] = (Out)SCALE;
    v[1] = (Out)SCALE;
    v[2] = (Out)SCALE;
    i[0] = uint3(0, 1, 2);
#ifdef PRIMITIVE
    p[0] = (Primitive)SCALE;
#endif
}
#endif

#ifdef PS
float4 main(In v) : SV_Target { return 1; }
#endif
