//! Source packages of Debian.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::Run;
use crate::fetched::{fetch, fetched};

/// Unpacks what the author of a package has released, in its present version, into an empty directory.
///
/// # Errors
/// This is no Debian, or its archive does not answer.
pub fn unpack(package: &str, to: &Path) -> Result<(), String> {
    let apt = apt()?;
    let download = to.with_extension("download");
    let _ = fs::remove_dir_all(&download);
    fs::create_dir_all(&download).unwrap();
    fetch(apt_get(apt, &["source", "--download-only", "--tar-only", package]).dir(&download))?;
    let files = fs::read_dir(&download).unwrap().map(|file| file.unwrap().path());
    let is_original = |file: &PathBuf| file.to_string_lossy().contains(".orig.tar.");
    let original = files.filter(is_original).find(|file| file.extension().unwrap() != "asc");
    let original = original.expect("a package has an original archive");
    fs::create_dir_all(to).unwrap();
    Run::new("tar").args(["--strip-components=1", "-xf"]).args([original]).dir(to).ok();
    fs::remove_dir_all(download).unwrap();
    Ok(())
}

/// Where apt keeps what it knows of source packages, apart from what the system uses: the sources of
/// Debian that the system is installed from, whether it lists their source packages or not.
fn apt() -> Result<&'static Path, String> {
    static APT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let apt = APT.get_or_init(|| {
        let dir = fetched().join("apt");
        let _ = fs::remove_dir_all(&dir);
        for part in ["sources", "lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(dir.join(part)).unwrap();
        }
        let parts = fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten();
        let files = parts.flatten().map(|file| file.path());
        let mut found = false;
        for file in files.chain([PathBuf::from("/etc/apt/sources.list")]) {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            // Paragraphs in one format, lines in the other.
            let is_list = file.extension().is_some_and(|extension| extension == "list");
            let separator = if is_list { "\n" } else { "\n\n" };
            let ours = text.split(separator).filter(|one| one.contains("debian.org/debian"));
            let sources = ours.map(|one| {
                one.replacen("deb ", "deb-src ", 1).replacen("Types: deb\n", "Types: deb-src\n", 1)
            });
            let sources: Vec<String> = sources.collect();
            found |= !sources.is_empty();
            fs::write(dir.join("sources").join(file.file_name().unwrap()), sources.join(separator))
                .unwrap();
        }
        if !found {
            return Err("the sources of this system's packages are not Debian's".into());
        }
        fetch(apt_get(&dir, &["update"]))?;
        Ok(dir)
    });
    apt.as_deref().map_err(Clone::clone)
}

fn apt_get(dir: &Path, args: &[&str]) -> Run {
    let option = |name: &str, value: &Path| format!("-o{name}={}", value.display());
    Run::new("apt-get")
        .args([
            option("Dir::Etc::sourcelist", Path::new("/dev/null")),
            option("Dir::Etc::sourceparts", &dir.join("sources")),
            option("Dir::State::lists", &dir.join("lists")),
            option("Dir::Cache", &dir.join("cache")),
            // Who downloads may write here.
            "-oAPT::Sandbox::User=root".to_owned(),
        ])
        .args(["-qq"])
        .args(args)
}
