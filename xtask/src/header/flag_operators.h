#ifndef DEFINE_ENUM_FLAG_OPERATORS
#ifdef __cplusplus
#define DEFINE_ENUM_FLAG_OPERATORS(T)                                                              \
    extern "C++" {                                                                                 \
    constexpr T operator|(T a, T b) { return T(INT(a) | INT(b)); }                                 \
    constexpr T operator&(T a, T b) { return T(INT(a) & INT(b)); }                                 \
    constexpr T operator^(T a, T b) { return T(INT(a) ^ INT(b)); }                                 \
    constexpr T operator~(T a) { return T(~INT(a)); }                                              \
    inline T &operator|=(T &a, T b) { return a = a | b; }                                          \
    inline T &operator&=(T &a, T b) { return a = a & b; }                                          \
    inline T &operator^=(T &a, T b) { return a = a ^ b; }                                          \
    }
#else
#define DEFINE_ENUM_FLAG_OPERATORS(T)
#endif
#endif
