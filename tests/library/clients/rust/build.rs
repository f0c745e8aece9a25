//! Compiles the library: gmm.c in the folder that GMM_LIBRARY names.
use std::{env, process::Command};

fn run(program: &str, arguments: &[&str]) {
    let status = Command::new(program).args(arguments).status().expect(program);
    assert!(status.success(), "{program} failed");
}

fn main() {
    let folder = env::var("GMM_LIBRARY").expect("GMM_LIBRARY is not set");
    let out = env::var("OUT_DIR").unwrap();
    let (source, object, archive) = (format!("{folder}/gmm.c"), format!("{out}/gmm.o"), format!("{out}/libgmm.a"));
    run("cc", &["-std=c99", "-O2", "-fPIC", "-c", &source, "-o", &object]);
    run("ar", &["rcs", &archive, &object]);
    println!("cargo:rerun-if-changed={source}");
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=gmm");
    println!("cargo:rustc-link-lib=m");
}
