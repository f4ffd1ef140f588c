# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
"""What nvcc makes of a kernel: its resources, and its instructions (SASS) sorted into classes."""

import collections
import dataclasses
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The classes, and the instructions of each as a pattern of their text; the first that fits decides. So the order tells
# instructions that begin alike: what runs on the uniform datapath begins with U, but so do copies of the copy engine.
CLASSES = {
    "nop": r"NOP",
    "tensor": r"[HIDQBO]G?MMA\b|UTC[A-Z]*MMA",
    "sync": r"BAR\b|B2R|SYNCS|U?WARPSYNC|WARPGROUP|USETMAXREG|MEMBAR|FENCE|(LDG)?DEPBAR|ARRIVES|ATOMS\.ARRIVE|ERRBAR"
            r"|ENDCOLLECTIVE|U?CGABAR|UTCBAR|ACQBULK|ELECT|VOTEU?|MATCH|C?REDUX|SHFL",
    "special": r"CS2U?R(\.\w+)? .*SR_|S2U?R|GETLMEMBASE",
    "move": r"MOV|IMAD\.MOV|IMAD\.U32 [^,]*, RZ, RZ,|HFMA2(\.MMA)? [^,]*, -RZ, RZ,|CS2R|SEL\b|PRMT"
            r"|[FI]2[FI]P?\b|F2FP|I2IP|FRND|R2UR|P2R|R2P|R2B|UMOV|UR2UP|UP2UR",
    "load": r"LD|ULDC|TLD|TEX|SULD|UTMALDG|UTMAPF|UTMACCTL|UBLKPF|CCTL|ATOM",
    "store": r"ST[GLSA]?\b|STSM|STAS|RED|SUST|UTMASTG|UTMAREDG|UBLKCP|UBLKRED|UTMACMDFLUSH",
    "control": r"U?BRA|BRX|EXIT|BSSY|BSYNC|BREAK|BMOV|CALL|RET|JMP|JMX|RPC|LEPC|YIELD|BPT|KILL|NANOSLEEP|PREEXIT"
               r"|WARPEXIT",
    "uniform": r"U",
    "integer": r"I|V|LOP|LEA|SHF|SHL|SHR|PLOP|PSETP|POPC|FLO\b|BREV|BMSK|SGXT|XMAD",
    "float": r"F|H|D|MUFU",
}
_CLASSES = {name: re.compile(pattern) for name, pattern in CLASSES.items()}

_SECTION = re.compile(r"\s*\.section\s+(\S+?),")
_INSTRUCTION = re.compile(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;")
_LABEL = re.compile(r"^(\.L_x_\d+):")
_TARGET = re.compile(r"`\((\.L_x_\d+)\)")


def find_tool(name):
    """Path of a tool of the toolkit: on the PATH, where the toolkit's installer puts it, or where ./run setup does."""
    beside = [pathlib.Path("/usr/local/cuda/bin"), *ROOT.glob("build/pypi/lib/python3*/site-packages/nvidia/cu13/bin")]
    found = shutil.which(name) or next(filter(None, (shutil.which(name, path=folder) for folder in beside)), None)
    if not found:
        raise FileNotFoundError(f"there is no {name}: it is neither on the PATH nor in {' or '.join(map(str, beside))}")
    return found


@dataclasses.dataclass
class Kernel:
    registers: int = 0
    spill_bytes: int = 0
    stack_bytes: int = 0
    instructions: list = dataclasses.field(default_factory=list)  # texts, e.g. "@P1 STG.E.64 desc[UR4][R2.64], R6"
    targets: dict = dataclasses.field(default_factory=dict)  # of jumps: place of the jump to place of its target

    def by_class(self):
        return collections.Counter(map(class_of, self.instructions))


@dataclasses.dataclass
class Build:
    kernels: dict  # of mangled name
    messages: str  # of the compiler

    def serialised(self):
        """The lines in which ptxas says that it serialises, or adds waits to, wgmma operations."""
        return [line for line in self.messages.splitlines() if re.search(r"\bC75\d\d\b", line)]


def unguarded(text):
    return re.sub(r"^@!?U?P\w+\s+", "", text)


def opcode(text):
    """The mnemonic with its modifiers."""
    return unguarded(text).split(" ", 1)[0]


def class_of(text):
    bare = unguarded(text)
    return next((name for name, pattern in _CLASSES.items() if pattern.match(bare)), "other")


def without_padding(kernel):
    """Behind its last instruction a function has a branch to itself, and NOPs up to the next 128 bytes."""
    texts = kernel.instructions
    while texts and texts[-1] == "NOP":
        texts.pop()
    if texts and kernel.targets.get(len(texts) - 1) == len(texts) - 1:
        del kernel.targets[len(texts) - 1]
        texts.pop()
    return kernel


def disassemble(nvdisasm, cubin):
    """The instructions of each function, by mangled name. The texts lack what differs with the place alone: targets of
    jumps, and the hints that a register is read again."""
    listing = subprocess.run([nvdisasm, cubin], check=True, capture_output=True, text=True).stdout
    kernels, kernel, labels, jumps = {}, None, {}, []
    for line in listing.splitlines():
        if section := _SECTION.match(line):
            code = re.match(r"\.text\.(\w+)", section.group(1))
            kernel = kernels.setdefault(code.group(1), Kernel()) if code else None
        elif kernel is None:
            continue
        elif label := _LABEL.match(line):
            labels[label.group(1)] = len(kernel.instructions)
        elif found := _INSTRUCTION.match(line):
            text = re.sub(r"\s+", " ", found.group(1)).replace(".reuse", "")
            if target := _TARGET.search(text):
                jumps.append((kernel, len(kernel.instructions), target.group(1)))
            kernel.instructions.append(_TARGET.sub("`()", text))
    for kernel, place, label in jumps:
        kernel.targets[place] = labels[label]
    return {name: without_padding(kernel) for name, kernel in kernels.items()}


def build(nvcc, nvdisasm, source, architecture, options=()):
    """Compiles for `architecture` ("sm_90a"). Raises CalledProcessError, with the compiler's messages as stderr."""
    with tempfile.TemporaryDirectory() as work:
        cubin = pathlib.Path(work) / "kernel.cubin"
        # Options first: an include folder of theirs may hold another version of the library.
        command = [nvcc, *options, "-std=c++17", f"-arch={architecture}", "-I", ROOT / "include", "-Xptxas", "-v"]
        command += ["-x", "cu", "-cubin", "-o", cubin, source]
        messages = subprocess.run(command, check=True, capture_output=True, text=True).stderr
        kernels = disassemble(nvdisasm, cubin)
    for part in messages.split("Compiling entry function ")[1:]:
        kernel = kernels[re.match(r"'(\w+)'", part).group(1)]
        stack, stores, loads = re.search(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part).groups()
        kernel.stack_bytes, kernel.spill_bytes = int(stack), int(stores) + int(loads)
        kernel.registers = int(re.search(r"Used (\d+) registers", part).group(1))
    return Build(kernels, messages)


def common_length(a, b):
    """Length of the longest common subsequence: what of `a` is in `b` in the same order.

    Bit-parallel: of each row of the usual table of lengths one bit per column says that the length does not grow there;
    an addition carries a whole row on.
    """
    places = collections.defaultdict(int)
    for i, item in enumerate(a):
        places[item] |= 1 << i
    all_bits = (1 << len(a)) - 1
    flat = all_bits
    for item in b:
        matched = flat & places.get(item, 0)
        flat = ((flat + matched) | (flat - matched)) & all_bits
    return len(a) - flat.bit_count()
