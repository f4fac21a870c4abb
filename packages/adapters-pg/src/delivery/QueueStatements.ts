import { type OrganizationId, organizationKeyText, type ProjectKey } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { migrations } from "../migrations/Migrations.ts"
import { bigints, booleans, integers, keyArrays, texts } from "../database/Parameters.ts"

/** Most deliveries that are read for one lane of an endpoint at a time. */
export const headsMax = 20

/** Most endpoints of an organization that one statement lists. */
const endpointsMax = 1_000

/** How long a transaction that has taken the time for its wakes may take to commit before a sweep is needed, in milliseconds. */
const wakeLagMs = 5_000

/** A position in a lane, in the order in which deliveries are due. */
export interface Place {
  readonly dueAt: number
  readonly id: string
}

/** Before everything in a lane. */
export const laneStart: Place = { dueAt: -1, id: "" }

export interface LaneKey {
  readonly alertMethod: ProjectKey
  readonly isRetry: boolean
  readonly after: Place
}

/** Extends the lease of a process, which knows the present version of the schema, by the database's clock, which it returns. */
export const writeHeartbeat = (sql: SqlClient.SqlClient, process: string, leaseMs: number) =>
  Effect.map(
    sql<{ readonly alive_until: number }>`
      INSERT INTO queue_processes (id, alive_until, schema_version)
      VALUES (${process}, now_ms() + ${leaseMs}::bigint, ${migrations.length})
      ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until
      RETURNING alive_until`,
    ([row]) => (row?.alive_until ?? 0) - leaseMs,
  )

export interface ProcessRow {
  readonly id: string
  readonly alive_until: number
}

export const readProcesses = (sql: SqlClient.SqlClient) =>
  sql<ProcessRow>`SELECT id, alive_until FROM queue_processes`

export const readIsPaused = (sql: SqlClient.SqlClient) =>
  Effect.map(sql`SELECT FROM queue_pauses LIMIT 1`, (rows) => rows.length > 0)

/**
 * The organizations whose queue a process has to look at: those that nobody alive owns and something is due for, and those
 * with wakes. Reads without locks, across organizations. The wakes before `since` were read before.
 */
export const discoverOrganizations = (
  sql: SqlClient.SqlClient,
  dead: ReadonlyArray<string>,
  now: number,
  since: number,
) =>
  Effect.map(
    readAcrossOrganizations(
      sql,
      sql<{ readonly organization: OrganizationId }>`
        SELECT organization FROM queue_owners WHERE owner IS NULL AND next_due_at <= ${now}
        UNION SELECT organization FROM queue_owners
          WHERE owner = ANY (ARRAY(SELECT jsonb_array_elements_text(${JSON.stringify(dead)}::jsonb)))
        UNION SELECT organization FROM delivery_wakes WHERE at >= ${since - wakeLagMs}`,
    ),
    (rows) => rows.map(({ organization }) => organization),
  )

/** The organizations that a process owns, with their epochs. */
export const readOwned = (sql: SqlClient.SqlClient, process: string) =>
  Effect.map(
    readAcrossOrganizations(
      sql,
      sql<{ readonly organization: OrganizationId; readonly epoch: number }>`
        SELECT organization, epoch FROM queue_owners WHERE owner = ${process}`,
    ),
    (rows) => new Map(rows.map(({ organization, epoch }) => [organization, epoch])),
  )

/** Takes the queue of an organization that nobody alive owns. Returns the new epoch; undefined when somebody owns it. */
export const takeOrganization = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  process: string,
  dead: ReadonlyArray<string>,
  now: number,
) =>
  Effect.map(
    sql<{ readonly epoch: number }>`
      INSERT INTO queue_owners AS o (organization, owner, epoch) VALUES (${organization}, ${process}, ${now})
      ON CONFLICT (organization) DO UPDATE SET
        owner = excluded.owner, epoch = greatest(o.epoch + 1, excluded.epoch), next_due_at = NULL
      WHERE o.owner IS NULL OR o.owner = ANY (${texts(dead)})
      RETURNING epoch`,
    ([row]) => row?.epoch,
  )

/** Gives the queue of an organization up: until a wake is inserted if it is over and empty, or for another process to take. */
export const releaseOrganization = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  epoch: number,
  isOver: boolean,
) => sql`
  UPDATE queue_owners SET owner = NULL, next_due_at = ${
    isOver
      ? sql`CASE WHEN EXISTS (SELECT FROM delivery_queue WHERE organization = ${organization}) THEN 0::bigint END`
      : sql`0`
  }
  WHERE organization = ${organization} AND epoch = ${epoch}`

