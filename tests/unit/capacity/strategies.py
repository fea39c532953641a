"""Generated Python values of every DynamoDB type, and items made of them."""

from hypothesis import strategies as st

from capacity.dynamodb.attribute_value import to_item

numbers = st.integers(-(10**37), 10**37) | st.decimals(
    min_value=-(10**20), max_value=10**20, allow_nan=False, allow_infinity=False, places=6
)
scalars = st.text(max_size=20) | numbers | st.booleans() | st.none() | st.binary(max_size=20)
sets = (
    st.sets(st.text(max_size=5), min_size=1, max_size=4)
    | st.sets(st.integers(-99, 99), min_size=1, max_size=4)
    | st.sets(st.binary(max_size=5), min_size=1, max_size=4)
)
values = st.recursive(
    scalars | sets,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=1, max_size=5), inner, max_size=4),
    max_leaves=12,
)
items = st.dictionaries(st.text(min_size=1, max_size=8), values, max_size=6).map(to_item)
