import * as SqlClient from "effect/sql/SqlClient"
import { forkLoop, logOutages, metrics, type PortFailure, TaggedError } from "@tocsin/domain/adapter"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { portOperation } from "../database/PortOperation.ts"
import { convertStep, renameObjectiveTables, rowsOfStep } from "./ConvertCounts.ts"
import { objectiveTables } from "./ObjectiveTables.ts"

class CountsCannotBeConverted extends TaggedError("CountsCannotBeConverted")<PortFailure> {}

const operation = portOperation("CountConversion", (failure) => new CountsCannotBeConverted(failure))

/**
 * Converts the counts of databases of earlier versions, which have rows of objectives, to rows of SLOs, while servers work: a step of one
 * SLO of each organization in turn. It can stop anywhere, and goes on from there. Any number of processes may run it: one of them
 * converts, for about a tenth of its time, once no server of an earlier version has been alive for 10 minutes.
 *
 * An SLO that cannot be converted keeps its rows; why is logged. Steps of one whose copied hours keep changing get longer, and if that does
 * not help, its turn comes again after those of the others. Fails if the database is not available.
 *
 * Returns how long to wait before the next run, in milliseconds. `restAfter` is how long it rests after a step, given how long that took.
 */
export const convertCounts = (
  sql: SqlClient.SqlClient,
  owner: string,
  restAfter: (stepMs: number) => number = (stepMs) => Math.min(restFactor * stepMs, restMaxMs),
) =>
  Effect.gen(function* () {
    const left = yield* operation("measure", measure(sql))
    if (left === 0) return idleMs
    if (!(yield* operation("own", own(sql, owner)))) return waitMs
    if (!(yield* operation("tables", objectiveTables(sql))).areRenamed) {
      // After an outage of the database, servers of earlier versions are given time for a sign of life.
      yield* Effect.sleep(waitMs)
      if (!(yield* operation("rename", renameObjectiveTables(sql)))) return waitMs
    }
    yield* Effect.annotateLogs(Effect.logInfo("Converting the counts of SLOs to the form of this version"), {
      slos: left,
    })
    const passed = new Map<OrganizationId, ProjectKey>()
    const copied = new Map<OrganizationId, Copied>()
    const findAfter = (organization: string) => operation("find", findSlo(sql, organization, passed))
    let [hasFailed, isChanging] = [false, false]
    let after = ""
    let measuredAt = performance.now()
    for (;;) {
      const next = (yield* findAfter(after)) ?? (after === "" ? undefined : yield* findAfter(""))
      if (next === undefined) break
      const { organization, project, name } = next
      after = organization
      const began = performance.now()
      if (!(yield* operation("own", own(sql, owner)))) return waitMs
      const last = copied.get(organization)
      const before = last?.project === project && last.name === name ? last : undefined
      const rowsMax = rowsOfStep * 2 ** (before?.setBacks ?? 0)
      const step = yield* operation("step", convertStep(sql, organization, { project, name }, rowsMax)).pipe(
        Effect.catchDefect(
          (cause) => new CountsCannotBeConverted({ operation: "step", isRetryable: false, cause }),
        ),
        // If the database is not available, the search for the next one ends the run.
        Effect.catch((error) => {
          hasFailed = true
          passed.set(organization, { project, name })
          const logged = Effect.logError("Converting the counts of an SLO failed", error)
          return Effect.as(
            Effect.annotateLogs(logged, { organization, slo: projectKeyText({ project, name }) }),
            undefined,
          )
        }),
      )
      if (step !== undefined) {
        const setBacks = (before?.setBacks ?? 0) + (before !== undefined && step.from < before.to ? 1 : 0)
        copied.set(organization, { project, name, to: step.to, setBacks })
        if (setBacks > setBacksMax) {
          isChanging = true
          passed.set(organization, { project, name })
        }
      }
      if (step === undefined && performance.now() - measuredAt >= measureMs) {
        yield* operation("measure", measure(sql))
        measuredAt = performance.now()
      }
      yield* Effect.sleep(restAfter(performance.now() - began))
    }
    yield* operation("measure", measure(sql))
    if (hasFailed) {
      yield* Effect.logWarning(
        "Some SLOs keep the form of an earlier version, as converting their counts failed",
      )
    } else if (!isChanging) {
      yield* Effect.logInfo("The counts of all SLOs have the form of this version")
    }
    return isChanging ? waitMs : idleMs
  })

