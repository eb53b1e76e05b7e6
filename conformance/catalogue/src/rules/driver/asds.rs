//! U-ASDS: application-specific driver state.

rules! {
    U_ASDS_01 {
        id: "U-ASDS-01",
        level: Must,
        section: "Application_Specific_Driver_State.md: Blob layout",
        reading: "The blob begins with a D3D12_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER, which is the same the next time, and has as many bytes as the size function says.",
        why: "A tool stores the blob by that size, and asks by its first 32 bytes whether it still fits.",
        hint: "Write the identifier first; count it in the size.",
    }

    U_ASDS_02 {
        id: "U-ASDS-02",
        level: Must,
        section: "Application_Specific_Driver_State.md: D3D12_SERIALIZED_DATA_TYPE",
        reading: "The driver finds the identifier of its own blob compatible, for data of the type of driver state.",
        why: "A replay tool refuses the capture otherwise, on the machine that made it.",
        hint: "Answer COMPATIBLE_WITH_DEVICE for D3D12_SERIALIZED_DATA_APPLICATION_SPECIFIC_DRIVER_STATE too.",
    }

    U_ASDS_03 {
        id: "U-ASDS-03",
        level: Must,
        section: "Application_Specific_Driver_State.md: D3D12_SERIALIZED_DATA_TYPE",
        reading: "The driver does not find an identifier compatible that is not its own.",
        why: "State of another driver would be applied to this one.",
        hint: "Compare the whole GUID.",
    }

    U_ASDS_04 {
        id: "U-ASDS-04",
        level: Must,
        section: "Application_Specific_Driver_State.md: Driver Conformance Tests",
        reading: "A blob that the driver gave, set for the adapter, is accessible at device creation, and the status is USED.",
        why: "A replay needs the workarounds of the captured application.",
        hint: "Ask for the blob by QueryAdapterInfoCb2 when the device is created, and apply it.",
    }

    U_ASDS_05 {
        id: "U-ASDS-05",
        level: Must,
        section: "Application_Specific_Driver_State.md: Driver Conformance Tests",
        reading: "A blob that is not the driver's, of any size, does not keep the device from being created, and the status is IGNORED.",
        why: "A capture of another machine must not change what the driver does.",
        hint: "Check the identifier before anything else of the blob.",
    }

    U_ASDS_06 {
        id: "U-ASDS-06",
        level: Must,
        section: "Application_Specific_Driver_State.md: Driver Conformance Tests",
        reading: "Without a blob for the adapter the status is NOT_SPECIFIED.",
        why: "Tools tell a blob that was ignored from one that was never set.",
        hint: "D3DDDIERR_NOTAVAILABLE means that there is none.",
    }

    U_ASDS_07 {
        id: "U-ASDS-07",
        level: Must,
        section: "Application_Specific_Driver_State.md: D3DDDI_QUERYADAPTERTYPE",
        reading: "A runtime that answers the query with E_INVALIDARG, as older ones do, gets its device all the same.",
        why: "The driver runs under every runtime that there is.",
        hint: "A failed query is no failure of the device.",
    }

    U_ASDS_08 {
        id: "U-ASDS-08",
        level: Should,
        section: "Application_Specific_Driver_State.md: D3DDDI_QUERYADAPTERTYPE",
        reading: "A blob that is a byte larger than the driver's first buffer is asked for again with the size that the runtime named.",
        why: "\"The driver is responsible for ensuring that the buffer is large enough\"; the state would be lost.",
        hint: "On E_NOT_SUFFICIENT_BUFFER allocate PrivateDriverDataSize bytes and ask once more.",
    }

    U_ASDS_09 {
        id: "U-ASDS-09",
        level: Must,
        section: "Application_Specific_Driver_State.md: D3D12DDI_DEVICE_FUNCS_CORE_0113",
        reading: "`pfnGetApplicationSpecificDriverState` writes no byte behind the size that it is given.",
        why: "The memory behind the blob is the tool's.",
        hint: "Compare the size before you copy.",
    }

    U_ASDS_10 {
        id: "U-ASDS-10",
        level: Must,
        section: "Application_Specific_Driver_State.md: Meta Command version",
        reading: "The meta command GetApplicationSpecificDriverState gives the blob of `pfnGetApplicationSpecificDriverState` while it is recorded, and its size where the memory is too small.",
        why: "Tools read the state of applications on older versions of D3D12 in this way.",
        hint: "Call the device's function when the command is recorded; write the size to *pBlobSize.",
    }

    U_ASDS_11 {
        id: "U-ASDS-11",
        level: Must,
        section: "Application_Specific_Driver_State.md: Driver Conformance Tests",
        reading: "Once the meta command EnableDummyApplicationSpecificDriverStateBlob has enabled it, the driver has a blob, of at least an identifier.",
        why: "Without an application that needs workarounds there is no other blob to test with.",
        hint: "Return the identifier and any bytes behind it.",
    }

    U_ASDS_12 {
        id: "U-ASDS-12",
        level: Should,
        section: "Application_Specific_Driver_State.md: D3D12DDI_DEVICE_FUNCS_CORE_0113",
        reading: "`pfnGetApplicationSpecificDriverState` fails when the memory is too small.",
        why: "A caller that takes S_OK for a blob stores a part of it.",
        hint: "Return E_INVALIDARG or E_NOT_SUFFICIENT_BUFFER.",
    }
}
