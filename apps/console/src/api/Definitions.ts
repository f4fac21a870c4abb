import { useInfiniteQuery } from "@tanstack/react-query"
import { client, type Schemas } from "./Client.ts"
import { api, type ApiPage, pageOptions, poll } from "./Queries.ts"

/** The document of each kind, by its name in paths. */
interface DocumentByKind {
  readonly projects: Schemas["ProjectDefinition"]
  readonly services: Schemas["ServiceDefinition"]
  readonly slos: Schemas["SloDefinition"]
  readonly alertpolicies: Schemas["AlertPolicyDefinition"]
  readonly alertmethods: Schemas["AlertMethodDefinition"]
  readonly alertsilences: Schemas["AlertSilenceDefinition"]
  readonly datasources: Schemas["DataSourceDefinition"]
  readonly alerts: Schemas["Alert"]
}

/** Selects documents by project and name. */
export interface DocumentQuery {
  readonly project?: string
  readonly name?: string | Array<string>
}

/** The identity of a definition within its kind. */
export interface DefinitionKey {
  readonly project: string
  readonly name: string
}

/** Selects alerts; `days` counts back from now. */
export interface AlertQuery {
  readonly project?: string
  readonly slo?: string
  readonly state: Array<Schemas["Alert"]["spec"]["status"]>
  readonly days?: number
  readonly limit: number
}

const requestOf = (kind: string, { project = "*", name }: DocumentQuery) => ({
  params: {
    path: { kind },
    header: { project },
    query: { name: name === undefined ? undefined : [name].flat() },
  },
})

/** Reads the documents of a kind; all projects by default. */
export const useDocuments = <K extends keyof DocumentByKind>(
  kind: K,
  query: DocumentQuery = {},
  options: {
    readonly refetchInterval?: ReturnType<typeof poll>
    readonly staleTime?: number
    readonly gcTime?: number
  } = {},
) =>
  api.useQuery("get", "/api/get/{kind}", requestOf(kind, query), {
    ...options,
    select: (documents: unknown) => documents as ReadonlyArray<DocumentByKind[K]>,
  })

/** Reads one definition as YAML. */
export const useYaml = ({ kind, ...query }: DefinitionKey & { readonly kind: keyof DocumentByKind }) =>
  api.useQuery(
    "get",
    "/api/get/{kind}",
    { ...requestOf(kind, query), headers: { accept: "application/yaml" }, parseAs: "text" },
    { select: (text: unknown) => text as string },
  )

/** Reads alerts page by page, those that triggered last first. */
export const useAlerts = ({ project = "*", days, slo, ...filter }: AlertQuery, intervalMs: number) =>
  useInfiniteQuery({
    queryKey: ["alerts", project, days, slo, filter],
    queryFn: async ({ pageParam, signal }): Promise<ApiPage<Schemas["Alert"]>> => {
      const { data, response } = await client.GET("/api/get/alert", {
        params: {
          header: { project },
          query: {
            ...filter,
            slo: slo === undefined ? undefined : [slo],
            from: days === undefined ? undefined : new Date(Date.now() - days * 86_400_000).toISOString(),
            order: "newest",
            cursor: pageParam,
          },
        },
        signal,
      })
      // Documents are a bare array: the next page is in the header Link (RFC 8288).
      const next = /^<(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1]
      return { data: data as ReadonlyArray<Schemas["Alert"]>, links: next === undefined ? {} : { next } }
    },
    ...pageOptions,
    refetchInterval: poll(intervalMs),
  })
