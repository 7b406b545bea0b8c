//! Decompression of gzip and zstd, which are detected by their first bytes. Other bytes are unchanged.
//!
//! Nothing here limits the size of the output: callers limit the decompressed bytes that they keep.

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::io::{self, BufRead, BufReader, Read};

/// The signature of gzip: the identification and the only defined method (RFC 1952, section 2.3.1).
const GZIP: &[u8] = &[0x1f, 0x8b, 0x08];
/// The signature of zstd (RFC 8878, section 3.1.1).
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// The number of bytes that detection needs.
const MAGIC: u64 = 4;
/// The size of the buffer of decompressed bytes.
const BUFFER: usize = 1 << 18;

type Bytes = Box<dyn BufRead + Send>;

/// The compression of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    /// No compression.
    None,
    Gzip,
    Zstd,
}

/// Decompresses bytes that start like gzip or zstd; other bytes are unchanged. Several members or frames one
/// after another are one stream.
pub(super) fn decompress(mut bytes: Bytes) -> io::Result<(Bytes, Compression)> {
    let mut head = Vec::new();
    bytes.by_ref().take(MAGIC).read_to_end(&mut head)?;
    let compression = if head.starts_with(GZIP) {
        Compression::Gzip
    } else if head.starts_with(ZSTD) {
        Compression::Zstd
    } else {
        Compression::None
    };
    let all: Bytes = Box::new(io::Cursor::new(head).chain(bytes));
    let decoded: Bytes = match compression {
        Compression::None => all,
        Compression::Gzip => {
            let decoder = FormatErrors { format: "gzip", inner: MultiGzDecoder::new(all) };
            Box::new(BufReader::with_capacity(BUFFER, decoder))
        }
        Compression::Zstd => {
            let decoder = ZstdFrames {
                source: all,
                decoder: FrameDecoder::new(),
                position: ZstdPosition::BetweenFrames,
            };
            let decoder = FormatErrors { format: "zstd", inner: decoder };
            Box::new(BufReader::with_capacity(BUFFER, decoder))
        }
    };
    Ok((decoded, compression))
}

/// A reader whose errors name the format, and state whether the data is truncated or corrupt.
struct FormatErrors<R> {
    format: &'static str,
    inner: R,
}

impl<R: Read> Read for FormatErrors<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("the {} data is cut off", self.format),
            ),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the {} data is broken: {error}", self.format),
            ),
            _ => error,
        })
    }
}

/// A reader of consecutive frames of zstd.
struct ZstdFrames {
    source: Bytes,
    decoder: FrameDecoder,
    position: ZstdPosition,
}

/// The position in the stream of frames.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ZstdPosition {
    InFrame,
    BetweenFrames,
}

impl Read for ZstdFrames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if self.position == ZstdPosition::BetweenFrames && !self.next_frame()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let some = ruzstd::decoding::BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, some).map_err(to_io_error)?;
            }
            let read = self.decoder.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            self.end_of_frame()?;
        }
    }
}

impl ZstdFrames {
    /// Starts the next frame and skips skippable ones; returns `false` if there is none.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {
                    self.position = ZstdPosition::InFrame;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let skipped = io::copy(&mut (&mut self.source).take(length), &mut io::sink())?;
                    if skipped < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(to_io_error(error)),
            }
        }
        Ok(false)
    }

    fn end_of_frame(&mut self) -> io::Result<()> {
        self.position = ZstdPosition::BetweenFrames;
        let (stored, computed) =
            (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        if stored.is_some() && stored != computed {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "checksum mismatch"));
        }
        Ok(())
    }
}

/// Converts an error of the decoder to an I/O error. An error at the end of the data means truncated data.
fn to_io_error(error: FrameDecoderError) -> io::Error {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if let Some(inner) = inner.downcast_ref::<io::Error>()
            && inner.kind() == io::ErrorKind::UnexpectedEof
        {
            return io::ErrorKind::UnexpectedEof.into();
        }
        cause = inner.source();
    }
    io::Error::new(io::ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    fn read(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        decompress(Box::new(io::Cursor::new(bytes)))?.0.read_to_end(&mut out)?;
        Ok(out)
    }

    /// Data longer than a block of either format.
    fn long() -> Vec<u8> {
        (0..400_000u32).flat_map(|n| (n.wrapping_mul(2_654_435_761) >> 20).to_le_bytes()).collect()
    }

    #[test]
    fn bytes_that_are_not_compressed_stay_what_they_are() {
        for text in [&b""[..], b"{", b"JobID|State\n", &[0x1f, 0x8b], &[0x28, 0xb5, 0x2f]] {
            assert_eq!(read(text.to_vec()).unwrap(), text);
        }
    }

    #[test]
    fn members_and_frames_are_one_stream() {
        let all = [&b"one "[..], &long(), b" three"].concat();
        for packed in [gzip, zstd] {
            let bytes = [packed(b"one "), packed(&long()), packed(b" three")].concat();
            assert_eq!(read(bytes).unwrap(), all);
        }
    }

    #[test]
    fn frames_for_others_are_passed_over() {
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let bytes = [zstd(b"one "), skipped, zstd(b"two")].concat();
        assert_eq!(read(bytes).unwrap(), b"one two");
    }

    #[test]
    fn what_is_cut_off_is_an_error_wherever_it_is_cut() {
        for (packed, format) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "zstd")] {
            let all = packed(b"a history, though a short one");
            for end in 4..all.len() {
                let error = read(all[..end].to_vec()).unwrap_err();
                assert_eq!(error.to_string(), format!("the {format} data is cut off"), "{end}");
            }
        }
    }

    #[test]
    fn what_is_broken_is_an_error() {
        for (packed, format) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "zstd")] {
            let mut bytes = packed(&long());
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0xff;
            let error = read(bytes).unwrap_err().to_string();
            assert!(error.starts_with(&format!("the {format} data is broken")), "{error}");
        }
    }
}
