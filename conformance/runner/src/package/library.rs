//! What the file of a library says of itself.

use object::read::elf::{ElfFile, FileHeader};
use object::read::pe::{ImageNtHeaders, PeFile};
use object::{
    Architecture, BinaryFormat, File, LittleEndian, Object, ObjectKind, ObjectSection, elf,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::PackageError;
use crate::tested::{Identity, library_bytes};

/// A library of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// What it is to the run: `plugin`, `runtime` or `driver`.
    pub role: String,
    /// As it was given to the run.
    pub path: String,
    /// Of the file, in hexadecimal.
    pub sha256: String,
    /// Of the file, in bytes.
    pub size: u64,
    /// What its headers say; none where it is no PE or ELF file that can be read.
    pub image: Option<Image>,
}

/// What the headers of a PE or ELF file say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// `pe` or `elf`.
    pub format: String,
    /// The architecture of its code.
    pub machine: String,
    /// `dynamic` for a library.
    pub kind: String,
    /// `TimeDateStamp` of a PE file: seconds since 1970, or of a reproducible build any number.
    pub timestamp: Option<u32>,
    /// The build ID of an ELF file, in hexadecimal.
    pub build_id: Option<String>,
    /// The file of debug information that a PE file names.
    pub pdb: Option<Pdb>,
    /// The libraries that it needs.
    pub needs: Vec<String>,
    /// What it takes of them, by name.
    pub imports: Vec<String>,
    /// What it gives, by name.
    pub exports: Vec<String>,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// A file of debug information.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pdb {
    /// Its name, without the folder.
    pub name: String,
    /// GUID and age, as the folder of it in a symbol server is called.
    pub id: String,
}

/// A section of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its size in memory, in bytes.
    pub size: u64,
}

impl Library {
    /// Reads the library of a run, which must still be the one that the run had.
    pub(super) fn read(role: &str, of_run: &Identity) -> Result<Self, PackageError> {
        let bytes = library_bytes(&of_run.path)?;
        let this = Self::of(role, of_run, &bytes);
        if this.sha256 == of_run.sha256 {
            Ok(this)
        } else {
            Err(PackageError::Refused(format!(
                "the {role} {} was replaced since the run: its SHA-256 is {}, that of the journal is {}; test this one",
                this.path, this.sha256, of_run.sha256
            )))
        }
    }

    /// What `bytes` say of themselves.
    pub(super) fn of(role: &str, of_run: &Identity, bytes: &[u8]) -> Self {
        Self {
            role: role.to_owned(),
            path: of_run.path.to_string_lossy().into_owned(),
            sha256: hex::encode(Sha256::digest(bytes)),
            size: bytes.len() as u64,
            image: Image::read(bytes).ok(),
        }
    }
}

impl Image {
    fn read(bytes: &[u8]) -> object::Result<Self> {
        let file = File::parse(bytes)?;
        let (timestamp, needs) = match &file {
            File::Pe32(pe) => of_pe(pe)?,
            File::Pe64(pe) => of_pe(pe)?,
            File::Elf32(elf) => (None, needs(elf)?),
            File::Elf64(elf) => (None, needs(elf)?),
            _ => (None, Vec::new()),
        };
        let pdb = file.pdb_info()?.map(|pdb| {
            let path = text(pdb.path());
            // The folder may have the name of a person.
            let name = path.rsplit(['\\', '/']).next().unwrap_or_default();
            let guid = Uuid::from_bytes_le(pdb.guid()).simple().to_string();
            Pdb {
                name: name.to_owned(),
                id: format!("{}{:X}", guid.to_uppercase(), pdb.age()),
            }
        });
        let sections = file.sections().map(|section| Section {
            name: section.name_bytes().map(text).unwrap_or_default(),
            size: section.size(),
        });
        let (imports, exports) = (file.imports()?, file.exports()?);
        Ok(Self {
            format: match file.format() {
                BinaryFormat::Pe => "pe".into(),
                BinaryFormat::Elf => "elf".into(),
                other => format!("{other:?}"),
            },
            machine: match file.architecture() {
                Architecture::X86_64 => "x64".into(),
                Architecture::I386 => "x86".into(),
                Architecture::Aarch64 => "arm64".into(),
                other => format!("{other:?}"),
            },
            kind: match file.kind() {
                ObjectKind::Dynamic => "dynamic".into(),
                ObjectKind::Executable => "executable".into(),
                other => format!("{other:?}"),
            },
            timestamp,
            build_id: file.build_id()?.map(hex::encode),
            pdb,
            needs,
            imports: imports.iter().map(|import| text(import.name())).collect(),
            exports: exports.iter().map(|export| text(export.name())).collect(),
            sections: sections.collect(),
        })
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn of_pe<Pe: ImageNtHeaders>(file: &PeFile<'_, Pe>) -> object::Result<(Option<u32>, Vec<String>)> {
    let timestamp = file.nt_headers().file_header().time_date_stamp;
    let mut needs = Vec::new();
    if let Some(table) = file.import_table()? {
        let mut descriptors = table.descriptors()?;
        while let Some(descriptor) = descriptors.next()? {
            needs.push(text(table.name(descriptor.name.get(LittleEndian))?));
        }
    }
    Ok((Some(timestamp.get(LittleEndian)), needs))
}

fn needs<Elf: FileHeader>(file: &ElfFile<'_, Elf>) -> object::Result<Vec<String>> {
    let table = file.elf_dynamic_table()?;
    let mut needs = Vec::new();
    for entry in &table {
        if entry.tag == elf::DT_NEEDED {
            needs.push(text(table.string(entry)?));
        }
    }
    Ok(needs)
}
