//! The runtime with mock-umd.

use std::path::Path;

use compiler_runtime::message::Messages;
use ddi_sys::{
    D3D12DDI_API_HCOMMANDLIST, D3D12DDI_API_HPIPELINESTATE,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_NOT_SPECIFIED,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED, D3D12DDI_COMMAND_LIST_FUNCS_3D_0114,
    DXGI_ERROR_UNSUPPORTED, E_INVALIDARG,
};
use mock_runtime::Error;
use mock_runtime::adapter::{DriverState, OpenAdapter};
use mock_runtime::command_list::{BYPASSED, CommandList, Mode};
use mock_runtime::device::{Device, DeviceOptions};
use mock_runtime::objects::{Made, Objects};
use mock_runtime::realize::PipelineState;
use mock_runtime::shader_cache::Outcome;
use mock_runtime::umd::Umd;
use mock_umd::inspect::{self, Command};
use shader_db::psdb::{Access, Options, Psdb, Target, ValueType, ValueTypes};
use shader_db::sodb::{self, Sodb};

fn device(build: Option<u16>) -> Device {
    let adapter = OpenAdapter::open(&Umd::mock(), DriverState::default(), None).unwrap();
    let options = DeviceOptions {
        build,
        ..DeviceOptions::default()
    };
    Device::new(&adapter, &options).unwrap()
}

fn example() -> Sodb {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join("../state-object-compiler/examples/example.sodb");
    Sodb::open(path, Access::Read).unwrap()
}

/// All objects of the example, each after those that it is made from.
fn objects(sodb: &Sodb) -> Vec<(Vec<u8>, sodb::Object)> {
    let entries = sodb.entries().unwrap();
    let keys: Vec<Vec<u8>> = entries.into_iter().map(|entry| entry.key).collect();
    let found = sodb.find_objects(&keys).unwrap();
    assert_eq!(found.len(), keys.len());
    let objects = found.into_iter().map(|found| found.unwrap().unwrap());
    keys.into_iter().zip(objects).collect()
}

fn pipeline(objects: &Objects, key: &[u8]) -> PipelineState {
    match objects.find(key) {
        Some(Made::PipelineState(pipeline)) => pipeline,
        other => panic!("{other:?}"),
    }
}

/// Records a few calls through the v-table, as a program does.
fn record(list: &CommandList, pipeline: D3D12DDI_API_HPIPELINESTATE) {
    let this = list.handle();
    let table = || -> &D3D12DDI_COMMAND_LIST_FUNCS_3D_0114 { list.table() };
    let constants = [1_u32, 2, 3];
    let color = [0.25_f32, 0.5, 0.75, 1.0];
    // SAFETY: the list and the pipeline are the runtime's, and the arrays as long as is said.
    unsafe {
        table().pfnSetPipelineState.unwrap()(this, pipeline);
        table().pfnSetGraphicsRoot32BitConstant.unwrap()(this, 1, 7, 0);
        table().pfnSetGraphicsRoot32BitConstants.unwrap()(this, 0, 3, constants.as_ptr().cast(), 1);
        table().pfnOmSetBlendFactor.unwrap()(this, color.as_ptr());
        table().pfnDrawInstanced.unwrap()(this, 3, 1, 0, 0);
        table().pfnDispatchMesh.unwrap()(this, 4, 5, 6);
    }
}

const CALLS: [&str; 6] = [
    "pfnSetPipelineState",
    "pfnSetGraphicsRoot32BitConstant",
    "pfnSetGraphicsRoot32BitConstants",
    "pfnOmSetBlendFactor",
    "pfnDrawInstanced",
    "pfnDispatchMesh",
];

#[test]
fn a_driver_records_the_same_directly_intercepted_and_from_a_legacy_runtime() {
    let sodb = example();
    let mut recordings = Vec::new();
    for (build, mode) in [
        (None, Mode::Intercepted),
        (None, Mode::Direct),
        (Some(113), Mode::Intercepted),
    ] {
        let made = Objects::new(device(build));
        let key = b"forward plain";
        let object = sodb::Object::PipelineState(sodb.find_pipeline_state(key).unwrap().unwrap());
        made.create(key, &object, &mut Messages::default()).unwrap();
        let list = CommandList::new(made.device()).unwrap();
        list.reset().unwrap();
        list.set_mode(mode).unwrap();
        record(&list, pipeline(&made, key).handle());
        let recording = inspect::recording(list.driver_handle().pDrvPrivate).unwrap();
        let calls: Vec<&str> = recording.commands.iter().map(Command::slot).collect();
        assert_eq!(calls, CALLS);
        let seen: &[&str] = if mode == Mode::Direct { &[] } else { &CALLS };
        assert_eq!(list.trace(), seen);
        list.close().unwrap();
        // Objects have numbers of their own in each device.
        recordings.push(recording.json()["commands"].as_array().unwrap()[1..].to_vec());
    }
    assert_eq!(recordings[0], recordings[1]);
    assert_eq!(recordings[0], recordings[2]);
}

