# The Arrow part of the library by ctypes, for tests.
"""The Arrow part of the library by ctypes, for tests: tables, groups and joins whose columns are
objects with __arrow_c_array__ or __arrow_c_stream__.  Calls that fail raise Refused."""

import ctypes as c

TYPES = {"none": 0, "u32": 1, "u64": 2, "i32": 3, "i64": 4, "f32": 5, "f64": 6, "bytes": 7, "string": 8}
ASSIGN, KEEP, ADD, MIN, MAX = range(5)
NUMBERED = 0x2
UTF8 = 0x1
EMPTY = (2**64 - 1, 2**32 - 1)


class Refused(Exception):
    """A call's status and text."""


class ArrowSchema(c.Structure):
    pass


class ArrowArray(c.Structure):
    pass


class ArrowArrayStream(c.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", c.c_char_p), ("name", c.c_char_p), ("metadata", c.c_char_p), ("flags", c.c_int64),
    ("n_children", c.c_int64), ("children", c.POINTER(c.POINTER(ArrowSchema))),
    ("dictionary", c.POINTER(ArrowSchema)), ("release", c.c_void_p), ("private_data", c.c_void_p),
]
ArrowArray._fields_ = [
    ("length", c.c_int64), ("null_count", c.c_int64), ("offset", c.c_int64), ("n_buffers", c.c_int64),
    ("n_children", c.c_int64), ("buffers", c.POINTER(c.c_void_p)),
    ("children", c.POINTER(c.POINTER(ArrowArray))), ("dictionary", c.POINTER(ArrowArray)),
    ("release", c.c_void_p), ("private_data", c.c_void_p),
]
ArrowArrayStream._fields_ = [
    ("get_schema", c.c_void_p), ("get_next", c.c_void_p), ("get_last_error", c.c_void_p),
    ("release", c.c_void_p), ("private_data", c.c_void_p),
]


class Arrow(c.Structure):
    """roost_arrow"""

    _fields_ = [
        ("size", c.c_size_t), ("schema", c.c_void_p), ("array", c.c_void_p), ("child", c.c_int64),
        ("device_id", c.c_int64), ("sync_event", c.c_void_p), ("device_type", c.c_int32), ("reserved", c.c_uint32),
    ]


class Column(c.Structure):
    """roost_column"""

    _fields_ = [
        ("size", c.c_size_t), ("type", c.c_int), ("offset_bytes", c.c_int), ("bytes", c.c_size_t),
        ("values", c.c_void_p), ("offsets", c.c_void_p), ("validity", c.c_void_p), ("nullable", c.c_int),
    ]


class Aggregate(c.Structure):
    """roost_aggregate"""

    _fields_ = [("kind", c.c_int), ("column", c.c_int)]


class Allocator(c.Structure):
    _fields_ = [("allocate", c.c_void_p), ("release", c.c_void_p), ("context", c.c_void_p)]


class Config(c.Structure):
    """roost_config"""

    _fields_ = [
        ("size", c.c_size_t), ("engine", c.c_char_p), ("device", c.c_char_p), ("key_type", c.c_int),
        ("value_type", c.c_int), ("key_bytes", c.c_size_t), ("value_bytes", c.c_size_t), ("capacity", c.c_uint64),
        ("growth", c.c_int), ("min_fill", c.c_double), ("max_fill", c.c_double), ("saturate", c.c_int),
        ("seed", c.c_uint64), ("threads", c.c_int), ("memory_limit", c.c_uint64), ("allocator", Allocator),
        ("device_allocator", Allocator), ("flags", c.c_uint32), ("options", c.c_char_p), ("work", c.c_int),
        ("batch", c.c_uint64), ("seed_given", c.c_int), ("like", c.c_void_p), ("comm", c.c_void_p),
    ]


class GroupConfig(c.Structure):
    """roost_group_config"""

    _fields_ = [
        ("size", c.c_size_t), ("engine", c.c_char_p), ("device", c.c_char_p), ("threads", c.c_int),
        ("flags", c.c_uint32), ("capacity", c.c_uint64), ("key_columns", c.c_int), ("value_columns", c.c_int),
        ("aggregates", c.c_int), ("keys", c.POINTER(Column)), ("values", c.POINTER(Column)),
        ("aggregate", c.POINTER(Aggregate)),
    ]


