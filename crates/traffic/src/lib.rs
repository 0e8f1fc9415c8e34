//! Applications that offer traffic and time it.
