import type * as SqlClient from "effect/sql/SqlClient"
import {
  overallHour,
  overallParts,
  overallTrack,
  packSloHour,
  packSums,
  packTotals,
  partOfTrack,
  type PeriodSums,
  type MinuteSums,
  type SliceRule,
  type SloHour,
  sumHour,
  totalOfPeriods,
  unpackSloHour,
  unpackSums,
} from "@tocsin/domain/adapter"
import { dayMs, dayOf, hourMs, type MinuteRange } from "@tocsin/domain/codec"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { organizationRow } from "../database/ForEachOrganization.ts"
import { bigints, byteas, integers, keyArrays } from "../database/Parameters.ts"
import { logUnreadableRow, StoredRowIsInvalid } from "../database/StoredRow.ts"
import { forEachInSlices, Slice } from "../database/InSlices.ts"

/** The place of a row of an SLO: the start of its hour or day, in Unix milliseconds. */
export interface SloPlace {
  readonly slo: ProjectKey
  readonly at: number
}

/** A map key, unique within an organization. */
export const sloPlaceText = ({ slo, at }: SloPlace): string => `${projectKeyText(slo)}/${at}`

const placeArrays = (sql: SqlClient.SqlClient, places: ReadonlyArray<SloPlace>) =>
  sql`${keyArrays(
    sql,
    places.map(({ slo }) => slo),
  )}, ${bigints(places.map(({ at }) => at))}`

/** Reads what is packed in the row of a place; what it is names it where it cannot be read. */
export const readRow = <A>(
  what: "hour" | "sums of day" | "sums of the hours of day",
  place: SloPlace,
  read: () => A,
): Result.Result<A, StoredRowIsInvalid> => {
  try {
    return Result.succeed(read())
  } catch (cause) {
    return Result.fail(
      new StoredRowIsInvalid({
        row: `${what} ${new Date(place.at).toISOString()} of SLO ${projectKeyText(place.slo)}`,
        issues: [{ path: "", code: "not_allowed_value", message: String(cause) }],
      }),
    )
  }
}

const readSloHour = (place: SloPlace, counts: Uint8Array) =>
  readRow("hour", place, () => unpackSloHour(counts))

/** Reads hours of SLOs, by `sloPlaceText`; those without counts are left out. */
export const readSloHours = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  places: ReadonlyArray<SloPlace>,
) =>
  Effect.gen(function* () {
    const found = new Map<string, SloHour>()
    if (places.length === 0) return found
    const rows = yield* sql<{ readonly n: number; readonly counts: Uint8Array }>`
      SELECT k.n, h.counts FROM unnest(${placeArrays(sql, places)}, ${integers(places.map((_, n) => n))})
        AS k (project, slo, at, n)
      JOIN slo_hours h ON h.organization = ${organization} AND h.project = k.project AND h.slo = k.slo AND h.at = k.at
        AND ${isWithin(sql, "h", places)}`
    yield* forEachInSlices(rows, ({ n, counts }) => {
      const place = places[n]
      return place === undefined
        ? Result.void
        : Result.map(readSloHour(place, counts), (hour) => void found.set(sloPlaceText(place), hour))
    })
    return found
  })

/** The bounds of all places: with them, the planner looks at the partitions of these times only. */
const isWithin = (sql: SqlClient.SqlClient, table: string, places: ReadonlyArray<SloPlace>) => {
  let [from, to] = [Infinity, -Infinity]
  for (const { at } of places) [from, to] = [Math.min(from, at), Math.max(to, at)]
  return sql`${sql(table)}.at >= ${from}::bigint AND ${sql(table)}.at <= ${to}::bigint`
}

/** The hours of an SLO that are written, each with all of its tracks, and by which rules they are summed. */
export interface SloHoursWritten {
  readonly slo: ProjectKey
  readonly rules: ReadonlyArray<SliceRule>
  readonly openHour: number | null
  /** By the start of the hour; without tracks, the hour is deleted. */
  readonly hours: ReadonlyMap<number, SloHour>
}

/**
 * Writes hours of locked SLOs, and the days of those before the open hour: the hour that was open joins its day when a later one is
 * written. Returns the hours that are open now, by `projectKeyText`, of the SLOs for which that changes.
 */
