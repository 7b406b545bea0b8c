//! A picture as data: marks in a plane whose x is a share of its width and whose y is in pixels.

/// The meaning of a colour, the same in all pictures and tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// Text, and the first set of policies.
    Ink,
    /// Second text.
    Muted,
    /// Axes and waits.
    Axis,
    /// Lines of a scale.
    Grid,
    /// Recovered, retried or useful.
    Good,
    /// Lost or failed.
    Bad,
    /// Neither, or unknown.
    Unknown,
    /// Ended by the cluster.
    Interrupted,
    /// One of several series of equal rank, by its number.
    Series(usize),
}

impl Tone {
    /// The tones of queues in a picture, in their order; the last is for all others.
    pub(super) const QUEUES: [Self; 6] = [
        Self::Good,
        Self::Series(0),
        Self::Series(1),
        Self::Series(2),
        Self::Interrupted,
        Self::Unknown,
    ];

    /// The tone of a set of policies, by its number.
    pub(super) fn variant(number: usize) -> Self {
        [Self::Ink, Self::Interrupted, Self::Series(2), Self::Series(0)][number % 4]
    }

    /// The name in classes of the style.
    pub(in crate::report) fn class(self) -> &'static str {
        match self {
            Self::Ink => "ink",
            Self::Muted => "mute",
            Self::Axis => "axis",
            Self::Grid => "grid",
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Unknown => "unk",
            Self::Interrupted => "q3",
            Self::Series(number) => ["q2", "q5", "q4"][number % 3],
        }
    }
}

/// A point: x as a share of the width from 0 to 1, y in pixels from the top.
pub(in crate::report) type Point = (f64, f64);

/// The filling of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Filling {
    /// One colour.
    Solid(Tone),
    /// Hatched: unknown, or waiting.
    Hatched(Tone),
    /// Empty with a dashed edge: on record, and not reached.
    Dashed,
}

/// The form of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Stroke {
    /// A line of a scale, 1 pixel.
    Thin(Tone),
    /// A reference, dashed.
    Reference,
    /// An interval.
    Interval(Tone),
}

/// The end of a text that is at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text in a picture.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct Text {
    /// The point of its baseline.
    pub(in crate::report) at: Point,
    /// Pixels to the right of the point.
    pub(in crate::report) shift: f64,
    /// The end that is there.
    pub(in crate::report) anchor: Anchor,
    /// The words.
    pub(in crate::report) words: String,
    /// A second text after them, which a narrow page leaves out.
    pub(in crate::report) more: String,
    /// Its colour.
    pub(in crate::report) tone: Tone,
    /// Its rank.
    pub(in crate::report) rank: TextRank,
}

/// The rank of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum TextRank {
    /// A value of a scale.
    Tick,
    /// A label of a mark.
    Label,
    /// The name of what is looked for.
    Name,
    /// A label that a narrow page leaves out.
    Optional,
}

/// A part of a picture.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) enum Mark {
    /// A bar from one x to another.
    Bar { x: (f64, f64), y: f64, height: f64, filling: Filling, tip: String },
    /// A straight line.
    Line { from: Point, to: Point, stroke: Stroke },
    /// A dot of a radius in pixels.
    Dot { at: Point, radius: f64, tone: Tone, tip: String },
    /// A text.
    Text(Text),
    /// A line through points.
    Path { points: Vec<Point>, tone: Tone, tip: String },
    /// An area inside of points.
    Area { points: Vec<Point>, tone: Tone, is_faint: bool, tip: String },
}

/// A label at the left of a row of a picture.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct RowLabel {
    /// The baseline in pixels.
    pub(in crate::report) y: f64,
    /// The name in front, such as the number of a run.
    pub(in crate::report) name: String,
    /// The text after it.
    pub(in crate::report) text: String,
}

/// An entry of the key of a picture.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct KeyEntry {
    /// The look of the marks.
    pub(in crate::report) filling: Filling,
    /// Their meaning.
    pub(in crate::report) text: String,
}

impl KeyEntry {
    /// An entry of marks of one colour.
    pub(in crate::report) fn solid(tone: Tone, text: impl Into<String>) -> Self {
        Self { filling: Filling::Solid(tone), text: text.into() }
    }
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct Chart {
    /// The name: that of its file, unique on a page.
    pub(in crate::report) name: String,
    /// The title.
    pub(in crate::report) title: String,
    /// Its values in words, for those who cannot see it.
    pub(in crate::report) description: String,
    /// The height in pixels.
    pub(in crate::report) height: f64,
    /// The width of its own file in pixels; on a page it fills its column.
    pub(in crate::report) width: f64,
    /// The labels of its rows, if it has some.
    pub(in crate::report) rows: Vec<RowLabel>,
    /// The key, where areas touch.
    pub(in crate::report) key: Vec<KeyEntry>,
    /// The marks, later ones over earlier ones.
    pub(in crate::report) marks: Vec<Mark>,
}

impl Chart {
    /// The width of a file, unless rows need more.
    const WIDTH: f64 = 640.0;

    /// An empty picture.
    pub(super) fn new(name: impl Into<String>, title: impl Into<String>, height: f64) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            description: String::new(),
            height,
            width: Self::WIDTH,
            rows: Vec::new(),
            key: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Adds a bar; one without a width is left out.
    pub(super) fn bar(
        &mut self,
        x: (f64, f64),
        (y, height): (f64, f64),
        filling: Filling,
        tip: String,
    ) {
        if x.1 > x.0 && height > 0.0 {
            self.marks.push(Mark::Bar { x, y, height, filling, tip });
        }
    }

    /// Adds a straight line.
    pub(super) fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.marks.push(Mark::Line { from, to, stroke });
    }

    /// Adds a dot.
    pub(super) fn dot(&mut self, at: Point, radius: f64, tone: Tone, tip: String) {
        self.marks.push(Mark::Dot { at, radius, tone, tip });
    }

    /// Adds a text.
    pub(super) fn text(&mut self, text: Text) {
        self.marks.push(Mark::Text(text));
    }
}

impl Text {
    /// A text in ink at a point.
    pub(super) fn new(at: Point, anchor: Anchor, words: impl Into<String>, rank: TextRank) -> Self {
        let tone = match rank {
            TextRank::Tick | TextRank::Optional => Tone::Muted,
            TextRank::Label | TextRank::Name => Tone::Ink,
        };
        let (words, more) = (words.into(), String::new());
        Self { at, shift: 0.0, anchor, words, more, tone, rank }
    }

    /// The text in another colour.
    #[must_use]
    pub(super) fn in_tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    /// The text some pixels further to the right.
    #[must_use]
    pub(super) fn shifted(self, shift: f64) -> Self {
        Self { shift, ..self }
    }

    /// The width of the text in pixels, as far as it can be known without a font.
    pub(super) fn width(&self) -> f64 {
        text_width(&self.words) + text_width(&self.more)
    }
}

/// The width of a text of 12 pixels in an average font: a character has at most 0.55 of its size on average.
pub(in crate::report) fn text_width(text: &str) -> f64 {
    const CHARACTER: f64 = 6.6;
    crate::report::page::numbers::float(unicode_width::UnicodeWidthStr::width(text) as u64)
        * CHARACTER
}
