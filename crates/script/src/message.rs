//! Control messages, which recvmsg(2) receives beside data.

/// A message as the call returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedMessage {
    /// Bytes of data.
    pub bytes: i64,
    /// `msg_flags`
    pub flags: i64,
    /// `msg_control`, in its order.
    pub control: Vec<ControlMessage>,
}

/// A control message (cmsg(3)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlMessage {
    /// `cmsg_level`
    pub level: i64,
    /// `cmsg_type`
    pub kind: i64,
    /// `cmsg_data`
    pub data: Data,
}

/// Data of a control message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// A number.
    Integer(i64),
    /// `struct scm_timestamping`: its first time, in nanoseconds since the start of the script.
    Time(i64),
    /// `struct sock_extended_err`: its fields, by the names that scripts write.
    Error([(&'static str, i64); 6]),
    /// Data that are not compared.
    Opaque,
}
