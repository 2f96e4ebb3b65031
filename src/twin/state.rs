//! What of a plant changes as it steps: saved, restored and hashed field by field.

/// [`Persist`](crate::record::Persist) of a struct of plain fields, in this order.
macro_rules! persist {
    ($state:ty { $($field:ident),+ $(,)? }) => {
        impl crate::record::Persist for $state {
            fn save(&self, out: &mut dyn crate::record::Sink) {
                $(self.$field.save(out);)+
            }

            fn load(input: &mut crate::record::Reader<'_>) -> Result<Self, crate::Error> {
                Ok(Self { $($field: input.load()?),+ })
            }
        }
    };
}
pub(super) use persist;