export interface WakeRow extends ProjectKey {
  readonly at: number
}

/** Takes the wakes of an organization, of which those before `since` were taken before. */
export const takeWakes = (sql: SqlClient.SqlClient, organization: OrganizationId, since: number) =>
  sql<WakeRow>`
    DELETE FROM delivery_wakes WHERE organization = ${organization} AND at >= ${since - wakeLagMs}
    RETURNING project, name, at`

/** An endpoint that there was a wake for, with one of its next deliveries. */
export interface WokenRow extends ProjectKey {
  /** The times of the first and the last wake. */
  readonly since: number
  readonly until: number
  /** Null when the endpoint has no row. The health is only in the first row of an endpoint. */
  readonly generation: number | null
  readonly is_paused: boolean | null
  readonly health: string | null
  /** Null when nothing waits, as is the delivery. */
  readonly is_retry: boolean | null
}

/**
 * Takes the wakes of an organization, of which those before `since` were taken before, and reads their endpoints, and as
 * `readHeads` what is due for them from the time of the first wake on. `given` are wakes that are not stored.
 */
export const takeWoken = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  since: number,
  given: ReadonlyArray<WakeRow>,
) =>
  sql<WokenRow & (Omit<HeadRow, "lane"> | { readonly id: null })>`
    WITH taken AS (
      DELETE FROM delivery_wakes WHERE organization = ${organization} AND at >= ${since - wakeLagMs}
      RETURNING project, name, at
    ), woken AS (
      SELECT project, name, min(at) AS since, max(at) AS until FROM (
        SELECT project, name, at FROM taken ${
          given.length === 0
            ? sql``
            : sql`UNION ALL SELECT * FROM unnest(${keyArrays(sql, given)}, ${bigints(given.map(({ at }) => at))})`
        }
      ) wakes GROUP BY project, name
    )
    SELECT w.*, e.generation, e.is_paused, CASE WHEN row_number() OVER next = 1 THEN e.health END AS health, q.*
    FROM woken w LEFT JOIN LATERAL (
      SELECT generation, is_paused, health FROM endpoints e
      WHERE e.organization = ${organization} AND e.project = w.project AND e.name = w.name LIMIT 1
    ) e ON true LEFT JOIN LATERAL (
      SELECT lane.is_retry, head.* FROM (VALUES (false), (true)) AS lane (is_retry) CROSS JOIN LATERAL (
        SELECT id, due_at, scheduled_at, created_at, notification FROM delivery_queue q
        WHERE q.organization = ${organization} AND q.endpoint = ${organization} || ' ' || w.project || '/' || w.name
          AND q.is_retry = lane.is_retry AND (q.due_at, q.id) > (w.since, '')
        ORDER BY q.due_at, q.id LIMIT ${headsMax}
      ) head
    ) q ON true
    WINDOW next AS (PARTITION BY w.project, w.name ORDER BY q.is_retry, q.due_at, q.id)
    ORDER BY w.project, w.name, q.is_retry, q.due_at, q.id`

interface QueuedRow extends ProjectKey {
  readonly endpoint: string
}

/** Lists the endpoints of an organization that have deliveries in the queue, a page at a time, by skipping along the index. */
export const listQueuedEndpoints = (sql: SqlClient.SqlClient, organization: OrganizationId) =>
  Effect.gen(function* () {
    const keys: Array<ProjectKey> = []
    for (let after = `${organization} `; ;) {
      const rows: ReadonlyArray<QueuedRow> = yield* sql<QueuedRow>`
        WITH RECURSIVE queued AS (
          (SELECT endpoint, project, name FROM delivery_queue
           WHERE organization = ${organization} AND endpoint > ${after} AND endpoint < ${`${organization}!`}
           ORDER BY endpoint LIMIT 1)
          UNION ALL
          SELECT next.* FROM queued CROSS JOIN LATERAL (
            SELECT endpoint, project, name FROM delivery_queue q
            WHERE q.organization = ${organization} AND q.endpoint > queued.endpoint AND q.endpoint < ${`${organization}!`}
            ORDER BY q.endpoint LIMIT 1
          ) next
        )
        SELECT endpoint, project, name FROM queued LIMIT ${endpointsMax}`
      for (const { project, name } of rows) keys.push({ project, name })
      const last = rows.at(-1)
      if (rows.length < endpointsMax || last === undefined) return keys
      after = last.endpoint
    }
  })

/**
 * The row of the owner of an organization's queue, as `o` in FROM, like `organizationRow`. It exists once the queue has
 * had an owner, and is never deleted.
 */
