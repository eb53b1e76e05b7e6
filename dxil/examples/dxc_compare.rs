//! Writes `docs/dxil-against-dxc.md` to the output, for `scripts/dxil-compare`.

use dxil_test_support::comparison;

fn main() {
    print!("{}", comparison::table());
}
