//! The C headers for authors of components, made from the contracts.
//!
//! Each file under `framework/src/abi` and `framework/src/frameworks` becomes the header of the same
//! name in `include/cairn`; where both have it, what C sees is in `abi`. cbindgen reads one file at a time; what keeps the headers together is a
//! table of names that covers all files (`CriOps` is `cairn_cri_ops_t` everywhere) and the includes
//! that the files' own `use` lines ask for.
//!
//! Two headers come from elsewhere: `types.h` declares every struct, and `contract.h` is the rules of
//! all contracts, which the frameworks' module has in its documentation.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};
use syn::{Item, UseTree, Visibility};

use crate::exec::Workspace;

/// One Rust file that becomes a header.
struct Source {
    name: String,
    path: PathBuf,
    file: syn::File,
}

/// C names that do not follow from the Rust names.
const SPECIAL: [(&str, &str); 6] = [
    ("AtomicU32", "uint32_t"),
    ("AtomicU64", "uint64_t"),
    ("AtomicI32", "int32_t"),
    ("AtomicUsize", "size_t"),
    ("ComponentDescriptor", "cairn_component_t"),
    ("OutcomeCode", "cairn_outcome_t"),
];

/// The headers by file name.
pub fn generate(workspace: &Workspace) -> Result<BTreeMap<String, String>> {
    let framework = workspace.root.join("framework/src");
    let mut sources = Vec::new();
    for dir in ["abi", "frameworks"] {
        let mut paths: Vec<PathBuf> = fs::read_dir(framework.join(dir))?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        // What lies in a directory below is behind a contract, not in it.
        paths.retain(|path| path.is_file());
        paths.sort();
        for path in paths {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if name == "mod" || sources.iter().any(|source: &Source| source.name == name) {
                continue;
            }
            let text = fs::read_to_string(&path)?;
            let file =
                syn::parse_file(&text).with_context(|| format!("parsing {}", path.display()))?;
            sources.push(Source { name, path, file });
        }
    }
    let names = names(&sources);
    sources.iter().try_for_each(fields_are_no_keywords)?;
    let mut headers = BTreeMap::from([
        ("types.h".to_owned(), types(&sources, &names)),
        ("contract.h".to_owned(), contract(&framework, &names)?),
    ]);
    for source in &sources {
        headers.insert(format!("{}.h", source.name), header(source, &sources, &names)?);
    }
    Ok(headers)
}

/// Fields that C or C++ would take for something else get another name: cbindgen would give them one
/// that the documentation does not know.
fn fields_are_no_keywords(source: &Source) -> Result<()> {
    const KEYWORDS: &str = "alignas alignof and asm auto bool catch char class compl concept const \
        constexpr decltype default delete double explicit export extern false float friend goto \
        inline int long mutable namespace new noexcept not nullptr operator or private protected \
        public register requires restrict short signed sizeof switch template this throw true try \
        typedef typeid typename union unsigned using virtual void volatile xor";
    for item in &source.file.items {
        let Item::Struct(item) = item else { continue };
        if !is_public(&item.vis) || !is_repr_c(&item.attrs) {
            continue;
        }
        for field in item.fields.iter().filter_map(|field| field.ident.as_ref()) {
            ensure!(
                !KEYWORDS.split_whitespace().any(|keyword| field == keyword),
                "{}: the field {field} of {} is a keyword of C or C++",
                source.path.display(),
                item.ident
            );
        }
    }
    Ok(())
}

