//! A transport between the systems of one process, for tests. It keeps its contract, and does
//! everything the contract allows it to do to its users: it refuses, reorders, completes late.

use std::collections::{HashMap, VecDeque};
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{
    ERR_ARGUMENT, ERR_PEER, ERR_RESOURCES, ERR_UNSUPPORTED, OK, Status,
};
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Outcome, Registrar};
use cairn_framework::frameworks::btl::{
    BTL_GET, BTL_IN_ORDER, BTL_NEEDS_REGISTRATION, BTL_PUT, BTL_SEND_IMMEDIATE, BTL_SEND_PACKED,
    Btl, BtlMessage, BtlModule, BtlPacked, BtlTransfer, Completion, Device, DeviceBox, OwnCri, Way,
};

/// How the transport of a job behaves.
#[derive(Debug, Clone)]
pub struct Behaviour {
    /// Begins the row of chances.
    pub seed: u64,
    /// Messages may overtake each other.
    pub reorders: bool,
    /// Of a hundred operations, so many find no room.
    pub refuses: u64,
    /// Of a hundred messages over the first instance of the first device, so many can't be sent.
    pub fails: u64,
    /// Of a hundred puts and gets, so many fail, at once or later.
    pub rdma_fails: u64,
    /// Messages to one peer that are not taken yet, at most.
    pub room: usize,
    pub capabilities: u64,
    pub immediate_limit: u32,
    pub packed_limit: u32,
    pub eager_limit: u64,
    pub push_limit: u64,
    pub push_limit_recent: u64,
    /// Most bytes of a put or get.
    pub rdma_limit: u64,
    pub get_alignment: u32,
    /// Of a hundred puts and gets, so many are finished later.
    pub late: u64,
    /// Bandwidth of each device.
    pub devices: Vec<u32>,
    pub cris: u32,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            seed: 1,
            reorders: false,
            refuses: 0,
            fails: 0,
            rdma_fails: 0,
            room: 1 << 20,
            capabilities: BTL_SEND_IMMEDIATE | BTL_SEND_PACKED,
            immediate_limit: 256,
            packed_limit: 8192,
            eager_limit: 4096,
            push_limit: 0,
            push_limit_recent: 0,
            rdma_limit: 10_000,
            get_alignment: 1,
            late: 50,
            devices: vec![1000],
            cris: 1,
        }
    }
}

/// What the transports of a job share.
pub struct Fabric {
    pub behaviour: Behaviour,
    chance: AtomicU64,
    /// By receiver, device and instance.
    boxes: Mutex<HashMap<(u32, usize, u32), VecDeque<Packet>>>,
    /// What is registered, by number: whose, where, how long, for what.
    regions: Mutex<HashMap<u64, (u32, u64, usize, u32)>>,
    /// Ranks that are gone.
    dead: Mutex<Vec<u32>>,
    /// What was sent by each device.
    pub bytes: Vec<AtomicU64>,
    /// Ranks to which nothing finds room.
    full: Mutex<Vec<u32>>,
    /// By rank: operations that are to be finished later.
    late: Mutex<HashMap<u32, usize>>,
    /// Devices and instances of them that can't send, and how often they will not.
    broken: Mutex<HashMap<(usize, u32), u64>>,
    /// Most bytes of a message.
    limit: AtomicUsize,
}

/// Messages that are late.
pub struct Held(VecDeque<Packet>);

struct Packet {
    from: u32,
    tag: u8,
    /// Eight-byte words, for the alignment.
    data: Vec<u64>,
    len: usize,
}

static FABRICS: LazyLock<Mutex<HashMap<String, Arc<Fabric>>>> = LazyLock::new(Mutex::default);

impl Fabric {
    /// Prepares for a job with this name.
    pub fn new(job: &str, behaviour: Behaviour) -> Arc<Self> {
        let fabric = Arc::new(Self {
            chance: AtomicU64::new(behaviour.seed),
            bytes: behaviour.devices.iter().map(|_| AtomicU64::new(0)).collect(),
            behaviour,
            boxes: Mutex::default(),
            regions: Mutex::default(),
            dead: Mutex::default(),
            full: Mutex::default(),
            late: Mutex::default(),
            broken: Mutex::default(),
            limit: usize::MAX.into(),
        });
        FABRICS.lock().unwrap().insert(job.into(), Arc::clone(&fabric));
        fabric
    }

