import type * as SqlClient from "effect/sql/SqlClient"
import type { HourOfCounts, SliceRule, SloHour } from "@tocsin/domain/adapter"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import { bigints, keyArrays } from "../database/Parameters.ts"
import { type HourKey, hourKeyText, hasSloRows, type HourWritten, type StoredForm } from "./CountHours.ts"
import { readObjectiveHours, recomputeObjectiveSums, writeObjectiveHours } from "./ObjectiveRows.ts"
import {
  readSloHours,
  recomputeSloSums,
  type SloHoursWritten,
  sloPlaceText,
  withCountsOnly,
  writeSloHours,
} from "./SloHours.ts"

/** The forms of the counts of locked SLOs, by `projectKeyText`. */
export type Forms = ReadonlyMap<string, StoredForm>

const isOfSlos =
  (forms: Forms) =>
  ({ slo }: { readonly slo: ProjectKey }): boolean => {
    const form = forms.get(projectKeyText(slo))
    return form !== undefined && hasSloRows(form)
  }

/** Hours that were read, in either form; what is written of them is based on this. */
export interface StoredHours {
  /** By `hourKeyText`; a missing hour has no counts. */
  readonly hours: ReadonlyMap<string, HourOfCounts>
  /** The hours of SLOs with all of their tracks, by `sloPlaceText`. */
  readonly ofSlos: ReadonlyMap<string, SloHour>
}

/** Reads hours of locked SLOs. */
export const readHours = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  keys: ReadonlyArray<HourKey>,
  forms: Forms,
) =>
  Effect.gen(function* () {
    const others = keys.filter(isOfSlos(forms))
    const ofObjectives = others.length === 0 ? keys : keys.filter((key) => !isOfSlos(forms)(key))
    const hours = new Map(
      ofObjectives.length === 0 ? [] : yield* readObjectiveHours(sql, organization, ofObjectives),
    )
    const places = new Map(others.map(({ slo, at }) => [sloPlaceText({ slo, at }), { slo, at }]))
    const ofSlos = yield* readSloHours(sql, organization, [...places.values()])
    for (const key of others) {
      const hour = ofSlos.get(sloPlaceText(key))?.get(key.objective)
      if (hour !== undefined) hours.set(hourKeyText(key), hour)
    }
    return { hours, ofSlos } satisfies StoredHours
  })

/**
 * Writes hours of locked SLOs, whose rows were read under the same locks, and the sums that they belong to. Returns the SLOs for which
 * another hour is open afterwards, by `projectKeyText`.
 */
export const writeHours = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  written: ReadonlyArray<HourWritten>,
  forms: Forms,
  read: StoredHours,
) =>
  Effect.gen(function* () {
    const ofObjectives: Array<HourWritten & { readonly isPacked: boolean }> = []
    const bySlo = new Map<string, ChangedHours>()
    for (const each of written) {
      const form = forms.get(projectKeyText(each.slo))
      if (form === undefined || !hasSloRows(form)) {
        ofObjectives.push({ ...each, isPacked: form?.isPacked === true })
        continue
      }
      const key = projectKeyText(each.slo)
      const ofSlo: ChangedHours = bySlo.get(key) ?? {
        slo: each.slo,
        rules: each.rules,
        openHour: form.openHour,
        hours: new Map(),
      }
      bySlo.set(key, ofSlo)
      const tracks = ofSlo.hours.get(each.at) ?? new Map(read.ofSlos.get(sloPlaceText(each)))
      ofSlo.hours.set(each.at, tracks.set(each.objective, each.hour))
    }
    if (ofObjectives.length > 0) {
      yield* writeObjectiveHours(sql, organization, ofObjectives)
      yield* setBackCopies(sql, organization, ofObjectives, forms)
    }
    if (bySlo.size === 0) return new Map<string, number>()
    return yield* writeSloHours(
      sql,
      organization,
      [...bySlo.values()].map((ofSlo) => ({
        ...ofSlo,
        hours: new Map([...ofSlo.hours].map(([at, tracks]) => [at, withCountsOnly(tracks)])),
      })),
    )
  })

/** Has the hours of objectives that are copied already, and those after them, copied again (`ConvertCounts`). */
const setBackCopies = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  written: ReadonlyArray<{ readonly slo: ProjectKey; readonly at: number }>,
  forms: Forms,
) =>
  Effect.gen(function* () {
    const changed = new Map<string, { readonly slo: ProjectKey; readonly at: number }>()
    for (const { slo, at } of written) {
      const key = projectKeyText(slo)
      if (at < (changed.get(key)?.at ?? forms.get(key)?.copiedTo ?? -Infinity)) changed.set(key, { slo, at })
    }
    if (changed.size === 0) return
    const places = [...changed.values()]
    const slos = places.map(({ slo }) => slo)
    yield* sql`
      UPDATE slos s SET copied_to = least(s.copied_to, k.at)
      FROM unnest(${keyArrays(sql, slos)}, ${bigints(places.map(({ at }) => at))}) AS k (project, name, at)
      WHERE s.organization = ${organization} AND s.project = k.project AND s.name = k.name`
  })

interface ChangedHours extends Omit<SloHoursWritten, "hours"> {
  readonly hours: Map<number, Map<string, HourOfCounts>>
}

/** Applies new slice rules to a locked SLO: recomputes the sums that depend on the rules. */
export const recomputeSums = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slo: ProjectKey,
  form: StoredForm,
  rules: { readonly before: ReadonlyArray<SliceRule>; readonly after: ReadonlyArray<SliceRule> },
) =>
  Effect.gen(function* () {
    if (hasSloRows(form)) return yield* recomputeSloSums(sql, organization, slo, form.openHour, rules)
    yield* recomputeObjectiveSums(sql, organization, { ...slo, isPacked: form.isPacked }, rules)
    if (form.copiedTo !== null)
      yield* setBackCopies(sql, organization, [{ slo, at: 0 }], new Map([[projectKeyText(slo), form]]))
  })
