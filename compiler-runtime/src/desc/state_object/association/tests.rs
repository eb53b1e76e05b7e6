//! One test for each rule of Raytracing.md, "Subobject association behavior"; and what must hold
//! whatever the rules are.

use dxil::ShaderKind;
use proptest::prelude::*;

use super::{
    Associated, Association, Export, ExportKind, Fault, Kind, Resolution, Scope, Subobject, Target,
    resolve,
};

const OBJECT: Scope = Scope::Object;
const LIB: Scope = Scope::Library(0);
const OTHER_LIB: Scope = Scope::Library(1);
const COLLECTION: Scope = Scope::Collection(0);

const LOCAL: Kind = Kind::LocalRootSignature;
const GLOBAL: Kind = Kind::GlobalRootSignature;
const CONFIG: Kind = Kind::RaytracingShaderConfig;

#[derive(Clone, Debug, Default)]
struct World {
    subobjects: Vec<Subobject>,
    associations: Vec<Association>,
    exports: Vec<Export>,
}

impl World {
    /// A subobject; its content is the first letter of its name.
    fn subobject(mut self, scope: Scope, kind: Kind, name: &str) -> Self {
        self.subobjects.push(Subobject {
            kind,
            scope,
            name: (scope != OBJECT).then(|| name.to_owned()),
            content: name.as_bytes()[..1].to_vec(),
            label: name.to_owned(),
        });
        self
    }

    fn export(self, scope: Scope, name: &str) -> Self {
        self.entry(scope, name, ShaderKind::ClosestHit)
    }

    fn entry(mut self, scope: Scope, name: &str, kind: ShaderKind) -> Self {
        self.exports.push(Export {
            name: name.to_owned(),
            internal_name: name.to_owned(),
            is_hidden: false,
            scope,
            kind: ExportKind::Entry(kind),
            made_with: Associated::default(),
        });
        self
    }

    fn function(mut self, scope: Scope, name: &str) -> Self {
        self = self.export(scope, name);
        self.exports.last_mut().unwrap().kind = ExportKind::Function;
        self
    }

    fn renamed(mut self, internal_name: &str) -> Self {
        internal_name.clone_into(&mut self.exports.last_mut().unwrap().internal_name);
        self
    }

    fn group(mut self, scope: Scope, name: &str, shaders: &[&str]) -> Self {
        let shaders = shaders.iter().map(|shader| self.place(shader)).collect();
        self = self.export(scope, name);
        self.exports.last_mut().unwrap().kind = ExportKind::HitGroup(shaders);
        self
    }

    /// The last export was made with that subobject.
    fn made_with(mut self, name: &str) -> Self {
        let place = self
            .subobjects
            .iter()
            .position(|s| s.label == name)
            .unwrap();
        let kind = self.subobjects[place].kind;
        let export = self.exports.last_mut().unwrap();
        export.made_with.set(kind, Some(place));
        self
    }

    /// An association with a subobject of a library, by name.
    fn named(mut self, scope: Scope, name: &str, exports: &[&str]) -> Self {
        self.associations.push(Association {
            scope,
            target: Target::Named(name.to_owned()),
            exports: exports.iter().map(|&export| export.to_owned()).collect(),
            label: format!("the association of {name}"),
        });
        self
    }

    /// An association with a subobject of the state object.
    fn associate(mut self, name: &str, exports: &[&str]) -> Self {
        let place = self
            .subobjects
            .iter()
            .position(|s| s.label == name)
            .unwrap();
        self = self.named(OBJECT, name, exports);
        self.associations.last_mut().unwrap().target = Target::Subobject(place);
        self
    }

    fn place(&self, export: &str) -> usize {
        self.exports.iter().position(|e| e.name == export).unwrap()
    }

    fn resolve(&self) -> Result<Resolution, Fault> {
        resolve(&self.subobjects, &self.associations, &self.exports)
    }

