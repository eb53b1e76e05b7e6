//! The messages that a caller's info queue gets.

use std::ffi::CStr;
use std::sync::{Arc, Mutex};

use api_sys::*;
use runtime_test_support::api::BAD_FORMAT;
use windows_core::{HRESULT, IUnknown, Interface, PCSTR, implement, interface};

use crate::database::*;
use crate::pipelines::{embedded, external};
use crate::preview::*;
use crate::state_objects::noise;

/// `ID3D12InfoQueue` as far as the method that is called; the 25 before it are not.
#[interface("0742a90b-c387-483f-b946-30a7e4e61458")]
unsafe trait IQueue: IUnknown {
    unsafe fn slot3(&self) -> usize;
    unsafe fn slot4(&self) -> usize;
    unsafe fn slot5(&self) -> usize;
    unsafe fn slot6(&self) -> usize;
    unsafe fn slot7(&self) -> usize;
    unsafe fn slot8(&self) -> usize;
    unsafe fn slot9(&self) -> usize;
    unsafe fn slot10(&self) -> usize;
    unsafe fn slot11(&self) -> usize;
    unsafe fn slot12(&self) -> usize;
    unsafe fn slot13(&self) -> usize;
    unsafe fn slot14(&self) -> usize;
    unsafe fn slot15(&self) -> usize;
    unsafe fn slot16(&self) -> usize;
    unsafe fn slot17(&self) -> usize;
    unsafe fn slot18(&self) -> usize;
    unsafe fn slot19(&self) -> usize;
    unsafe fn slot20(&self) -> usize;
    unsafe fn slot21(&self) -> usize;
    unsafe fn slot22(&self) -> usize;
    unsafe fn slot23(&self) -> usize;
    unsafe fn slot24(&self) -> usize;
    unsafe fn slot25(&self) -> usize;
    unsafe fn slot26(&self) -> usize;
    unsafe fn slot27(&self) -> usize;
    unsafe fn add_message(&self, category: i32, severity: i32, id: i32, text: PCSTR) -> HRESULT;
}

/// Category, severity, id and text.
type Message = (i32, i32, i32, String);

/// A queue that takes nothing, but notes it.
#[implement(IQueue)]
struct Queue(Arc<Mutex<Vec<Message>>>);

impl IQueue_Impl for Queue_Impl {
    unsafe fn slot3(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot4(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot5(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot6(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot7(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot8(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot9(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot10(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot11(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot12(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot13(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot14(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot15(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot16(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot17(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot18(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot19(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot20(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot21(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot22(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot23(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot24(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot25(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot26(&self) -> usize {
        unreachable!()
    }
    unsafe fn slot27(&self) -> usize {
        unreachable!()
    }
    unsafe fn add_message(&self, category: i32, severity: i32, id: i32, text: PCSTR) -> HRESULT {
        // SAFETY: the API's string.
        let text = unsafe { CStr::from_ptr(text.0.cast()) }.to_str().unwrap();
        self.0
            .lock()
            .unwrap()
            .push((category, severity, id, text.to_owned()));
        E_FAIL
    }
}

/// A queue, and what it got.
fn queue() -> (ID3D12InfoQueue, Arc<Mutex<Vec<Message>>>) {
    let messages = Arc::default();
    let queue: IQueue = Queue(Arc::clone(&messages)).into();
    (queue.cast().unwrap(), messages)
}

const DATABASE: i32 = 11;
const ERROR: i32 = 1;
const LOOKUP_FAILED: i32 = 1476;

#[test]
fn failures_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let (queue, messages) = queue();
    let take = || std::mem::take(&mut *messages.lock().unwrap());
    let desc = D3D12_STATE_OBJECT_DATABASE_DESC::default();
    std::fs::write(&path, "no database".repeat(100)).unwrap();
    let opened = try_open_with(&path, &desc, Some(&queue));
    assert_eq!(opened.unwrap_err(), BAD_FORMAT);
    let [(DATABASE, ERROR, 0, text)] = &take()[..] else {
        panic!("one message");
    };
    assert!(
        text.starts_with("CreateStateObjectDatabaseFromFile1: "),
        "{text}"
    );
    std::fs::remove_file(&path).unwrap();

    let database = try_open_with(&path, &desc, Some(&queue)).unwrap();
    assert_eq!(store_pipeline(&database, b"k", 1, &embedded().desc()), S_OK);
    // That something is not there is an answer.
    assert_eq!(version(&database, b"none"), Err(DXGI_ERROR_NOT_FOUND));
    assert_eq!(take(), []);
    // Of the methods that were there before, too.
    let stored = store_pipeline(&database, b"k", 1, &external().desc());
    assert_eq!(stored, DXGI_ERROR_ALREADY_EXISTS);
    let expected = "StorePipelineStateDesc: already stored".to_owned();
    assert_eq!(take(), [(DATABASE, ERROR, 0, expected)]);
    let stored = store_object(&database, b"o", 1, &noise("noise_a"), b"\xAB");
    assert_eq!(stored, DXGI_ERROR_NOT_FOUND);
    let [(DATABASE, ERROR, LOOKUP_FAILED, text)] = &take()[..] else {
        panic!("one message");
    };
    assert!(text.contains("its parent ab is no state object"), "{text}");
    // SAFETY: no pointers.
    let committed = unsafe { database.CommitTransaction() };
    assert_eq!(committed, ILLEGAL_STATE_CHANGE);
    let expected = "CommitTransaction: no transaction is active".to_owned();
    assert_eq!(take(), [(DATABASE, ERROR, 0, expected)]);

    let vertex = crate::state_objects::collection("fullscreen_vs", "vs=*");
    assert_eq!(store_object(&database, b"c", 1, &vertex, b""), S_OK);
    let over = with_key(noise("noise_a"), b"c", &[]);
    assert_eq!(store_object(&database, b"o", 1, &over, b""), S_OK);
    let callbacks = Callbacks {
        lookup_object: Some(Box::new(|_, _| Err(DXGI_ERROR_NOT_FOUND))),
        ..Callbacks::default()
    };
    let found = find_object1(&database, by_group(b"o"), callbacks, |_, _, _, _| {});
    assert_eq!(found, DXGI_ERROR_NOT_FOUND);
    let [(DATABASE, ERROR, LOOKUP_FAILED, text)] = &take()[..] else {
        panic!("one message");
    };
    assert!(
        text.contains("pfnLookupStateObject gave no object for key "),
        "{text}"
    );
    assert!(text.ends_with("0x887a0002"), "{text}");
    // It is held as long as the database.
    drop(queue);
    assert_eq!(Arc::strong_count(&messages), 2);
    drop(database);
    assert_eq!(Arc::strong_count(&messages), 1);
}
