import type * as SqlClient from "effect/sql/SqlClient"
import { type OrganizationId, organizationKeyText, type ProjectKey } from "@tocsin/domain/metadata/ObjectKey"
import {
  organizationInFlightMax,
  type Claim,
  type ClaimedDelivery,
  type ClaimRequest,
} from "@tocsin/domain/delivery/DeliveryQueue"
import { unknownHealth } from "@tocsin/domain/delivery/EndpointHealth"
import type { FirstAttemptShare } from "@tocsin/domain/delivery/FirstAttemptShare"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type DeliveryRow, rowToDelivery, writeClaimId } from "./DeliveryRow.ts"
import { healthColumns } from "./EndpointStorePg.ts"
import { integers, texts, keyArrays } from "../database/Parameters.ts"
import { logUnreadableRow } from "../database/StoredRow.ts"
import type { AlertMethod } from "@tocsin/domain/alert-method/AlertMethod"
import type { StoredDefinition } from "@tocsin/domain/definition/DefinitionStore"
import type { SecretBox } from "@tocsin/domain/secret/SecretBox"
import { LRUCache } from "lru-cache"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"

export interface ClaimWithUnreadable extends Claim {
  readonly unreadable: ReadonlyArray<string>
}

/**
 * Claims at most `limit` due deliveries, each for `leaseMs`; first attempts get their `share`.
 *
 * First, endpoints with wake-ups and with expired leases become due for a check. Then one statement checks the due
 * endpoints, longest waiting first, claims deliveries, and computes when to check each endpoint again. The work grows
 * with the number of endpoints that have something to claim, and with nothing else.
 */
export const claimDeliveries = (
  sql: SqlClient.SqlClient,
  methodsOf: ReturnType<typeof makeClaimedMethods>,
  request: ClaimRequest,
  share: FirstAttemptShare,
) =>
  Effect.gen(function* () {
    yield* Effect.repeat(wakeEndpoints(sql), { while: (count) => count >= wakeupsMax })
    const rows = yield* claimRows(sql, request, share)
    const claimed = rows.filter((row): row is ClaimedRow => row.id !== null)
    const { found, unreadable } = yield* methodsOf(
      claimed.flatMap(({ organization, project, name, version }) =>
        version === null ? [] : [{ organization, project, name, version }],
      ),
    )
    const claims: Array<ClaimedDelivery> = []
    const unreadableClaims: Array<string> = []
    for (const row of claimed) {
      const claimId = writeClaimId({ claim: row.claim_id, organization: row.organization, id: row.id })
      const method = organizationKeyText(row.organization, row)
      const delivery = rowToDelivery(row)
      if (Result.isFailure(delivery)) {
        yield* logUnreadableRow(row.organization, delivery.failure)
      }
      if (Result.isFailure(delivery) || unreadable.has(method)) {
        unreadableClaims.push(claimId)
        continue
      }
      claims.push({
        claimId,
        delivery: delivery.success,
        alertMethod: row.version === null ? undefined : found.get(method),
        isDisabled: row.is_disabled,
      })
    }
    const next = rows[0]?.next_due_in_ms ?? undefined
    return { claims, unreadable: unreadableClaims, nextDueInMs: next } satisfies ClaimWithUnreadable
  })

