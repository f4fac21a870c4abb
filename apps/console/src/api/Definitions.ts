import type { Schemas } from "./ApiTypes.ts"
import { call, callForPage, callForYaml } from "./Call.ts"
import type { ApiPage } from "./Pages.ts"

/** What the API tells of each kind, by the word for it in paths. */
interface DocumentByKind {
  readonly projects: Schemas["ProjectDefinition"]
  readonly services: Schemas["ServiceDefinition"]
  readonly slos: Schemas["SloDefinition"]
  readonly alertpolicies: Schemas["AlertPolicyDefinition"]
  readonly alertmethods: Schemas["AlertMethodDefinition"]
  readonly alerts: Schemas["Alert"]
}

/** Which documents to read: of one project or of all, by name or all; the rest is of alerts alone. */
export interface DocumentQuery {
  readonly project?: string
  readonly name?: string | ReadonlyArray<string>
  readonly slo?: string
  readonly state?: Schemas["Alert"]["spec"]["status"] | ReadonlyArray<Schemas["Alert"]["spec"]["status"]>
  readonly from?: string
  readonly order?: "newest"
  readonly limit?: number
  readonly cursor?: string
}

/** Reads the documents of a kind, by project and name. */
export const readDocuments = async <K extends keyof DocumentByKind>(
  kind: K,
  query: DocumentQuery,
  signal: AbortSignal,
): Promise<ReadonlyArray<DocumentByKind[K]>> => {
  const documents: unknown = await call("GET /api/get/{kind}", inputOf(kind, query, signal))
  return documents as ReadonlyArray<DocumentByKind[K]>
}

/** Reads a page of alerts, those that triggered last first. Source: decision 0618. */
export const readNewestAlerts = async (
  query: DocumentQuery,
  signal: AbortSignal | undefined,
): Promise<ApiPage<Schemas["Alert"]>> => {
  const newest = inputOf("alerts", { ...query, order: "newest" }, signal)
  const page: ApiPage<unknown> = await callForPage("GET /api/get/{kind}", newest)
  return page as ApiPage<Schemas["Alert"]>
}

/** Reads one definition as YAML. */
export const readYaml = (
  kind: keyof DocumentByKind,
  key: { readonly project: string; readonly name: string },
  signal: AbortSignal,
): Promise<string> => callForYaml("GET /api/get/{kind}", inputOf(kind, key, signal))

const inputOf = (
  kind: string,
  { project = "*", ...query }: DocumentQuery,
  signal: AbortSignal | undefined,
) => ({
  path: { kind },
  headers: { project },
  query,
  signal,
})
