//! State objects in the host's memory: creation, additions, collections, ends.

use std::cell::RefCell;
use std::ptr;
use std::rc::Rc;

use ddi_sys::*;
use plugin_sdk::desc::DescError;
use plugin_sdk::{Error, KeyBuilder};

use crate::host::log::capture;
use crate::host::memory::Guarded;
use crate::host::plugin::{OtherPlugin, Script, alive, made};
use crate::host::session::{Call, Session};
use crate::host::state_object::StateObject;
use crate::host::{Compiler, Host, some};

/// A compiler, its session, and a description to compile.
struct Scene<'h> {
    host: &'h Host,
    compiler: Compiler<'h>,
    session: Session,
    desc: StateObject,
}

impl<'h> Scene<'h> {
    fn new(host: &'h Host) -> Self {
        Self {
            host,
            compiler: host.create_compiler(),
            session: Session::default(),
            desc: StateObject::raytracing(),
        }
    }

    fn memory(&self) -> Guarded {
        Guarded::new(self.host.calc_state_object_size(self.compiler.handle()), 0)
    }

    fn create(&self, memory: &Guarded) -> HRESULT {
        let at = memory.at().cast();
        let compiler = self.compiler.handle();
        self.host
            .create_state_object_in(compiler, &self.session, self.desc.raw, at)
    }

    fn add(&self, parent: &Guarded, memory: &Guarded) -> HRESULT {
        let (parent, at) = (parent.at().cast(), memory.at().cast());
        let compiler = self.compiler.handle();
        self.host
            .add_to_state_object_in(compiler, &self.session, self.desc.raw, parent, at)
    }

    fn with_collection(&self, collection: &Guarded, memory: &Guarded) -> HRESULT {
        let desc = StateObject::with_collection(collection.at().cast());
        let at = memory.at().cast();
        self.host
            .create_state_object_in(self.compiler.handle(), &self.session, desc.raw, at)
    }

    fn destroy(&self, memory: &Guarded) {
        self.host
            .destroy_state_object(self.compiler.handle(), memory.at().cast());
        memory.check();
    }
}

/// A vendor whose state objects remember where they come from: "object 2 of object 1".
fn genealogy() -> (crate::host::plugin::Installed, Rc<RefCell<Vec<String>>>) {
    let names = Rc::new(RefCell::new(Vec::new()));
    let seen = names.clone();
    let script = Script {
        compile_state_object: Box::new(move |parent, desc, session| {
            let mut seen = seen.borrow_mut();
            let number = seen.len() + 1;
            let parent = parent.map(|parent| format!(" on {}", parent.name));
            let with = desc
                .collections()
                .map(|other| format!(" with {}", other.name));
            let relatives: String = parent.into_iter().chain(with).collect();
            let name = format!("object {number}{relatives}");
            seen.push(name.clone());
            let key = KeyBuilder::new("test").text("name", &name).finish();
            let receipt = session.find_or_store(key, |missing| Ok(made(missing)))?;
            Ok((session.finish([receipt]), name))
        }),
        ..Script::default()
    };
    (script.install(), names)
}

#[test]
fn memory_at_any_alignment_is_enough_and_nothing_outside_is_written() {
    let host = Host::new();
    let scene = Scene::new(&host);
    let size = host.calc_state_object_size(scene.compiler.handle());
    for offset in some(0..=64) {
        let (first, second) = (Guarded::new(size, offset), Guarded::new(size, 64 - offset));
        assert_eq!(
            host.calc_add_size(scene.compiler.handle(), first.at().cast()),
            size
        );
        assert_eq!(scene.create(&first), S_OK);
        assert_eq!(scene.add(&first, &second), S_OK);
        assert_eq!(alive(), 4);
        scene.destroy(&second);
        scene.destroy(&first);
        assert_eq!(alive(), 2);
    }
}

#[test]
fn each_compile_sets_its_keys_once() {
    let (_script, names) = genealogy();
    let host = Host::new();
    let scene = Scene::new(&host);
    let (first, second) = (scene.memory(), scene.memory());
    assert_eq!(scene.create(&first), S_OK);
    let created = scene.session.object_keys().unwrap();
    scene.session.calls();
    assert_eq!(scene.add(&first, &second), S_OK);
    let added = scene.session.object_keys().unwrap();
    assert_ne!(created, added);
    assert_eq!(*names.borrow(), ["object 1", "object 2 on object 1"]);
    scene.destroy(&first);
    scene.destroy(&second);
}

#[test]
fn additions_form_chains_and_siblings_and_end_in_any_order() {
    let host = Host::new();
    // Indices into: root, child, grandchild, second child.
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        let (_script, names) = genealogy();
        let scene = Scene::new(&host);
        let objects: [Guarded; 4] = std::array::from_fn(|_| scene.memory());
        let [root, child, grandchild, sibling] = &objects;
        assert_eq!(scene.create(root), S_OK);
        assert_eq!(scene.add(root, child), S_OK);
        assert_eq!(scene.add(child, grandchild), S_OK);
        assert_eq!(scene.add(root, sibling), S_OK);
        let expected = [
            "object 1",
            "object 2 on object 1",
            "object 3 on object 2 on object 1",
            "object 4 on object 1",
        ];
        assert_eq!(*names.borrow(), expected);
        for (destroyed, index) in order.into_iter().enumerate() {
            assert_eq!(alive(), 2 + 4 - isize::try_from(destroyed).unwrap());
            scene.destroy(&objects[index]);
            // Neither a parent nor a collection any more.
            let memory = scene.memory();
            scene.session.calls();
            assert_eq!(scene.add(&objects[index], &memory), E_INVALIDARG);
            assert_eq!(
                scene.with_collection(&objects[index], &memory),
                E_INVALIDARG
            );
            assert!(memory.is_untouched() && scene.session.calls().is_empty());
        }
        drop(scene);
        assert_eq!(alive(), 1);
    }
}