const wakeEndpoints = (sql: SqlClient.SqlClient) => {
  const { health, isDisabled, inFlightMax } = healthColumns(unknownHealth, 0)
  return Effect.map(
    sql<{ count: number }>`
      WITH woken AS (
        DELETE FROM endpoint_wakeups WHERE position = ANY (ARRAY(
          SELECT position FROM endpoint_wakeups ORDER BY position LIMIT ${wakeupsMax} FOR UPDATE SKIP LOCKED))
        RETURNING organization, project, name
      ), expired AS (
        -- As releaseDelivery has it: the receiver is not to blame for a process that died.
        UPDATE deliveries d
        SET claim_id = NULL, lease_expires_at = NULL, attempts_used = greatest(0, attempts_used - 1), due_at = now_ms()
        FROM (
          SELECT organization, id FROM deliveries WHERE lease_expires_at <= now_ms()
          ORDER BY lease_expires_at LIMIT ${wakeupsMax} FOR UPDATE SKIP LOCKED
        ) x
        WHERE d.organization = x.organization AND d.id = x.id
        RETURNING d.organization, d.project, d.name
      ), woken_or_expired AS (
        SELECT organization, project, name, count(*) AS count, sum(expired) AS expired FROM (
          SELECT *, 0 AS expired FROM woken UNION ALL SELECT *, 1 FROM expired
        ) e
        GROUP BY organization, project, name
      ), checked_soon AS (
        INSERT INTO endpoints AS e
          (organization, project, name, health, is_disabled, in_flight_max, in_flight, next_check_at)
        SELECT organization, project, name, ${health}, ${isDisabled}::boolean, ${inFlightMax}::integer,
          -expired, now_ms()
        -- In the order in which settlements lock them too.
        FROM woken_or_expired ORDER BY organization, project, name
        ON CONFLICT (organization, project, name) DO UPDATE SET
          in_flight = e.in_flight + excluded.in_flight,
          next_check_at = CASE WHEN e.in_flight + excluded.in_flight < e.in_flight_max
            THEN least(e.next_check_at, greatest(excluded.next_check_at, e.circuit_open_until)) ELSE e.next_check_at END
      )
      -- Without waiting for the disk: after a crash, the database still has the wake-ups.
      SELECT coalesce(sum(count), 0)::integer AS count, set_config('synchronous_commit', 'off', true)
      FROM woken_or_expired`,
    ([row]) => row?.count ?? 0,
  )
}

