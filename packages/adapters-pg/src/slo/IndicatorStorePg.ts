import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import {
  mergeSettled,
  polledIndicatorOf,
  storedIndicator,
  storedProblem,
  storedRecentMinutes,
} from "@tocsin/domain/adapter"
import { anyAddress } from "@tocsin/domain/delivery"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import {
  affectedSlosMax,
  type ClaimedIndicator,
  type ClaimedProgress,
  dataSourceServer,
  type DefinitionChange,
  type FailedIndicator,
  type IndicatorBatch,
  type IndicatorClaim,
  type IndicatorProblem,
  type IndicatorState,
  IndicatorStore,
  isSourceKind,
  type PollSettled,
  type RecentMinutes,
  SecretBox,
  serverOf,
  type SourceReading,
} from "@tocsin/domain/ports"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { forEachOrganization, organizationRow } from "../database/ForEachOrganization.ts"
import { storeOperation, togetherOperation } from "../database/PortOperation.ts"
import { setBackTimes } from "../database/SetBackTimes.ts"
import { inRow, readRows, type StoredRowIsInvalid, logUnreadableRow } from "../database/StoredRow.ts"
import { bigints, integers, searchText, texts, keyArrays } from "../database/Parameters.ts"
import { cancelBackfills, makeBackfillsDue } from "./BackfillRows.ts"

/** The progress of indicators in PostgreSQL. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox

  // Those of a batch are settled at about the same time.
  const replaceTogether = togetherOperation(
    "IndicatorStore",
    "settle",
    settledTogetherMax,
    (all: readonly [Replacement, ...ReadonlyArray<Replacement>]) =>
      Effect.map(replaceStates(sql, all), (replaced) => replaced.map((each) => Result.succeed(each))),
  )

  return IndicatorStore.of({
    claim: operation("claim", (request) =>
      Effect.gen(function* () {
        const due = yield* findDueServers(sql, request)
        const leasedTo = request.now + request.leaseMs
        const rows = yield* forEachOrganization(due, (organization, servers) =>
          claimPolls(
            sql,
            organization,
            servers.map(({ server }) => server),
            request,
          ),
        )
        const batches = new Map<string, IndicatorBatch & { readonly polls: Array<ClaimedIndicator> }>()
        // The fair order, which the statements of each organization know nothing of.
        for (const { organization, server } of due) {
          batches.set(`${organization} ${server}`, { organization, server, polls: [], leasedTo })
        }
        for (const row of rows) {
          const { organization, server } = row
          const read = Result.all({
            slo: rowToDefinitionOf("SLO", box, organization, row),
            state: rowToIndicatorState(row, row),
          })
          // It must not keep the others from being read.
          if (Result.isFailure(read)) yield* logUnreadableRow(organization, read.failure)
          else batches.get(`${organization} ${server}`)?.polls.push({ organization, ...read.success })
        }
        return [...batches.values()].filter(({ polls }) => polls.length > 0)
      }),
    ),
    makeDue: operation("makeDue", (now, waitMs) =>
      setBackTimes(sql, "indicator_polls", "due_at", { latest: now + waitMs, to: now }),
    ),
    settle: (organization, slo, claimed, settled) =>
      Effect.gen(function* () {
        let known: ClaimedProgress = claimed
        let next = settled
        // Usually nobody else has advanced it.
        for (let tries = 0; tries < settleTriesMax; tries++) {
          if (yield* replaceTogether(organization, { organization, slo, known, settled: next })) return true
          const current = yield* operation("settle", findState(sql, organization, slo))
          if (current === undefined || indicatorText(current) !== indicatorText(claimed)) return false
          const merged = mergeSettled(current, claimed, settled)
          if (merged === undefined) return false
          known = current
          next = merged
        }
        return false
      }),
    release: operation("release", (batch, dueAt) => Effect.asVoid(releasePolls(sql, batch, dueAt))),
    find: operation("find", (organization, slo) =>
      Effect.map(findState(sql, organization, slo), Option.fromNullishOr),
    ),
    historyBacklog: operation(
      "historyBacklog",
      Effect.map(
        readAcrossOrganizations(
          sql,
          sql<{ readonly count: number }>`
            SELECT count(*)::integer AS count FROM indicator_polls p
            WHERE (p.read_to = 0 OR p.recent IS NOT NULL)
              AND (p.read_to = 0 OR ${currentRecent(sql, "p")} IS NOT NULL)`,
        ),
        (rows) => rows.reduce((sum, { count }) => sum + count, 0),
      ),
    ),
    readings: operation("readings", (organization, sources) =>
      Effect.gen(function* () {
        const rows = yield* readReadings(sql, organization, sources.map(dataSourceServer))
        const byServer = new Map(rows.map((row) => [row.server, row]))
        return yield* Effect.forEach(sources, (source) => {
          const row = byServer.get(dataSourceServer(source))
          return row === undefined ? Effect.succeed(unread) : Effect.fromResult(rowToReading(source, row))
        })
      }),
    ),
    failed: operation("failed", (organization, limit) =>
      Effect.flatMap(
        sql<FailedRow>`
          SELECT project, slo AS name, server, problem, unavailable_since FROM indicator_polls
          WHERE organization = ${organization} AND problem IS NOT NULL
          ORDER BY project, slo LIMIT ${limit}`,
        (rows) => readRows(rows, rowToFailed),
      ),
    ),
  })
})

/** The indicators of a database. */
export const layer = Layer.effect(IndicatorStore, make)

