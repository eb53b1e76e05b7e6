/// Hands the defects of fields to the broken plugin's table.
#[expect(
    clippy::crate_in_macro_def,
    reason = "the crate that calls it has that macro"
)]
#[macro_export]
macro_rules! defects {
    ($($rows:tt)*) => {
        crate::defect::of_fields! { $($rows)* }
    };
}
