//! Resolves which subobjects are associated with which exports, as the D3D12 runtime does for a driver: Raytracing.md,
//! "Subobject association behavior" and "Subobject association requirements".
//!
//! The input and the output are plain data. They name subobjects and exports by their indices in the arguments.

use std::collections::HashMap;
use std::fmt;

use dxil::ShaderKind;

/// A kind of subobject that exports are associated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    StateObjectConfig,
    GlobalRootSignature,
    LocalRootSignature,
    NodeMask,
    RaytracingShaderConfig,
    /// Both forms of the config.
    RaytracingPipelineConfig,
}

impl Kind {
    pub(super) const ALL: [Self; 6] = [
        Self::StateObjectConfig,
        Self::GlobalRootSignature,
        Self::LocalRootSignature,
        Self::NodeMask,
        Self::RaytracingShaderConfig,
        Self::RaytracingPipelineConfig,
    ];

    /// Whether a default association of this kind makes sense for an export.
    fn suits(self, export: &Export) -> bool {
        match (self, &export.kind) {
            (_, ExportKind::Function) => false,
            // This config is about the object that declares it, not about the collections in it.
            (Self::StateObjectConfig, _) => !matches!(export.scope, Scope::Collection(_)),
            (Self::RaytracingShaderConfig | Self::RaytracingPipelineConfig, kind) => {
                kind.is_raytracing()
            }
            _ => true,
        }
    }

    /// Whether this kind reaches from one scope into another: between a hit group and its shaders, or by an association that
    /// a collection left open. A config stays in its own state object.
    fn reaches(self, scope: Scope, other: Scope) -> bool {
        self != Self::StateObjectConfig || scope.collection() == other.collection()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StateObjectConfig => "STATE_OBJECT_CONFIG",
            Self::GlobalRootSignature => "GLOBAL_ROOT_SIGNATURE",
            Self::LocalRootSignature => "LOCAL_ROOT_SIGNATURE",
            Self::NodeMask => "NODE_MASK",
            Self::RaytracingShaderConfig => "RAYTRACING_SHADER_CONFIG",
            Self::RaytracingPipelineConfig => "RAYTRACING_PIPELINE_CONFIG",
        })
    }
}

/// What declares something: the state object itself, or a library or a collection in it, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    Object,
    Library(usize),
    Collection(usize),
}

impl Scope {
    /// The collection that it is, or is part of; `None` in the state object itself.
    fn collection(self) -> Option<usize> {
        match self {
            Self::Collection(place) => Some(place),
            Self::Object | Self::Library(_) => None,
        }
    }
}

/// A subobject that can be associated.
#[derive(Clone, Debug)]
pub(super) struct Subobject {
    pub(super) kind: Kind,
    pub(super) scope: Scope,
    /// The name, if a DXIL library declares it.
    pub(super) name: Option<String>,
    /// The content. Two subobjects with the same content are the same definition.
    pub(super) content: Vec<u8>,
    /// The name in messages.
    pub(super) label: String,
}

/// An association that a description or a library declares.
#[derive(Clone, Debug)]
pub(super) struct Association {
    pub(super) scope: Scope,
    pub(super) target: Target,
    /// The names; none for a default association.
    pub(super) exports: Vec<String>,
    /// The name in messages.
    pub(super) label: String,
}

/// The associated subobject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Subobject(usize),
    Named(String),
}

/// An export, with which subobjects can be associated.
#[derive(Clone, Debug)]
pub(super) struct Export {
    /// The name in the state object.
    pub(super) name: String,
    /// The name in the library or the collection, which the associations in there use.
    pub(super) internal_name: String,
    /// Whether only the associations in there can name it.
    pub(super) is_hidden: bool,
    pub(super) scope: Scope,
    pub(super) kind: ExportKind,
    /// What a collection's export was associated with when the collection was made.
    pub(super) made_with: Associated,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ExportKind {
    /// A shader that can be an entry point.
    Entry(ShaderKind),
    /// A function that shaders call. Default associations do not apply to it: it has its callers' subobjects.
    Function,
    /// The exports that are its shaders.
    HitGroup(Vec<usize>),
}

impl ExportKind {
    pub(super) fn is_raytracing(&self) -> bool {
        match self {
            Self::HitGroup(_) => true,
            Self::Function => false,
            Self::Entry(kind) => is_raytracing(*kind),
        }
    }
}

/// Whether this is a kind of shader of raytracing pipelines.
pub(super) fn is_raytracing(kind: ShaderKind) -> bool {
    matches!(
        kind,
        ShaderKind::RayGeneration
            | ShaderKind::Intersection
            | ShaderKind::AnyHit
            | ShaderKind::ClosestHit
            | ShaderKind::Miss
            | ShaderKind::Callable
    )
}

/// The subobject of each kind that an export is associated with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Associated([Option<usize>; Kind::ALL.len()]);

impl Associated {
    pub(super) fn get(&self, kind: Kind) -> Option<usize> {
        self.0[kind as usize]
    }

