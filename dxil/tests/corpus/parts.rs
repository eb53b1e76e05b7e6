//! The smaller parts, every part by its reader, and writing containers.

use dxil::rdat::SubobjectKind;
use dxil::{
    Container, ContainerBuilder, Error, ErrorKind, FeatureFlags, FourCc, PartContent,
    ShaderHashFlags, Signing, StoredHash,
};

use crate::Entry;
use crate::valid::{Shader, shaders};

#[test]
fn every_container_is_sound() {
    for shader in shaders() {
        let bytes = shader.entry.read();
        let checked = Container::parse(&bytes).unwrap().check();
        let is_complete = is_complete(&shader.entry);
        let refused = checked.map_err(|error| error.kind);
        match refused {
            Ok(()) => assert!(is_complete, "{}", shader.entry.name),
            Err(ErrorKind::MissingPart { .. } | ErrorKind::SurplusPart { .. }) => {
                assert!(!is_complete, "{}", shader.entry.name);
            }
            Err(other) => panic!("{}: {other}", shader.entry.name),
        }
    }
}

/// Whether a container has the parts that it must have, and no unknown ones.
fn is_complete(entry: &Entry) -> bool {
    !["incomplete", "tolerate"].contains(&entry.expect.as_str())
}

/// The hash of DXC equals the one computed here, wherever that from which it is made is there.
#[test]
fn shader_hashes_are_those_of_the_bitcode() {
    let mut computed = [0; 2];
    for shader in shaders() {
        let name = &shader.entry.name;
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let stored = container.shader_hash().unwrap();
        assert_eq!(
            stored.is_some(),
            container.part(FourCc::HASH).is_some(),
            "{name}"
        );
        let Some(stored) = stored else {
            continue;
        };
        let from_source = stored.flags == ShaderHashFlags::INCLUDES_SOURCE;
        assert_eq!(
            from_source,
            shader.args.iter().any(|arg| arg == "-Zss"),
            "{name}"
        );
        let expected = container.computed_shader_hash().unwrap();
        if from_source && container.part(FourCc::ILDB).is_none() {
            assert_eq!(expected, None, "{name}");
        } else {
            assert_eq!(expected, Some(stored), "{name}");
            computed[usize::from(from_source)] += 1;
        }
    }
    assert!(computed[0] > 130 && computed[1] > 0, "{computed:?}");
}

/// Unless it was named, the PDB is named after the hash.
#[test]
fn debug_names_are_hashes_or_asked_for() {
    let mut named = 0;
    for shader in shaders() {
        let name = &shader.entry.name;
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let Some(debug_name) = container.debug_name().unwrap() else {
            continue;
        };
        let digest = container.shader_hash().unwrap().unwrap().digest;
        let digest = format!("{:032x}.pdb", u128::from_be_bytes(digest));
        let is_hash = debug_name.name == digest;
        let asked_for = shader.args.iter().any(|arg| arg.ends_with(debug_name.name));
        assert!(is_hash || asked_for, "{name}: {debug_name:?}");
        named += 1;
    }
    assert!(named > 10, "{named}");
}

#[test]
fn libraries_name_their_compiler() {
    for shader in shaders() {
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let Some(version) = container.compiler_version().unwrap() else {
            continue;
        };
        assert_eq!(shader.stage, "library", "{}", shader.entry.name);
        assert_eq!(version.version.to_string(), "1.9");
        assert_eq!(
            (version.commit, version.custom_version),
            ("21d28f72", "1.9.2602.17")
        );
    }
}

