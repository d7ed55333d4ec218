/**
 * The picture of a spectral analysis: the spectral radius over the step size, one curve per master.
 */
import { present } from "../../base/present.ts";
import { radiusSvg } from "../../plot/radius-svg.ts";
import type { SpectralReport } from "../../stability/spectral.ts";
import type { MasterReport } from "../../stability/spectral-sweeps.ts";

export function spectralPicture(report: SpectralReport): string {
  const swept = sweptMasters(report);
  return radiusSvg({
    title: `${report.scenario}: stability over the step size`,
    step: report.step,
    steps: swept[0]?.steps ?? [report.step],
    curves: swept.map(({ label, isChosen, radii, limit }) => ({
      label,
      isChosen,
      radii,
      ...present({ limit }),
    })),
  });
}

export function sweptMasters({ masters }: SpectralReport): SweptMaster[] {
  return masters.flatMap(({ label, isChosen, sweep }) =>
    sweep ? { ...sweep, label, isChosen } : [],
  );
}

export type SweptMaster = Pick<MasterReport, "label" | "isChosen"> &
  NonNullable<MasterReport["sweep"]>;
