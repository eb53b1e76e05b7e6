/* runtime_client.c: a program that is linked to the compiler runtime, and gets a factory of it. */

#include "d3d12_compiler_api.h"

#include <stdio.h>

int main(void)
{
    ID3D12StateObjectDatabaseFactory *databases;
    HRESULT result = D3D12GetInterface(
        &CLSID_D3D12StateObjectFactory, &IID_ID3D12StateObjectDatabaseFactory, (void **)&databases);

    printf("state object databases: 0x%08lX\n", (unsigned long)result);
    if (SUCCEEDED(result))
        ID3D12StateObjectDatabaseFactory_Release(databases);
    return FAILED(result);
}
