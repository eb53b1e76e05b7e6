// Specialization constants: numbers that the compiler must take as they are, and that are found in the compiled shader
// and overwritten there. Each has an id; the number is a magic with the id in its low bits, and is encoded with room for
// every value of its type. See docs/specialization-constants.md.
//
// Hidden behind an addition of 0 that DXC does not see through (shader model 6.4): these can be used like variables, in
// comparisons, branches and loops as well. Each id is a number of 32 bits. Those for fewer bits use the low ones, those for
// 64 bits have an id for either half. Another magic is one of 0x08000000 to 0xf7ff0000, with
// 16 zeros at the end.
#ifndef SC_MAGIC
#define SC_MAGIC 0x45670000u
#endif
#define SC_UINT(id) dot4add_u8packed(0, 0, SC_MAGIC | (id))
#define SC_INT(id) ((int)SC_UINT(id))
#define SC_FLOAT(id) asfloat(SC_UINT(id))
#define SC_BOOL(id) (SC_UINT(id) != 0)
#define SC_UINT16(id) ((uint16_t)SC_UINT(id))
#define SC_INT16(id) ((int16_t)SC_UINT(id))
#define SC_HALF(id) asfloat16(SC_UINT16(id))
#define SC_UINT64(low, high) ((uint64_t)SC_UINT(high) << 32 | SC_UINT(low))
#define SC_INT64(low, high) ((int64_t)SC_UINT64(low, high))
#define SC_DOUBLE(low, high) asdouble(SC_UINT(low), SC_UINT(high))
// Bare numbers of 16 and 64 bits: only as a factor of a value that is not constant, or added to one of which the compiler
// knows no bit. The id has 8 bits for 16-bit types.
#define SC_BARE_INT16(id) ((int16_t)(-15104 + (id)))
#define SC_BARE_HALF(id) asfloat16((uint16_t)(0xc500u | (id)))
#define SC_BARE_UINT64(id) (0x4567456745670000ull | (id))
#define SC_BARE_DOUBLE(id) asdouble(0x45670000u | (id), 0x45674567u)
