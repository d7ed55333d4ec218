"""PHOLD with HELICS from PyPI: one case of bench/phold.mjs. `python helics_phold.py <federates> <stop> [<core> <processes>]` prints seconds of wall clock and events.

Settings of HELICS' own benchmark: 16 events per federate, 10 % of them go to another federate, lookahead 0.1 s, then an exponential time (mean 1 s).
A thread per federate, as there: in-process core, or cores of another type (zmq, tcp) in several processes with a broker between them. An event that stays is kept in a heap, one that goes is a message for its time.
"""
import heapq
import json
import random
import subprocess
import sys
import threading
import time

import helics as h

FEDERATES = int(sys.argv[1])
STOP = float(sys.argv[2])
CORE = sys.argv[3] if len(sys.argv) > 3 else "inproc"
PROCESSES = int(sys.argv[4]) if len(sys.argv) > 4 else 1
# The federates of this process.
PART = int(sys.argv[5]) if len(sys.argv) > 5 else -1
PORT = 24700
EVENTS, REMOTE, LOOKAHEAD, MEAN = 16, 0.1, 0.1, 1.0


def federate(i, barrier, counts):
    info = h.helicsCreateFederateInfo()
    h.helicsFederateInfoSetCoreName(info, NAME)
    h.helicsFederateInfoSetCoreTypeFromString(info, CORE)
    fed = h.helicsCreateMessageFederate(f"fed{i}", info)
    h.helicsFederateSetTimeProperty(fed, h.HELICS_PROPERTY_TIME_OUTPUT_DELAY, LOOKAHEAD)
    end = h.helicsFederateRegisterGlobalEndpoint(fed, f"ep{i}", "")
    chance = random.Random(i + 1)
    due = []

    def delay():
        return LOOKAHEAD + chance.expovariate(1 / MEAN)

    for _ in range(EVENTS):
        heapq.heappush(due, delay())
    h.helicsFederateEnterExecutingMode(fed)
    barrier.wait()
    done = 0
    while True:
        now = h.helicsFederateRequestTime(fed, min(due[0] if due else STOP + 1, STOP + 1))
        if now > STOP:
            break
        for _ in range(h.helicsEndpointPendingMessageCount(end)):
            h.helicsEndpointGetMessage(end)
            heapq.heappush(due, now)
        while due and due[0] <= now:
            heapq.heappop(due)
            done += 1
            at = now + delay()
            if chance.random() < REMOTE:
                target = (i + 1 + int((FEDERATES - 1) * chance.random())) % FEDERATES
                h.helicsEndpointSendBytesToAt(end, b"1", f"ep{target}", at)
            else:
                heapq.heappush(due, at)
    counts[i] = done
    h.helicsFederateDisconnect(fed)


def parts():
    broker = h.helicsCreateBroker(CORE, "phold-broker", f"-f{FEDERATES} --local_port={PORT} --loglevel=no_print")
    if not h.helicsBrokerIsConnected(broker):
        sys.exit("the broker is not connected")
    arguments = [sys.executable, __file__, *sys.argv[1:5]]
    running = [subprocess.Popen([*arguments, str(part)], stdout=subprocess.PIPE) for part in range(PROCESSES)]
    ends = [json.loads(one.communicate()[0]) for one in running]
    h.helicsBrokerWaitForDisconnect(broker, 10_000)
    return {"seconds": max(one["seconds"] for one in ends), "count": sum(one["count"] for one in ends)}


def own():
    numbers = [i for i in range(FEDERATES) if PART < 0 or i % PROCESSES == PART]
    broker = "--autobroker" if PART < 0 else f"--broker_address=127.0.0.1 --brokerport={PORT}"
    core = h.helicsCreateCore(CORE, NAME, f"-f{len(numbers)} {broker} --loglevel=no_print")
    counts = [0] * FEDERATES
    barrier = threading.Barrier(len(numbers) + 1)
    threads = [threading.Thread(target=federate, args=(i, barrier, counts)) for i in numbers]
    for thread in threads:
        thread.start()
    barrier.wait()
    begin = time.perf_counter()
    for thread in threads:
        thread.join()
    return {"seconds": time.perf_counter() - begin, "count": sum(counts)}


NAME = "phold-core" if PART < 0 else f"phold-core{PART}"
print(json.dumps(parts() if PART < 0 and PROCESSES > 1 else own()))
h.helicsCloseLibrary()