const operation = storeOperation("IndicatorStore")

/** Maximum number of indicators whose states one statement replaces. */
const settledTogetherMax = 100

/** How often another caller may advance an indicator while its state is stored. */
const settleTriesMax = 5

/** A state that replaces what is known of an indicator. */
interface Replacement {
  readonly organization: OrganizationId
  readonly slo: ProjectKey
  readonly known: ClaimedProgress
  readonly settled: PollSettled
}

/**
 * Replaces the states of indicators of one organization that are still what is known of them. Returns whether each was replaced. Rows are
 * locked in one order.
 */
const replaceStates = (
  sql: SqlClient.SqlClient,
  all: readonly [Replacement, ...ReadonlyArray<Replacement>],
) => {
  const [{ organization }] = all
  const settled = all.map((each) => each.settled)
  return Effect.map(
    sql<{ readonly n: number }>`
      WITH given AS MATERIALIZED (
        SELECT * FROM unnest(
          ${integers(all.map((_, index) => index))}, ${keyArrays(
            sql,
            all.map(({ slo }) => slo),
          )},
          ${bigints(all.map(({ known }) => known.readTo))}, ${texts(all.map(({ known }) => writeRecent(known.recent)))},
          ${texts(all.map(({ known }) => indicatorText(known)))},
          ${bigints(settled.map(({ readTo }) => readTo))}, ${texts(settled.map(({ recent }) => writeRecent(recent)))},
          ${integers(settled.map(({ failures }) => failures))},
          ${texts(settled.map(({ problem }) => writeProblem(problem)))},
          ${bigints(settled.map(({ succeededAt }) => succeededAt ?? null))},
          ${bigints(settled.map(({ unavailableSince }) => unavailableSince ?? null))},
          ${bigints(settled.map(({ dueAt }) => dueAt))}
        ) AS g (n, project, slo, known_read_to, known_recent, indicator,
          read_to, recent, failures, problem, succeeded_at, unavailable_since, due_at)
      ), locked AS MATERIALIZED (
        SELECT g.* FROM given g
        JOIN indicator_polls p ON p.organization = ${organization} AND p.project = g.project AND p.slo = g.slo
        WHERE p.read_to = g.known_read_to AND p.indicator = g.indicator
          AND ${currentRecent(sql, "p")} IS NOT DISTINCT FROM g.known_recent
        ORDER BY p.project, p.slo
        FOR NO KEY UPDATE OF p
      )
      UPDATE indicator_polls p SET
        read_to = l.read_to, failures = l.failures, recent = l.recent,
        recent_of = hashtextextended(p.indicator, l.read_to), succeeded_at = l.succeeded_at, problem = l.problem,
        unavailable_since = l.unavailable_since, due_at = l.due_at
      FROM locked l
      WHERE p.organization = ${organization} AND p.project = l.project AND p.slo = l.slo
      RETURNING l.n`,
    (rows) => {
      const replaced = new Set(rows.map(({ n }) => n))
      return all.map((_, index) => replaced.has(index))
    },
  )
}

const indicatorText = ({ indicator }: Pick<IndicatorState, "indicator">): string =>
  storedIndicator.write(indicator).json

const findState = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { project, name }: ProjectKey,
): Effect.Effect<IndicatorState | undefined, SqlError | StoredRowIsInvalid> =>
  Effect.flatMap(
    sql<IndicatorRow>`
      SELECT ${indicatorColumns(sql)} FROM indicator_polls p
      WHERE organization = ${organization}
        AND project = ${searchText(project)} AND slo = ${searchText(name)}`,
    ([row]) =>
      row === undefined
        ? Effect.succeed(undefined)
        : Effect.fromResult(rowToIndicatorState({ project, name }, row)),
  )

