//! What the launcher of a Cray gives to the processes of a job.

use cairn_framework::author::Failure;

use crate::bindings::GNI_RC_SUCCESS;
use crate::library::{Library, explain};

/// What a process needs to attach to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credentials {
    /// Protection tag and cookie, which the processes of a job share.
    pub tag: u8,
    pub cookie: u32,
    pub device: u32,
}

impl Credentials {
    /// Those of this process: of parameters, where these are not -1, otherwise of the environment as `variable`
    /// reads it.
    ///
    /// # Errors
    /// When there are none.
    pub fn find(
        [tag, cookie, device]: [i64; 3],
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Failure> {
        let number = |given: i64, name: &str, most: u32| match given {
            -1 => match variable(name) {
                None => Err(Failure::unavailable(format!(
                    "{name} is not set, which the launcher of a Cray sets"
                ))),
                Some(text) => text
                    .parse::<u32>()
                    .ok()
                    .filter(|number| *number <= most)
                    .ok_or_else(|| Failure::unavailable(format!("{name} is {text:?}"))),
            },
            given => Ok(given as u32),
        };
        let tag = number(tag, "PMI_GNI_PTAG", u8::MAX.into())? as u8;
        let cookie = number(cookie, "PMI_GNI_COOKIE", u32::MAX)?;
        let device = match device {
            -1 => list(&variable, "PMI_GNI_DEV_ID").first().copied().unwrap_or(0),
            device => device as u32,
        };
        Ok(Self { tag, cookie, device })
    }

    /// The address of the NIC: as the launcher says, or as the library does.
    ///
    /// # Errors
    /// When there is no such NIC.
    pub fn address(
        &self,
        library: &Library,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<u32, Failure> {
        if let Some(address) = self.launched(variable) {
            return Ok(address);
        }
        let (mut address, mut cpu) = (0, 0);
        // SAFETY: there is room for the answers.
        let asked =
            unsafe { library.GNI_CdmGetNicAddress(self.device, &raw mut address, &raw mut cpu) };
        match asked {
            GNI_RC_SUCCESS => Ok(address),
            error => {
                let (device, why) = (self.device, explain(error));
                Err(Failure::unavailable(format!("there is no device {device}: {why}")))
            }
        }
    }

    fn launched(&self, variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
        let at = list(&variable, "PMI_GNI_DEV_ID").iter().position(|one| *one == self.device)?;
        list(&variable, "PMI_GNI_LOC_ADDR").get(at).copied()
    }
}

/// Numbers with colons between.
fn list(variable: impl Fn(&str) -> Option<String>, name: &str) -> Vec<u32> {
    let text = variable(name).unwrap_or_default();
    text.split(':').map_while(|one| one.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [i64; 3] = [-1; 3];

    fn launcher(name: &str) -> Option<String> {
        let value = match name {
            "PMI_GNI_PTAG" => "17",
            "PMI_GNI_COOKIE" => "4000000000",
            "PMI_GNI_DEV_ID" => "1:0",
            "PMI_GNI_LOC_ADDR" => "300:200",
            _ => return None,
        };
        Some(value.into())
    }

    #[test]
    fn they_are_of_the_launcher_or_of_parameters() {
        let found = Credentials::find(NONE, launcher).unwrap();
        assert_eq!(found, Credentials { tag: 17, cookie: 4_000_000_000, device: 1 });
        assert_eq!(found.launched(launcher), Some(300));
        let found = Credentials::find([1, 2, 0], launcher).unwrap();
        assert_eq!(found, Credentials { tag: 1, cookie: 2, device: 0 });
        assert_eq!(found.launched(launcher), Some(200));
        assert_eq!(found.launched(|_| None), None);
        let other = Credentials { device: 7, ..found };
        assert_eq!(other.launched(launcher), None);
    }

    #[test]
    fn what_is_missing_or_no_number_is_said() {
        let failure = Credentials::find(NONE, |_| None).unwrap_err();
        assert!(failure.to_string().contains("PMI_GNI_PTAG is not set"), "{failure}");
        let failure = Credentials::find([1, -1, -1], |_| None).unwrap_err();
        assert!(failure.to_string().contains("PMI_GNI_COOKIE is not set"), "{failure}");
        for text in ["", "256", "-1", "x"] {
            assert!(Credentials::find([-1, 0, 0], |_| Some(text.into())).is_err(), "{text}");
        }
    }
}
