//! Which objects are to be compiled, and in what order threads may take them.

use std::collections::{HashMap, VecDeque};

use shader_db::sodb::Entry;

/// The objects of an SODB and what each is made from, by place.
pub struct Graph {
    /// The parent and the collections, if they are there, in the order of the description.
    pub needs: Vec<Vec<usize>>,
    /// What is made from it.
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

    /// Adds to a set of places what its members are made from, directly and indirectly.
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

/// The members of a closed set, handed out so that each comes after what it is made from.
pub struct Schedule {
    ready: VecDeque<usize>,
    /// How much of what it is made from is not done.
    waiting: Vec<usize>,
    left: usize,
}

impl Schedule {
    pub fn new(graph: &Graph, set: &[bool]) -> Self {
        let waiting: Vec<usize> = graph.needs.iter().map(Vec::len).collect();
        let members = (0..set.len()).filter(|place| set[*place]);
        Self {
            ready: members
                .clone()
                .filter(|place| waiting[*place] == 0)
                .collect(),
            left: members.count(),
            waiting,
        }
    }

    /// The next one that can be compiled now.
    pub fn take(&mut self) -> Option<usize> {
        self.ready.pop_front()
    }

    /// Says that one is done.
    pub fn finish(&mut self, graph: &Graph, set: &[bool], place: usize) {
        self.left -= 1;
        for user in graph.users[place].iter().filter(|user| set[**user]) {
            self.waiting[*user] -= 1;
            if self.waiting[*user] == 0 {
                self.ready.push_back(*user);
            }
        }
    }

    /// How many are not done.
    pub fn left(&self) -> usize {
        self.left
    }

    /// Takes out of the set, and returns, the members that would never be ready: those that are made from themselves,
    /// directly or indirectly, and what is made from those.
    pub fn remove_cycles(graph: &Graph, set: &mut [bool]) -> Vec<usize> {
        let mut trial = Self::new(graph, set);
        let mut stuck = set.to_vec();
        while let Some(place) = trial.take() {
            stuck[place] = false;
            trial.finish(graph, set, place);
        }
        let stuck: Vec<usize> = (0..set.len()).filter(|place| stuck[*place]).collect();
        for place in &stuck {
            set[*place] = false;
        }
        stuck
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shader_db::sodb::Kind;

    fn entry(key: u8, parent: Option<u8>, collections: &[u8]) -> Entry {
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
        let mut schedule = Schedule::new(&graph, &set);
        let mut order = Vec::new();
        while let Some(place) = schedule.take() {
            order.push(place);
            schedule.finish(&graph, &set, place);
        }
        assert_eq!((order, schedule.left()), (vec![2, 3, 1, 0], 0));
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
