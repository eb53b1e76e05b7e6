//! R-FAC: `D3D12CompilerCreateFactory`.

use api_sys::ID3D12CompilerFactory;
use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use ddi_sys::{E_INVALIDARG, E_NOINTERFACE, HRESULT, S_OK};
use windows_core::{Interface, PCWSTR};

use super::Tests;
use super::cmp::compile;
use crate::runtime::{Factory, NO_IID, Runtime, give, kept, made, wide};
use crate::watch::fault::{Watch, watched};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::R_FAC_01, r_fac_01_gives_a_factory),
    (rules::R_FAC_02, r_fac_02_refuses_an_unknown_iid),
    (rules::R_FAC_03, r_fac_03_reports_a_missing_file),
    (rules::R_FAC_04, r_fac_04_refuses_a_null_path),
    (rules::R_FAC_05, r_fac_05_refuses_what_is_no_plugin),
    (rules::R_FAC_06, r_fac_06_factories_live_side_by_side),
];

/// HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND).
const FILE_NOT_FOUND: HRESULT = HRESULT(0x8007_0002_u32.cast_signed());

fn r_fac_01_gives_a_factory(runtime: &Runtime) -> Outcome {
    let export = runtime.load();
    let reason = export.as_ref().err().cloned().unwrap_or_default();
    let Ok(export) = export else {
        broken!(
            call: "loading the library and looking up D3D12CompilerCreateFactory",
            expected: "the export",
            got: "it {reason}",
        );
    };
    let factory = runtime.create_factory(export, runtime.plugin());
    let got = made(&factory);
    ensure!(
        factory.is_ok(),
        call: "D3D12CompilerCreateFactory(a plugin, IID_ID3D12CompilerFactory)",
        expected: "S_OK and a factory",
        got: "returned {got}",
    );
    kept(&factory);
    Ok(())
}

fn r_fac_02_refuses_an_unknown_iid(runtime: &Runtime) -> Outcome {
    let export = runtime.export()?;
    runtime.factory()?;
    let plugin = wide(&runtime.plugin().to_string_lossy());
    let (returned, place) = give(&NO_IID, |iid, place| {
        // SAFETY: a string with a NUL, an IID and a place for a pointer.
        unsafe { export(PCWSTR(plugin.as_ptr()), iid, place) }
    });
    ensure!(
        returned == E_NOINTERFACE && place.is_null(),
        call: "D3D12CompilerCreateFactory(a plugin, an IID that nothing has)",
        expected: "E_NOINTERFACE, and *ppFactory null",
        got: "returned {returned}, with {place:p}",
    );
    Ok(())
}

fn r_fac_03_reports_a_missing_file(runtime: &Runtime) -> Outcome {
    let export = runtime.export()?;
    let folder = runtime.file("a-folder");
    std::fs::create_dir(&folder)
        .map_err(|error| Stop::Tool(format!("cannot make a folder: {error}")))?;
    for (what, path) in [
        (
            "a path that leads to no file",
            runtime.file("no-such-plugin.dll"),
        ),
        (
            "a path into a folder that does not exist",
            runtime.file("no-such-folder/plugin.dll"),
        ),
        ("the path of a folder", folder),
    ] {
        let got = runtime.create_factory(export, &path);
        let shown = made(&got);
        ensure!(
            got.is_err_and(|failure| failure == FILE_NOT_FOUND),
            call: "D3D12CompilerCreateFactory({what})",
            expected: "HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND), 0x80070002",
            got: "returned {shown}",
        );
    }
    Ok(())
}

fn r_fac_04_refuses_a_null_path(runtime: &Runtime) -> Outcome {
    let export = runtime.export()?;
    let follows = failure!(
        call: "D3D12CompilerCreateFactory(null path)",
        expected: "E_INVALIDARG",
        got: "a memory fault: it reads the null path",
    );
    let (returned, _) = watched(vec![Watch::null(follows)], || {
        give(&ID3D12CompilerFactory::IID, |iid, place| {
            // SAFETY: null is what is tested.
            unsafe { export(PCWSTR::null(), iid, place) }
        })
    });
    ensure!(
        returned == E_INVALIDARG,
        call: "D3D12CompilerCreateFactory(null path)",
        expected: "E_INVALIDARG",
        got: "returned {returned}",
    );
    Ok(())
}

