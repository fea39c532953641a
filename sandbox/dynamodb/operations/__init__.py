"""One module per operation (or small family): `name(engine, request, emit) -> answer`.

`emit` turns stored JSON text into what the answer carries: `orjson.Fragment` for the wire, `orjson.loads` in process.
"""
