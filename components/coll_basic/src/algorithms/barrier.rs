//! Barrier by dissemination (Hensgen, Finkel and Manber 1988): after step k a process knows of the
//! 2^k processes before it.

use cairn_framework::author::Failure;

use super::distances;
use crate::call::Call;
use crate::data::Data;
use crate::schedule::Schedule;

pub fn barrier(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let nothing = Data::packed(core::ptr::null_mut(), 0);
    for distance in distances(call.size()) {
        schedule.receive(call.before(distance), nothing);
        schedule.send(call.after(distance), nothing);
        schedule.wait();
    }
    Ok(())
}
