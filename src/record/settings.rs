//! Settings of a step as plain bytes, field by field in the order in which they stand.

use super::codec::{Persist, Reader, Sink};
use crate::error::Error;
use crate::math::Real;
use crate::solve::{Answer, FrictionModel, Method, Settings, Start, StepRule};
use crate::world::{Costs, KINDS, Landing, Plan, Sleep, StepSettings};

/// Read back through [`StepSettings::check`].
impl<R: Real> Persist for StepSettings<R> {
    fn save(&self, out: &mut dyn Sink) {
        let Self { gravity, stabilisation, slop, recovery_speed, bounce_threshold, alpha, beta, .. } = *self;
        let Self { mass_damping, stiffness_damping, landing, pyramid, substeps, sleep, solve, plan, .. } = *self;
        gravity.save(out);
        [stabilisation, slop, recovery_speed, bounce_threshold, alpha, beta].save(out);
        [mass_damping, stiffness_damping].save(out);
        matches!(landing, Landing::Touching).save(out);
        pyramid.save(out);
        substeps.save(out);
        sleep.save(out);
        solve.save(out);
        plan.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let settings = Self {
            gravity: input.load()?,
            stabilisation: input.load()?,
            slop: input.load()?,
            recovery_speed: input.load()?,
            bounce_threshold: input.load()?,
            alpha: input.load()?,
            beta: input.load()?,
            mass_damping: input.load()?,
            stiffness_damping: input.load()?,
            landing: if input.load()? { Landing::Touching } else { Landing::Ahead },
            pyramid: input.load()?,
            substeps: input.load()?,
            sleep: input.load()?,
            solve: input.load()?,
            plan: input.load()?,
        };
        settings.check()?;
        Ok(settings)
    }
}

/// Read back through [`Settings::check`].
impl<R: Real> Persist for Settings<R> {
    fn save(&self, out: &mut dyn Sink) {
        let method: u8 = match self.method {
            Method::Psor => 0,
            Method::Block => 1,
            Method::Nesterov => 2,
            Method::Anderson => 3,
            Method::Simplex => 4,
            Method::Hybrid => 5,
        };
        method.save(out);
        self.omega.save(out);
        self.iterations.save(out);
        self.tolerance.save(out);
        matches!(self.friction, FrictionModel::Ncp).save(out);
        matches!(self.step, StepRule::Average).save(out);
        let start: u8 = match self.start {
            Start::Warm => 0,
            Start::Cold => 1,
            Start::Trusted => 2,
        };
        start.save(out);
        matches!(self.answer, Answer::Last).save(out);
        self.impulse_ceiling.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let method = match input.tag(6, "method")? {
            0 => Method::Psor,
            1 => Method::Block,
            2 => Method::Nesterov,
            3 => Method::Anderson,
            4 => Method::Simplex,
            _ => Method::Hybrid,
        };
        let settings = Self {
            method,
            omega: input.load()?,
            iterations: input.load()?,
            tolerance: input.load()?,
            friction: if input.load()? { FrictionModel::Ncp } else { FrictionModel::Ccp },
            step: if input.load()? { StepRule::Average } else { StepRule::Safe },
            start: match input.tag(3, "start")? {
                0 => Start::Warm,
                1 => Start::Cold,
                _ => Start::Trusted,
            },
            answer: if input.load()? { Answer::Last } else { Answer::Best },
            impulse_ceiling: input.bound()?,
        };
        settings.check()?;
        Ok(settings)
    }
}

impl<R: Real> Persist for Sleep<R> {
    fn save(&self, out: &mut dyn Sink) {
        [self.speed, self.spin, self.time].save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self { speed: input.load()?, spin: input.load()?, time: input.load()? })
    }
}

impl Persist for Plan {
    fn save(&self, out: &mut dyn Sink) {
        self.costs.by_kind().save(out);
        self.costs.closing_body.save(out);
        self.ticks.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let costs = Costs::from(input.load::<[u32; KINDS]>()?);
        Ok(Self { costs: Costs { closing_body: input.load()?, ..costs }, ticks: input.load()? })
    }
}
