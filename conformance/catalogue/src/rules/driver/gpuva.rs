//! U-GPUVA: heaps and buffers at given GPU addresses.

rules! {
    U_GPUVA_01 {
        id: "U-GPUVA-01",
        level: Must,
        section: "RecreateAtGpuva-public.md: D3D12DDIARG_CREATERESOURCE_0109",
        reading: "With a CreateAtVirtualAddress of 0 a buffer is created at an address that the driver chooses, which is not 0.",
        why: "Every application that recreates nothing depends on it.",
        hint: "Choose an address where the description has 0.",
    }

    U_GPUVA_02 {
        id: "U-GPUVA-02",
        level: Must,
        section: "RecreateAtGpuva-public.md: D3D12DDIARG_CREATERESOURCE_0109",
        reading: "A buffer with a CreateAtVirtualAddress in a range that was reserved at device creation is at that address, or its creation fails.",
        why: "A replayed command list has the address in its data.",
        hint: "Reserve the ranges before anything of the driver's own; never fall back to another address.",
    }

    U_GPUVA_03 {
        id: "U-GPUVA-03",
        level: Should,
        section: "RecreateAtGpuva-public.md: D3D12DDIARG_CREATERESOURCE_0109",
        reading: "A second buffer at an address that is taken gets a failure.",
        why: "Two resources at one address corrupt each other.",
        hint: "Keep the address until the resource is destroyed.",
    }

    U_GPUVA_04 {
        id: "U-GPUVA-04",
        level: Should,
        section: "RecreateAtGpuva-public.md: D3D12DDIARG_CREATERESOURCE_0109",
        reading: "A texture with a CreateAtVirtualAddress gets a failure.",
        why: "\"A non-zero value for CreateAtVirtualAddress is only valid only for heaps and buffer resources\".",
        hint: "Check the resource type before the address.",
    }

    U_GPUVA_05 {
        id: "U-GPUVA-05",
        level: Should,
        section: "RecreateAtGpuva-public.md: ID3D12Tools1::ReserveGPUVARangesAtCreate",
        reading: "Ranges that are unaligned, that overlap, or that are empty do not keep a device from being created, and what they cover is reserved.",
        why: "Ranges \"are not processed in any way\" before the driver gets them.",
        hint: "Round each range outwards to pages, and join what overlaps.",
    }

    U_GPUVA_06 {
        id: "U-GPUVA-06",
        level: Ambiguous,
        section: "RecreateAtGpuva-public.md",
        reading: "With a build before 111 RecreateAtTier is NOT_SUPPORTED.",
        why: "\"While the DDI rev is on 109, RecreateAt functionality is gated behind DDI 0111\".",
        hint: "Answer OPTIONS_0109 by the version that the device was created with.",
    }

    U_GPUVA_07 {
        id: "U-GPUVA-07",
        level: Must,
        section: "RecreateAtGpuva-public.md: D3D12DDIARG_CREATERESOURCE_0109",
        reading: "A buffer that is placed in another at an offset is at that address plus the offset, also where the other one is recreated; with a CreateAtVirtualAddress of its own it is there, or its creation fails.",
        why: "A replay places its buffers with the recorded offsets.",
        hint: "Compute the address from the heap's; with a CreateAtVirtualAddress compare the two.",
    }

    U_GPUVA_08 {
        id: "U-GPUVA-08",
        level: Must,
        section: "RecreateAtGpuva-public.md: ID3D12Tools1::ReserveGPUVARangesAtCreate",
        reading: "No buffer that names no address is created in a range that was reserved at device creation.",
        why: "The driver \"must immediately reserve them\": what lands there first takes the place of a recreated resource.",
        hint: "Take the ranges out of the allocator before the driver allocates anything.",
    }

    U_GPUVA_09 {
        id: "U-GPUVA-09",
        level: Should,
        section: "RecreateAtGpuva-public.md: D3D12DDIARG_CREATERESOURCE_0109",
        reading: "A buffer is created again at the address that another device of the driver chose for it, once that device is destroyed and the address reserved.",
        why: "A driver may refuse an address, but replay tools work only where that is rare.",
        hint: "Choose addresses of buffers where a later process can reserve them.",
    }
}
