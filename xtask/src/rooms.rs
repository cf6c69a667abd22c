//! The rooms of the house: which crates there are, which of them use which, and within a crate the order of its
//! modules. `cargo xtask lint` holds the code to these tables, and the picture in `docs/architecture.md` is
//! drawn from them.

use std::fmt::Write as _;

/// One or more crates that stand at the same place.
pub struct Room {
    /// What the picture calls it.
    pub name: &'static str,
    /// Its packages; those of components are found in `components/`.
    pub packages: &'static [&'static str],
    /// What it is for, in a few words.
    pub purpose: &'static str,
    /// The rooms that it uses. No other, and each of them.
    pub uses: &'static [&'static str],
}

/// The packages of this room are the crates in `components/`, but for `linked`, the only one that names them.
pub const COMPONENTS: &str = "components";

/// From what users start down to what everything stands on. A room uses rooms of floors below its own.
pub const FLOORS: &[&[Room]] = &[
    &[
        Room {
            name: "cairn-ab",
            packages: &["cairn-ab"],
            purpose: "compares by measuring",
            uses: &["cli", "framework"],
        },
        Room {
            name: "cairn-info",
            packages: &["cairn-info"],
            purpose: "lists, explains, checks",
            uses: &["cli", "conformance", "framework", "linked", "mpi-params"],
        },
        Room {
            name: "mpirun",
            packages: &["cairn-launcher"],
            purpose: "starts and watches a job",
            uses: &["cli", "framework", "libraries for components", "linked", "mpi-params"],
        },
        Room {
            name: "libmpi_abi.so.1",
            packages: &["cairn-library"],
            purpose: "what programs link",
            uses: &["linked", "mpi"],
        },
        Room { name: "mpicc", packages: &["cairn-mpicc"], purpose: "compiler wrappers", uses: &[] },
    ],
    &[
        Room {
            name: "cli",
            packages: &["cairn-cli"],
            purpose: "what the tools share",
            uses: &["framework"],
        },
        Room {
            name: "conformance",
            packages: &["cairn-conformance"],
            purpose: "what every component keeps",
            uses: &["framework"],
        },
        Room {
            name: "linked",
            packages: &["linked"],
            purpose: "the list of components",
            uses: &["components"],
        },
        Room {
            name: "mpi",
            packages: &["cairn-mpi"],
            purpose: "the functions of MPI",
            uses: &["framework", "mpi-params", "reduce", "layout"],
        },
    ],
    &[
        Room {
            name: "mpi-params",
            packages: &["cairn-mpi-params"],
            purpose: "parameters of the MPI layer",
            uses: &["framework"],
        },
        Room {
            name: COMPONENTS,
            packages: &[],
            purpose: "one crate each: a strategy",
            uses: &["framework", "libraries for components"],
        },
        Room {
            name: "reduce",
            packages: &["cairn-reduce"],
            purpose: "predefined reductions",
            uses: &[],
        },
        Room {
            name: "layout",
            packages: &["cairn-layout"],
            purpose: "datatypes as loops over blocks",
            uses: &[],
        },
    ],
    &[Room {
        name: "libraries for components",
        packages: &[
            "cairn-descriptors",
            "cairn-matching",
            "cairn-rma",
            "cairn-schedule",
            "cairn-segment",
            "cairn-transport",
        ],
        purpose: "shared memory, matching engines, one-sided and collective operations, descriptors, transports",
        uses: &["framework"],
    }],
    &[Room {
        name: "framework",
        packages: &["cairn-framework"],
        purpose: "abi, contracts, and the two sides of them: author and host",
        uses: &[],
    }],
];

/// Crates that are part of no product; what they use is not bounded.
pub const ASIDE: &[&str] =
    &["cairn-fuzz", "cairn-skips", "cairn-tests", "trap_one", "trap_two", "ugni-emulator", "xtask"];

/// Modules at the root of a crate, from the lowest to the highest. What is in one imports from those before it.
pub struct Modules {
    /// Where they are.
    pub source: &'static str,
    /// The modules.
    pub order: &'static [&'static str],
}

/// The crates whose modules have an order.
pub const MODULES: &[Modules] = &[
    Modules {
        source: "framework/src",
        order: &[
            "text",
            "own",
            "sys",
            "fences",
            "audit",
            "abi",
            "sync",
            "author",
            "frameworks",
            "host",
            "export",
            "launch",
            "layout",
            "mock",
        ],
    },
    Modules {
        source: "mpi/src",
        order: &[
            "abi",
            "state",
            "error",
            "codes",
            "levels",
            "hardware",
            "built_from",
            "runtime",
            "objects",
            "tool",
            "raise",
            "life",
            "check",
            "prelude",
            "calls",
            "entries",
        ],
    },
];

/// All rooms.
pub fn all() -> impl Iterator<Item = &'static Room> {
    FLOORS.iter().flat_map(|floor| floor.iter())
}

/// The room of this name.
pub fn named(name: &str) -> Option<&'static Room> {
    all().find(|room| room.name == name)
}