    /// Exports and what each is associated with, as `export=subobject`.
    #[track_caller]
    fn gives(self, kind: Kind, expected: &[&str]) -> Self {
        let resolution = self.resolve().unwrap();
        let found: Vec<_> = (self.exports.iter().zip(&resolution.exports))
            .map(|(export, associated)| {
                let subobject = associated.get(kind).map(|s| &*self.subobjects[s].label);
                format!("{}={}", export.name, subobject.unwrap_or("-"))
            })
            .collect();
        assert_eq!(found, expected);
        self
    }

    #[track_caller]
    fn gives_to(self, export: &str, kind: Kind, expected: &str) {
        let place = self.place(export);
        let associated = self.resolve().unwrap().exports[place].get(kind);
        let found = associated.map(|subobject| &*self.subobjects[subobject].label);
        assert_eq!(found, Some(expected), "{kind}");
    }

    #[track_caller]
    fn has_config(self, expected: &str) {
        let config = self.resolve().unwrap().config;
        let config = config.map(|subobject| &*self.subobjects[subobject].label);
        assert_eq!(config.unwrap_or("-"), expected);
    }

    #[track_caller]
    fn fails(self, text: &str) {
        assert_eq!(self.resolve().unwrap_err().to_string(), text);
    }
}

fn world() -> World {
    World::default()
}

#[test]
fn a_subobject_without_association_is_the_default_of_its_scope() {
    world()
        .subobject(OBJECT, LOCAL, "a")
        .export(LIB, "x")
        .export(COLLECTION, "y")
        .gives(LOCAL, &["x=a", "y=a"]);
    world()
        .subobject(LIB, LOCAL, "a")
        .export(LIB, "x")
        .export(OTHER_LIB, "y")
        .group(OBJECT, "g", &[])
        .gives(LOCAL, &["x=a", "y=-", "g=-"]);
}

#[test]
fn an_explicit_association_in_the_same_scope_ends_the_default() {
    world()
        .subobject(OBJECT, LOCAL, "a")
        .associate("a", &["x"])
        .export(LIB, "x")
        .export(LIB, "y")
        .gives(LOCAL, &["x=a", "y=-"]);
    world()
        .subobject(LIB, LOCAL, "a")
        .named(LIB, "a", &["x"])
        .export(LIB, "x")
        .export(LIB, "y")
        .gives(LOCAL, &["x=a", "y=-"]);
}

#[test]
fn associations_in_other_scopes_do_not_end_the_default() {
    world()
        .subobject(LIB, LOCAL, "a")
        .named(OBJECT, "a", &["y"])
        .export(LIB, "x")
        .export(OTHER_LIB, "y")
        .gives(LOCAL, &["x=a", "y=a"]);
}

#[test]
fn an_association_without_exports_is_a_default_of_its_own_scope() {
    // Broadcast from one library into another, and into the object.
    let lib = world()
        .subobject(LIB, LOCAL, "a")
        .named(LIB, "a", &["x"])
        .export(LIB, "x")
        .export(LIB, "z")
        .export(OTHER_LIB, "y");
    lib.clone().gives(LOCAL, &["x=a", "z=-", "y=-"]);
    lib.clone()
        .named(OTHER_LIB, "a", &[])
        .gives(LOCAL, &["x=a", "z=-", "y=a"]);
    lib.named(OBJECT, "a", &[])
        .gives(LOCAL, &["x=a", "z=a", "y=a"]);
    // Explicit and default at once.
    world()
        .subobject(OBJECT, LOCAL, "a")
        .associate("a", &["x"])
        .associate("a", &[])
        .export(LIB, "x")
        .export(LIB, "y")
        .gives(LOCAL, &["x=a", "y=a"]);
}

