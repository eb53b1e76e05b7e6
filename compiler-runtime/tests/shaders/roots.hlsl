// Libraries that declare root signatures, of which one stands for a whole one.
#ifdef GLOBAL
GlobalRootSignature first = { "UAV(u4), UAV(u5)" };
#endif
#ifdef SECOND
GlobalRootSignature second = { "UAV(u9)" };
#endif
#ifdef LOCAL
LocalRootSignature record = { "UAV(u4)" };
#endif
#ifdef SECOND_LOCAL
LocalRootSignature other = { "UAV(u5)" };
#endif
RWByteAddressBuffer result : register(u4);
[shader("raygeneration")]
void gen() { result.Store(0, 1); }
