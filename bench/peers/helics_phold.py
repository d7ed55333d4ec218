"""PHOLD with HELICS from PyPI: one case of bench/phold.mjs. `python helics_phold.py <federates> <stop>` prints seconds of wall clock and events.

Settings of HELICS' own benchmark: 16 events per federate, 10 % of them go to another federate, lookahead 0.1 s, then an exponential time (mean 1 s).
In-process core, a thread per federate, as there. An event that stays is kept in a heap, one that goes is a message for its time.
"""
import heapq
import json
import random
import sys
import threading
import time

import helics as h

FEDERATES = int(sys.argv[1])
STOP = float(sys.argv[2])
EVENTS, REMOTE, LOOKAHEAD, MEAN = 16, 0.1, 0.1, 1.0


def federate(i, barrier, counts):
    info = h.helicsCreateFederateInfo()
    h.helicsFederateInfoSetCoreName(info, "phold-core")
    h.helicsFederateInfoSetCoreTypeFromString(info, "inproc")
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


core = h.helicsCreateCore("inproc", "phold-core", f"-f{FEDERATES} --autobroker --loglevel=no_print")
counts = [0] * FEDERATES
barrier = threading.Barrier(FEDERATES + 1)
threads = [threading.Thread(target=federate, args=(i, barrier, counts)) for i in range(FEDERATES)]
for thread in threads:
    thread.start()
barrier.wait()
begin = time.perf_counter()
cpu = time.process_time()
for thread in threads:
    thread.join()
print(json.dumps({"seconds": time.perf_counter() - begin, "cpu": time.process_time() - cpu, "count": sum(counts)}))
h.helicsCloseLibrary()
