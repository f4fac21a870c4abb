import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { bodyOf, client, type Schemas } from "./Client.ts"
import { type ApiPage, pageOptions, poll } from "./Queries.ts"

/** The document of each kind, by its name in paths. */
interface DocumentByKind {
  readonly projects: Schemas["ProjectDefinition"]
  readonly services: Schemas["ServiceDefinition"]
  readonly slos: Schemas["SloDefinition"]
  readonly alertpolicies: Schemas["AlertPolicyDefinition"]
  readonly alertmethods: Schemas["AlertMethodDefinition"]
  readonly alerts: Schemas["Alert"]
}

/** Selects documents by project and name. */
export interface DocumentQuery {
  readonly project?: string
  readonly name?: string | Array<string>
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
  options: { readonly pollMs?: number; readonly staleTime?: number; readonly gcTime?: number } = {},
) => {
  const { pollMs, ...rest } = options
  return useQuery({
    queryKey: ["documents", kind, query],
    queryFn: async ({ signal }) => {
      const documents: unknown = await bodyOf(
        client.GET("/api/get/{kind}", { ...requestOf(kind, query), signal }),
      )
      return documents as ReadonlyArray<DocumentByKind[K]>
    },
    refetchInterval: poll(pollMs),
    ...rest,
  })
}

/** Reads one definition as YAML. */
export const useYaml = (
  kind: keyof DocumentByKind,
  query: { readonly project: string; readonly name: string },
) =>
  useQuery({
    queryKey: ["yaml", kind, query],
    queryFn: async ({ signal }) => {
      const text: unknown = await bodyOf(
        client.GET("/api/get/{kind}", {
          ...requestOf(kind, query),
          headers: { accept: "application/yaml" },
          parseAs: "text",
          signal,
        }),
      )
      return text as string
    },
  })

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
