import * as Effect from "effect/Effect"
import { IssueList } from "../codec/Issue.ts"
import { dateTimeToMs } from "../codec/MinuteInstant.ts"
import { DefinitionsAreInvalid } from "../definition/DefinitionErrors.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { pageSizeMax } from "../pagination/Page.ts"
import type { AnnotationPlace, SloAnnotation } from "../slo/Annotation.ts"
import { AnnotationStore } from "./AnnotationStore.ts"

/** Which annotations of all SLOs to find; what is absent or empty lets all through. */
export interface AnnotationFilters {
  /** The name of the project. */
  readonly project?: string
  /** The name of the SLO. */
  readonly slo?: string
  /** The IDs of the annotations. */
  readonly ids: ReadonlyArray<string>
  /** Those that begin at or after this date-time. */
  readonly from?: string
  /** Those that end at or before this date-time. */
  readonly to?: string
}

/** A part of the annotations that were found, and the position of the next part, if there is one. */
export interface AnnotationPage {
  /** In the order of project, SLO and ID. */
  readonly items: ReadonlyArray<SloAnnotation>
  /** Absent after the last page. */
  readonly next: AnnotationPlace | undefined
}

/**
 * Finds annotations of all SLOs: succeeds with what reads the page after a position, or the first one. Fails with
 * `DefinitionsAreInvalid` for a time that is no date-time.
 */
export const findAnnotations = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { project, slo = "", ids, ...times }: AnnotationFilters,
) {
  const issues = new IssueList()
  const timeOf = (name: "from" | "to"): number | undefined => {
    const text = times[name] ?? ""
    const ms = dateTimeToMs(text.replace(" ", "+"))
    if (text !== "" && ms === undefined)
      issues.add(name, "not_allowed_value", "must be a date-time such as 2026-01-30T12:00:00Z")
    return ms
  }
  const from = timeOf("from")
  const to = timeOf("to")
  if (!issues.isEmpty) return yield* new DefinitionsAreInvalid({ issues: issues.sorted() })
  const query = {
    ...(project !== undefined && { project }),
    ...(slo !== "" && { slo }),
    ...(ids.length > 0 && { ids }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
  const store = yield* AnnotationStore
  return (after?: AnnotationPlace) =>
    Effect.map(
      store.find(organization, query, { limit: pageSizeMax, ...(after !== undefined && { after }) }),
      ({ items, hasMore }): AnnotationPage => {
        const last = items.at(-1)
        return {
          items: items.filter(({ annotation }) => (annotation.to ?? annotation.from) <= (to ?? Infinity)),
          next:
            hasMore && last !== undefined
              ? { project: last.slo.project, slo: last.slo.name, id: last.annotation.id }
              : undefined,
        }
      },
    )
})