/// Native results, for every kind: vkd3d-proton, `test_raytracing_default_association_tiebreak` and
/// `test_raytracing_reject_duplicate_objects`.
#[test]
fn an_association_without_exports_wins_over_what_nothing_mentions() {
    for kind in Kind::ALL {
        for scope in [OBJECT, LIB] {
            let tie = || {
                world()
                    .subobject(scope, kind, "a")
                    .subobject(scope, kind, "b")
                    .export(LIB, "x")
            };
            let mention = |world: World, name, exports| match scope {
                OBJECT => world.associate(name, exports),
                _ => world.named(scope, name, exports),
            };
            mention(tie(), "a", &[]).gives_to("x", kind, "a");
            mention(tie(), "b", &[]).gives_to("x", kind, "b");
            // Two of a rank are as little to be told apart as without the rule.
            assert!(tie().resolve().is_err(), "{kind}");
            let both = mention(mention(tie(), "a", &[]), "b", &[]);
            assert!(both.resolve().is_err(), "{kind}");
            // A list that is not empty ends the default.
            let other = || mention(tie().export(LIB, "y"), "a", &["y"]);
            other().gives_to("x", kind, "b");
            mention(other(), "a", &[]).gives_to("x", kind, "a");
        }
        // One of a library, which the object declares to be its default, against one of the object; and the other way round
        // the object's, which nothing mentions, against one that the library declares.
        world()
            .subobject(OBJECT, kind, "a")
            .subobject(LIB, kind, "b")
            .named(OBJECT, "b", &[])
            .export(LIB, "x")
            .gives_to("x", kind, "b");
        world()
            .subobject(OBJECT, kind, "a")
            .subobject(LIB, kind, "b")
            .named(LIB, "b", &[])
            .export(LIB, "x")
            .gives_to("x", kind, "a");
        // Exports of a collection that it left open; a collection's config is its own.
        if kind != Kind::StateObjectConfig {
            world()
                .subobject(OBJECT, kind, "a")
                .subobject(OBJECT, kind, "b")
                .associate("b", &[])
                .export(COLLECTION, "x")
                .gives_to("x", kind, "b");
            world()
                .subobject(OBJECT, kind, "a")
                .subobject(LIB, kind, "b")
                .named(COLLECTION, "b", &[])
                .associate("a", &[])
                .export(COLLECTION, "x")
                .gives_to("x", kind, "b");
        }
    }
}

/// `x` is a shader of a collection, `y` one of the object, `g` a hit group of both.
fn mixed(kind: Kind) -> World {
    world()
        .subobject(COLLECTION, kind, "a")
        .subobject(OBJECT, kind, "b")
        .export(COLLECTION, "x")
        .made_with("a")
        .entry(LIB, "y", ShaderKind::AnyHit)
}

/// Raytracing.md, "D3D12_STATE_OBJECT_CONFIG": the requirement that all exports have the same does not apply across existing
/// collections. vkd3d-proton's `test_raytracing` creates such a pipeline on the native runtime.
#[test]
fn a_config_is_that_of_its_state_object() {
    let kind = Kind::StateObjectConfig;
    let group = |shaders: &[&str]| mixed(kind).group(OBJECT, "g", shaders);
    group(&["x"])
        .gives(kind, &["x=a", "y=b", "g=b"])
        .has_config("b");
    group(&["x", "y"])
        .gives(kind, &["x=a", "y=b", "g=b"])
        .has_config("b");
    group(&["x"])
        .associate("b", &["g", "y"])
        .gives(kind, &["x=a", "y=b", "g=b"])
        .has_config("b");
    // A hit group that a library declares.
    mixed(kind)
        .group(LIB, "g", &["x"])
        .gives(kind, &["x=a", "y=b", "g=b"])
        .has_config("b");
    // A group of a collection of which a shader is elsewhere.
    mixed(kind)
        .group(COLLECTION, "g", &["x", "y"])
        .made_with("a")
        .gives(kind, &["x=a", "y=b", "g=a"])
        .has_config("b");
    // Without a config, the object has none, whatever its hit groups are made of.
    world()
        .subobject(COLLECTION, kind, "a")
        .export(COLLECTION, "x")
        .made_with("a")
        .group(OBJECT, "g", &["x"])
        .gives(kind, &["x=a", "g=-"])
        .has_config("-");
    // Not even if the collection says so: this is an association with an export elsewhere.
    world()
        .subobject(COLLECTION, kind, "a")
        .named(COLLECTION, "a", &["x"])
        .export(LIB, "x")
        .gives(kind, &["x=-"])
        .has_config("-");
    // What is associated with a collection's exports alone is none of the object's.
    mixed(kind)
        .subobject(COLLECTION, kind, "c")
        .export(COLLECTION, "z")
        .associate("b", &["z"])
        .gives(kind, &["x=a", "y=-", "z=b"])
        .has_config("-");
}

