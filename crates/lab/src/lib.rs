//! Plan in, world built and run, record out.
