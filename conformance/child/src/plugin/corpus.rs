//! The DXIL containers of a folder of the vendor's, as pipelines.

use std::io;

use conformance_catalogue::verdict::Stop;
use conformance_protocol::corpus::files;
use conformance_protocol::{Set, Settings};
use dxil::{Container, FourCc, ShaderKind, Signature, SystemValue};
use sha2::{Digest, Sha256};

use crate::inputs::pipeline::{Kind, Stage};
use crate::inputs::shaders::Shader;
use crate::plugin::object::Object;

/// So many pipelines of a corpus does a rule of a full run take, besides P-PSO-18, which takes all: the longest test
/// compiles each some hundred times.
const SAMPLE: usize = 16;

/// What the corpus of a run has.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// Each pipeline that its containers make.
    pub(crate) pipelines: Vec<Object>,
    /// Those of them that every rule takes.
    pub(crate) sample: Vec<Object>,
    /// In words, which containers are not used, and why.
    pub(crate) left_out: Vec<String>,
}

/// The corpus of a run without one.
pub(crate) static NONE: Corpus = Corpus {
    pipelines: Vec::new(),
    sample: Vec::new(),
    left_out: Vec::new(),
};

impl Corpus {
    /// Reads the corpus, if there is one and the run is no smoke test. What is read stays.
    pub(crate) fn read(settings: &Settings) -> Result<&'static Self, Stop> {
        let Some(folder) = &settings.corpus else {
            return Ok(&NONE);
        };
        if settings.set == Set::Smoke {
            return Ok(&NONE);
        }
        let cannot = |error: io::Error| {
            let folder = folder.display();
            Stop::Tool(format!("cannot read the corpus {folder}: {error}"))
        };
        let files = files(folder).map_err(cannot)?;
        let named = files.iter().map(|path| {
            let name = path.strip_prefix(folder).unwrap_or(path);
            let name = name.to_string_lossy().replace('\\', "/");
            Ok((name, std::fs::read(path)?))
        });
        let containers = named.collect::<io::Result<_>>().map_err(cannot)?;
        Ok(Box::leak(Box::new(Self::of(containers, settings)?)))
    }

    fn of(containers: Vec<(String, Vec<u8>)>, settings: &Settings) -> Result<Self, Stop> {
        let (mut shaders, mut left_out) = (Vec::new(), Left::default());
        for (name, bytes) in containers {
            let shader = Shader::of_corpus(name, &bytes);
            match parts(shader) {
                Ok(parts) => shaders.push(parts),
                Err(error) => left_out
                    .malformed
                    .push(format!("{} ({error})", shader.name)),
            }
        }
        let mut pipelines = Vec::new();
        for own in &shaders {
            let stages = match own.kind {
                ShaderKind::Compute => vec![(Stage::Compute, own.shader)],
                ShaderKind::Vertex => vec![(Stage::Vertex, own.shader)],
                ShaderKind::Mesh => vec![(Stage::Mesh, own.shader)],
                ShaderKind::Pixel => {
                    let mut vertex = shaders
                        .iter()
                        .filter(|other| other.kind == ShaderKind::Vertex);
                    let Some(vertex) = vertex.find(|vertex| vertex.feeds(own)) else {
                        left_out.unfed += 1;
                        continue;
                    };
                    vec![(Stage::Vertex, vertex.shader), (Stage::Pixel, own.shader)]
                }
                _ => {
                    left_out.not_alone += 1;
                    continue;
                }
            };
            pipelines.push(Object::Pipeline(Kind::of_corpus(stages)?));
        }
        let mut sample = pipelines.clone();
        sample.sort_by_key(|object| Sha256::digest(format!("{} {object}", settings.seed)));
        if settings.set < Set::Soak {
            sample.truncate(SAMPLE);
        }
        Ok(Self {
            pipelines,
            sample,
            left_out: left_out.words(),
        })
    }
}

/// Containers that no pipeline is made of.
#[derive(Default)]
struct Left {
    malformed: Vec<String>,
    /// Pixel shaders.
    unfed: usize,
    /// Libraries, and shaders of stages that need others.
    not_alone: usize,
}