    pub(super) fn set(&mut self, kind: Kind, subobject: Option<usize>) {
        self.0[kind as usize] = subobject;
    }

    /// The associated subobjects, in the order of their kinds.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().flatten().copied()
    }
}

/// The result of [`resolve`].
#[derive(Clone, Debug, Default)]
pub(super) struct Resolution {
    /// By export.
    pub(super) exports: Vec<Associated>,
    /// The `STATE_OBJECT_CONFIG` of the state object itself.
    pub(super) config: Option<usize>,
    /// The associations whose subobject does not exist, by place.
    pub(super) without_subobject: Vec<usize>,
    /// The names that no export has, each with the place of its association.
    pub(super) without_export: Vec<(usize, String)>,
}

/// Why associations cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error(
        "export {export}: two different {kind} subobjects are associated with it: {first}, and {second}"
    )]
    Conflict {
        export: String,
        kind: Kind,
        first: String,
        second: String,
    },
    #[error(
        "the state object has two different STATE_OBJECT_CONFIG subobjects: {first}, and {second}"
    )]
    Configs { first: String, second: String },
    #[error(
        "hit group {hit_group}: its {kind} is {first}, but that of its shader {shader} is {second}"
    )]
    HitGroup {
        hit_group: String,
        shader: String,
        kind: Kind,
        first: String,
        second: String,
    },
    #[error("{association} names {name}, which is {first} as well as {second}")]
    Ambiguous {
        association: String,
        name: String,
        first: String,
        second: String,
    },
}

/// Resolves all associations.
pub(super) fn resolve(
    subobjects: &[Subobject],
    associations: &[Association],
    exports: &[Export],
) -> Result<Resolution, Fault> {
    let names = Names::new(exports);
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, subobject) in subobjects.iter().enumerate() {
        if let Some(name) = &subobject.name {
            by_name.entry(name).or_default().push(place);
        }
    }
    let mut resolution = Resolution::default();
    let mut explicit = vec![Vec::new(); exports.len()];
    let mut defaults: HashMap<(Scope, Kind), Defaults> = HashMap::new();
    let mut referenced = vec![false; subobjects.len()];
    for (place, association) in associations.iter().enumerate() {
        let Some(target) = find_target(subobjects, &by_name, association)? else {
            resolution.without_subobject.push(place);
            continue;
        };
        if association.scope == subobjects[target].scope {
            referenced[target] = true;
        }
        let kind = subobjects[target].kind;
        if association.exports.is_empty() {
            let defaults = defaults.entry((association.scope, kind)).or_default();
            defaults.declared.push(target);
        }
        for name in &association.exports {
            let found = names.find(association.scope, name);
            if found.is_empty() {
                resolution.without_export.push((place, name.clone()));
            }
            for &export in found {
                // The object may name the exports of its collections.
                let is_of_object = association.scope.collection().is_none();
                if is_of_object || kind.reaches(association.scope, exports[export].scope) {
                    explicit[export].push((association.scope, target));
                }
            }
        }
    }
    // A collection's own defaults took effect when the collection was made.
    for (place, subobject) in subobjects.iter().enumerate() {
        if !referenced[place] && !matches!(subobject.scope, Scope::Collection(_)) {
            let defaults = defaults
                .entry((subobject.scope, subobject.kind))
                .or_default();
            defaults.unmentioned.push(place);
        }
    }
    let resolver = Resolver {
        subobjects,
        exports,
        explicit,
        defaults,
    };
    resolution.exports = exports.iter().map(|export| export.made_with).collect();
    for kind in Kind::ALL {
        resolver.resolve(kind, &mut resolution.exports)?;
    }
    resolution.config = resolver.config(&resolution.exports)?;
    Ok(resolution)
}

