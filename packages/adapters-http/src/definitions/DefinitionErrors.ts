import type { DefinitionsNotFound } from "@tocsin/domain/internal/definition/DeleteDefinitions"
import type { DefinitionsQuotaIsExceeded } from "@tocsin/domain/internal/quota/Quotas"
import { nearestName } from "@tocsin/domain/internal/codec/NearestName"
import { kindNames, kinds } from "@tocsin/domain/internal/metadata/ObjectKey"
import * as Data from "effect/Data"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"
import { definitionErrors as errorsOf } from "../frame/FrameErrors.ts"

export class KindIsUnknown extends Data.TaggedError("KindIsUnknown")<{
  /** What was given instead. */
  readonly kind: string
}> {}

export const definitionErrors: StatusTable<DefinitionsNotFound | DefinitionsQuotaIsExceeded | KindIsUnknown> =
  {
    DefinitionsQuotaIsExceeded: ({ limit, stored, created }) =>
      oneError(403, {
        title: "Too many definitions",
        code: "definitions_quota_exceeded",
        detail: `The organization can have ${limit} definitions, has ${stored}, and this request would create ${created}. Delete some, or ask the operator to raise the quota.`,
      }),
    DefinitionsNotFound: ({ issues }) => errorsOf(404, issues),
    KindIsUnknown: ({ kind }) => {
      const nearest = nearestName(kind, [...kindNames(), "alerts"])
      const hint = nearest === undefined ? "" : `Did you mean ${nearest}? `
      return oneError(404, {
        title: "Unknown kind",
        code: "unknown_kind",
        detail: `${hint}Kinds are ${kinds.join(", ")} and Alert, which is read-only.`,
      })
    },
  }
