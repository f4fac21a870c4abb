import type * as SqlClient from "effect/sql/SqlClient"
import { type OrganizationId, organizationKeyText } from "@tocsin/domain/metadata/ObjectKey"
import { Limits } from "@tocsin/domain/Limits"
import type { Claim, ClaimedDelivery, ClaimRequest } from "@tocsin/domain/delivery/DeliveryQueue"
import { unknownHealth } from "@tocsin/domain/delivery/EndpointHealth"
import type { FirstAttemptShare } from "@tocsin/domain/delivery/FirstAttemptShare"
import * as Effect from "effect/Effect"
import type { makeClaimedMethods } from "./ClaimedMethods.ts"
import { type DeliveryRow, rowToDelivery, writeClaimId } from "./DeliveryRow.ts"
import { healthColumns } from "./EndpointRow.ts"
import { integers, texts } from "../database/Parameters.ts"

/** What a claim gives, beside claims that must be given back since the secrets of their alert method do not open. */
export interface ClaimWithLocked extends Claim {
  readonly locked: ReadonlyArray<string>
}

/**
 * Claims due deliveries: at most `limit`, each for `leaseMs`; first attempts get their `share`.
 *
 * First the endpoints that were rung and those of leases that ran out are put on the list of those to look at; then one
 * statement looks at them, the longest waiting first, claims, and says when to look again. Its work grows with the
 * endpoints that have something to claim, and with nothing else.
 */
export const claimDeliveries = (
  sql: SqlClient.SqlClient,
  methodsOf: ReturnType<typeof makeClaimedMethods>,
  request: ClaimRequest,
  share: FirstAttemptShare,
) =>
  Effect.gen(function* () {
    yield* Effect.repeat(wakeEndpoints(sql), { while: (count) => count >= wakesMax })
    const rows = yield* claimRows(sql, request, share)
    const claimed = rows.filter((row): row is ClaimedRow => row.id !== null)
    const { found, locked } = yield* methodsOf(
      claimed.flatMap(({ organization, project, name, version }) =>
        version === null ? [] : [{ organization, project, name, version }],
      ),
    )
    const claims: Array<ClaimedDelivery> = []
    const lockedClaims: Array<string> = []
    for (const row of claimed) {
      const claimId = writeClaimId({ claim: row.claim_id, organization: row.organization, id: row.id })
      const method = organizationKeyText(row.organization, row)
      if (locked.has(method)) {
        lockedClaims.push(claimId)
        continue
      }
      claims.push({
        claimId,
        delivery: rowToDelivery(row),
        alertMethod: row.version === null ? undefined : found.get(method),
        isDisabled: row.is_disabled,
      })
    }
    const next = rows[0]?.next_due_in_ms ?? undefined
    return { claims, locked: lockedClaims, nextDueInMs: next } satisfies ClaimWithLocked
  })

/** Puts endpoints on the list of those to look at; gives how many wakes and leases that took. */
const wakeEndpoints = (sql: SqlClient.SqlClient) => {
  const { health, isDisabled, inFlightMax } = healthColumns(unknownHealth, 0)
  return Effect.map(
    sql<{ count: number }>`
      WITH woken AS (
        DELETE FROM endpoint_wakeups WHERE position = ANY (ARRAY(
          SELECT position FROM endpoint_wakeups ORDER BY position LIMIT ${wakesMax} FOR UPDATE SKIP LOCKED))
        RETURNING organization, project, name
      ), expired AS (
        -- As when a claim is given back: that a process died is no fault of the receiver.
        UPDATE deliveries d
        SET claim_id = NULL, lease_expires_at = NULL, attempts_used = greatest(0, attempts_used - 1), due_at = now_ms()
        FROM (
          SELECT organization, id FROM deliveries WHERE lease_expires_at <= now_ms()
          ORDER BY lease_expires_at LIMIT ${wakesMax} FOR UPDATE SKIP LOCKED
        ) x
        WHERE d.organization = x.organization AND d.id = x.id
        RETURNING d.organization, d.project, d.name
      ), touched AS (
        SELECT organization, project, name, count(*) AS count, sum(ended) AS ended FROM (
          SELECT *, 0 AS ended FROM woken UNION ALL SELECT *, 1 FROM expired
        ) both_kinds
        GROUP BY organization, project, name
      ), put AS (
        INSERT INTO endpoints AS e
          (organization, project, name, health, is_disabled, in_flight_max, in_flight, next_check_at)
        SELECT organization, project, name, ${health}, ${isDisabled}::boolean, ${inFlightMax}::integer,
          -ended, now_ms()
        -- Everybody locks endpoints in this order.
        FROM touched ORDER BY organization, project, name
        ON CONFLICT (organization, project, name) DO UPDATE SET
          in_flight = e.in_flight + excluded.in_flight,
          next_check_at = CASE WHEN e.in_flight + excluded.in_flight < e.in_flight_max
            THEN least(e.next_check_at, greatest(excluded.next_check_at, e.circuit_open_until)) ELSE e.next_check_at END
      )
      -- Not waited for on the disk: a database that crashes has the wakes again.
      SELECT coalesce(sum(count), 0)::integer AS count, set_config('synchronous_commit', 'off', true) FROM touched`,
    ([row]) => row?.count ?? 0,
  )
}

