//! Application profiles: titles for which code is generated otherwise.
//!
//! A title is known by its executable, and by its name where the executable's is a common one; its
//! version does not matter to these two. What reaches keys and object code is the switches alone:
//! another application with the same switches has the same values.

use plugin_sdk::VersionNumber;
use plugin_sdk::desc::ApplicationDesc;

use crate::switches::Switches;

/// What is done for one title.
struct Profile {
    executable: &'static str,
    /// The title, where the executable's name is not enough.
    title: Option<&'static str>,
    /// Goes up with each change of the switches.
    version: VersionNumber,
    switches: Switches,
}

static PROFILES: [Profile; 2] = [
    // Two passes compute the same positions, one of them with other code around it: they must not
    // differ by a fused multiply-add.
    Profile {
        executable: "ContosoRally.exe",
        title: None,
        version: VersionNumber::new(1, 3, 0, 0),
        switches: Switches::UNFUSED_MULTIPLY_ADD,
    },
    // Reads group-shared memory that it never wrote.
    Profile {
        executable: "Game-Win64-Shipping.exe",
        title: Some("Tailspin Skies"),
        version: VersionNumber::new(2, 0, 1, 0),
        switches: Switches::ZERO_GROUP_SHARED,
    },
];

/// The version of an application's profile, and its switches; zero and none when it has no profile.
pub(crate) fn find(application: &ApplicationDesc<'_>) -> (VersionNumber, Switches) {
    let executable = application.exe_filename.to_string_lossy();
    let name = application.name.to_string_lossy();
    PROFILES
        .iter()
        .find(|profile| {
            profile.executable.eq_ignore_ascii_case(&executable)
                && profile.title.is_none_or(|title| title == name)
        })
        .map_or((VersionNumber::ZERO, Switches::NONE), |profile| {
            (profile.version, profile.switches)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use widestring::U16String;

    fn find_by(executable: &str, title: &str) -> (VersionNumber, Switches) {
        find(&ApplicationDesc {
            exe_filename: &U16String::from_str(executable),
            name: &U16String::from_str(title),
            version: VersionNumber::new(1, 0, 0, 0),
            engine: None,
        })
    }

    #[test]
    fn titles_are_known_by_executable_and_where_needed_by_name() {
        let none = (VersionNumber::ZERO, Switches::NONE);
        let rally = (
            VersionNumber::new(1, 3, 0, 0),
            Switches::UNFUSED_MULTIPLY_ADD,
        );
        let skies = (VersionNumber::new(2, 0, 1, 0), Switches::ZERO_GROUP_SHARED);
        for (executable, title, expected) in [
            ("ContosoRally.exe", "Contoso Rally", rally),
            ("CONTOSORALLY.EXE", "", rally),
            ("ContosoRally2.exe", "Contoso Rally", none),
            ("Game-Win64-Shipping.exe", "Tailspin Skies", skies),
            ("game-win64-shipping.exe", "Tailspin Skies", skies),
            ("Game-Win64-Shipping.exe", "Another Game", none),
            ("", "Tailspin Skies", none),
        ] {
            assert_eq!(
                find_by(executable, title),
                expected,
                "{executable}, {title}"
            );
        }
    }
}
