//! The objects to compile, and the order in which threads may take them.

use std::collections::{HashMap, HashSet, VecDeque};

use shader_db::sodb::Entry;

/// The objects of an SODB and the objects that each is made from, by place.
pub struct Graph {
    /// The parent and the collections, if they are there, in the order of the description.
    pub needs: Vec<Vec<usize>>,
    /// The objects that are made from it.
    pub users: Vec<Vec<usize>>,
}

impl Graph {
    pub fn new(entries: &[Entry]) -> Self {
        let places: HashMap<&[u8], usize> = (0..)
            .zip(entries)
            .map(|(place, entry)| (entry.key.as_slice(), place))
            .collect();
        let needs: Vec<Vec<usize>> = entries
            .iter()
            .map(|entry| {
                let keys = entry.parent.iter().chain(&entry.collections);
                let mut needs: Vec<usize> = keys
                    .filter_map(|key| places.get(key.as_slice()).copied())
                    .collect();
                needs.sort_unstable();
                needs.dedup();
                needs
            })
            .collect();
        let mut users = vec![Vec::new(); entries.len()];
        for (place, needs) in needs.iter().enumerate() {
            for need in needs {
                users[*need].push(place);
            }
        }
        Self { needs, users }
    }

    /// The objects from which an object is made, directly and indirectly, and that are not there; each after those from which
    /// it is made.
    pub fn missing(&self, place: usize, is_there: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut seen = HashSet::new();
        let mut order = Vec::new();
        let closed = |need: &usize| (*need, false);
        let mut open: Vec<(usize, bool)> = self.needs[place].iter().map(closed).collect();
        while let Some((need, are_its_needs_there)) = open.pop() {
            if are_its_needs_there {
                order.push(need);
            } else if !is_there(need) && seen.insert(need) {
                open.push((need, true));
                open.extend(self.needs[need].iter().map(closed));
            }
        }
        order
    }

    /// Adds to a set of places the objects from which its members are made, directly and indirectly.
    pub fn close(&self, set: &mut [bool]) {
        let mut open: Vec<usize> = (0..set.len()).filter(|place| set[*place]).collect();
        while let Some(place) = open.pop() {
            for need in &self.needs[place] {
                if !std::mem::replace(&mut set[*need], true) {
                    open.push(*need);
                }
            }
        }
    }
}

/// The members of a closed set; the schedule hands each out after the objects that it is made from.
///
/// Each worker has a number. The schedule offers a ready object first to the worker that made the last of the objects that it
/// is made from, and so has that one at hand.
pub struct Schedule {
    /// The ready objects for each worker, and last those for any.
    ready: Vec<VecDeque<usize>>,
    /// How many of the objects that it is made from are not done.
    waiting: Vec<usize>,
    left: usize,
}

impl Schedule {
    pub fn new(graph: &Graph, set: &[bool], workers: usize) -> Self {
        let waiting: Vec<usize> = graph.needs.iter().map(Vec::len).collect();
        let members = (0..set.len()).filter(|place| set[*place]);
        let mut ready = vec![VecDeque::new(); workers];
        ready.push(
            members
                .clone()
                .filter(|place| waiting[*place] == 0)
                .collect(),
        );
        Self {
            ready,
            left: members.count(),
            waiting,
        }
    }

    /// The next ready object: one for this worker, or for any, or for the worker that has most to do.
    pub fn take(&mut self, worker: usize) -> Option<usize> {
        let own = self.ready[worker].pop_front();
        own.or_else(|| self.ready.last_mut()?.pop_front())
            .or_else(|| {
                self.ready
                    .iter_mut()
                    .max_by_key(|queue| queue.len())?
                    .pop_back()
            })
    }

    /// How many objects are ready.
    pub fn ready(&self) -> usize {
        self.ready.iter().map(VecDeque::len).sum()
    }