const claimRows = (
  sql: SqlClient.SqlClient,
  { limit, leaseMs, inFlight = new Map() }: ClaimRequest,
  share: FirstAttemptShare,
) => {
  const firstMax = share.kept
  const shareMax = Limits.organizationInFlightMax
  const hasNoShare = [...inFlight].flatMap(([organization, count]) =>
    count >= shareMax ? [organization] : [],
  )
  return sql<ClaimedRow | NothingClaimed>`
    WITH clock AS MATERIALIZED (
      SELECT now_ms() AS now, EXISTS (SELECT FROM queue_pauses) AS is_paused
    ), busy AS (
      SELECT * FROM unnest(${texts([...inFlight.keys()])}, ${integers([...inFlight.values()])}) AS u (organization, count)
    ), looked AS MATERIALIZED (
      SELECT ctid AS row_version, organization, project, name, generation, is_disabled, is_paused, in_flight, in_flight_max,
        circuit_open_until, next_check_at,
        CASE WHEN is_paused OR circuit_open_until > (SELECT now FROM clock) THEN 0
          ELSE greatest(0, least(in_flight_max - in_flight, ${limit})) END AS room
      FROM endpoints
      WHERE next_check_at <= (SELECT now FROM clock WHERE NOT clock.is_paused)
        AND organization <> ALL (${texts(hasNoShare)})
      ORDER BY next_check_at LIMIT ${2 * limit}
      FOR UPDATE SKIP LOCKED
    ), depth AS MATERIALIZED (
      -- Where many endpoints wait, each is asked for little: they take turns anyway.
      SELECT ceil(${2 * limit}::float8 / greatest(1, count(*)))::integer AS depth FROM looked
    ), pending AS MATERIALIZED (
      -- One more than there is room for: it tells when to look again.
      SELECT l.organization, l.project, l.name, l.next_check_at, l.room, d.id, d.is_retry, d.due_at,
        row_number() OVER (PARTITION BY l.organization, l.project, l.name, d.is_retry ORDER BY d.due_at, d.id) AS nth
      FROM looked l
      CROSS JOIN (VALUES (false), (true)) AS lane (is_retry)
      CROSS JOIN LATERAL (
        SELECT id, is_retry, due_at FROM deliveries
        WHERE organization = l.organization AND project = l.project AND name = l.name
          AND is_retry = lane.is_retry AND claim_id IS NULL
        ORDER BY due_at LIMIT least(l.room, (SELECT depth FROM depth)) + 1
      ) d
    ), offered AS (
      -- An endpoint's room goes to first and later attempts in turn.
      SELECT *, row_number() OVER (PARTITION BY organization, project, name ORDER BY nth, is_retry <> ${!share.prefersFirst}::boolean) AS place
      FROM pending WHERE due_at <= (SELECT now FROM clock)
    ), shared AS (
      -- An organization gets what its share leaves,
      SELECT o.*, coalesce(b.count, 0) AS busy,
        row_number() OVER (PARTITION BY organization ORDER BY place, next_check_at, project, name) AS part
      FROM offered o LEFT JOIN busy b USING (organization) WHERE place <= room
    ), ranked AS (
      -- endpoints take turns within an organization,
      SELECT *, row_number() OVER (PARTITION BY is_retry, organization ORDER BY place, next_check_at, project, name) AS turn
      FROM shared WHERE part <= ${shareMax} - busy
    ), lined AS (
      -- and organizations with each other.
      SELECT *, row_number() OVER (PARTITION BY is_retry ORDER BY turn, next_check_at, organization) AS line,
        count(*) FILTER (WHERE NOT is_retry) OVER () AS first_count,
        count(*) FILTER (WHERE is_retry) OVER () AS later_count
      FROM ranked
    ), chosen AS (
      SELECT organization, project, name, id FROM lined
      WHERE line <= CASE WHEN is_retry THEN ${limit} - least(first_count, ${firstMax})
        ELSE ${limit} - least(later_count, ${limit} - least(first_count, ${firstMax})) END
    ), claimed AS (
      UPDATE deliveries d SET claim_id = gen_random_uuid(), lease_expires_at = (SELECT now FROM clock) + ${leaseMs},
        attempt = attempt + 1, attempts_used = attempts_used + 1, endpoint_generation = l.generation
      FROM chosen c JOIN looked l USING (organization, project, name)
      WHERE d.organization = c.organization AND d.id = c.id AND d.claim_id IS NULL
      RETURNING d.*
    ), counted AS (
      SELECT l.*, coalesce(c.count, 0) AS count, r.due_at AS next_due_at,
        (SELECT ctid FROM endpoints e
         WHERE e.organization = l.organization AND e.project = l.project AND e.name = l.name) AS seen_version
      FROM looked l
      LEFT JOIN (
        SELECT organization, project, name, count(*) FROM claimed GROUP BY organization, project, name
      ) c USING (organization, project, name)
      LEFT JOIN (
        SELECT p.organization, p.project, p.name, min(p.due_at) AS due_at
        FROM pending p LEFT JOIN claimed c USING (organization, id)
        WHERE c.id IS NULL GROUP BY p.organization, p.project, p.name
      ) r USING (organization, project, name)
    ), planned AS (
      SELECT organization, project, name, count, CASE
        -- Written since this statement began: what it cannot see may be due.
        WHEN seen_version IS DISTINCT FROM row_version THEN now
        WHEN counted.is_paused OR in_flight + count >= in_flight_max THEN NULL
        -- It keeps its place in the line.
        WHEN count = 0 AND room > 0 AND next_due_at <= now THEN next_check_at
        ELSE greatest(next_due_at, CASE WHEN next_due_at IS NOT NULL THEN greatest(now, circuit_open_until) END)
      END AS next_check_at
      FROM counted, clock
    ), put AS (
      UPDATE endpoints e SET in_flight = e.in_flight + p.count, next_check_at = p.next_check_at
      FROM planned p
      WHERE e.organization = p.organization AND e.project = p.project AND e.name = p.name
        AND (p.count > 0 OR e.next_check_at IS DISTINCT FROM p.next_check_at)
    ), next AS (
      SELECT greatest(0, least(
        -- What an organization has beyond its share waits for its own deliveries to end.
        (SELECT min(next_check_at) FROM planned WHERE organization NOT IN (
          SELECT c.organization FROM claimed c LEFT JOIN busy b USING (organization)
          GROUP BY c.organization, b.count HAVING count(*) + coalesce(b.count, 0) >= ${shareMax})),
        (SELECT next_check_at FROM endpoints WHERE next_check_at > now ORDER BY next_check_at LIMIT 1),
        (SELECT lease_expires_at FROM deliveries WHERE lease_expires_at IS NOT NULL ORDER BY lease_expires_at LIMIT 1),
        (SELECT min(lease_expires_at) FROM claimed),
        -- Endpoints that another process has locked, or that were too many.
        CASE WHEN (SELECT count(*) FROM looked) < (
          SELECT count(*) FROM (
            SELECT FROM endpoints WHERE next_check_at <= now AND organization <> ALL (${texts(hasNoShare)}) ORDER BY next_check_at LIMIT ${2 * limit + 1}
          ) e
        ) THEN now END
      ) - now) AS next_due_in_ms
      FROM clock WHERE NOT clock.is_paused
    )
    SELECT (SELECT next_due_in_ms FROM next) AS next_due_in_ms, l.is_disabled, m.version,
      c.organization, c.id, c.project, c.name, c.notification, 'sending' AS state, c.attempt, c.attempts_used,
      c.created_at, c.due_at, NULL::bigint AS settled_at, c.claim_id
    FROM (SELECT) one
    LEFT JOIN (
      claimed c
      JOIN looked l USING (organization, project, name)
      LEFT JOIN definitions m ON m.organization = c.organization AND m.kind = 'AlertMethod'
        AND m.project = c.project AND m.name = c.name
    ) ON true`
}

const wakesMax = 1_000

interface ClaimedRow extends DeliveryRow {
  readonly next_due_in_ms: number | null
  readonly organization: OrganizationId
  readonly claim_id: string
  readonly is_disabled: boolean
  /** Of the alert method; null when it was deleted. */
  readonly version: number | null
}

interface NothingClaimed {
  readonly next_due_in_ms: number | null
  readonly id: null
}
