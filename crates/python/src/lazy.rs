//! Sequences whose items are computed on access, and not kept.
//!
//! A file of a megabyte may have a million lines or findings; as values of Python they take some
//! two hundred times as much. Only the source of each item is kept. Such a sequence behaves like
//! the tuple of its items, to which it is equal.

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyRange, PyTuple};
use pyo3::{PyClass, PyClassInitializer};

use crate::text::sequence_class;

/// What makes the items.
pub trait Lazy: PyClass + Into<PyClassInitializer<Self>> {
    /// The Python object, which is a sequence.
    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, Self>> {
        sequence_class(py)?.call_method1("register", (py.get_type::<Self>(),))?;
        Bound::new(py, self)
    }

    /// How many there are.
    fn count(&self) -> usize;

    /// One of them, counted from 0; none after the last.
    fn item<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Option<Bound<'py, PyAny>>>;

    /// All of them. They take much memory.
    fn to_tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.some(py, 0..self.count())
    }

    /// Some of them, in that order.
    fn some<'py>(
        &self,
        py: Python<'py>,
        places: impl Iterator<Item = usize>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let items = places.filter_map(|at| self.item(py, at).transpose());
        PyTuple::new(py, items.collect::<PyResult<Vec<_>>>()?)
    }

    /// The items of an index, which may count from the end, or be a slice.
    fn get<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = index.py();
        if let Some(item) = index.extract().ok().map(|at| self.item(py, at)).transpose()?.flatten()
        {
            return Ok(item);
        }
        // A range handles every index; in its own errors, the sequence is named instead.
        let last = isize::try_from(self.count()).unwrap_or(isize::MAX);
        let found = PyRange::new(py, 0, last)?.get_item(index);
        let found = found.map_err(|error| renamed(error, py, <Self as PyClass>::NAME))?;
        match found.cast::<PyRange>() {
            Ok(places) => {
                let places = places.try_iter()?.map(|at| at?.extract::<usize>());
                let places = places.collect::<PyResult<Vec<_>>>()?;
                Ok(self.some(py, places.into_iter())?.into_any())
            }
            Err(_) => {
                let item = self.item(py, found.extract()?)?;
                item.ok_or_else(|| PyIndexError::new_err("there is no such item"))
            }
        }
    }

    /// Whether another sequence of this kind, or a tuple, has the same items.
    fn equals(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        for at in 0..self.count() {
            let Some(item) = self.item(other.py(), at)? else { return Ok(false) };
            if !item.eq(other.get_item(at)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// An error of a range, as one of a sequence with another name; those of the caller's `__index__`
/// stay as they are.
fn renamed(error: PyErr, py: Python<'_>, name: &str) -> PyErr {
    let kind = error.get_type(py);
    let is_of_range =
        kind.is(py.get_type::<PyIndexError>()) || kind.is(py.get_type::<PyTypeError>());
    let message = error.value(py).to_string();
    match message.strip_prefix("range ").filter(|_| is_of_range && error.traceback(py).is_none()) {
        Some(rest) => PyErr::from_type(kind, format!("{name} {rest}")),
        None => error,
    }
}

/// Walks a sequence.
#[pyclass(frozen, module = "verger", name = "_LazyIterator")]
pub struct LazyIterator {
    sequence: Py<PyAny>,
    at: AtomicUsize,
}

impl LazyIterator {
    pub fn of<T>(sequence: &Bound<'_, T>) -> LazyIterator {
        LazyIterator { sequence: sequence.clone().into_any().unbind(), at: AtomicUsize::new(0) }
    }
}

#[pymethods]
impl LazyIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let at = self.at.fetch_add(1, Ordering::Relaxed);
        match self.sequence.bind(py).get_item(at) {
            Ok(item) => Ok(Some(item)),
            Err(error) if error.is_instance_of::<PyIndexError>(py) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The Python methods of a lazy sequence.
macro_rules! lazy_sequence {
    ($name:ident of $item:literal, in $view:literal) => {
        #[pymethods]
        impl $name {
            fn __len__(&self) -> usize {
                Lazy::count(self)
            }

            fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                self.get(index)
            }

            fn __iter__(slf: &Bound<'_, Self>) -> $crate::lazy::LazyIterator {
                $crate::lazy::LazyIterator::of(slf)
            }

            /// Return the first index of a value. Raises ValueError.
            #[pyo3(signature = (value, *bounds))]
            fn index<'py>(
                &self,
                value: &Bound<'py, PyAny>,
                bounds: &Bound<'py, PyTuple>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let py = value.py();
                let given = PyTuple::new(py, [value])?.add(bounds)?.cast_into::<PyTuple>()?;
                self.to_tuple(py)?.call_method1("index", given)
            }

            /// Return the number of occurrences of a value.
            fn count<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                self.to_tuple(value.py())?.call_method1("count", (value,))
            }

            fn __eq__<'py>(
                &self,
                other: &Bound<'py, PyAny>,
                py: Python<'py>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let is_kin = other.is_instance_of::<Self>() || other.is_instance_of::<PyTuple>();
                if !is_kin {
                    return Ok(py.NotImplemented().into_bound(py));
                }
                let is_same = other.len()? == Lazy::count(self) && self.equals(other)?;
                is_same.into_bound_py_any(py)
            }

            fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
                self.to_tuple(py)?.hash()
            }

            fn __repr__(&self) -> String {
                format!("{}({})", stringify!($name), $crate::text::count(Lazy::count(self), $item))
            }

            fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $crate::text::in_notebook(concat!("of_", $view), slf)
            }

            /// As this view of the file, which is much smaller than the items.
            fn __reduce__<'py>(
                &self,
                py: Python<'py>,
            ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>, &'static str))> {
                let getattr = py.import("builtins")?.getattr("getattr")?;
                Ok((getattr, (self.source.read_again(py)?, $view)))
            }
        }
    };
}

pub(crate) use lazy_sequence;
