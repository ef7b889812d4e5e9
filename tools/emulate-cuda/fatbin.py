"""PTX out of object files that nvcc made: the .nv_fatbin section holds entries, some of them compressed by zstd."""
import ctypes
import struct
import subprocess
import tempfile

REGION_MAGIC, ZSTD_MAGIC, KIND_PTX = 0xBA55ED50, b"\x28\xb5\x2f\xfd", 1
REGION = "<IHHQ"  # magic, version, bytes of the header, bytes of the entries
ENTRY = "<HHIQIIHHIIIQQQ"  # kind, -, header bytes, payload bytes, compressed bytes, ..., architecture, ..., raw bytes


def section(path):
    """The bytes of .nv_fatbin; empty when the object has none."""
    with tempfile.NamedTemporaryFile() as target:
        result = subprocess.run(["objcopy", "--dump-section", f".nv_fatbin={target.name}", path, "/dev/null"],
                                capture_output=True)
        return open(target.name, "rb").read() if result.returncode == 0 else b""


def decompress(data, size):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(size)
    count = zstd.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
    if count != size:
        raise ValueError("a compressed entry of .nv_fatbin is damaged")
    return out.raw[:count]


def ptx_texts(data, arch=None):
    """The PTX texts for compute_<arch>, or of any architecture, in the bytes of a section."""
    at = 0
    while at + struct.calcsize(REGION) <= len(data):
        magic, _, header, size = struct.unpack_from(REGION, data, at)
        if magic != REGION_MAGIC:
            at += 8
            continue
        entry, end = at + header, at + header + size
        while entry < end:
            kind, _, header, payload, compressed, _, _, _, of_arch, _, _, _, _, raw = struct.unpack_from(ENTRY, data, entry)
            if kind == KIND_PTX and arch in (None, of_arch):
                text = data[entry + header:entry + header + (compressed or payload)]
                if text.startswith(ZSTD_MAGIC):
                    text = decompress(text, raw)
                yield text.rstrip(b"\0").decode()
            entry += header + payload
        at = end
