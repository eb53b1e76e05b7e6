// A constant buffer at b1 whose members MEMBERS names, which are at most one matrix or array each.
struct Inner { float2 a; uint list[3]; };
struct Matrices { float4x4 view; float3x4 object; };
struct Plain { float4 a; float b; };

#ifdef BUFFERS
struct Members { MEMBERS };
ConstantBuffer<Members> constants[BUFFERS] : register(b1);
#define CONSTANTS constants[index]
#else
struct Members { MEMBERS };
ConstantBuffer<Members> constants : register(b1);
#define CONSTANTS constants
#endif
RWByteAddressBuffer result : register(u0);

void use(uint index) { result.Store(0, asuint(float(CONSTANTS.USED))); }

#ifdef LIBRARY
[shader("raygeneration")]
void gen() { use(DispatchRaysIndex().x); }
#else
[numthreads(1, 1, 1)]
void main(uint3 group : SV_GroupID) { use(group.x); }
#endif