// --- The picture

const WIDTH: u32 = 1000;
const MARGIN: u32 = 24;
const BOX_HEIGHT: u32 = 58;
const FLOOR_HEIGHT: u32 = 116;

/// Where a box is.
struct Place {
    room: &'static Room,
    x: u32,
    y: u32,
    width: u32,
}

impl Place {
    fn center(&self) -> u32 {
        self.x + self.width / 2
    }
}

/// The picture, as SVG. Of two ways from one room to another only the longer is drawn, and no way past other
/// floors to the ground, on which all stand.
pub fn picture() -> String {
    let places: Vec<Place> =
        FLOORS.iter().enumerate().flat_map(|(floor, rooms)| row(floor as u32, rooms)).collect();
    let height = MARGIN + FLOORS.len() as u32 * FLOOR_HEIGHT - (FLOOR_HEIGHT - BOX_HEIGHT) + MARGIN;
    let mut svg = format!(
        "<!-- made by `cargo xtask gen` from xtask/src/rooms.rs -->\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"14\">\n\
         <style>.box {{ stroke: #37474f; stroke-width: 1.5; }} .name {{ font-weight: bold; }} \
         .purpose {{ font-size: 11px; fill: #263238; }} \
         .arrow {{ stroke: #607d8b; stroke-width: 1.4; fill: none; marker-end: url(#head); }}</style>\n\
         <defs><marker id=\"head\" markerWidth=\"9\" markerHeight=\"9\" refX=\"8\" refY=\"4\" orient=\"auto\">\
         <path d=\"M0,0 L8,4 L0,8 z\" fill=\"#607d8b\"/></marker></defs>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for from in &places {
        let drawn = from.room.uses.iter().filter(|used| !is_reached_otherwise(from.room, used));
        let used = drawn.filter_map(|used| places.iter().find(|place| place.room.name == *used));
        let ground = places.last().map_or(0, |ground| ground.y);
        for to in used.filter(|to| to.y < ground || from.y + FLOOR_HEIGHT == ground) {
            let (x1, y1, x2, y2) = (from.center(), from.y + BOX_HEIGHT, to.center(), to.y - 2);
            let bend = (y2 - y1) / 2;
            let _ = writeln!(
                svg,
                "<path class=\"arrow\" d=\"M{x1},{y1} C{x1},{} {x2},{} {x2},{y2}\"/>",
                y1 + bend,
                y2 - bend
            );
        }
    }
    let colours = ["#eceff1", "#cfe3f5", "#d8efd9", "#e7f5e7", "#fff3cd"];
    for place in &places {
        let Place { room, x, y, width } = place;
        let colour = colours[(y - MARGIN) as usize / FLOOR_HEIGHT as usize % colours.len()];
        let (middle, name, purpose) = (place.center(), room.name, room.purpose);
        let _ = writeln!(
            svg,
            "<rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX_HEIGHT}\" rx=\"6\" \
             fill=\"{colour}\"/>\n\
             <text class=\"name\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{name}</text>\n\
             <text class=\"purpose\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{purpose}</text>",
            y + 25,
            y + 44
        );
    }
    svg + "</svg>\n"
}

/// The boxes of a floor, as wide as each other.
fn row(floor: u32, rooms: &'static [Room]) -> impl Iterator<Item = Place> {
    const GAP: u32 = 16;
    let number = rooms.len() as u32;
    let width = (WIDTH - 2 * MARGIN - (number - 1) * GAP) / number;
    rooms.iter().zip(0..).map(move |(room, column)| Place {
        room,
        x: MARGIN + column * (width + GAP),
        y: MARGIN + floor * FLOOR_HEIGHT,
        width,
    })
}

/// Whether another room that this one uses leads to it.
fn is_reached_otherwise(room: &Room, used: &str) -> bool {
    room.uses.iter().filter(|other| **other != used).any(|other| reaches(other, used))
}

fn reaches(from: &str, to: &str) -> bool {
    named(from).is_some_and(|room| room.uses.iter().any(|used| *used == to || reaches(used, to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_use_lower_floors_only() {
        let floor_of =
            |name: &str| FLOORS.iter().position(|floor| floor.iter().any(|room| room.name == name));
        for room in all() {
            for used in room.uses {
                let below = floor_of(used).expect("a room");
                assert!(floor_of(room.name).expect("a room") < below, "{} uses {used}", room.name);
            }
        }
    }

    #[test]
    fn the_picture_has_every_room_and_no_shortcut() {
        let svg = picture();
        assert!(all().all(|room| svg.contains(&format!(">{}</text>", room.name))));
        // libmpi_abi.so.1 uses linked and mpi; both lead to the framework, to which it has no arrow.
        assert!(reaches("libmpi_abi.so.1", "framework"));
        assert!(is_reached_otherwise(named("cairn-info").expect("a room"), "framework"));
        assert_eq!(svg.matches("class=\"arrow\"").count(), 16);
    }
}
