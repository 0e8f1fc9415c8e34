//! Free space and the walls in the way (COST Action 231, "Digital mobile radio towards future
//! generation systems", final report, EUR 18957, 1999, §4.7.2: the multi-wall model). Its floors are
//! left out, as places lie on a plane.

use units::{Db, Place};

use super::{PathLoss, friis_db};

units::declare! {
    /// Free space, and what each wall takes that stands between (COST 231).
    pub struct Config = "multi-wall" {
        /// walls that carry nothing: plasterboard, chipboard, or less than 10 cm of light concrete
        light_walls: Option<Vec<Vec<Place>>> = Field::of(Quantity::Walls)
            .optional()
            .from("no walls of this kind"),
        /// walls that carry the house: concrete or brick of more than 10 cm
        heavy_walls: Option<Vec<Vec<Place>>> = Field::of(Quantity::Walls)
            .optional()
            .from("no walls of this kind"),
        /// loss of a light wall
        light_loss: Db = Field::of(Quantity::Ratio)
            .or(Default::Text("3.4 dB"))
            .from("COST 231 §4.7.2, measured at 1.8 GHz"),
        /// loss of a heavy wall
        heavy_loss: Db = Field::of(Quantity::Ratio)
            .or(Default::Text("6.9 dB"))
            .from("COST 231 §4.7.2, measured at 1.8 GHz"),
    }
}

impl PathLoss for Config {
    fn loss_db(&self, distance_m: f64, frequency_hz: f64) -> f64 {
        friis_db(distance_m, frequency_hz)
    }

    fn obstacles_db(&self, ends: [Place; 2]) -> f64 {
        let of = |walls: &Option<Vec<Vec<Place>>>, loss: Db| {
            let walls = walls.iter().flatten();
            walls.map(|wall| crossings(wall, ends) as f64).sum::<f64>() * loss.0
        };
        of(&self.light_walls, self.light_loss) + of(&self.heavy_walls, self.heavy_loss)
    }
}

/// Returns how often the straight line between two places goes through a wall, which goes straight
/// from each of its places to the next.
///
/// Who stands in a wall, or looks at its corner, is on one side of it all the same; who looks along it
/// has none before him.
fn crossings(wall: &[Place], ends: [Place; 2]) -> usize {
    let is_left_of = |[from, to]: [Place; 2], place: Place| {
        let across = (to.0 - from.0) * (place.1 - from.1) - (to.1 - from.1) * (place.0 - from.0);
        across >= 0.0
    };
    let parts = |[from, to]: [Place; 2], of: [Place; 2]| is_left_of(of, from) != is_left_of(of, to);
    let pieces = wall.windows(2).map(|piece| [piece[0], piece[1]]);
    pieces
        .filter(|&piece| parts(piece, ends) && parts(ends, piece))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rooms() -> Config {
        // Two rooms of 10 by 8 m side by side, the corridor along them, and a light wall across it.
        let places = |each: &[[f64; 2]]| each.iter().map(|&[x, y]| Place(x, y)).collect();
        Config {
            light_walls: Some(vec![
                places(&[[10.0, 0.0], [10.0, 8.0]]),
                places(&[[5.0, 8.0], [5.0, 10.0]]),
            ]),
            heavy_walls: Some(vec![places(&[
                [0.0, 0.0],
                [20.0, 0.0],
                [20.0, 8.0],
                [0.0, 8.0],
                [0.0, 0.0],
            ])]),
            light_loss: Db(3.4),
            heavy_loss: Db(6.9),
        }
    }

    fn walls(one: [f64; 2], other: [f64; 2]) -> f64 {
        let [one, other] = [one, other].map(|[x, y]| Place(x, y));
        let found = rooms().obstacles_db([one, other]);
        assert_eq!(found, rooms().obstacles_db([other, one]), "there and back");
        found
    }

    /// L = L_FS + Σ k L: over 10 m at 2437 MHz 60.18 dB, and the walls.
    #[test]
    fn each_wall_in_the_way_takes_its_loss() {
        assert_eq!(walls([2.0, 2.0], [8.0, 7.0]), 0.0);
        assert_eq!(walls([2.0, 2.0], [12.0, 2.0]), 3.4);
        assert!((walls([2.0, 2.0], [12.0, 9.0]) - (6.9 + 3.4)).abs() < 1e-9);
        assert_eq!(walls([2.0, -5.0], [2.0, 20.0]), 2.0 * 6.9);
        let config = super::super::Config::MultiWall(rooms());
        let loss = config.loss([Place(2.0, 2.0), Place(12.0, 2.0)], 2.437e9);
        assert!((loss.0 - (60.184 + 3.4)).abs() < 1e-3, "{}", loss.0);
    }

    #[test]
    fn a_corner_is_one_wall() {
        assert_eq!(walls([19.0, 7.0], [21.0, 9.0]), 6.9);
        assert_eq!(walls([-1.0, -1.0], [1.0, 1.0]), 6.9);
    }

    #[test]
    fn along_a_wall_there_is_none() {
        let beside = Config {
            heavy_walls: None,
            ..rooms()
        };
        let along = [Place(10.0, 1.0), Place(10.0, 7.0)];
        assert_eq!(beside.obstacles_db(along), 0.0);
    }

    #[test]
    fn without_walls_it_is_free_space() {
        let empty = Config {
            light_walls: None,
            heavy_walls: None,
            ..rooms()
        };
        let ends = [Place(0.0, 0.0), Place(60.0, 80.0)];
        let free = super::super::Config::FreeSpace(super::super::free_space::Config {});
        let model = super::super::Config::MultiWall(empty);
        assert_eq!(model.loss(ends, 2.437e9), free.loss(ends, 2.437e9));
    }
}
