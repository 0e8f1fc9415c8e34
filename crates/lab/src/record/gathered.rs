//! What a world gathers row by row, in pieces.

use super::{Record, SERIES};
use crate::rows::{
    Attempt, CellRows, Handover, LogPiece, Roam, SentDatagram, TcpSample, TransferRow,
};

/// What a world has gathered since it was asked last. The rows of a record are all of them joined,
/// the last one included.
#[derive(Clone, Debug, PartialEq)]
pub struct Gathered {
    /// Steps of the time series, those aside whose airtime is not told yet.
    pub series: Vec<(String, Vec<f64>)>,
    /// Ends of connections that are over.
    pub transfers: Vec<TransferRow>,
    /// Samples of TCP_INFO.
    pub tcp_info: Vec<TcpSample>,
    /// Datagrams and echo requests, some of which may still arrive.
    pub datagrams: LogPiece<SentDatagram>,
    /// Data frames and RTS.
    pub attempts: Vec<Attempt>,
    /// Changes of mobile nodes' agents.
    pub handovers: LogPiece<Handover>,
    /// Times that stations left their access points.
    pub roams: LogPiece<Roam>,
}

impl Gathered {
    /// The same as cells of its tables.
    pub fn cells(&self) -> [CellRows; 7] {
        [
            CellRows::of_reals(SERIES, &self.series),
            CellRows::of(&self.transfers, &[]),
            CellRows::of(&self.tcp_info, &[]),
            CellRows::of(&self.datagrams.rows, &self.datagrams.changed),
            CellRows::of(&self.attempts, &[]),
            CellRows::of(&self.handovers.rows, &self.handovers.changed),
            CellRows::of(&self.roams.rows, &self.roams.changed),
        ]
    }
}

impl Record {
    /// Puts a piece behind those before it.
    pub fn join(&mut self, piece: Gathered) {
        if self.series.is_empty() {
            self.series = piece.series;
        } else {
            let columns = self.series.iter_mut().zip(piece.series);
            columns.for_each(|((_, all), (_, values))| all.extend(values));
        }
        self.transfers.extend(piece.transfers);
        self.tcp_info.extend(piece.tcp_info);
        piece.datagrams.join(&mut self.datagrams);
        self.attempts.extend(piece.attempts);
        piece.handovers.join(&mut self.handovers);
        piece.roams.join(&mut self.roams);
    }
}