    /// Puts back an object, for any worker to take.
    pub fn put_back(&mut self, place: usize) {
        if let Some(any) = self.ready.last_mut() {
            any.push_front(place);
        }
    }

    /// Notes that a worker has finished an object.
    pub fn finish(&mut self, graph: &Graph, set: &[bool], place: usize, worker: usize) {
        self.left -= 1;
        for user in graph.users[place].iter().filter(|user| set[**user]) {
            self.waiting[*user] -= 1;
            if self.waiting[*user] == 0 {
                self.ready[worker].push_back(*user);
            }
        }
    }

    /// How many objects are not done.
    pub fn left(&self) -> usize {
        self.left
    }

    /// Removes from the set, and returns, the members that would never be ready: those that are made from themselves,
    /// directly or indirectly, and those made from them.
    pub fn remove_cycles(graph: &Graph, set: &mut [bool]) -> Vec<usize> {
        let mut trial = Self::new(graph, set, 1);
        let mut stuck = set.to_vec();
        while let Some(place) = trial.take(0) {
            stuck[place] = false;
            trial.finish(graph, set, place, 0);
        }
        let stuck: Vec<usize> = (0..set.len()).filter(|place| stuck[*place]).collect();
        for place in &stuck {
            set[*place] = false;
        }
        stuck
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use shader_db::sodb::Kind;

    /// A state object that is made from others.
    pub fn entry(key: u8, parent: Option<u8>, collections: &[u8]) -> Entry {
        Entry {
            key: vec![key],
            version: 1,
            kind: Kind::StateObject(None),
            parent: parent.map(|key| vec![key]),
            collections: collections.iter().map(|key| vec![*key]).collect(),
            is_incomplete: false,
        }
    }

    #[test]
    fn what_an_object_is_made_from_comes_first() {
        let entries = [
            entry(0, Some(3), &[1, 1]),
            entry(1, None, &[2]),
            entry(2, None, &[]),
            entry(3, None, &[9]),
            entry(4, None, &[]),
        ];
        let graph = Graph::new(&entries);
        let mut set = [true, false, false, false, false];
        graph.close(&mut set);
        assert_eq!(set, [true, true, true, true, false]);
        assert!(Schedule::remove_cycles(&graph, &mut set).is_empty());
        let mut schedule = Schedule::new(&graph, &set, 1);
        let mut order = Vec::new();
        while let Some(place) = schedule.take(0) {
            order.push(place);
            schedule.finish(&graph, &set, place, 0);
        }
        assert_eq!((order, schedule.left()), (vec![2, 1, 3, 0], 0));
    }

    #[test]
    fn a_worker_gets_what_it_has_the_parts_of_and_steals_when_it_has_nothing() {
        let entries = [
            entry(0, None, &[]),
            entry(1, Some(0), &[]),
            entry(2, Some(0), &[]),
            entry(3, None, &[]),
        ];
        let graph = Graph::new(&entries);
        let set = [true; 4];
        let mut schedule = Schedule::new(&graph, &set, 2);
        assert_eq!(schedule.take(1), Some(0));
        schedule.finish(&graph, &set, 0, 1);
        assert_eq!(schedule.take(1), Some(1));
        assert_eq!(schedule.take(0), Some(3));
        assert_eq!(schedule.take(0), Some(2));
        assert_eq!((schedule.take(0), schedule.take(1)), (None, None));
        schedule.put_back(2);
        assert_eq!(schedule.take(1), Some(2));
    }

    #[test]
    fn cycles_and_what_is_made_from_them_are_taken_out() {
        let entries = [
            entry(0, Some(0), &[]),
            entry(1, None, &[2]),
            entry(2, Some(1), &[]),
            entry(3, None, &[2]),
            entry(4, None, &[]),
        ];
        let graph = Graph::new(&entries);
        let mut set = [true; 5];
        assert_eq!(Schedule::remove_cycles(&graph, &mut set), [0, 1, 2, 3]);
        assert_eq!(set, [false, false, false, false, true]);
    }
}
