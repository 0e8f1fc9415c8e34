//! The verbs: what may be said of each.

use units::Duration;
use units::declaration::Kind;
use units::serde::{Deserialize, Serialize};

use crate::law::RandomLaw;

macro_rules! verbs {
    ($($(#[$doc:meta])* $verb:ident;)*) => {
        /// A step of a script.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case", crate = "units::serde")]
        pub enum ScriptStep {
            $($(#[$doc])* $verb($verb),)*
        }

        /// All of them, as they are declared.
        pub const VERBS: &[Kind] = &[$($verb::KIND),*];

        impl ScriptStep {
            /// Returns whether every value is within its limits; else the first that is not.
            pub fn check(&self) -> Result<(), String> {
                match self {
                    $(ScriptStep::$verb(step) => step.check(),)*
                }
            }
        }
    };
}

verbs! {
    /// A connection is opened.
    Connect;
    /// The connection is closed.
    Disconnect;
    /// Bytes go to endpoint 2.
    Send;
    /// Bytes come from endpoint 2.
    Receive;
    /// Endpoint 2 says that it has everything.
    Confirm;
    /// A pause.
    Sleep;
    /// The beginning of what is done several times.
    Loop;
    /// Its end.
    EndLoop;
    /// The beginning of a timing record.
    StartTimer;
    /// A transaction is complete.
    Transaction;
    /// The end of a timing record.
    EndTimer;
}

units::declare! {
    /// Endpoint 1 opens a connection, endpoint 2 accepts it.
    pub struct Connect = "connect" {}
}

units::declare! {
    /// Endpoint 1 closes the connection, and endpoint 2 when it sees that.
    pub struct Disconnect = "disconnect" {}
}

units::declare! {
    /// Endpoint 1 sends, endpoint 2 receives; bytes of the timing record.
    pub struct Send = "send" {
        /// bytes sent
        size: u64 = Field::size().positive(),
        /// bytes of one send call
        write_size: u64 = Field::size().positive()
            .or(Default::Text("32 KiB"))
            .from("inferred: the endpoint's buffer"),
    }
}

units::declare! {
    /// Endpoint 2 sends, endpoint 1 receives; bytes of the timing record.
    pub struct Receive = "receive" {
        /// bytes received
        size: u64 = Field::size().positive(),
        /// bytes of one send call
        write_size: u64 = Field::size().positive()
            .or(Default::Text("32 KiB"))
            .from("inferred: the endpoint's buffer"),
    }
}

units::declare! {
    /// Endpoint 2 confirms that it has received everything so far, endpoint 1 waits for that.
    pub struct Confirm = "confirm" {
        /// bytes of the confirmation, which are none of the timing record's
        size: u64 = Field::size().positive()
            .or(Default::Count(100))
            .from("inferred: one short segment"),
    }
}

units::declare! {
    /// Endpoint 1 pauses.
    pub struct Sleep = "sleep" {
        /// mean of the pauses
        time: Duration = Field::duration().positive(),
        /// how they vary
        distribution: RandomLaw = Field::of(Quantity::Choice(RandomLaw::WORDS))
            .or(Default::Text("constant"))
            .from("inferred: think time as stated"),
        /// of `pareto` pauses how fast long ones become rare
        shape: f64 = Field::of(Quantity::Number).within(1.0, 100.0).open()
            .or(Default::Number(1.5))
            .from("inferred: heavy-tailed, of infinite variance"),
    }
}

units::declare! {
    /// What follows, up to the `end-loop` of this loop, is done several times.
    pub struct Loop = "loop" {
        /// how often; absent: until the run ends
        times: Option<u64> = Field::count("times").positive().optional().from("no end"),
    }
}

units::declare! {
    /// The end of the loop that began last.
    pub struct EndLoop = "end-loop" {}
}

units::declare! {
    /// A timing record begins.
    pub struct StartTimer = "start-timer" {}
}

units::declare! {
    /// A transaction of the timing record is complete.
    pub struct Transaction = "transaction" {}
}

units::declare! {
    /// The timing record is complete; what follows begins when the machine has kept it.
    pub struct EndTimer = "end-timer" {}
}
