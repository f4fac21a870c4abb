import { HashNode } from "@tocsin/adapters-http/crypto"
import * as Result from "effect/Result"
import { signRequest } from "@tocsin/domain/signature"
import { Logger, makeWorkerUtils, run, type Runner, type TaskList } from "graphile-worker"
import { Pool } from "undici"
import { testKey } from "../test/signature/TestKey.ts"

/** As many connections to one origin as an organization of ours may use. */
const connectionsPerOriginMax = 64

/** A notification to send: the worker's job. */
interface NotificationJob {
  readonly id: string
  readonly url: string
}

/** How graphile-worker is set. With jobs fetched ahead, those of a process that dies wait for hours. */
export type WorkerMode = "one by one" | "fetching ahead"

/** What a program would otherwise use: graphile-worker, with a task that does what a delivery does. */
export interface QueueWorker {
  readonly add: (jobs: ReadonlyArray<NotificationJob>) => Promise<void>
  /** Resolves when so many more jobs have been done. */
  readonly untilDone: (count: number) => Promise<void>
  /** Works until it is stopped: one by one, or with jobs fetched ahead and completed in batches. */
  readonly start: (mode: WorkerMode) => Promise<Runner>
  readonly end: () => Promise<void>
}

/**
 * Makes graphile-worker on a database: as many jobs at once as we have connections to one origin, and as many
 * connections to the database as we.
 *
 * Each job encodes a body, digests and signs it, sends it over TLS, and writes one row about the attempt.
 */
export const makeQueueWorker = async (connectionString: string, ca: string): Promise<QueueWorker> => {
  const silent = new Logger(() => () => undefined)
  const worker = { connectionString, maxPoolSize: 10, logger: silent }
  const utils = await makeWorkerUtils(worker)
  await utils.migrate()
  await utils.withPgClient((client) =>
    client.query(
      "CREATE TABLE worker_attempts (id text, number integer, at bigint, attempt text, PRIMARY KEY (id, number))",
    ),
  )
  const pools = new Map<string, Pool>()
  const poolOf = (origin: string): Pool => {
    const known = pools.get(origin)
    if (known !== undefined) return known
    const made = new Pool(origin, {
      connections: connectionsPerOriginMax,
      pipelining: 1,
      connect: { ca },
    })
    pools.set(origin, made)
    return made
  }
  let onDone: () => void = () => undefined
  const taskList: TaskList = {
    notify: async (payload, { job, query }) => {
      const { id, url: text } = payload as NotificationJob
      const startedAt = Date.now()
      const url = new URL(text)
      const body = Buffer.from(JSON.stringify({ slo: "checkout", id, status: "triggered" }))
      const signed = Result.getOrThrow(
        signRequest(
          {
            method: "POST",
            authority: url.host,
            path: url.pathname,
            contentType: "application/json",
            body,
            created: Math.floor(startedAt / 1_000),
          },
          testKey,
          HashNode.hashFunctions,
        ),
      )
      const answer = await poolOf(url.origin).request({
        method: "POST",
        path: url.pathname,
        headers: {
          "content-type": "application/json",
          ...signed,
          "notification-event": "alert.triggered",
          "notification-id": id,
          "notification-attempt": String(job.attempts),
        },
        body,
      })
      await answer.body.dump()
      const attempt = JSON.stringify({ startedAt, status: answer.statusCode })
      await query("INSERT INTO worker_attempts VALUES ($1, $2, $3, $4)", [
        id,
        job.attempts,
        Date.now(),
        attempt,
      ])
      if (answer.statusCode !== 204) throw new Error(`answered ${answer.statusCode}`)
      onDone()
    },
  }
  return {
    add: async (jobs) => {
      await utils.addJobs(jobs.map((payload) => ({ identifier: "notify", payload })))
    },
    untilDone: (count) =>
      new Promise((resolve) => {
        let left = count
        onDone = () => void (--left === 0 && resolve())
      }),
    start: (mode) =>
      run({
        ...worker,
        concurrency: connectionsPerOriginMax,
        noHandleSignals: true,
        taskList,
        ...(mode === "fetching ahead" && { preset: { worker: fetchingAhead } }),
      }),
    end: async () => {
      await utils.release()
      for (const pool of pools.values()) await pool.destroy()
    },
  }
}

const fetchingAhead = { localQueue: { size: 500 }, completeJobBatchDelay: 5, failJobBatchDelay: 5 }
