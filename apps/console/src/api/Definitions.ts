import type { AlertDocument, DefinitionDocument } from "@tocsin/api"
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { bodyOf, client } from "./Client.ts"
import { api, poll, usePages } from "./Queries.ts"

/** The document of each kind, by its name in paths. */
export interface DocumentByKind {
  readonly projects: DefinitionDocument<"Project">
  readonly services: DefinitionDocument<"Service">
  readonly slos: DefinitionDocument<"SLO">
  readonly alertpolicies: DefinitionDocument<"AlertPolicy">
  readonly alertmethods: DefinitionDocument<"AlertMethod">
  readonly alertsilences: DefinitionDocument<"AlertSilence">
  readonly datasources: DefinitionDocument<"DataSource">
  readonly budgetadjustments: DefinitionDocument<"BudgetAdjustment">
  readonly reports: DefinitionDocument<"Report">
  readonly savedviews: DefinitionDocument<"SavedView">
  readonly alerts: AlertDocument
}

/** Selects documents by project and name. */
export interface DocumentQuery {
  readonly project?: string
  readonly name?: string | Array<string>
  /** Adds the revision of each. */
  readonly revisions?: "true"
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
  readonly alertPolicy?: string
  readonly severity?: NonNullable<AlertDocument["spec"]["severity"]>
  readonly status: Array<Lowercase<AlertDocument["spec"]["status"]>>
  readonly days?: number
  readonly limit: number
}

const requestOf = (kind: string, { project = "*", name, revisions }: DocumentQuery) => ({
  params: {
    path: { kind },
    header: { project },
    query: { name: name === undefined ? undefined : [name].flat(), revisions },
  },
})

/** The documents of a kind; all projects by default. */
export const documentsQuery = (kind: keyof DocumentByKind, query: DocumentQuery = {}) =>
  api.queryOptions("get", "/api/get/{kind}", requestOf(kind, query))

/** Reads the documents of a kind; all projects by default. */
export const useDocuments = <K extends keyof DocumentByKind>(
  kind: K,
  query: DocumentQuery = {},
  options: {
    readonly enabled?: boolean
    readonly refetchInterval?: ReturnType<typeof poll>
    readonly staleTime?: number
    readonly gcTime?: number
    readonly refetchOnMount?: "always"
  } = {},
) =>
  useQuery({
    ...documentsQuery(kind, query),
    ...options,
    // Alert methods of other types than webhook have no effect, and no page.
    select: (documents: unknown) =>
      (documents as ReadonlyArray<DocumentByKind[K]>).filter(
        (each) =>
          kind !== "alertmethods" || ("spec" in each && each.spec !== undefined && "webhook" in each.spec),
      ),
  })

/**
 * Reads what a form edits when it is opened, with its revision, and not again: a change by someone else must not replace what is
 * typed.
 */
export const useEdited = <K extends keyof DocumentByKind>(kind: K, key: DocumentQuery) => {
  const edited = { ...key, revisions: "true" } as const
  const query = useDocuments(kind, edited, { staleTime: Infinity, gcTime: 0, refetchOnMount: "always" })
  // Another page may have read an older version.
  return { query, definition: query.isFetchedAfterMount ? query.data?.[0] : undefined }
}

/** What people call definitions of a kind, by their keys: the name where a definition has no display name, or is not read. */
export const useDisplayNames = (
  kind: keyof DocumentByKind,
  query: DocumentQuery = {},
  options: { readonly enabled?: boolean } = {},
): ((key: DefinitionKey) => string) => {
  const { data } = useDocuments(kind, query, { refetchInterval: poll(30_000), ...options })
  return useMemo(() => {
    const names = new Map(
      data?.map(({ metadata }) => {
        const { project, name, displayName }: Partial<DefinitionKey> & { readonly displayName?: string } =
          metadata
        return [`${project}/${name}`, displayName]
      }),
    )
    return ({ project, name }) => names.get(`${project}/${name}`) || name
  }, [data])
}

/** Reads one definition of any kind, with its revision: a list of at most one. */
export const useDefinition = (kind: string, key: DefinitionKey) =>
  api.useQuery("get", "/api/get/{kind}", requestOf(kind, { ...key, revisions: "true" }), {
    select: (documents: unknown) => documents as ReadonlyArray<object>,
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
export const useAlerts = (
  { project = "*", days, slo, alertPolicy, severity, ...filter }: AlertQuery,
  intervalMs: number,
) =>
  usePages<AlertDocument>(
    ["alerts", project, days, slo, alertPolicy, severity, filter],
    async (cursor, signal) => {
      const { data, response } = await client.GET("/api/get/alert", {
        params: {
          header: { project },
          query: {
            ...filter,
            slo: slo === undefined ? undefined : [slo],
            alertPolicy: alertPolicy === undefined ? undefined : [alertPolicy],
            severity: severity === undefined ? undefined : [severity],
            from: days === undefined ? undefined : new Date(Date.now() - days * 86_400_000).toISOString(),
            cursor,
          },
        },
        signal,
      })
      // Documents are a bare array: the next page is in the header Link (RFC 8288).
      const next = /^<(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1]
      return { data: data as ReadonlyArray<AlertDocument>, links: next === undefined ? {} : { next } }
    },
    intervalMs,
  )

/** The names of the first SLOs, which forms suggest. */
export const useSloNames = () =>
  useQuery({
    queryKey: ["slo-names"],
    queryFn: ({ signal }) =>
      bodyOf(client.GET("/api/v2/slos", { params: { query: { limit: 500 } }, signal })),
    staleTime: 60_000,
  })