    /// A number below `limit` (splitmix64).
    fn below(&self, limit: u64) -> u64 {
        let step = 0x9e37_79b9_7f4a_7c15;
        let mut z = self.chance.fetch_add(step, Ordering::Relaxed).wrapping_add(step);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    fn percent(&self, chance: u64) -> bool {
        chance > 0 && self.below(100) < chance
    }

    /// Regions that were not deregistered.
    pub fn registered(&self) -> usize {
        self.regions.lock().unwrap().len()
    }

    /// A rank is gone: a call that has to reach it is told.
    pub fn kill(&self, rank: u32) {
        self.dead.lock().unwrap().push(rank);
    }

    /// The next messages over an instance of a device can't be sent.
    pub fn break_sends(&self, device: usize, cri: u32, times: u64) {
        self.broken.lock().unwrap().insert((device, cri), times);
    }

    /// Longer messages are errors from here on.
    pub fn shorten(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
    }

    /// The first message on its way to a rank over the first device.
    pub fn peek(&self, to: u32) -> Option<Vec<u8>> {
        let boxes = self.boxes.lock().unwrap();
        let packet = boxes.get(&(to, 0, 0))?.front()?;
        // SAFETY: the words hold so many bytes.
        Some(
            unsafe { std::slice::from_raw_parts(packet.data.as_ptr().cast(), packet.len) }.to_vec(),
        )
    }

    /// Loses what is on its way to a rank.
    pub fn clear(&self, to: u32) {
        self.boxes.lock().unwrap().retain(|(rank, ..), _| *rank != to);
    }

    /// Takes what is on its way to a rank over the first device, to be given back later.
    pub fn hold(&self, to: u32) -> Held {
        let mut boxes = self.boxes.lock().unwrap();
        Held(std::mem::take(boxes.entry((to, 0, 0)).or_default()))
    }

    /// Whether nothing is on its way to a rank over the first device.
    pub fn is_empty(&self, to: u32) -> bool {
        self.boxes.lock().unwrap().get(&(to, 0, 0)).is_none_or(VecDeque::is_empty)
    }

    /// Gives it back: it arrives behind what was sent since.
    pub fn let_go(&self, to: u32, held: Held) {
        self.boxes.lock().unwrap().entry((to, 0, 0)).or_default().extend(held.0);
    }

    /// Whether a put, get or flush of a rank is to be finished later.
    pub fn is_late(&self, rank: u32) -> bool {
        self.late.lock().unwrap().get(&rank).is_some_and(|count| *count > 0)
    }

    /// Messages to a rank find no room any more.
    pub fn fill(&self, rank: u32) {
        self.full.lock().unwrap().push(rank);
    }

    /// They do again.
    pub fn unfill(&self, rank: u32) {
        self.full.lock().unwrap().retain(|full| *full != rank);
    }

    /// Puts any bytes into a rank's box, as a peer that breaks the protocol.
    pub fn forge(&self, from: u32, to: u32, tag: u8, bytes: &[u8]) {
        let mut data = vec![0u64; bytes.len().div_ceil(8) + 1];
        // SAFETY: the words have room for them.
        unsafe {
            data.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        let packet = Packet { from, tag, data, len: bytes.len() };
        self.boxes.lock().unwrap().entry((to, 0, 0)).or_default().push_back(packet);
    }
}

/// One device of one process.
pub struct Port {
    fabric: Arc<Fabric>,
    host: HostHandle,
    number: usize,
    rank: u32,
}

/// What is to be completed by an instance.
type Lates = Mutex<Vec<Late>>;
type Instance = OwnCri<Lates>;

/// A put, get or flush that is finished later.
struct Late {
    completion: Completion,
    copy: Option<(usize, usize, usize)>,
    status: Status,
}

struct Link {
    to: u32,
}

struct Pair {
    devices: Vec<DeviceBox<Self>>,
}

const KEY: usize = 16;

impl Component for Pair {
    type Params = ();

    fn register(_: &Registrar<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn open(host: HostHandle, (): ()) -> Result<Self, Failure> {
        let job = host.job();
        // SAFETY: the job's name is a string that stays.
        let name = unsafe { CStr::from_ptr(job.id) }.to_str().unwrap();
        let fabric = FABRICS.lock().unwrap().get(name).cloned();
        let fabric = fabric.ok_or_else(|| Failure::unavailable("no fabric for this job"))?;
        let mut devices = Vec::new();
        for number in 0..fabric.behaviour.devices.len() {
            devices.push(device(host, Arc::clone(&fabric), number, job.rank)?);
        }
        Ok(Self { devices })
    }

    fn query(&self, _: &Scope) -> Answer {
        Answer::Priority(50)
    }
}

fn device(
    host: HostHandle,
    fabric: Arc<Fabric>,
    number: usize,
    rank: u32,
) -> Result<DeviceBox<Pair>, Failure> {
    let behaviour = fabric.behaviour.clone();
    let order = if behaviour.reorders || behaviour.cris > 1 { 0 } else { BTL_IN_ORDER };
    let limit = |bit, limit: u64| if behaviour.capabilities & bit == 0 { 0 } else { limit };
    let view = BtlModule {
        exclusivity: 1,
        capabilities: behaviour.capabilities | order,
        immediate_limit: limit(BTL_SEND_IMMEDIATE, behaviour.immediate_limit.into()) as u32,
        packed_limit: limit(BTL_SEND_PACKED, behaviour.packed_limit.into()) as u32,
        key_size: KEY as u32,
        eager_limit: behaviour.eager_limit,
        push_limit: behaviour.push_limit,
        push_limit_recent: behaviour.push_limit_recent,
        put_limit: limit(BTL_PUT, behaviour.rdma_limit),
        get_limit: limit(BTL_GET, behaviour.rdma_limit),
        get_alignment: behaviour.get_alignment,
        latency: 100 + number as u32,
        bandwidth: behaviour.devices[number],
        ..BtlModule::named(c"pair")
    };
    let port = Port { fabric, host, number, rank };
    DeviceBox::new(host, view, port, (0..behaviour.cris).map(|_| Mutex::default()))
}

impl Port {
    fn complete(&self, cri: &Instance) -> u32 {
        let mut list = cri.lock().unwrap();
        let due: Vec<Late> =
            if self.fabric.percent(50) { std::mem::take(&mut list) } else { vec![] };
        drop(list);
        let count = due.len() as u32;
        for Late { completion, copy, status } in due {
            copy.into_iter().for_each(move_bytes);
            completion.call(status);
        }
        count
    }

    /// The next message for an instance.
    fn next(&self, cri: &Instance) -> Option<Packet> {
        let mut boxes = self.fabric.boxes.lock().unwrap();
        let mine = boxes.get_mut(&(self.rank, self.number, cri.head().index))?;
        let place = match mine.len() {
            0 => return None,
            len if self.fabric.behaviour.reorders => self.fabric.below(len as u64) as usize,
            _ => 0,
        };
        mine.remove(place)
    }

    fn refuses(&self, &Link { to }: &Link, cri: &Instance) -> Result<Option<u32>, Failure> {
        if self.fabric.dead.lock().unwrap().contains(&to) {
            return Err(Failure::new(ERR_PEER, format!("rank {to} is gone")));
        }
        let full = self.fabric.full.lock().unwrap().contains(&to);
        if full || self.fabric.percent(self.fabric.behaviour.refuses) {
            return Ok(None);
        }
        let boxes = self.fabric.boxes.lock().unwrap();
        let waiting = boxes.get(&(to, self.number, cri.head().index)).map_or(0, VecDeque::len);
        Ok((waiting < self.fabric.behaviour.room).then_some(to))
    }

    /// Why a message of so many bytes can't be sent, if so.
    fn fails(&self, cri: &Instance, len: usize) -> Result<(), Failure> {
        if len > self.fabric.limit.load(Ordering::Relaxed) {
            return Err(Failure::new(ERR_RESOURCES, "this is too long now"));
        }
        let mut broken = self.fabric.broken.lock().unwrap();
        let left = broken.get_mut(&(self.number, cri.head().index)).filter(|left| **left > 0);
        let broken = left.map(|left| *left -= 1).is_some();
        let first = self.number == 0 && cri.index() == 0;
        if broken || first && self.fabric.percent(self.fabric.behaviour.fails) {
            return Err(Failure::new(ERR_RESOURCES, "this can't be sent"));
        }
        Ok(())
    }

    fn send(&self, to: u32, cri: &Instance, tag: u8, len: usize, fill: impl FnOnce(*mut u8)) {
        let mut data = vec![0u64; len.div_ceil(8) + 1];
        fill(data.as_mut_ptr().cast());
        self.fabric.bytes[self.number].fetch_add(len as u64, Ordering::Relaxed);
        let packet = Packet { from: self.rank, tag, data, len };
        let mut boxes = self.fabric.boxes.lock().unwrap();
        boxes.entry((to, self.number, cri.head().index)).or_default().push_back(packet);
    }

    /// Whether a key, or a registration, allows this.
    fn check(&self, region: *mut c_void, rank: u32, address: u64, len: usize) {
        if self.fabric.behaviour.capabilities & BTL_NEEDS_REGISTRATION == 0 {
            assert!(region.is_null(), "a registration where none is needed");
            return;
        }
        let regions = self.fabric.regions.lock().unwrap();
        let (owner, start, length, access) = regions[&(region.addr() as u64)];
        assert_eq!(owner, rank, "another rank's memory");
        assert!(access != 0);
        let end = start + length as u64;
        assert!(
            address >= start && address + len as u64 <= end,
            "outside of the registered memory"
        );
    }

    fn transfer(
        &self,
        cri: &Instance,
        endpoint: &Link,
        transfer: &BtlTransfer,
        completion: Completion,
        put: bool,
    ) -> Result<Outcome, Failure> {
        assert!(transfer.len > 0 && transfer.len as u64 <= self.fabric.behaviour.rdma_limit);
        let Some(to) = self.refuses(endpoint, cri)? else { return Ok(Outcome::NoResources) };
        self.check(transfer.key, to, transfer.remote, transfer.len);
        self.check(transfer.registration, self.rank, transfer.local.addr() as u64, transfer.len);
        let (local, remote) = (transfer.local.expose_provenance(), transfer.remote as usize);
        let alignment = self.fabric.behaviour.get_alignment as usize;
        if !put {
            assert!([local, remote, transfer.len].iter().all(|n| n.is_multiple_of(alignment)));
        }
        let copy = if put { (local, remote, transfer.len) } else { (remote, local, transfer.len) };
        if self.fabric.percent(self.fabric.behaviour.rdma_fails) {
            if self.fabric.percent(50) {
                return Err(Failure::new(ERR_UNSUPPORTED, "not to this peer"));
            }
            let late = Late { completion, copy: None, status: ERR_UNSUPPORTED };
            cri.lock().unwrap().push(late);
            return Ok(Outcome::Queued);
        }
        if self.fabric.percent(self.fabric.behaviour.late) {
            let late = Late { completion, copy: Some(copy), status: OK };
            cri.lock().unwrap().push(late);
            *self.fabric.late.lock().unwrap().entry(self.rank).or_default() += 1;
            return Ok(Outcome::Queued);
        }
        move_bytes(copy);
        Ok(Outcome::Done)
    }
}

fn move_bytes((from, to, len): (usize, usize, usize)) {
    // SAFETY: both are memory of this process that the protocol vouches for.
    unsafe {
        let from: *const u8 = std::ptr::with_exposed_provenance(from);
        let to: *mut u8 = std::ptr::with_exposed_provenance_mut(to);
        to.copy_from_nonoverlapping(from, len);
    }
}

impl Btl for Pair {
    type State = Port;
    type Cri = Lates;
    type Endpoint = Link;

    fn devices(&self) -> &[DeviceBox<Self>] {
        &self.devices
    }

    fn add_peer(_: &Device<Self>, peer: &Peer) -> Result<Option<Arc<Link>>, Failure> {
        Ok(Some(Arc::new(Link { to: peer.rank })))
    }

    fn progress(port: &Device<Self>, cri: &Instance) -> u32 {
        let mut count = port.complete(cri);
        for _ in 0..4 {
            let Some(packet) = port.next(cri) else { break };
            // SAFETY: the words hold so many bytes.
            let bytes =
                unsafe { std::slice::from_raw_parts(packet.data.as_ptr().cast(), packet.len) };
            port.deliver(cri, None, packet.tag, bytes);
            count += 1;
        }
        count
    }

    fn message_limit(port: &Device<Self>, _: &Link) -> usize {
        port.fabric.limit.load(Ordering::Relaxed)
    }

    unsafe fn send_immediate(
        Way { device: port, cri, endpoint }: Way<'_, Self>,
        message: &BtlMessage,
    ) -> Result<Outcome, Failure> {
        let (header, payload) = (message.header_len as usize, message.payload_len as usize);
        assert!(header + payload <= port.fabric.behaviour.immediate_limit as usize);
        assert!(port.fabric.behaviour.capabilities & BTL_SEND_IMMEDIATE != 0);
        let Some(to) = port.refuses(endpoint, cri)? else { return Ok(Outcome::NoResources) };
        port.fails(cri, header + payload)?;
        port.send(to, cri, message.tag, header + payload, |data| {
            // SAFETY: the caller's lengths hold, and there is room for both.
            unsafe {
                data.copy_from_nonoverlapping(message.header.cast(), header);
                if payload > 0 {
                    data.add(header).copy_from_nonoverlapping(message.payload.cast(), payload);
                }
            }
        });
        Ok(Outcome::Done)
    }

    unsafe fn send_packed(
        Way { device: port, cri, endpoint }: Way<'_, Self>,
        message: &BtlPacked,
    ) -> Result<Outcome, Failure> {
        let (header, payload) = (message.header_len as usize, message.payload_len as usize);
        assert!(header + payload <= port.fabric.behaviour.packed_limit as usize);
        assert!(port.fabric.behaviour.capabilities & BTL_SEND_PACKED != 0);
        let Some(to) = port.refuses(endpoint, cri)? else { return Ok(Outcome::NoResources) };
        port.fails(cri, header + payload)?;
        port.send(to, cri, message.tag, header + payload, |data| {
            // SAFETY: as above.
            unsafe {
                data.copy_from_nonoverlapping(message.header.cast(), header);
                let to = data.add(header).cast();
                assert_eq!(message.pack.unwrap()(message.context, to, payload), payload);
            }
        });
        Ok(Outcome::Done)
    }

    unsafe fn put(
        Way { device: port, cri, endpoint }: Way<'_, Self>,
        transfer: &BtlTransfer,
        completion: Completion,
    ) -> Result<Outcome, Failure> {
        assert!(port.fabric.behaviour.capabilities & BTL_PUT != 0);
        port.transfer(cri, endpoint, transfer, completion, true)
    }

    unsafe fn get(
        Way { device: port, cri, endpoint }: Way<'_, Self>,
        transfer: &BtlTransfer,
        completion: Completion,
    ) -> Result<Outcome, Failure> {
        assert!(port.fabric.behaviour.capabilities & BTL_GET != 0);
        port.transfer(cri, endpoint, transfer, completion, false)
    }

    fn flush(
        port: &Device<Self>,
        cri: &Instance,
        endpoint: Option<&Link>,
        completion: Completion,
    ) -> Result<Outcome, Failure> {
        if port.refuses(endpoint.expect("one peer"), cri)?.is_none() {
            return Ok(Outcome::NoResources);
        }
        let mut late = cri.lock().unwrap();
        if late.is_empty() {
            return Ok(Outcome::Done);
        }
        late.push(Late { completion, copy: None, status: OK });
        Ok(Outcome::Queued)
    }

    unsafe fn register_memory(
        port: &Device<Self>,
        address: *mut c_void,
        len: usize,
        access: u32,
    ) -> Result<*mut c_void, Failure> {
        if port.fabric.percent(port.fabric.behaviour.refuses / 4) {
            return Err(Failure::new(ERR_ARGUMENT, "not this memory"));
        }
        let mut regions = port.fabric.regions.lock().unwrap();
        let number = loop {
            let number = port.fabric.below(1 << 40) + 1;
            if !regions.contains_key(&number) {
                break number;
            }
        };
        regions.insert(number, (port.rank, address.expose_provenance() as u64, len, access));
        Ok(std::ptr::without_provenance_mut(number as usize))
    }

    unsafe fn deregister_memory(port: &Device<Self>, registration: *mut c_void) {
        let mut regions = port.fabric.regions.lock().unwrap();
        assert!(regions.remove(&(registration.addr() as u64)).is_some(), "deregistered twice");
    }

    unsafe fn pack_key(
        _: &Device<Self>,
        registration: *mut c_void,
        key: &mut [u8],
    ) -> Result<(), Failure> {
        key[..8].copy_from_slice(&(registration.addr() as u64).to_le_bytes());
        key[8..].fill(0x5a);
        Ok(())
    }

    fn unpack_key(_: &Device<Self>, _: &Link, packed: &[u8]) -> Result<*mut c_void, Failure> {
        if packed.len() != KEY || packed[8..].iter().any(|byte| *byte != 0x5a) {
            return Err(Failure::new(ERR_ARGUMENT, "this is no key"));
        }
        let number = u64::from_le_bytes(packed[..8].try_into().unwrap());
        Ok(std::ptr::without_provenance_mut(number as usize))
    }
}

cairn_framework::component! {
    framework: btl,
    component: Pair,
    name: "pair",
    description: "between the systems of one process",
}
