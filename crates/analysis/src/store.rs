//! Where connections under way live: in chunks that never move, with places used again.

use super::connection::CapturedConnection;
use super::huge_pages::ask_for_huge_pages;

/// Connections to a chunk, a power of two: so much memory that nearly all of it is huge pages. What
/// is not used of it takes none.
const CHUNK: usize = 32_768;

/// Connections under way, each with a number for as long as it lasts.
#[derive(Debug, Default)]
pub(super) struct ConnectionStore {
    chunks: Vec<Vec<CapturedConnection>>,
    free: Vec<u32>,
    used: u32,
}

impl ConnectionStore {
    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.used as usize - self.free.len()
    }

    #[inline]
    fn place(&self, number: u32) -> Option<&CapturedConnection> {
        let number = number as usize;
        self.chunks.get(number / CHUNK)?.get(number % CHUNK)
    }

    #[inline]
    fn place_mut(&mut self, number: u32) -> Option<&mut CapturedConnection> {
        let number = number as usize;
        self.chunks.get_mut(number / CHUNK)?.get_mut(number % CHUNK)
    }

    #[inline]
    pub fn get(&self, number: u32) -> Option<&CapturedConnection> {
        self.place(number).filter(|place| place.is_under_way)
    }

    #[inline]
    pub fn get_mut(&mut self, number: u32) -> Option<&mut CapturedConnection> {
        self.place_mut(number).filter(|place| place.is_under_way)
    }

    /// Asks for what every segment of a connection needs.
    #[inline]
    pub fn prefetch(&self, number: u32) {
        if let Some(place) = self.place(number) {
            place.prefetch();
        }
    }

    /// Asks for what the ends that send data need.
    #[inline]
    pub fn prefetch_sending(&self, number: u32) {
        if let Some(connection) = self.get(number) {
            for half in &connection.halves {
                half.prefetch_sending();
            }
        }
    }

    /// Asks for a connection's segments on their way.
    #[inline]
    pub fn prefetch_segments(&self, number: u32) {
        if let Some(connection) = self.get(number) {
            for half in &connection.halves {
                half.prefetch_segments();
            }
        }
    }

    pub fn add(&mut self, connection: CapturedConnection) -> u32 {
        if let Some(number) = self.free.pop() {
            self.chunks[number as usize / CHUNK][number as usize % CHUNK] = connection;
            return number;
        }
        let number = self.used;
        self.used += 1;
        if (number as usize).is_multiple_of(CHUNK) {
            let chunk: Vec<CapturedConnection> = Vec::with_capacity(CHUNK);
            ask_for_huge_pages(chunk.as_ptr(), chunk.capacity());
            self.chunks.push(chunk);
        }
        self.chunks[number as usize / CHUNK].push(connection);
        number
    }

    pub fn remove(&mut self, number: u32) -> Option<CapturedConnection> {
        let connection = self.get_mut(number).map(core::mem::take)?;
        self.free.push(number);
        Some(connection)
    }

    /// The numbers of all, ascending.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        (0..self.used).filter(|&number| self.get(number).is_some())
    }
}
