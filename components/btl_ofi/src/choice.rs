//! Which provider and which of its domains are used.
//!
//! A provider must have connectionless endpoints that deliver reliably and take messages in order. Puts, gets and
//! atomics are used where it has them.

use std::ffi::{CStr, c_char, c_int};

use cairn_framework::author::Failure;
use cairn_transport::Filter;

use crate::bindings::*;
use crate::fabric::Info;
use crate::library::Library;

/// What kind of provider it is, as far as that says how fast it is and whom it reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reaches processes of its node.
    SharedMemory,
    /// Through the kernel's sockets.
    Kernel,
    /// A network's own.
    Network,
}

impl Kind {
    fn of(provider: &str) -> Self {
        match provider.split(';').next() {
            Some("shm") => Self::SharedMemory,
            Some("tcp" | "net" | "udp" | "sockets") => Self::Kernel,
            _ => Self::Network,
        }
    }
}

/// Not used unless they are named: of 1.17, net (both ways) shows operations that never end and was given up
/// soon after, sockets is kept for tests and is slow, udp;ofi_rxd is in its beginnings.
const BY_NAME_ONLY: [&str; 4] = ["net", "net;ofi_rxm", "sockets", "udp;ofi_rxd"];
/// Their atomics are shown, and end in nothing or in a signal.
const NO_ATOMICS: [&str; 3] = ["net", "net;ofi_rxm", "udp;ofi_rxd"];

/// Most addresses that an endpoint of shm knows, those that it inserts and those of peers that come to it; beyond
/// it does not check its table. Of all releases so far (SMR_MAX_PEERS).
pub const MOST_OF_SHM: usize = 256;

/// Capabilities that are asked for: the most first.
const WANTED: [u32; 3] = [FI_MSG | FI_RMA | FI_ATOMIC, FI_MSG | FI_RMA, FI_MSG];

/// What is used.
pub struct Choice {
    pub info: Info,
    pub provider: String,
    pub domain: String,
    pub kind: Kind,
    /// Addresses lead to this node only.
    pub loopback: bool,
}

/// What the job wants of it.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    /// All processes are on this node.
    pub one_node: bool,
    /// The component is asked for by its name.
    pub named: bool,
    /// Endpoints of the processes of this node.
    pub endpoints: usize,
}

impl Choice {
    /// The provider and domain to use.
    ///
    /// # Errors
    /// When nothing fits, or what a user names is not there.
    pub fn make(
        library: &'static Library,
        providers: &Filter,
        devices: &Filter,
        need: Need,
    ) -> Result<Self, Failure> {
        let all = ask(library, None, FI_MSG).map_err(|error| {
            let why = library.explain(error);
            Failure::unavailable(format!("libfabric has no provider that fits: {why}"))
        })?;
        let mut there: Vec<String> = Vec::new();
        for entry in all.entries() {
            let name = provider_of(entry);
            if !there.contains(&name) {
                there.push(name);
            }
        }
        let names: Vec<&str> = there.iter().map(String::as_str).collect();
        let unknown = providers.unknown(&names);
        if !unknown.is_empty() {
            let (unknown, names) = (unknown.join(", "), names.join(", "));
            return Err(Failure::unavailable(format!(
                "btl_ofi_providers: {unknown} is not there, or does not fit; here are {names}"
            )));
        }
        let mut refused = Vec::new();
        for name in wanted(&names, providers, need) {
            match Self::of(library, name, devices, need) {
                Ok(choice) => return Ok(choice),
                Err(failure) => refused.push(format!("{name}: {failure}")),
            }
        }
        let why = if refused.is_empty() {
            format!("there are {}", names.join(", "))
        } else {
            refused.join("; ")
        };
        Err(Failure::unavailable(format!("no provider of libfabric is to be used: {why}")))
    }

    /// What the provider wants of registrations.
    pub fn mr_mode(&self) -> u32 {
        // SAFETY: what was chosen has attributes.
        unsafe { (*self.info.get().domain_attr).mr_mode as u32 }
    }

