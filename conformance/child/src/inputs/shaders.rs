//! The shaders that pipelines and state objects are made of: from the corpus of the crate `dxil`, as part
//! of the executable.

use conformance_catalogue::verdict::Stop;
use dxil::Container;

/// At an address that suits code.
#[repr(C, align(16))]
struct Aligned<T: ?Sized>(T);

/// A container of the corpus.
#[derive(Debug)]
pub(crate) struct Shader {
    pub(crate) name: &'static str,
    bytes: &'static [u8],
}

impl Shader {
    /// A container of another corpus, which stays.
    pub(crate) fn of_corpus(name: String, bytes: &[u8]) -> &'static Self {
        Box::leak(Box::new(Self {
            name: name.leak(),
            bytes: bytes.to_vec().leak(),
        }))
    }

    pub(crate) fn container(&self) -> Result<Container<'static>, Stop> {
        Container::parse(self.bytes).map_err(|error| self.unreadable(&error))
    }

    /// The program that crosses the DDI.
    pub(crate) fn program(&self) -> Result<&'static [u8], Stop> {
        let program = self
            .container()?
            .program()
            .map_err(|error| self.unreadable(&error))?;
        Ok(program.bytes())
    }

    /// Its name, and the shader model of its program.
    pub(crate) fn described(&self) -> Result<String, Stop> {
        let program = self.container()?.program();
        let model = program
            .map_err(|error| self.unreadable(&error))?
            .shader_model();
        Ok(format!("{} (shader model {model})", self.name))
    }

    pub(crate) fn bytes(&self) -> &'static [u8] {
        self.bytes
    }

    pub(crate) fn unreadable(&self, error: &dyn std::fmt::Display) -> Stop {
        Stop::Tool(format!("the shader {}: {error}", self.name))
    }
}

macro_rules! shaders {
    ($($name:ident,)*) => {$(
        pub(crate) static $name: Shader = Shader {
            name: stringify!($name),
            bytes: {
                static FILE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(
                    "../../../../dxil/corpus/dxil/",
                    stringify!($name),
                    ".dxil"
                )));
                &FILE.0
            },
        };
    )*};
}

#[allow(non_upper_case_globals, reason = "the names of the files")]
mod corpus {
    use super::{Aligned, Shader};

    shaders! {
        forward_plain_vs,
        forward_plain_ps,
        fullscreen_vs,
        fullscreen_ps,
        layers_gs,
        mesh_lines_ms,
        meshlet_as,
        meshlet_ms,
        meshlet_ps,
        raw_copy_cs,
        rs_constants_1_1,
        rs_local_1_1,
        rs_volatility_1_1,
        rt_pipeline_lib63,
        rt_subobjects_lib63,
        tess_tri_vs,
        tess_tri_hs,
        tess_tri_ds,
        wg_nodes_lib68,
    }
}

pub(crate) use corpus::*;
