import type {
  DefinitionsNotFound,
  DefinitionsQuotaIsExceeded,
  ExpectedRevision,
  RevisionNotFound,
} from "@tocsin/domain"
import { TaggedError } from "@tocsin/domain/adapter"
import { nearestName } from "@tocsin/domain/codec"
import { kindList, kindNames } from "@tocsin/domain/definitions"
import { unstoredRevision } from "@tocsin/domain/kernel"
import { type KnownErrorItem, oneError, type StatusTable } from "../frame/ErrorResponse.ts"
import { definitionErrors as errorsOf } from "../frame/FrameErrors.ts"

export class KindIsUnknown extends TaggedError("KindIsUnknown")<{
  /** What was given instead. */
  readonly kind: string
}> {}

/** Definitions have other revisions than a request expects; nothing was changed. */
export class RevisionsDoNotMatch extends TaggedError("RevisionsDoNotMatch")<{
  readonly conflicts: ReadonlyArray<{
    readonly object: string
    /** The header or property that has the expected revision. */
    readonly source: string
    readonly expected: ExpectedRevision
    /** The stored revision; `undefined` if the definition does not exist. */
    readonly revision: string | undefined
    /** The stored definition; `undefined` if it does not exist or is not sent. */
    readonly current: object | undefined
  }>
}> {}

export const definitionErrors: StatusTable<
  DefinitionsNotFound | DefinitionsQuotaIsExceeded | KindIsUnknown | RevisionNotFound | RevisionsDoNotMatch
> = {
  RevisionsDoNotMatch: ({ conflicts }) => {
    const [first = { title: "Definition has changed" }, ...rest] = conflicts.map(
      ({ object, source, expected, revision, current }): KnownErrorItem => ({
        title:
          revision === undefined
            ? "Definition does not exist"
            : isAbsence(expected)
              ? "Definition already exists"
              : "Definition has changed",
        code: "revision_mismatch",
        detail: `${capitalized(object)} ${storedText(revision, expected)}, but ${expectedText(expected)}.`,
        source: { propertyName: source },
        ...(current !== undefined && { current }),
      }),
    )
    return { status: 412, errors: [first, ...rest] }
  },
  DefinitionsQuotaIsExceeded: ({ limit, stored, created }) =>
    oneError(403, {
      title: "Too many definitions",
      code: "definitions_quota_exceeded",
      detail: `The organization can have ${limit} definitions, has ${stored}, and this request would create ${created}. Delete some, or ask the operator to raise the quota.`,
    }),
  RevisionNotFound: ({ id }) =>
    oneError(404, {
      title: "Revision not found",
      code: "revision_not_found",
      detail: "The definition has no such revision, or it is no longer kept.",
      source: { propertyName: "id", propertyValue: id },
    }),
  DefinitionsNotFound: ({ issues }) => errorsOf(404, issues),
  KindIsUnknown: ({ kind }) => {
    const nearest = nearestName(kind, [...kindNames(), "alerts", "annotations"])
    const hint = nearest === undefined ? "" : `Did you mean ${nearest}? `
    return oneError(404, {
      title: "Unknown kind",
      code: "unknown_kind",
      detail: `${hint}Kinds are ${kindList.join(", ")}, Annotation and Alert, which is read-only.`,
      source: { propertyName: "kind", propertyValue: kind },
    })
  },
}

/** Whether a request expects that a definition does not exist. */
const isAbsence = (expected: ExpectedRevision): boolean =>
  expected === "none" || (typeof expected !== "string" && expected.every((each) => each === unstoredRevision))

const storedText = (revision: string | undefined, expected: ExpectedRevision): string => {
  if (revision === undefined) return "does not exist"
  return isAbsence(expected) ? "already exists" : `has revision ${revision}`
}

const expectedText = (expected: ExpectedRevision): string => {
  if (isAbsence(expected)) return "the request expects that it does not exist"
  return typeof expected === "string"
    ? "the request expects that it exists"
    : `the request expects revision ${expected.join(" or ")}`
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