    /// How many registrations are worth keeping. Where memory need not be there, registering it is only writing
    /// it down.
    pub fn kept_registrations(&self) -> usize {
        if self.mr_mode() & FI_MR_ALLOCATED != 0 { 1024 } else { 0 }
    }

    /// Most bytes of a message.
    pub fn message_limit(&self) -> usize {
        // SAFETY: what was chosen has attributes.
        unsafe { (*self.info.get().ep_attr).max_msg_size }
    }

    /// Most bytes of a put or get.
    pub fn transfer_limit(&self) -> usize {
        // A provider that has no limit may count in signed numbers.
        self.message_limit().min(1 << 40)
    }

    /// Whether a peer's address has the form that the provider takes, so that it reads no further.
    pub fn takes_address(&self, address: &[u8]) -> bool {
        let own = self.info.get();
        if own.addr_format == FI_ADDR_STR {
            return address.last() == Some(&0);
        }
        own.src_addrlen == 0 || own.src_addrlen == address.len()
    }

    fn of(
        library: &'static Library,
        provider: &str,
        devices: &Filter,
        need: Need,
    ) -> Result<Self, Failure> {
        // Atomics of all CRIs go to a peer's first one.
        if Kind::of(provider) == Kind::SharedMemory && need.endpoints > MOST_OF_SHM {
            return Err(Failure::unavailable(format!(
                "it reaches {MOST_OF_SHM} endpoints, and the processes of this node have {}; \
                 btl_ofi_num_cris says how many each has",
                need.endpoints
            )));
        }
        let mut answer = Err(libc::ENODATA);
        for caps in WANTED {
            if caps & FI_ATOMIC != 0 && NO_ATOMICS.contains(&provider) {
                continue;
            }
            answer = ask(library, Some(provider), caps);
            if answer.is_ok() {
                break;
            }
        }
        let list = answer.map_err(|error| Failure::unavailable(library.explain(error)))?;
        let entries: Vec<&fi_info> =
            list.entries().filter(|entry| provider_of(entry) == provider).collect();
        let domains: Vec<String> = entries.iter().map(|entry| domain_of(entry)).collect();
        let there: Vec<&str> = domains.iter().map(String::as_str).collect();
        let unknown = devices.unknown(&there);
        if !unknown.is_empty() {
            let mut there = there;
            there.dedup();
            let (unknown, there) = (unknown.join(", "), there.join(", "));
            return Err(Failure::unavailable(format!(
                "btl_ofi_devices: there is no {unknown}; here are {there}"
            )));
        }
        let rank = |at: usize| {
            let listed = devices.included().position(|one| one == there[at]);
            // What leads to this node only is best when all are there.
            (listed, is_loopback(entries[at]) != need.one_node)
        };
        let mut places: Vec<usize> =
            (0..entries.len()).filter(|at| devices.takes(&[there[*at]])).collect();
        places.sort_by_key(|at| rank(*at));
        if !need.one_node && !devices.includes() {
            places.retain(|at| !is_loopback(entries[*at]));
        }
        let place = *places.first().ok_or_else(|| {
            Failure::unavailable(format!("none of {} is to be used", there.join(", ")))
        })?;
        let info = list
            .only(entries[place])
            .map_err(|error| Failure::unavailable(library.explain(error)))?;
        Ok(Self {
            provider: provider.into(),
            domain: domains[place].clone(),
            kind: Kind::of(provider),
            loopback: is_loopback(entries[place]),
            info,
        })
    }
}

/// The providers that may be used, best first.
fn wanted<'a>(there: &[&'a str], providers: &'a Filter, need: Need) -> Vec<&'a str> {
    if providers.includes() {
        return providers.included().collect();
    }
    let mut names: Vec<&str> =
        there.iter().copied().filter(|name| providers.takes(&[*name])).collect();
    names.retain(|name| !BY_NAME_ONLY.contains(name));
    if need.one_node {
        // Stable: the others stay in libfabric's order.
        names.sort_by_key(|name| Kind::of(name) != Kind::SharedMemory);
    } else {
        names.retain(|name| Kind::of(name) != Kind::SharedMemory);
    }
    if !need.named {
        // Messages through the kernel's sockets go without a library in between where nobody asks for it.
        names.retain(|name| Kind::of(name) != Kind::Kernel);
    }
    names
}

