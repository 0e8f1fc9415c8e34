//! The convex hull of points on one side.

/// The most corners kept. Delays that vary have tens; a file made for it could have as many as
/// packets, and then every other corner is as good.
const MOST_CORNERS: usize = 4096;

/// The lower hull of points (`SIDE` 1) or the upper (`SIDE` -1): the corners that a line below,
/// or above, all points can touch.
///
/// Coordinates are kept relative to the first point, so that they stay exact as doubles.
#[derive(Clone, Debug, Default)]
pub(super) struct Hull<const SIDE: i64> {
    origin: Option<(i64, i64)>,
    corners: Vec<(i64, i64)>,
    count: u64,
    /// Of all `x`.
    sum: i128,
}

impl<const SIDE: i64> Hull<SIDE> {
    /// Returns whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a point; those that come in the order of `x` cost least.
    pub fn add(&mut self, x: i64, y: i64) {
        let (x0, y0) = *self.origin.get_or_insert((x, y));
        let point = (x.wrapping_sub(x0), y.wrapping_sub(y0).wrapping_mul(SIDE));
        self.count += 1;
        self.sum += i128::from(point.0);
        if self.corners.last().is_none_or(|last| last.0 < point.0) {
            push(&mut self.corners, point);
        } else {
            self.insert(point);
        }
        if self.corners.len() > MOST_CORNERS {
            let mut place = 0;
            self.corners.retain(|_| {
                place += 1;
                place % 2 == 1 || place > MOST_CORNERS
            });
        }
    }

    /// A point that stands before others.
    fn insert(&mut self, point: (i64, i64)) {
        let at = self.corners.partition_point(|corner| corner.0 < point.0);
        match self.corners.get_mut(at) {
            Some(corner) if corner.0 == point.0 => corner.1 = corner.1.min(point.1),
            _ => self.corners.insert(at, point),
        }
        let mut corners = Vec::with_capacity(self.corners.len() + 1);
        for &corner in &self.corners {
            push(&mut corners, corner);
        }
        self.corners = corners;
    }

    /// Returns how high a line of this slope that touches the hull is at `x`.
    pub fn support(&self, slope: f64, x: i64) -> f64 {
        let Some((x0, y0)) = self.origin else {
            return f64::NAN;
        };
        let side = SIDE as f64;
        let over = |corner: &(i64, i64)| corner.1 as f64 - side * slope * corner.0 as f64;
        let lowest = self.corners.iter().map(over).fold(f64::INFINITY, f64::min);
        y0 as f64 + side * lowest + slope * x.wrapping_sub(x0) as f64
    }

    /// The slopes of its edges.
    pub fn slopes(&self) -> impl Iterator<Item = f64> {
        let edges = self.corners.windows(2);
        edges.map(|edge| {
            let x = edge[1].0 as f64 - edge[0].0 as f64;
            let y = edge[1].1 as f64 - edge[0].1 as f64;
            SIDE as f64 * y / x
        })
    }

    /// The slope of the line that touches it below the mean of its points, for which the sum of
    /// their distances is smallest; none for points of one `x`.
    pub fn tangent(&self) -> Option<f64> {
        let count = self.count.max(1) as f64;
        let mean_x = self.sum as f64 / count;
        let at = self
            .corners
            .partition_point(|corner| corner.0 as f64 <= mean_x);
        let edge = at
            .saturating_sub(1)
            .min(self.corners.len().saturating_sub(2));
        self.slopes().nth(edge)
    }
}

/// Appends the rightmost point to a lower hull.
fn push(corners: &mut Vec<(i64, i64)>, point: (i64, i64)) {
    while let [.., before, last] = corners[..] {
        if !is_above(before, last, point) {
            break;
        }
        corners.pop();
    }
    corners.push(point);
}

/// Returns whether `middle` lies on or above the line from `left` to `right`.
fn is_above(left: (i64, i64), middle: (i64, i64), right: (i64, i64)) -> bool {
    let step = |to: (i64, i64)| {
        let (x, y) = (
            i128::from(to.0) - i128::from(left.0),
            i128::from(to.1) - i128::from(left.1),
        );
        (x, y)
    };
    let (middle, right) = (step(middle), step(right));
    // Differences of 64-bit numbers have 65 bits; their product may have 130. Times in a
    // hostile file are cut to what a product can hold.
    middle.1.saturating_mul(right.0) >= right.1.saturating_mul(middle.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A line that touches the hull touches the points, in whatever order they came.
        #[test]
        fn it_supports_as_all_points_do(
            points in proptest::collection::vec((-1000_i64..1000, -1000_i64..1000), 1..60),
            slope in -3.0_f64..3.0,
        ) {
            let (mut lower, mut upper) = (Hull::<1>::default(), Hull::<-1>::default());
            for &(x, y) in &points {
                lower.add(x, y);
                upper.add(x, y);
            }
            let over = |&(x, y): &(i64, i64)| y as f64 + slope * (7 - x) as f64;
            let least = points.iter().map(over).fold(f64::INFINITY, f64::min);
            let most = points.iter().map(over).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!((lower.support(slope, 7) - least).abs() < 1e-6);
            prop_assert!((upper.support(slope, 7) - most).abs() < 1e-6);
        }
    }

    #[test]
    fn the_tangent_lies_below_the_middle() {
        let mut hull = Hull::<1>::default();
        for x in 0..100 {
            hull.add(x, 5 + 2 * x + i64::from(x % 3 != 0) * 9);
        }
        let slope = hull.tangent().expect("an edge");
        assert!((slope - 2.0).abs() < 1e-9, "{slope}");
        let mut point = Hull::<1>::default();
        point.add(3, 4);
        assert_eq!(point.tangent(), None);
    }
}
