//! The file of a partial summary: a line that names the format, its version and the system, such as
//! `armadactl partial 1 jobset`; the compressed content; and the checksum of all that.

use super::figures::Figures;
use super::name_lists::{self, NameLists, sorted};
use crate::history::PARTIAL_MAGIC as MAGIC;
use crate::simulate::names::Names;
use borsh::{BorshDeserialize, BorshSerialize};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use sha2::{Digest, Sha256};
use std::io::{self, Read, Write};
use thiserror::Error;

/// The version of the format.
const VERSION: &str = "1";

/// The limit of the first line in bytes.
const LONGEST_LINE: usize = 80;

/// The bytes of the checksum at the end: SHA-256 of all bytes before it.
const CHECKSUM: usize = 32;

/// The limit of the content in bytes, so that a small file cannot fill the memory. A summary of a year of 200,000 nodes
/// has some 20 MB.
const LARGEST: u64 = 1 << 30;

/// The shards and the settings of a partial summary.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Header {
    /// The version of the program.
    pub program: String,
    /// The hash of the policies, queues, settings and flags on which figures depend.
    pub settings: [u8; 32],
    /// The number of shards of the history.
    pub shards: u32,
    /// Those that are replayed, in their order.
    pub held: Vec<HeldShard>,
}

/// A shard that is replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub struct HeldShard {
    /// Its number.
    pub number: u32,
    /// Records of its units.
    pub records: u64,
    /// Records of other shards that were read and skipped.
    pub others: u64,
    /// A bit for each notation of times: the first time of an input decides that of all its times.
    pub notations: u8,
}

/// Why a file is not a partial summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BadPartial {
    /// Another program or another version of the format wrote it.
    #[error("it is not a partial summary of this version of the format")]
    OtherFormat,
    /// Bytes are missing or changed.
    #[error("the partial summary is damaged or cut off")]
    Damaged,
}

/// The content of a file.
#[derive(Debug)]
pub struct PartialFile {
    /// The system, as the names of its engines begin.
    pub system: String,
    /// The header.
    pub header: Header,
    content: Vec<u8>,
}

/// The system of the partial summary that begins so.
pub fn system_of_partial(head: &str) -> Option<&str> {
    let line = head.strip_prefix(MAGIC)?.lines().next()?;
    line.split_once(' ').filter(|(version, _)| *version == VERSION).map(|(_, system)| system)
}

/// The bytes of a partial summary of a system. `facts` are those of the history and of its policies.
///
/// # Errors
///
/// If a figure has a number that no name has.
pub fn write(
    system: &str,
    header: &Header,
    names: &Names,
    figures: Figures,
    facts: &impl BorshSerialize,
) -> io::Result<Vec<u8>> {
    let (lists, figures) = sorted(names, figures).map_err(|_| io::ErrorKind::InvalidData)?;
    seal(system, &borsh::to_vec(&(header, lists, figures, facts))?)
}

/// The file of a content.
///
/// # Errors
///
/// None: writing to memory does not fail.
pub fn seal(system: &str, content: &[u8]) -> io::Result<Vec<u8>> {
    let line = format!("{MAGIC}{VERSION} {system}\n").into_bytes();
    let mut encoder = ZlibEncoder::new(line, Compression::default());
    encoder.write_all(content)?;
    let mut bytes = encoder.finish()?;
    // Over the compressed bytes, so that damage is found before they are decompressed.
    let checksum = Sha256::digest(&bytes);
    bytes.extend_from_slice(&checksum);
    Ok(bytes)
}

impl PartialFile {
    /// Reads the header of a file.
    ///
    /// # Errors
    ///
    /// If it is not a whole partial summary.
    pub fn read(bytes: &[u8]) -> Result<Self, BadPartial> {
        // Within the first bytes: another file may be one long line.
        let line = bytes.iter().take(LONGEST_LINE).position(|byte| *byte == b'\n');
        let line = line.and_then(|end| bytes.get(..=end)).ok_or(BadPartial::OtherFormat)?;
        let system = str::from_utf8(line).ok().and_then(system_of_partial);
        let system = system.ok_or(BadPartial::OtherFormat)?.to_owned();
        let end = bytes.len().checked_sub(CHECKSUM).ok_or(BadPartial::Damaged)?;
        let (checked, checksum) = bytes.split_at(end);
        if Sha256::digest(checked).as_slice() != checksum {
            return Err(BadPartial::Damaged);
        }
        let compressed = checked.get(line.len()..).ok_or(BadPartial::Damaged)?;
        let mut content = Vec::new();
        let mut decoder = ZlibDecoder::new(compressed).take(LARGEST);
        decoder.read_to_end(&mut content).map_err(|_| BadPartial::Damaged)?;
        let mut rest = &content[..];
        let header = Header::deserialize(&mut rest).map_err(|_| BadPartial::Damaged)?;
        let read = content.len() - rest.len();
        content.drain(..read);
        Ok(Self { system, header, content })
    }

    /// The figures, by the numbers of `names`, to which those of the file are added; and the facts.
    ///
    /// # Errors
    ///
    /// If the content is not what [`write()`] has written.
    pub fn figures<F: BorshDeserialize>(self, names: &Names) -> Result<(Figures, F), BadPartial> {
        let content = <(NameLists, Figures, F)>::try_from_slice(&self.content);
        let (lists, figures, facts) = content.map_err(|_| BadPartial::Damaged)?;
        let numbers = name_lists::add(names, lists).ok_or(BadPartial::Damaged)?;
        let figures = figures.renumber(&numbers).map_err(|_| BadPartial::Damaged)?;
        Ok((figures, facts))
    }
}