fn r_fac_05_refuses_what_is_no_plugin(runtime: &Runtime) -> Outcome {
    let export = runtime.export()?;
    let text = runtime.file("text.dll");
    std::fs::write(&text, "This is not a library.\n")
        .map_err(|error| Stop::Tool(format!("cannot write a file: {error}")))?;
    let mut files = vec![("a text file", text)];
    files.extend(
        runtime
            .path()
            .map(|path| ("the runtime itself", path.to_owned())),
    );
    for (what, file) in files {
        runtime.at(format!("D3D12CompilerCreateFactory({what})"));
        let path = wide(&file.to_string_lossy());
        let (returned, place) = give(&ID3D12CompilerFactory::IID, |iid, place| {
            // SAFETY: a string with a NUL, and the IID of the place for the result.
            unsafe { export(PCWSTR(path.as_ptr()), iid, place) }
        });
        ensure!(
            !returned.is_ok() && place.is_null(),
            call: "D3D12CompilerCreateFactory({what})",
            expected: "a failure, and *ppFactory null",
            got: "returned {returned}, with {place:p}",
        );
    }
    Ok(())
}

fn r_fac_06_factories_live_side_by_side(runtime: &Runtime) -> Outcome {
    let export = runtime.export()?;
    let first = runtime.own_factory()?;
    let works = |factory: &Factory| factory.enumerate_adapter_families(0).0;
    if works(&first) != S_OK {
        return Err(Stop::needs(rules::R_ENUM_01));
    }
    let target = runtime.target()?;
    let compiles = |factory: &Factory, name: &str| -> Result<HRESULT, Stop> {
        let session = factory.session_on(&runtime.file(name), target)?;
        let compiler = factory.create_compiler(Some(&session));
        Ok(match compiler {
            Ok(compiler) => compile(&compiler, b"group"),
            Err(failure) => failure,
        })
    };
    if compiles(&first, "alone.psdb")? != S_OK {
        return Err(Stop::needs(rules::R_CMP_04));
    }
    let faults = failure!(
        call: "the methods of a factory beside one that was released",
        expected: "what they return without the other",
        got: "a memory fault",
    );
    watched(vec![Watch::anywhere(faults)], || {
        let next = |when: &str, others: &[&Factory]| -> Result<Factory, Stop> {
            let factory = runtime.create_factory(export, runtime.plugin());
            let got = made(&factory);
            let Ok(factory) = factory else {
                broken!(
                    call: "D3D12CompilerCreateFactory {when}",
                    expected: "S_OK and a factory",
                    got: "returned {got}",
                );
            };
            for factory in others.iter().copied().chain([&factory]) {
                let returned = works(factory);
                ensure!(
                    returned == S_OK,
                    call: "EnumerateAdapterFamilies(0) after D3D12CompilerCreateFactory {when}",
                    expected: "S_OK from every factory",
                    got: "returned {returned}",
                );
            }
            Ok(factory)
        };
        let second = next("while another factory lives", &[&first])?;
        drop(first);
        let returned = works(&second);
        ensure!(
            returned == S_OK,
            call: "EnumerateAdapterFamilies(0) after another factory was released",
            expected: "S_OK",
            got: "returned {returned}",
        );
        let returned = compiles(&second, "left.psdb")?;
        ensure!(
            returned == S_OK,
            call: "CreateCompiler and CompilePipelineState after another factory was released",
            expected: "S_OK",
            got: "returned {returned}",
        );
        drop(second);
        let third = next("after the last factory was released", &[])?;
        kept(&third.0);
        Ok(())
    })
}