/// The C name of every public type and constant of all files.
fn names(sources: &[Source]) -> HashMap<String, String> {
    let mut names: HashMap<String, String> =
        SPECIAL.map(|(rust, c)| (rust.to_owned(), c.to_owned())).into();
    for item in sources.iter().flat_map(|source| source.file.items.iter()) {
        match item {
            Item::Const(item) if is_public(&item.vis) => {
                names.insert(item.ident.to_string(), format!("CAIRN_{}", item.ident));
            }
            _ => {
                if let Some(name) = type_name(item) {
                    let c = format!("cairn_{}_t", snake(&name));
                    names.entry(name).or_insert(c);
                }
            }
        }
    }
    names
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The name of an item that is a type C knows.
fn type_name(item: &Item) -> Option<String> {
    match item {
        Item::Struct(item) if is_public(&item.vis) && is_repr_c(&item.attrs) => {
            Some(item.ident.to_string())
        }
        Item::Type(item) if is_public(&item.vis) && item.generics.params.is_empty() => {
            Some(item.ident.to_string())
        }
        _ => None,
    }
}

fn is_repr_c(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => {
            list.path.is_ident("repr")
                && list.tokens.to_string().split(',').any(|word| word.trim() == "C")
        }
        _ => false,
    })
}

/// `CriPool` to `cri_pool`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// Whether a file belongs to the base, not to a framework.
fn is_base(source: &Source) -> bool {
    let framework = source.path.with_file_name(format!("../frameworks/{}.rs", source.name));
    !framework.is_file()
}

fn header(source: &Source, sources: &[Source], names: &HashMap<String, String>) -> Result<String> {
    let own: Vec<String> = source.file.items.iter().filter_map(type_name).collect();
    let mut config = Config {
        language: Language::C,
        style: Style::Tag,
        cpp_compat: true,
        documentation_style: DocumentationStyle::Doxy,
        usize_is_size_t: true,
        no_includes: true,
        line_length: 100,
        include_guard: Some(format!("CAIRN_{}_H", source.name.to_uppercase())),
        ..Config::default()
    };
    config.export.rename.clone_from(names);
    config.export.include.clone_from(&own);
    config.layout.aligned_n = Some("CAIRN_ALIGNED".into());
    config.header = Some(introduction(source));
    config.after_includes = Some(includes(source, sources));

    let bindings = Builder::new()
        .with_config(config)
        .with_src(&source.path)
        .generate()
        .with_context(|| format!("cbindgen on {}", source.path.display()))?;
    let mut bytes = Vec::new();
    bindings.write(&mut bytes);
    let text = String::from_utf8(bytes)?;
    for name in &own {
        ensure!(text.contains(&names[name]), "{}: cbindgen left out {name}", source.path.display());
    }
    // Which it makes of an optional function whose type has a name.
    let unknown = text.lines().find(|line| line.contains("struct Option_"));
    if let Some(line) = unknown {
        bail!(
            "{}: C has no such type; write the function's type out: {line}",
            source.path.display()
        );
    }
    let end = text.rfind("#endif").context("a header has an include guard")?;
    let text = format!("{}{}{}", &text[..end], trailer(&source.name), &text[end..]);
    Ok(tidy(&c_comments(&text, names)))
}

/// The file's own documentation, and that it is generated.
fn introduction(source: &Source) -> String {
    let mut lines = documentation(&source.file.attrs);
    if !is_base(source) {
        lines.push(String::new());
        lines.push(
            " The rules that hold in every contract, in <cairn/contract.h>, hold here, too.".into(),
        );
    }
    opening(&source.name, &lines)
}

/// The lines of a documentation comment, as they stand in Rust.
fn documentation(attributes: &[syn::Attribute]) -> Vec<String> {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
            && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value
        {
            lines.push(text.value());
        }
    }
    lines
}

/// The comment that a header begins with.
fn opening(name: &str, documentation: &[String]) -> String {
    let mut text = format!(
        "/*\n * Cairn MPI: <cairn/{name}.h>\n \
         * Generated from the Rust sources by `cargo xtask gen`; do not edit.\n \
         * SPDX-License-Identifier: MIT OR Apache-2.0\n *\n"
    );
    for line in documentation {
        text += format!(" *{line}").trim_end();
        text.push('\n');
    }
    text + " */"
}

