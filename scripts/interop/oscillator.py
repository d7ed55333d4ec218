"""x'' = -w^2 x by the symplectic Euler method, step chosen inside; exported by pythonfmu."""
from pythonfmu import DefaultExperiment, Fmi2Causality, Fmi2Slave, Fmi2Variability, Real


class Oscillator(Fmi2Slave):
    description = "harmonic oscillator"

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.w = 3.0
        self.x = 1.0
        self.v = 0.0
        self.default_experiment = DefaultExperiment(start_time=0.0, stop_time=2.0, step_size=0.05)
        self.register_variable(Real("w", causality=Fmi2Causality.parameter, variability=Fmi2Variability.tunable, start=3.0))
        self.register_variable(Real("x", causality=Fmi2Causality.output))
        self.register_variable(Real("v", causality=Fmi2Causality.output))

    def do_step(self, current_time, step_size):
        n = 10
        h = step_size / n
        for _ in range(n):
            self.v -= h * self.w * self.w * self.x
            self.x += h * self.v
        return True
