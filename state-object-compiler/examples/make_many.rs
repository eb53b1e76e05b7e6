//! Makes an SODB of many pipelines.
//!
//! ```text
//! cargo run --release -p state-object-compiler --example make_many COUNT FILE
//! ```

use shader_db::sodb::{Access, Sodb};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(count), Some(path)) = (arguments.next(), arguments.next()) else {
        return Err("COUNT and FILE are needed".into());
    };
    let count = count.to_str().and_then(|count| count.parse().ok());
    let sodb = Sodb::open(path, Access::Create)?;
    example_sodb::many::fill(&sodb, count.ok_or("COUNT is no number")?)?;
    Ok(sodb.close()?)
}
