/* drop_in.c: a program that is linked to the compiler runtime under the names of Microsoft's DLLs.
 *
 *     drop_in <plugin>
 *
 * Nothing is loaded by a path: D3D12StateObjectCompiler.dll and D3D12Core.dll, both copies of the
 * runtime, are in the program's folder. Prints the plugin's adapter families, and whether there is a
 * factory of state object databases.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */

#include "d3d12_compiler_api.h"

#include <stdio.h>

int wmain(int argc, wchar_t **argv)
{
    ID3D12CompilerFactory *factory;
    ID3D12StateObjectDatabaseFactory *databases;
    D3D12_ADAPTER_FAMILY family;
    HRESULT result;
    UINT i;

    if (argc != 2) {
        fprintf(stderr, "usage: drop_in <plugin>\n");
        return 2;
    }
    result = D3D12CompilerCreateFactory(argv[1], &IID_ID3D12CompilerFactory, (void **)&factory);
    if (FAILED(result)) {
        fprintf(stderr, "no factory: 0x%08lX\n", (unsigned long)result);
        return 1;
    }
    for (i = 0; SUCCEEDED(ID3D12CompilerFactory_EnumerateAdapterFamilies(factory, i, &family)); i++)
        printf("family %u: %ls\n", i, family.szAdapterFamily);
    ID3D12CompilerFactory_Release(factory);

    result = D3D12GetInterface(
        &CLSID_D3D12StateObjectFactory, &IID_ID3D12StateObjectDatabaseFactory, (void **)&databases);
    printf("state object databases: 0x%08lX\n", (unsigned long)result);
    if (SUCCEEDED(result))
        ID3D12StateObjectDatabaseFactory_Release(databases);
    return FAILED(result);
}