/// `contract.h`: the part of the frameworks' documentation that is for authors of components.
fn contract(framework: &Path, names: &HashMap<String, String>) -> Result<String> {
    let path = framework.join("frameworks/mod.rs");
    let file = syn::parse_file(&fs::read_to_string(&path)?)
        .with_context(|| format!("parsing {}", path.display()))?;
    let lines = documentation(&file.attrs);
    let rules = lines
        .iter()
        .position(|line| line.trim() == CONTRACT_RULES)
        .with_context(|| format!("{} has no heading {CONTRACT_RULES}", path.display()))?;
    let mut shown = vec![format!(" {}.", CONTRACT_RULES.trim_start_matches("# "))];
    shown.extend(lines[rules + 1..].iter().cloned());
    let guard = "#ifndef CAIRN_CONTRACT_H\n#define CAIRN_CONTRACT_H\n\n\
                 #include <cairn/component.h>\n#include <cairn/host.h>\n\n#endif\n";
    Ok(tidy(&c_comments(&format!("{}\n\n{guard}", opening("contract", &shown)), names)))
}

/// The heading of the rules in the frameworks' documentation.
const CONTRACT_RULES: &str = "# Rules that hold in every contract";

/// The headers of the types that the file uses and does not define.
fn includes(source: &Source, sources: &[Source]) -> String {
    let mut used = BTreeSet::new();
    for item in &source.file.items {
        if let Item::Use(item) = item {
            used_names(&item.tree, &mut used);
        }
    }
    let mut headers = BTreeSet::from(["types", "status"]);
    if !is_base(source) {
        headers.insert("contract");
    }
    for other in sources {
        let defines =
            other.file.items.iter().filter_map(type_name).any(|name| used.contains(&name));
        // The base never includes a framework: it has pointers to a framework's structs only, for
        // which the declarations in types.h are enough.
        if defines && (is_base(other) || !is_base(source)) {
            headers.insert(&other.name);
        }
    }
    headers.remove(source.name.as_str());
    let lines = headers.into_iter().map(|name| format!("#include <cairn/{name}.h>\n"));
    format!("#include <stddef.h>\n#include <stdint.h>\n{}", lines.collect::<String>())
}

/// `types.h`: declares every struct, so that headers may use each other's pointers in any order.
fn types(sources: &[Source], names: &HashMap<String, String>) -> String {
    let mut text = String::from(
        "/*\n * Cairn MPI: <cairn/types.h>\n \
         * Generated from the Rust sources by `cargo xtask gen`; do not edit.\n \
         * SPDX-License-Identifier: MIT OR Apache-2.0\n *\n \
         * Declares every struct; the header named with it defines it.\n */\n\
         #ifndef CAIRN_TYPES_H\n#define CAIRN_TYPES_H\n\n#include <stddef.h>\n\n\
         /* Alignment of a struct in bytes. */\n\
         #define CAIRN_ALIGNED(bytes) __attribute__((aligned(bytes)))\n",
    );
    for source in sources {
        text += &format!("\n/* <cairn/{}.h> */\n", source.name);
        for item in &source.file.items {
            if let (Item::Struct(_), Some(name)) = (item, type_name(item)) {
                text += &format!("typedef struct {0} {0};\n", names[&name]);
            }
        }
    }
    text + "\n#endif\n"
}

fn used_names(tree: &UseTree, names: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => used_names(&path.tree, names),
        UseTree::Name(name) => {
            names.insert(name.ident.to_string());
        }
        UseTree::Rename(rename) => {
            names.insert(rename.ident.to_string());
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| used_names(tree, names)),
        UseTree::Glob(_) => {}
    }
}

/// What C authors need besides the types.
fn trailer(name: &str) -> &'static str {
    match name {
        "component" => COMPONENT_TRAILER,
        "param" => PARAM_TRAILER,
        _ => "",
    }
}