/// The subobject that an association names.
fn find_target(
    subobjects: &[Subobject],
    by_name: &HashMap<&str, Vec<usize>>,
    association: &Association,
) -> Result<Option<usize>, Fault> {
    let name = match &association.target {
        Target::Subobject(target) => return Ok(Some(*target)),
        Target::Named(name) => name,
    };
    let mut places = by_name.get(&**name).cloned().unwrap_or_default();
    // A subobject of the association's own library comes first.
    let own = |place: &usize| subobjects[*place].scope == association.scope;
    if places.iter().any(own) {
        places.retain(own);
    }
    let Some(&first) = places.first() else {
        return Ok(None);
    };
    let differs = |&place: &usize| {
        let (a, b) = (&subobjects[first], &subobjects[place]);
        (a.kind, &a.content) != (b.kind, &b.content)
    };
    match places.iter().find(|place| differs(place)) {
        None => Ok(Some(first)),
        Some(&second) => Err(Fault::Ambiguous {
            association: association.label.clone(),
            name: name.clone(),
            first: subobjects[first].label.clone(),
            second: subobjects[second].label.clone(),
        }),
    }
}

/// Exports by their names, and by their names in their libraries and collections.
struct Names<'a> {
    outside: HashMap<&'a str, Vec<usize>>,
    inside: HashMap<Scope, HashMap<&'a str, Vec<usize>>>,
}

impl<'a> Names<'a> {
    fn new(exports: &'a [Export]) -> Self {
        let mut names = Self {
            outside: HashMap::new(),
            inside: HashMap::new(),
        };
        for (place, export) in exports.iter().enumerate() {
            if !export.is_hidden {
                names.outside.entry(&export.name).or_default().push(place);
            }
            let inside = names.inside.entry(export.scope).or_default();
            inside.entry(&export.internal_name).or_default().push(place);
        }
        names
    }

    /// The exports that an association names: in a library or a collection, its exports by their names there, else any export
    /// of the state object.
    fn find(&self, scope: Scope, name: &str) -> &[usize] {
        let own = self.inside.get(&scope).filter(|_| scope != Scope::Object);
        own.and_then(|names| names.get(name))
            .or_else(|| self.outside.get(name))
            .map_or(&[], Vec::as_slice)
    }
}

/// The default associations of one kind in a scope.
#[derive(Clone, Default)]
struct Defaults {
    /// By an association with an empty list.
    declared: Vec<usize>,
    /// By the absence of associations. These apply where `declared` has none.
    unmentioned: Vec<usize>,
}

impl Defaults {
    /// In the order of precedence.
    fn ranks(self) -> [Vec<usize>; 2] {
        [self.declared, self.unmentioned]
    }
}

struct Resolver<'a> {
    subobjects: &'a [Subobject],
    exports: &'a [Export],
    /// By export: the explicitly associated subobjects, each with the scope of the association.
    explicit: Vec<Vec<(Scope, usize)>>,
    /// The default associations, by the scope that they apply to.
    defaults: HashMap<(Scope, Kind), Defaults>,
}

