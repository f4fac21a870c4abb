import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ApiClient, type ApiFailure, readResponse, type ResponsePage } from "./ApiClient.ts"
import { type WarningText, WarningTexts } from "./Warnings.ts"

/** Other fields are kept as they are. */
const anythingElse = [Schema.Record(Schema.String, Schema.Unknown)] as const

const ListedObjectSchema = Schema.StructWithRest(
  Schema.Struct({
    // Named to come first, as in a file.
    apiVersion: Schema.optionalKey(Schema.String),
    kind: Schema.String,
    metadata: Schema.StructWithRest(
      Schema.Struct({ name: Schema.String, project: Schema.optionalKey(Schema.String) }),
      anythingElse,
    ),
  }),
  anythingElse,
)

/** An object as the API returns it. */
export type ListedObject = typeof ListedObjectSchema.Type

export interface ObjectQuery {
  /** Absent: all projects. */
  readonly project?: string | undefined
  readonly names?: ReadonlyArray<string>
  readonly parameters?: ReadonlyArray<readonly [name: string, value: string]>
}

/** Lists the objects of a kind, in any form that the API knows. */
export const listObjects = (
  client: ApiClient,
  kind: string,
  { project, names = [], parameters = [] }: ObjectQuery,
) => {
  const query = new URLSearchParams([
    ...names.map((name): [string, string] => ["name", name]),
    ...parameters.map(([name, value]): [string, string] => [name, value]),
  ])
  return readPages(
    client,
    `/api/get/${encodeURIComponent(kind)}?${query}`,
    project ?? "*",
    ListedObjectSchema,
  )
}

/** Reads a list to its end: alerts come in parts, each with a link to the next. */
export const readPages = Effect.fnUntraced(function* <A>(
  client: ApiClient,
  first: string,
  project: string,
  schema: Schema.Codec<unknown, A>,
) {
  const objects: Array<A> = []
  for (let path: string | undefined = first; path !== undefined;) {
    const page: ResponsePage = yield* client.callForPage({ method: "GET", path, headers: { project } })
    objects.push(...(yield* readResponse(Schema.Array(schema), page.body)))
    path = page.next
  }
  return objects
})

const AppliedObjects = Schema.Struct({
  warnings: WarningTexts,
  data: Schema.Array(
    Schema.Struct({
      kind: Schema.String,
      project: Schema.optionalKey(Schema.String),
      name: Schema.String,
      outcome: Schema.Literals(["created", "updated", "unchanged"]),
      before: Schema.optionalKey(ListedObjectSchema),
      after: Schema.optionalKey(ListedObjectSchema),
    }),
  ),
})

/** What applying an object did; of a dry run, with the object before and after. */
export type AppliedObject = (typeof AppliedObjects.Type)["data"][number]

/** What applying definitions did, and the response itself. */
export interface AppliedObjects {
  readonly data: ReadonlyArray<AppliedObject>
  readonly warnings: ReadonlyArray<WarningText>
  readonly response: string
}

/** Applies definitions, all or none. */
export const applyObjects = (
  client: ApiClient,
  definitions: ReadonlyArray<unknown>,
  { dryRun }: { readonly dryRun: boolean },
): Effect.Effect<AppliedObjects, ApiFailure> =>
  Effect.flatMap(
    client.call({ method: "PUT", path: `/api/apply?dry_run=${dryRun}`, json: definitions }),
    (response) => Effect.map(readResponse(AppliedObjects, response), (applied) => ({ ...applied, response })),
  )

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
