//! Which way a packet goes from each node to each other.

use std::collections::VecDeque;

use crate::plan::{Plan, Role};

/// The next step of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Egress {
    /// It has arrived.
    Local,
    /// Over a link, named by twice its wire's index plus its direction.
    Link(u16),
    /// Through the node's radio to the node: its access point's or, from there, a station's.
    Radio(u16),
    /// There is no way.
    Nowhere,
}

/// The next step from every node to every node: shortest paths, found once.
#[derive(Debug)]
pub struct Routes {
    nodes: usize,
    next: Vec<Egress>,
}

impl Routes {
    /// Shortest paths over wires and associations. Ties go to the earlier wire of the plan.
    pub fn new(plan: &Plan) -> Self {
        let nodes = plan.nodes.len();
        let neighbours = neighbours(plan);
        let mut next = vec![Egress::Nowhere; nodes * nodes];
        for to in 0..nodes {
            next[to * nodes + to] = Egress::Local;
            let mut reached = VecDeque::from([to]);
            while let Some(near) = reached.pop_front() {
                for &(far, back) in &neighbours[near] {
                    let entry = &mut next[far * nodes + to];
                    if *entry == Egress::Nowhere {
                        *entry = back;
                        reached.push_back(far);
                    }
                }
            }
        }
        Routes { nodes, next }
    }

    /// The next step of a packet at `node` for `to`.
    #[inline]
    pub fn next(&self, node: u16, to: u16) -> Egress {
        self.next[usize::from(node) * self.nodes + usize::from(to)]
    }
}

/// For each node, its neighbours and the neighbour's step towards it.
fn neighbours(plan: &Plan) -> Vec<Vec<(usize, Egress)>> {
    let mut neighbours = vec![Vec::new(); plan.nodes.len()];
    for (index, wire) in plan.wires.iter().enumerate() {
        let [a, b] = wire.ends;
        let link = 2 * index as u16;
        neighbours[b].push((a, Egress::Link(link)));
        neighbours[a].push((b, Egress::Link(link + 1)));
    }
    for (station, node) in plan.nodes.iter().enumerate() {
        let access_point = node.radio.as_ref().and_then(|radio| radio.access_point);
        if let (Role::Sta | Role::Port, Some(ap)) = (node.role, access_point) {
            neighbours[station].push((ap, Egress::Radio(station as u16)));
            neighbours[ap].push((station, Egress::Radio(ap as u16)));
        }
    }
    neighbours
}
