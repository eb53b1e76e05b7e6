// Specialization constants that DXC's own optimizer can follow once they have their value: bare numbers next to values
// that are not constant. The first decides whether there is a branch at all.
RWByteAddressBuffer buf : register(u0);

[numthreads(32, 1, 1)]
void main(uint n : SV_DispatchThreadID)
{
    float x = asfloat(buf.Load(4 * n));
    // 0 takes the branch away; 0xffffffff leaves it to where x is not 0.
    if ((asuint(x) & 0x45670001u) != 0)
        x = log2(x) * cos(x);
    buf.Store(4 * n, asuint(x * asfloat(0x45670002u)));
}
