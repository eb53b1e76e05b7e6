# What `find_package(D3D12CompilerKit)` gives:
#
#   D3D12CompilerKit::headers       the folder of the headers
#   D3D12CompilerKit::runtime       the compiler runtime: d3d12_compiler_api.h
#   D3D12CompilerKit::conformance   the conformance suite for C and C++: ddi_conformance.h
#   D3D12CompilerKit::sample_plugin, ::checking_plugin, ::trace_plugin, ::mock_umd, ::mock_runtime
#                                   libraries to load: $<TARGET_FILE:D3D12CompilerKit::sample_plugin>
#   D3D12CompilerKit::ddi-conformance, ::D3D12StateObjectCompiler, ::dxil-tool
#                                   programs, for the COMMAND of tests and custom commands
#   d3d12_compiler_kit_add_conformance_test(TARGET [NAME test] [SET smoke|full])
#                                   a test that runs the conformance suite on the plugin TARGET
cmake_minimum_required(VERSION 3.15)

if(NOT TARGET D3D12CompilerKit::headers)
    get_filename_component(_kit "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

    add_library(D3D12CompilerKit::headers INTERFACE IMPORTED)
    set_target_properties(D3D12CompilerKit::headers PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${_kit}/include")

    set(_kit_runtime compiler_runtime)
    set(_kit_conformance ddi_conformance_c)
    foreach(_kit_name runtime conformance)
        add_library(D3D12CompilerKit::${_kit_name} SHARED IMPORTED)
        # Without a name in the library, the linker would put its path into the program.
        set_target_properties(D3D12CompilerKit::${_kit_name} PROPERTIES
            IMPORTED_LOCATION "${_kit}/@LIBRARIES@/@BEFORE@${_kit_${_kit_name}}@AFTER@"
            IMPORTED_IMPLIB "${_kit}/lib/${_kit_${_kit_name}}.lib"
            IMPORTED_NO_SONAME TRUE
            INTERFACE_LINK_LIBRARIES D3D12CompilerKit::headers)
    endforeach()

    foreach(_kit_name sample_plugin checking_plugin trace_plugin mock_umd mock_runtime)
        add_library(D3D12CompilerKit::${_kit_name} MODULE IMPORTED)
        set_target_properties(D3D12CompilerKit::${_kit_name} PROPERTIES
            IMPORTED_LOCATION "${_kit}/@LIBRARIES@/@BEFORE@${_kit_name}@AFTER@")
    endforeach()

    foreach(_kit_name ddi-conformance D3D12StateObjectCompiler dxil-tool)
        add_executable(D3D12CompilerKit::${_kit_name} IMPORTED)
        set_target_properties(D3D12CompilerKit::${_kit_name} PROPERTIES
            IMPORTED_LOCATION "${_kit}/bin/${_kit_name}@EXE@")
    endforeach()

    unset(_kit)
    unset(_kit_name)
    unset(_kit_runtime)
    unset(_kit_conformance)
endif()

function(d3d12_compiler_kit_add_conformance_test target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;SET" "")
    if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
        message(FATAL_ERROR "d3d12_compiler_kit_add_conformance_test(TARGET [NAME test] [SET smoke|full])")
    endif()
    if(NOT arg_NAME)
        set(arg_NAME ${target}.conformance)
    endif()
    if(NOT arg_SET)
        set(arg_SET full)
    endif()
    add_test(NAME ${arg_NAME}
        COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:D3D12CompilerKit::ddi-conformance>
            run $<TARGET_FILE:${target}> --set ${arg_SET})
endfunction()