class JoinConfig(c.Structure):
    """roost_join_config"""

    _fields_ = [
        ("size", c.c_size_t), ("engine", c.c_char_p), ("device", c.c_char_p), ("threads", c.c_int),
        ("how", c.c_int), ("flags", c.c_uint32), ("row_bytes", c.c_int), ("capacity", c.c_uint64),
        ("key_columns", c.c_int), ("keys", c.POINTER(Column)),
    ]


_pointer = c.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
_capsule = c.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]


def _release(struct):
    """Calls the release callback of a struct that is not released."""
    if struct.release:
        c.CFUNCTYPE(None, c.c_void_p)(struct.release)(c.addressof(struct))


class Given:
    """A schema with an array, or a stream, that the library gave: its consumer moves it out."""

    def __init__(self):
        self.schema, self.array, self.stream = ArrowSchema(), ArrowArray(), ArrowArrayStream()

    def __arrow_c_array__(self, requested_schema=None):
        return (_capsule(c.addressof(self.schema), b"arrow_schema", None),
                _capsule(c.addressof(self.array), b"arrow_array", None))

    def __arrow_c_schema__(self):
        return _capsule(c.addressof(self.schema), b"arrow_schema", None)

    def __arrow_c_stream__(self, requested_schema=None):
        return _capsule(c.addressof(self.stream), b"arrow_array_stream", None)

    def __del__(self):
        for struct in (self.schema, self.array, self.stream):
            _release(struct)


class Taken:
    """A column of another library's: an array, or a child of a struct array."""

    def __init__(self, exporter, child=-1):
        self.capsules = exporter.__arrow_c_array__()
        self.child = child
        schema, array = self.capsules
        self.arrow = Arrow(c.sizeof(Arrow), _pointer(schema, b"arrow_schema"), _pointer(array, b"arrow_array"), child)

    @property
    def schema(self):
        schema = ArrowSchema.from_address(self.arrow.schema)
        return schema.children[self.child].contents if self.child >= 0 else schema


def taken(column):
    return column if isinstance(column, Taken) else Taken(column)


class Library:
    def __init__(self, path):
        self.lib = c.CDLL(path)
        self.lib.roost_last_error.restype = c.c_char_p

    def call(self, name, *arguments):
        status = getattr(self.lib, name)(*arguments)
        if status:
            raise Refused(f"{name}: {status}: {self.lib.roost_last_error(None).decode()}")

    def column(self, exporter):
        """The type of a column, as roost_arrow_column has it."""
        column, given = Column(), taken(exporter)
        self.call("roost_arrow_column", c.byref(given.schema), c.byref(column))
        return column

    def columns(self, exporters):
        return (Column * max(len(exporters), 1))(*[self.column(e) for e in exporters])


def arrows(columns):
    """An array of roost_arrow, and what keeps it valid."""
    all_taken = [taken(column) for column in columns]
    array = (Arrow * max(len(columns), 1))(*[one.arrow for one in all_taken])
    array.keeps = all_taken
    return array


def stream_of(exporter):
    capsule = exporter.__arrow_c_stream__()
    stream = c.cast(_pointer(capsule, b"arrow_array_stream"), c.POINTER(ArrowArrayStream))
    stream.keeps = capsule
    return stream


