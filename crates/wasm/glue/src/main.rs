//! Writes the JavaScript that calls the compiled bindings, as `wasm-bindgen --target web` does.
//!
//! In: a `.wasm` file of `cargo build`, and a folder. Out: in the folder `wasm.js`, its types, and
//! `wasm_bg.wasm`.

use std::env::args_os;
use std::path::PathBuf;

use anyhow::Context;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let mut paths = args_os().skip(1).map(PathBuf::from);
    let input = paths.next().context("usage: verger-wasm-glue INPUT.wasm FOLDER")?;
    let folder = paths.next().context("usage: verger-wasm-glue INPUT.wasm FOLDER")?;
    Bindgen::new()
        .input_path(input)
        .out_name("wasm")
        .typescript(true)
        .omit_default_module_path(false)
        .web(true)?
        .generate(folder)
}
