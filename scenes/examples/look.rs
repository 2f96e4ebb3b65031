use tumble_scenes::{Scene, SmallLinearFeeder};
fn main() {
    let mut s = Box::new(SmallLinearFeeder::new());
    s.reset().unwrap();
    let (h, set) = (s.h(), s.settings());
    let mut n = 0;
    for k in 0..13200 {
        let _r = s.step(h, &set).unwrap();
        let mut hit = false;
        s.world().for_each_body(&mut |_, b| {
            let p = b.pose().position;
            hit |= b.is_dynamic() && p.x > 0.055 && p.z > 0.0118;
        });
        if hit && n < 400 {
            n += 1;
            if n % 10 != 1 {
                continue;
            }
            print!("{k} b {:?} valves {:?} ", s.sensors().barriers.map(|b| b.on as u8), &s.actuators().valves[..2]);
            s.world().for_each_body(&mut |_, b| {
                let p = b.pose().position;
                if b.is_dynamic() && p.x > 0.055 {
                    print!("{:.1},{:.1},{:.1} ", p.x * 1e3, p.y * 1e3, p.z * 1e3)
                }
            });
            println!();
        }
    }
}