const COMPONENT_TRAILER: &str = r#"/*
 * The first fields of a descriptor, up to the version of the ABI, for its initialiser:
 *
 *   static const cairn_component_t mine = {
 *     CAIRN_COMPONENT_HEAD,
 *     .version_major = 1,
 *     .framework = "cri",
 *     .name = "mine",
 *     ...
 *
 * C++20 wants the fields in the order of the struct, which this is.
 */
#define CAIRN_COMPONENT_HEAD                                                                       \
  .magic = CAIRN_MAGIC, .struct_size = sizeof(cairn_component_t), .abi_major = CAIRN_ABI_MAJOR,    \
  .abi_minor = CAIRN_ABI_MINOR

/* Makes the function that follows visible outside of a library built with -fvisibility=hidden. */
#define CAIRN_EXPORT __attribute__((visibility("default")))

/*
 * The one function that a component library exports. This declaration exports it; its definition
 * needs no CAIRN_EXPORT of its own.
 */
#ifdef __cplusplus
extern "C"
#endif
CAIRN_EXPORT const cairn_component_t *const *cairn_components(uint32_t *count);

"#;

const PARAM_TRAILER: &str = r#"/* The value of a CAIRN_PARAM_BOOL, CAIRN_PARAM_SIZE or CAIRN_PARAM_CHOICE. */
static inline uint64_t cairn_param_unsigned(const cairn_param_cell_t *cell)
{
  return __atomic_load_n(&cell->value, __ATOMIC_RELAXED);
}

/* The value of a CAIRN_PARAM_INTEGER. */
static inline int64_t cairn_param_integer(const cairn_param_cell_t *cell)
{
  return (int64_t)__atomic_load_n(&cell->value, __ATOMIC_RELAXED);
}

/* The value of a CAIRN_PARAM_STRING or CAIRN_PARAM_LIST. */
static inline const char *cairn_param_string(const cairn_param_cell_t *cell)
{
  return (const char *)(uintptr_t)__atomic_load_n(&cell->value, __ATOMIC_ACQUIRE);
}

"#;

/// Turns Rust's names in comments into C's and takes the brackets of links away:
/// ``[`CriPool::count`]`` becomes `` `cairn_cri_pool_t.count` ``.
fn c_comments(text: &str, names: &HashMap<String, String>) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let trimmed = line.trim_start();
        let comment =
            trimmed.starts_with('*') || trimmed.starts_with("/*") || trimmed.starts_with("//");
        if comment {
            out += &c_comment(line, names)
        } else {
            out += line
        }
        out.push('\n');
    }
    out
}

fn c_comment(line: &str, names: &HashMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let Some(len) = rest[start + 1..].find('`') else { break };
        let (before, name) = (&rest[..start], &rest[start + 1..start + 1 + len]);
        rest = &rest[start + len + 2..];
        let linked = before.ends_with('[') && rest.starts_with(']');
        out += if linked { &before[..before.len() - 1] } else { before };
        if linked {
            rest = &rest[1..];
            if rest.starts_with('(') {
                rest = rest.split_once(')').map_or("", |(_, rest)| rest);
            }
        }
        let (path, field) = name.rsplit_once("::").unwrap_or(("", name));
        let last = |path: &str| path.rsplit("::").next().unwrap_or("").to_owned();
        let c = match (names.get(field), names.get(&last(path))) {
            (Some(c), _) => c.clone(),
            (None, Some(c)) => format!("{c}.{field}"),
            (None, None) => name.to_owned(),
        };
        out += &format!("`{c}`");
    }
    out + rest
}

fn tidy(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.dedup_by(|a, b| a.is_empty() && b.is_empty());
    lines.join("\n").trim_end().to_owned() + "\n"
}

/// Where the headers are kept.
pub fn dir(root: &Path) -> PathBuf {
    root.join("include/cairn")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_c_names() {
        assert_eq!(snake("CriPool"), "cri_pool");
        assert_eq!(snake("Host"), "host");
    }

    #[test]
    fn comments_speak_c() {
        let names: HashMap<String, String> = [("CriPool", "cairn_cri_pool_t"), ("OK", "CAIRN_OK")]
            .map(|(rust, c)| (rust.to_owned(), c.to_owned()))
            .into();
        let c = |line| c_comment(line, &names);
        assert_eq!(c(" * see [`CriPool::count`]."), " * see `cairn_cri_pool_t.count`.");
        assert_eq!(c(" * [`super::status::OK`] or `x`"), " * `CAIRN_OK` or `x`");
        assert_eq!(c(" * [`Pool`](crate::abi::CriPool) here"), " * `Pool` here");
        assert_eq!(c(" * no end ` here"), " * no end ` here");
    }
}