export const writeSloHours = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slos: ReadonlyArray<SloHoursWritten>,
) =>
  Effect.gen(function* () {
    const opened = new Map<string, { readonly slo: ProjectKey; readonly at: number }>()
    const closing: Array<Omit<SloHourOfDay, "tracks">> = []
    const closed: Array<SloHourOfDay> = []
    const written: Array<SloPlace & { readonly tracks: SloHour }> = []
    for (const { slo, rules, openHour, hours } of slos) {
      let next = openHour
      for (const [at, tracks] of hours) {
        written.push({ slo, at, tracks })
        if (tracks.size > 0) next = Math.max(at, next ?? at)
      }
      if (next === null) continue
      const isClosed = { slo, rules, openHour: next }
      for (const [at, tracks] of hours) if (at < next) closed.push({ ...isClosed, at, tracks })
      if (next === openHour) continue
      opened.set(projectKeyText(slo), { slo, at: next })
      if (openHour !== null && !hours.has(openHour)) closing.push({ ...isClosed, at: openHour })
    }
    const read = yield* readSloHours(sql, organization, closing)
    for (const place of closing) {
      const tracks = read.get(sloPlaceText(place))
      if (tracks !== undefined) closed.push({ ...place, tracks })
    }
    yield* putHours(sql, organization, written)
    if (closed.length > 0) yield* changeDays(sql, organization, closed)
    if (opened.size > 0) {
      const places = [...opened.values()]
      yield* sql`
        UPDATE slos s SET open_hour = k.at FROM unnest(${placeArrays(sql, places)}) AS k (project, name, at)
        WHERE s.organization = ${organization} AND s.project = k.project AND s.name = k.name`
    }
    return new Map([...opened].map(([key, { at }]) => [key, at]))
  })

interface SloHourOfDay extends SloPlace {
  readonly rules: ReadonlyArray<SliceRule>
  /** The hour of the SLO that is open, after this one. */
  readonly openHour: number
  readonly tracks: SloHour
}

/** Writes hours; deletes those without tracks. */
const putHours = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  hours: ReadonlyArray<SloPlace & { readonly tracks: SloHour }>,
) =>
  Effect.gen(function* () {
    yield* deleteRows(
      sql,
      organization,
      "slo_hours",
      hours.filter(({ tracks }) => tracks.size === 0),
    )
    const kept = hours.filter(({ tracks }) => tracks.size > 0)
    if (kept.length === 0) return
    const packed: Array<Uint8Array> = []
    yield* forEachInSlices(kept, ({ tracks }) => Result.succeed(packed.push(packSloHour(tracks))))
    yield* sql`
      INSERT INTO slo_hours (organization, project, slo, at, counts)
      SELECT o.organization, project, slo, at, counts
      FROM ${organizationRow(sql, organization)}
        CROSS JOIN unnest(${placeArrays(sql, kept)}, ${byteas(packed)}) AS given (project, slo, at, counts)
      ON CONFLICT (organization, project, slo, at) DO UPDATE SET counts = excluded.counts`
  })

const deleteRows = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  table: "slo_hours" | "slo_days",
  places: ReadonlyArray<SloPlace>,
) =>
  places.length === 0
    ? Effect.void
    : sql`
      DELETE FROM ${sql(table)} t USING unnest(${placeArrays(sql, places)}) AS k (project, slo, at)
      WHERE t.organization = ${organization} AND t.project = k.project AND t.slo = k.slo AND t.at = k.at`

/** Replaces hours, which are written already, in their days; a day whose sums are missing, or cannot be read, is made of its hours. */
const changeDays = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  hours: ReadonlyArray<SloHourOfDay>,
) =>
  Effect.gen(function* () {
    const days = new Map<string, ChangedDay>()
    for (const hour of hours) {
      const place = { slo: hour.slo, at: dayOf(hour.at) }
      const day = days.get(sloPlaceText(place))
      if (day !== undefined) day.hours.push(hour)
      else {
        const { rules, openHour } = hour
        days.set(sloPlaceText(place), { ...place, rules, openHour, sums: new Map(), hours: [hour] })
      }
    }
    const places = [...days.values()]
    const rows = yield* sql<{ readonly n: number; readonly hours: Uint8Array }>`
      SELECT k.n, d.hours FROM unnest(${placeArrays(sql, places)}, ${integers(places.map((_, n) => n))})
        AS k (project, slo, at, n)
      JOIN slo_days d ON d.organization = ${organization} AND d.project = k.project AND d.slo = k.slo AND d.at = k.at
        AND ${isWithin(sql, "d", places)}`
    const unread = new Set(places)
    const slice = new Slice()
    for (const { n, hours } of rows) {
      if (slice.isOver) yield* slice.end
      const day = places[n]
      if (day === undefined) continue
      const before = readRow("sums of the hours of day", day, () => unpackSums(hours))
      if (Result.isFailure(before)) {
        yield* logUnreadableRow(organization, before.failure)
        continue
      }
      unread.delete(day)
      for (const [track, sums] of before.success) day.sums.set(track, [...sums])
    }
    if (unread.size > 0) yield* addOtherHours(sql, organization, [...unread])
    yield* putDays(sql, organization, places)
  })

