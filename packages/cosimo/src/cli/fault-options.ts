/**
 * `--fault` and `--faults`, apart from what reads them (faults.ts): a process that hands them on
 * loads no parser.
 */
export const FAULT_OPTIONS = {
  "--fault <text>...":
    "what goes wrong (repeatable): 'motor.speed stuck 0 at 3 s',\n'sensor.T noise 0.2 K while plant.on', 'motor fails on control.trip'",
  "--faults <file>...":
    "a file of faults, one per line, or a .yaml with a list of them (repeatable)",
};
