"""y' = gain * u by forward Euler as FMI 3.0; exported by pythonfmu3."""
from pythonfmu3 import Fmi3Causality, Fmi3Slave, Fmi3Variability, Float64, Int32


class Integrator3(Fmi3Slave):
    description = "y' = gain * u"

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.time = 0.0
        self.u = 1.0
        self.gain = 2.0
        self.y = 0.0
        self.calls = 0
        self.register_variable(Float64("time", causality=Fmi3Causality.independent, variability=Fmi3Variability.continuous))
        self.register_variable(Float64("u", causality=Fmi3Causality.input, variability=Fmi3Variability.continuous, start=1.0))
        self.register_variable(Float64("gain", causality=Fmi3Causality.parameter, variability=Fmi3Variability.tunable, start=2.0))
        self.register_variable(Float64("y", causality=Fmi3Causality.output, variability=Fmi3Variability.continuous))
        self.register_variable(Int32("calls", causality=Fmi3Causality.output, variability=Fmi3Variability.discrete))

    def do_step(self, current_time, step_size):
        self.y += step_size * self.gain * self.u
        self.calls += 1
        self.time = current_time + step_size
        return True
