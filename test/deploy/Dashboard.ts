import { readYaml } from "./Files.ts"

interface Dashboard {
  readonly panels: ReadonlyArray<{
    readonly id: number
    readonly title: string
    /** Rows have none. */
    readonly targets?: ReadonlyArray<{ readonly expr: string }>
  }>
}

/** The queries of a dashboard's panels, for all values of its variables. */
const expressionsOf = (file: string): ReadonlyArray<string> =>
  readYaml<Dashboard>(`deploy/grafana/${file}`).panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll(/\$(project|slo|job|instance)\b/g, ".+")),
  )

export const expressions = expressionsOf("tocsin-slos.json")

export const statusExpressions = expressionsOf("tocsin-slo-status.json")

export const serverExpressions = expressionsOf("tocsin-server.json")
