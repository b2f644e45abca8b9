//! Frozen value classes, written once.

use pyo3::prelude::*;
use pyo3::IntoPyObjectExt;

/// A frozen value whose constructor takes its attributes in order: that gives `repr` and pickling.
macro_rules! value_class {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $kind:ty),* $(,)? } $(defaults $signature:tt)? $(methods { $($methods:tt)* })?) => {
        $(#[$doc])*
        #[pyclass(frozen, eq, hash, get_all, module = "verger", skip_from_py_object)]
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub struct $name { $($(#[$about])* pub $field: $kind),* }

        #[pymethods]
        impl $name {
            #[new]
            $(#[pyo3(signature = $signature)])?
            fn new($($field: $kind),*) -> Self {
                $name { $($field),* }
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
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