const claimRows = (
  sql: SqlClient.SqlClient,
  { limit, leaseMs, inFlight = new Map() }: ClaimRequest,
  share: FirstAttemptShare,
) => {
  const organizationMax = organizationInFlightMax
  const atMaximum = [...inFlight].flatMap(([organization, count]) =>
    count >= organizationMax ? [organization] : [],
  )
  return sql<ClaimedRow | NothingClaimed>`
    WITH clock AS MATERIALIZED (
      SELECT now_ms() AS now, EXISTS (SELECT FROM queue_pauses) AS is_paused
    ), of_process AS (
      SELECT * FROM unnest(
        ${texts([...inFlight.keys()])}, ${integers([...inFlight.values()])}) AS p (organization, in_flight)
    ), checked AS MATERIALIZED (
      SELECT ctid AS locked_version, organization, project, name, generation, is_disabled, is_paused, in_flight,
        in_flight_max, circuit_open_until, next_check_at,
        CASE WHEN is_paused OR circuit_open_until > (SELECT now FROM clock) THEN 0
          ELSE greatest(0, least(in_flight_max - in_flight, ${limit})) END AS capacity
      FROM endpoints
      WHERE next_check_at <= (SELECT now FROM clock WHERE NOT clock.is_paused)
        AND organization <> ALL (${texts(atMaximum)})
      ORDER BY next_check_at LIMIT ${2 * limit}
      FOR UPDATE SKIP LOCKED
    ), depth AS MATERIALIZED (
      -- Of many endpoints, read few deliveries each: they take turns in any case.
      SELECT ceil(${2 * limit}::float8 / greatest(1, count(*)))::integer AS depth FROM checked
    ), pending AS MATERIALIZED (
      -- One more than the capacity: its due time is when to check the endpoint again.
      SELECT e.organization, e.project, e.name, e.next_check_at, e.capacity, d.id, d.is_retry, d.due_at,
        row_number() OVER (
          PARTITION BY e.organization, e.project, e.name, d.is_retry ORDER BY d.due_at, d.id) AS lane_rank
      FROM checked e
      CROSS JOIN (VALUES (false), (true)) AS lane (is_retry)
      CROSS JOIN LATERAL (
        SELECT id, is_retry, due_at FROM deliveries
        WHERE organization = e.organization AND project = e.project AND name = e.name
          AND is_retry = lane.is_retry AND claim_id IS NULL
        ORDER BY due_at LIMIT least(e.capacity, (SELECT depth FROM depth)) + 1
      ) d
    ), due AS (
      -- First attempts and retries take turns for the capacity of an endpoint,
      SELECT *, row_number() OVER (
        PARTITION BY organization, project, name
        ORDER BY lane_rank, is_retry <> ${!share.prefersFirst}::boolean) AS endpoint_rank
      FROM pending WHERE due_at <= (SELECT now FROM clock)
    ), within_capacity AS (
      -- endpoints for the share of their organization,
      SELECT d.*, coalesce(p.in_flight, 0) AS organization_in_flight,
        row_number() OVER (
          PARTITION BY organization ORDER BY endpoint_rank, next_check_at, project, name) AS organization_rank
      FROM due d LEFT JOIN of_process p USING (organization) WHERE endpoint_rank <= capacity
    ), within_share AS (
      SELECT *, row_number() OVER (
        PARTITION BY is_retry, organization ORDER BY endpoint_rank, next_check_at, project, name) AS turn
      FROM within_capacity WHERE organization_rank <= ${organizationMax} - organization_in_flight
    ), ranked AS (
      -- and organizations with each other.
      SELECT *, row_number() OVER (PARTITION BY is_retry ORDER BY turn, next_check_at, organization) AS rank,
        count(*) FILTER (WHERE NOT is_retry) OVER () AS first_count,
        count(*) FILTER (WHERE is_retry) OVER () AS retry_count
      FROM within_share
    ), chosen AS (
      SELECT organization, project, name, id FROM ranked
      WHERE rank <= CASE WHEN is_retry THEN ${limit} - least(first_count, ${share.reserved})
        ELSE ${limit} - least(retry_count, ${limit} - least(first_count, ${share.reserved})) END
    ), claimed AS (
      UPDATE deliveries d SET claim_id = gen_random_uuid(), lease_expires_at = (SELECT now FROM clock) + ${leaseMs},
        attempt = attempt + 1, attempts_used = attempts_used + 1, endpoint_generation = e.generation
      FROM chosen c JOIN checked e USING (organization, project, name)
      WHERE d.organization = c.organization AND d.id = c.id AND d.claim_id IS NULL
      RETURNING d.*
    ), recounted AS (
      SELECT e.*, coalesce(c.count, 0) AS count, r.due_at AS next_due_at,
        (SELECT ctid FROM endpoints v
         WHERE v.organization = e.organization AND v.project = e.project AND v.name = e.name) AS visible_version
      FROM checked e
      LEFT JOIN (
        SELECT organization, project, name, count(*) FROM claimed GROUP BY organization, project, name
      ) c USING (organization, project, name)
      LEFT JOIN (
        SELECT p.organization, p.project, p.name, min(p.due_at) AS due_at
        FROM pending p LEFT JOIN claimed c USING (organization, id)
        WHERE c.id IS NULL GROUP BY p.organization, p.project, p.name
      ) r USING (organization, project, name)
    ), scheduled AS (
      SELECT organization, project, name, count, CASE
        -- Another transaction wrote the endpoint after this snapshot, which therefore lacks what it made due.
        WHEN visible_version IS DISTINCT FROM locked_version THEN now
        WHEN recounted.is_paused OR in_flight + count >= in_flight_max THEN NULL
        -- It was its turn, but the limit was reached: it keeps its position.
        WHEN count = 0 AND capacity > 0 AND next_due_at <= now THEN next_check_at
        ELSE greatest(next_due_at, CASE WHEN next_due_at IS NOT NULL THEN greatest(now, circuit_open_until) END)
      END AS next_check_at
      FROM recounted, clock
    ), rescheduled AS (
      UPDATE endpoints e SET in_flight = e.in_flight + s.count, next_check_at = s.next_check_at
      FROM scheduled s
      WHERE e.organization = s.organization AND e.project = s.project AND e.name = s.name
        AND (s.count > 0 OR e.next_check_at IS DISTINCT FROM s.next_check_at)
    ), next AS (
      SELECT greatest(0, least(
        -- An organization that used up its share waits for its own deliveries to be settled.
        (SELECT min(next_check_at) FROM scheduled WHERE organization NOT IN (
          SELECT c.organization FROM claimed c LEFT JOIN of_process p USING (organization)
          GROUP BY c.organization, p.in_flight HAVING count(*) + coalesce(p.in_flight, 0) >= ${organizationMax})),
        (SELECT next_check_at FROM endpoints WHERE next_check_at > now ORDER BY next_check_at LIMIT 1),
        (SELECT lease_expires_at FROM deliveries
         WHERE lease_expires_at IS NOT NULL ORDER BY lease_expires_at LIMIT 1),
        (SELECT min(lease_expires_at) FROM claimed),
        -- Due endpoints that were not checked: locked by another process, or beyond the limit.
        CASE WHEN (SELECT count(*) FROM checked) < (
          SELECT count(*) FROM (
            SELECT FROM endpoints WHERE next_check_at <= now AND organization <> ALL (${texts(atMaximum)})
            ORDER BY next_check_at LIMIT ${2 * limit + 1}
          ) e
        ) THEN now END
      ) - now) AS next_due_in_ms
      FROM clock WHERE NOT clock.is_paused
    )
    SELECT (SELECT next_due_in_ms FROM next) AS next_due_in_ms, e.is_disabled, m.version,
      c.organization, c.id, c.project, c.name, c.notification, 'sending' AS state, c.attempt, c.attempts_used,
      c.created_at, c.due_at, NULL::bigint AS settled_at, c.claim_id
    FROM (SELECT) one_row
    LEFT JOIN (
      claimed c
      JOIN checked e USING (organization, project, name)
      LEFT JOIN definitions m ON m.organization = c.organization AND m.kind = 'AlertMethod'
        AND m.project = c.project AND m.name = c.name
    ) ON true`
}

