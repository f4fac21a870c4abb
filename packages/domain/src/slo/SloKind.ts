import * as Result from "effect/Result"
import { entryPath } from "../codec/Issue.ts"
import type { FollowMove, KindDescription } from "../metadata/KindDescription.ts"
import { sloName } from "../metadata/Metadata.ts"
import type { Component } from "./CompositeObjective.ts"
import { withStoredGroups } from "./ObjectiveGroups.ts"
import { isCompositeObjective, type Slo, slo } from "./Slo.ts"
import { type SourceKind, storedIndicatorName } from "./SourceMetrics.ts"
import { withStoredIndicator } from "./StoredIndicator.ts"

export const sloKind = {
  kind: "SLO",
  shortName: "slo",
  words: "an SLO",
  home: "project",
  codec: slo,
  name: sloName,
  references: (slo) => [
    { kind: "Service", name: slo.spec.service, path: "spec.service" } as const,
    ...slo.spec.alertPolicies.map((name, index) => ({
      kind: "AlertPolicy" as const,
      name,
      path: entryPath("spec.alertPolicies", index),
    })),
    ...componentsOf(slo).map(({ component, path }) => ({
      kind: "SLO" as const,
      ...component.slo,
      path: `${path}.slo`,
    })),
    ...(slo.spec.anomalyConfig?.noData.alertMethods ?? []).map((method, index) => ({
      kind: "AlertMethod" as const,
      ...method,
      path: `${entryPath("spec.anomalyConfig.noData.alertMethods", index)}.name`,
    })),
    ...sourcesOf(slo),
  ],
  resolve: (draft, stored) =>
    Result.map(withStoredIndicator(draft, stored), (slo) => withStoredGroups(slo, stored)),
  whenMoved: { follow: (slo, to) => withComponents(slo, to) },
} as const satisfies KindDescription<
  Slo,
  Slo,
  "AlertMethod" | "AlertPolicy" | "DataSource" | "Service" | "SLO" | SourceKind
>

const sourcesOf = ({ spec: { indicator } }: Slo) => {
  const { prometheus, metricSource } = indicator ?? {}
  if (prometheus?.dataSource !== undefined) {
    const path = "spec.indicator.prometheus.dataSource.name"
    return [{ kind: "DataSource" as const, ...prometheus.dataSource, path }]
  }
  return metricSource === undefined || metricSource.name === storedIndicatorName
    ? []
    : [{ ...metricSource, path: "spec.indicator.metricSource.name" }]
}

/** The components of an SLO's composite objectives, with their paths. */
export const componentsOf = (
  slo: Slo,
): ReadonlyArray<{ readonly component: Component; readonly path: string }> =>
  slo.spec.objectives.flatMap((objective, index) =>
    isCompositeObjective(objective)
      ? objective.composite.components.map((component, at) => ({
          component,
          path: entryPath(`${entryPath("spec.objectives", index)}.composite.components.objectives`, at),
        }))
      : [],
  )

const withComponents = (slo: Slo, to: FollowMove): Slo => ({
  ...slo,
  spec: {
    ...slo.spec,
    objectives: slo.spec.objectives.map((objective) =>
      isCompositeObjective(objective)
        ? {
            ...objective,
            composite: {
              ...objective.composite,
              components: objective.composite.components.map((component) => ({
                ...component,
                slo: to(component.slo),
              })),
            },
          }
        : objective,
    ),
  },
})