#[test]
fn features_are_those_of_the_source() {
    let expected = [
        ("raw_copy_cs", FeatureFlags::NONE),
        (
            "doubles_cs",
            FeatureFlags::DOUBLES | FeatureFlags::DOUBLE_EXTENSIONS_11_1,
        ),
        ("half_native_ps", FeatureFlags::NATIVE_LOW_PRECISION),
        ("half_min_ps", FeatureFlags::MINIMUM_PRECISION),
        (
            "multiview_vs",
            FeatureFlags::VIEW_ID | FeatureFlags::VIEWPORT_AND_RT_ARRAY_INDEX_FROM_ANY_SHADER,
        ),
        ("barycentric_ps", FeatureFlags::BARYCENTRICS),
        (
            "ordered_ps",
            FeatureFlags::ROVS
                | FeatureFlags::INNER_COVERAGE
                | FeatureFlags::TYPED_UAV_LOAD_ADDITIONAL_FORMATS,
        ),
        ("wave_reduce_cs", FeatureFlags::WAVE_OPS),
        ("ray_query_cs", FeatureFlags::RAYTRACING_TIER_1_1),
    ];
    for (name, features) in expected {
        let bytes = std::fs::read(crate::path(&format!("dxil/{name}.dxil"))).unwrap();
        let found = Container::parse(&bytes).unwrap().feature_flags();
        assert_eq!(found, Ok(Some(features)), "{name}");
    }
}

/// Every part that DXC writes has a reader, except for private data and the unknown one.
#[test]
fn every_part_is_known() {
    for shader in shaders() {
        let bytes = shader.entry.read();
        for part in Container::parse(&bytes).unwrap().parts() {
            let other = matches!(part.content().unwrap(), PartContent::Other(_));
            let expected = ["parts_private_cs", "parts_unknown_cs"]
                .contains(&shader.entry.name.as_str())
                && !shader_part(part.fourcc());
            assert_eq!(other, expected, "{} {part:?}", shader.entry.name);
        }
    }
}

fn shader_part(part: FourCc) -> bool {
    use FourCc as F;
    [
        F::SFI0,
        F::ISG1,
        F::OSG1,
        F::PSV0,
        F::RTS0,
        F::STAT,
        F::HASH,
        F::DXIL,
    ]
    .contains(&part)
}

/// Everything that is read is written back byte for byte.
#[test]
fn containers_are_written_back_as_they_were() {
    for shader in shaders() {
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let written = ContainerBuilder::from(&container).build().unwrap();
        assert!(written == bytes, "{}", shader.entry.name);
    }
    for entry in crate::malformed::entries("tolerate") {
        let bytes = entry.read();
        let container = Container::parse(&bytes).unwrap();
        let written = ContainerBuilder::from(&container).build().unwrap();
        assert!(written == container.bytes(), "{}", entry.name);
    }
}

/// Parts taken out one by one and put back give the same parts in another order, as aligned as
/// before.
#[test]
fn parts_come_out_and_go_back_in() {
    for Shader { entry, .. } in shaders() {
        let bytes = entry.read();
        let container = Container::parse(&bytes).unwrap();
        let aligned = |container: &Container<'_>| {
            let mut parts = container.parts().iter();
            parts.all(|part| part.offset().is_multiple_of(4))
        };
        for part in container.parts() {
            let mut builder = ContainerBuilder::from(&container);
            assert!(builder.remove(part.fourcc()));
            if container.parts().len() > 1 {
                let without = builder.build().unwrap();
                assert_eq!(without.len(), bytes.len() - 12 - part.bytes().len());
                let without = Container::parse(&without).unwrap();
                assert_eq!(without.part(part.fourcc()), None);
                check_rest(&container, &without, part.fourcc());
            }
            builder.set(part.fourcc(), part.bytes());
            let again = builder.build().unwrap();
            let again = Container::parse(&again).unwrap();
            let back = again.part(part.fourcc()).unwrap();
            assert_eq!(back.bytes(), part.bytes(), "{}", entry.name);
            check_rest(&container, &again, part.fourcc());
            assert_eq!(again.check().is_ok(), is_complete(&entry), "{}", entry.name);
            assert!(aligned(&again) || !aligned(&container), "{}", entry.name);
            assert_eq!(again.bytes().len(), bytes.len(), "{}", entry.name);
        }
    }
}

