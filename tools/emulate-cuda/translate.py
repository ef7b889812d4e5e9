"""Translates PTX to C++: each kernel becomes a function that runs one device thread (runtime/device.h).

Only the instructions that nvcc makes of Coalesce and of CUB's sort and scan are known; any other is an error that
names it. So is every float operation without .rn: ptxas might contract it, and results would differ from the CPU.
"""
import re

WIDTH = {"8": 1, "16": 2, "32": 4, "64": 8}
CTYPE = {"f32": "float", "f64": "double", "pred": "bool"}
for bits in WIDTH:
    CTYPE["u" + bits] = CTYPE["b" + bits] = f"uint{bits}_t"
    CTYPE["s" + bits] = f"int{bits}_t"
LANE = "(c.tid % 32)"
SPECIAL = {
    "%tid.x": "c.tid", "%ntid.x": "c.ntid", "%ctaid.x": "c.ctaid", "%nctaid.x": "c.nctaid",
    "%tid.y": "0u", "%tid.z": "0u", "%ntid.y": "1u", "%ntid.z": "1u",
    "%ctaid.y": "0u", "%ctaid.z": "0u", "%nctaid.y": "1u", "%nctaid.z": "1u",
    "%laneid": LANE, "%warpid": "(c.tid / 32)",
    "%lanemask_lt": f"((1u << {LANE}) - 1)", "%lanemask_le": f"((2u << {LANE}) - 1)",
    "%lanemask_gt": f"~((2u << {LANE}) - 1)", "%lanemask_ge": f"~((1u << {LANE}) - 1)",
    "%lanemask_eq": f"(1u << {LANE})"}
COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
SIMPLE = {  # instructions without modifiers whose operands and result have one type
    "and": "{} & {}", "or": "{} | {}", "xor": "{} ^ {}"}
SIMPLE_OF_PREDICATES = {"and": "{} && {}", "or": "{} || {}", "xor": "{} != {}"}
FLOAT = {"add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}", "fma": "fused({}, {}, {})",
         "sqrt": "std::sqrt({})", "rcp": "1 / {}"}
ROUND_TO_INTEGER = {"rmi": "std::floor({})", "rpi": "std::ceil({})", "rzi": "std::trunc({})", "rni": "std::nearbyint({})"}
ATOMIC = {"add": "add", "or": "or_", "and": "and_", "xor": "xor_", "min": "min", "max": "max", "exch": "exch"}


class Unknown(Exception):
    """An instruction or operand that the translator does not know."""


def size_of(kind):
    return WIDTH[re.sub(r"\D", "", kind)]


def unsigned(kind):
    return "u" + kind[1:]