/** The SLO of an organization that a step has copied hours of last. */
interface Copied extends ProjectKey {
  /** The end of the hours that are copied. */
  readonly to: number
  /** How often copied hours had changed when a step began. */
  readonly setBacks: number
}

const isToConvert = `(count_rows = 'objective' OR copied_to IS NOT NULL)`

/** Counts the SLOs that are to be converted, as the metric says from then on. */
const measure = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const rows = yield* readAcrossOrganizations(
      sql,
      sql<{ readonly slos: number }>`
        SELECT count(*)::integer AS slos FROM slos WHERE ${sql.literal(isToConvert)}`,
    )
    const left = rows.reduce((sum, { slos }) => sum + slos, 0)
    yield* Metric.update(metrics.slosToConvert.of(), left)
    return left
  })

/** Whether this process converts counts from now on, for a minute, or another one does. */
const own = (sql: SqlClient.SqlClient, owner: string) =>
  Effect.map(
    sql`
      INSERT INTO count_conversion AS c (id, owner, owned_until) VALUES (1, ${owner}, now_ms() + ${leaseMs}::bigint)
      ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, owned_until = excluded.owned_until
        -- One that ends later than a lease does was written before the clock was set back.
        WHERE c.owner = excluded.owner OR c.owned_until NOT BETWEEN now_ms() AND now_ms() + ${leaseMs}::bigint
      RETURNING owner`,
    (rows) => rows.length > 0,
  )

/**
 * Finds the first SLO to convert of the first organization after one, by name; `passed` has the last SLO of organizations that was passed over: up
 * to that one, they are done.
 */
const findSlo = (sql: SqlClient.SqlClient, after: string, passed: ReadonlyMap<OrganizationId, ProjectKey>) =>
  Effect.gen(function* () {
    let before = after
    for (;;) {
      const [first] = yield* readAcrossOrganizations(
        sql,
        sql<FoundSlo>`
          SELECT organization, project, name FROM slos WHERE ${sql.literal(isToConvert)} AND organization > ${before}
          ORDER BY organization, project, name LIMIT 1`,
      )
      const last = first && passed.get(first.organization)
      if (first === undefined || last === undefined) return first
      const [next] = yield* sql<FoundSlo>`
        SELECT organization, project, name FROM slos
        WHERE organization = ${first.organization} AND ${sql.literal(isToConvert)}
          AND (project, name) > (${last.project}, ${last.name})
        ORDER BY project, name LIMIT 1`
      if (next !== undefined) return next
      before = first.organization
    }
  })

interface FoundSlo extends ProjectKey {
  readonly organization: OrganizationId
}

/** Converts counts in the background as long as there are any to convert. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const owner = crypto.randomUUID()
    // A server is ready, whichever form its counts have.
    const logging = yield* logOutages("Converting counts failed", Infinity)
    const run = Effect.matchCause(logging(convertCounts(sql, owner)), {
      onSuccess: (ms) => ms,
      onFailure: () => waitMs,
    })
    yield* forkLoop("Converting counts ended", Effect.forever(Effect.flatMap(run, Effect.sleep)))
  }),
)

/** How often the SLOs that are left are counted, in milliseconds. */
const measureMs = 60_000

/** The wait before the next run when there was nothing left to do, in milliseconds. */
const idleMs = 3_600_000

/** The wait before the tables are renamed, and before the next run when another process converts, or none may yet, in milliseconds. */
const waitMs = 60_000

/** How long another process waits for one that has stopped, in milliseconds; longer than a step and its rest. */
const leaseMs = 60_000

/** How often the copied hours of an SLO may change until its turn comes after the others; its steps get twice as long each time. */
const setBacksMax = 5

/** The rest after a step: this many times as long as it took, and at most so many milliseconds. */
const restFactor = 9
const restMaxMs = 10_000