interface DueServer {
  readonly organization: OrganizationId
  readonly server: string
}

/**
 * Finds the servers to take a batch of, in a fair order: the organization with the fewest batches first, among equals the
 * longest due. Looks up the first due poll of each server, and locks nothing.
 */
const findDueServers = (
  sql: SqlClient.SqlClient,
  { now, inFlight, batchesMax, batchesPerOrganizationMax }: IndicatorClaim,
) => {
  const busy = [...inFlight].flatMap(([organization, servers]) =>
    [...servers].map((server) => `${organization} ${server}`),
  )
  const counts = Object.fromEntries(
    [...inFlight].map(([organization, servers]) => [organization, servers.size]),
  )
  const due = sql<DueServer>`
    SELECT organization, server FROM (
      SELECT s.organization, s.server, d.due_at, coalesce((${JSON.stringify(counts)}::jsonb ->> s.organization)::integer, 0)
        + row_number() OVER (PARTITION BY s.organization ORDER BY d.due_at, s.server) AS turn
      FROM indicator_servers s
      CROSS JOIN LATERAL (
        SELECT due_at FROM indicator_polls
        WHERE organization = s.organization AND server = s.server AND due_at <= ${now}
        ORDER BY due_at LIMIT 1
      ) d
      WHERE NOT ${JSON.stringify(busy)}::jsonb ? (s.organization || ' ' || s.server)
    ) due
    WHERE turn <= ${batchesPerOrganizationMax}
    ORDER BY turn, due_at LIMIT ${batchesMax}`
  return Effect.map(readAcrossOrganizations(sql, due), (servers) => servers.slice(0, batchesMax))
}

/** Claims the polls of an organization that are longest due, of each of these servers. */
const claimPolls = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  servers: ReadonlyArray<string>,
  { now, leaseMs, pollsPerBatchMax }: IndicatorClaim,
) =>
  sql<ClaimedRow>`
    WITH taken AS MATERIALIZED (
      SELECT p.* FROM unnest(${texts(servers)}) AS b (server) CROSS JOIN LATERAL (
        SELECT project, slo, due_at FROM indicator_polls
        WHERE organization = ${organization} AND server = b.server AND due_at <= ${now}
        ORDER BY due_at LIMIT ${pollsPerBatchMax}
        FOR NO KEY UPDATE SKIP LOCKED
      ) p
    ), claimed AS (
      UPDATE indicator_polls i SET due_at = ${now}::bigint + ${leaseMs}::bigint FROM taken t
      WHERE i.organization = ${organization} AND i.project = t.project AND i.slo = t.slo
      RETURNING i.*, t.due_at AS was_due_at
    )
    SELECT d.*, p.server, ${indicatorColumns(sql)}
    FROM claimed p JOIN definitions d ON d.organization = ${organization} AND d.kind = 'SLO'
      AND d.project = p.project AND d.name = p.slo
    ORDER BY p.was_due_at`

/** Waits for nobody: what is locked is being settled, changed or claimed. */
const releasePolls = (
  sql: SqlClient.SqlClient,
  { organization, polls, leasedTo }: IndicatorBatch,
  dueAt: number,
) =>
  sql`
    WITH leased AS MATERIALIZED (
      SELECT i.project, i.slo
      FROM unnest(${keyArrays(
        sql,
        polls.map(({ slo }) => slo.definition.metadata),
      )}) AS k (project, slo)
      JOIN indicator_polls i ON i.organization = ${organization} AND i.project = k.project AND i.slo = k.slo
      WHERE i.due_at = ${leasedTo}::bigint
      FOR NO KEY UPDATE OF i SKIP LOCKED
    )
    UPDATE indicator_polls i SET due_at = ${dueAt}::bigint FROM leased l
    WHERE i.organization = ${organization} AND i.project = l.project AND i.slo = l.slo`

interface ReadingRow extends Pick<SourceReading, "slos" | "queried" | "affected"> {
  readonly server: string
  readonly succeeded_at: number | null
  readonly projects: ReadonlyArray<string> | null
  readonly names: ReadonlyArray<string> | null
  readonly problem: string | null
  readonly unavailable_since: number | null
}

const unread: SourceReading = { slos: 0, queried: 0, affected: 0, affectedSlos: [] }

