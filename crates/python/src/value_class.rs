//! Frozen value classes, written once.

use pyo3::prelude::*;
use pyo3::IntoPyObjectExt;

/// A frozen value whose constructor takes its attributes in order: that gives pickling, and a `repr`
/// unless it has its own.
macro_rules! value_class {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $kind:ty),* $(,)? } $(defaults $signature:tt)? $(repr $shown:path;)? $(methods { $($methods:tt)* })?) => {
        $(#[$doc])*
        #[pyclass(frozen, eq, hash, get_all, module = "verger", from_py_object)]
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub struct $name { $($(#[$about])* pub $field: $kind),* }

        #[pymethods]
        impl $name {
            #[new]
            #[allow(clippy::too_many_arguments)]
            $(#[pyo3(signature = $signature)])?
            fn new($($field: $kind),*) -> Self {
                $name { $($field),* }
            }

            #[allow(unreachable_code)]
            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                $(return $shown(self, py);)?
                let parts: Vec<String> = vec![$(
                    format!("{}={}", stringify!($field).trim_start_matches("r#"), $crate::value_class::repr(py, self.$field.clone())?)
                ),*];
                Ok(format!("{}({})", stringify!($name), parts.join(", ")))
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
                let state: Vec<Bound<'py, PyAny>> = vec![$(self.$field.clone().into_bound_py_any(py)?),*];
                Ok((py.get_type::<$name>().into_any(), PyTuple::new(py, state)?))
            }

            $($($methods)*)?
        }
    };
}

pub(crate) use value_class;

/// Python's `repr` of a value.
pub fn repr<'py>(py: Python<'py>, value: impl IntoPyObjectExt<'py>) -> PyResult<String> {
    Ok(value.into_bound_py_any(py)?.repr()?.to_string_lossy().into_owned())
}
