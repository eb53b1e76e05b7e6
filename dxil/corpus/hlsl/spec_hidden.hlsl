// Hidden specialization constants of every type, where bare numbers would be lost or give wrong code: compared, divided
// by, subtracted, added to what was widened or masked, in conditions and as bounds of loops.
#include "spec_constants.hlsli"

RWByteAddressBuffer buf : register(u0);

[numthreads(32, 1, 1)]
void main(uint n : SV_DispatchThreadID)
{
    uint at = 64 * n;

    uint u = buf.Load(at);
    if (SC_BOOL(1))
        u = (u & 15) + SC_UINT(2);
    for (uint i = 0; i < SC_UINT(2); ++i)
        u = u / max(SC_UINT(2), 1) ^ i;
    buf.Store(at, u);

    int s = (int)buf.Load(at + 4);
    if (s >= SC_INT(3))
        s = (s - SC_INT(3)) % max(SC_INT(3), 1);
    buf.Store(at + 4, s);

    float f = asfloat(buf.Load(at + 8));
    if (f < SC_FLOAT(4))
        f = sqrt(f) / (f - SC_FLOAT(4));
    buf.Store(at + 8, asuint(f));

    uint16_t u16 = buf.Load<uint16_t>(at + 12);
    if (u16 >= SC_UINT16(5))
        u16 = (uint16_t)(u16 & 15) + SC_UINT16(5);
    for (uint16_t k = 0; k < SC_UINT16(5); ++k)
        u16 = u16 * (uint16_t)3 - SC_UINT16(5);
    buf.Store<uint16_t>(at + 12, u16);

    int16_t s16 = buf.Load<int16_t>(at + 14);
    if (s16 <= SC_INT16(6))
        s16 = (s16 - SC_INT16(6)) / max(SC_INT16(6), (int16_t)1);
    buf.Store<int16_t>(at + 14, s16);

    half h = buf.Load<half>(at + 16);
    if (h > SC_HALF(7))
        h = (h - SC_HALF(7)) / max(SC_HALF(7), (half)1);
    buf.Store<half>(at + 16, h);

    uint64_t u64 = buf.Load<uint64_t>(at + 24);
    if (u64 >= SC_UINT64(8, 9))
        u64 = (uint64_t)n + SC_UINT64(8, 9);
    for (uint64_t m = 0; m < SC_UINT64(8, 9); ++m)
        u64 = u64 / max(SC_UINT64(8, 9), 1) ^ m;
    buf.Store<uint64_t>(at + 24, u64);

    int64_t s64 = buf.Load<int64_t>(at + 32);
    if (s64 < SC_INT64(10, 11))
        s64 = (s64 - SC_INT64(10, 11)) * SC_INT64(10, 11);
    buf.Store<int64_t>(at + 32, s64);

    double d = buf.Load<double>(at + 40);
    if (d >= SC_DOUBLE(12, 13))
        d = (double)n + SC_DOUBLE(12, 13);
    else
        d = (d - SC_DOUBLE(12, 13)) * SC_DOUBLE(12, 13);
    buf.Store<double>(at + 40, d);
}