class Table:
    def __init__(self, library, keys, values="none", key_bytes=0, value_bytes=0, device="host", flags=0):
        self.roost, self.at = library, c.c_void_p()
        config = Config()
        library.call("roost_config_init", c.byref(config), c.c_size_t(c.sizeof(Config)))
        config.key_type, config.value_type, config.device = TYPES[keys], TYPES[values], device.encode()
        config.key_bytes, config.value_bytes, config.flags = key_bytes, value_bytes, flags
        library.call("roost_table_create", c.byref(self.at), c.byref(config))

    def insert(self, keys, values=None, mode=ASSIGN):
        key, value = taken(keys), None if values is None else taken(values)
        self.roost.call("roost_insert_arrow", self.at, mode, c.byref(key.arrow), value and c.byref(value.arrow), None)

    def insert_stream(self, exporter, mode=ASSIGN):
        rows, stream = c.c_uint64(), stream_of(exporter)
        try:
            self.roost.call("roost_insert_arrow_stream", self.at, mode, stream, c.byref(rows), None)
        finally:
            _release(stream.contents)
        return rows.value

    def _answer(self, name, keys):
        given, key = Given(), taken(keys)
        self.roost.call(name, self.at, c.byref(key.arrow), c.byref(given.schema), c.byref(given.array), None)
        return given

    def find(self, keys):
        return self._answer("roost_find_arrow", keys)

    def number(self, keys):
        return self._answer("roost_number_arrow", keys)

    def erase(self, keys):
        key = taken(keys)
        self.roost.call("roost_erase_arrow", self.at, c.byref(key.arrow), None)

    def export(self, room=0, flags=0):
        given = Given()
        self.roost.call("roost_export_arrow", self.at, c.byref(given.stream), c.c_size_t(room), c.c_uint32(flags), None)
        return given

    def destroy(self):
        self.roost.lib.roost_table_destroy(self.at)
        self.at = c.c_void_p()

    def __del__(self):
        self.destroy()


class Group:
    """aggregates: pairs of a kind and a value column."""

    def __init__(self, library, keys, values, aggregates, device="host", flags=0):
        self.roost, self.at = library, c.c_void_p()
        kinds = (Aggregate * max(len(aggregates), 1))(*[Aggregate(*a) for a in aggregates])
        config = GroupConfig(c.sizeof(GroupConfig), None, device.encode(), 0, flags, 0, len(keys), len(values),
                             len(aggregates), library.columns(keys), library.columns(values), kinds)
        library.call("roost_group_create", c.byref(self.at), c.byref(config))

    def add(self, keys, values):
        self.roost.call("roost_group_add_arrow", self.at, arrows(keys), arrows(values), None)

    def add_stream(self, exporter):
        rows, stream = c.c_uint64(), stream_of(exporter)
        try:
            self.roost.call("roost_group_add_arrow_stream", self.at, stream, c.byref(rows), None)
        finally:
            _release(stream.contents)
        return rows.value

    def export(self, names=None, room=0, flags=0):
        given = Given()
        texts = (c.c_char_p * len(names))(*[n.encode() for n in names]) if names else None
        self.roost.call("roost_group_export_arrow", self.at, c.byref(given.stream), c.c_size_t(room), texts,
                          c.c_uint32(flags))
        return given

    def __del__(self):
        self.roost.lib.roost_group_destroy(self.at)


class Join:
    INNER, LEFT, FULL, SEMI, ANTI = range(5)

    def __init__(self, library, keys, how, device="host", row_bytes=8, flags=0):
        self.roost, self.at = library, c.c_void_p()
        config = JoinConfig(c.sizeof(JoinConfig), None, device.encode(), 0, how, flags, row_bytes, 0, len(keys),
                            library.columns(keys))
        library.call("roost_join_create", c.byref(self.at), c.byref(config))

    def build(self, keys):
        self.roost.call("roost_join_build_arrow", self.at, arrows(keys), None)

    def build_stream(self, exporter):
        rows, stream = c.c_uint64(), stream_of(exporter)
        try:
            self.roost.call("roost_join_build_arrow_stream", self.at, stream, c.byref(rows), None)
        finally:
            _release(stream.contents)
        return rows.value

    def probe(self, keys, room=0):
        given = Given()
        given.keys = arrows(keys)
        self.roost.call("roost_join_probe_arrow", self.at, given.keys, c.byref(given.stream), c.c_size_t(room), None)
        return given

    def rest(self, room=0):
        given = Given()
        self.roost.call("roost_join_rest_arrow", self.at, c.byref(given.stream), c.c_size_t(room), None)
        return given

    def __del__(self):
        self.roost.lib.roost_join_destroy(self.at)
