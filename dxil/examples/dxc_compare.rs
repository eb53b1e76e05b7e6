//! Writes `docs/dxil-against-dxc.md` to the output, for `scripts/dxil-compare`.

#[path = "../tests/dxc_compare/comparison.rs"]
mod comparison;
#[path = "../tests/dxc_compare/view.rs"]
mod view;

fn main() {
    print!("{}", comparison::table());
}