export const ownerRow = (sql: SqlClient.SqlClient, organization: OrganizationId): Fragment =>
  sql`(SELECT organization FROM queue_owners WHERE organization = ${organization}) o`

export interface HeadRow {
  /** The index of the lane in the request. */
  readonly lane: number
  readonly id: string
  readonly due_at: number
  readonly scheduled_at: number
  readonly created_at: number
  readonly notification: string
}

/** Reads the next `headsMax` deliveries of each lane, those in flight included, in the order in which they are due. */
export const readHeads = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  lanes: ReadonlyArray<LaneKey>,
) =>
  sql<HeadRow>`
    SELECT k.lane, q.* FROM unnest(
      ${integers(lanes.map((_, index) => index))},
      ${texts(lanes.map(({ alertMethod }) => organizationKeyText(organization, alertMethod)))},
      ${booleans(lanes.map(({ isRetry }) => isRetry))},
      ${bigints(lanes.map(({ after }) => after.dueAt))}, ${texts(lanes.map(({ after }) => after.id))}
    ) AS k (lane, endpoint, is_retry, due_at, id)
    CROSS JOIN LATERAL (
      SELECT id, due_at, scheduled_at, created_at, notification FROM delivery_queue q
      WHERE q.organization = ${organization} AND q.endpoint = k.endpoint AND q.is_retry = k.is_retry
        AND (q.due_at, q.id) > (k.due_at, k.id)
      ORDER BY q.due_at, q.id LIMIT ${headsMax}
    ) q`

export interface EndpointRow extends ProjectKey {
  readonly generation: number
  readonly health: string
  readonly is_paused: boolean
}

export const readEndpoints = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  keys: ReadonlyArray<ProjectKey>,
) =>
  sql<EndpointRow>`
    SELECT e.* FROM unnest(${keyArrays(sql, keys)}) AS k (project, name)
    CROSS JOIN LATERAL (
      SELECT project, name, generation, health, is_paused FROM endpoints e
      WHERE e.organization = ${organization} AND e.project = k.project AND e.name = k.name LIMIT 1
    ) e`

export interface ClaimedRow {
  readonly id: string
  readonly attempt: number
  readonly attempts_used: number
  readonly created_at: number
  readonly due_at: number
  readonly notification: string
  /** Of the first row of each notification that was asked for; otherwise null. */
  readonly content: string | null
  /** What may have changed since the claim was chosen: the revision of the definitions, and pauses. */
  readonly revision: number
  readonly is_all_paused: boolean
  readonly paused: ReadonlyArray<string>
}

/** The notifications to read with a claim. They were created between two times, in Unix milliseconds. */
export interface WantedContents {
  readonly notifications: ReadonlyArray<string>
  readonly from: number
  readonly to: number
}

/**
 * Claims deliveries for an epoch, and returns those that it could. A claim of an earlier epoch was left behind, and uses
 * no further attempt; so was one of this epoch, as the owner knows what it has in flight.
 *
 * A pause that is stored while the statement runs is seen by the next claim.
 */
export const claimRows = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  epoch: number,
  ids: ReadonlyArray<string>,
  { notifications, from, to }: WantedContents,
) =>
  sql<ClaimedRow>`
    WITH claimed AS (
      UPDATE delivery_queue SET sending = ${epoch}, attempt = attempt + 1,
        attempts_used = attempts_used + CASE WHEN sending IS NULL THEN 1 ELSE 0 END
      WHERE organization = ${organization} AND id = ANY (${texts(ids)}) AND (sending IS NULL OR sending <= ${epoch})
      RETURNING id, attempt, attempts_used, created_at, due_at, notification
    )
    SELECT c.*, coalesce((SELECT revision FROM organizations WHERE organization = ${organization}), 0) AS revision,
      EXISTS (SELECT FROM queue_pauses) AS is_all_paused,
      ARRAY (SELECT project || '/' || name FROM endpoints WHERE organization = ${organization} AND is_paused) AS paused
    ${
      notifications.length === 0
        ? sql`, NULL AS content FROM claimed c`
        : sql`, n.content FROM (
      SELECT *, row_number() OVER (PARTITION BY notification) AS nth FROM claimed
    ) c LEFT JOIN LATERAL (
      SELECT content FROM notifications n
      WHERE c.nth = 1 AND c.notification = ANY (${texts(notifications)}) AND n.organization = ${organization}
        AND n.id = c.notification AND n.created_at >= ${from} AND n.created_at <= ${to} LIMIT 1
    ) n ON true`
    }`
