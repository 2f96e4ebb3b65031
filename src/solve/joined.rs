//! The `z` of the bodies that a block of rows joins, held in registers while the block has its turn.
//!
//! ```text
//! one, and the ground   Ē_i z = Ē_a z_a
//! two                   Ē_i z = Ē_a z_a + Ē_b z_b
//! two, tied             Ē_b = tie · Ē_a, linear: of their linear motion z_a + tie · z_b is all that counts
//! only pushed           all angular halves are zero: nothing turns
//! ```

use crate::math::{Real, Vec3, Vec6};
use crate::rows::Row;

/// The bodies a block joins.
pub(super) trait Bodies<R: Real> {
    type Z: Joined<R>;
    fn pick_up(&self) -> Self::Z;
    fn put_down(self, z: Self::Z);
}

/// `z` of the bodies a block joins, held in registers.
pub(super) trait Joined<R: Real> {
    /// `w_i = Ē_i z − ē_i + c_i γ_i`
    fn row_velocity(&self, row: &Row<R>, gamma: R) -> R;

    /// `z += Ē_iᵀ Δγ`
    fn respond(&mut self, row: &Row<R>, change: R);

    /// `γ_i' = γ`, with its response. Returns `Δγ`.
    #[inline(always)]
    fn set_impulse(&mut self, row: &mut Row<R>, before: R, gamma: R) -> R {
        let change = gamma - before;
        row.gamma = gamma;
        self.respond(row, change);
        change
    }
}

/// One body and the ground.
pub(super) struct One<'a, R>(pub(super) &'a mut Vec6<R>);

/// Two bodies.
pub(super) struct Two<'a, R>(pub(super) &'a mut Vec6<R>, pub(super) &'a mut Vec6<R>);

/// Two bodies, tied: every row's linear half of the second is so many times that of the first, and no row gives way.
pub(super) struct Tied<'a, R>(pub(super) &'a mut Vec6<R>, pub(super) &'a mut Vec6<R>, pub(super) R);

/// One body and the ground, and rows that only push.
pub(super) struct OnePushed<'a, R>(pub(super) &'a mut Vec6<R>);

/// Two bodies, tied, and rows that only push.
pub(super) struct TwoPushed<'a, R>(pub(super) &'a mut Vec6<R>, pub(super) &'a mut Vec6<R>, pub(super) R);

pub(super) struct OnGround<R> {
    pub(super) za: Vec6<R>,
}

/// Nothing turns: linear motion is all there is.
pub(super) struct PushedOnGround<R> {
    pub(super) za: Vec3<R>,
}

/// The same of tied bodies.
pub(super) struct PushedPair<R> {
    /// `z_a + tie · z_b`
    pub(super) relative: Vec3<R>,
    /// what `z_a` gains
    pub(super) push: Vec3<R>,
}

pub(super) struct Pair<R> {
    pub(super) za: Vec6<R>,
    pub(super) zb: Vec6<R>,
}

/// Of tied bodies three numbers are their linear motion, instead of six.
pub(super) struct TiedPair<R> {
    /// `z_a + tie · z_b`, linear
    pub(super) relative: Vec3<R>,
    /// what `z_a` gains, linear
    pub(super) push: Vec3<R>,
    pub(super) spin_a: Vec3<R>,
    pub(super) spin_b: Vec3<R>,
}

impl<R: Real> Bodies<R> for One<'_, R> {
    type Z = OnGround<R>;
    #[inline(always)]
    fn pick_up(&self) -> OnGround<R> {
        OnGround { za: *self.0 }
    }
    #[inline(always)]
    fn put_down(self, z: OnGround<R>) {
        *self.0 = z.za;
    }
}

impl<R: Real> Bodies<R> for Two<'_, R> {
    type Z = Pair<R>;
    #[inline(always)]
    fn pick_up(&self) -> Pair<R> {
        Pair { za: *self.0, zb: *self.1 }
    }
    #[inline(always)]
    fn put_down(self, z: Pair<R>) {
        (*self.0, *self.1) = (z.za, z.zb);
    }
}

