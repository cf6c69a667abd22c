//! Messages that come.

use cairn_framework::abi::host::LOG_WARN;
use cairn_transport::Admitted;

use crate::context::OfiCri;
use crate::module::OfiDevice;
use crate::order::{self, Dropped};

/// A message has come.
#[inline]
pub fn arrived(device: &OfiDevice, cri: &OfiCri, bytes: &[u8]) {
    let came = order::arrived(&cri.incoming, &device.admission, bytes, |admitted, rest| {
        act(device, cri, admitted, rest);
    });
    if let Err(why) = came {
        dropped(device, why);
    }
}

#[cold]
fn dropped(device: &OfiDevice, why: Dropped) {
    match why {
        Dropped::NoneOfTheNext(header) => device.host.log(LOG_WARN, || {
            let rank = header.head.rank();
            format!("message {} of rank {rank} is none of the next", header.number)
        }),
        Dropped::Cut | Dropped::Stranger => refuse(device),
    }
}

#[cold]
fn refuse(device: &OfiDevice) {
    device.host.show_once(c"refused", "a message came from a process that is not of this job");
}

#[inline]
fn act(device: &OfiDevice, cri: &OfiCri, admitted: Admitted, rest: &[u8]) {
    match admitted {
        Admitted::Message(rank, tag) => {
            if !device.is_closing() {
                let endpoint = device.endpoint(rank).map(|endpoint| &**endpoint);
                device.deliver(cri, endpoint, tag, rest);
            }
        }
        Admitted::Greeting(rank) => {
            device.part(rank, false);
            device.met(rank);
        }
        Admitted::Goodbye(rank) => device.part(rank, true),
        Admitted::Refused => refuse(device),
    }
}