class Kernel:
    """One .entry: its declarations, and the C++ statements of its body."""

    def __init__(self, name):
        self.name, self.fibers, self.max_threads = name, False, 0
        self.params, self.param_bytes = [], 0  # (name, offset, bytes)
        self.shared, self.shared_bytes = [], 0
        self.registers = []  # (type, prefix) of numbered ones
        self.families = {}  # prefix -> type
        self.scopes = [{}]  # of named registers: name -> type
        self.body = []

    # ---- declarations ----

    def add_param(self, text):
        m = re.match(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(?:\.ptr\s+(?:\.\w+\s+(?:\d+\s+)?)*)?([\w$]+)(?:\[(\d+)\])?", text)
        align, kind, name, count = m.groups()
        size = size_of(kind) * int(count or 1)
        align = int(align or size)
        offset = -(-self.param_bytes // align) * align
        self.params.append((name, offset, size))
        self.param_bytes = offset + size

    def add_shared(self, text):
        m = re.match(r"\.shared\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+([\w$]+)(?:\[(\d+)\])?", text)
        align, kind, name, count = m.groups()
        align, size = int(align or size_of(kind)), size_of(kind) * int(count or 1)
        offset = -(-self.shared_bytes // align) * align
        self.shared.append((name, offset))
        self.shared_bytes = offset + size

    def add_registers(self, text):
        m = re.match(r"\.reg\s+\.(\w+)\s+(.*)", text)
        kind = m[1]
        for name in (part.strip() for part in m[2].split(",")):
            if numbered := re.match(r"(%\w+)<\d+>", name):
                self.registers.append((kind, numbered[1]))
                self.families[numbered[1]] = kind
            else:
                self.scopes[-1][name] = kind
                self.body.append(f"{self.storage(kind)} {self.variable(name)};")

    @staticmethod
    def storage(kind):
        """Registers of integers are kept unsigned."""
        return CTYPE[unsigned(kind) if kind[0] == "s" else kind]

    @staticmethod
    def variable(name):
        return name.replace("%", "").replace("$", "_") if name[0] == "%" else "l_" + name.replace("$", "_")

    def type_of(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        m = re.match(r"(%[a-z]+)\d+$", name)
        return self.families.get(m[1]) if m else None

    # ---- operands ----

    def value(self, text, kind):
        """The operand as a C++ expression of the instruction's type."""
        text, c = text.strip(), CTYPE[kind]
        if text in SPECIAL:
            return f"({c}){SPECIAL[text]}"
        if held := self.type_of(text):
            name = self.variable(text)
            if kind == "pred":
                return name
            if "f" in (held[0], kind[0]):
                return name if held == kind else f"bits<{c}>({name})"
            return f"({c}){name}"
        if m := re.match(r"0f([0-9A-Fa-f]{8})$", text):
            return f"bits<float>(0x{m[1]}u)" if kind[0] == "f" else f"({c})0x{m[1]}u"
        if m := re.match(r"0d([0-9A-Fa-f]{16})$", text):
            return f"bits<double>(0x{m[1]}ull)"
        if re.match(r"-?(0x[0-9a-fA-F]+|\d+)U?$", text):
            number = int(text.rstrip("U"), 0)
            if kind == "pred":
                return "true" if number else "false"
            return f"({c}){number & (1 << 64) - 1:#x}ull"
        for name, offset, _ in self.params:
            if name == text:
                return f"({c})(uintptr_t)(c.params + {offset})"
        for name, offset in self.shared:
            if name == text:
                return f"({c}){offset}"
        raise Unknown(f"operand {text} of type {kind}")

    def assign(self, target, kind, expression):
        """target = expression, where the expression has the instruction's type."""
        if target == "_":
            return f"(void)({expression});"
        held = self.type_of(target)
        if held is None:
            raise Unknown(f"target {target}")
        name = self.variable(target)
        if held in ("pred", kind):
            return f"{name} = {expression};"
        if "f" in (held[0], kind[0]):
            return f"{name} = bits<{self.storage(held)}>(({CTYPE[kind]})({expression}));"
        return f"{name} = ({self.storage(held)})({CTYPE[kind]})({expression});"

    def address(self, text, space):
        m = re.match(r"\[([%\w$]+)(?:\+(-?\d+))?\]$", text.strip())
        if not m:
            raise Unknown("address " + text)
        base, offset = m[1], int(m[2] or 0)
        if space == "param":
            for name, at, _ in self.params:
                if name == base:
                    return f"c.params + {at + offset}"
            return f'(const uint8_t*)({self.value(base, "u64")} + {offset}ll)'
        if space == "shared":
            return f'(uint32_t)({self.value(base, "u32")} + {offset})'
        return f'({self.value(base, "u64")} + {offset}ll)'

    # ---- statements ----

    def statement(self, text):
        if m := re.match(r"@(!?)(%?\w+)\s+(.*)", text, re.S):
            self.body.append(f"COUNT; if ({m[1]}{self.variable(m[2])}) {{ {self.instruction(m[3].strip())} }}")
        elif text:
            self.body.append(f"COUNT; {self.instruction(text)}")

    def instruction(self, text):
        m = re.match(r"(\S+)\s*(.*)", text, re.S)
        op = m[1].split(".")
        args = [a.strip() for a in re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,{}\[\]]+", m[2]) if a.strip()]
        handler = getattr(self, "op_" + op[0], None)
        result = handler(op, args) if handler else None
        if result is None:
            raise Unknown(text)
        return result

    def form(self, template, args, kind, result=None):
        """args[0] = template of the other operands, all of one type."""
        return self.assign(args[0], result or kind, template.format(*[self.value(a, kind) for a in args[1:]]))

    # control

    def op_bra(self, op, args):
        return f'goto {args[0].replace("$", "")};'

    def op_ret(self, op, args):
        return "return;"

    op_exit = op_ret

    def op_membar(self, op, args):
        return ";"  # one host thread runs everything

    op_fence = op_membar

    def op_nanosleep(self, op, args):
        self.fibers = True
        return "yieldThread();"

    def op_bar(self, op, args):
        self.fibers = True
        if op[1] == "sync" and args == ["0"]:
            return "blockBarrier(false);"
        if op[1:] == ["red", "or", "pred"]:
            return self.assign(args[0], "pred", f'blockBarrier({self.value(args[2], "pred")})')
        if op[1:] == ["warp", "sync"]:
            return f'exchangeInWarp(0, {self.value(args[0], "u32")});'
        return None

    def op_vote(self, op, args):
        self.fibers = True
        mode = next(x for x in op if x in ("ballot", "any", "all"))
        values = f'exchangeInWarp({self.value(args[1], "pred")}, {self.value(args[2], "u32")})'
        return self.assign(args[0], "u32" if mode == "ballot" else "pred", f"vote{mode.capitalize()}({values})")

    def op_shfl(self, op, args):
        self.fibers = True
        target, *inside = [part.strip() for part in args[0].split("|")]
        values = f'exchangeInWarp({self.value(args[1], "u32")}, {self.value(args[4], "u32")})'
        call = f'shuffle_{op[2]}({values}, {LANE}, {self.value(args[2], "u32")}, {self.value(args[3], "u32")})'
        predicate = f" {self.variable(inside[0])} = s.inside;" if inside else ""
        return f'{{ auto s = {call}; {self.assign(target, "u32", "s.value")}{predicate} }}'

    # memory

    def access(self, op, args):
        """(space, relaxed, registers, address) of ld and st."""
        space = next((x for x in op[1:] if x in ("global", "shared", "param", "local")), None)
        relaxed = "volatile" in op or "relaxed" in op
        if relaxed and space is None:
            space = "global"
        if space not in ("global", "shared", "param"):
            raise Unknown(".".join(op))
        registers, address = args if op[0] == "ld" else reversed(args)
        registers = [r.strip() for r in registers.strip("{}").split(",")]
        count = next((int(x[1:]) for x in op if x in ("v2", "v4")), 1)
        if len(registers) != count:
            raise Unknown(".".join(op))
        return space, "true" if relaxed else "false", registers, self.address(address, space)

    def op_ld(self, op, args):
        kind = op[-1]
        space, relaxed, registers, address = self.access(op, args)
        c = CTYPE[kind]
        if space == "param":
            reads = [self.assign(r, kind, f"readParam<{c}>(a + {k * size_of(kind)})") for k, r in enumerate(registers)]
            return f'{{ const uint8_t* a = {address}; {" ".join(reads)} }}'
        reads = [self.assign(r, kind, f"q.v[{k}]") for k, r in enumerate(registers)]
        return (f'{{ auto q = load{space.capitalize()}<{c}, {len(registers)}, {relaxed}>(c, {address}); '
                f'{" ".join(reads)} }}')

    def op_st(self, op, args):
        kind = op[-1]
        space, relaxed, registers, address = self.access(op, args)
        values = ", ".join(self.value(r, kind) for r in registers)
        return f"store{space.capitalize()}<{CTYPE[kind]}, {len(registers)}, {relaxed}>(c, {address}, {{{{{values}}}}});"

    def atomic(self, op, address, value):
        space, kind = op[1], op[-1]
        if op[2] not in ATOMIC:
            raise Unknown(".".join(op))
        return (f"atomic{space.capitalize()}<{CTYPE[kind]}>(c, {self.address(address, space)}, "
                f"Atomic::{ATOMIC[op[2]]}, {self.value(value, kind)})")

    def op_atom(self, op, args):
        return self.assign(args[0], op[-1], self.atomic(op, args[1], args[2]))

    def op_red(self, op, args):
        return f"(void){self.atomic(op, args[0], args[1])};"

    # moves and conversions

    def op_mov(self, op, args):
        kind = op[-1]
        bits = size_of(kind) * 8 if kind != "pred" else 0
        if args[1][0] == "{":  # packs
            parts = [p.strip() for p in args[1].strip("{}").split(",")]
            width = bits // len(parts)
            terms = [f'(({CTYPE[f"u{bits}"]}){self.value(p, f"u{width}")} << {k * width})' for k, p in enumerate(parts)]
            return self.assign(args[0], kind, " | ".join(terms))
        if args[0][0] == "{":  # unpacks
            parts = [p.strip() for p in args[0].strip("{}").split(",")]
            width = bits // len(parts)
            return " ".join(self.assign(p, f"u{width}", f"(uint{width}_t)({self.value(args[1], kind)} >> {k * width})")
                            for k, p in enumerate(parts))
        return self.assign(args[0], kind, self.value(args[1], kind))

    def op_cvta(self, op, args):
        return self.assign(args[0], op[-1], self.value(args[1], op[-1]))

    def op_cvt(self, op, args):
        to, source, modifiers = op[-2], op[-1], op[1:-2]
        x = self.value(args[1], source)
        if not modifiers:
            if "f" in (to[0], source[0]):
                return self.assign(args[0], to, x) if (to, source) == ("f64", "f32") else None
            held = self.type_of(args[0])
            if to[0] == "s" and held in ("b32", "b64"):  # sign-extended into a wider register
                wide = {"b32": "int32_t", "b64": "int64_t"}[held]
                return f"{self.variable(args[0])} = ({self.storage(held)})({wide})({CTYPE[to]}){x};"
            return self.assign(args[0], to, f"({CTYPE[to]}){x}")
        if modifiers == ["sat"] and to == source == "f32":
            return self.assign(args[0], to, f"{x} > 0 ? {x} < 1 ? {x} : 1 : 0")  # NaN becomes 0
        if modifiers == ["rn"] and to[0] == "f":
            return self.assign(args[0], to, f"({CTYPE[to]}){x}")
        if modifiers == ["rzi"] and source[0] == "f" and to[0] in "su":
            return self.assign(args[0], to, f"to_int<{CTYPE[to]}>({x})")
        if to == source and len(modifiers) == 1 and modifiers[0] in ROUND_TO_INTEGER:
            return self.assign(args[0], to, ROUND_TO_INTEGER[modifiers[0]].format(x))
        return None

    def op_setp(self, op, args):
        compare, kind = op[1], op[-1]
        if len(args) != 3 or "|" in args[0]:
            return None
        a, b = self.value(args[1], kind), self.value(args[2], kind)
        if kind[0] == "f" and compare[:2] in COMPARE and compare[2:] == "u":  # true also where one is NaN
            return self.assign(args[0], "pred", f"!ordered({a}, {b}) || {a} {COMPARE[compare[:2]]} {b}")
        if kind[0] == "f" and compare in ("num", "nan"):  # neither is NaN; one is
            return self.assign(args[0], "pred", f"{'' if compare == 'num' else '!'}ordered({a}, {b})")
        if compare not in COMPARE or (kind[0] != "f" and len(op) != 3):
            return None
        condition = f"{a} {COMPARE[compare]} {b}"
        if kind[0] == "f" and compare == "ne":
            condition = f"ordered({a}, {b}) && {condition}"
        return self.assign(args[0], "pred", condition)

    def op_selp(self, op, args):
        kind = op[-1]
        condition = self.value(args[3], "pred")
        return self.assign(args[0], kind, f"{condition} ? {self.value(args[1], kind)} : {self.value(args[2], kind)}")

    # arithmetic

    def arithmetic(self, op, args):
        """add, sub, mul, div, fma, sqrt, rcp: floats need .rn."""
        kind = op[-1]
        if kind[0] == "f":
            return self.form(FLOAT[op[0]], args, kind) if op[1:-1] == ["rn"] else None
        if op[0] in ("add", "sub") and len(op) == 2:
            return self.form(FLOAT[op[0]], args, unsigned(kind))
        if op[0] in ("mul", "mad"):
            return self.multiply(op, args)
        if op[0] in ("div", "rem") and len(op) == 2:
            return self.form(op[0] + "_of({}, {})", args, kind)
        return None

    op_add = op_sub = op_mul = op_mad = op_div = op_rem = op_fma = op_sqrt = op_rcp = arithmetic

    def multiply(self, op, args):
        kind, plus = op[-1], " + {}" if op[0] == "mad" else ""
        if op[1] == "lo":
            if size_of(kind) == 2:
                return self.form("(uint16_t)((uint32_t){} * (uint32_t){}" + plus + ")", args, "u16")
            return self.form("{} * {}" + plus, args, unsigned(kind))
        a, b = self.value(args[1], kind), self.value(args[2], kind)
        if op[1] == "wide":
            wide = kind[0] + str(2 * size_of(kind) * 8)
            product = f"({CTYPE[wide]}){a} * ({CTYPE[wide]}){b}"
            if op[0] == "mad":
                wide = unsigned(wide)
                product = f"({CTYPE[wide]})({product}) + {self.value(args[3], wide)}"
            return self.assign(args[0], wide, product)
        if op[:2] == ["mul", "hi"]:
            wide = {"u32": "uint64_t", "s32": "int64_t", "u64": "unsigned __int128", "s64": "__int128"}[kind]
            return self.assign(args[0], kind, f"({CTYPE[kind]})((({wide}){a} * ({wide}){b}) >> {size_of(kind) * 8})")
        return None

    def op_min(self, op, args):
        return self.form(op[0] + "_of({}, {})", args, op[-1]) if len(op) == 2 else None

    op_max = op_min

    def op_neg(self, op, args):
        if len(op) != 2:
            return None
        return self.form("-{}", args, op[-1]) if op[-1][0] == "f" else self.form("0 - {}", args, unsigned(op[-1]))

    def op_abs(self, op, args):
        return self.form("std::fabs({})" if op[-1][0] == "f" else "abs_of({})", args, op[-1]) if len(op) == 2 else None

    # bits

    def logic(self, op, args):
        return self.form((SIMPLE_OF_PREDICATES if op[-1] == "pred" else SIMPLE)[op[0]], args, op[-1])

    op_and = op_or = op_xor = logic

    def op_not(self, op, args):
        return self.form("!{}" if op[-1] == "pred" else "~{}", args, op[-1])

    def op_shl(self, op, args):
        a, n = self.value(args[1], op[-1]), self.value(args[2], "u32")
        return self.assign(args[0], op[-1], f"{op[0]}_of<{CTYPE[op[-1]]}>({a}, {n})")

    op_shr = op_shl

    def op_shf(self, op, args):
        side = {"l": "left", "r": "right"}[op[1]]
        return self.form(f"funnel_{side}({{}}, {{}}, {{}})", args, "b32") if op[2:] == ["wrap", "b32"] else None

    def op_clz(self, op, args):
        return self.assign(args[0], "u32", f"clz_of({self.value(args[1], op[-1])})")

    def op_popc(self, op, args):
        return self.assign(args[0], "u32", f"(uint32_t)__builtin_popcountll({self.value(args[1], op[-1])})")

    def op_brev(self, op, args):
        return self.form("__builtin_bitreverse" + op[-1][1:] + "({})", args, op[-1])

    def op_bmsk(self, op, args):
        return self.form("bit_mask({}, {})", args, "b32") if op[1:] == ["clamp", "b32"] else None

    def op_bfi(self, op, args):
        kind = op[-1]
        a, b, at, n = self.value(args[1], kind), self.value(args[2], kind), *[self.value(x, "u32") for x in args[3:]]
        return self.assign(args[0], kind, f"bfi_of<{CTYPE[kind]}>({a}, {b}, {at}, {n})")

    def op_bfe(self, op, args):
        kind = op[-1]
        a, at, n = self.value(args[1], kind), *[self.value(x, "u32") for x in args[2:]]
        return self.assign(args[0], kind, f"bfe_of<{CTYPE[kind]}>({a}, {at}, {n})")


TOKEN = re.compile(r"\s*(?:(\{)(?!\s*%)|(\})|([$\w]+):|((?:[^;{}]|\{[^{};]*\})+);)", re.S)  # { } label: statement;


def parse_body(kernel, body):
    for line in re.findall(r"^\s*(\.shared[^;]*);", body, re.M):  # may be named before they are declared
        kernel.add_shared(line)
    at = 0
    while body[at:].strip():
        m = TOKEN.match(body, at)
        if not m:
            raise Unknown("text " + body[at:at + 80])
        at = m.end()
        if m[1]:
            kernel.body.append("{")
            kernel.scopes.append({})
        elif m[2]:
            kernel.body.append("}")
            kernel.scopes.pop()
        elif m[3]:
            kernel.body.append(m[3].replace("$", "") + ":;")
        else:
            text = m[4].strip()
            if text.startswith(".reg"):
                kernel.add_registers(text)
            elif text.startswith("."):
                if not text.startswith((".shared", ".pragma")):
                    raise Unknown(text)
            else:
                kernel.statement(text)


def kernels_of(text):
    """The kernels of a PTX text. Unknown: names the kernel and what cannot be translated."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"^\s*\.(loc|file)\b[^\n]*", "", text, flags=re.M)  # line numbers of -lineinfo
    entries = []  # (match, body)
    outside, last = "", 0
    for m in re.finditer(r"\.entry\s+([\w$]+)\s*\((.*?)\)([^{;]*)\{", text, re.S):
        depth, end = 1, m.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        entries.append((m, text[m.end():end - 1]))
        outside, last = outside + text[last:m.start()], end
    # of inline functions: declared once, used by kernels that name them
    shared = re.findall(r"(\.shared\s[^;]*?([\w$]+)(?:\[\d+\])?);", outside + text[last:])
    found = []
    for m, body in entries:
        kernel = Kernel(m[1])
        for param in m[2].split(","):
            if param.strip():
                kernel.add_param(param.strip())
        if bound := re.search(r"\.maxntid\s+(\d+)", m[3]):
            kernel.max_threads = int(bound[1])
        for declaration, name in shared:
            if re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", body):
                kernel.add_shared(declaration)
        try:
            parse_body(kernel, body)
        except Unknown as error:
            raise Unknown(f"{kernel.name}: {error}") from None
        found.append(kernel)
    return found


def emit(kernels):
    """C++ that defines the kernels and registers them."""
    out = ['#include "device.h"', "using namespace emulated;", "namespace {"]
    for n, k in enumerate(kernels):
        out += [f"// {k.name}", f"void kernel{n}(const Thread& c) {{", "COUNTER;"]
        body = "\n".join(k.body)
        for kind, prefix in k.registers:
            used = sorted(set(re.findall(r"\b" + prefix[1:] + r"(\d+)\b", body)), key=int)
            if used:
                out.append(f"{Kernel.storage(kind)} " + ", ".join(prefix[1:] + i for i in used) + ";")
        out += [body, "}"]
    out.append("const Kernel list[] = {")
    for n, k in enumerate(kernels):
        params = ", ".join(f"{{{offset}, {size}}}" for _, offset, size in k.params)
        out.append(f'{{"{k.name}", kernel{n}, {k.param_bytes}, {k.shared_bytes}, {k.max_threads}, '
                   f'{"true" if k.fibers else "false"}, {{{params}}}}},')
    out += ["};", "const Registrar registrar(list, sizeof list / sizeof *list);", "}"]
    return "\n".join(out) + "\n"
