//! A check of XML by an XML Schema, as far as `testdata/schemas/junit-10.xsd` uses the language. The schema is
//! read from its file; a part of the language that it does not use is refused, so that nothing is skipped.

use super::xml::{Element, parse};
use regex::Regex;
use std::collections::{BTreeSet, HashMap};

/// The declarations of a schema, by name.
pub struct Schema {
    elements: HashMap<String, Type>,
    types: HashMap<String, Type>,
}

/// What an element or attribute holds.
#[derive(Debug, Clone)]
enum Type {
    /// Any text.
    Text,
    /// A text with a pattern.
    Pattern(Regex),
    /// A type by its name.
    Named(String),
    Complex(Complex),
}

#[derive(Debug, Clone, Default)]
struct Complex {
    is_mixed: bool,
    content: Option<Particle>,
    attributes: Vec<Attribute>,
}

#[derive(Debug, Clone)]
struct Attribute {
    name: String,
    kind: Type,
    is_required: bool,
}

/// A part of a content model, and how often it may occur.
#[derive(Debug, Clone)]
struct Particle {
    term: Term,
    min: usize,
    max: usize,
}

#[derive(Debug, Clone)]
enum Term {
    Sequence(Vec<Particle>),
    Choice(Vec<Particle>),
    /// An element that is declared at the top.
    Reference(String),
    /// An element with a type of its own.
    Local(String, Box<Type>),
}

impl Schema {
    /// Reads a schema.
    pub fn new(text: &str) -> Self {
        let root = parse(text).expect("the schema is XML");
        assert_eq!(root.name, "xs:schema");
        let mut schema = Self { elements: HashMap::new(), types: HashMap::new() };
        for child in &root.children {
            let name = child.get("name").expect("a name").to_owned();
            match child.name.as_str() {
                "xs:element" => _ = schema.elements.insert(name, element_type(child)),
                "xs:complexType" => _ = schema.types.insert(name, Type::Complex(complex(child))),
                "xs:simpleType" => _ = schema.types.insert(name, simple(child)),
                other => panic!("{other} is not read"),
            }
        }
        schema
    }

    /// Checks a document; the reasons why it is not valid.
    pub fn check(&self, text: &str) -> Vec<String> {
        let root = match parse(text) {
            Ok(root) => root,
            Err(error) => return vec![format!("not well-formed: {error}")],
        };
        let mut errors = Vec::new();
        match self.elements.get(&root.name) {
            Some(kind) => self.check_element(&root, kind, &root.name, &mut errors),
            None => errors.push(format!("no element {}", root.name)),
        }
        errors
    }

    fn check_element(&self, element: &Element, kind: &Type, path: &str, errors: &mut Vec<String>) {
        let complex = match kind {
            Type::Named(name) => {
                return self.check_element(element, &self.types[name], path, errors);
            }
            Type::Complex(complex) => complex,
            simple => {
                if !element.children.is_empty() || !element.attributes.is_empty() {
                    errors.push(format!("{path} holds text only"));
                }
                return self.check_text(&element.text, simple, path, errors);
            }
        };
        for (name, value) in &element.attributes {
            match complex.attributes.iter().find(|one| one.name == *name) {
                Some(one) => self.check_text(value, &one.kind, &format!("{path}/@{name}"), errors),
                None => errors.push(format!("{path} has no attribute {name}")),
            }
        }
        for required in complex.attributes.iter().filter(|one| one.is_required) {
            if element.get(&required.name).is_none() {
                errors.push(format!("{path} needs the attribute {}", required.name));
            }
        }
        if !complex.is_mixed && !element.text.trim().is_empty() {
            errors.push(format!("{path} holds no text"));
        }
        let names: Vec<&str> = element.children.iter().map(|child| child.name.as_str()).collect();
        let ends = match &complex.content {
            Some(particle) => ends(particle, &names, 0),
            None => BTreeSet::from([0]),
        };
        if !ends.contains(&names.len()) {
            errors.push(format!("{path} cannot hold {names:?}"));
        }
        for child in &element.children {
            let path = format!("{path}/{}", child.name);
            let local = complex.content.as_ref().and_then(|content| local(content, &child.name));
            match local.or_else(|| self.elements.get(&child.name)) {
                Some(kind) => self.check_element(child, kind, &path, errors),
                None => errors.push(format!("no element {path}")),
            }
        }
    }

    fn check_text(&self, text: &str, kind: &Type, path: &str, errors: &mut Vec<String>) {
        match kind {
            Type::Text => {}
            Type::Pattern(pattern) if pattern.is_match(text) => {}
            Type::Pattern(_) => errors.push(format!("{path}: {text}")),
            Type::Named(name) => self.check_text(text, &self.types[name], path, errors),
            Type::Complex(_) => panic!("{path} is an attribute"),
        }
    }
}

/// The positions at which a particle may end that begins at a position.
fn ends(particle: &Particle, names: &[&str], start: usize) -> BTreeSet<usize> {
    let once = |from: usize| -> BTreeSet<usize> {
        match &particle.term {
            Term::Reference(name) | Term::Local(name, _) => {
                (names.get(from) == Some(&name.as_str())).then_some(from + 1).into_iter().collect()
            }
            Term::Choice(all) => all.iter().flat_map(|one| ends(one, names, from)).collect(),
            Term::Sequence(all) => all.iter().fold(BTreeSet::from([from]), |starts, one| {
                starts.into_iter().flat_map(|start| ends(one, names, start)).collect()
            }),
        }
    };
    let mut found = BTreeSet::new();
    let mut current = BTreeSet::from([start]);
    for count in 0..=particle.max {
        if count >= particle.min {
            let before = found.len();
            found.extend(&current);
            if count > particle.min && found.len() == before {
                break;
            }
        }
        current = current.into_iter().flat_map(once).collect();
        if current.is_empty() {
            break;
        }
    }
    found
}

