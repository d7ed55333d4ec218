"""y' = gain * u by forward Euler, with an output of every FMI 2 type; exported by pythonfmu."""
from pythonfmu import Boolean, Fmi2Causality, Fmi2Slave, Fmi2Variability, Integer, Real, String


class Integrator(Fmi2Slave):
    description = "y' = gain * u"

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.u = 1.0
        self.gain = 2.0
        self.y = 0.0
        self.calls = 0
        self.odd = False
        self.label = "none"
        self.register_variable(Real("u", causality=Fmi2Causality.input, start=1.0))
        self.register_variable(Real("gain", causality=Fmi2Causality.parameter, variability=Fmi2Variability.tunable, start=2.0))
        self.register_variable(Real("y", causality=Fmi2Causality.output))
        self.register_variable(Integer("calls", causality=Fmi2Causality.output))
        self.register_variable(Boolean("odd", causality=Fmi2Causality.output))
        self.register_variable(String("label", causality=Fmi2Causality.output))

    def do_step(self, current_time, step_size):
        self.y += step_size * self.gain * self.u
        self.calls += 1
        self.odd = self.calls % 2 == 1
        self.label = "odd" if self.odd else "even"
        return True