#[test]
fn a_list_can_be_switched_while_it_is_recorded() {
    let list = CommandList::new(&device(None)).unwrap();
    list.reset().unwrap();
    let draw = |vertices| {
        let (this, table) = (list.handle(), list.table());
        // SAFETY: the list is the runtime's.
        unsafe { table.pfnDrawInstanced.unwrap()(this, vertices, 1, 0, 0) };
    };
    draw(1);
    list.set_mode(Mode::Direct).unwrap();
    draw(2);
    list.set_mode(Mode::Intercepted).unwrap();
    draw(3);
    list.close().unwrap();
    assert_eq!(list.trace(), ["pfnDrawInstanced"; 2]);
    let recording = inspect::recording(list.driver_handle().pDrvPrivate).unwrap();
    assert_eq!(recording.commands.len(), 3);
}

#[test]
fn an_older_driver_cannot_be_called_directly() {
    let list = CommandList::new(&device(Some(113))).unwrap();
    let error = list.set_mode(Mode::Direct).unwrap_err();
    assert!(matches!(error, Error::Argument(_)), "{error}");
    assert!(
        CommandList::new(&device(Some(114)))
            .unwrap()
            .set_mode(Mode::Direct)
            .is_ok()
    );
}

#[test]
fn an_intercepted_list_keeps_mistakes_from_the_driver() {
    let list = CommandList::new(&device(None)).unwrap();
    let draw = |this: D3D12DDI_API_HCOMMANDLIST| {
        // SAFETY: the runtime looks the list up.
        unsafe { list.table().pfnDrawInstanced.unwrap()(this, 3, 1, 0, 0) };
    };
    // It is closed.
    draw(list.handle());
    list.reset().unwrap();
    assert!(list.reset().is_err());
    draw(list.handle());
    // No list at all.
    draw(D3D12DDI_API_HCOMMANDLIST {
        pDrvPrivate: std::ptr::null_mut(),
    });
    list.close().unwrap();
    assert_eq!(list.trace(), ["pfnDrawInstanced"]);

    list.reset().unwrap();
    let none = D3D12DDI_API_HPIPELINESTATE {
        pDrvPrivate: std::ptr::null_mut(),
    };
    // SAFETY: the runtime checks the pipeline.
    unsafe { list.table().pfnSetPipelineState.unwrap()(list.handle(), none) };
    let error = list.close().unwrap_err();
    assert!(
        matches!(
            error,
            Error::Driver {
                result: E_INVALIDARG,
                ..
            }
        ),
        "{error}"
    );
    let recording = inspect::recording(list.driver_handle().pDrvPrivate).unwrap();
    assert!(recording.commands.is_empty());
}

#[test]
fn what_is_created_is_captured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("capture.sodb");
    let original = example();
    let application = original.application().unwrap();
    let made = Objects::new(device(None));
    let mut made = made.captured_in(&path, application.as_ref()).unwrap();
    let all = objects(&original);
    for (key, object) in &all {
        made.create(key, object, &mut Messages::default()).unwrap();
    }
    let (key, object) = &all[0];
    assert!(made.create(key, object, &mut Messages::default()).is_err());
    made.end_capture().unwrap();
    let capture = Sodb::open(&path, Access::Read).unwrap();
    assert_eq!(objects(&capture), all);
    assert_eq!(capture.application().unwrap(), application);
    let statistics = made.device().statistics();
    let counts = (
        statistics.PipelineStateObjectStatistics.NumCreated,
        statistics.StateObjectStatistics.NumCreated,
    );
    assert_eq!(counts.0 as usize + counts.1 as usize, all.len());
}

#[test]
fn objects_of_another_device_are_refused() {
    let sodb = example();
    let made = Objects::new(device(None));
    let missing = objects(&sodb)
        .into_iter()
        .find_map(|(key, object)| match &object {
            sodb::Object::StateObject(state) if state.parent.is_some() => Some((key, object)),
            _ => None,
        });
    let (key, object) = missing.unwrap();
    let error = made
        .create(&key, &object, &mut Messages::default())
        .unwrap_err();
    assert!(error.to_string().contains("was not created"), "{error}");
}

#[test]
fn the_runtime_bypasses_what_the_driver_offers() {
    // A slot that takes no API handle has an empty name there.
    let slots = Command::BYPASS.iter().filter(|slot| !slot.is_empty());
    assert!(BYPASSED.iter().eq(slots));
}

