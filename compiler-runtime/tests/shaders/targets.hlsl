// Pixel shaders with TARGETS outputs of TYPE.
#if TARGETS == 0
void main() { }
#else
struct Targets { TYPE values[TARGETS] : SV_Target; };
Targets main() { return (Targets)1; }
#endif
