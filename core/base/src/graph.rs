//! Directed graphs whose nodes are numbers.

/// A strongly connected component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// Its nodes, in the order in which they were reached.
    pub nodes: Vec<usize>,
    /// Whether a way leads from a node of it to that node again.
    pub is_cyclic: bool,
}

/// The strongly connected components of a graph with so many nodes, each behind those that it leads to: R. Tarjan,
/// "Depth-First Search and Linear Graph Algorithms" (1972), with an explicit stack. `next(v, k)` is the neighbour
/// number
/// `k` of a node, `None` behind the last one.
pub fn components(nodes: usize, next: impl Fn(usize, usize) -> Option<usize>) -> Vec<Component> {
    const NEW: u32 = u32::MAX;
    let (mut index, mut low, mut on_stack) = (vec![NEW; nodes], vec![0u32; nodes], vec![false; nodes]);
    let (mut stack, mut found, mut time) = (Vec::new(), Vec::new(), 0);
    for root in 0..nodes {
        if index[root] != NEW {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some(&mut (v, ref mut edge)) = work.last_mut() {
            if *edge == 0 {
                (index[v], low[v]) = (time, time);
                time += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(w) = next(v, *edge) {
                *edge += 1;
                if index[w] == NEW {
                    work.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[v]);
            }
            if low[v] == index[v] {
                let start = stack.iter().rposition(|&w| w == v).unwrap_or(0);
                let nodes = stack.split_off(start);
                let is_cyclic = nodes.len() > 1 || (0..).map_while(|k| next(v, k)).any(|w| w == v);
                nodes.iter().for_each(|&w| on_stack[w] = false);
                found.push(Component { nodes, is_cyclic });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_come_behind_those_that_they_lead_to() {
        // 0 and 1 call each other and 2, which calls itself and 3; 4 calls all.
        let graph: [&[usize]; 5] = [&[1], &[0, 2], &[2, 3], &[], &[0, 1, 2, 3]];
        let found = components(graph.len(), |v, k| graph[v].get(k).copied());
        let found: Vec<_> = found.iter().map(|c| (c.nodes.as_slice(), c.is_cyclic)).collect();
        assert_eq!(found, [(&[3][..], false), (&[2], true), (&[0, 1], true), (&[4], false)]);
    }
}
