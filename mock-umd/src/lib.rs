//! The user-mode driver of Fabrikam, the fake vendor whose compiler plugin is `sample-plugin`.

#[allow(dead_code, reason = "the entry points that use it follow")]
mod address_space;
#[allow(dead_code, reason = "the entry points that use it follow")]
mod driver_state;
#[allow(dead_code, reason = "the entry points that use it follow")]
mod handles;
#[allow(dead_code, reason = "the entry points that use it follow")]
mod switches;
