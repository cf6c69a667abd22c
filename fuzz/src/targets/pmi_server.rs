//! mpirun's server of PMI-1 reads what ranks ask.

use cairn_launcher::pmi::{Event, MAX_LINE, Server};

const RANKS: u32 = 3;

/// Lines, each with the rank in its first byte; one without anything behind that is the rank's end.
pub fn run(data: &[u8]) {
    let mut server = Server::new("job", (0..RANKS).map(|rank| rank % 2));
    for line in data.split(|byte| *byte == b'\n') {
        let Some((rank, line)) = line.split_first() else { continue };
        let rank = u32::from(*rank) % RANKS;
        if line.is_empty() {
            server.ended(rank);
            continue;
        }
        for event in server.line(rank, &line[..line.len().min(MAX_LINE)]) {
            match event {
                Event::Reply(to, text) => {
                    assert!(to < RANKS && text.starts_with("cmd="));
                    assert_eq!(text.find('\n'), Some(text.len() - 1), "{text:?} is one line");
                }
                Event::Violation { rank: of, what } => {
                    assert!(of == rank && !what.contains(char::is_control));
                }
                Event::Abort { rank: of, .. } => assert_eq!(of, rank),
                _ => {}
            }
        }
        server.stage(rank);
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let lines = [
        "0cmd=init pmi_version=1 pmi_subversion=1\n1cmd=init pmi_version=1\n0cmd=get_maxes\n\
         0cmd=get_my_kvsname\n0cmd=put kvsname=job key=a value=1=2\n1cmd=get kvsname=job key=a\n\
         2cmd=get key=PMI_process_mapping\n0cmd=barrier_in\n1cmd=barrier_in\n2cmd=barrier_in\n\
         1cmd=finalize process=7\n1cmd=init pmi_version=1 process=7\n",
        "0cmd=publish_name service=s port=p\n1cmd=lookup_name service=s\n\
         0cmd=unpublish_name service=s\n0cmd=abort exitcode=3 message=it is over\n",
        "0mcmd=spawn\n0nprocs=1\n0totspawns=2\n0spawnssofar=1\n0endcmd\n0mcmd=spawn\n\
         0spawnssofar=2\n0endcmd\n0cmd=get_appnum\n0cmd=barrier_in\n1\n2cmd=nothing\n",
    ];
    lines.map(|text| text.as_bytes().to_vec()).into()
}
