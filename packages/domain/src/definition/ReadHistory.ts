import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type OrganizationId } from "../metadata/ObjectKey.ts"
import { type PagedList, type PageQuery, readPage } from "../pagination/Page.ts"
import {
  type DeletedDefinition,
  type DeletedFilter,
  type DeletedPlace,
  DefinitionHistory,
} from "./DefinitionHistory.ts"
import type { Revision } from "./Revision.ts"
import { type DefinitionKey, kindFromText } from "./Kinds.ts"

/** Lists the revisions of a definition, newest first; it need not exist any more. */
export const listRevisions = (organization: OrganizationId, of: DefinitionKey, query: PageQuery) =>
  readPage(revisionList, query, (page) =>
    Effect.flatMap(DefinitionHistory, (history) => history.list(organization, of, page)),
  )

const revisionList: PagedList<Revision, number> = {
  endpoint: "definitions/history",
  keyLength: 1,
  partsToKey: ([text]) => revisionNumber(text),
  itemToParts: ({ number }) => [`${number}`],
}

/** Finds a revision; fails with `RevisionNotFound`. */
export const findRevision = Effect.fnUntraced(function* (
  organization: OrganizationId,
  of: DefinitionKey,
  id: string,
) {
  const number = revisionNumber(id)
  const found =
    number === undefined ? Option.none() : yield* (yield* DefinitionHistory).find(organization, of, number)
  return Option.isSome(found) ? found.value : yield* new RevisionNotFound({ id })
})

/** The definition has no revision of this number, or does not keep it any more. */
export class RevisionNotFound extends TaggedError("RevisionNotFound")<{
  /** The requested revision number, which may be malformed. */
  readonly id: string
}> {}

/** Lists the definitions that were deleted and not created again, latest first. */
export const listDeletedDefinitions = (
  organization: OrganizationId,
  filter: DeletedFilter,
  query: PageQuery,
) =>
  readPage(deletedList, query, (page) =>
    Effect.flatMap(DefinitionHistory, (history) => history.listDeleted(organization, filter, page)),
  )

const deletedList: PagedList<DeletedDefinition, DeletedPlace> = {
  endpoint: "definitions/deleted",
  keyLength: 4,
  partsToKey: ([text, kindText = "", project = "", name = ""]) => {
    const [number, kind] = [revisionNumber(text), kindFromText(kindText)]
    return number === undefined || kind === undefined ? undefined : { number, kind, project, name }
  },
  itemToParts: ({ key: { kind, project, name }, revision }) => [`${revision.number}`, kind, project, name],
}

const revisionNumber = (text = ""): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)
