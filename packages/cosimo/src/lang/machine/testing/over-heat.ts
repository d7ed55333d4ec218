/**
 * The over-heat controller of CPU cooling (theory/coordination.md): reads every 3 s while normal,
 * every 5 s while too hot.
 */
export const OVER_HEAT = `machine: over-heat controller
parameters:
  hot: 85 degC
  cool: { start: 75, unit: degC }
inputs:
  cpuTemperature: { type: integer, start: 25, unit: degC }
outputs:
  isStopped: false
events: [switchCPUState]
initial: init
states:
  init:
    - { after: 2 s, to: normalTemp }
  normalTemp:
    - after: 3 s
      when: cpuTemperature >= hot
      do: isStopped := not isStopped
      emit: switchCPUState
      to: tooHot
    - { after: 3 s, to: normalTemp }
  tooHot:
    - { after: 5 s, when: cpuTemperature <= cool, do: [isStopped := not isStopped, emit switchCPUState], to: normalTemp }
    - { after: 5 s, to: tooHot }
`;
