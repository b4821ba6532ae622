//! The texts of the templates.

#[test]
fn templates_are_well_formed() {
    gchr_testkit::templates::are_well_formed(&gchr_kernels_terms::templates::ALL);
}