/** Reads as many rows as these servers have SLOs. */
const readReadings = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  servers: ReadonlyArray<string>,
) =>
  sql<ReadingRow>`
    WITH polls AS (
      SELECT *, max(succeeded_at) OVER (PARTITION BY server) AS latest FROM indicator_polls
      WHERE organization = ${organization} AND server = ANY(${texts(servers)})
    )
    SELECT server, count(*) AS slos, max(succeeded_at) AS succeeded_at, count(unavailable_since) AS affected,
      count(*) FILTER (WHERE succeeded_at IS NOT NULL OR problem IS NOT NULL) AS queried,
      (array_agg(project ORDER BY project, slo)
        FILTER (WHERE unavailable_since IS NOT NULL))[1:${affectedSlosMax}::integer] AS projects,
      (array_agg(slo ORDER BY project, slo)
        FILTER (WHERE unavailable_since IS NOT NULL))[1:${affectedSlosMax}::integer] AS names,
      (array_agg(problem ORDER BY unavailable_since DESC, project, slo)
        FILTER (WHERE unavailable_since IS NOT NULL))[1] AS problem,
      coalesce(min(unavailable_since) FILTER (WHERE latest IS NULL OR unavailable_since > latest),
        min(unavailable_since)) AS unavailable_since
    FROM polls GROUP BY server`

const rowToReading = (
  source: ProjectKey,
  { slos, queried, affected, succeeded_at, projects, names, problem, unavailable_since }: ReadingRow,
): Result.Result<SourceReading, StoredRowIsInvalid> =>
  Result.map(
    problem === null
      ? Result.succeed(undefined)
      : inRow(`indicators of ${projectKeyText(source)}`, storedProblem.read(problem, undefined)),
    (problem) => ({
      slos,
      queried,
      affected,
      affectedSlos: Array.zipWith(projects ?? [], names ?? [], (project, name) => ({ project, name })),
      ...(succeeded_at !== null && { succeededAt: succeeded_at }),
      ...(problem !== undefined && { problem }),
      ...(unavailable_since !== null && { unavailableSince: unavailable_since }),
    }),
  )

interface FailedRow extends ProjectKey {
  readonly server: string
  readonly problem: string
  readonly unavailable_since: number | null
}

const rowToFailed = ({
  project,
  name,
  server,
  problem,
  unavailable_since,
}: FailedRow): Result.Result<FailedIndicator, StoredRowIsInvalid> =>
  Result.map(
    inRow(`indicator of SLO ${projectKeyText({ project, name })}`, storedProblem.read(problem, undefined)),
    (problem) => ({
      slo: { project, name },
      server,
      problem,
      isUnavailable: unavailable_since !== null,
    }),
  )

export interface IndicatorRow extends Pick<IndicatorState, "readTo" | "failures"> {
  readonly indicator: string
  readonly succeeded_at: number | null
  readonly problem: string | null
  readonly unavailable_since: number | null
  readonly recent: string | null
}

/** The columns of an `IndicatorRow`, of `indicator_polls` as `p`. */
export const indicatorColumns = (sql: SqlClient.SqlClient) => sql`
  p.indicator, p.read_to AS "readTo", p.failures, p.succeeded_at, p.problem, p.unavailable_since,
  ${currentRecent(sql, "p")} AS recent`

/**
 * The recent minutes of `indicator_polls`; null if a server of the version before, which does not know the column, has read on or has
 * changed the indicator.
 */
export const currentRecent = (sql: SqlClient.SqlClient, table: "indicator_polls" | "p") =>
  sql.literal(
    `CASE WHEN ${table}.recent_of = hashtextextended(${table}.indicator, ${table}.read_to) THEN ${table}.recent END`,
  )

const writeRecent = (recent: RecentMinutes | undefined): string | null =>
  recent === undefined ? null : storedRecentMinutes.write(recent).json

const writeProblem = (problem: IndicatorProblem | undefined): string | null =>
  problem === undefined ? null : storedProblem.write(problem).json

interface ClaimedRow extends DefinitionRow, IndicatorRow {
  readonly organization: OrganizationId
  readonly server: string
}