impl<R: Real> Bodies<R> for Tied<'_, R> {
    type Z = TiedPair<R>;
    #[inline(always)]
    fn pick_up(&self) -> TiedPair<R> {
        TiedPair::new(self.0, self.1, self.2)
    }
    #[inline(always)]
    fn put_down(self, z: TiedPair<R>) {
        let Self(a, b, tie) = self;
        *a = Vec6::new(a.linear + z.push, z.spin_a);
        *b = Vec6::new(b.linear + z.push * tie, z.spin_b);
    }
}

impl<R: Real> Bodies<R> for OnePushed<'_, R> {
    type Z = PushedOnGround<R>;
    #[inline(always)]
    fn pick_up(&self) -> PushedOnGround<R> {
        PushedOnGround { za: self.0.linear }
    }
    #[inline(always)]
    fn put_down(self, z: PushedOnGround<R>) {
        self.0.linear = z.za;
    }
}

impl<R: Real> Bodies<R> for TwoPushed<'_, R> {
    type Z = PushedPair<R>;
    #[inline(always)]
    fn pick_up(&self) -> PushedPair<R> {
        PushedPair::new(self.0, self.1, self.2)
    }
    #[inline(always)]
    fn put_down(self, z: PushedPair<R>) {
        let Self(a, b, tie) = self;
        a.linear = a.linear + z.push;
        b.linear = b.linear + z.push * tie;
    }
}

impl<R: Real> Joined<R> for OnGround<R> {
    #[inline(always)]
    fn row_velocity(&self, row: &Row<R>, gamma: R) -> R {
        row.ea.dot(self.za) + (row.c * gamma - row.e)
    }
    #[inline(always)]
    fn respond(&mut self, row: &Row<R>, change: R) {
        self.za = self.za + row.ea * change;
    }
}

impl<R: Real> Joined<R> for Pair<R> {
    #[inline(always)]
    fn row_velocity(&self, row: &Row<R>, gamma: R) -> R {
        row.ea.dot(self.za) + row.eb.dot(self.zb) + (row.c * gamma - row.e)
    }
    #[inline(always)]
    fn respond(&mut self, row: &Row<R>, change: R) {
        self.za = self.za + row.ea * change;
        self.zb = self.zb + row.eb * change;
    }
}

impl<R: Real> TiedPair<R> {
    #[inline(always)]
    pub(super) fn new(a: &Vec6<R>, b: &Vec6<R>, tie: R) -> Self {
        let (spin_a, spin_b) = (a.angular, b.angular);
        Self { relative: a.linear + b.linear * tie, push: Vec3::new(R::ZERO, R::ZERO, R::ZERO), spin_a, spin_b }
    }
}

impl<R: Real> Joined<R> for TiedPair<R> {
    #[inline(always)]
    fn row_velocity(&self, row: &Row<R>, _: R) -> R {
        row.ea.linear.dot(self.relative) + row.ea.angular.dot(self.spin_a) + row.eb.angular.dot(self.spin_b) - row.e
    }
    #[inline(always)]
    fn respond(&mut self, row: &Row<R>, change: R) {
        self.push = self.push + row.ea.linear * change;
        self.spin_a = self.spin_a + row.ea.angular * change;
        self.spin_b = self.spin_b + row.eb.angular * change;
    }
}

impl<R: Real> Joined<R> for PushedOnGround<R> {
    #[inline(always)]
    fn row_velocity(&self, row: &Row<R>, gamma: R) -> R {
        row.ea.linear.dot(self.za) + (row.c * gamma - row.e)
    }
    #[inline(always)]
    fn respond(&mut self, row: &Row<R>, change: R) {
        self.za = self.za + row.ea.linear * change;
    }
}

impl<R: Real> PushedPair<R> {
    #[inline(always)]
    pub(super) fn new(a: &Vec6<R>, b: &Vec6<R>, tie: R) -> Self {
        Self { relative: a.linear + b.linear * tie, push: Vec3::new(R::ZERO, R::ZERO, R::ZERO) }
    }
}

impl<R: Real> Joined<R> for PushedPair<R> {
    #[inline(always)]
    fn row_velocity(&self, row: &Row<R>, _: R) -> R {
        row.ea.linear.dot(self.relative) - row.e
    }
    #[inline(always)]
    fn respond(&mut self, row: &Row<R>, change: R) {
        self.push = self.push + row.ea.linear * change;
    }
}