interface ChangedDay extends Omit<SloHourOfDay, "tracks"> {
  readonly sums: DayOfSums
  readonly hours: Array<SloHourOfDay>
}

/** Adds the hours of days that have no sums, but for those that the days have already. The first hour of a day finds none. */
const addOtherHours = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  days: ReadonlyArray<ChangedDay>,
) =>
  Effect.gen(function* () {
    const known = days.flatMap(({ hours }) => hours)
    let [from, to] = [Infinity, -Infinity]
    for (const { at } of days) [from, to] = [Math.min(from, at), Math.max(to, at + dayMs)]
    const rows = yield* sql<{ readonly n: number; readonly at: number; readonly counts: Uint8Array }>`
      SELECT k.n, h.at, h.counts FROM unnest(
        ${placeArrays(sql, days)}, ${bigints(days.map(({ openHour }) => openHour))}, ${integers(days.map((_, n) => n))}
      ) AS k (project, slo, at, open, n)
      JOIN slo_hours h ON h.organization = ${organization} AND h.project = k.project AND h.slo = k.slo
        AND h.at >= k.at AND h.at < least(k.at + ${dayMs}::bigint, k.open)
        AND h.at >= ${from}::bigint AND h.at < ${to}::bigint
      WHERE NOT EXISTS (
        SELECT FROM unnest(${placeArrays(sql, known)}) AS w (project, slo, at)
        WHERE w.project = h.project AND w.slo = h.slo AND w.at = h.at
      )`
    const found = new Map<string, { readonly slo: string; readonly days: Set<string> }>()
    yield* forEachInSlices(rows, ({ n, at, counts }) => {
      const day = days[n]
      if (day === undefined) return Result.void
      const { slo, rules, openHour } = day
      const key = projectKeyText(slo)
      const ofSlo = found.get(key) ?? { slo: key, days: new Set() }
      found.set(key, ofSlo)
      ofSlo.days.add(new Date(day.at).toISOString().slice(0, 10))
      return Result.map(readSloHour({ slo, at }, counts), (tracks) =>
        day.hours.push({ slo, rules, openHour, at, tracks }),
      )
    })
    for (const { slo, days } of found.values())
      yield* Effect.annotateLogs(Effect.logWarning("Computing the sums of days of an SLO again"), {
        organization,
        slo,
        days: [...days],
      })
  })

/** By track, the sums of each hour. */
type DayOfSums = Map<string, Array<MinuteSums | undefined>>

/** Writes days after putting hours into them; deletes those without counts. */
const putDays = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  days: ReadonlyArray<SloPlace & { readonly sums: DayOfSums; readonly hours: ReadonlyArray<SloHourOfDay> }>,
) =>
  Effect.gen(function* () {
    const empty: Array<SloPlace> = []
    const kept: Array<SloPlace & { readonly total: Uint8Array; readonly ofHours: Uint8Array }> = []
    const slice = new Slice()
    for (const { slo, at, sums, hours } of days) {
      for (const hour of hours) {
        if (slice.isOver) yield* slice.end
        putHour(sums, hour)
      }
      if (slice.isOver) yield* slice.end
      const present: PeriodSums = new Map(
        [...sums].filter(([, ofTrack]) => ofTrack.some((each) => each !== undefined)),
      )
      if (present.size === 0) {
        empty.push({ slo, at })
        continue
      }
      const total = packTotals(totalOfPeriods(present))
      if (slice.isOver) yield* slice.end
      kept.push({ slo, at, total, ofHours: packSums(hoursOfDay, present) })
    }
    yield* deleteRows(sql, organization, "slo_days", empty)
    if (kept.length === 0) return
    yield* sql`
      INSERT INTO slo_days (organization, project, slo, at, sums, hours)
      SELECT o.organization, project, slo, at, sums, hours
      FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
        ${placeArrays(sql, kept)}, ${byteas(kept.map(({ total }) => total))}, ${byteas(kept.map(({ ofHours }) => ofHours))}
      ) AS given (project, slo, at, sums, hours)
      ON CONFLICT (organization, project, slo, at) DO UPDATE SET sums = excluded.sums, hours = excluded.hours`
  })

