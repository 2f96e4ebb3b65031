//! What of a plant changes as it steps: saved, restored and hashed field by field.

/// [`Persist`](crate::record::Persist) of a struct of plain fields, in this order; the function is to refuse what no step leads to.
macro_rules! persist {
    ($state:ty { $($field:ident),+ $(,)? }) => {
        persist!($state { $($field),+ }, |_| Ok(()));
    };
    ($state:ty { $($field:ident),+ $(,)? }, $check:expr) => {
        impl crate::record::Persist for $state {
            fn save(&self, out: &mut dyn crate::record::Sink) {
                $(self.$field.save(out);)+
            }

            fn load(input: &mut crate::record::Reader<'_>) -> Result<Self, crate::Error> {
                let state = Self { $($field: input.load()?),+ };
                let check: fn(&Self) -> Result<(), crate::Error> = $check;
                check(&state)?;
                Ok(state)
            }
        }
    };
}
pub(super) use persist;
