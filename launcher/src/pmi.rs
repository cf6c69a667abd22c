//! The server of PMI-1: what ranks ask, and what they are answered. Knows nothing of sockets.
//!
//! Lines are `cmd=NAME key=value key=value`. Our own library speaks it, and so do programs of MPICH
//! and Intel MPI.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, HashMap};

/// Longer lines are no requests.
pub const MAX_LINE: usize = 64 << 10;

/// Bytes, with the NUL, that names, keys and values may have. Clients have buffers of this length,
/// and 1024 for a line.
const MAXES: &str = "kvsname_max=256 keylen_max=64 vallen_max=1024";
/// The longest message of an abort that is passed on.
const MAX_MESSAGE: usize = 1000;

/// What a request leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A line for a rank, with its newline.
    Reply(u32, String),
    /// A rank wants the job to end.
    Abort {
        /// Which one.
        rank: u32,
        /// The exit status it wants.
        code: i32,
        /// What it says.
        message: String,
    },
    /// A rank sent what is no request.
    Violation {
        /// Which one.
        rank: u32,
        /// What it sent.
        what: String,
    },
    /// A rank waits for another that has ended.
    Stuck {
        /// The one that has ended.
        ended: u32,
        /// One that waits.
        waits: u32,
    },
    /// A rank wants to start processes, which is refused.
    SpawnRefused(u32),
}

/// How far a rank is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It has not said a word.
    Silent,
    /// It has joined.
    Joined,
    /// It has taken leave.
    Left,
}

#[derive(Debug, Clone)]
struct Client {
    stage: Stage,
    waits: bool,
    ended: bool,
    /// In the middle of a request of many lines: how many blocks it has, and which one this is.
    spawning: Option<[u32; 2]>,
    app: u32,
    /// Which process took leave, if it said so.
    process: Option<String>,
}

/// The server of a job.
#[derive(Debug)]
pub struct Server {
    name: String,
    clients: Vec<Client>,
    waiting: usize,
    values: HashMap<String, String>,
    services: BTreeMap<String, String>,
}

impl Server {
    /// For a job of this name, with a rank for each number of a program.
    pub fn new(name: &str, apps: impl IntoIterator<Item = u32>) -> Self {
        let client = |app| Client {
            stage: Stage::Silent,
            waits: false,
            ended: false,
            spawning: None,
            app,
            process: None,
        };
        let clients: Vec<Client> = apps.into_iter().map(client).collect();
        // All on one node.
        let mapping = format!("(vector,(0,1,{}))", clients.len());
        let values = [
            ("PMI_process_mapping", mapping),
            ("PMI_dead_processes", String::new()),
            ("universeSize", "-1".into()),
        ];
        Self {
            name: name.into(),
            clients,
            waiting: 0,
            values: values.map(|(key, value)| (key.to_owned(), value)).into(),
            services: BTreeMap::new(),
        }
    }

    /// How far a rank is.
    pub fn stage(&self, rank: u32) -> Stage {
        self.clients[rank as usize].stage
    }

    /// A rank has ended. Those that wait for it do so for ever.
    pub fn ended(&mut self, rank: u32) -> Option<Event> {
        let client = &mut self.clients[rank as usize];
        client.ended = true;
        if std::mem::take(&mut client.waits) {
            self.waiting -= 1;
        }
        self.stuck()
    }

    fn stuck(&self) -> Option<Event> {
        if self.waiting == 0 {
            return None;
        }
        let find = |is: fn(&Client) -> bool| self.clients.iter().position(is);
        let (ended, waits) = find(|client| client.ended).zip(find(|client| client.waits))?;
        Some(Event::Stuck { ended: ended as u32, waits: waits as u32 })
    }

