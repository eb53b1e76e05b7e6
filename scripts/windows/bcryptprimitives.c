// Wine before 9.0 has no bcryptprimitives.dll, which Rust's standard library takes random numbers
// from. This is enough of it, for the Wine prefix of scripts/windows-test and nothing else.

#include <stddef.h>

__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *, unsigned long);

__declspec(dllexport) int __stdcall ProcessPrng(void *buffer, size_t size)
{
    return SystemFunction036(buffer, (unsigned long)size);
}