/// All parts but one are the same, and the container is signed as before.
fn check_rest(before: &Container<'_>, after: &Container<'_>, but: FourCc) {
    let rest = |container: &Container<'_>| {
        let parts = container.parts().iter().copied();
        let parts = parts.filter(|part| part.fourcc() != but);
        parts
            .map(|part| (part.fourcc(), part.bytes().to_vec()))
            .collect::<Vec<_>>()
    };
    assert_eq!(rest(before), rest(after));
    assert_eq!(before.hash().signing(), after.hash().signing());
    if after.hash().signing() == Signing::Hash {
        assert_eq!(after.verify(), Ok(()));
    }
}

/// Every container signed in each way; signed again as it was, it is what it was.
#[test]
fn containers_are_signed_in_every_way() -> Result<(), Error> {
    for Shader { entry, .. } in shaders() {
        let bytes = entry.read();
        let signing = Container::parse(&bytes)?.hash().signing();
        let mut changed = bytes.clone();
        for (signing, hash) in [
            (Signing::Unsigned, StoredHash::Unsigned),
            (Signing::Bypass, StoredHash::Bypass),
            (Signing::PreviewBypass, StoredHash::PreviewBypass),
        ] {
            dxil::sign(&mut changed, signing)?;
            assert_eq!(Container::parse(&changed)?.hash(), hash, "{}", entry.name);
        }
        dxil::sign(&mut changed, Signing::Hash)?;
        assert_eq!(
            Container::parse(&changed)?.verify(),
            Ok(()),
            "{}",
            entry.name
        );
        dxil::sign(&mut changed, signing)?;
        assert!(changed == bytes, "{}", entry.name);
    }
    Ok(())
}

/// The PDB has the hash of its shader, its sources, and the program that the shader was stripped of.
#[test]
fn pdbs_belong_to_their_shaders() {
    for (name, program) in [
        ("dbg_zi_pdb_ps", FourCc::ILDB),
        ("dbg_zs_pdb_ps", FourCc::STAT),
    ] {
        let [shader, pdb] = ["dxil", "pdb"].map(|kind| {
            let folder_and_file = format!("{kind}/{name}.{kind}");
            std::fs::read(crate::path(&folder_and_file)).unwrap()
        });
        let shader = Container::parse(&shader).unwrap();
        let pdb = dxil::pdb_container(&pdb).unwrap();
        let pdb = Container::parse(&pdb).unwrap();
        assert_eq!(pdb.check(), Ok(()), "{name}");
        assert_eq!(pdb.hash(), StoredHash::Unsigned, "{name}");
        assert_eq!(pdb.shader_hash(), shader.shader_hash(), "{name}");
        assert_eq!(pdb.debug_name(), shader.debug_name(), "{name}");
        for part in [FourCc::SRCI, FourCc::VERS, program] {
            assert!(pdb.part(part).is_some(), "{name} {part}");
        }
    }
}

/// What is wrong with a root signature inside runtime data is found where it is.
#[test]
fn root_signatures_of_subobjects_are_checked() {
    let mut bytes = std::fs::read(crate::path("dxil/rt_subobjects_lib63.dxil")).unwrap();
    let data = Container::parse(&bytes).unwrap().runtime_data().unwrap();
    let kinds = data.unwrap().subobjects().map(|subobject| subobject.kind);
    let local = kinds.filter_map(|kind| match kind {
        SubobjectKind::LocalRootSignature(bytes) => Some(bytes.as_ptr()),
        _ => None,
    });
    let offset = local.last().unwrap().addr() - bytes.as_ptr().addr();
    bytes[offset] = 9;
    let expected = Error {
        kind: ErrorKind::RootSignatureVersion { version: 9 },
        part: Some(FourCc::RDAT),
        offset,
    };
    let container = Container::parse(&bytes).unwrap();
    assert_eq!(container.check(), Err(expected));
}
