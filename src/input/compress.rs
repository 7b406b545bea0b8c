//! Compression of written files, as the endings of their names say.

use flate2::write::GzEncoder;
use ruzstd::encoding::CompressionLevel;
use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::path::Path;

/// The formats in which files are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// gzip: `.gz`.
    Gzip,
    /// zstd: `.zst`.
    Zstd,
}

impl Encoding {
    /// The format that the name of a file ends with; `None` for a file that is not compressed.
    pub fn from_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "gz" => Some(Self::Gzip),
            "zst" => Some(Self::Zstd),
            _ => None,
        }
    }

    /// Compresses all of a source.
    pub fn compress(self, mut source: impl Read, target: impl Write) -> io::Result<()> {
        match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(target, flate2::Compression::default());
                io::copy(&mut source, &mut encoder)?;
                encoder.finish()?.flush()
            }
            Self::Zstd => {
                let error = RefCell::new(None);
                let source = KeepsError { inner: source, error: &error };
                let target = KeepsError { inner: target, error: &error };
                ruzstd::encoding::compress(source, target, CompressionLevel::Fastest);
                error.take().map_or(Ok(()), Err)
            }
        }
    }
}

/// A file whose first error is kept. The zstd encoder panics at errors, so it sees an end of the source, and a target that
/// takes everything.
struct KeepsError<'e, T> {
    inner: T,
    error: &'e RefCell<Option<io::Error>>,
}

impl<T> KeepsError<'_, T> {
    /// The value of a result; another if there is an error, or was one.
    fn keep<V>(&self, result: io::Result<V>, other: V) -> V {
        result.unwrap_or_else(|error| {
            self.error.borrow_mut().get_or_insert(error);
            other
        })
    }
}

impl<T: Read> Read for KeepsError<'_, T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer);
        Ok(self.keep(read, 0))
    }
}

impl<T: Write> Write for KeepsError<'_, T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write_all(bytes).map(|()| bytes.len());
        Ok(self.keep(written, bytes.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.inner.flush();
        self.keep(flushed, ());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_either_side_is_returned() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("source"))
            }
        }
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::other("target"))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for encoding in [Encoding::Gzip, Encoding::Zstd] {
            let error = encoding.compress(Broken, Vec::new()).unwrap_err();
            assert_eq!(error.to_string(), "source", "{encoding:?}");
            let error = encoding.compress(&b"text"[..], Broken).unwrap_err();
            assert_eq!(error.to_string(), "target", "{encoding:?}");
        }
    }
}