/// The other kinds are taken along: what a shader was compiled with holds for the hit groups over it.
#[test]
fn hit_groups_take_along_all_but_the_config() {
    for kind in Kind::ALL {
        if kind == Kind::StateObjectConfig {
            continue;
        }
        mixed(kind)
            .group(OBJECT, "g", &["x"])
            .gives(kind, &["x=a", "y=b", "g=a"]);
        assert!(
            mixed(kind)
                .group(OBJECT, "g", &["x", "y"])
                .resolve()
                .is_err()
        );
        let named = mixed(kind)
            .group(OBJECT, "g", &["x"])
            .associate("b", &["g"]);
        assert!(named.resolve().is_err(), "{kind}");
    }
}

#[test]
fn an_object_without_exports_has_its_default_config() {
    let kind = Kind::StateObjectConfig;
    let object = || world().subobject(OBJECT, kind, "a").export(COLLECTION, "x");
    object().has_config("a");
    object().associate("a", &["x"]).has_config("a");
    let two = || object().subobject(OBJECT, kind, "b");
    two().associate("b", &[]).has_config("b");
    two().associate("a", &["x"]).has_config("b");
    two().fails("the state object has two different STATE_OBJECT_CONFIG subobjects: a, and b");
    world().subobject(LIB, kind, "a").has_config("a");
    world()
        .subobject(LIB, kind, "a")
        .subobject(OBJECT, kind, "b")
        .has_config("b");
    world().subobject(COLLECTION, kind, "a").has_config("-");
    // Functions are no exports that have a config.
    object().function(LIB, "f").has_config("a");
}

#[test]
fn a_default_leaves_out_what_has_another_subobject_of_the_kind() {
    world()
        .subobject(OBJECT, LOCAL, "a")
        .subobject(OBJECT, LOCAL, "b")
        .associate("b", &["x"])
        .export(LIB, "x")
        .export(LIB, "y")
        .gives(LOCAL, &["x=b", "y=a"]);
}

#[test]
fn a_default_reaches_only_exports_that_it_suits() {
    world()
        .subobject(OBJECT, CONFIG, "c")
        .subobject(OBJECT, GLOBAL, "g")
        .entry(LIB, "ray", ShaderKind::RayGeneration)
        .entry(LIB, "vertex", ShaderKind::Vertex)
        .entry(LIB, "node", ShaderKind::Node)
        .function(LIB, "f")
        .gives(CONFIG, &["ray=c", "vertex=-", "node=-", "f=-"])
        .gives(GLOBAL, &["ray=g", "vertex=g", "node=g", "f=-"]);
    world()
        .subobject(OBJECT, Kind::StateObjectConfig, "c")
        .export(LIB, "x")
        .export(COLLECTION, "y")
        .gives(Kind::StateObjectConfig, &["x=c", "y=-"]);
}

#[test]
fn an_explicit_association_reaches_any_scope() {
    world()
        .subobject(LIB, LOCAL, "a")
        .named(LIB, "a", &["y", "z", "f", "g"])
        .export(OTHER_LIB, "y")
        .export(COLLECTION, "z")
        .function(LIB, "f")
        .group(OBJECT, "g", &[])
        .gives(LOCAL, &["y=a", "z=a", "f=a", "g=a"]);
}

