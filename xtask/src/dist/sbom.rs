//! The bill of materials, in the form of CycloneDX.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata, Package, PackageId};
use chrono::{DateTime, SecondsFormat, Utc};
use cyclonedx_bom::external_models::uri::Purl;
use cyclonedx_bom::models::bom::{Bom, SpecVersion};
use cyclonedx_bom::models::component::{Classification, Component, Components};
use cyclonedx_bom::models::dependency::{Dependencies, Dependency};
use cyclonedx_bom::models::hash::{Hash, HashAlgorithm, HashValue, Hashes};
use cyclonedx_bom::models::license::{LicenseChoice, Licenses};
use cyclonedx_bom::models::metadata::Metadata as About;
use cyclonedx_bom::models::tool::{Tool, Tools};
use cyclonedx_bom::validation::Validate;
use serde_json::Value;

use super::build::Built;
use super::error;
use super::parts::Part;
use crate::Error;

/// The bill of an archive, as JSON.
///
/// # Errors
///
/// `Cargo.lock` cannot be read, or the bill is not what CycloneDX demands.
pub fn json(
    archive: &str,
    version: &str,
    licence: &str,
    built: &Built,
    parts: &[Part],
    time: DateTime<Utc>,
) -> Result<Vec<u8>, Error> {
    let hashes = checksums(&built.metadata)?;
    let mut components = Vec::new();
    for id in &built.linked {
        let package = &built.metadata[id];
        if package.source.is_none() {
            let mut own = component(
                Classification::Library,
                &package.name,
                &package.version.to_string(),
                licence,
            );
            own.bom_ref = Some(reference(package));
            components.push(own);
        }
    }
    for part in parts {
        let mut other = component(
            Classification::Library,
            &part.name,
            &part.version,
            &part.licence,
        );
        if let Some(package) = part.id.as_ref().map(|id| &built.metadata[id]) {
            let purl = Purl::new("cargo", &part.name, &part.version);
            other.purl = Some(purl.map_err(|cause| error(cause.to_string()))?);
            other.bom_ref = Some(reference(package));
            let hash = hashes.get(&(part.name.clone(), part.version.clone()));
            let hash = hash.ok_or_else(|| {
                error(format!(
                    "Cargo.lock: no checksum of {} {}",
                    part.name, part.version
                ))
            })?;
            other.hashes = Some(Hashes(vec![Hash {
                alg: HashAlgorithm::SHA_256,
                content: HashValue(hash.clone()),
            }]));
        }
        components.push(other);
    }
    components.sort_by(|a, b| a.bom_ref.cmp(&b.bom_ref));

    let whole = component(Classification::Application, archive, version, licence);
    let about = About {
        timestamp: Some(
            time.to_rfc3339_opts(SecondsFormat::Secs, true)
                .try_into()
                .map_err(|cause| error(format!("{cause}")))?,
        ),
        tools: Some(Tools::List(vec![Tool::new(
            "d3d12-compiler-kit",
            "xtask",
            env!("CARGO_PKG_VERSION"),
        )])),
        component: Some(whole.clone()),
        ..About::default()
    };
    let bom = Bom {
        // A random number would be another one each time.
        serial_number: None,
        spec_version: SpecVersion::V1_5,
        metadata: Some(about),
        dependencies: Some(dependencies(&whole, &components, built)?),
        components: Some(Components(components)),
        ..Bom::default()
    };
    let faults = bom.validate_version(SpecVersion::V1_5);
    if !faults.passed() {
        return Err(error(format!("the bill of materials: {faults:?}")));
    }
    let mut json = Vec::new();
    bom.output_as_json_v1_5(&mut json)
        .map_err(|cause| error(cause.to_string()))?;
    json.push(b'\n');
    Ok(json)
}

fn component(kind: Classification, name: &str, version: &str, licence: &str) -> Component {
    let mut component = Component::new(kind, name, version, Some(format!("{name}@{version}")));
    component.licenses = Some(Licenses(vec![LicenseChoice::expression(licence)]));
    component
}

/// The name of a package in the bill. Cargo's own has a folder of this machine.
fn reference(package: &Package) -> String {
    format!("cargo:{}@{}", package.name, package.version)
}

/// The checksums of `Cargo.lock`, by name and version.
fn checksums(metadata: &Metadata) -> Result<BTreeMap<(String, String), String>, Error> {
    let path = metadata.workspace_root.join("Cargo.lock");
    let text = std::fs::read_to_string(&path).map_err(Error::file(path.as_std_path()))?;
    let lock: Value = toml::from_str(&text).map_err(|cause| error(format!("{path}: {cause}")))?;
    let text = |package: &Value, key: &str| Some(package.get(key)?.as_str()?.to_owned());
    let packages = lock["package"].as_array().into_iter().flatten();
    let sums = packages.filter_map(|package| {
        Some((
            (text(package, "name")?, text(package, "version")?),
            text(package, "checksum")?,
        ))
    });
    Ok(sums.collect())
}

