//! The recorder by itself: points, rounds, sums. Counts of executors are checked beside them.

use super::*;

fn progress(steps: u64) -> Progress {
    Progress { steps, bytes: 10 * steps, live: 1000 - steps.min(1000) }
}

#[test]
fn points_are_thinned_and_stay_totals() {
    let mut recorder = Recorder::new();
    let last = 3 * MOST_POINTS as u64;
    for steps in 0..=last {
        recorder.tried(2);
        recorder.point(progress(steps));
    }
    let points = recorder.points();
    assert!(points.len() < MOST_POINTS && points.len() > MOST_POINTS / 4, "{}", points.len());
    assert!(points.windows(2).all(|w| w[0].steps < w[1].steps && w[0].seconds <= w[1].seconds));
    assert_eq!((points[0].steps, points[points.len() - 1].steps), (0, last));
    assert!(points.iter().all(|p| p.tried == 2 * (p.steps + 1)));
    assert!(recorder.slice() > FIRST_SLICE);
    assert_eq!(recorder.peak_parallelism(), None);
}

#[test]
fn peaks_survive_thinning() {
    let mut recorder = Recorder::new();
    let mut steps = 0;
    for rounds in 1..=2 * MOST_POINTS as u64 {
        steps += if rounds == 100 { 77 } else { 3 };
        recorder.round(Round { rounds, progress: progress(steps) });
    }
    assert_eq!(recorder.peak_parallelism(), Some(77));
    let points = recorder.points();
    assert_eq!(points.iter().filter(|p| p.peak_steps == 77).count(), 1);
    assert_eq!(points[points.len() - 1].rounds, 2 * MOST_POINTS as u64);
}

#[test]
fn a_run_in_rounds_is_drawn_by_its_rounds() {
    let mut recorder = Recorder::new();
    recorder.point(progress(0));
    recorder.round(Round { rounds: 1, progress: progress(5) });
    recorder.point(progress(5));
    recorder.round(Round { rounds: 3, progress: progress(8) });
    let seen: Vec<_> = recorder.points().iter().map(|p| (p.rounds, p.steps, p.peak_steps)).collect();
    assert_eq!(seen, [(0, 0, 0), (1, 5, 5), (3, 8, 2)]);
}

#[test]
fn rules_and_kernels_are_summed() {
    let mut recorder = Recorder::new();
    recorder.rule(RuleId(2), RuleCount { applied: 3, tried: 4, share: 0.25 });
    recorder.rule(RuleId(2), RuleCount { applied: 1, tried: 0, share: 0.5 });
    assert_eq!(recorder.rules()[2], RuleCount { applied: 4, tried: 4, share: 0.75 });
    assert_eq!(recorder.rules()[0], RuleCount::default());
    let traffic = Traffic { read: 64, written: 32, random: 32, atomics: 1 };
    recorder.kernel("iterate", Duration::from_millis(2), Some(traffic));
    recorder.kernel("sort", Duration::from_millis(1), None);
    recorder.kernel("iterate", Duration::from_millis(3), Some(traffic));
    let [iterate, sort] = recorder.kernels() else { panic!("two kernels") };
    assert_eq!((iterate.launches, sort.launches), (2, 1));
    assert!((iterate.ms - 5.0).abs() < 1e-9);
    assert_eq!(iterate.traffic, Some(Traffic { read: 128, written: 64, random: 64, atomics: 2 }));
    assert_eq!(sort.traffic, None);
}

#[test]
fn a_sampler_finds_the_place_where_time_goes() {
    // On a busy machine the sampling thread may not get its turns soon.
    let shares = [200, 2_000, 20_000].map(Duration::from_millis).into_iter().find_map(|time| {
        let sampler = Sampler::start(3);
        sampler.place().set(1);
        std::thread::sleep(time);
        Some(sampler.stop()).filter(|shares| shares.iter().any(|&share| share > 0.0))
    });
    assert_eq!(shares, Some(vec![0.0, 1.0, 0.0]));
}

#[test]
fn a_few_samples_are_no_shares() {
    let sampler = Sampler::start(1);
    sampler.place().set(0);
    assert_eq!(sampler.stop(), [0.0]);
}

/// A run of three rounds; its traffic is as given.
fn of_rounds(counts: bool) -> Recorder {
    let mut recorder = Recorder::new();
    for rounds in 1..=3 {
        if counts {
            recorder.traffic(Traffic { read: 32 * rounds, ..Traffic::default() });
            recorder.tried(rounds);
        }
        recorder.kernel("rounds", Duration::from_millis(1), counts.then(Traffic::default));
        recorder.round(Round { rounds, progress: progress(10 * rounds) });
    }
    if counts {
        recorder.rule(RuleId(0), RuleCount { applied: 30, tried: 6, share: 0.0 });
    }
    recorder
}

#[test]
fn a_timed_run_adopts_the_counts_of_another_one() {
    let (mut timed, counted) = (of_rounds(false), of_rounds(true));
    let seconds: Vec<f64> = timed.points().iter().map(|p| p.seconds).collect();
    assert!(timed.adopt(&counted));
    let seen: Vec<_> = timed.points().iter().map(|p| (p.rounds, p.traffic.read, p.tried)).collect();
    assert_eq!(seen, [(1, 32, 1), (2, 64, 3), (3, 96, 6)]);
    assert_eq!(timed.points().iter().map(|p| p.seconds).collect::<Vec<_>>(), seconds);
    assert_eq!((timed.rules()[0].applied, timed.kernels()[0].traffic), (30, Some(Traffic::default())));
}

#[test]
fn another_number_of_steps_is_not_adopted() {
    let (mut timed, mut counted) = (of_rounds(false), of_rounds(true));
    counted.round(Round { rounds: 4, progress: progress(31) });
    assert!(!timed.adopt(&counted));
    assert!(!timed.adopt(&Recorder::new()));
    assert!(!timed.counts_rules() && timed.kernels()[0].traffic.is_none());
}

#[test]
fn a_run_without_rounds_adopts_the_course_in_its_own_time() {
    let (mut timed, mut counted) = (Recorder::new(), Recorder::new());
    for steps in [0, 9] {
        timed.point(progress(steps));
    }
    for steps in [0, 4, 9] {
        counted.traffic(Traffic { written: steps, ..Traffic::default() });
        counted.point(progress(steps));
        std::thread::sleep(Duration::from_millis(2));
    }
    let ends = [timed.points()[0].seconds, timed.points()[1].seconds];
    assert!(timed.adopt(&counted));
    let points = timed.points();
    assert_eq!(
        points.iter().map(|p| (p.steps, p.traffic.written)).collect::<Vec<_>>(),
        [(0, 0), (4, 4), (9, 9)]
    );
    assert!((points[0].seconds - ends[0]).abs() < 1e-9 && (points[2].seconds - ends[1]).abs() < 1e-9);
    assert!(points[0].seconds <= points[1].seconds && points[1].seconds <= points[2].seconds);
}