#[test]
fn a_library_names_its_own_functions_by_their_own_names() {
    world()
        .subobject(LIB, LOCAL, "a")
        .named(LIB, "a", &["x"])
        .export(LIB, "new")
        .renamed("x")
        .export(LIB, "newer")
        .renamed("x")
        .export(OTHER_LIB, "x")
        .gives(LOCAL, &["new=a", "newer=a", "x=-"]);
}

#[test]
fn two_definitions_for_one_export_are_a_conflict_wherever_they_are_declared() {
    let conflict = "export x: two different LOCAL_ROOT_SIGNATURE subobjects are associated with it: \
                    a, and b";
    world()
        .subobject(OBJECT, LOCAL, "a")
        .subobject(OBJECT, LOCAL, "b")
        .associate("a", &["x"])
        .associate("b", &["x"])
        .export(LIB, "x")
        .fails(conflict);
    world()
        .subobject(LIB, LOCAL, "a")
        .subobject(OTHER_LIB, LOCAL, "b")
        .named(LIB, "a", &["x"])
        .named(OTHER_LIB, "b", &["x"])
        .export(LIB, "x")
        .fails(conflict);
    // Two defaults in one scope are as little to be told apart.
    world()
        .subobject(OBJECT, LOCAL, "a")
        .subobject(OBJECT, LOCAL, "b")
        .export(LIB, "x")
        .fails(conflict);
    // What is declared in the object is no export of a library, so nothing overrides.
    world()
        .subobject(OBJECT, LOCAL, "a")
        .subobject(LIB, LOCAL, "b")
        .associate("a", &["x"])
        .named(LIB, "b", &["x"])
        .group(OBJECT, "x", &[])
        .fails(conflict);
}

#[test]
fn the_same_definition_twice_is_no_conflict() {
    world()
        .subobject(OBJECT, LOCAL, "a1")
        .subobject(OBJECT, LOCAL, "a2")
        .associate("a1", &["x"])
        .associate("a2", &["x"])
        .export(LIB, "x")
        .gives(LOCAL, &["x=a1"]);
}

#[test]
fn different_kinds_do_not_meet() {
    world()
        .subobject(OBJECT, LOCAL, "a")
        .subobject(OBJECT, GLOBAL, "b")
        .associate("a", &["x"])
        .associate("b", &["x"])
        .export(LIB, "x")
        .gives(LOCAL, &["x=a"])
        .gives(GLOBAL, &["x=b"]);
}

#[test]
fn the_object_overrides_libraries() {
    let lib = world()
        .subobject(LIB, LOCAL, "a")
        .named(LIB, "a", &["x"])
        .subobject(OBJECT, LOCAL, "b")
        .subobject(LIB, LOCAL, "c")
        .export(LIB, "x")
        .export(LIB, "y");
    // By a default of either form.
    lib.clone().gives(LOCAL, &["x=b", "y=b"]);
    lib.clone()
        .associate("b", &[])
        .gives(LOCAL, &["x=b", "y=b"]);
    // By an explicit one, for its exports only.
    lib.clone()
        .associate("b", &["x"])
        .gives(LOCAL, &["x=b", "y=c"]);
    lib.clone()
        .associate("b", &["y"])
        .gives(LOCAL, &["x=a", "y=b"]);
    // With a subobject of a library.
    lib.associate("b", &["nothing"])
        .named(OBJECT, "c", &["x"])
        .gives(LOCAL, &["x=c", "y=c"]);
}

#[test]
fn an_override_also_ends_conflicts_between_libraries() {
    world()
        .subobject(LIB, LOCAL, "a")
        .subobject(OTHER_LIB, LOCAL, "b")
        .named(LIB, "a", &["x"])
        .named(OTHER_LIB, "b", &["x"])
        .subobject(OBJECT, LOCAL, "c")
        .associate("c", &["x"])
        .export(LIB, "x")
        .gives(LOCAL, &["x=c"]);
}

