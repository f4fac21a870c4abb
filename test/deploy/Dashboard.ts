import { readYaml } from "./Files.ts"

interface Dashboard {
  readonly panels: ReadonlyArray<{
    readonly id: number
    readonly title: string
    readonly targets: ReadonlyArray<{ readonly expr: string }>
  }>
}

const { panels } = readYaml<Dashboard>("deploy/grafana/tocsin-slos.json")

/** The queries of the dashboard's panels, for all projects and SLOs. */
export const expressions: ReadonlyArray<string> = panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr.replaceAll(/\$(project|slo)\b/g, ".+")),
)
