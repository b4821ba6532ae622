//! Which values variables that are all different may have.
//!
//! Each variable is matched with a value. A value of a domain can stay if the variable has it in some matching of all
//! variables: it is the matched one, or one that an alternating path from an unused value reaches, or its edge lies on
//! an alternating cycle (Régin, "A filtering algorithm for constraints of difference").

use std::collections::VecDeque;

use gchr_base::hash::HashMap;

/// Domains with more values are not looked at.
const MOST_VALUES: usize = 1 << 20;

/// Intervals in ascending order.
type Intervals = Vec<(i64, i64)>;

/// The values of each variable, by their numbers.
pub(super) struct Edges {
    values: Vec<i64>,
    of_variables: Vec<Vec<usize>>,
}

impl Edges {
    /// Of domains that have ends; nothing where they have too many values.
    pub fn of(domains: &[Intervals]) -> Option<Self> {
        let (mut values, mut numbers, mut n_edges) = (Vec::new(), HashMap::default(), 0);
        let mut of_variables = Vec::with_capacity(domains.len());
        for domain in domains {
            let mut own = Vec::new();
            for &(low, high) in domain {
                n_edges += usize::try_from(high - low + 1).ok()?;
                if n_edges > MOST_VALUES {
                    return None;
                }
                own.extend((low..=high).map(|value| {
                    *numbers.entry(value).or_insert_with(|| {
                        values.push(value);
                        values.len() - 1
                    })
                }));
            }
            of_variables.push(own);
        }
        Some(Self { values, of_variables })
    }

    /// Pairs of a variable and a value.
    pub fn len(&self) -> usize {
        self.of_variables.iter().map(Vec::len).sum()
    }

    /// What is left of each domain, nothing where all of it is; nothing at all where variables have too few values.
    pub fn filtered(&self) -> Option<Vec<Option<Intervals>>> {
        let matched = self.match_all()?;
        let left = |(values, keep): (&Vec<usize>, Vec<bool>)| {
            let kept: Vec<i64> =
                values.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(&v, _)| self.values[v]).collect();
            (kept.len() < values.len()).then(|| intervals(&kept))
        };
        Some(self.of_variables.iter().zip(self.keep(&matched)).map(left).collect())
    }

    /// The value of each variable in a matching of all of them: each in turn by a shortest alternating path.
    fn match_all(&self) -> Option<Vec<usize>> {
        let mut owners: Vec<Option<usize>> = vec![None; self.values.len()];
        let mut matched: Vec<Option<usize>> = vec![None; self.of_variables.len()];
        for start in 0..matched.len() {
            // The variable from which each value was reached.
            let mut reached: Vec<Option<usize>> = vec![None; self.values.len()];
            let mut pending = VecDeque::from([start]);
            let mut free = None;
            'search: while let Some(variable) = pending.pop_front() {
                for &value in &self.of_variables[variable] {
                    if reached[value].is_some() {
                        continue;
                    }
                    reached[value] = Some(variable);
                    match owners[value] {
                        Some(owner) => pending.push_back(owner),
                        None => {
                            free = Some(value);
                            break 'search;
                        }
                    }
                }
            }
            // Each variable of the path takes the value by which the path leaves it.
            let mut next = Some(free?);
            while let Some(value) = next {
                let variable = reached[value]?;
                next = matched[variable].replace(value);
                owners[value] = Some(variable);
                if variable == start {
                    break;
                }
            }
        }
        matched.into_iter().collect()
    }

    /// Which of its values each variable may have.
    fn keep(&self, matched: &[usize]) -> Vec<Vec<bool>> {
        let mut owners: Vec<Option<usize>> = vec![None; self.values.len()];
        for (variable, &value) in matched.iter().enumerate() {
            owners[value] = Some(variable);
        }
        let mut with_value: Vec<Vec<usize>> = vec![Vec::new(); self.values.len()];
        for (variable, values) in self.of_variables.iter().enumerate() {
            for &value in values {
                with_value[value].push(variable);
            }
        }
        let mut reached: Vec<bool> = owners.iter().map(Option::is_none).collect();
        let mut pending: Vec<usize> = (0..reached.len()).filter(|&value| reached[value]).collect();
        while let Some(value) = pending.pop() {
            for &variable in &with_value[value] {
                if !std::mem::replace(&mut reached[matched[variable]], true) {
                    pending.push(matched[variable]);
                }
            }
        }
        let component = self.components(matched, &owners, &with_value);
        let stays = |variable: usize, value: usize| {
            value == matched[variable]
                || reached[value]
                || owners[value].is_some_and(|owner| component[owner] == component[variable])
        };
        let all = self.of_variables.iter().enumerate();
        all.map(|(variable, values)| values.iter().map(|&value| stays(variable, value)).collect()).collect()
    }

    /// The strongly connected components of variables, of which one leads to the owner of a value that it may have:
    /// an order by a search forwards, components by searches backwards.
    fn components(
        &self,
        matched: &[usize],
        owners: &[Option<usize>],
        with_value: &[Vec<usize>],
    ) -> Vec<usize> {
        let n = matched.len();
        let (mut seen, mut order) = (vec![false; n], Vec::with_capacity(n));
        for start in 0..n {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let mut path = vec![(start, 0)];
            while let Some((variable, at)) = path.last_mut() {
                let Some(&value) = self.of_variables[*variable].get(*at) else {
                    order.push(*variable);
                    path.pop();
                    continue;
                };
                *at += 1;
                if let Some(owner) = owners[value].filter(|&owner| !std::mem::replace(&mut seen[owner], true))
                {
                    path.push((owner, 0));
                }
            }
        }
        let mut component = vec![usize::MAX; n];
        for &start in order.iter().rev() {
            if component[start] != usize::MAX {
                continue;
            }
            component[start] = start;
            let mut pending = vec![start];
            while let Some(variable) = pending.pop() {
                for &before in &with_value[matched[variable]] {
                    if component[before] == usize::MAX {
                        component[before] = start;
                        pending.push(before);
                    }
                }
            }
        }
        component
    }
}

