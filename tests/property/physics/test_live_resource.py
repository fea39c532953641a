"""The live machine under any sequence of calls: exact arithmetic judges levels, the order of keys judges splits."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from capacity.physics.bucket import Bucket
from capacity.physics.parameters import Parameters
from capacity.physics.placement import KEY_SPACE
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings

EPOCH_S = 1_900_000_000.0


@settings(max_examples=100, deadline=None)
@given(
    rate=st.floats(0.05, 40_000.0),
    depth_s=st.sampled_from([1.0, 300.0]),
    steps=st.lists(st.tuples(st.floats(0.0, 30.0), st.integers(0, 800)), max_size=60),
)
def test_levels_equal_exact_rational_arithmetic(rate, depth_s, steps):
    bucket = Bucket(rate, depth_s, EPOCH_S)
    exact_rate, now_s = Fraction(rate), EPOCH_S
    exact = depth = exact_rate * Fraction(depth_s)
    for wait_s, halves in steps:
        later_s = now_s + wait_s
        exact = min(depth, exact + exact_rate * (Fraction(later_s) - Fraction(now_s)))
        now_s = later_s
        exact -= Fraction(halves, 2)
        bucket.charge(now_s, halves / 2)
        assert abs(Fraction(bucket.level) - exact) <= Fraction(1, 10**9) * max(depth, 1)


SMALL = Parameters(
    ceiling_read_units=30, ceiling_write_units=10, partition_bytes=100, heat_minutes=2, split_delay_s=45,
    peak_age_s=180, on_demand_read_units=60, on_demand_write_units=20, quota_write_units=400,
)  # fmt: skip


class AnyCalls(RuleBasedStateMachine):
    """A table or index whose owner, users and data do anything, at any pace, the clock even stepping back."""

    @initialize(local_index=st.booleans())
    def start(self, local_index):
        self.now_s = EPOCH_S
        self.resource = ThroughputResource(Settings("on_demand"), self.now_s, SMALL, has_local_index=local_index)
        self.partitions = self.resource.count

    @rule(wait_s=st.one_of(st.floats(0.0, 90.0), st.sampled_from([60.0, 600.0, 86_400.0])))
    def wait(self, wait_s):
        self.now_s += wait_s

    @rule(back_s=st.floats(0.0, 5.0))
    def step_back(self, back_s):
        self.now_s -= back_s

    @rule(
        kind=st.sampled_from(["read", "write"]),
        place=st.integers(0, 15),
        sort_keys=st.lists(st.one_of(st.none(), st.binary(max_size=2)), min_size=1, max_size=4),
        requests=st.integers(1, 40),
        units=st.sampled_from([0.5, 1.0, 8.0]),
        minutes=st.integers(1, 6),
    )
    def load(self, kind, place, sort_keys, requests, units, minutes):
        hash128 = place * KEY_SPACE // 16
        for _ in range(minutes):
            for second in range(0, 60, 5):
                for request in range(requests):
                    sort_key = sort_keys[request % len(sort_keys)]
                    if not self.resource.check(self.now_s + second, kind, hash128, sort_key):
                        lowest = self.resource.charge(self.now_s + second, kind, hash128, units, sort_key)
                        assert lowest > -units, "no bucket that admits is already in debt"
            self.now_s += 60.0

    @rule(place=st.integers(0, 15), delta_bytes=st.integers(-50, 250))
    def store(self, place, delta_bytes):
        self.resource.store(self.now_s, place * KEY_SPACE // 16, delta_bytes)

    @precondition(lambda self: self.resource.count < 200)
    @rule(
        world=st.sampled_from(["static", "adaptive", "on_demand", "off"]),
        read=st.integers(1, 300),
        write=st.integers(1, 90),
    )
    def retune(self, world, read, write):
        provisioned = world in ("static", "adaptive")
        self.resource.retune(self.now_s, Settings(world, read, write) if provisioned else Settings(world))

    @invariant()
    def partitions_tile_the_key_space_and_never_merge(self):
        views = self.resource.partitions(self.now_s)
        bounds = [(view.lower_hash, view.lower_sort_key) for view in views]
        assert bounds[0] == (0, b"")
        assert bounds == sorted(set(bounds))
        assert [view.upper_hash for view in views] == [bound[0] for bound in bounds[1:]] + [KEY_SPACE]
        assert len(views) >= self.partitions
        self.partitions = len(views)

    @invariant()
    def every_key_has_the_owner_whose_range_it_is_in(self):
        for place in range(16):
            for sort_key in (b"", b"m", b"\xff\xff"):
                key = (place * KEY_SPACE // 16, sort_key)
                owner = self.resource.partition_of(*key)
                lowers = [view.lower for view in self.resource._ranges.partitions]
                assert owner.lower == max(lower for lower in lowers if lower <= key)

    @invariant()
    def shares_add_up_to_the_setting(self):
        views = self.resource.partitions(self.now_s)
        for kind in ("read", "write"):
            shares = [view.share[kind] for view in views if view.share]
            if shares:
                assert abs(sum(shares) - self.resource.settings.provisioned(kind)) < 1e-6


TestAnyCalls = AnyCalls.TestCase
TestAnyCalls.settings = settings(max_examples=60, stateful_step_count=15, deadline=None)
