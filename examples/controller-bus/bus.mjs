/**
 * A bus that carries one command at a time, 150 ms each. Of several that wait, the one of the lowest station goes first, as the lowest
 * identifier does on CAN; none is interrupted.
 */
import { bus, coupled, devsUnit, port } from "cosimo/devs";

const STATIONS = ["a", "b", "c"];

const command = (more) => port({ type: "float64", ...more });

const model = coupled({
  name: "bus",
  inputs: Object.fromEntries(STATIONS.map((station) => [`${station}In`, command()])),
  outputs: {
    ...Object.fromEntries(STATIONS.map((station) => [station, command({ held: true })])),
    sent: port({ items: STATIONS, description: "whose command has arrived" }),
  },
  components: { wire: bus({ stations: STATIONS.length, transmission: () => 0.15 }) },
  couplings: [
    ...STATIONS.map((station, k) => `${station}In -> wire.in${k}`),
    ...STATIONS.map((station, k) => ({
      from: "wire.out",
      to: station,
      map: (sent) => (sent.station === k ? sent.frame : undefined),
    })),
    { from: "wire.out", to: "sent", map: ({ station }) => STATIONS[station] },
  ],
});

export default (name) => devsUnit(model, { name });
