//! A process of a job reads what its process manager answers.

use std::io::Write;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use pmi_pmi1::connection::Connection;
use pmi_pmi1::mapping::Mapping;
use pmi_pmi1::value;

/// The most ranks of the job.
const RANKS: u32 = 1000;

/// One byte for the kind of server; the rest is what it sends, whatever it is asked.
pub fn run(data: &[u8]) {
    let Some((kind, answers)) = data.split_first() else { return };
    // What does not fit a socket would have to be written while it is read.
    let answers = &answers[..answers.len().min(64 << 10)];
    let (own, mut server) = UnixStream::pair().expect("sockets");
    server.set_write_timeout(Some(Duration::from_secs(5))).expect("an open socket");
    server.write_all(answers).expect("room in a socket");
    server.shutdown(Shutdown::Write).expect("an open socket");
    let mut connection = Connection::new(own.as_fd()).expect("a socket");
    let started = connection.start(1, (kind & 1 == 1).then_some("job"), kind & 2 == 2);
    if let Ok(facts) = started {
        if let Some(mapping) = facts.mapping.and_then(|text| Mapping::parse(&text, RANKS)) {
            assert!((0..RANKS).all(|rank| mapping.node_of(rank) < Some(mapping.nodes())));
        }
        assert!(connection.key_max() >= 31);
    }
    let _ = connection.put("0.0.key", "value");
    if let Ok(Some(first)) = connection.lookup_key("0.0.key") {
        let _ = value::assemble(&first, |piece| {
            let found = connection.lookup_key(&value::key(0, piece, "key", 63))?;
            found.ok_or_else(|| "no such piece".into())
        });
    }
    let _ = connection.enter_barrier();
    if let Ok(port) = connection.lookup("service") {
        let _ = value::unescape(&port);
    }
    let _ = connection.has_left_barrier();
    let _ = connection.finalize();
}

pub fn seeds() -> Vec<Vec<u8>> {
    let start = "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1";
    let own = " kvsname=job kvsname_max=256 keylen_max=64 vallen_max=1024 appnum=0 size=-1 \
               PMI_process_mapping=(vector,(0,2,500))\n";
    let others = "\ncmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=1024\n\
                  cmd=my_kvsname rc=0 kvsname=kvs\n\
                  cmd=get_result rc=0 value=(vector,[(0,3,1)]x2,0)\ncmd=appnum appnum=0\n\
                  cmd=universe_size rc=0 size=8\ncmd=put_result rc=0\n";
    let rest = "cmd=get_result rc=0 value=2.aGVs\ncmd=get_result rc=0 value=bG8\n\
                cmd=barrier_out rc=0\ncmd=lookup_result info=ok rc=0 port=a%20b\n\
                cmd=finalize_ack rc=0\n";
    let texts = [
        format!("\x01{start}{own}{rest}"),
        format!("\x00{start}{others}{rest}"),
        format!("\x03cmd=finalize_ack rc=0\n{start}{own}{rest}"),
    ];
    texts.map(String::into_bytes).into()
}