#[test]
fn nothing_overrides_a_collection() {
    let collection = world()
        .subobject(COLLECTION, LOCAL, "a")
        .subobject(OBJECT, LOCAL, "b")
        .export(COLLECTION, "x")
        .made_with("a")
        .export(COLLECTION, "y");
    // A default takes what is left.
    collection.clone().gives(LOCAL, &["x=a", "y=b"]);
    collection
        .clone()
        .associate("b", &["y"])
        .gives(LOCAL, &["x=a", "y=b"]);
    collection.associate("b", &["x"]).fails(
        "export x: two different LOCAL_ROOT_SIGNATURE subobjects are associated with it: a, and b",
    );
}

#[test]
fn what_a_collection_declares_is_no_default_of_what_contains_it() {
    world()
        .subobject(COLLECTION, LOCAL, "a")
        .export(LIB, "x")
        .export(COLLECTION, "y")
        .gives(LOCAL, &["x=-", "y=-"]);
}

#[test]
fn what_is_not_there_is_reported() {
    let world = world()
        .subobject(OBJECT, LOCAL, "a")
        .associate("a", &["x", "elsewhere"])
        .named(OBJECT, "unknown", &["x"])
        .export(LIB, "x")
        .gives(LOCAL, &["x=a"]);
    let resolution = world.resolve().unwrap();
    assert_eq!(resolution.without_export, [(0, "elsewhere".to_owned())]);
    assert_eq!(resolution.without_subobject, [1]);
}

#[test]
fn a_name_may_stand_for_one_definition_only() {
    let libs = |second| {
        world()
            .subobject(LIB, LOCAL, "same")
            .subobject(OTHER_LIB, second, "same")
            .named(OBJECT, "same", &["x"])
            .export(LIB, "x")
    };
    libs(LOCAL).gives(LOCAL, &["x=same"]);
    libs(GLOBAL).fails("the association of same names same, which is same as well as same");
    // In a library its own counts.
    world()
        .subobject(LIB, LOCAL, "same")
        .subobject(OTHER_LIB, GLOBAL, "same")
        .named(OTHER_LIB, "same", &["x"])
        .export(LIB, "x")
        .gives(GLOBAL, &["x=same"]);
}

/// A library with three shaders, in two hit groups that share one.
fn hit_groups() -> World {
    world()
        .export(LIB, "closest")
        .entry(LIB, "any", ShaderKind::AnyHit)
        .entry(LIB, "box", ShaderKind::Intersection)
        .group(LIB, "g", &["closest", "any"])
        .group(OBJECT, "h", &["closest", "box"])
        .subobject(OBJECT, LOCAL, "a")
        .subobject(OBJECT, LOCAL, "b")
        .associate("b", &["nothing"])
}

#[test]
fn an_association_with_a_hit_group_is_one_with_its_shaders() {
    hit_groups()
        .associate("a", &["g"])
        .gives(LOCAL, &["closest=a", "any=a", "box=-", "g=a", "h=a"]);
}

#[test]
fn a_hit_group_has_what_its_shaders_have() {
    hit_groups()
        .associate("b", &["closest", "any", "box"])
        .gives(LOCAL, &["closest=b", "any=b", "box=b", "g=b", "h=b"]);
}

#[test]
fn defaults_reach_hit_groups_by_their_shaders() {
    hit_groups().gives(LOCAL, &["closest=a", "any=a", "box=a", "g=a", "h=a"]);
    hit_groups()
        .associate("b", &["g", "h"])
        .gives(LOCAL, &["closest=b", "any=b", "box=b", "g=b", "h=b"]);
}

