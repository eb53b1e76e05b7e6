//! A number that was planted in the source of a shader, as the manifest of the corpus has it.

use dxil::constants::{Constant, Scalar};
use dxil::patch::Value;
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Planted {
    pub name: String,
    pub kind: String,
    pub value: serde_json::Number,
    #[serde(default)]
    pub lost: Option<String>,
}

impl Planted {
    /// Whether `constant` is of this type and value; an element of an array, if it is one.
    pub fn is(&self, constant: &Constant) -> bool {
        let integer = || Value::Integer(self.value.as_i64().unwrap().into());
        let float = || self.value.as_f64().unwrap();
        let (ty, value) = match self.kind.as_str() {
            "i16" => (Scalar::Integer(16), integer()),
            "i32" => (Scalar::Integer(32), integer()),
            "i64" => (Scalar::Integer(64), integer()),
            "f16" => (Scalar::Half, Value::Float(float())),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the value is one of 32 bits"
            )]
            "f32" => (Scalar::Float, Value::Float((float() as f32).into())),
            "f64" => (Scalar::Double, Value::Float(float())),
            "data" => {
                let is_element = constant.element.is_some();
                return is_element && self.value.as_u64() == Some(constant.bits);
            }
            other => panic!("{other}"),
        };
        constant.ty == ty && Value::of(ty, constant.bits) == value
    }
}