impl Resolver<'_> {
    /// Resolves one kind for all exports.
    fn resolve(&self, kind: Kind, results: &mut [Associated]) -> Result<(), Fault> {
        let group = |(place, export): (usize, &Export)| match &export.kind {
            ExportKind::HitGroup(shaders) => Some((place, shaders.clone())),
            _ => None,
        };
        let groups: Vec<_> = self.exports.iter().enumerate().filter_map(group).collect();
        // An association with a hit group is one with each of its shaders.
        let mut named = self.explicit.clone();
        for (group, shaders) in &groups {
            for shader in self.sharing(kind, *group, shaders) {
                named[shader].extend(&self.explicit[*group]);
            }
        }
        for (place, export) in self.exports.iter().enumerate() {
            if !matches!(export.kind, ExportKind::HitGroup(_)) {
                let found = self.of_export(kind, place, &named[place])?;
                results[place].set(kind, found);
            }
        }
        for (place, shaders) in groups {
            self.of_hit_group(kind, place, &shaders, results)?;
        }
        Ok(())
    }

    /// The subobject that an export is associated with, by the order of precedence.
    fn of_export(
        &self,
        kind: Kind,
        place: usize,
        named: &[(Scope, usize)],
    ) -> Result<Option<usize>, Fault> {
        let export = &self.exports[place];
        let own = |scope: Scope| self.of_kind(kind, named, move |s| s == scope);
        let default_in = |scope: Scope| {
            let all = kind.suits(export).then(|| self.defaults_in(scope, kind));
            all.unwrap_or_default().ranks()
        };
        let mut any = self.of_kind(kind, named, |_| true);
        let mut ranks = Vec::new();
        match export.scope {
            // The object's associations with an export of a library override those of libraries.
            Scope::Library(_) => {
                ranks.push(own(Scope::Object));
                ranks.extend(default_in(Scope::Object));
                ranks.push(self.of_kind(kind, named, |s| s != Scope::Object));
                ranks.extend(default_in(export.scope));
            }
            Scope::Object => {
                ranks.push(any);
                ranks.extend(default_in(Scope::Object));
            }
            // Nothing overrides the subobject that a collection's export was made with.
            Scope::Collection(_) => {
                any.extend(export.made_with.get(kind));
                ranks.push(any);
                ranks.extend(default_in(export.scope));
                ranks.extend(default_in(Scope::Object));
            }
        }
        self.first(&ranks)
            .map_err(|[first, second]| Fault::Conflict {
                export: export.name.clone(),
                kind,
                first,
                second,
            })
    }

    fn defaults_in(&self, scope: Scope, kind: Kind) -> Defaults {
        self.defaults
            .get(&(scope, kind))
            .cloned()
            .unwrap_or_default()
    }

    /// The config of the state object itself: that of its own exports, of which another check says that all have the same.
    /// Without exports of its own, it is the default, or else the only config.
    fn config(&self, results: &[Associated]) -> Result<Option<usize>, Fault> {
        let kind = Kind::StateObjectConfig;
        let own = |(export, _): &(&Export, &Associated)| {
            export.scope.collection().is_none() && export.kind != ExportKind::Function
        };
        let mut own = self.exports.iter().zip(results).filter(own).peekable();
        if own.peek().is_some() {
            return Ok(own.find_map(|(_, associated)| associated.get(kind)));
        }
        let mut ranks = Vec::from(self.defaults_in(Scope::Object, kind).ranks());
        let declared = self.subobjects.iter().enumerate().filter(|(_, subobject)| {
            subobject.kind == kind && subobject.scope.collection().is_none()
        });
        ranks.push(declared.map(|(place, _)| place).collect());
        self.first(&ranks)
            .map_err(|[first, second]| Fault::Configs { first, second })
    }

    /// The shaders of a hit group that share a kind of subobject with it.
    fn sharing<'s>(
        &'s self,
        kind: Kind,
        group: usize,
        shaders: &'s [usize],
    ) -> impl Iterator<Item = usize> + 's {
        let scope = self.exports[group].scope;
        let shaders = shaders.iter().copied();
        shaders.filter(move |&shader| kind.reaches(scope, self.exports[shader].scope))
    }

    /// Selects the subobjects of a kind that are associated in certain scopes.
    fn of_kind(
        &self,
        kind: Kind,
        associations: &[(Scope, usize)],
        scope: impl Fn(Scope) -> bool,
    ) -> Vec<usize> {
        let fits = |&&(s, place): &&(Scope, usize)| scope(s) && self.subobjects[place].kind == kind;
        associations
            .iter()
            .filter(fits)
            .map(|&(_, place)| place)
            .collect()
    }

    /// The one definition that the subobjects of the first rank that is not empty share, or the labels of two that differ.
    fn first(&self, ranks: &[Vec<usize>]) -> Result<Option<usize>, [String; 2]> {
        let Some(places) = ranks.iter().find(|places| !places.is_empty()) else {
            return Ok(None);
        };
        let first = places.iter().min().copied();
        let other = first.and_then(|first| {
            let differs = |place: &&usize| self.differ(first, **place);
            Some([first, *places.iter().find(differs)?])
        });
        match other {
            None => Ok(first),
            Some(two) => Err(two.map(|place| self.subobjects[place].label.clone())),
        }
    }

    fn differ(&self, a: usize, b: usize) -> bool {
        self.subobjects[a].content != self.subobjects[b].content
    }

    /// The subobject of a hit group: its own, or else that of its shaders, which must all have the same.
    fn of_hit_group(
        &self,
        kind: Kind,
        place: usize,
        shaders: &[usize],
        results: &mut [Associated],
    ) -> Result<(), Fault> {
        let group = &self.exports[place];
        let shaders: Vec<_> = self.sharing(kind, place, shaders).collect();
        let mut found = None;
        if !self
            .of_kind(kind, &self.explicit[place], |_| true)
            .is_empty()
            || group.made_with.get(kind).is_some()
            || shaders.is_empty()
        {
            found = self.of_export(kind, place, &self.explicit[place])?;
        }
        for shader in shaders {
            let Some(of_shader) = results[shader].get(kind) else {
                continue;
            };
            let of_group = *found.get_or_insert(of_shader);
            if self.differ(of_group, of_shader) {
                return Err(Fault::HitGroup {
                    hit_group: group.name.clone(),
                    shader: self.exports[shader].name.clone(),
                    kind,
                    first: self.subobjects[of_group].label.clone(),
                    second: self.subobjects[of_shader].label.clone(),
                });
            }
        }
        results[place].set(kind, found);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
