/// Hands the defects of fields to the broken plugin's table.
#[macro_export]
macro_rules! defects {
    ($($rows:tt)*) => {
        crate::defect::of_fields! { $($rows)* }
    };
}
