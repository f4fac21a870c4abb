import { labelsMatch } from "../metadata/LabelFilter.ts"
import type { Labels } from "../metadata/Metadata.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"

/** What of an adjustment says which SLOs it adjusts. */
export interface AdjustedSlos {
  readonly metadata: { readonly project: string }
  readonly spec: {
    readonly slos?: ReadonlyArray<ProjectKey>
    readonly sloLabels?: { readonly filter: Labels }
  }
}

/** Whether an adjustment adjusts the SLO. */
export const adjustsSlo = (
  { metadata, spec }: AdjustedSlos,
  slo: ProjectKey & { readonly labels?: Labels },
): boolean =>
  spec.sloLabels === undefined
    ? isAdjusted(spec.slos, slo)
    : metadata.project === slo.project && labelsMatch(slo.labels, spec.sloLabels.filter)

/** Whether an SLO is among those that an adjustment names. */
export const isAdjusted = (slos: ReadonlyArray<ProjectKey> = [], { project, name }: ProjectKey): boolean =>
  slos.some((each) => each.name === name && each.project === project)
