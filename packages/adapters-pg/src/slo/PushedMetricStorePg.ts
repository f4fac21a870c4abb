import {
  addPoints,
  countOfParts,
  groupBy,
  type PartSums,
  plainObjectivesOf,
  pushedAgeMaxMs,
  seriesIdleMaxMs,
  seriesKeys,
  type SeriesState,
  storedOtlpIndicator,
  storedSeriesState,
} from "@tocsin/domain/adapter"
import { minuteOf } from "@tocsin/domain/codec"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import {
  type Count,
  type DefinitionChange,
  type PointsOfSlo,
  PushedMetricStore,
  pushedSeriesMax,
  type Recording,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { organizationRow } from "../database/ForEachOrganization.ts"
import { bigints, doubles, keyArrays, searchText, texts } from "../database/Parameters.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { WriteTurns } from "../database/WriteTurns.ts"
import { inRow, readRows } from "../database/StoredRow.ts"
import { lockSlos, recordCounts, withCountPartitions } from "./CountRecording.ts"

/**
 * Pushed metrics in PostgreSQL. Recording locks the rows of the SLOs as recording counts does, so that the points of an SLO are
 * added one request after the other.
 */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const turns = yield* WriteTurns

  const readStates = (organization: OrganizationId, pushed: ReadonlyArray<PointsOfSlo>) => {
    const keys = pushed.flatMap(({ slo, points }) =>
      [...new Set(points.flatMap(seriesKeys))].map((series) => ({ ...slo, series })),
    )
    return Effect.flatMap(
      sql<ProjectKey & { readonly series: string; readonly state: string }>`
        SELECT s.project, s.slo AS name, s.series, s.state FROM unnest(
          ${keyArrays(sql, keys)}, ${texts(keys.map(({ series }) => series))}) AS k (project, slo, series)
        JOIN pushed_series s ON s.organization = ${organization} AND s.project = k.project AND s.slo = k.slo
          AND s.series = k.series`,
      (rows) =>
        Effect.map(
          readRows(rows, (row) =>
            Result.map(
              inRow(`series of SLO ${projectKeyText(row)}`, storedSeriesState.read(row.state, undefined)),
              (state) => ({ slo: projectKeyText(row), series: row.series, state }),
            ),
          ),
          (read) => groupBy(read, ({ slo }) => slo),
        ),
    )
  }

  /** How many series each SLO has, without those that are no longer pushed, which are deleted. */
  const countSeries = (organization: OrganizationId, slos: ReadonlyArray<ProjectKey>, now: number) =>
    Effect.gen(function* () {
      if (slos.length === 0) return new Map<string, number>()
      const isOfSlo = sql`s.organization = ${organization} AND s.project = k.project AND s.slo = k.slo`
      const given = sql`unnest(${keyArrays(sql, slos)}) AS k (project, slo)`
      yield* sql`
        DELETE FROM pushed_series s USING ${given} WHERE ${isOfSlo} AND s.at < ${now - seriesIdleMaxMs}`
      const rows = yield* sql<ProjectKey & { readonly count: number }>`
        SELECT s.project, s.slo AS name, count(*)::integer AS count FROM ${given} JOIN pushed_series s ON ${isOfSlo}
        GROUP BY s.project, s.slo`
      return new Map(rows.map((row) => [projectKeyText(row), row.count]))
    })

  const writeStates = (
    organization: OrganizationId,
    states: ReadonlyArray<ProjectKey & { readonly series: string; readonly state: SeriesState }>,
  ) =>
    states.length === 0
      ? Effect.void
      : sql`
        INSERT INTO pushed_series (organization, project, slo, series, at, state)
        SELECT o.organization, project, slo, series, at, state
        FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
          ${keyArrays(sql, states)}, ${texts(states.map(({ series }) => series))},
          ${bigints(states.map(({ state }) => Math.floor(state.at)))},
          ${texts(states.map(({ state }) => storedSeriesState.write(state).json))}
        ) AS given (project, slo, series, at, state)
        ON CONFLICT (organization, project, slo, series) DO UPDATE SET at = excluded.at, state = excluded.state`

  /** Adds to minutes; returns what each has then. */
  const addMinutes = (
    organization: OrganizationId,
    minutes: ReadonlyArray<ProjectKey & { readonly at: number } & PartSums>,
  ) => sql<ProjectKey & { readonly at: number } & PartSums>`
    INSERT INTO pushed_minutes AS m (organization, project, slo, at, good, bad, total)
    SELECT o.organization, project, slo, at, good, bad, total
    FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
      ${keyArrays(sql, minutes)}, ${bigints(minutes.map(({ at }) => at))},
      ${doubles(minutes.map(({ good }) => good))}, ${doubles(minutes.map(({ bad }) => bad))},
      ${doubles(minutes.map(({ total }) => total))}
    ) AS given (project, slo, at, good, bad, total)
    ON CONFLICT (organization, project, slo, at) DO UPDATE SET
      good = m.good + excluded.good, bad = m.bad + excluded.bad, total = m.total + excluded.total
    RETURNING project, slo AS name, at, good, bad, total`

  const record = (organization: OrganizationId, pushed: ReadonlyArray<PointsOfSlo>, now: number) =>
    Effect.gen(function* () {
      const slos = pushed.map(({ slo }) => slo)
      yield* lockSlos(sql, organization, slos)
      const rows = yield* sql<
        ProjectKey & {
          readonly indicator: string
          readonly objectives: ReadonlyArray<string>
          readonly since: number
        }
      >`
        UPDATE pushed_indicators p SET received_at = ${now}::bigint
        FROM unnest(${keyArrays(sql, slos)}) AS k (project, slo)
        WHERE p.organization = ${organization} AND p.project = k.project AND p.slo = k.slo
        RETURNING p.project, p.slo AS name, p.indicator, p.objectives, p.since`
      const rowBySlo = new Map(rows.map((row) => [projectKeyText(row), row]))
      const current = pushed.flatMap((each) => {
        const row = rowBySlo.get(projectKeyText(each.slo))
        return row?.indicator === storedOtlpIndicator.write(each.indicator).json ? [{ ...each, row }] : []
      })
      if (current.length === 0) return 0
      const statesBySlo = yield* readStates(organization, current)
      const knownOf = (slo: ProjectKey): ReadonlyMap<string, SeriesState> =>
        new Map((statesBySlo.get(projectKeyText(slo)) ?? []).map(({ series, state }) => [series, state]))
      const withNew = current.filter(({ slo, points }) => {
        const known = knownOf(slo)
        return points.some((point) => seriesKeys(point).some((key) => !known.has(key)))
      })
      const countBySlo = yield* countSeries(
        organization,
        withNew.map(({ slo }) => slo),
        now,
      )
      const added = current.map(({ slo, points, row, indicator }) => {
        const room = pushedSeriesMax - (countBySlo.get(projectKeyText(slo)) ?? 0)
        return { slo, indicator, row, ...addPoints(points, knownOf(slo), { since: row.since, now, room }) }
      })
      yield* writeStates(
        organization,
        added.flatMap(({ slo, states }) =>
          Array.from(states, ([series, state]) => ({ ...slo, series, state })),
        ),
      )
      const minutes = added.flatMap(({ slo, minutes }) =>
        Array.from(minutes, ([at, sums]) => ({ ...slo, at, ...sums })),
      )
      if (minutes.length > 0) {
        const after = groupBy(yield* addMinutes(organization, minutes), projectKeyText)
        yield* sql`
          DELETE FROM pushed_minutes m USING unnest(${keyArrays(sql, slos)}) AS k (project, slo)
          WHERE m.organization = ${organization} AND m.project = k.project AND m.slo = k.slo
            AND m.at < ${minuteOf(now - pushedAgeMaxMs)}`
        yield* recordCounts(
          sql,
          organization,
          added.flatMap(({ slo, indicator, row }): ReadonlyArray<Recording> => {
            const ofSlo = after.get(projectKeyText(slo)) ?? []
            const counts = ofSlo.map((sums) => countOfParts(indicator, sums.at, sums))
            const ofAll = row.objectives.flatMap((objective) =>
              counts.map((count): Count => ({ objective, ...count })),
            )
            return ofAll.length === 0 ? [] : [{ slo, counts: ofAll }]
          }),
        )
      }
      return added.reduce((sum, { withoutRoom }) => sum + withoutRoom, 0)
    })

  return PushedMetricStore.of({
    indicators: operation("indicators", (organization, metrics) =>
      Effect.flatMap(
        sql<ProjectKey & { readonly indicator: string }>`
          SELECT p.project, p.slo AS name, p.indicator FROM pushed_indicators p
          JOIN (
            SELECT DISTINCT project, slo FROM pushed_metrics
            WHERE organization = ${organization} AND metric = ANY(${texts([...metrics].map(searchText))})
          ) m ON m.project = p.project AND m.slo = p.slo
          WHERE p.organization = ${organization}
          ORDER BY p.project, p.slo`,
        (rows) =>
          readRows(rows, ({ project, name, indicator }) =>
            Result.map(
              inRow(
                `indicator of SLO ${projectKeyText({ project, name })}`,
                storedOtlpIndicator.read(indicator, undefined),
              ),
              (indicator) => ({ slo: { project, name }, indicator }),
            ),
          ),
      ),
    ),
    record: (organization, pushed, now) => {
      const times = pushed.flatMap(({ points }) => points.flatMap(({ at, startAt = at }) => [startAt, at]))
      return operation(
        "record",
        turns.run(
          organization,
          withCountPartitions(
            sql,
            organization,
            {
              slos: pushed.map(({ slo }) => slo),
              times: times.map((at) => Math.max(at, now - pushedAgeMaxMs)),
            },
            sql.withTransaction(record(organization, pushed, now)),
          ),
        ),
      )
    },
    find: operation("find", (organization, { project, name }) =>
      Effect.map(
        sql<{ readonly received_at: number | null }>`
          SELECT received_at FROM pushed_indicators WHERE organization = ${organization}
            AND project = ${searchText(project)} AND slo = ${searchText(name)}`,
        ([row]) =>
          Option.map(Option.fromUndefinedOr(row), ({ received_at }) =>
            received_at === null ? {} : { receivedAt: received_at },
          ),
      ),
    ),
  })
})