impl Left {
    fn words(self) -> Vec<String> {
        let mut words = Vec::new();
        if !self.malformed.is_empty() {
            let (count, names) = (self.malformed.len(), self.malformed.join(", "));
            words.push(format!(
                "{count} that are no DXIL shader or malformed: {names}"
            ));
        }
        if self.unfed > 0 {
            let count = self.unfed;
            words.push(format!(
                "{count} pixel shaders whose inputs no vertex shader of the corpus has"
            ));
        }
        if self.not_alone > 0 {
            let count = self.not_alone;
            words.push(format!(
                "{count} libraries and geometry, hull, domain and amplification shaders"
            ));
        }
        words
    }
}

/// A shader, and what says which pipeline it fits into.
struct Parts {
    shader: &'static Shader,
    kind: ShaderKind,
    inputs: Option<Signature<'static>>,
    outputs: Option<Signature<'static>>,
}

/// Parses everything that a pipeline is made from, so that a malformed part shows here.
fn parts(shader: &'static Shader) -> Result<Parts, dxil::Error> {
    let container = Container::parse(shader.bytes())?;
    let program = container.program()?;
    program.check_bitcode()?;
    container.root_signature()?;
    container.pipeline_state_validation()?;
    container.signature(FourCc::PSG1)?;
    Ok(Parts {
        shader,
        kind: program.kind(),
        inputs: container.signature(FourCc::ISG1)?,
        outputs: container.signature(FourCc::OSG1)?,
    })
}

impl Parts {
    /// Whether the outputs of this vertex shader cover what a pixel shader takes.
    fn feeds(&self, pixel: &Self) -> bool {
        /// What the rasterizer makes, whatever the vertex shader puts out.
        const MADE: [SystemValue; 5] = [
            SystemValue::PRIMITIVE_ID,
            SystemValue::IS_FRONT_FACE,
            SystemValue::SAMPLE_INDEX,
            SystemValue::BARYCENTRICS,
            SystemValue::COVERAGE,
        ];
        let mut taken = pixel.inputs.iter().flat_map(Signature::elements);
        taken.all(|input| {
            let mut given = self.outputs.iter().flat_map(Signature::elements);
            MADE.contains(&input.system_value())
                || given.any(|output| {
                    output.name().eq_ignore_ascii_case(input.name())
                        && output.semantic_index() == input.semantic_index()
                        && output.register() == input.register()
                        && output.component_type() == input.component_type()
                        && output.mask() & input.mask() == input.mask()
                })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Corpus, files};
    use crate::inputs::arena::Surroundings;
    use crate::inputs::pipeline::Pipeline;
    use crate::plugin::object::Object;
    use conformance_protocol::{Set, Settings};
    use std::collections::BTreeSet;
    use std::path::Path;

    fn settings(set: Set, seed: u64) -> Settings {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dxil/corpus");
        Settings {
            set,
            seed,
            corpus: Some(folder),
            ..Settings::default()
        }
    }

    fn names(objects: &[Object]) -> BTreeSet<String> {
        objects.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_container_makes_a_pipeline_or_is_counted() {
        let corpus = Corpus::read(&settings(Set::Soak, 0)).unwrap();
        assert_eq!(names(&corpus.pipelines).len(), corpus.pipelines.len());
        assert_eq!(names(&corpus.sample), names(&corpus.pipelines));
        for object in &corpus.pipelines {
            let Object::Pipeline(kind) = object else {
                unreachable!()
            };
            Pipeline::new(kind, Surroundings::USUAL).unwrap();
        }
        let count = |words: &str| -> usize {
            let note = corpus.left_out.iter().find(|note| note.contains(words));
            let number = note.and_then(|note| note.split(' ').next());
            number.expect("a note").parse().expect("a number")
        };
        let left_out = count("malformed") + count("pixel shaders") + count("libraries");
        let files = files(settings(Set::Full, 0).corpus.as_deref().unwrap()).unwrap();
        assert_eq!(corpus.pipelines.len() + left_out, files.len());
        assert!(corpus.left_out[0].contains("malformed/dxbc_sm4_ps.dxil"));
    }

    #[test]
    fn the_seed_chooses_the_sample() {
        let sample = |set, seed| names(&Corpus::read(&settings(set, seed)).unwrap().sample);
        assert_eq!(sample(Set::Full, 1), sample(Set::Full, 1));
        assert_ne!(sample(Set::Full, 1), sample(Set::Full, 2));
        assert!(sample(Set::Smoke, 1).is_empty());
    }
}