/// What a driver compiles on one device is all that it needs on the next one.
#[test]
fn with_all_values_a_driver_compiles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let sodb = example();
    let all = objects(&sodb);
    let create = |device: &Device| {
        let made = Objects::new(device.clone());
        let outcomes: Vec<_> = all
            .iter()
            .map(|(key, object)| {
                let made = made.create(key, object, &mut Messages::default());
                made.unwrap().outcome()
            })
            .collect();
        (made, outcomes)
    };
    let cold = device(None);
    let (_made, outcomes) = create(&cold);
    assert!(!outcomes[0].is_hit() && outcomes[0].stores != 0);
    let by_driver = inspect::shader_cache(cold.driver_handle().pDrvPrivate).unwrap();
    assert_ne!(by_driver.compiled, 0);
    assert_eq!(by_driver.stored, cold.cache().stores());

    let path = folder.path().join("stored.psdb");
    let driver = cold.support().unwrap();
    let options = Options {
        target: Some(Target {
            family: driver.family.clone(),
            abi: *driver.abi.end(),
            compiler_version: driver.compiler,
            profile_version: driver.profile,
        }),
        application: sodb.application().unwrap(),
        ..Options::default()
    };
    let psdb = Psdb::open(&[(ValueTypes::ALL, &path)], &options).unwrap();
    for (key, values) in cold.cache().stored() {
        let values: Vec<(ValueType, &[u8])> = ValueType::ALL
            .into_iter()
            .zip(&values)
            .filter_map(|(kind, value)| Some((kind, value.as_deref()?)))
            .collect();
        psdb.store_value(&key, &values).unwrap();
    }
    psdb.close().unwrap();

    for version in [2, 3] {
        let adapter = OpenAdapter::open(&Umd::mock(), DriverState::default(), None).unwrap();
        let options = DeviceOptions {
            caches: vec![path.clone()],
            shader_cache_version: Some(version),
            ..DeviceOptions::default()
        };
        let warm = Device::new(&adapter, &options).unwrap();
        let (_made, outcomes) = create(&warm);
        assert!(outcomes.iter().all(Outcome::is_hit), "{outcomes:?}");
        let by_driver = inspect::shader_cache(warm.driver_handle().pDrvPrivate).unwrap();
        assert_eq!((by_driver.compiled, by_driver.stored), (0, 0));
        assert_ne!(by_driver.hits, 0);
        let statistics = warm.statistics();
        assert!(statistics.DefaultPSDBRegistered.as_bool());
        for counts in [
            statistics.PipelineStateObjectStatistics,
            statistics.StateObjectStatistics,
        ] {
            assert_ne!(counts.NumCreated, 0);
            let missed = counts.NumPSDBCacheMissed + counts.NumTotalCacheMissed;
            assert_eq!(missed + counts.NumCacheUnknown, 0);
        }
        assert_eq!(warm.faults(), [""; 0]);
        assert_eq!(warm.asked_descs(), 0);
    }
}

/// Application_Specific_Driver_State.md: what a tool captures on one device it sets before it creates another one.
#[test]
fn a_state_that_was_captured_is_used_and_a_foreign_one_is_not() {
    let on = |state| {
        let adapter = OpenAdapter::open(&Umd::mock(), state, None).unwrap();
        Device::new(&adapter, &DeviceOptions::default()).unwrap()
    };
    let status = |device: &Device| device.driver_state_status().unwrap();
    // By default the driver does nothing for an application, and has no state. No other test asks for it.
    assert_eq!(
        on(DriverState::NotAvailable).driver_state().unwrap(),
        [0_u8; 0]
    );
    inspect::set("MOCK_UMD_WORKAROUNDS", "5").unwrap();
    let captured = on(DriverState::NotAvailable);
    inspect::set("MOCK_UMD_WORKAROUNDS", "").unwrap();
    assert_eq!(
        status(&captured),
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_NOT_SPECIFIED
    );
    let blob = captured.driver_state().unwrap();
    assert!(!blob.is_empty());
    let replayed = on(DriverState::Blob(blob.clone()));
    assert_eq!(
        status(&replayed),
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED
    );
    assert_eq!(replayed.driver_state().unwrap(), blob);
    let foreign = on(DriverState::Blob(vec![7; 100]));
    assert_eq!(
        status(&foreign),
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED
    );
    let old = on(DriverState::OldRuntime);
    assert_eq!(
        status(&old),
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_NOT_SPECIFIED
    );

    let error = device(Some(112)).driver_state().unwrap_err();
    assert_eq!(error.result(), DXGI_ERROR_UNSUPPORTED);
}
