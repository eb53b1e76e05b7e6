//! Signatures are those that the sources declare.

use dxil::{Container, Error, ErrorKind, FourCc, SignatureElement, SystemValue};

use crate::valid::shaders;

const PARTS: [FourCc; 3] = [FourCc::ISG1, FourCc::OSG1, FourCc::PSG1];

/// Every field of an element: stream, name and index, system value, type, register, components,
/// read-write mask, precision.
fn text(element: SignatureElement<'_>) -> String {
    let components = |mask: u8| {
        let bits = "xyzw".char_indices();
        bits.map(|(bit, name)| if mask >> bit & 1 == 1 { name } else { '.' })
            .collect::<String>()
    };
    format!(
        "{}:{}{} {:?} {:?} {} {} {} {:?}",
        element.stream(),
        element.name().escape_ascii(),
        element.semantic_index(),
        element.system_value(),
        element.component_type(),
        element
            .register()
            .map_or("-".to_owned(), |register| register.to_string()),
        components(element.mask()),
        components(element.rw_mask()),
        element.min_precision(),
    )
}

/// Written by hand from the sources in `hlsl/`. Inputs are packed into registers in their order,
/// each read where the source reads it; outputs have all of their components written.
#[rustfmt::skip]
const EXPECTED: [(&str, FourCc, &[&str]); 14] = [
    ("forward_plain_vs", FourCc::ISG1, &[
        "0:POSITION0 UNDEFINED FLOAT32 0 xyz. xyz. DEFAULT",
        "0:NORMAL0 UNDEFINED FLOAT32 1 xy.. xy.. DEFAULT",
        "0:TEXCOORD0 UNDEFINED FLOAT32 2 xy.. xy.. DEFAULT",
        "0:COLOR0 UNDEFINED FLOAT32 3 xyzw xyzw DEFAULT",
    ]),
    ("forward_plain_vs", FourCc::OSG1, &[
        "0:SV_Position0 POSITION FLOAT32 0 xyzw .... DEFAULT",
        "0:WORLDPOS0 UNDEFINED FLOAT32 1 xyz. ...w DEFAULT",
        "0:NORMAL0 UNDEFINED FLOAT32 2 xyz. ...w DEFAULT",
        "0:TEXCOORD0 UNDEFINED FLOAT32 3 xy.. ..zw DEFAULT",
        "0:MATERIAL0 UNDEFINED UINT32 4 x... .yzw DEFAULT",
        "0:COLOR0 UNDEFINED FLOAT32 5 xyzw .... DEFAULT",
    ]),
    // Without -DLIT the pixel shader uses the colour only.
    ("forward_plain_ps", FourCc::ISG1, &[
        "0:SV_Position0 POSITION FLOAT32 0 xyzw .... DEFAULT",
        "0:WORLDPOS0 UNDEFINED FLOAT32 1 xyz. .... DEFAULT",
        "0:NORMAL0 UNDEFINED FLOAT32 2 xyz. .... DEFAULT",
        "0:TEXCOORD0 UNDEFINED FLOAT32 3 xy.. .... DEFAULT",
        "0:MATERIAL0 UNDEFINED UINT32 4 x... .... DEFAULT",
        "0:COLOR0 UNDEFINED FLOAT32 5 xyzw xyzw DEFAULT",
    ]),
    // Arrays are one element for each row.
    ("skinned_vs", FourCc::ISG1, &[
        "0:POSITION0 UNDEFINED FLOAT32 0 xyz. xyz. DEFAULT",
        "0:NORMAL0 UNDEFINED FLOAT32 1 xyz. xyz. DEFAULT",
        "0:TANGENT0 UNDEFINED FLOAT32 2 xyzw xyzw DEFAULT",
        "0:BLENDINDICES0 UNDEFINED UINT32 3 xyzw xyzw DEFAULT",
        "0:BLENDWEIGHT0 UNDEFINED FLOAT32 4 xyzw xyzw DEFAULT",
        "0:TEXCOORD0 UNDEFINED FLOAT32 5 xy.. xy.. DEFAULT",
        "0:TEXCOORD1 UNDEFINED FLOAT32 6 xy.. xy.. DEFAULT",
        "0:OBJECTID0 UNDEFINED SINT32 7 xy.. xy.. DEFAULT",
        "0:SV_InstanceID0 INSTANCE_ID UINT32 8 x... x... DEFAULT",
        "0:SV_VertexID0 VERTEX_ID UINT32 9 x... x... DEFAULT",
    ]),
    // Three integers share a register.
    ("gbuffer_ps", FourCc::ISG1, &[
        "0:SV_Position0 POSITION FLOAT32 0 xyzw ..z. DEFAULT",
        "0:NORMAL0 UNDEFINED FLOAT32 1 xyz. xyz. DEFAULT",
        "0:TEXCOORD0 UNDEFINED FLOAT32 2 xy.. xy.. DEFAULT",
        "0:OBJECTID0 UNDEFINED UINT32 3 x... x... DEFAULT",
        "0:SV_IsFrontFace0 IS_FRONT_FACE UINT32 3 .y.. .y.. DEFAULT",
        "0:SV_PrimitiveID0 PRIMITIVE_ID UINT32 3 ..z. ..z. DEFAULT",
    ]),
    ("gbuffer_ps", FourCc::OSG1, &[
        "0:SV_Target0 TARGET FLOAT32 0 xyzw .... DEFAULT",
        "0:SV_Target1 TARGET FLOAT32 1 xy.. ..zw DEFAULT",
        "0:SV_Target2 TARGET UINT32 2 xy.. ..zw DEFAULT",
        "0:SV_Target3 TARGET FLOAT32 3 xyzw .... DEFAULT",
    ]),
    // Not packed: depth, stencil.
    ("depth_stencil_ps", FourCc::OSG1, &[
        "0:SV_StencilRef0 STENCIL_REF UINT32 - x... .yzw DEFAULT",
        "0:SV_Depth0 DEPTH FLOAT32 - x... .yzw DEFAULT",
    ]),
    ("half_min_ps", FourCc::ISG1, &[
        "0:SV_Position0 POSITION FLOAT32 0 xyzw xy.. DEFAULT",
        "0:COLOR0 UNDEFINED FLOAT16 1 xyzw xyzw FLOAT_16",
        "0:INDEX0 UNDEFINED SINT16 2 x... x... SINT_16",
    ]),
    ("half_native_ps", FourCc::ISG1, &[
        "0:SV_Position0 POSITION FLOAT32 0 xyzw xy.. DEFAULT",
        "0:COLOR0 UNDEFINED FLOAT16 1 xyzw xyzw DEFAULT",
        "0:INDEX0 UNDEFINED SINT16 2 x... x... DEFAULT",
    ]),
    // The factors of the edges take one component of a register each, CENTRE what is left of one.
    ("tess_tri_hs", FourCc::PSG1, &[
        "0:SV_TessFactor0 FINAL_TRI_EDGE_TESSFACTOR FLOAT32 0 ...w xyz. DEFAULT",
        "0:CENTRE0 UNDEFINED FLOAT32 0 xyz. ...w DEFAULT",
        "0:SV_TessFactor1 FINAL_TRI_EDGE_TESSFACTOR FLOAT32 1 ...w xyz. DEFAULT",
        "0:SV_TessFactor2 FINAL_TRI_EDGE_TESSFACTOR FLOAT32 2 ...w xyz. DEFAULT",
        "0:SV_InsideTessFactor0 FINAL_TRI_INSIDE_TESSFACTOR FLOAT32 3 x... .yzw DEFAULT",
    ]),
    ("layers_gs", FourCc::OSG1, &[
        "0:SV_Position0 POSITION FLOAT32 0 xyzw .... DEFAULT",
        "0:WORLDPOS0 UNDEFINED FLOAT32 1 xyz. ...w DEFAULT",
        "0:SV_RenderTargetArrayIndex0 RENDER_TARGET_ARRAY_INDEX UINT32 2 x... .yzw DEFAULT",
    ]),
    ("streams_gs", FourCc::OSG1, &[
        "0:SV_Position0 POSITION FLOAT32 0 xyzw .... DEFAULT",
        "0:AGE0 UNDEFINED FLOAT32 1 x... .yzw DEFAULT",
        "1:VELOCITY0 UNDEFINED FLOAT32 0 xyz. ...w DEFAULT",
        "2:IDENT0 UNDEFINED UINT32 0 x... .yzw DEFAULT",
        "2:EXTRA0 UNDEFINED FLOAT32 1 xy.. ..zw DEFAULT",
    ]),
    ("meshlet_prim_ms", FourCc::PSG1, &[
        "0:SV_PrimitiveID0 PRIMITIVE_ID UINT32 0 x... .yzw DEFAULT",
        "0:LAYERINFO0 UNDEFINED UINT32 1 x... .yzw DEFAULT",
        "0:SV_CullPrimitive0 CULLPRIMITIVE UINT32 - x... .yzw DEFAULT",
    ]),
    ("raw_copy_cs", FourCc::ISG1, &[]),
];