    /// Handles a line that a rank sent, without its newline.
    pub fn line(&mut self, rank: u32, line: &[u8]) -> Vec<Event> {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches('\r');
        let client = &mut self.clients[rank as usize];
        if client.spawning.is_some() {
            return self.spawn_line(rank, line);
        }
        let fields = Fields(line);
        let Some(command) = fields.get("cmd") else {
            if fields.get("mcmd") == Some("spawn") {
                client.spawning = Some([1, 1]);
                return Vec::new();
            }
            return self.violation(rank, line);
        };
        if command == "abort" {
            let code = fields.get("exitcode").and_then(|code| code.parse().ok()).unwrap_or(1);
            // The message goes to the end of the line.
            let message = line.split_once("message=").map_or("", |(_, text)| text).trim();
            let message = message.chars().take(MAX_MESSAGE).collect();
            return vec![Event::Abort { rank, code, message }];
        }
        if command == "barrier_in" {
            return self.barrier(rank);
        }
        // A client that asks for no answer goes on at once.
        let quiet = command == "put" && fields.get("quiet").is_some();
        match self.answer(rank, command, fields) {
            Some(_) if quiet => Vec::new(),
            Some(answer) => vec![Event::Reply(rank, answer + "\n")],
            None => self.violation(rank, line),
        }
    }

    fn violation(&self, rank: u32, line: &str) -> Vec<Event> {
        let mut what: String = line.chars().take(200).collect();
        what.retain(|c| !c.is_control());
        vec![Event::Violation { rank, what }]
    }

    /// The answer to a request of one line; `None` if it is no request.
    fn answer(&mut self, rank: u32, command: &str, fields: Fields<'_>) -> Option<String> {
        let client = &mut self.clients[rank as usize];
        Some(match command {
            "init" => {
                let one = fields.get("pmi_version").is_none_or(|version| version == "1");
                // A process may come back after it has left, because sessions begin and end at any
                // time. Another one that has its socket may not.
                let new = match client.stage {
                    Stage::Silent => true,
                    Stage::Joined => false,
                    Stage::Left => {
                        client.process.is_some()
                            && fields.get("process") == client.process.as_deref()
                    }
                };
                if one && new {
                    client.stage = Stage::Joined;
                }
                let hello = "pmi_version=1 pmi_subversion=1";
                if !(one && new) {
                    return Some(format!("cmd=response_to_init rc=-1 {hello}"));
                }
                // Our own library needs to ask nothing else; others pass over what they don't know.
                let mapping = &self.values["PMI_process_mapping"];
                format!(
                    "cmd=response_to_init rc=0 {hello} kvsname={} {MAXES} appnum={} size=-1 \
                     PMI_process_mapping={mapping}",
                    self.name, client.app
                )
            }
            "finalize" => {
                client.stage = Stage::Left;
                client.process = fields.get("process").map(str::to_owned);
                "cmd=finalize_ack rc=0".into()
            }
            "get_maxes" => format!("cmd=maxes rc=0 {MAXES}"),
            "get_universe_size" => "cmd=universe_size rc=0 size=-1".into(),
            "get_appnum" => format!("cmd=appnum rc=0 appnum={}", client.app),
            "get_my_kvsname" => format!("cmd=my_kvsname rc=0 kvsname={}", self.name),
            "put" => {
                let (key, value) = (fields.get("key")?, fields.get("value")?);
                // Those are the server's.
                let code = if key.starts_with("PMI_") {
                    -1
                } else {
                    self.values.insert(key.into(), value.into());
                    0
                };
                format!("cmd=put_result rc={code}")
            }
            "get" => match self.values.get(fields.get("key")?) {
                Some(value) => format!("cmd=get_result rc=0 value={value}"),
                None => "cmd=get_result rc=1".into(),
            },
            "publish_name" => {
                let (service, port) = (fields.get("service")?, fields.get("port")?);
                let taken = self.services.contains_key(service);
                if !taken {
                    self.services.insert(service.into(), port.into());
                }
                result("publish_result", !taken)
            }
            "unpublish_name" => {
                let there = self.services.remove(fields.get("service")?).is_some();
                result("unpublish_result", there)
            }
            "lookup_name" => match self.services.get(fields.get("service")?) {
                Some(port) => format!("{} port={port}", result("lookup_result", true)),
                None => result("lookup_result", false),
            },
            _ => return None,
        })
    }

    fn barrier(&mut self, rank: u32) -> Vec<Event> {
        if !std::mem::replace(&mut self.clients[rank as usize].waits, true) {
            self.waiting += 1;
        }
        if self.waiting < self.clients.len() {
            return self.stuck().into_iter().collect();
        }
        self.waiting = 0;
        self.clients.iter_mut().for_each(|client| client.waits = false);
        let reply = |rank| Event::Reply(rank as u32, "cmd=barrier_out rc=0\n".into());
        (0..self.clients.len()).map(reply).collect()
    }

