//! Which limits of a device fit each other.

use super::*;

impl BtlModule {
    /// The capabilities that follow from the limits: those of which there is a limit.
    pub(super) fn limited(&self) -> u64 {
        [
            (BTL_SEND_IMMEDIATE, self.immediate_limit.into()),
            (BTL_SEND_PACKED, self.packed_limit.into()),
            (BTL_PUT, self.put_limit),
            (BTL_GET, self.get_limit),
        ]
        .map(|(bit, limit)| if limit > 0 { bit } else { 0 })
        .iter()
        .sum()
    }

    /// Most bytes of header and payload in one message, whichever function takes it.
    pub fn message_limit(&self) -> usize {
        let limit = |bit, limit: u32| if self.capabilities & bit != 0 { limit as usize } else { 0 };
        limit(BTL_SEND_IMMEDIATE, self.immediate_limit)
            .max(limit(BTL_SEND_PACKED, self.packed_limit))
    }

    /// Whether the limits fit each other, as protocol layers rely on.
    ///
    /// # Errors
    /// Which do not, with their values.
    pub fn check_limits(&self) -> Result<(), String> {
        let (message, eager) = (self.message_limit(), self.eager_limit);
        let needed = eager.saturating_add(BTL_HEADER_ROOM as u64);
        if needed > message as u64 {
            return Err(format!(
                "its eager_limit is {eager}, with {BTL_HEADER_ROOM} bytes for a header {needed}, but \
                 its longest message has {message} bytes"
            ));
        }
        if self.key_size as usize > BTL_MAX_KEY {
            let size = self.key_size;
            return Err(format!("its key_size is {size}; at most {BTL_MAX_KEY} are allowed"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(capabilities: u64, limits: [u32; 2], eager_limit: u64) -> BtlModule {
        let [immediate_limit, packed_limit] = limits;
        BtlModule {
            capabilities,
            immediate_limit,
            packed_limit,
            eager_limit,
            ..BtlModule::named(c"device")
        }
    }

    #[test]
    fn an_eager_message_leaves_room_for_a_header() {
        const ROOM: u32 = BTL_HEADER_ROOM as u32;
        let both = BTL_SEND_IMMEDIATE | BTL_SEND_PACKED;
        for (capabilities, limits, eager) in [
            (BTL_SEND_IMMEDIATE, [ROOM, 0], 0),
            (BTL_SEND_PACKED, [0, ROOM], 0),
            (BTL_SEND_PACKED, [0, 4096], 4096 - u64::from(ROOM)),
            (both, [8, 4096], 4096 - u64::from(ROOM)),
            (both, [4096, 8], 4096 - u64::from(ROOM)),
        ] {
            assert_eq!(device(capabilities, limits, eager).check_limits(), Ok(()));
            let refused = device(capabilities, limits, eager + 1).check_limits().unwrap_err();
            let longest = limits[0].max(limits[1]);
            assert!(refused.contains(&format!("eager_limit is {}", eager + 1)), "{refused}");
            assert!(refused.contains(&format!("{longest} bytes")), "{refused}");
        }
        // What a function takes that the device lacks does not count.
        assert!(device(BTL_SEND_IMMEDIATE, [ROOM - 1, 4096], 0).check_limits().is_err());
        assert!(device(both, [4096, 4096], u64::MAX).check_limits().is_err());
    }

    #[test]
    fn keys_are_no_longer_than_allowed() {
        let mut device = device(BTL_SEND_IMMEDIATE, [4096, 0], 0);
        device.key_size = BTL_MAX_KEY as u32;
        assert_eq!(device.check_limits(), Ok(()));
        device.key_size += 1;
        let refused = device.check_limits().unwrap_err();
        assert!(refused.contains("129") && refused.contains("128"), "{refused}");
    }
}
