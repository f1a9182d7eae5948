#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels in the public kernel language, right by its contract (include/isowarp/kernel.h).

usage: random_kernels.py SEED KERNELS > FILE.c

The file defines the kernels random_0, random_1, ... With -DRANDOM_LIST it defines the macro RANDOM_KERNELS(X) alone,
which names them: see tests/scripts/random_kernels.h. tests/scripts/random_kernels.c runs them.

A kernel is a sequence of fragments. Each fragment takes values that exist (locals of the phase, variables of the
warp, uniform values of the block) and makes new ones. All that reaches memory is independent of the order of warps
and blocks: a place is written by one thread alone, or by atomics whose order does not matter. Kernels that exchange
values within a warp need warps of 32 lanes; the others give the same bits for every size of the warp.
"""
import random
import sys

SCALAR = {"u32": "uint32_t", "i32": "int32_t", "u64": "uint64_t", "i64": "int64_t", "f32": "float", "f64": "double"}
LETTER = {"u32": "u", "i32": "i", "u64": "U", "i64": "I", "f32": "f", "f64": "d", "u8": "b", "u16": "h"}
TYPES = list(SCALAR)
INTEGERS = TYPES[:4]
UNSIGNED = {"u32": 32, "u64": 64}
BYTES = {"u32": 4, "i32": 4, "u64": 8, "i64": 8, "f32": 4, "f64": 8, "u8": 1, "u16": 2}
MOST_SHARED = 40000


class Kernel:
    def __init__(self, rng, number):
        self.rng = rng
        self.name = f"random_{number}"
        self.is_chain = rng.random() < 0.4       # elements by ticket; blocks may wait for others
        self.uses_lanes = rng.random() < 0.6     # values are exchanged within the warp
        self.threads = rng.choice([0, 0, 0, 64, 128, 256])
        self.declarations = []
        self.body = []
        self.variables = []                      # (type, name) of IW_VARs; all are set
        self.predicates = []                     # names of IW_VARs
        self.uniforms = []                       # (type, name)
        self.outs = []                           # types of the columns
        self.shared = []                         # (type, name) of arrays of 1024
        self.shared_bytes = 0
        self.words = 0
        self.slots = 0
        self.used = set()
        self.unused = set()                      # locals
        self.count = 0
        self.in_phase = False
        self.indent = 1
        self.locals = {t: [] for t in TYPES}
        self.local_predicates = []
        self.is_partial = False                  # in a branch: no new variables

    # ---- Text ----

    def emit(self, text):
        self.body.append("  " * self.indent + text)

    def fresh(self, letter="t"):
        self.count += 1
        return f"{letter}{self.count}"

    def one_in(self, n):
        return self.rng.randrange(n) == 0

    def begin(self, kind="IW_PHASE"):
        if self.in_phase:
            return
        self.emit(f"{kind}(warp) {{")
        self.indent += 1
        self.in_phase = True
        self.emit("const iw_span here = iw_elements_from(warp, base, args->n);")
        self.emit("const iw_pred valid = here.valid, active = iw_active(warp);")
        self.emit("const iw_u32 thread = iw_iota_u32(warp * IW_WARP_SIZE);")
        self.emit("const iw_u32 element = iw_add(thread, (uint32_t)base);")
        self.emit("(void)valid, (void)active, (void)thread, (void)element;")
        self.locals = {t: [] for t in TYPES}
        self.locals["u32"] += ["element"]
        self.local_predicates = ["valid", "active"]
        for t, v in self.rng.sample(self.variables, min(len(self.variables), 4)):
            self.local(t, f"IW_MY({v})")
        for p in self.predicates[-2:]:
            name = self.fresh("p")
            self.emit(f"const iw_pred {name} = IW_MY({p});")
            self.local_predicates.append(name)

    def end(self):
        """Keeps a value of the phase that nothing has used. In a branch only what is there before is set."""
        if self.in_phase:
            left = [(t, x) for t in TYPES for x in self.locals[t] if x in self.unused]
            if left and not self.is_partial:
                self.keep(*self.rng.choice(left))
            self.unused.clear()
            self.indent -= 1
            self.emit("}")
            self.in_phase = False

    def new_phase(self):
        self.end()
        self.begin()

    # ---- Values ----

    def local(self, t, text):
        name = self.fresh()
        self.emit(f"const iw_{t} {name} = {text};")
        self.locals[t].append(name)
        self.unused.add(name)
        return name

    def predicate(self, text):
        name = self.fresh("p")
        self.emit(f"const iw_pred {name} = {text};")
        self.local_predicates.append(name)
        return name

    def constant(self, t):
        r = self.rng
        if t[0] == "f":
            text = r.choice(["0.0", "-0.0", "1.0", "0.5", "-2.75", "1e10", "3.0e-5", "1e-300" if t == "f64" else "1e-40",
                             repr(r.uniform(-100, 100))])
            return text + ("f" if t == "f32" else "")
        if t[0] == "u":
            bits = int(t[1:])
            v = r.choice([0, 1, 2, 3, 7, 31, 32, 255, 1 << (bits - 1), (1 << bits) - 1, r.getrandbits(bits), r.randrange(100)])
            return f"{v}u" if bits == 32 else f"UINT64_C({v})"
        v = r.choice([0, 1, -1, 2, -3, 31, 33, 1000, -100, r.getrandbits(31), -r.getrandbits(30)])
        return str(v)

    def splat(self, t, text):
        return f"iw_splat_{t}({text})"

    def a(self, t):
        """Lanes of the type: values that nothing has used are likelier."""
        r = self.rng
        pool = self.locals[t]
        unused = [x for x in pool if x in self.unused]
        if unused and r.random() < 0.7:
            x = r.choice(unused)
            self.unused.discard(x)
            return x
        if pool and r.random() < 0.85:
            return pool[max(r.randrange(len(pool)), r.randrange(len(pool)))]
        choices = []
        mine = [u for u in self.uniforms if u[0] == t]
        if mine:
            choices.append(lambda: self.local(t, self.splat(t, r.choice(mine)[1])))
        variables = [v for v in self.variables if v[0] == t]
        if variables:
            choices += 2 * [lambda: self.local(t, f"IW_MY({r.choice(variables)[1]})")]
        choices.append(lambda: self.load(t))
        choices.append(lambda: self.local(t, self.splat(t, self.constant(t))))
        others = [o for o in TYPES if o != t and self.locals[o]]
        if others:
            o = r.choice(others)
            choices += 2 * [lambda: self.local(t, f"iw_to_{t}({r.choice(self.locals[o])})")]
        return r.choice(choices)()

    def b(self, t):
        """Operand b: lanes or a scalar."""
        return self.constant(t) if self.one_in(5) else self.a(t)

    def p(self):
        r = self.rng
        if self.local_predicates and r.random() < 0.6:
            return r.choice(self.local_predicates)
        k = r.randrange(5)
        if k == 0:
            return self.predicate(f"iw_{r.choice(['and', 'or'])}({r.choice(self.local_predicates)}, {r.choice(self.local_predicates)})")
        if k == 1:
            return self.predicate(f"iw_not({r.choice(self.local_predicates)})")
        t = r.choice(TYPES)
        return self.predicate(f"iw_{r.choice(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])}({self.a(t)}, {self.b(t)})")

    def some(self, of="valid"):
        """A predicate that implies `of`."""
        return of if self.one_in(2) else self.predicate(f"iw_and({self.p()}, {of})")

    def load(self, t, some=None):
        some = some or self.some()
        return self.local(t, f"iw_load(args->{t} + here.first, {some})")

    def keep(self, t, value):
        """Into a variable of the warp, an old one now and then."""
        same = [v for v in self.variables if v[0] == t]
        if same and self.one_in(3):
            v = self.rng.choice(same)[1]
        else:
            v = self.fresh("v")
            self.declarations.append(f"IW_VAR(iw_{t}, {v});")
            self.variables.append((t, v))
        self.emit(f"IW_MY({v}) = {value};")
        return v

    def keep_predicate(self, value):
        v = self.fresh("q")
        self.declarations.append(f"IW_VAR(iw_pred, {v});")
        self.emit(f"IW_MY({v}) = {value};")
        self.predicates.append(v)
        return v

    def column(self, t):
        """A column for results that nobody else writes, or None."""
        if len(self.outs) >= 14:
            return None
        self.outs.append(t)
        return f"(({ {'u8': 'uint8_t', 'u16': 'uint16_t', **SCALAR}[t] } *)args->out[{len(self.outs) - 1}])"

    def row(self, t):
        """An array of 1024 in shared memory; its content is unspecified. None if there is no room."""
        same = [s for s in self.shared if s[0] == t]
        if same and (self.one_in(2) or self.shared_bytes + 1024 * BYTES[t] > MOST_SHARED):
            return f"shared->{self.rng.choice(same)[1]}"
        if self.shared_bytes + 1024 * BYTES[t] > MOST_SHARED:
            return None
        name = self.fresh("s")
        self.shared.append((t, name))
        self.shared_bytes += 1024 * BYTES[t]
        return f"shared->{name}"

    def word(self):
        """A column of words, one for each block, or None."""
        if self.words >= 4:
            return None
        self.words += 1
        return f"(args->words + {self.words - 1} * block->blocks + place)"

    # ---- Fragments: arithmetic ----

    def arithmetic(self):
        self.begin()
        for _ in range(self.rng.randrange(2, 9)):
            self.operation()
        if self.one_in(2):
            t = self.rng.choice(TYPES)
            self.keep(t, self.a(t))

    def operation(self):
        r = self.rng
        t = r.choice(TYPES)
        k = r.randrange(12)
        typed = r.choice(["", "_" + t])
        if k < 5:
            names = ["add", "sub", "mul", "div", "min", "max"]
            if t in INTEGERS:
                names += ["rem", "and", "or", "xor", "shl", "shr"]
            else:
                names += ["fma"]
            name = r.choice(names)
            operand = self.a if typed else self.b
            more = "".join(f", {operand(t)}" for _ in range(2 if name == "fma" else 1))
            self.local(t, f"iw_{name}{typed}({self.a(t)}{more})")
        elif k == 5:
            names = ["neg"] + (["abs"] if t not in UNSIGNED else []) + (["floor", "ceil", "trunc", "rint", "sqrt"] if t[0] == "f" else ["not"])
            self.local(t, f"iw_{r.choice(names)}{typed}({self.a(t)})")
        elif k == 6:
            self.local(t, f"iw_select({self.p()}, {self.a(t)}, {self.b(t)})")
        elif k == 7:
            other = r.choice([o for o in TYPES if o != t])
            self.local(t, f"iw_to_{t}({self.a(other)})")
        elif k == 8:
            u = r.choice(list(UNSIGNED))
            self.local("u32", f"iw_{r.choice(['popcount', 'clz', 'ctz'])}({self.a(u)})")
        elif k == 9:
            f = r.choice(["32", "64"])
            if self.one_in(2):
                self.local("u" + f, f"iw_as_bits({self.a('f' + f)})")
            else:
                self.local("f" + f, f"iw_from_bits_f{f}({self.a('u' + f)})")
        elif k == 10:
            self.p()
            if self.one_in(3):
                self.keep_predicate(self.p())
        else:
            function = r.choice(["random_mix", "random_clamp"])
            if function == "random_mix":
                self.local("u32", f"random_mix({self.a('u32')}, {self.constant('u32')})")
            else:
                self.local("f32", f"random_clamp({self.a('f32')})")

    # ---- Fragments: memory ----

    def inputs(self):
        self.begin()
        r = self.rng
        for _ in range(r.randrange(1, 4)):
            t = r.choice(TYPES)
            k = r.randrange(8)
            if k < 2:
                self.load(t)
            elif k == 2:
                i = self.local("u32", f"iw_rem({self.a('u32')}, (uint32_t)args->n)")
                self.local(t, f"iw_gather(args->{t}, {i}, {self.some()})")
            elif k == 3:
                i = self.local("u64", f"iw_rem({self.a('u64')}, args->n)")
                self.local(t, f"iw_gather_far(args->{t}, {i}, {self.some()})")
            elif k == 4:
                w = r.choice(["u8", "u16"])
                self.local("u32", f"iw_load_{w}(args->{w} + here.first, {self.some()})")
            elif k == 5:
                w = r.choice(["u8", "u16"])
                i = self.local("u32", f"iw_rem({self.a('u32')}, (uint32_t)args->n)")
                self.local("u32", f"iw_gather_{w}(args->{w}, {i}, {self.some()})")
            elif k == 6:
                self.emit(f"iw_prefetch(args->{t} + here.first, {r.choice([64, 128, 4096])});")
                self.local("u32", f"iw_gather(random_table, iw_and({self.a('u32')}, 15), {self.p()})")
            else:
                at = r.choice(["0", "args->n / 2", "args->n - 1"])
                self.emit(f"if (args->n > 0)")
                v = self.keep_under(t, f"iw_splat(iw_get(args->{t} + {at}))")
                self.local(t, f"IW_MY({v})")

    def keep_under(self, t, value):
        """An assignment under a uniform condition: to a variable that is set before."""
        body_at = len(self.body) - 1
        condition = self.body.pop()
        same = [v for v in self.variables if v[0] == t]
        v = self.rng.choice(same)[1] if same else self.keep(t, self.splat(t, self.constant(t)))
        self.body.append(condition)
        self.emit(f"  IW_MY({v}) = {value};")
        return v

    def rotated(self, i, n):
        """A place of its own for each of n: backwards, or rotated. n: text of a uint32_t."""
        if self.one_in(2):
            return self.local("u32", f"iw_sub(iw_splat_u32({n} - 1), {i})")
        k = self.rng.randrange(200)
        return self.local("u32", f"iw_rem(iw_add({i}, {k}), {n})")

    def outputs(self):
        self.begin()
        r = self.rng
        k = r.randrange(7)
        t = r.choice(["u8", "u16"]) if k in (3, 4) else r.choice(TYPES)
        c = self.column(t)
        if not c:
            return
        some = self.some()
        if k < 2:
            self.emit(f"iw_store({c} + here.first, {self.b(t)}, {some});")
        elif k == 2:
            self.emit(f"iw_scatter({c}, {self.rotated('element', '(uint32_t)args->n')}, {self.a(t)}, {some});")
        elif k == 3:
            self.emit(f"iw_store_{t}({c} + here.first, {self.a('u32')}, {some});")
        elif k == 4:
            self.emit(f"iw_scatter_{t}({c}, {self.rotated('element', '(uint32_t)args->n')}, {self.a('u32')}, {some});")
        elif k == 5:
            i = self.local("u64", f"iw_to_u64({self.rotated('element', '(uint32_t)args->n')})")
            self.emit(f"iw_scatter_far({c}, {i}, {self.a(t)}, {some});")
        else: # own stores are read back by the same lane, and by other lanes of the warp
            self.emit(f"iw_store({c} + here.first, {self.a(t)}, valid);")
            self.local(t, f"iw_load({c} + here.first, {some})")
            if self.one_in(2):
                self.emit(f"iw_store({c} + here.first, {self.b(t)}, {self.some()});")

    def wanted(self):
        """Stores and atomics in a branch that a warp skips if none of its lanes wants it."""
        self.begin()
        t = self.rng.choice(TYPES)
        c = self.column(t)
        if not c:
            return
        some = self.predicate(f"iw_and({self.p()}, valid)")
        value, count = self.a(t), self.a("u32")
        total = self.rng.choice(["iw_wanted", "iw_any"])
        self.emit(f"if ({total}({some})) {{")
        self.indent += 1
        kept = {k: list(v) for k, v in self.locals.items()}, list(self.local_predicates)
        self.emit(f"iw_store({c} + here.first, {value}, {some});")
        self.emit(f"iw_global_add(args->bins32, iw_and({count}, {self.rng.choice([0, 3, 31])}), 1, {some});")
        if self.uses_lanes:
            self.emit(f"iw_global_add(args->bins64, iw_lowest(iw_ballot({some})), iw_splat_u64(iw_popcount_of({some})), iw_lanes_below(1));")
        self.indent -= 1
        self.emit("}")
        self.locals, self.local_predicates = kept

    # ---- Fragments: shared memory ----

    def staged(self):
        """Through shared memory, to another thread."""
        r = self.rng
        t = r.choice(TYPES + ["u8", "u16"])
        s = self.row(t)
        if not s:
            return
        lane = "u32" if t in ("u8", "u16") else t
        narrow = f"_{t}" if t in ("u8", "u16") else ""
        self.new_phase()
        if self.one_in(2):
            self.emit(f"iw_store{narrow}({s} + warp * IW_WARP_SIZE, {self.a(lane)}, active);")
        else:
            self.emit(f"iw_scatter{narrow}({s}, {self.rotated('thread', 'block->threads')}, {self.a(lane)}, active);")
        self.new_phase()
        k = r.randrange(3)
        if k == 0:
            v = self.local(lane, f"iw_load{narrow}({s} + warp * IW_WARP_SIZE, {self.some('active')})")
        elif k == 1:
            v = self.local(lane, f"iw_gather{narrow}({s}, {self.rotated('thread', 'block->threads')}, {self.some('active')})")
        else:
            i = self.local("u32", f"iw_rem({self.a('u32')}, block->threads)")
            v = self.local(lane, f"iw_gather{narrow}({s}, {i}, {self.some('active')})")
        self.keep(lane, v)
        self.end()

    def counted(self):
        """Atomics in shared memory: clear, count, read."""
        r = self.rng
        t = r.choice(INTEGERS)
        s = self.row(t)
        if not s:
            return
        bins = r.choice([1, 7, 32, 64, 256, 1000])
        self.new_phase()
        self.emit(f"for (unsigned start = 0; start < {bins}; start += block->threads) {{")
        self.emit(f"  const iw_span some = iw_elements_from(warp, start, {bins});")
        self.emit(f"  iw_store({s} + some.first, {self.constant(t)}, some.valid);")
        self.emit("}")
        self.new_phase()
        op = r.choice(["add", "add", "min", "max"])
        for _ in range(r.randrange(1, 4)):
            i = self.local("u32", f"iw_rem({self.a('u32')}, {bins})")
            self.emit(f"iw_shared_{op}({s}, {i}, {self.b(t)}, {self.some('active')});")
        self.new_phase()
        i = self.local("u32", f"iw_rem({self.a('u32')}, {bins})")
        self.keep(t, self.local(t, f"iw_gather({s}, {i}, {self.some('active')})"))
        if self.one_in(2):
            self.emit(f"for (unsigned start = 0; start < {bins}; start += block->threads) {{")
            self.emit(f"  const iw_span some = iw_elements_from(warp, start, {bins});")
            self.emit(f"  const iw_{t} count = iw_load({s} + some.first, some.valid);")
            self.emit(f"  iw_global_add(args->bins64, iw_and(iw_iota_u32((uint32_t)some.first), 31), iw_to_u64(count), some.valid);")
            self.emit("}")
        self.end()

    def claimed(self):
        """Atomics whose old value is known: each thread has a place of its own."""
        r = self.rng
        t = r.choice(INTEGERS)
        s = self.row(t)
        if not s:
            return
        self.new_phase()
        self.emit(f"iw_store({s} + warp * IW_WARP_SIZE, {self.a(t)}, active);")
        self.new_phase()
        i = self.rotated("thread", "block->threads")
        ops = ["add", "min", "max", "exchange"]
        for _ in range(r.randrange(1, 3)):
            some = self.some("active")
            if self.one_in(4):
                old = self.local(t, f"iw_shared_compare_exchange({s}, {i}, {self.a(t)}, {self.a(t)}, {some})")
            else:
                old = self.local(t, f"iw_shared_{r.choice(ops)}({s}, {i}, {self.b(t)}, {some})")
            self.keep(t, old)
        self.new_phase()
        self.keep(t, self.local(t, f"iw_load({s} + warp * IW_WARP_SIZE, active)"))
        self.end()

    # ---- Fragments: atomics in global memory ----

    def counted_globally(self):
        self.begin()
        r = self.rng
        width = r.choice(["32", "64"])
        lane = r.choice(["u", "i"]) + width
        bins = f"({SCALAR[lane]} *)args->bins{width}"
        # Operations of one kind each, on bins of their own, as their order does not matter then.
        first, op = r.choice([(0, "add"), (0, "add"), (32, "max" + lane[0]), (40, "min" + lane[0])])
        if op[:3] != "add":
            lane = op[3] + width
            first += 0 if lane[0] == "u" else 16
            op = op[:3]
            bins = f"({SCALAR[lane]} *)args->bins{width}"
            i = self.local("u32", f"iw_add(iw_and({self.a('u32')}, 7), {first})")
        else:
            i = self.local("u32", f"iw_and({self.a('u32')}, {r.choice([0, 1, 31])})")
        self.emit(f"iw_global_{op}({bins}, {i}, {self.b(lane)}, {self.some()});")

    def claimed_globally(self):
        self.begin()
        r = self.rng
        width = r.choice(["32", "64"])
        if ("owned" + width) in self.used:
            return
        self.used.add("owned" + width)
        lane = r.choice(["u", "i"]) + width
        owned = f"({SCALAR[lane]} *)args->owned{width}"
        i = self.rotated("element", "(uint32_t)args->n")
        for _ in range(r.randrange(1, 4)):
            some = self.some()
            if self.one_in(4):
                old = self.local(lane, f"iw_global_compare_exchange({owned}, {i}, {self.a(lane)}, {self.a(lane)}, {some})")
            else:
                old = self.local(lane, f"iw_global_{r.choice(['add', 'min', 'max', 'exchange'])}({owned}, {i}, {self.b(lane)}, {some})")
            self.keep(lane, old)

    # ---- Fragments: the block ----

    def collective(self):
        r = self.rng
        self.begin()
        k = r.randrange(9)
        if k == 0:
            p = self.keep_predicate(self.p())
            self.end()
            u = self.fresh("u")
            name = r.choice(["any", "all", "count"])
            self.emit(f"const uint32_t {u} = (uint32_t)iw_block_{name}({p});")
            self.uniforms.append(("u32", u))
            return
        t = r.choice(TYPES)
        v = self.keep(t, f"iw_select(active, {self.a(t)}, {self.constant(t)})")
        self.end()
        if k < 5:
            u = self.fresh("u")
            self.emit(f"const {SCALAR[t]} {u} = iw_block_{r.choice(['sum', 'min', 'max'])}({v});")
            self.uniforms.append((t, u))
        elif k == 5:
            u = self.fresh("u")
            thread = r.choice(["0", "block->threads - 1", "block->threads / 2"])
            self.emit(f"const {SCALAR[t]} {u} = iw_block_broadcast({v}, {thread});")
            self.uniforms.append((t, u))
        else:
            op = r.choice(["sum", "min", "max"])
            if t[0] == "f" and op == "sum" and not self.uses_lanes:
                op = "max"
            to = v
            if self.one_in(2):
                to = self.fresh("v")
                self.declarations.append(f"IW_VAR(iw_{t}, {to});")
            self.emit(f"iw_block_{r.choice(['inclusive', 'exclusive'])}_prefix_{op}({to}, {v});")
            self.begin()
            x = self.local(t, f"iw_select(active, IW_MY({to}), {self.constant(t)})")
            self.emit(f"IW_MY({to}) = {x};")
            if to != v:
                self.variables.append((t, to))

    def posted(self):
        r = self.rng
        t = r.choice(TYPES)
        self.new_phase()
        warp = r.choice(["0", "block->warps - 1", "block->warps / 2"])
        if self.uses_lanes and self.one_in(2):
            value = f"iw_at({self.a(t)}, 0)"
        elif r.randrange(2):
            v = self.a(t)
            value = f"iw_at({v}, 0)"
            if not self.uses_lanes:
                warp = "0" # the first lane of another warp depends on the size
        else:
            value = self.constant(t)
        self.emit(f"if (warp == {warp})")
        self.emit(f"  iw_post_{t}({value});")
        self.end()
        u = self.fresh("u")
        self.emit(f"const {SCALAR[t]} {u} = iw_posted_{t}();")
        self.uniforms.append((t, u))

    def block_word(self):
        """A word of the block's own in global memory: written by one warp or by atomics, read by all."""
        w = self.word()
        if not w:
            return
        self.new_phase()
        if self.one_in(2):
            value = f"iw_at({self.a('u64')}, 0)"
            self.emit("if (warp == 0)")
            self.emit(f"  iw_set({w}, {value});")
        else:
            self.emit(f"iw_global_add({w}, 0, {self.a('u64')}, {self.some('active')});")
        self.end()
        u = self.fresh("u")
        self.emit(f"const uint64_t {u} = iw_block_get({w});")
        self.uniforms.append(("u64", u))

    def branch(self):
        """Phases in a branch that the block takes as a whole."""
        self.end()
        u = [u for u in self.uniforms if u[0] in INTEGERS]
        if not u or not self.variables:
            return
        t, name = self.rng.choice(u)
        self.emit(f"if (({name} & {self.rng.choice([1, 2, 3])}) != 0) {{")
        self.indent += 1
        count = self.variables[:], self.predicates[:], self.uniforms[:]
        self.is_partial = True
        self.begin()
        for _ in range(3):
            self.operation_in_branch()
        self.end()
        self.is_partial = False
        self.variables, self.predicates, self.uniforms = count
        self.indent -= 1
        self.emit("}")

    def operation_in_branch(self):
        self.operation_pure()
        t, v = self.rng.choice(self.variables)
        self.emit(f"IW_MY({v}) = {self.a(t)};")

    def operation_pure(self):
        t = self.rng.choice(TYPES)
        self.local(t, f"iw_{self.rng.choice(['add', 'sub', 'mul', 'min', 'max'])}({self.a(t)}, {self.b(t)})")

    def loop(self):
        """Each block loops over the first m elements."""
        r = self.rng
        t = r.choice(TYPES)
        self.begin()
        v = self.fresh("v")
        self.declarations.append(f"IW_VAR(iw_{t}, {v});")
        self.emit(f"IW_MY({v}) = {self.splat(t, self.constant(t))};")
        self.end()
        op = r.choice(["add", "min", "max", "mul", "sub"])
        kind = r.choice(["IW_PHASE", "IW_WARPS"])
        if self.one_in(2):
            self.emit(f"{kind}(warp) {{")
            self.emit("  for (size_t start = 0; start < args->m; start += block->threads) {")
            last = ["  }", "}"]
        else:
            self.emit("for (size_t start = 0; start < args->m; start += block->threads) {")
            self.emit(f"  {kind}(warp) {{")
            last = ["  }", "}"]
        self.emit("    const iw_span part = iw_elements_from(warp, start, args->m);")
        self.emit(f"    const iw_{t} x = iw_load(args->{t} + part.first, part.valid);")
        self.emit(f"    IW_MY({v}) = iw_select(part.valid, iw_{op}(IW_MY({v}), x), IW_MY({v}));")
        for text in last:
            self.emit(text)
        self.variables.append((t, v))

    def rounds(self):
        """Until no thread goes on."""
        self.begin()
        x = self.local("u32", f"iw_and({self.a('u32')}, {self.rng.choice([3, 15])})")
        v = self.fresh("v")
        self.declarations.append(f"IW_VAR(iw_u32, {v});")
        self.emit(f"IW_MY({v}) = iw_select(active, {x}, 0);")
        q = self.keep_predicate("iw_lanes_below(0)")
        self.end()
        u = self.fresh("u")
        self.emit(f"uint32_t {u} = 0;")
        self.emit("do {")
        self.emit("  IW_PHASE(warp) {")
        self.emit(f"    IW_MY({q}) = iw_gt(IW_MY({v}), 0);")
        self.emit(f"    IW_MY({v}) = iw_select(IW_MY({q}), iw_sub(IW_MY({v}), 1), IW_MY({v}));")
        self.emit("  }")
        self.emit(f"  {u}++;")
        self.emit(f"}} while (iw_block_any({q}));")
        self.uniforms.append(("u32", u))

    def array(self):
        """An array of variables, indexed by a uniform value."""
        r = self.rng
        t = r.choice(TYPES)
        self.begin()
        name = self.fresh("w")
        n = r.randrange(2, 5)
        self.declarations.append(f"IW_VAR_ARRAY(iw_{t}, {name}, {n});")
        for i in range(n):
            value = self.a(t)
            self.emit(f"IW_MY({name})[{i}] = {value};")
        self.end()
        self.begin()
        v = self.fresh("v")
        self.declarations.append(f"IW_VAR(iw_{t}, {v});")
        self.emit(f"IW_MY({v}) = IW_MY({name})[0];")
        self.emit(f"for (int k = 1; k < {n}; k++)")
        self.emit(f"  IW_MY({v}) = iw_{r.choice(['add', 'max', 'sub'])}(IW_MY({v}), IW_MY({name})[k]);")
        self.variables.append((t, v))

    # ---- Fragments: the warp (32 lanes) ----

    def lanes(self):
        self.begin()
        for _ in range(self.rng.randrange(2, 6)):
            self.lane_operation()
        t = self.rng.choice(TYPES)
        self.keep(t, self.a(t))

    def lane_operation(self):
        r = self.rng
        t = r.choice(TYPES)
        k = r.randrange(16)
        width = r.choice([2, 4, 8, 16, 32, 32])
        if k == 0:
            self.local("u64", f"iw_splat_u64(iw_ballot({self.p()}))")
        elif k == 1:
            self.predicate(f"iw_pred_of({r.choice(['0x0f0f3355ffff0000', '0xaaaaaaaa', '0x80000001'])})")
        elif k == 2:
            self.local("u32", f"iw_splat_u32(iw_popcount_of({self.p()}))")
        elif k == 3:
            self.local("u32", f"iw_rank({self.p()})")
        elif k == 4:
            i = r.choice(INTEGERS)
            x = self.local(i, f"iw_and({self.a(i)}, {r.choice([1, 7, 31])})") if self.one_in(2) else self.a(i)
            self.local("u64", f"iw_match({x}, {self.p()})")
        elif k == 5:
            self.local(t, self.splat(t, f"iw_at({self.a(t)}, {r.randrange(32)})"))
        elif k == 6:
            self.local(t, f"iw_broadcast({self.a(t)}, {r.randrange(32)})" if self.one_in(2) else
                       self.splat(t, f"iw_last({self.a(t)})"))
        elif k == 7:
            self.local(t, f"iw_shift({self.a(t)}, {self.constant(t)})")
        elif k == 8:
            self.local(t, f"iw_shuffle({self.a(t)}, {self.a('u32')}, {width})")
        elif k == 9:
            self.local(t, f"iw_shuffle_{r.choice(['up', 'down'])}({self.a(t)}, {r.randrange(32)}, {width})")
        elif k == 10:
            self.local(t, f"iw_shuffle_xor({self.a(t)}, {r.randrange(width)}, {width})")
        elif k == 11:
            self.local(t, self.splat(t, f"iw_warp_{r.choice(['sum', 'min', 'max'])}({self.a(t)})"))
        elif k in (12, 13):
            self.local(t, f"iw_{r.choice(['inclusive', 'exclusive'])}_prefix_{r.choice(['sum', 'min', 'max'])}({self.a(t)})")
        elif k == 14:
            name, u, value = self.fresh(), self.fresh("u"), self.a(t)
            self.emit(f"iw_{t} {name};")
            self.emit(f"const {SCALAR[t]} {u} = iw_fold_{r.choice(['sum', 'min', 'max'])}(({SCALAR[t]}){self.constant(t)}, {value}, &{name});")
            self.locals[t].append(name)
            self.local(t, self.splat(t, u))
        else:
            p = self.p()
            v = self.keep("u32", self.splat("u32", "0"))
            self.emit(f"if (iw_any({p}))")
            self.emit(f"  IW_MY({v}) = iw_splat_u32((uint32_t)iw_{r.choice(['highest', 'lowest'])}(iw_ballot({p})));")
            self.local("u32", f"IW_MY({v})")

    def compacted(self):
        """Compaction to a warp's own room, shared or global, and back: the places behind are not read."""
        r = self.rng
        t = r.choice(["u32", "u64"])
        self.new_phase()
        if self.one_in(2):
            width = "32" if t == "u32" else "64"
            room = f"args->room{width} + (place * block->warps + warp) * 64"
        else:
            # 2 * 1024 elements: two rows, one behind the other
            if self.shared_bytes + 2048 * BYTES[t] > MOST_SHARED:
                return
            name = self.fresh("s")
            self.shared.append((t + "x2", name))
            self.shared_bytes += 2048 * BYTES[t]
            room = f"shared->{name} + warp * 64"
        count = self.fresh("n")
        value = self.a(t)
        p = self.p()
        self.emit(f"const unsigned {count} = iw_compact({room}, {value}, {p});")
        back = self.local(t, f"iw_load({room}, iw_lanes_below({count}))")
        self.keep(t, back)
        self.keep("u32", self.splat("u32", count))
        if self.one_in(2):
            c = self.column(t)
            if c:
                self.emit(f"iw_store({c} + here.first, {back}, iw_and(valid, iw_lanes_below({count})));")

    def warp_count(self):
        """A uniform value of each warp."""
        self.begin()
        name = self.fresh("x")
        self.declarations.append(f"IW_VAR(uint32_t, {name});")
        self.emit(f"IW_MY({name}) = (uint32_t)iw_popcount_of({self.p()});")
        self.new_phase()
        self.local("u32", f"iw_splat(IW_MY({name}))")

    # ---- Fragments: between blocks ----

    def look_back(self):
        """The exclusive prefix of the blocks' aggregates, by look-back over the tickets."""
        r = self.rng
        if self.slots >= 3:
            return
        slots = f"args->slots[{self.slots}]"
        self.slots += 1
        t = r.choice(TYPES)
        kind = r.choice(["fold", "serial"] + ["window"] * self.uses_lanes) # a window needs a full warp
        if t[0] == "f":
            kind = "fold"
        self.begin()
        v = self.keep(t, f"iw_select(active, {self.a(t)}, {self.constant(t)})")
        self.end()
        total, before = self.fresh("u"), self.fresh("u")
        s = SCALAR[t]
        op = r.choice(["sum", "min", "max"]) if t[0] == "f" or t[0] == "u" else r.choice(["min", "max"])
        self.emit(f"const {s} {total} = iw_block_{op}({v});")
        combine = {"sum": "add", "min": "min", "max": "max"}[op]
        release, acquire = r.choice([("publish", "poll"), ("publish_release", "poll_acquire")])
        first = {"sum": "0", "min": "3", "max": "3"}[op]
        self.emit("IW_PHASE(warp) {")
        self.emit("  if (warp == 0) {")
        self.indent += 2
        self.emit(f"iw_{t} sum = iw_splat_{t}({first});")
        self.emit(f"iw_polled_{t} got;")
        self.emit("unsigned spins = 0;")
        if kind == "fold":
            self.emit(f"iw_{release}({slots}, place, epoch * 4 + 1, {total});")
            self.emit("for (size_t k = 0; k < place; k++) {")
            self.emit(f"  while (got = iw_{acquire}_{t}({slots}, (int64_t)k, 0, 1), iw_at(got.flag, 0) != epoch * 4 + 1)")
            self.emit("    iw_pause(&spins);")
            self.emit(f"  sum = iw_{combine}(sum, iw_at(got.value, 0));")
            self.emit("}")
        elif kind == "serial":
            self.emit(f"iw_{release}({slots}, place, epoch * 4 + (place == 0 ? 2 : 1), {total});")
            self.emit("for (int64_t k = (int64_t)place - 1; k >= 0; k--) {")
            self.emit(f"  while (got = iw_{acquire}_{t}({slots}, k, 0, 1), iw_at(got.flag, 0) >> 2 != epoch)")
            self.emit("    iw_pause(&spins);")
            self.emit(f"  sum = iw_{combine}(sum, iw_at(got.value, 0));")
            self.emit("  if ((iw_at(got.flag, 0) & 3) == 2)")
            self.emit("    break;")
            self.emit("}")
            self.emit("if (place > 0)")
            self.emit(f"  iw_{release}({slots}, place, epoch * 4 + 2, iw_at(iw_{combine}(sum, {total}), 0));")
        else:
            self.emit(f"iw_{release}({slots}, place, epoch * 4 + (place == 0 ? 2 : 1), {total});")
            self.emit("for (int64_t end = (int64_t)place; end > 0; end -= IW_WARP_SIZE) {")
            self.emit("  const int64_t from = end - IW_WARP_SIZE;")
            self.emit("  const unsigned least = from < 0 ? (unsigned)-from : 0;")
            self.emit("  const iw_pred read = iw_not(iw_lanes_below(least));")
            self.emit(f"  while (got = iw_{acquire}_{t}({slots}, from, least, IW_WARP_SIZE), iw_any(iw_and(read, iw_ne(iw_shr(got.flag, 2), epoch))))")
            self.emit("    iw_pause(&spins);")
            self.emit("  const iw_mask ends = iw_ballot(iw_and(read, iw_eq(iw_and(got.flag, 3), 2)));")
            self.emit("  const iw_pred chosen = ends ? iw_and(read, iw_not(iw_lanes_below(iw_highest(ends)))) : read;")
            self.emit(f"  sum = iw_{combine}(sum, iw_warp_{op}(iw_select(chosen, got.value, {'0' if op == 'sum' else 'sum'})));")
            self.emit("  if (ends)")
            self.emit("    break;")
            self.emit("}")
            self.emit("if (place > 0)")
            self.emit(f"  iw_{release}({slots}, place, epoch * 4 + 2, iw_at(iw_{combine}(sum, {total}), 0));")
        self.emit(f"iw_post_{t}(iw_at(sum, 0));")
        self.indent -= 2
        self.emit("  }")
        self.emit("}")
        self.emit(f"const {s} {before} = iw_posted_{t}();")
        self.uniforms += [(t, total), (t, before)]

    def hand_over(self):
        """Data in memory for the block with the next ticket."""
        if self.slots >= 3 or "hand" in self.used:
            return
        self.used.add("hand")
        slots = f"args->slots[{self.slots}]"
        self.slots += 1
        flag = self.rng.choice([1, 2, 3])
        t = self.rng.choice(["u32", "i32", "f32"])
        hand = f"(({SCALAR[t]} *)args->hand + place * block->threads)"
        self.new_phase()
        self.emit(f"iw_store({hand} + warp * IW_WARP_SIZE, {self.a(t)}, active);")
        self.end()
        publisher, poller = self.rng.choice([("0", "0"), ("block->warps - 1", "0"), ("0", "block->warps - 1")])
        self.emit("IW_PHASE(warp) {")
        self.emit(f"  if (warp == {publisher})")
        self.emit(f"    iw_publish_release({slots}, place, epoch * 4 + {flag}, (uint32_t)place);")
        self.emit(f"  if (warp == {poller} && place > 0) {{")
        self.emit("    unsigned spins = 0;")
        self.emit(f"    while (iw_at(iw_poll_acquire_u32({slots}, (int64_t)place - 1, 0, 1).flag, 0) != epoch * 4 + {flag})")
        self.emit("      iw_pause(&spins);")
        self.emit("  }")
        self.emit("}")
        self.begin()
        v = self.keep(t, self.splat(t, self.constant(t)))
        self.emit("if (place > 0)")
        i = f"iw_sub(iw_splat_u32(block->threads - 1), thread)"
        self.emit(f"  IW_MY({v}) = iw_gather({hand} - block->threads, {i}, active);")
        self.end()

    def last_block(self):
        """The last block adds up what all have written."""
        if "last" in self.used or len(self.outs) >= 15:
            return
        w = self.word()
        if not w:
            return
        self.used.add("last")
        r = self.rng
        t = r.choice(["u64", "i64", "f64"])
        s = SCALAR[t]
        self.begin()
        v = self.keep(t, self.a(t))
        self.end()
        u = self.fresh("u")
        self.emit(f"const {s} {u} = iw_block_{r.choice(['sum', 'min', 'max'])}({v});")
        self.emit("IW_PHASE(warp) {")
        self.emit("  if (warp == 0)")
        self.emit(f"    iw_set(({s} *){w}, {u});")
        self.emit("}")
        x = self.fresh("v")
        self.declarations.append(f"IW_VAR(iw_{t}, {x});")
        number = self.words - 1
        self.words += 1 # for the result: the next column's first word
        self.emit("if (iw_is_last_block(args->counter)) {")
        self.emit("  IW_PHASE(warp) {")
        self.emit(f"    IW_MY({x}) = iw_splat_{t}(0);")
        self.emit("    for (size_t start = 0; start < block->blocks; start += block->threads) {")
        self.emit("      const iw_span part = iw_elements_from(warp, start, block->blocks);")
        self.emit(f"      IW_MY({x}) = iw_add(IW_MY({x}), iw_load(({s} *)args->words + {number} * block->blocks + part.first, part.valid));")
        self.emit("    }")
        self.emit("  }")
        self.emit(f"  const {s} total = iw_block_sum({x});")
        self.emit("  IW_PHASE(warp) {")
        self.emit("    if (warp == 0)")
        self.emit(f"      iw_set(({s} *)args->words + {self.words - 1} * block->blocks, total);")
        self.emit("  }")
        self.emit("}")

    # ---- All ----

    def make(self):
        r = self.rng
        fragments = 3 * [self.arithmetic] + 2 * [self.inputs, self.outputs, self.collective] + [
            self.wanted, self.staged, self.counted, self.claimed, self.counted_globally, self.claimed_globally, self.posted,
            self.block_word, self.branch, self.loop, self.rounds, self.array]
        if self.uses_lanes:
            fragments += 3 * [self.lanes] + [self.compacted, self.warp_count]
        if self.is_chain:
            fragments += 2 * [self.look_back] + [self.hand_over]
        self.inputs()
        self.arithmetic()
        for _ in range(r.randrange(5, 13)):
            r.choice(fragments)()
            if self.one_in(4):
                self.end()
        if self.is_chain and not self.slots:
            r.choice([self.look_back, self.hand_over])()
        if self.one_in(3) and self.words < 3:
            self.last_block()
        # All that is left goes to memory.
        self.new_phase()
        for t, v in self.variables[-6:]:
            c = self.column(t) if len(self.outs) < 14 else None
            if c:
                self.emit(f"iw_store({c} + here.first, IW_MY({v}), valid);")
        integers = [u for u in self.uniforms if u[0] in INTEGERS]
        if self.uniforms and self.column("f64"):
            self.emit("iw_f64 all = iw_splat_f64(0);")
            for t, u in self.uniforms:
                self.emit(f"all = iw_sub(iw_mul(all, 0.75), iw_to_f64(iw_splat_{t}({u})));")
            self.emit(f"iw_store((double *)args->out[{len(self.outs) - 1}] + here.first, all, valid);")
        self.end()
        del integers
        return self

    def text(self):
        lines = [f"typedef struct {{"]
        for t, name in self.shared:
            if t.endswith("x2"):
                lines.append(f"  {SCALAR[t[:-2]]} {name}[2048];")
            else:
                lines.append(f"  { {'u8': 'uint8_t', 'u16': 'uint16_t', **SCALAR}[t] } {name}[1024];")
        if not self.shared:
            lines.append("  int unused;")
        lines.append(f"}} {self.name}_shared;")
        if self.threads:
            lines.append(f"IW_KERNEL_SIZED({self.name}, {self.name}_shared, random_args, {self.threads}, 1)")
        else:
            lines.append(f"IW_KERNEL({self.name}, {self.name}_shared, random_args)")
        lines.append("{")
        lines += ["  " + d for d in self.declarations]
        if self.is_chain:
            lines += ["  uint32_t ticket;", "  const uint32_t epoch = iw_tickets_open(args->tickets, &ticket);",
                      "  const size_t place = ticket;", "  (void)epoch;"]
        else:
            lines.append("  const size_t place = block->index;")
        lines.append("  const size_t base = place * block->threads;")
        lines.append("  (void)place;")
        lines += self.body
        if self.is_chain:
            lines.append("  iw_tickets_close(args->tickets);")
        lines.append("}")
        return "\n".join(lines)


HEAD = """/* Made by tests/scripts/random_kernels.py {seed} {count}: random kernels. */
#ifdef RANDOM_LIST
#define RANDOM_KERNELS(X) \\
{rows}
#else
#include <isowarp/kernel.h>
#include "random_kernels.h"

IW_TABLE(uint32_t, random_table, 16) = {{ 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 }};

IW_FN iw_u32 random_mix(iw_u32 x, uint32_t k)
{{
  x = iw_mul(iw_xor(x, iw_shr(x, 16)), 0x7feb352du);
  return iw_add(iw_xor(x, iw_shr(x, 15)), k);
}}

IW_FN iw_f32 random_clamp(iw_f32 x)
{{
  return iw_min(iw_max(x, -1000.0f), 1000.0f);
}}
"""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    kernels = [Kernel(random.Random(f"{seed}/{i}"), i).make() for i in range(count)]
    rows = " \\\n".join(f"  X({k.name}, \"{''.join(LETTER[t] for t in k.outs)}\", {int(k.uses_lanes)}, {k.threads})" for k in kernels)
    print(HEAD.format(seed=seed, count=count, rows=rows))
    for k in kernels:
        print(k.text())
        print()
    print("#endif")


main()