/// Asks for what fits, of all providers or of one.
fn ask(library: &'static Library, provider: Option<&str>, caps: u32) -> Result<Info, c_int> {
    let mut hints = Info::empty(library)?;
    let to = hints.get_mut();
    to.caps = caps.into();
    // Operations have room for what providers keep with them.
    to.mode = FI_CONTEXT | FI_CONTEXT2;
    // SAFETY: an empty one has all attributes; the string is freed with it.
    unsafe {
        (*to.ep_attr).type_ = FI_EP_RDM;
        let domain = &mut *to.domain_attr;
        domain.threading = FI_THREAD_SAFE;
        // All CRIs are polled anyway; threads of a provider would take the processors.
        domain.control_progress = FI_PROGRESS_MANUAL;
        domain.data_progress = FI_PROGRESS_MANUAL;
        domain.resource_mgmt = FI_RM_ENABLED;
        domain.mr_mode =
            (FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT)
                as c_int;
        (*to.tx_attr).msg_order = FI_ORDER_SAS.into();
        (*to.rx_attr).msg_order = FI_ORDER_SAS.into();
        if let Some(provider) = provider {
            let name = cairn_framework::text::to_c(provider);
            (*to.fabric_attr).prov_name = libc::strdup(name.as_ptr());
        }
    }
    Info::find(&hints)
}

fn provider_of(entry: &fi_info) -> String {
    // SAFETY: the library's entries have attributes with names.
    unsafe { entry.fabric_attr.as_ref().map_or_else(String::new, |attr| text(attr.prov_name)) }
}

fn domain_of(entry: &fi_info) -> String {
    // SAFETY: as above.
    unsafe { entry.domain_attr.as_ref().map_or_else(String::new, |attr| text(attr.name)) }
}

/// # Safety
/// It is null or a string.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Whether an entry's address is one that leads to the own node only.
fn is_loopback(entry: &fi_info) -> bool {
    let is_socket = matches!(entry.addr_format, FI_SOCKADDR | FI_SOCKADDR_IN | FI_SOCKADDR_IN6);
    if !is_socket || entry.src_addr.is_null() || entry.src_addrlen < size_of::<libc::sockaddr>() {
        return false;
    }
    // SAFETY: the address has the length that it says.
    unsafe {
        match c_int::from((*entry.src_addr.cast::<libc::sockaddr>()).sa_family) {
            libc::AF_INET => {
                let address = entry.src_addr.cast::<libc::sockaddr_in>().read_unaligned();
                address.sin_addr.s_addr.to_ne_bytes()[0] == 127
            }
            libc::AF_INET6 if entry.src_addrlen >= size_of::<libc::sockaddr_in6>() => {
                let address = entry.src_addr.cast::<libc::sockaddr_in6>().read_unaligned();
                std::net::Ipv6Addr::from(address.sin6_addr.s6_addr).is_loopback()
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THERE: [&str; 7] =
        ["verbs;ofi_rxm", "tcp;ofi_rxm", "net", "sockets", "shm", "udp;ofi_rxd", "psm3"];

    fn chosen(list: &[&'static str], one_node: bool, named: bool) -> Vec<String> {
        let filter = Filter::new(list.iter().copied());
        let names = wanted(&THERE, &filter, Need { one_node, named, endpoints: 2 });
        names.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn without_a_list_the_best_come_first() {
        assert_eq!(chosen(&[], true, true), ["shm", "verbs;ofi_rxm", "tcp;ofi_rxm", "psm3"]);
        assert_eq!(chosen(&[], false, true), ["verbs;ofi_rxm", "tcp;ofi_rxm", "psm3"]);
        assert_eq!(chosen(&[], false, false), ["verbs;ofi_rxm", "psm3"]);
    }

    #[test]
    fn a_list_says_what_and_in_which_order() {
        assert_eq!(chosen(&["sockets", "shm"], true, true), ["sockets", "shm"]);
        assert_eq!(chosen(&["^verbs;ofi_rxm", "psm3"], false, true), ["tcp;ofi_rxm"]);
    }
}
