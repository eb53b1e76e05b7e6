//! The user-mode driver of Fabrikam, the fake vendor whose compiler plugin is `sample-plugin`.
