// A library whose resources have no registers.
cbuffer Camera { float4 eye; };
Texture2D<float4> pages[4];
RWTexture2D<float4> image;
[shader("raygeneration")]
void gen() { image[DispatchRaysIndex().xy] = eye + pages[1].Load(0); }