#[test]
fn a_collection_gives_the_vendors_own_object() {
    let (_script, names) = genealogy();
    let host = Host::new();
    let scene = Scene::new(&host);
    let (collection, pipeline) = (scene.memory(), scene.memory());
    assert_eq!(scene.create(&collection), S_OK);
    assert_eq!(scene.with_collection(&collection, &pipeline), S_OK);
    assert_eq!(names.borrow()[1], "object 2 with object 1");
    scene.destroy(&collection);
    scene.destroy(&pipeline);
}

#[test]
fn collections_that_are_none_are_refused() {
    let host = Host::new();
    let scene = Scene::new(&host);
    let memory = scene.memory();
    let garbage = Guarded::new(256, 0);
    for collection in [ptr::null_mut(), garbage.at(), garbage.at().wrapping_add(3)] {
        let desc = StateObject::with_collection(collection.cast());
        let (hresult, lines) = capture(|| {
            let at = memory.at().cast();
            let compiler = scene.compiler.handle();
            host.create_state_object_in(compiler, &scene.session, desc.raw, at)
        });
        assert_eq!(hresult, E_INVALIDARG);
        let expected = DescError::ForeignCollection.to_string();
        assert!(lines[0].text.contains(&expected), "{lines:?}");
    }
    assert!(memory.is_untouched() && scene.session.calls().is_empty());
}

#[test]
fn a_failed_creation_leaves_nothing() {
    let script = Script {
        compile_state_object: Box::new(|_, _, _| Err(Error::failed("no"))),
        ..Script::default()
    };
    let host = Host::new();
    let scene = Scene::new(&host);
    let (parent, memory) = (scene.memory(), scene.memory());
    assert_eq!(scene.create(&parent), S_OK);
    scene.session.calls();
    let installed = script.install();
    assert_eq!(scene.create(&memory), E_FAIL);
    assert_eq!(scene.add(&parent, &memory), E_FAIL);
    assert!(memory.is_untouched() && scene.session.calls().is_empty());
    drop(installed);
    // Setting the keys fails: the object was made, and is dropped again.
    let default_compile = ["find", "set_keys"];
    for add in [false, true] {
        scene.session.state().fail = Some((1, E_OUTOFMEMORY));
        let hresult = if add {
            scene.add(&parent, &memory)
        } else {
            scene.create(&memory)
        };
        assert_eq!(hresult, E_OUTOFMEMORY);
        assert_eq!(scene.session.call_names(), default_compile);
        assert!(memory.is_untouched());
        assert_eq!(alive(), 3);
        scene.session.calls();
    }
    scene.destroy(&memory);
    assert!(memory.is_untouched());
    scene.destroy(&parent);
}

#[test]
fn null_arguments_are_refused() {
    let host = Host::new();
    let scene = Scene::new(&host);
    let (parent, memory) = (scene.memory(), scene.memory());
    assert_eq!(scene.create(&parent), S_OK);
    scene.session.calls();
    let (compiler, session) = (scene.compiler.handle(), &scene.session);
    let (null, at) = (ptr::null_mut(), memory.at().cast());
    let results = [
        host.create_state_object_in(compiler, session, ptr::null(), at),
        host.add_to_state_object_in(compiler, session, ptr::null(), parent.at().cast(), at),
        host.add_to_state_object_in(compiler, session, scene.desc.raw, null, at),
        // Without memory for the object nothing is compiled: its keys could not be taken back.
        host.create_state_object_in(compiler, session, scene.desc.raw, null),
        host.add_to_state_object_in(compiler, session, scene.desc.raw, parent.at().cast(), null),
    ];
    assert_eq!(results, [E_INVALIDARG; 5]);
    assert!(memory.is_untouched() && session.calls().is_empty());
    host.destroy_state_object(compiler, null);
    scene.destroy(&parent);
}

#[test]
fn destroying_twice_or_garbage_ends_nothing_twice() {
    let host = Host::new();
    let scene = Scene::new(&host);
    let (memory, garbage) = (scene.memory(), scene.memory());
    scene.destroy(&garbage);
    assert!(garbage.is_untouched());
    for _ in 0..3 {
        assert_eq!(scene.create(&memory), S_OK);
        assert_eq!(alive(), 3);
        scene.destroy(&memory);
        scene.destroy(&memory);
        assert_eq!(alive(), 2);
    }
}

/// Values of the parent are not asked for again: what a vendor keeps, it keeps in its state object.
#[test]
fn the_same_object_again_finds_what_is_stored() {
    let host = Host::new();
    let scene = Scene::new(&host);
    let (first, second) = (scene.memory(), scene.memory());
    assert_eq!(scene.create(&first), S_OK);
    assert_eq!(scene.session.call_names(), ["find", "store", "set_keys"]);
    scene.session.calls();
    assert_eq!(scene.create(&second), S_OK);
    let calls = scene.session.calls();
    assert!(
        calls.iter().all(|call| !matches!(call, Call::Store { .. })),
        "{calls:?}"
    );
    scene.destroy(&first);
    scene.destroy(&second);
}

#[test]
fn a_compiler_without_state_objects_says_so() {
    let host = Host::of::<OtherPlugin>().unwrap();
    let scene = Scene::new(&host);
    let memory = scene.memory();
    assert_eq!(scene.create(&memory), DXGI_ERROR_UNSUPPORTED);
    assert_eq!(scene.add(&memory, &memory), E_INVALIDARG);
    assert!(memory.is_untouched() && scene.session.calls().is_empty());
}
