import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** One completed request. The path has no query, which could contain secrets. */
export interface AccessLogEntry {
  /** When the response was ready, in Unix milliseconds. */
  readonly at: number
  /** The trace ID of the response, 32 hexadecimal digits. */
  readonly traceId: string
  /** The method of the request. */
  readonly method: string
  /** The path of the request, without the query. */
  readonly path: string
  /** The address of the client behind the trusted proxies; absent if the host does not provide that of the connection. */
  readonly clientAddress?: string
  /** The status of the response. */
  readonly status: number
  /** From the arrival of the request until the response was ready. */
  readonly durationMs: number
}

/** Logs completed requests; by default, nothing. Called for each request, so it must be fast. */
export const AccessLog = Context.Reference<{ readonly note: ((entry: AccessLogEntry) => void) | undefined }>(
  "@tocsin/adapters-http/internal/frame/AccessLog",
  { defaultValue: () => ({ note: undefined }) },
)

/**
 * Writes the log in batches, one line per request, as JSON unless `lineOf` says otherwise: every second, after 1,000 requests, and when the scope closes.
 */
export const layer = (
  write: (lines: string) => void,
  lineOf: (entry: AccessLogEntry) => string = (entry) => `${JSON.stringify(entry)}\n`,
): Layer.Layer<never> =>
  Layer.effect(
    AccessLog,
    Effect.gen(function* () {
      let entries: Array<AccessLogEntry> = []
      const flush = (): void => {
        if (entries.length === 0) return
        write(entries.map(lineOf).join(""))
        entries = []
      }
      yield* Effect.forkScoped(Effect.forever(Effect.delay(Effect.sync(flush), "1 second")))
      yield* Effect.addFinalizer(() => Effect.sync(flush))
      return {
        note: (entry: AccessLogEntry) => {
          entries.push(entry)
          if (entries.length >= batchMax) flush()
        },
      }
    }),
  )

const batchMax = 1_000