/// The intervals of ascending numbers.
fn intervals(numbers: &[i64]) -> Intervals {
    let mut intervals = Intervals::new();
    for &number in numbers {
        match intervals.last_mut() {
            Some((_, high)) if *high + 1 == number => *high = number,
            _ => intervals.push((number, number)),
        }
    }
    intervals
}

#[cfg(test)]
mod tests {
    use super::Edges;

    /// By trying all values of all variables.
    fn by_trial(edges: &Edges, chosen: &mut Vec<usize>, may: &mut [Vec<bool>]) {
        let variable = chosen.len();
        if variable == edges.of_variables.len() {
            for (variable, &value) in chosen.iter().enumerate() {
                let at = edges.of_variables[variable].iter().position(|&v| v == value).expect("its value");
                may[variable][at] = true;
            }
            return;
        }
        for &value in &edges.of_variables[variable] {
            if !chosen.contains(&value) {
                chosen.push(value);
                by_trial(edges, chosen, may);
                chosen.pop();
            }
        }
    }

    #[test]
    fn values_that_stay_are_those_of_some_matching() {
        let mut random = 1_u64;
        for _ in 0..500 {
            let of_variables: Vec<Vec<usize>> = (0..5)
                .map(|_| {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    (0..6).filter(|&value| random >> (33 + value) & 1 == 1).collect()
                })
                .collect();
            let edges = Edges { values: (0..6).collect(), of_variables };
            let mut may: Vec<Vec<bool>> =
                edges.of_variables.iter().map(|values| vec![false; values.len()]).collect();
            by_trial(&edges, &mut Vec::new(), &mut may);
            let found = edges.match_all().map(|matched| edges.keep(&matched));
            assert_eq!(found, may[0].contains(&true).then_some(may), "{:?}", edges.of_variables);
        }
    }
}
