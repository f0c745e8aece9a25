//! The library in Rust, without crates: values are freed by their owners, failures are `Result`s. What it does: gmm.c.
use std::ffi::{c_char, c_int, c_void, CStr};
use std::ptr::null_mut;

const K: usize = 2;
const D: usize = 3;
const T: usize = 3;
const N: usize = 5;
const P: usize = K + 2 * K * D + K * T;

type Pointer = *mut c_void;
type Free = unsafe extern "C" fn(Pointer, Pointer) -> c_int;

extern "C" {
    fn futhark_context_config_new() -> Pointer;
    fn futhark_context_config_free(cfg: Pointer);
    fn futhark_context_new(cfg: Pointer) -> Pointer;
    fn futhark_context_free(ctx: Pointer);
    fn futhark_context_sync(ctx: Pointer) -> c_int;
    fn futhark_context_get_error(ctx: Pointer) -> *mut c_char;
    fn futhark_new_f64_1d(ctx: Pointer, data: *const f64, dim0: i64) -> Pointer;
    fn futhark_new_f64_2d(ctx: Pointer, data: *const f64, dim0: i64, dim1: i64) -> Pointer;
    fn futhark_values_f64_1d(ctx: Pointer, array: Pointer, data: *mut f64) -> c_int;
    fn futhark_values_f64_2d(ctx: Pointer, array: Pointer, data: *mut f64) -> c_int;
    fn futhark_free_f64_1d(ctx: Pointer, array: Pointer) -> c_int;
    fn futhark_free_f64_2d(ctx: Pointer, array: Pointer) -> c_int;
    fn futhark_free_opaque_parameters(ctx: Pointer, value: Pointer) -> c_int;
    fn futhark_new_opaque_parameters(ctx: Pointer, out: *mut Pointer, alpha: Pointer, l: Pointer, mu: Pointer, q: Pointer) -> c_int;
    fn futhark_project_opaque_parameters_alpha(ctx: Pointer, out: *mut Pointer, value: Pointer) -> c_int;
    fn futhark_project_opaque_parameters_mu(ctx: Pointer, out: *mut Pointer, value: Pointer) -> c_int;
    fn futhark_project_opaque_parameters_q(ctx: Pointer, out: *mut Pointer, value: Pointer) -> c_int;
    fn futhark_project_opaque_parameters_l(ctx: Pointer, out: *mut Pointer, value: Pointer) -> c_int;
    fn futhark_entry_value(ctx: Pointer, out: *mut f64, x: Pointer, p: Pointer) -> c_int;
    fn futhark_entry_value_gradient(ctx: Pointer, out: *mut Pointer, x: Pointer, p: Pointer) -> c_int;
    fn free(text: *mut c_void);
}

struct Context {
    cfg: Pointer,
    ctx: Pointer,
}

impl Context {
    fn new() -> Context {
        unsafe {
            let cfg = futhark_context_config_new();
            Context { cfg, ctx: futhark_context_new(cfg) }
        }
    }

    fn check(&self, code: c_int) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        unsafe {
            let text = futhark_context_get_error(self.ctx);
            let error = CStr::from_ptr(text).to_string_lossy().into_owned();
            free(text as *mut c_void);
            Err(error)
        }
    }

    fn vector(&self, items: &[f64]) -> Value<'_> {
        Value { context: self, free: futhark_free_f64_1d, value: unsafe { futhark_new_f64_1d(self.ctx, items.as_ptr(), items.len() as i64) } }
    }

    fn matrix(&self, items: &[f64], rows: usize, columns: usize) -> Value<'_> {
        let value = unsafe { futhark_new_f64_2d(self.ctx, items.as_ptr(), rows as i64, columns as i64) };
        Value { context: self, free: futhark_free_f64_2d, value }
    }

    fn parameters(&self, p: &[f64]) -> Result<Value<'_>, String> {
        let alpha = self.vector(&p[..K]);
        let mu = self.matrix(&p[K..], K, D);
        let q = self.matrix(&p[K + K * D..], K, D);
        let l = self.matrix(&p[K + 2 * K * D..], K, T);
        let mut value = null_mut();
        self.check(unsafe { futhark_new_opaque_parameters(self.ctx, &mut value, alpha.value, l.value, mu.value, q.value) })?;
        Ok(Value { context: self, free: futhark_free_opaque_parameters, value })
    }

    fn value(&self, x: &Value, p: &[f64]) -> Result<f64, String> {
        let at = self.parameters(p)?;
        let mut out = 0.0;
        self.check(unsafe { futhark_entry_value(self.ctx, &mut out, x.value, at.value) })?;
        Ok(out)
    }

    fn gradient(&self, x: &Value, p: &[f64]) -> Result<Vec<f64>, String> {
        let at = self.parameters(p)?;
        let mut value = null_mut();
        self.check(unsafe { futhark_entry_value_gradient(self.ctx, &mut value, x.value, at.value) })?;
        let found = Value { context: self, free: futhark_free_opaque_parameters, value };
        let mut out = vec![0.0; P];
        let mut field = null_mut();
        unsafe {
            self.check(futhark_project_opaque_parameters_alpha(self.ctx, &mut field, found.value))?;
            let alpha = Value { context: self, free: futhark_free_f64_1d, value: field };
            self.check(futhark_values_f64_1d(self.ctx, alpha.value, out.as_mut_ptr()))?;
            let fields: [(unsafe extern "C" fn(Pointer, *mut Pointer, Pointer) -> c_int, usize); 3] = [
                (futhark_project_opaque_parameters_mu, K),
                (futhark_project_opaque_parameters_q, K + K * D),
                (futhark_project_opaque_parameters_l, K + 2 * K * D),
            ];
            for (project, start) in fields {
                self.check(project(self.ctx, &mut field, found.value))?;
                let matrix = Value { context: self, free: futhark_free_f64_2d, value: field };
                self.check(futhark_values_f64_2d(self.ctx, matrix.value, out.as_mut_ptr().add(start)))?;
            }
            self.check(futhark_context_sync(self.ctx))?;
        }
        Ok(out)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        unsafe {
            futhark_context_free(self.ctx);
            futhark_context_config_free(self.cfg);
        }
    }
}

struct Value<'a> {
    context: &'a Context,
    free: Free,
    value: Pointer,
}

impl Drop for Value<'_> {
    fn drop(&mut self) {
        unsafe { (self.free)(self.context.ctx, self.value) };
    }
}

fn main() -> Result<(), String> {
    let context = Context::new();
    let sines = |from: usize, count: usize| (0..count).map(|k| ((from + k + 1) as f64).sin()).collect::<Vec<f64>>();
    let (p, points) = (sines(0, P), sines(P, N * D));
    let x = context.matrix(&points, N, D);
    let cosine = |k: usize| ((k + 1) as f64).cos();
    let moved = |h: f64| p.iter().enumerate().map(|(k, a)| a + h * cosine(k)).collect::<Vec<f64>>();
    let along: f64 = context.gradient(&x, &p)?.iter().enumerate().map(|(k, g)| g * cosine(k)).sum();
    let h = 1e-6;
    let quotient = (context.value(&x, &moved(h))? - context.value(&x, &moved(-h))?) / (2.0 * h);
    println!("value {:.9}, along {:.6} {:.6}", context.value(&x, &p)?, along, quotient);
    let narrow = context.matrix(&points, N, 1);
    match context.value(&narrow, &p) {
        Ok(_) => Err("no failure".to_string()),
        Err(error) => Ok(print!("{error}")),
    }
}
