//! `tumble-problem-1`: one contact problem of one time step as JSON.
//!
//! Reading is strict: whatever is not understood is refused with its place and the reason, before any solver sees it. Only
//! keys beside the problem itself (`source` and the like) are passed over.

use crate::limits::{MAX_PROBLEM_BYTES, read_capped};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::path::Path;
use tumble::math::{Real, Vec6};
use tumble::rows::{Admissible, Friction, InverseMass, RowInput};
use tumble::{BodyIndex, Error, Problem, RowIndex};
use tumble_scenes::words::{Block, Rows};

/// The `format` a file must name.
pub const FORMAT: &str = "tumble-problem-1";

/// A problem file as written.
#[derive(Clone, Debug, Deserialize)]
pub struct ProblemFile {
    /// Must be [`FORMAT`].
    pub format: String,
    /// What the problem is called.
    pub name: String,
    /// Bodies that can move.
    pub bodies: Vec<Body>,
    /// Rows between them.
    pub rows: Vec<Row>,
    /// Which rows form a Coulomb cone.
    // not optional: a misspelt key would take the friction away unnoticed
    pub contacts: Vec<Contact>,
    /// Answers somebody else computed.
    #[serde(default)]
    pub reference: Option<References>,
}

/// What every version of the format has.
#[derive(Deserialize)]
struct Head {
    format: String,
}

/// A body: `M⁻¹` (1/kg, 1/(kg·m²)) and `v_free = M⁻¹f` (m/s, rad/s).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// `M⁻¹`
    pub inv_mass: [[f64; 6]; 6],
    /// `v_free`
    pub v_free: [f64; 6],
}

/// A row `w = ja·v_a + jb·v_b − e + c γ`, `lo ≤ γ ≤ hi`; `null` is the ground or no bound.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// First body.
    pub a: Option<usize>,
    /// `E_a`
    pub ja: Option<[f64; 6]>,
    /// Second body.
    pub b: Option<usize>,
    /// `E_b`
    pub jb: Option<[f64; 6]>,
    /// `e`, m/s
    #[serde(default)]
    pub e: f64,
    /// `c`, 1/kg
    #[serde(default)]
    pub c: f64,
    /// Least impulse, N·s
    #[serde(deserialize_with = "written")]
    pub lo: Option<f64>,
    /// Largest impulse, N·s
    #[serde(deserialize_with = "written")]
    pub hi: Option<f64>,
}

/// `null` must be written: a bound left out would make a contact stick unnoticed.
fn written<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<f64>, D::Error> {
    Option::deserialize(reader)
}

/// A contact with Coulomb's cone; the bounds of its rows are ignored.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// Normal row.
    pub n: usize,
    /// Tangent rows.
    pub t: [usize; 2],
    /// Coefficient of friction.
    pub mu: f64,
}

/// Reference answers by model.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct References {
    /// Cone complementarity.
    pub ccp: Option<Reference>,
    /// Exact Coulomb friction.
    pub ncp: Option<Reference>,
    /// No contacts: bounded rows only, the same under both models.
    #[serde(rename = "box")]
    pub bounded: Option<Reference>,
}

/// One reference answer.
#[derive(Clone, Debug, Deserialize)]
pub struct Reference {
    /// Velocities. m/s, rad/s
    pub v: Vec<[f64; 6]>,
    /// Impulses. N·s
    pub gamma: Option<Vec<f64>>,
}

/// Why a file was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Where: a JSON path, with line and column when the text itself is at fault.
    pub place: String,
    /// Why.
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

impl std::error::Error for Refusal {}

fn refuse<T>(place: impl Into<String>, reason: impl ToString) -> Result<T, Refusal> {
    Err(Refusal { place: place.into(), reason: reason.to_string() })
}