/** The pushed metrics of a database. */
export const layer = Layer.effect(PushedMetricStore, make)

const operation = storeOperation("PushedMetricStore")

/**
 * Updates what is pushed after the SLOs of a change were written. A new or changed indicator begins anew; an unchanged one goes
 * on.
 */
export const putPushedIndicators = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  put: DefinitionChange["put"],
  now: number,
) =>
  Effect.gen(function* () {
    const slos = put.flatMap(({ definition }) => (definition.kind === "SLO" ? [definition] : []))
    const pushed = slos.flatMap((slo) => {
      const indicator = slo.spec.indicator?.otlp
      if (indicator === undefined) return []
      const { json } = storedOtlpIndicator.write(indicator)
      const { project, name } = slo.metadata
      return [{ project, name, indicator, json, objectives: plainObjectivesOf(slo).map((each) => each.name) }]
    })
    const indicatorBySlo = new Map(pushed.map((each) => [projectKeyText(each), each.json]))
    if (slos.length > 0) {
      const keys = slos.map(({ metadata }) => metadata)
      const kept = keys.map((key) => indicatorBySlo.get(projectKeyText(key)) ?? null)
      yield* sql`
        DELETE FROM pushed_indicators p USING unnest(${keyArrays(sql, keys)}, ${texts(kept)}) AS k (project, slo, kept)
        WHERE p.organization = ${organization} AND p.project = k.project AND p.slo = k.slo
          AND p.indicator IS DISTINCT FROM k.kept`
    }
    if (pushed.length === 0) return
    yield* sql`
      INSERT INTO pushed_indicators (organization, project, slo, indicator, objectives, since)
      SELECT o.organization, project, slo, indicator, objectives::text[], ${now}::bigint
      FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
        ${keyArrays(sql, pushed)}, ${texts(pushed.map(({ json }) => json))},
        ${texts(pushed.map(({ objectives }) => arrayLiteral(objectives)))}
      ) AS given (project, slo, indicator, objectives)
      ON CONFLICT (organization, project, slo) DO UPDATE SET objectives = excluded.objectives`
    const metrics = pushed.flatMap(({ indicator, project, name }) =>
      [...new Set(Object.values(indicator).map(({ metric }) => metric))].map((metric) => ({
        project,
        name,
        metric,
      })),
    )
    yield* sql`
      INSERT INTO pushed_metrics (organization, metric, project, slo)
      SELECT o.organization, metric, project, slo FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
        ${keyArrays(sql, metrics)}, ${texts(metrics.map(({ metric }) => metric))}) AS given (project, slo, metric)
      ON CONFLICT DO NOTHING`
  })

/** As text, since the driver has no parameter type for arrays of arrays. */
const arrayLiteral = (values: ReadonlyArray<string>): string =>
  `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(",")}}`