#[test]
fn elements_are_those_of_the_source() {
    for (name, part, expected) in EXPECTED {
        let bytes = std::fs::read(crate::path(&format!("dxil/{name}.dxil"))).unwrap();
        let container = Container::parse(&bytes).unwrap();
        let signature = container.signature(part).unwrap().unwrap();
        let found: Vec<_> = signature.elements().map(text).collect();
        assert_eq!(found, expected, "{name} {part}");
    }
}

/// Compilers differ in how they align parts, not in what is in them.
#[test]
fn all_compilers_write_the_same_signatures() {
    let mut compared = 0;
    for shader in shaders() {
        let name = &shader.entry.name;
        let Some(base) = ["_linux", "_old"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
        else {
            continue;
        };
        let bytes = [base, name]
            .map(|name| std::fs::read(crate::path(&format!("dxil/{name}.dxil"))).unwrap());
        let [a, b] = bytes.each_ref().map(|bytes| {
            let container = Container::parse(bytes).unwrap();
            PARTS.map(|part| {
                let signature = container.signature(part).unwrap();
                signature.map(|signature| signature.elements().map(text).collect::<Vec<_>>())
            })
        });
        assert_eq!(a, b, "{name}");
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

/// Every shader that is not a library has an input and an output signature, even if it is empty.
/// Elements have names and components, and a system value if the name starts with `SV_`.
#[test]
fn every_signature_is_read() {
    for shader in shaders() {
        let name = &shader.entry.name;
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        for part in PARTS {
            let signature = container
                .signature(part)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(
                signature.is_some(),
                container.part(part).is_some(),
                "{name} {part}"
            );
            for element in signature.iter().flat_map(dxil::Signature::elements) {
                let shown = text(element);
                let is_system = element.name().starts_with(b"SV_");
                let is_undefined = element.system_value() == SystemValue::UNDEFINED;
                assert_ne!(is_system, is_undefined, "{name}: {shown}");
                assert!(
                    !element.name().is_empty() && element.stream() < 4,
                    "{name}: {shown}"
                );
                assert!((1..16).contains(&element.mask()), "{name}: {shown}");
                assert!(
                    !shown.contains('('),
                    "{name}: a value without a name: {shown}"
                );
            }
        }
    }
}

#[test]
fn other_parts_are_no_signatures() {
    let bytes = std::fs::read(crate::path("dxil/raw_copy_cs.dxil")).unwrap();
    let container = Container::parse(&bytes).unwrap();
    assert_eq!(container.signature(FourCc::PSG1), Ok(None));
    assert_eq!(container.signature(FourCc::ISGN), Ok(None));
    let sfi0 = Error {
        kind: ErrorKind::NotASignature,
        part: Some(FourCc::SFI0),
        offset: 0x40,
    };
    assert_eq!(container.signature(FourCc::SFI0), Err(sfi0));
}
