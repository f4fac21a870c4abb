import { DueQueue, reportDelayMs, reportScheduleAt } from "@tocsin/domain/adapter"
import type { MinuteRange } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import type { Report, ReportSummary } from "@tocsin/domain/features/report"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import {
  type ClaimedReport,
  type ReportPlace,
  ReportStore,
  type StoredDefinition,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SortedTable } from "../collections/SortedTable.ts"
import { type DefinitionWritten, MemoryDatabase, type SloMoved } from "../definition/MemoryDatabase.ts"

interface Scheduled {
  readonly organization: OrganizationId
  readonly slo: ProjectKey
  period: MinuteRange
}

/** Reports in memory, lost when the process ends. */
const make: Effect.Effect<ReportStore["Service"], never, MemoryDatabase> = Effect.map(
  MemoryDatabase,
  (database) => {
    const organizations = new Map<OrganizationId, SortedTable<Scheduled>>()
    const due = new DueQueue<Scheduled>()
    const reports = new Map<OrganizationId, Map<string, Report>>()

    const follow = ({ organization, key, after, now }: DefinitionWritten): void => {
      if (key.kind !== "SLO") return
      const table = organizations.get(organization) ?? new SortedTable<Scheduled>()
      organizations.set(organization, table)
      const scheduled = table.get(key)
      if (after === undefined) {
        if (scheduled !== undefined) due.remove(scheduled)
        table.delete(key)
        return
      }
      // The kind of the key says what the definition is.
      const slo = after as StoredDefinition<Slo>
      const { period, dueAt } = reportScheduleAt(slo.definition.spec.timeWindow, now)
      if (scheduled === undefined) {
        const created = { organization, slo: { project: key.project, name: key.name }, period }
        table.set(key, created)
        due.put(created, dueAt)
        return
      }
      const isAnother = scheduled.period.from !== period.from || scheduled.period.to !== period.to
      if (isAnother) due.put(scheduled, Math.min(due.dueAt(scheduled) ?? now, now))
    }
    const move = ({ organization, from, to }: SloMoved): void => {
      const table = organizations.get(organization)
      const scheduled = table?.get(from)
      if (scheduled !== undefined) {
        const moved = { ...scheduled, slo: to }
        const dueAt = due.dueAt(scheduled)
        due.remove(scheduled)
        if (dueAt !== undefined) due.put(moved, dueAt)
        table?.delete(from)
        table?.set(to, moved)
      }
      for (const [id, report] of reports.get(organization) ?? []) {
        if (projectKeyText(report.slo) === projectKeyText(from))
          reports.get(organization)?.set(id, { ...report, slo: to })
      }
    }
    database.takePart({ name: "report schedules", written: follow, moved: move })

    const put = (organization: OrganizationId, report: Report): void => {
      const table = reports.get(organization) ?? new Map<string, Report>()
      reports.set(organization, table.set(report.id, report))
    }
    const ofSlo = (organization: OrganizationId, slo: ProjectKey): ReadonlyArray<Report> =>
      [...(reports.get(organization)?.values() ?? [])].filter(
        (each) => projectKeyText(each.slo) === projectKeyText(slo),
      )
    const findByPeriod = (
      organization: OrganizationId,
      slo: ProjectKey,
      { from, to }: MinuteRange,
    ): Report | undefined =>
      ofSlo(organization, slo)
        .filter(({ period }) => period.from === from && period.to === to)
        .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))[0]

    return ReportStore.of({
      claim: (now, limit, leaseMs) =>
        Effect.sync(() =>
          due.due(now, limit).map((scheduled): ClaimedReport => {
            const { organization, slo, period } = scheduled
            due.put(scheduled, now + leaseMs)
            return { organization, slo, period, leasedTo: now + leaseMs }
          }),
        ),
      makeDue: (now, waitMs) =>
        Effect.sync(() => {
          const late = [...due.items()].filter(
            (scheduled) =>
              scheduled.period.to + reportDelayMs <= now && (due.dueAt(scheduled) ?? now) > now + waitMs,
          )
          for (const scheduled of late) due.put(scheduled, now)
        }),
      settle: ({ organization, slo, leasedTo }, { period, dueAt }, report) =>
        Effect.sync(() => {
          const scheduled = organizations.get(organization)?.get(slo)
          if (scheduled === undefined || due.dueAt(scheduled) !== leasedTo) return false
          scheduled.period = period
          due.put(scheduled, dueAt)
          if (report !== undefined) put(organization, report)
          return true
        }),
      add: (organization, report, reportsMax) =>
        Effect.sync(() => {
          if (organizations.get(organization)?.get(report.slo) === undefined) return "slo_not_found"
          const found = findByPeriod(organization, report.slo, report.period)
          if (found !== undefined) return found
          if (ofSlo(organization, report.slo).length >= reportsMax) return "too_many"
          put(organization, report)
          return report
        }),
      findByPeriod: (organization, slo, period) =>
        Effect.sync(() => Option.fromUndefinedOr(findByPeriod(organization, slo, period))),
      list: (organization, { project, slo, from = -Infinity, to = Infinity }, { after, limit }) =>
        Effect.sync(() => {
          const items = [...(reports.get(organization)?.values() ?? [])]
            .filter(
              (each) =>
                (project === undefined || each.slo.project === project) &&
                (slo === undefined || each.slo.name === slo) &&
                from <= each.period.from &&
                each.period.from < to &&
                (after === undefined || byPlace(placeOf(each), after) < 0),
            )
            .toSorted((a, b) => byPlace(placeOf(b), placeOf(a)))
          return { items: items.slice(0, limit).map(toSummary), hasMore: items.length > limit }
        }),
      find: (organization, id) =>
        Effect.sync(() => Option.fromUndefinedOr(reports.get(organization)?.get(id))),
    })
  },
)

export const layer: Layer.Layer<ReportStore, never, MemoryDatabase> = Layer.effect(ReportStore, make)

const placeOf = ({ id, period }: ReportSummary): ReportPlace => ({ from: period.from, id })

const byPlace = (a: ReportPlace, b: ReportPlace): number =>
  a.from - b.from || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const toSummary = ({ id, slo, period, createdAt }: ReportSummary): ReportSummary => ({
  id,
  slo,
  period,
  createdAt,
})