export const rowToIndicatorState = (
  slo: ProjectKey,
  read: IndicatorRow,
): Result.Result<IndicatorState, StoredRowIsInvalid> => {
  const row = `indicator of SLO ${projectKeyText(slo)}`
  const { readTo, failures, succeeded_at, unavailable_since } = read
  return Result.all({
    indicator: inRow(row, storedIndicator.read(read.indicator, { addressPolicy: anyAddress, owner: slo })),
    problem:
      read.problem === null
        ? Result.succeed(undefined)
        : inRow(row, storedProblem.read(read.problem, undefined)),
    recent: readRecent(slo, read.recent),
  }).pipe(
    Result.map(({ indicator, problem, recent }) => ({
      indicator,
      readTo,
      failures,
      ...(succeeded_at !== null && { succeededAt: succeeded_at }),
      ...(problem !== undefined && { problem }),
      ...(unavailable_since !== null && { unavailableSince: unavailable_since }),
      ...(recent !== undefined && { recent }),
    })),
  )
}

/** Reads `currentRecent` of an SLO. */
export const readRecent = (
  slo: ProjectKey,
  recent: string | null,
): Result.Result<RecentMinutes | undefined, StoredRowIsInvalid> =>
  recent === null
    ? Result.succeed(undefined)
    : inRow(`indicator of SLO ${projectKeyText(slo)}`, storedRecentMinutes.read(recent, undefined))

/**
 * Updates the polls of indicators after the SLOs of a change were written. A new or changed indicator is read from the
 * start, due at once; an unchanged one keeps its progress.
 */
export const putIndicators = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  put: DefinitionChange["put"],
  now: number,
) =>
  Effect.gen(function* () {
    const slos = put.flatMap(({ definition }) => (definition.kind === "SLO" ? [definition] : []))
    const without = slos.filter((slo) => polledIndicatorOf(slo) === undefined).map(({ metadata }) => metadata)
    if (without.length > 0) {
      yield* sql`
        DELETE FROM indicator_polls i USING unnest(${keyArrays(sql, without)}) AS k (project, slo)
        WHERE i.organization = ${organization} AND i.project = k.project AND i.slo = k.slo`
    }
    const polls = slos.flatMap((slo) => {
      const polled = polledIndicatorOf(slo)
      return polled === undefined
        ? []
        : [
            {
              ...slo.metadata,
              indicator: storedIndicator.write(polled).json,
              server: serverOf(polled),
            },
          ]
    })
    if (polls.length === 0) return
    const begun = yield* sql<{ readonly project: string; readonly name: string }>`
      INSERT INTO indicator_polls AS i (organization, project, slo, indicator, server, due_at)
      SELECT o.organization, project, slo, indicator, server, ${now}::bigint
      FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
        ${keyArrays(sql, polls)},
        ${texts(polls.map(({ indicator }) => indicator))}, ${texts(polls.map(({ server }) => server))}
      ) AS given (project, slo, indicator, server)
      ON CONFLICT (organization, project, slo) DO UPDATE SET
        indicator = excluded.indicator, server = excluded.server, due_at = excluded.due_at,
        read_to = 0, failures = 0, succeeded_at = NULL, problem = NULL, unavailable_since = NULL,
        recent = NULL, recent_of = NULL
        WHERE i.indicator <> excluded.indicator
      RETURNING project, slo AS name`
    yield* cancelBackfills(sql, organization, begun, now)
    yield* sql`
      INSERT INTO indicator_servers (organization, server)
      SELECT o.organization, server FROM ${organizationRow(sql, organization)}
      CROSS JOIN unnest(${texts([...new Set(polls.map(({ server }) => server))])}) AS server
      ON CONFLICT DO NOTHING`
  })

/** Removes the servers that no indicator of the organization is read from any more. */
export const removeUnusedServers = (sql: SqlClient.SqlClient, organization: OrganizationId) => sql`
  DELETE FROM indicator_servers s WHERE s.organization = ${organization} AND NOT EXISTS (
    SELECT FROM indicator_polls i WHERE i.organization = ${organization} AND i.server = s.server)`

/** Makes the indicators of changed data sources due: what waits after a failure is tried with the new definition. */
export const makeSourcesDue = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  put: DefinitionChange["put"],
  now: number,
) => {
  const servers = put.flatMap(({ definition }) =>
    isSourceKind(definition.kind) ? [dataSourceServer({ project: "", ...definition.metadata })] : [],
  )
  if (servers.length === 0) return Effect.void
  return Effect.andThen(
    sql`
      UPDATE indicator_polls SET due_at = ${now}::bigint
      WHERE organization = ${organization} AND server = ANY(${texts(servers)}) AND due_at > ${now}::bigint`,
    makeBackfillsDue(sql, organization, servers, now),
  )
}