const putHour = (sums: DayOfSums, { at, rules, tracks }: SloHourOfDay): void => {
  const index = (at - dayOf(at)) / hourMs
  for (const [track, ofTrack] of sums) if (!tracks.has(track)) ofTrack[index] = undefined
  for (const [track, hour] of tracks) {
    const ofTrack = sums.get(track) ?? Array.from({ length: hoursOfDay }, () => undefined)
    ofTrack[index] = sumHour(hour, partOfTrack(rules, track), { from: at, to: at + hourMs })
    sums.set(track, ofTrack)
  }
}

/**
 * Applies new slice rules to a locked SLO: recomputes its days, and the hours of the legacy composite if its rule has changed, one
 * week at a time, since one statement over a year may exceed the statement timeout.
 */
export const recomputeSloSums = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slo: ProjectKey,
  openHour: number | null,
  rules: { readonly before: ReadonlyArray<SliceRule>; readonly after: ReadonlyArray<SliceRule> },
) =>
  Effect.gen(function* () {
    const ofSlo = sql`organization = ${organization} AND project = ${slo.project} AND slo = ${slo.name}`
    const parts = overallParts(rules.after)
    const isOverallChanged = JSON.stringify(overallParts(rules.before)) !== JSON.stringify(parts)
    const days = yield* sql<{ readonly at: number }>`
      SELECT DISTINCT at - at % ${dayMs}::bigint AS at FROM slo_hours WHERE ${ofSlo} ORDER BY at`
    for (let first = 0; first < days.length; first += daysOfWeek) {
      const some = days.slice(first, first + daysOfWeek).map(({ at }) => at)
      const before = yield* readHoursOf(sql, organization, slo, {
        from: some.at(0) ?? 0,
        to: (some.at(-1) ?? 0) + dayMs,
      })
      const hours: Array<SloPlace & { readonly tracks: SloHour }> = []
      yield* forEachInSlices(before, (hour) =>
        Result.succeed(hours.push(isOverallChanged ? withOverall(hour, parts) : hour)),
      )
      if (isOverallChanged) yield* putHours(sql, organization, hours)
      yield* writeDays(sql, organization, slo, rules.after, some, hours, openHour)
    }
  })

const withOverall = (
  hour: SloPlace & { readonly tracks: SloHour },
  parts: ReturnType<typeof overallParts>,
): SloPlace & { readonly tracks: SloHour } => {
  const tracks = new Map(hour.tracks)
  tracks.delete(overallTrack)
  if (parts !== undefined && tracks.size > 0) tracks.set(overallTrack, overallHour(parts, tracks))
  return { ...hour, tracks: withCountsOnly(tracks) }
}

/** Reads the hours of an SLO of a few days. */
const readHoursOf = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slo: ProjectKey,
  { from, to }: MinuteRange,
) =>
  Effect.gen(function* () {
    const rows = yield* sql<{ readonly at: number; readonly counts: Uint8Array }>`
      SELECT at, counts FROM slo_hours
      WHERE organization = ${organization} AND project = ${slo.project} AND slo = ${slo.name}
        AND at >= ${from}::bigint AND at < ${to}::bigint`
    const hours: Array<SloPlace & { readonly tracks: SloHour }> = []
    yield* forEachInSlices(rows, ({ at, counts }) =>
      Result.map(readSloHour({ slo, at }, counts), (tracks) => hours.push({ slo, at, tracks })),
    )
    return hours
  })

/** Writes days of an SLO anew from all of their hours, but for the open one and those after it. */
const writeDays = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slo: ProjectKey,
  rules: ReadonlyArray<SliceRule>,
  days: ReadonlyArray<number>,
  hours: ReadonlyArray<SloPlace & { readonly tracks: SloHour }>,
  openHour: number | null,
) =>
  putDays(
    sql,
    organization,
    days.map((at) => ({
      slo,
      at,
      sums: new Map(),
      hours: hours.flatMap((hour) =>
        dayOf(hour.at) === at && openHour !== null && hour.at < openHour
          ? [{ ...hour, rules, openHour }]
          : [],
      ),
    })),
  )

/** Without tracks that have no counts. */
export const withCountsOnly = (tracks: SloHour): SloHour => {
  const isCounted = ({ total }: { readonly total: ReadonlyArray<number> }) => !total.every(Number.isNaN)
  return [...tracks.values()].every(isCounted)
    ? tracks
    : new Map([...tracks].filter(([, hour]) => isCounted(hour)))
}

const hoursOfDay = 24
const daysOfWeek = 7
