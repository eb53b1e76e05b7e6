//! Objects by their keys, as state object databases name them: to replay a database, and to capture one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use compiler_runtime::message::Messages;
use parking_lot::Mutex;
use shader_db::psdb::Application;
use shader_db::short_hex;
use shader_db::sodb::{Object, Sodb};

use crate::Error;
use crate::device::Device;
use crate::realize::{PipelineState, StateObject};
use crate::shader_cache::Outcome;

/// An object that was created.
#[derive(Clone, Debug)]
pub enum Made {
    /// A pipeline state.
    PipelineState(PipelineState),
    /// A state object.
    StateObject(StateObject),
}

impl Made {
    /// What the shader cache did for it.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::PipelineState(pipeline) => pipeline.outcome(),
            Self::StateObject(object) => object.outcome(),
        }
    }
}

/// The objects of a device by their keys, and the database that gets what is created.
#[derive(Debug)]
pub struct Objects {
    device: Device,
    made: Mutex<HashMap<Vec<u8>, Made>>,
    capture: Option<Sodb>,
}

impl Objects {
    /// No objects yet.
    pub fn new(device: Device) -> Self {
        Self {
            device,
            made: Mutex::default(),
            capture: None,
        }
    }

    /// The same with a database that gets what is created from now on, as by the capture of Microsoft's runtime.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub fn captured_in(
        mut self,
        path: &Path,
        application: Option<&Application>,
    ) -> Result<Self, Error> {
        let sodb = Sodb::open(path, shader_db::psdb::Access::Create)?;
        if let Some(application) = application {
            sodb.set_application(application)?;
        }
        self.capture = Some(sodb);
        Ok(self)
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The object of a key.
    pub fn find(&self, key: &[u8]) -> Option<Made> {
        self.made.lock().get(key).cloned()
    }

    fn state_object(&self, key: &[u8]) -> Result<StateObject, Error> {
        match self.find(key) {
            Some(Made::StateObject(object)) => Ok(object),
            _ => Err(Error::Argument(format!(
                "it is made from state object {}, which was not created",
                short_hex(key)
            ))),
        }
    }

    /// Creates an object; its parent and its collections were created before. What is created is captured.
    ///
    /// # Errors
    ///
    /// As for [`Device::create_pipeline_state`] and [`Device::create_state_object`]; [`Error::Argument`] for a key that has
    /// an object, or a parent or collection that has none; [`Error::Database`] if the object cannot be captured.
    pub fn create(
        &self,
        key: &[u8],
        object: &Object,
        messages: &mut Messages,
    ) -> Result<Made, Error> {
        let exists = || Error::Argument(format!("there is an object {} already", short_hex(key)));
        if self.find(key).is_some() {
            return Err(exists());
        }
        let made = match object {
            Object::PipelineState(pipeline) => {
                let desc = pipeline.desc.borrowed();
                Made::PipelineState(self.device.create_pipeline_state(&desc, messages)?)
            }
            Object::StateObject(object) => {
                let desc = object.desc.to_api();
                let desc = desc.with_collections(|_, key| self.state_object(&key))?;
                let parent = object.parent.as_deref();
                let parent = parent.map(|key| self.state_object(key)).transpose()?;
                Made::StateObject(self.device.create_state_object(
                    desc,
                    parent.as_ref(),
                    messages,
                )?)
            }
        };
        if let Some(sodb) = &self.capture {
            match object {
                Object::PipelineState(pipeline) => {
                    sodb.store_pipeline_state(key, pipeline.version, &pipeline.desc)?;
                }
                Object::StateObject(object) => {
                    let parent = object.parent.as_deref();
                    sodb.store_state_object(key, object.version, &object.desc, parent)?;
                }
            }
        }
        match self.made.lock().entry(key.to_vec()) {
            // Another thread was first.
            Entry::Occupied(_) => Err(exists()),
            Entry::Vacant(place) => Ok(place.insert(made).clone()),
        }
    }

    /// Ends the capture: the database is one file then.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub fn end_capture(&mut self) -> Result<(), Error> {
        if let Some(sodb) = self.capture.take() {
            sodb.close()?;
        }
        Ok(())
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // Who wants to know of a failure ends the capture before.
        let _ = self.end_capture();
    }
}
