import type { DefinitionsNotFound, DefinitionsQuotaIsExceeded, RevisionNotFound } from "@tocsin/domain"
import { TaggedError } from "@tocsin/domain/adapter"
import { nearestName } from "@tocsin/domain/codec"
import { kindList, kindNames } from "@tocsin/domain/definitions"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"
import { definitionErrors as errorsOf } from "../frame/FrameErrors.ts"

export class KindIsUnknown extends TaggedError("KindIsUnknown")<{
  /** What was given instead. */
  readonly kind: string
}> {}

export const definitionErrors: StatusTable<
  DefinitionsNotFound | DefinitionsQuotaIsExceeded | KindIsUnknown | RevisionNotFound
> = {
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
