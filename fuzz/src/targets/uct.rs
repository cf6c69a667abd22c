//! What `btl_uct` reads of peers: cards, and the heads and greetings of messages.

use btl_uct::card::{Card, CardDevice, CardInterface};
use cairn_framework::abi::job::Job;
use cairn_framework::mock::MockHost;
use cairn_segment::IDENTITY;
use cairn_transport::{Admission, Admitted, Head};

fn admission(rank: u32) -> Admission {
    let job = Job { rank, size: 4, secret: [5; 16], ..*MockHost::leak("btl_uct").handle().job() };
    Admission::new(&job, "uct/posix").expect("a small job")
}

pub fn run(bytes: &[u8]) {
    if let Ok(card) = Card::parse(bytes) {
        assert!(card.devices.iter().all(|one| one.messages.addresses.len() == card.cris as usize));
    }
    let own = admission(0);
    let Some((head, rest)) = bytes.split_first_chunk() else { return };
    match own.admit(Head(u64::from_ne_bytes(*head)), rest) {
        Admitted::Refused => {}
        // Nobody else has the proof.
        Admitted::Greeting(rank) => assert_eq!(admission(rank).pass(0).greeting().1, *rest),
        other => panic!("{other:?} before a greeting"),
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let interface = |name: &str| CardInterface {
        transport: name.into(),
        device: vec![1; 8],
        addresses: vec![vec![2; 10], vec![3; 10]],
    };
    let doors = vec![vec!["10.1.0.2:7".parse().expect("an address")], vec![]];
    let device = CardDevice { messages: interface("posix"), bulk: interface("cma"), doors };
    let card = Card { cris: 2, owner: [7; IDENTITY], devices: vec![device.clone(), device] };
    let (head, proof) = admission(2).pass(0).greeting();
    vec![
        card.encode().expect("short addresses"),
        [&head.0.to_ne_bytes()[..], &proof].concat(),
        [&admission(2).pass(0).head(9).0.to_ne_bytes()[..], b"message"].concat(),
    ]
}