const wakeupsMax = 1_000

interface ClaimedRow extends DeliveryRow {
  readonly next_due_in_ms: number | null
  readonly organization: OrganizationId
  readonly claim_id: string
  readonly is_disabled: boolean
  /** The version of the alert method; null when it was deleted. */
  readonly version: number | null
}

interface NothingClaimed {
  readonly next_due_in_ms: number | null
  readonly id: null
}

/** Most alert methods with compiled templates that a process caches. */
export const preparedMethodsMax = 1_000

interface ClaimedMethod extends ProjectKey {
  readonly organization: OrganizationId
  readonly version: number
}

/**
 * Reads alert methods by version and caches the `preparedMethodsMax` used last, so that a claim neither transfers
 * templates nor decrypts secrets again.
 */
export const makeClaimedMethods = (sql: SqlClient.SqlClient, box: SecretBox["Service"]) => {
  const known = new LRUCache<string, StoredDefinition<AlertMethod>>({ max: preparedMethodsMax })

  /**
   * By `organizationKeyText`: `found` has the methods as they are stored now, without those that were deleted
   * meanwhile; `unreadable` those that cannot be decrypted or decoded.
   */
  return (methods: ReadonlyArray<ClaimedMethod>) =>
    Effect.gen(function* () {
      const found = new Map<string, StoredDefinition<AlertMethod>>()
      const unreadable = new Set<string>()
      const missing = new Map<string, ClaimedMethod>()
      for (const method of methods) {
        const text = organizationKeyText(method.organization, method)
        const stored = known.get(text)
        if (stored?.version === String(method.version)) found.set(text, stored)
        else missing.set(text, method)
      }
      if (missing.size === 0) return { found, unreadable }
      const keys = [...missing.values()]
      const rows = yield* sql<DefinitionRow & { readonly organization: OrganizationId }>`
        SELECT d.* FROM unnest(
          ${texts(keys.map(({ organization }) => organization))}, ${keyArrays(sql, keys)}) AS k (organization, project, name)
        JOIN definitions d ON d.organization = k.organization AND d.kind = 'AlertMethod'
          AND d.project = k.project AND d.name = k.name`
      for (const row of rows) {
        const text = organizationKeyText(row.organization, row)
        const stored = rowToDefinitionOf("AlertMethod", box, row.organization, row)
        if (Result.isSuccess(stored)) {
          known.set(text, stored.success)
          found.set(text, stored.success)
        } else {
          unreadable.add(text)
          yield* logUnreadableRow(row.organization, stored.failure)
        }
      }
      return { found, unreadable }
    })
}