/// The type of a local element.
fn local<'p>(particle: &'p Particle, name: &str) -> Option<&'p Type> {
    match &particle.term {
        Term::Local(own, kind) => Some(&**kind).filter(|_| own == name),
        Term::Reference(_) => None,
        Term::Sequence(all) | Term::Choice(all) => all.iter().find_map(|one| local(one, name)),
    }
}

fn element_type(element: &Element) -> Type {
    match (element.get("type"), element.children.as_slice()) {
        (Some(name), []) => named(name),
        (None, [only]) if only.name == "xs:complexType" => Type::Complex(complex(only)),
        _ => panic!("an element without a type: {element:?}"),
    }
}

fn named(name: &str) -> Type {
    match name {
        "xs:string" => Type::Text,
        name => {
            assert!(!name.starts_with("xs:"), "{name} is not read");
            Type::Named(name.to_owned())
        }
    }
}

fn simple(element: &Element) -> Type {
    let [restriction] = element.children.as_slice() else { panic!("one restriction") };
    assert_eq!(
        (restriction.name.as_str(), restriction.get("base")),
        ("xs:restriction", Some("xs:string"))
    );
    let [pattern] = restriction.children.as_slice() else { panic!("one pattern") };
    assert_eq!(pattern.name, "xs:pattern");
    let pattern = pattern.get("value").expect("a value");
    Type::Pattern(Regex::new(&format!("^(?:{pattern})$")).expect("a pattern"))
}

fn complex(element: &Element) -> Complex {
    let mut complex =
        Complex { is_mixed: element.get("mixed") == Some("true"), ..Complex::default() };
    for child in &element.children {
        match child.name.as_str() {
            "xs:attribute" => complex.attributes.push(Attribute {
                name: child.get("name").expect("a name").to_owned(),
                kind: named(child.get("type").expect("a type")),
                is_required: child.get("use") == Some("required"),
            }),
            _ => assert!(complex.content.replace(particle(child)).is_none(), "two contents"),
        }
    }
    complex
}

fn particle(element: &Element) -> Particle {
    let occurs = |name: &str| match element.get(name) {
        None => 1,
        Some("unbounded") => usize::MAX,
        Some(number) => number.parse().expect("a number"),
    };
    let parts = || element.children.iter().map(particle).collect();
    let term = match element.name.as_str() {
        "xs:sequence" => Term::Sequence(parts()),
        "xs:choice" => Term::Choice(parts()),
        "xs:element" => match element.get("ref") {
            Some(name) => Term::Reference(name.to_owned()),
            None => Term::Local(
                element.get("name").expect("a name").to_owned(),
                Box::new(element_type(element)),
            ),
        },
        other => panic!("{other} is not read"),
    };
    Particle { term, min: occurs("minOccurs"), max: occurs("maxOccurs") }
}

/// The schema of `JUnit`'s reports.
pub fn junit() -> Schema {
    let path = super::sandbox::root().join("testdata/schemas/junit-10.xsd");
    Schema::new(&std::fs::read_to_string(path).expect("the schema"))
}

#[test]
fn what_the_schema_does_not_have_is_found() {
    let schema = junit();
    let suite = |inner: &str| {
        format!(
            "<testsuites><testsuite name='a' tests='1' failures='0' errors='0'>{inner}</testsuite></testsuites>"
        )
    };
    for valid in [
        "<testsuites/>".to_owned(),
        "<testsuite name='a' tests='' failures='' errors='' file='f' time='1,234.567'/>".to_owned(),
        suite(
            "<testcase name='b'/><system-out>x</system-out><testsuite name='c' tests='0' failures='0' errors='0'/>",
        ),
        suite("<testcase name='b' time='x'><failure message='m'>text</failure><error/></testcase>"),
        suite(
            "<testcase name='b'><rerunError type='t'>x<stackTrace/><system-err/></rerunError></testcase>",
        ),
        suite("<properties><property name='a' value='b'/></properties>"),
    ] {
        assert_eq!(schema.check(&valid), [""; 0], "{valid}");
    }
    for invalid in [
        "<tests/>".to_owned(),
        "<testsuites skipped='0'/>".to_owned(),
        "<testsuites time='1.2345'/>".to_owned(),
        "<testsuites>text</testsuites>".to_owned(),
        "<testsuites><testcase name='a'/></testsuites>".to_owned(),
        "<testsuite name='a' tests='1' failures='0'/>".to_owned(),
        suite("<testcase/>"),
        suite("<testcase name='b' line='1'/>"),
        suite("<testcase name='b'><skip/></testcase>"),
        suite("<testcase name='b'><system-out><b/></system-out></testcase>"),
        suite(
            "<testcase name='b'><rerunError type='t'><system-err/><stackTrace/></rerunError></testcase>",
        ),
        suite("<testcase name='b'><rerunError/></testcase>"),
        suite("<properties><property name='a'/></properties>"),
        suite("<testcase name='b'>"),
    ] {
        assert_ne!(schema.check(&invalid), [""; 0], "{invalid}");
    }
}
