//! No bytes of a partial summary make a reader panic, and none that it reads are read as something else.

use replay::history::UnreadList;
use replay::simulate::{Names, PartialFile, seal_partial, write_partial};

/// Reads bytes as a file, and as the content of a file with the right checksum. Content that can be read has the same figures
/// when it is written and read again, and a changed byte of the file is refused.
pub fn partial(bytes: &[u8]) {
    if let Ok(file) = PartialFile::read(bytes) {
        let _ = file.figures::<UnreadList>(&Names::default());
    }
    let mut sealed = seal_partial("v1", bytes).expect("memory");
    if let Ok(file) = PartialFile::read(&sealed) {
        let (header, names) = (file.header.clone(), Names::default());
        if let Ok((figures, facts)) = file.figures::<UnreadList>(&names) {
            let again = write_partial("v1", &header, &names, figures.clone(), &facts);
            let again = PartialFile::read(&again.expect("numbers of names")).expect("a file");
            assert_eq!(again.header, header);
            let read = again.figures::<UnreadList>(&names).expect("the content");
            assert_eq!(read, (figures, facts));
        }
    }
    let place = bytes.iter().fold(0, |sum, byte| sum * 31 % sealed.len() + usize::from(*byte))
        % sealed.len();
    sealed[place] ^= 1 << (bytes.len() % 8);
    assert!(PartialFile::read(&sealed).is_err(), "byte {place}");
}