impl ProblemFile {
    /// Reads a problem file of at most [`MAX_PROBLEM_BYTES`].
    ///
    /// # Errors
    /// A [`Refusal`] with the place and the reason.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        match read_capped(path, MAX_PROBLEM_BYTES).map(String::from_utf8) {
            Ok(Ok(text)) => Self::parse(&text),
            Ok(Err(error)) => refuse(format!("byte {}", error.utf8_error().valid_up_to()), "not UTF-8 text"),
            Err(error) => refuse("file", error),
        }
    }

    /// Read the text of a problem file.
    ///
    /// # Errors
    /// A [`Refusal`] with the place and the reason.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        // some editors put a byte order mark before everything
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // another format may have nothing else in common with this one: that is what to say then
        if let Ok(Head { format }) = serde_json::from_str(text)
            && format != FORMAT
        {
            return refuse("format", format!("{format:?} is not {FORMAT:?}"));
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let file: Self = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            // the reader writes "?" for a key it has not read to its end, and "." for the root
            let path = error.path().to_string();
            let path = path.trim_end_matches(['.', '?']);
            // inside a document that is a list longer than it may be
            let reason = error.inner().to_string().replace("trailing characters", "the list must end");
            Refusal { place: if path.is_empty() { "file" } else { path }.into(), reason }
        })?;
        if let Err(error) = reader.end() {
            return refuse("end of file", error);
        }
        let (bodies, rows) = (file.bodies.len(), file.rows.len());
        let References { ccp, ncp, bounded } = file.reference.clone().unwrap_or_default();
        for (name, reference) in [("ccp", &ccp), ("ncp", &ncp), ("box", &bounded)] {
            let Some(Reference { v, gamma }) = reference else { continue };
            if v.len() != bodies {
                return refuse(format!("reference.{name}.v"), format!("{} velocities for {bodies} bodies", v.len()));
            }
            if let Some(gamma) = gamma
                && gamma.len() != rows
            {
                return refuse(format!("reference.{name}.gamma"), format!("{} impulses for {rows} rows", gamma.len()));
            }
        }
        Ok(file)
    }

    /// Write the problem into `problem`, which is cleared first. Returns each file row's id.
    ///
    /// # Errors
    /// A [`Refusal`] with the place and the reason; then `problem` is empty.
    pub fn build<R: Real, const BODIES: usize, const ROWS: usize>(
        &self,
        problem: &mut Problem<R, BODIES, ROWS>,
    ) -> Result<Vec<RowIndex>, Refusal> {
        self.build_with(problem, |mu| Friction::Cone { mu })
    }

    /// The same with another friction in place of Coulomb's cone, by its coefficient.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with<R: Real, const BODIES: usize, const ROWS: usize>(
        &self,
        problem: &mut Problem<R, BODIES, ROWS>,
        friction: impl Fn(R) -> Friction<R>,
    ) -> Result<Vec<RowIndex>, Refusal> {
        problem.clear();
        let built = self.build_bodies(problem).and_then(|bodies| self.build_rows(problem, &bodies, friction));
        if built.is_err() {
            problem.clear();
        }
        built
    }

    fn build_bodies<R: Real, const BODIES: usize, const ROWS: usize>(
        &self,
        problem: &mut Problem<R, BODIES, ROWS>,
    ) -> Result<Vec<BodyIndex>, Refusal> {
        self.bodies
            .iter()
            .enumerate()
            .map(|(i, body)| {
                let place = |error| Refusal { place: format!("bodies[{i}]"), reason: reason(error, BODIES) };
                let inverse_mass = InverseMass::from_matrix(body.inv_mass.map(numbers)).map_err(place)?;
                problem.add_body(inverse_mass, Vec6::from(numbers(body.v_free))).map_err(place)
            })
            .collect()
    }

    fn build_rows<R: Real, const BODIES: usize, const ROWS: usize>(
        &self,
        problem: &mut Problem<R, BODIES, ROWS>,
        bodies: &[BodyIndex],
        friction: impl Fn(R) -> Friction<R>,
    ) -> Result<Vec<RowIndex>, Refusal> {
        let mut ids = vec![None; self.rows.len()];
        self.each_block(|place, numbers, block| {
            let (a, b) = (bodies[block.a], block.b.map(|b| bodies[b]));
            let added = match &block.rows {
                Rows::Single { input, lo, hi } => {
                    let admissible = Admissible::Bounded { lo: *lo, hi: *hi };
                    let added = problem.add_row(a, b, input, admissible);
                    vec![added.map_err(|error| Refusal { place, reason: reason(error, ROWS) })?]
                }
                Rows::Contact { inputs, mu } => {
                    let added = problem.add_contact(a, b, inputs, friction(*mu)).map_err(|error| {
                        // a row that is refused by itself too is to blame, else the contact
                        let mut refused = |input| problem.add_row(a, b, input, Admissible::Bilateral).is_err();
                        let culprit = numbers.iter().zip(inputs).find(|(_, input)| refused(input));
                        let place = culprit.map_or(place, |(row, _)| format!("rows[{row}]"));
                        Refusal { place, reason: reason(error, ROWS) }
                    })?;
                    added.into()
                }
            };
            numbers.iter().zip(added).for_each(|(row, id)| ids[*row] = Some(id));
            Ok(())
        })?;
        Ok(ids.into_iter().flatten().collect())
    }

    /// What to add to a problem of these bodies, in this order, each with its place in the file and the numbers of its rows there: rows in file
    /// order; a contact's three rows stand together where the first of them stood.
    ///
    /// # Errors
    /// A [`Refusal`] with the place and the reason, or that of `visit`.
    pub fn each_block<R: Real>(
        &self,
        mut visit: impl FnMut(String, &[usize], &Block<R>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let owners = self.contact_of_rows()?;
        let mut visited = vec![false; self.contacts.len()];
        for (i, row) in self.rows.iter().enumerate() {
            match owners[i] {
                None => {
                    let place = format!("rows[{i}]");
                    let (a, b) = self.joined(&[i], place.clone())?;
                    let lo = row.lo.map_or(-R::INFINITY, R::from_f64);
                    let hi = row.hi.map_or(R::INFINITY, R::from_f64);
                    let rows = Rows::Single { input: self.input(i, a, b), lo, hi };
                    visit(place, &[i], &Block { a, b, rows })?;
                }
                Some(k) if !visited[k] => {
                    visited[k] = true;
                    let contact = &self.contacts[k];
                    let numbers = [contact.n, contact.t[0], contact.t[1]];
                    let place = format!("contacts[{k}]");
                    let (a, b) = self.joined(&numbers, place.clone())?;
                    let inputs = numbers.map(|row| self.input(row, a, b));
                    let rows = Rows::Contact { inputs, mu: R::from_f64(contact.mu) };
                    visit(place, &numbers, &Block { a, b, rows })?;
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// For each row the contact it belongs to.
    fn contact_of_rows(&self) -> Result<Vec<Option<usize>>, Refusal> {
        let mut owners = vec![None; self.rows.len()];
        for (k, contact) in self.contacts.iter().enumerate() {
            for (field, row) in [("n", contact.n), ("t[0]", contact.t[0]), ("t[1]", contact.t[1])] {
                let place = format!("contacts[{k}].{field}");
                match owners.get_mut(row) {
                    None => return refuse(place, format!("there is no row {row}, only {}", self.rows.len())),
                    Some(Some(other)) => {
                        return refuse(place, format!("row {row} belongs to contact {other} already"));
                    }
                    Some(owner) => *owner = Some(k),
                }
            }
        }
        Ok(owners)
    }

    /// The one or two bodies that these rows join; `a` of the first row leads.
    fn joined(&self, rows: &[usize], place: String) -> Result<(usize, Option<usize>), Refusal> {
        let bodies = self.bodies.len();
        let mut joined: Vec<usize> = Vec::new();
        for &i in rows {
            let row = &self.rows[i];
            for (field, body, jacobian) in [("a", row.a, &row.ja), ("b", row.b, &row.jb)] {
                let place = format!("rows[{i}].{field}");
                let Some(body) = body else { continue };
                if body >= bodies {
                    return refuse(place, format!("there is no body {body}, only {bodies}"));
                }
                if jacobian.is_none() {
                    return refuse(format!("rows[{i}].j{field}"), format!("missing although {field} is body {body}"));
                }
                if !joined.contains(&body) {
                    joined.push(body);
                }
            }
            if row.a == row.b {
                let reason = if row.a.is_some() { Error::SameBody.to_string() } else { "joins no body".into() };
                return refuse(format!("rows[{i}]"), reason);
            }
        }
        match joined[..] {
            [a] => Ok((a, None)),
            [a, b] => Ok((a, Some(b))),
            _ => refuse(place, format!("joins {} bodies; a row or contact joins at most two", joined.len())),
        }
    }

    /// Row `i` seen from bodies `a` and `b`, whichever way round the file has them.
    fn input<R: Real>(&self, i: usize, a: usize, b: Option<usize>) -> RowInput<R> {
        let row = &self.rows[i];
        let half = |body: Option<usize>| {
            let found = [(row.a, row.ja), (row.b, row.jb)].into_iter().find(|(id, _)| id.is_some() && *id == body);
            Vec6::from(numbers(found.and_then(|(_, jacobian)| jacobian).unwrap_or_default()))
        };
        RowInput {
            jacobian_a: half(Some(a)),
            jacobian_b: half(b),
            target_velocity: R::from_f64(row.e),
            compliance: R::from_f64(row.c),
        }
    }
}

fn numbers<R: Real>(x: [f64; 6]) -> [R; 6] {
    x.map(R::from_f64)
}

fn reason(error: Error, capacity: usize) -> String {
    match error {
        Error::CapacityExceeded(_) => format!("{error} than {capacity}"),
        _ => error.to_string(),
    }
}