    /// Reads over the request to start processes, and refuses it at its end.
    fn spawn_line(&mut self, rank: u32, line: &str) -> Vec<Event> {
        let client = &mut self.clients[rank as usize];
        if line != "endcmd" {
            if let (Some(blocks), Some((key, value))) = (&mut client.spawning, line.split_once('='))
                && let Some(i) = ["totspawns", "spawnssofar"].iter().position(|name| *name == key)
            {
                blocks[i] = value.trim().parse().unwrap_or(1);
            }
            return Vec::new();
        }
        match client.spawning.take() {
            Some([total, number]) if number < total => Vec::new(),
            _ => {
                let answer = "cmd=spawn_result rc=-1 msg=not_implemented\n";
                vec![Event::Reply(rank, answer.into()), Event::SpawnRefused(rank)]
            }
        }
    }
}

/// What clients of different makers look at.
fn result(name: &str, success: bool) -> String {
    let (info, code) = if success { ("ok", 0) } else { ("fail", 1) };
    format!("cmd={name} info={info} rc={code}")
}

/// The words of a line.
#[derive(Clone, Copy)]
struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    fn get(&self, key: &str) -> Option<&'a str> {
        let mut words = self.0.split_ascii_whitespace().filter_map(|word| word.split_once('='));
        words.find(|(other, _)| *other == key).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ask(server: &mut Server, rank: u32, line: &str) -> String {
        match &server.line(rank, line.as_bytes())[..] {
            [Event::Reply(to, text)] if *to == rank => text.trim_end().to_owned(),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_job_of_two_from_init_to_finalize() {
        let mut server = Server::new("kvs", [0, 4]);
        for (rank, request, answer) in [
            (
                0,
                "cmd=init pmi_version=1 pmi_subversion=1",
                "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1 kvsname=kvs \
                 kvsname_max=256 keylen_max=64 vallen_max=1024 appnum=0 size=-1 \
                 PMI_process_mapping=(vector,(0,1,2))",
            ),
            (0, "cmd=get_maxes", "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=1024"),
            (1, "cmd=get_appnum", "cmd=appnum rc=0 appnum=4"),
            (0, "cmd=get_my_kvsname", "cmd=my_kvsname rc=0 kvsname=kvs"),
            (0, "cmd=get_universe_size", "cmd=universe_size rc=0 size=-1"),
            (
                0,
                "cmd=get kvsname=kvs key=PMI_process_mapping",
                "cmd=get_result rc=0 value=(vector,(0,1,2))",
            ),
            (0, "cmd=put kvsname=kvs key=a value=1=2", "cmd=put_result rc=0"),
            (1, "cmd=get kvsname=kvs key=a", "cmd=get_result rc=0 value=1=2"),
            (1, "cmd=get kvsname=kvs key=b", "cmd=get_result rc=1"),
            (1, "cmd=put key=PMI_x value=1", "cmd=put_result rc=-1"),
            (0, "cmd=publish_name service=s port=p$1", "cmd=publish_result info=ok rc=0"),
            (1, "cmd=publish_name service=s port=q", "cmd=publish_result info=fail rc=1"),
            (1, "cmd=lookup_name service=s", "cmd=lookup_result info=ok rc=0 port=p$1"),
            (1, "cmd=unpublish_name service=s", "cmd=unpublish_result info=ok rc=0"),
            (1, "cmd=unpublish_name service=s", "cmd=unpublish_result info=fail rc=1"),
            (1, "cmd=lookup_name service=s", "cmd=lookup_result info=fail rc=1"),
        ] {
            assert_eq!(ask(&mut server, rank, request), answer, "{request}");
        }
        assert_eq!((server.stage(0), server.stage(1)), (Stage::Joined, Stage::Silent));
        assert_eq!(server.line(1, b"cmd=put quiet=1 key=b value=2"), []);
        let got = ask(&mut server, 0, "cmd=get kvsname=kvs key=b");
        assert_eq!(got, "cmd=get_result rc=0 value=2");
        assert_eq!(server.line(1, b"cmd=barrier_in"), []);
        let out = |rank| Event::Reply(rank, "cmd=barrier_out rc=0\n".into());
        assert_eq!(server.line(0, b"cmd=barrier_in"), [out(0), out(1)]);
        assert_eq!(ask(&mut server, 0, "cmd=finalize"), "cmd=finalize_ack rc=0");
        assert_eq!(server.stage(0), Stage::Left);
        // A program that this rank starts must not speak in its name.
        let again = ask(&mut server, 0, "cmd=init pmi_version=1 pmi_subversion=1");
        assert!(again.contains("rc=-1"), "{again}");

        // But the same process may come back.
        let init = "cmd=init pmi_version=1 pmi_subversion=1";
        assert!(ask(&mut server, 1, init).contains("rc=0"));
        assert_eq!(ask(&mut server, 1, "cmd=finalize process=77"), "cmd=finalize_ack rc=0");
        assert!(ask(&mut server, 1, init).contains("rc=-1"));
        assert!(ask(&mut server, 1, &format!("{init} process=78")).contains("rc=-1"));
        assert!(ask(&mut server, 1, &format!("{init} process=77")).contains("rc=0"));
        assert_eq!(server.stage(1), Stage::Joined);
    }

    #[test]
    fn who_waits_for_the_dead_is_noticed() {
        let mut server = Server::new("kvs", [0, 0, 0]);
        assert_eq!(server.ended(1), None);
        let stuck = Event::Stuck { ended: 1, waits: 2 };
        assert_eq!(server.line(2, b"cmd=barrier_in"), [stuck]);
        let mut server = Server::new("kvs", [0, 0]);
        assert_eq!(server.line(0, b"cmd=barrier_in"), []);
        assert_eq!(server.ended(1), Some(Event::Stuck { ended: 1, waits: 0 }));
        let mut server = Server::new("kvs", [0, 0]);
        assert_eq!(server.line(0, b"cmd=barrier_in"), []);
        assert_eq!(server.ended(0), None);
    }

    #[test]
    fn abort_spawn_and_nonsense() {
        let mut server = Server::new("kvs", [0]);
        let abort = |code, message: &str| Event::Abort { rank: 0, code, message: message.into() };
        let line = b"cmd=abort exitcode=7 message=two words=2 ";
        assert_eq!(server.line(0, line), [abort(7, "two words=2")]);
        assert_eq!(server.line(0, b"cmd=abort"), [abort(1, "")]);
        let two = "mcmd=spawn nprocs=2 totspawns=2 spawnssofar=1 endcmd mcmd=spawn totspawns=2 \
                   cmd=init spawnssofar=2";
        for line in two.split(' ') {
            assert_eq!(server.line(0, line.as_bytes()), [], "{line}");
        }
        let refused = server.line(0, b"endcmd");
        assert!(matches!(&refused[..], [Event::Reply(0, text), Event::SpawnRefused(0)]
            if text.starts_with("cmd=spawn_result rc=-1")));
        for line in ["", "cmd=", "cmd=getbyidx idx=1", "cmd=put key=a", "hello", "mcmd=other"] {
            let events = server.line(0, line.as_bytes());
            assert!(
                matches!(&events[..], [Event::Violation { rank: 0, .. }]),
                "{line}: {events:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_lines_are_taken_without_panic(
            lines in proptest::collection::vec(
                (0u32..3, prop_oneof![
                    proptest::collection::vec(any::<u8>(), 0..60),
                    "(m?cmd=(init|put|get|barrier_in|finalize|abort|spawn|publish_name|lookup_name)|\
                      endcmd)( (key|value|service|port|exitcode|message)=.{0,9}){0,3}"
                        .prop_map(String::into_bytes),
                ]),
                0..40,
            )
        ) {
            let mut server = Server::new("kvs", [0, 0, 0]);
            for (rank, line) in lines {
                for event in server.line(rank, &line) {
                    if let Event::Reply(rank, text) = event {
                        prop_assert!(rank < 3 && text.ends_with('\n'));
                        prop_assert_eq!(text.matches('\n').count(), 1);
                    }
                }
            }
            server.ended(1);
        }
    }
}
