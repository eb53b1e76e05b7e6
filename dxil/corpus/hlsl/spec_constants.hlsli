// Specialization constants: numbers that the compiler must take as they are, and that are found in the compiled shader
// and overwritten there. Each has an id; the number is a magic with the id in its low bits, and is encoded with room for
// every value of its type. See docs/specialization-constants.md.
//
// 32 bits and bool: behind an addition of 0 that DXC does not see through (shader model 6.4), so that they can be used
// like variables, in conditions and loops as well.
#define SC_UINT(id) dot4add_u8packed(0, 0, 0x45670000u | (id))
#define SC_INT(id) ((int)SC_UINT(id))
#define SC_FLOAT(id) asfloat(SC_UINT(id))
#define SC_BOOL(id) (SC_UINT(id) != 0)
// 16 and 64 bits: bare numbers, so only as a factor of a value that is not constant, or added to one of which the compiler
// knows no bit. The id has 8 bits for 16-bit types.
#define SC_INT16(id) ((int16_t)(-15104 + (id)))
#define SC_HALF(id) asfloat16((uint16_t)(0xc500u | (id)))
#define SC_UINT64(id) (0x4567456745670000ull | (id))
#define SC_DOUBLE(id) asdouble(0x45670000u | (id), 0x45674567u)
