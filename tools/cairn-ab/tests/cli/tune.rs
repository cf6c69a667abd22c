//! `cairn-ab tune`. The benchmarks are scripts, so that no finding depends on time.

use std::fs;
use std::process::Stdio;

use cairn_tests::executable;
use rustix::process::{Pid, Signal, kill_process};

use super::{Ended, Place};

/// Knows `x_limit` with numbers up to 9, whose default is 4, and `y_limit`, whose default is 1 and which
/// somebody has set to 2.
const INFO: &str = r#"#!/bin/sh
problems= x=4 y=2 origin='the user'
while [ $# -gt 0 ]; do
  case $1 in
    --param) name=$2;;
    --mca) case $2 in
      x_limit) x=$3;;
      y_limit) y=$3;;
      *) problems='{"severity":"error","what":"there is no parameter '$2'"}';;
      esac;;
  esac
  shift
done
case $name in
  x_limit) default=4 value=$x origin='built-in default';;
  y_limit) default=1 value=$y;;
  '*') ;;
  *) problems='{"severity":"error","what":"there is no parameter '$name'"}';;
esac
[ ${#value} -lt 2 ] || problems='{"severity":"error","what":"'$name': '$value' is outside its range"}'
cat <<END
{"format":1,"problems":[$problems],"parameters":[{"name":"$name","default":"$default","value":$((value)),
 "help":"Largest of its kind","sources":[{"state":"wins","origin":"$origin","text":"$value"}]}]}
END
"#;

/// The larger `x_limit` is the better. `y_limit` is better at 3, but only if `x_limit` is 6, and fails at 5.
const BENCH: &str = r#"#!/bin/sh
value=$MCA_x_limit
if [ -n "$MCA_y_limit" ]; then
  value=1
  [ "$MCA_y_limit$MCA_x_limit" = 36 ] && value=2
  [ "$MCA_y_limit" = 5 ] && exit 3
fi
echo "{\"format\":1,\"mpi\":\"Fake 1\",\"points\":[{\"at\":{\"bytes\":8},\"metric\":\"rate\",\
\"unit\":\"message/s\",\"better\":\"higher\",\"value\":$value}]}"
"#;

/// No machine is too busy for these.
const TABLE: &str = "warmup = 0\nnoise = { retries = 0, spread = 1e6, others = 1 }\n\
    [[threshold]]\nname = \"x_limit\"\ncandidates = [2, 6, 10]\n\
    [[threshold.benchmark]]\nbinary = \"./limit.sh\"\n\
    [[threshold]]\nname = \"y_limit\"\ncandidates = [3, 5]\n\
    [[threshold.benchmark]]\nbinary = \"./limit.sh\"\n\
    [[threshold]]\nname = \"z_limit\"\ncandidates = [1]\n\
    [[threshold.benchmark]]\nbinary = \"./limit.sh\"\n";

fn place() -> Place {
    let place = Place::new();
    executable(&place.path("cairn/bin/cairn-info"), INFO);
    place.script("limit.sh", BENCH);
    fs::write(place.path("t.toml"), TABLE).unwrap();
    place
}

fn tune(place: &Place, more: &[&str]) -> Ended {
    place.run(&[&["tune", "--table", "t.toml"], more].concat())
}

#[test]
fn better_values_are_written_with_what_they_rest_on() {
    let place = place();
    tune(&place, &["--repeats", "8"]).exits(0).says(&[
        "x_limit: 6 instead of 4",
        "10 is out: x_limit: 10 is outside its range",
        "y_limit: 3 instead of 1",
        "not measured: there is no parameter z_limit",
        "mpirun --tune cairn-tune.toml",
    ]);
    // Eight times three values of the first, and four of the second, of which one fails and is given up.
    assert_eq!(place.runs(), 8 * 3 + 8 * 3 + 2);
    let text = place.read("cairn-tune.toml");
    let set: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(set, ["", "x_limit = \"6\"", "", "y_limit = \"3\"", ""], "{text}");
    for part in [
        "# version: Fake 1; cairn-ab ",
        "# measured: 8 of 8 repeats",
        "# 4, the default:\n#   limit.sh 8 B  4.00 message/s\n",
        "# 2: worse at 1; mean gain 0.50\n#   limit.sh 8 B  0.50 (0.50 – 0.50)   worse\n",
        "# 6: better at 1; mean gain 1.50\n",
        "# 10: out, it is not taken: x_limit: 10 is outside its range\n",
        "# choice: 6 is better than the default, 4, at limit.sh 8 B, and at no point worse.\n",
        // What was taken is set for what follows.
        "# with: x_limit=6\n",
        "Note: it is set to 2 (the user); --tune is stronger.",
        "# 2: equal at 1; mean gain 1.00\n",
        "# 5: out, 2 of 2 runs of limit.sh failed: exit status 3\n",
        "# choice: not measured: there is no parameter z_limit.\n",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(place.path("cache/tune/x_limit/report/report.html").is_file());

    // It is not replaced by mistake, which is said before anything runs.
    let runs = place.runs();
    tune(&place, &[]).exits(1).complains(&["there already", "cairn-tune.toml", "--overwrite"]);
    tune(&place, &["--output", "none/x.toml"]).exits(1).complains(&["none/x.toml"]);
    assert_eq!(place.runs(), runs);
    tune(&place, &["--overwrite", "--repeats", "6", "x_*"]).exits(0);
    assert!(!place.read("cairn-tune.toml").contains("y_limit"));
}

#[test]
fn with_one_repeat_nothing_is_changed() {
    let place = place();
    let ended = tune(&place, &["--repeats", "1", "x_limit", "--output", "one.toml"]).exits(0);
    let ended = ended.complains(&["x_limit: 1 repeats are too few", "--repeats 7 or more"]);
    ended.says(&["the default stays: 1 repeats are too few, 7 are needed", "nothing is set"]);
    let text = place.read("one.toml");
    assert!(text.lines().all(|line| line.is_empty() || line.starts_with('#')), "{text}");
    assert!(text.contains("# x_limit = \"4\"\n"), "{text}");
}

#[test]
fn the_table_is_shown_without_measuring() {
    let place = place();
    tune(&place, &["--list"]).exits(0).says(&["x_limit", "2 6 10", "limit.sh", "not here"]);
    place.run(&["tune", "--list"]).exits(0).says(&[
        "btl_sm_eager_limit",
        "pingpong --sizes",
        "bandwidth --sizes",
        "btl=self,tcp",
    ]);
    assert_eq!(place.runs(), 0);
    assert!(!place.path("cairn-tune.toml").exists());
}

#[test]
fn mistakes_are_told_before_anything_runs() {
    let place = place();
    let ended = tune(&place, &["x_limt"]).exits(1);
    ended.complains(&["no threshold x_limt", "x_limit, y_limit, z_limit", "did you mean x_limit"]);
    tune(&place, &["z_*"]).exits(1).complains(&["nothing can be tuned", "parameter z_limit"]);
    tune(&place, &["--repeats", "0"]).exits(1).complains(&["repeats is 0"]);
    tune(&place, &["--table", "x.toml"]).exits(2);
    place.run(&["tune", "--table", "none.toml"]).exits(1).complains(&["can't read", "none.toml"]);
    fs::write(place.path("t.toml"), TABLE.replace("candidates", "candidate")).unwrap();
    tune(&place, &[]).exits(1).complains(&["t.toml:5", "candidate"]);
    assert_eq!(place.runs(), 0);
    assert!(!place.path("cairn-tune.toml").exists());
    fs::remove_dir_all(place.path("cairn")).unwrap();
    tune(&place, &[]).exits(1).complains(&["no installation", "--prefix"]);
}

#[test]
fn what_was_decided_is_kept_when_it_is_stopped() {
    let place = place();
    // In the first run for the second threshold it asks to be stopped, and waits for that.
    place.script(
        "limit.sh",
        &BENCH.replacen(
            "#!/bin/sh\n",
            "#!/bin/sh\n\
             if [ -n \"$MCA_y_limit\" ] && mkdir first; then echo > here; exec sleep 1000; fi\n",
            1,
        ),
    );
    let here = super::fifo(&place.path("here"));
    let mut command = place.command(&["tune", "--table", "t.toml", "--repeats", "7"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(super::readable(&here), "it does not come so far");
    // timeout passes it on.
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ended = Ended::of(child.wait_with_output().unwrap());
    ended.exits(130).complains(&["stopped", "cairn-tune.toml", "--resume --overwrite"]);
    let text = place.read("cairn-tune.toml");
    assert!(text.contains("x_limit = \"6\"\n"), "{text}");
    assert!(text.contains("Stopped by the user at y_limit"), "{text}");

    let again = ["--resume", "--overwrite", "--repeats"];
    tune(&place, &[&again[..], &["8"]].concat())
        .exits(1)
        .complains(&["not what is to be measured"]);
    let runs = place.runs();
    tune(&place, &[&again[..], &["7"]].concat()).exits(0);
    // None of the first again, and three values of the second, with one that fails twice.
    assert_eq!(place.runs() - runs, 7 * 3 + 2);
    assert!(place.read("cairn-tune.toml").contains("y_limit = \"3\""));
}
