"""The cases of bench/events.mjs in xdevs: python xdevs_events.py <case> <size> <amount> <flatten>. Prints seconds and transitions."""
import json
import random
import sys
import time

from xdevs.models import Atomic, Coupled, Port
from xdevs.sim import Coordinator

sys.setrecursionlimit(20000)
OFFSETS = [1, 7, 31, 101]
INFINITY = float("inf")
count = 0


class Holder(Atomic):
    def __init__(self, name, seed):
        super().__init__(name)
        self.i = Port(int, "in")
        self.add_in_port(self.i)
        self.o = [Port(int, "o%d" % k) for k in range(4)]
        for port in self.o:
            self.add_out_port(port)
        self.random = random.Random(seed)
        self.due = [self.random.expovariate(1 / 0.9)]
        self.way = 0
        self.now = 0.0

    def initialize(self):
        self.hold_in("active", self.due[0])

    def plan(self):
        if self.due:
            self.hold_in("active", max(0.0, self.due[0] - self.now))
        else:
            self.passivate()

    def lambdaf(self):
        self.o[self.way].add(1)

    def deltint(self):
        global count
        count += 1
        self.now += self.sigma
        self.due.pop(0)
        self.way = self.random.randrange(4)
        self.plan()

    def deltext(self, e):
        global count
        count += 1
        self.now += e
        for _ in range(len(self.i)):
            at = self.now + 0.1 + self.random.expovariate(1 / 0.9)
            place = len(self.due)
            while place > 0 and self.due[place - 1] > at:
                place -= 1
            self.due.insert(place, at)
        self.plan()

    def exit(self):
        pass


class Stone(Atomic):
    def __init__(self, name):
        super().__init__(name)
        self.i = Port(int, "in")
        self.o = Port(int, "out")
        self.add_in_port(self.i)
        self.add_out_port(self.o)

    def initialize(self):
        self.passivate()

    def lambdaf(self):
        self.o.add(0)

    def deltint(self):
        global count
        count += 1
        self.passivate()

    def deltext(self, e):
        global count
        count += 1
        self.activate()

    def exit(self):
        pass


class DevStone(Coupled):
    def __init__(self, name, kind, width, depth):
        super().__init__(name)
        self.i = Port(int, "in")
        self.o = Port(int, "out")
        self.add_in_port(self.i)
        self.add_out_port(self.o)
        inner = Stone("last") if depth == 1 else DevStone("inner%d" % depth, kind, width, depth - 1)
        self.add_component(inner)
        self.add_coupling(self.i, inner.i)
        self.add_coupling(inner.o, self.o)
        before = None
        for k in range(width - 1 if depth > 1 else 0):
            stone = Stone("a%d_%d" % (k, depth))
            self.add_component(stone)
            self.add_coupling(self.i, stone.i)
            if kind == "HI" and before is not None:
                self.add_coupling(before.o, stone.i)
            before = stone


class Source(Atomic):
    def __init__(self, amount):
        super().__init__("source")
        self.o = Port(int, "out")
        self.add_out_port(self.o)
        self.left = amount

    def initialize(self):
        self.hold_in("active", 1)

    def lambdaf(self):
        self.o.add(0)

    def deltint(self):
        self.left -= 1
        self.hold_in("active", 1 if self.left > 0 else INFINITY)

    def deltext(self, e):
        pass

    def exit(self):
        pass


def build(name, size, amount):
    root = Coupled("root")
    if name == "PHOLD":
        units = [Holder("u%d" % i, i + 1) for i in range(size)]
        for unit in units:
            root.add_component(unit)
        for i, unit in enumerate(units):
            for k, offset in enumerate(OFFSETS):
                root.add_coupling(unit.o[k], units[(i + offset) % size].i)
        return root
    source = Source(amount)
    stone = DevStone("stone", name, size, size)
    root.add_component(source)
    root.add_component(stone)
    root.add_coupling(source.o, stone.i)
    return root


name, size, amount, flatten = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4] == "flat"
coordinator = Coordinator(build(name, size, amount), flatten=flatten)
coordinator.initialize()
begin = time.process_time()
# Its end is not part of the interval: half a second more takes the last injection in.
coordinator.simulate_time(amount + 0.5 if name != "PHOLD" else amount)
print(json.dumps({"seconds": time.process_time() - begin, "count": count}))