/// What uses what: the archive its programs and libraries and what is no crate, a crate the crates that it is linked to.
fn dependencies(
    whole: &Component,
    components: &[Component],
    built: &Built,
) -> Result<Dependencies, Error> {
    let resolve = built
        .metadata
        .resolve
        .as_ref()
        .ok_or_else(|| error("cargo metadata has no dependencies"))?;
    let nodes: BTreeMap<&PackageId, _> =
        resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let mut uses = BTreeMap::new();
    let mut used = BTreeSet::new();
    for id in &built.linked {
        let deps = nodes
            .get(id)
            .into_iter()
            .flat_map(|node| &node.deps)
            .filter(|dep| {
                built.linked.contains(&dep.pkg)
                    && dep
                        .dep_kinds
                        .iter()
                        .any(|kind| kind.kind == DependencyKind::Normal)
            });
        let deps: BTreeSet<String> = deps
            .map(|dep| reference(&built.metadata[&dep.pkg]))
            .collect();
        used.extend(deps.clone());
        uses.insert(reference(&built.metadata[id]), deps);
    }
    let all = components
        .iter()
        .filter_map(|component| component.bom_ref.clone());
    let roots = all.filter(|reference| !used.contains(reference)).collect();
    uses.insert(whole.bom_ref.clone().unwrap_or_default(), roots);
    Ok(Dependencies(
        uses.into_iter()
            .map(|(dependency_ref, dependencies)| Dependency {
                dependency_ref,
                dependencies: dependencies.into_iter().collect(),
            })
            .collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::build::metadata;
    use super::super::parts::parts;
    use super::super::platform::PLATFORMS;
    use super::*;

    /// What would be built without looking which features are on: too much, but nothing is missing.
    fn built() -> Built {
        let metadata = metadata(&PLATFORMS[0]).unwrap();
        let nodes = &metadata.resolve.as_ref().unwrap().nodes;
        let start = metadata
            .packages
            .iter()
            .find(|package| package.name == "state-object-compiler");
        let mut rest = vec![start.unwrap().id.clone()];
        let mut linked = BTreeSet::new();
        while let Some(id) = rest.pop() {
            let node = nodes.iter().find(|node| node.id == id).unwrap();
            let normal = node.deps.iter().filter(|dep| {
                dep.dep_kinds
                    .iter()
                    .any(|kind| kind.kind == DependencyKind::Normal)
            });
            if linked.insert(id) {
                rest.extend(normal.map(|dep| dep.pkg.clone()));
            }
        }
        Built {
            metadata,
            linked,
            files: Vec::new(),
        }
    }

    #[test]
    fn every_part_is_in_the_bill_with_its_checksum_and_every_reference_leads_somewhere() {
        let built = built();
        let parts = parts(&PLATFORMS[0], &built).unwrap();
        let time = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let make = || {
            json(
                "kit-1.2.3-linux-x64",
                "1.2.3",
                "MIT OR Apache-2.0",
                &built,
                &parts,
                time,
            )
            .unwrap()
        };
        let bytes = make();
        assert_eq!(bytes, make());
        let bill: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(
            (&bill["bomFormat"], &bill["specVersion"]),
            (&"CycloneDX".into(), &"1.5".into())
        );
        assert_eq!(bill["metadata"]["timestamp"], "2023-11-14T22:13:20Z");

        let components = bill["components"].as_array().unwrap();
        assert_eq!(
            components.len(),
            parts.len()
                + built
                    .linked
                    .iter()
                    .filter(|id| built.metadata[id].source.is_none())
                    .count()
        );
        let mut references: BTreeSet<&str> = components
            .iter()
            .map(|component| component["bom-ref"].as_str().unwrap())
            .collect();
        let mut crates = 0;
        for component in components {
            assert!(
                component["licenses"][0]["expression"].is_string(),
                "{component}"
            );
            if let Some(purl) = component["purl"].as_str() {
                assert!(purl.starts_with("pkg:cargo/"), "{purl}");
                assert_eq!(component["hashes"][0]["alg"], "SHA-256");
                assert_eq!(
                    component["hashes"][0]["content"].as_str().unwrap().len(),
                    64
                );
                crates += 1;
            }
        }
        assert_eq!(
            crates,
            parts.iter().filter(|part| part.id.is_some()).count()
        );
        references.insert(bill["metadata"]["component"]["bom-ref"].as_str().unwrap());
        let uses = bill["dependencies"].as_array().unwrap();
        let edges = uses
            .iter()
            .flat_map(|used| used["dependsOn"].as_array().into_iter().flatten());
        let mut edges: Vec<&str> = edges.map(|edge| edge.as_str().unwrap()).collect();
        assert!(edges.iter().all(|edge| references.contains(edge)));
        // Nothing is there that nobody uses.
        edges.sort_unstable();
        edges.dedup();
        assert_eq!(edges.len(), components.len());
    }
}
