import { alerts, type Applied, type AppliedDocument, type CallOf, definitions, resource } from "@tocsin/api"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ApiClient, type ApiFailure, operationsOf } from "./ApiClient.ts"
import { readLinked } from "./Pages.ts"

/** Other fields are kept as they are. */
const anythingElse = [Schema.Record(Schema.String, Schema.Unknown)] as const

const listedObject = Schema.StructWithRest(
  Schema.Struct({
    apiVersion: Schema.String,
    kind: Schema.String,
    metadata: Schema.StructWithRest(
      Schema.Struct({ name: Schema.String, project: Schema.optionalKey(Schema.String) }),
      anythingElse,
    ),
  }),
  anythingElse,
)

/** An object as the API returns it. */
export type ListedObject = typeof listedObject.Type

/** An object that a response has; `undefined` for anything else. */
export const objectFrom = (value: unknown): ListedObject | undefined =>
  Schema.is(listedObject)(value) ? inFileOrder(value) : undefined

/** An object as in a file: what identifies it comes first. */
export const inFileOrder = ({ apiVersion, kind, metadata, ...others }: ListedObject): ListedObject => {
  const { name, project, ...more } = metadata
  return {
    apiVersion,
    kind,
    metadata: { name, ...(project !== undefined && { project }), ...more },
    ...others,
  }
}

const { listDefinitions } = definitions.operations

/** Lists objects of every kind, also alerts, whose path is that of definitions, with the filters of both: the server knows which fit. */
const objects = resource("Objects", {
  listObjects: {
    ...listDefinitions,
    query: { ...listDefinitions.query, ...alerts.operations.listAlerts.query },
    success: Schema.Array(listedObject),
  },
})

/** Filters by name; without a project, objects of all projects. */
export type ObjectQuery = Omit<
  CallOf<(typeof objects)["operations"]["listObjects"]>,
  "kind" | "limit" | "cursor"
>

/** Lists the objects of a kind, in any form that the API knows. */
export const listObjects = (client: ApiClient, kind: string, { project = "*", ...filters }: ObjectQuery) =>
  readLinked(client, objects, (api, page) =>
    Effect.map(api.listObjects({ kind, project, ...filters, ...page }), (listed) => listed.map(inFileOrder)),
  )

/** What applying an object did; of a dry run, with the object before and after. */
export type AppliedObject = Applied["data"][number]

/** Applies definitions, all or none. */
export const applyObjects = (
  client: ApiClient,
  documents: ReadonlyArray<unknown>,
  { dryRun }: { readonly dryRun: boolean },
): Effect.Effect<Applied, ApiFailure> =>
  operationsOf(definitions, client.call).applyDefinitions({
    dry_run: `${dryRun}`,
    // The server decodes them.
    body: documents as ReadonlyArray<AppliedDocument>,
  })

/** What identifies an object; a project is in no project. */
interface ObjectKey {
  readonly kind: string
  readonly project?: string | undefined
  readonly name: string
}

export const keyOfObject = ({ kind, metadata: { project, name } }: ListedObject): ObjectKey => ({
  kind,
  project,
  name,
})

/** `SLO shop/checkout`. */
export const objectText = ({ kind, project, name }: ObjectKey): string =>
  `${kind} ${project === undefined ? "" : `${project}/`}${name}`
