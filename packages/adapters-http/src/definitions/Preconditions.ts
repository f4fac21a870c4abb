import { definitionToJson, type ExpectedRevision, objectText, type RevisionConflict } from "@tocsin/domain"
import { propertyPath } from "@tocsin/domain/codec"
import { type DocumentFormat, yamlFormat } from "@tocsin/formats/documents"
import * as Effect from "effect/Effect"
import type { ParametersAreInvalid } from "../frame/RequestParameters.ts"
import { RevisionsDoNotMatch } from "./DefinitionErrors.ts"
import { invalid } from "./DefinitionRequest.ts"

/** The `ETag` of a response with one definition: the revision, then the format (RFC 9110 section 8.8.3). */
export const revisionTag = (revision: string, format: DocumentFormat, hasRevision: boolean): string =>
  `"${[revision, ...(format === yamlFormat ? ["yaml"] : []), ...(hasRevision ? ["revision"] : [])].join("-")}"`

/** The revision of an entity tag; the format and the compression of the response, and `W/` for a compressed one, do not matter. */
const revisionPattern = /^(?:W\/)?"(\d{1,16})(?:-[a-z]+)*"$/

/** The revision that the headers of a request expect (RFC 9110 sections 13.1.1 and 13.1.2), with the name of the header. */
export const expectedRevisionOf = (headers: {
  readonly "if-match"?: string
  readonly "if-none-match"?: string
}): Effect.Effect<
  { readonly header: string; readonly expected: ExpectedRevision } | undefined,
  ParametersAreInvalid
> => {
  const { "if-match": match, "if-none-match": noneMatch } = headers
  if (noneMatch !== undefined) {
    const header = "If-None-Match"
    if (match !== undefined) return invalid(header, "mutually_exclusive", "must not be sent with If-Match")
    return noneMatch.trim() === "*"
      ? Effect.succeed({ header, expected: "none" })
      : invalid(header, "not_allowed_value", "must be *")
  }
  if (match === undefined) return Effect.succeed(undefined)
  const header = "If-Match"
  if (match.trim() === "*") return Effect.succeed({ header, expected: "any" })
  const revisions = match.split(",").map((tag) => revisionPattern.exec(tag.trim())?.[1])
  return revisions.every((revision) => revision !== undefined)
    ? Effect.succeed({ header, expected: revisions })
    : invalid(header, "invalid_format", "must be * or the ETag of a definition, in quotes")
}

/** Fails with what is stored instead of what a request expects; without `vendorPrefix`, the definitions are left out. */
export const revisionMismatch = Effect.fnUntraced(function* (
  conflicts: ReadonlyArray<RevisionConflict>,
  header: string | undefined,
  vendorPrefix: string | undefined,
) {
  let characters = 0
  const described: Array<RevisionsDoNotMatch["conflicts"][number]> = []
  for (const [at, { key, path, expected, current }] of conflicts.entries()) {
    if (at % definitionsAtOnce === definitionsAtOnce - 1) yield* Effect.yieldNow
    const isSent = vendorPrefix !== undefined && characters < currentMaxCharacters
    const document =
      current !== undefined && isSent
        ? { ...definitionToJson(current.definition, vendorPrefix), revision: current.version }
        : undefined
    characters += document === undefined ? 0 : JSON.stringify(document).length
    described.push({
      object: objectText(key),
      source: header ?? propertyPath(path, "revision"),
      expected,
      revision: current?.version,
      current: document,
    })
  }
  return yield* new RevisionsDoNotMatch({ conflicts: described })
})

/** Definitions that are written without letting other requests run. */
const definitionsAtOnce = 20

/** Once the definitions of a response have that many characters, no more are sent. */
const currentMaxCharacters = 1_000_000