#[test]
fn a_hit_group_and_its_shaders_must_match() {
    hit_groups()
        .associate("a", &["closest"])
        .associate("b", &["g"])
        .fails("export closest: two different LOCAL_ROOT_SIGNATURE subobjects are associated with it: a, and b");
    hit_groups()
        .associate("a", &["g"])
        .associate("b", &["h"])
        .fails("export closest: two different LOCAL_ROOT_SIGNATURE subobjects are associated with it: a, and b");
    hit_groups()
        .associate("b", &["any"])
        .fails("hit group g: its LOCAL_ROOT_SIGNATURE is a, but that of its shader any is b");
}

fn scopes() -> impl Strategy<Value = Scope> {
    prop_oneof![Just(OBJECT), Just(LIB), Just(OTHER_LIB), Just(COLLECTION)]
}

fn names() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d", "nothing"]).prop_map(str::to_owned)
}

prop_compose! {
    fn worlds()(
        subobjects in prop::collection::vec((scopes(), 0..6_usize, names()), 0..6),
        exports in prop::collection::vec((scopes(), 0..4_u8), 0..5),
        associations in prop::collection::vec(
            (scopes(), names(), prop::collection::vec(names(), 0..3)), 0..6),
    ) -> World {
        let mut world = world();
        for (scope, kind, name) in subobjects {
            world = world.subobject(scope, Kind::ALL[kind], &name);
        }
        for ((scope, kind), name) in exports.into_iter().zip(["a", "b", "c", "d"]) {
            world = match kind {
                0 => world.function(scope, name),
                1 => world.entry(scope, name, ShaderKind::Node),
                2 => world.export(scope, name),
                _ => {
                    let shaders: Vec<_> = world.exports.iter().map(|e| e.name.clone()).collect();
                    let shaders: Vec<_> = shaders.iter().map(|name| &**name).collect();
                    world.group(scope, name, &shaders[..shaders.len().min(2)])
                }
            };
        }
        for (scope, name, exports) in associations {
            let exports: Vec<_> = exports.iter().map(|name| &**name).collect();
            world = world.named(scope, &name, &exports);
        }
        world
    }
}

/// An export and the content of its subobject of each kind.
type Meaning = (String, Vec<Option<Vec<u8>>>);

/// What the result says, whatever the order of the arguments.
fn meaning(world: &World) -> Option<Vec<Meaning>> {
    let resolution = world.resolve().ok()?;
    let mut exports: Vec<_> = (world.exports.iter().zip(&resolution.exports))
        .map(|(export, associated)| {
            let content = |kind| {
                let place = associated.get(kind)?;
                Some(world.subobjects[place].content.clone())
            };
            (export.name.clone(), Kind::ALL.map(content).to_vec())
        })
        .collect();
    exports.sort();
    Some(exports)
}

proptest! {
    #[test]
    fn the_order_of_declarations_means_nothing(world in worlds(), turn in 0..8_usize) {
        let mut turned = world.clone();
        let turn = |len: usize| if len == 0 { 0 } else { turn % len };
        turned.subobjects.rotate_left(turn(world.subobjects.len()));
        turned.associations.rotate_left(turn(world.associations.len()));
        turned.associations.reverse();
        prop_assert_eq!(meaning(&world), meaning(&turned));
    }

    #[test]
    fn what_is_associated_is_of_the_kind_and_declared(world in worlds()) {
        if let Ok(resolution) = world.resolve() {
            for associated in &resolution.exports {
                for kind in Kind::ALL {
                    if let Some(place) = associated.get(kind) {
                        prop_assert_eq!(world.subobjects[place].kind, kind);
                    }
                }
            }
        }
    }

    #[test]
    fn a_library_that_is_not_used_changes_nothing(world in worlds()) {
        let before = meaning(&world);
        let apart = world.subobject(Scope::Library(7), LOCAL, "zzz").subobject(Scope::Library(7), LOCAL, "yyy");
        prop_assert_eq!(before, meaning(&apart));
    }
}
