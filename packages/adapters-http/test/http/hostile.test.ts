import { Processor, ProcessorShares } from "@tocsin/domain"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { apiServer, headersOf, send } from "../../../../test/http/api-client.ts"
import {
  boundedOperations,
  hostileRequests,
  policyOfHostile,
  slosOfHostile,
} from "../../../../test/http/hostile-requests.ts"
import { type Operation, operations } from "../../../../test/http/operations.ts"

/** Counts the parts that are done for each organization. Every part ends a slice, whatever time it takes. */
class CountingShares extends ProcessorShares {
  readonly parts = new Map<string, number>()
  constructor() {
    let now = 0
    super(() => (now += 1_000))
  }
  override schedulerOf(organization: string): ReturnType<ProcessorShares["schedulerOf"]> {
    const scheduler = super.schedulerOf(organization)
    const dispatcher = scheduler.makeDispatcher()
    const count = (): void => void this.parts.set(organization, (this.parts.get(organization) ?? 0) + 1)
    return {
      executionMode: scheduler.executionMode,
      // Only pauses that the code asks for count, not those after many operations.
      shouldYield: () => false,
      makeDispatcher: () => ({
        flush: () => dispatcher.flush(),
        scheduleTask: (task, priority) => {
          count()
          dispatcher.scheduleTask(task, priority)
        },
      }),
    }
  }
}

const hostile = "hostile"

const isJsonBody = ({ requestBody }: Operation): boolean =>
  requestBody?.content?.["application/json"] !== undefined

/** Whose bodies are read before their sender is known, or not at all. */
const smallBodies = new Set(["openSession", "openSessionByLink"])

describe("a hostile request", () => {
  it("spec/rate-limits §9: is known for every operation, or why its work is bounded", () => {
    const covered = new Set([...Object.keys(hostileRequests), ...Object.keys(boundedOperations)])
    expect(operations.map(({ operationId }) => operationId).filter((id) => !covered.has(id))).toEqual([])
    const known = new Set(operations.map(({ operationId }) => operationId))
    expect([...covered].filter((id) => !known.has(id) && !/^(?:PromQL|MCP): /.test(id))).toEqual([])
  })

  for (const [operation, requests] of Object.entries(hostileRequests)) {
    for (const [index, { method, path, headers = {}, body, parts }] of requests.entries()) {
      it.effect(`spec/rate-limits §9: ${operation} (${index}) is done in at least ${parts} parts`, () => {
        const shares = new CountingShares()
        return Effect.gen(function* () {
          yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
          yield* putDefinitions(hostile, [policyOfHostile])
          yield* putDefinitions(
            hostile,
            Array.from({ length: slosOfHostile }, (_, at) => anSlo({ project: "shop", name: `slo-${at}` })),
          )
          const access = yield* headersOf(hostile)
          const type = typeof body === "string" ? "application/yaml" : "application/json"
          const { status, text } = yield* send(path, {
            method,
            headers: { ...access, ...(body !== undefined && { "content-type": type }), ...headers },
            ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
          })
          expect([status < 500 && status !== 401 && status !== 429, status, text.slice(0, 300)]).toEqual([
            true,
            expect.anything(),
            expect.anything(),
          ])
          expect(shares.parts.get(hostile) ?? 0).toBeGreaterThanOrEqual(parts)
        }).pipe(Effect.provide(apiServer), Effect.provideService(Processor, shares))
      })
    }
  }

  it.effect("spec/rate-limits §9: a large body of every operation is decoded in parts, or too large", () => {
    const shares = new CountingShares()
    const body = `[${"0,".repeat(60_000)}0]`
    return Effect.gen(function* () {
      for (const operation of operations.filter(isJsonBody)) {
        const organization = `of-${operation.operationId}`
        const headers = yield* headersOf(organization, "admin")
        const path = operation.path.replaceAll(/\{\w+\}/g, "x")
        const { status } = yield* send(path, {
          method: operation.method.toUpperCase(),
          headers: { ...headers, project: "shop", "content-type": "application/json" },
          body,
        })
        const parts = shares.parts.get(organization) ?? 0
        const isBounded = status === 413 || parts >= 100 || smallBodies.has(operation.operationId)
        expect([operation.operationId, status, parts, isBounded]).toEqual([
          operation.operationId,
          status,
          parts,
          true,
        ])
      }
    }).pipe(Effect.provide(apiServer), Effect.provideService(Processor, shares))
  })

  it.effect(
    "spec/mcp §6: messages are few, small unless they have definitions, and nothing long is repeated",
    () =>
      Effect.gen(function* () {
        const access = yield* headersOf(hostile)
        const ask = (message: unknown) =>
          send("/api/mcp", {
            method: "POST",
            headers: {
              ...access,
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
              "mcp-protocol-version": "2025-06-18",
            },
            body: JSON.stringify(message),
          })
        const long = "x".repeat(700_000)
        const call = (name: string, input: object) => ({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: input },
        })
        for (const message of [
          { jsonrpc: "2.0", id: long, method: "ping" },
          { jsonrpc: "2.0", id: 1, method: long },
          { jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: long } },
          {
            jsonrpc: "2.0",
            id: 1,
            method: "tools/list",
            params: { x: Array.from({ length: 70_000 }, () => 0) },
          },
          call(long, {}),
          call("list_slos", { project: long }),
        ]) {
          const { status, text } = yield* ask(message)
          expect([
            status,
            text.length < 500,
            text.includes("must have at most") || text.includes("may have"),
          ]).toEqual([400, true, true])
        }
        const applied = yield* ask(call("dry_run_apply", { definitions: `# ${long}`, format: "yaml" }))
        expect([applied.status, applied.text.length < 1_000]).toEqual([200, true])
        const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }
        for (let sent = 7; sent < 100; sent++) expect((yield* ask(list)).status).toBe(200)
        expect((yield* ask(list)).status).toBe(429)
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/rate-limits §9: a neighbor's requests are handled between the parts of one", () => {
    const shares = new CountingShares()
    return Effect.gen(function* () {
      const body = JSON.stringify(Array.from({ length: 100_000 }, () => 0))
      const access = yield* headersOf(hostile)
      const neighbor = yield* headersOf("neighbor")
      const over = yield* Deferred.make<void>()
      let answered = 0
      const attack = Effect.andThen(
        send("/api/counts", {
          method: "POST",
          headers: { ...access, "content-type": "application/json" },
          body,
        }),
        Deferred.succeed(over, undefined),
      )
      const ask = Effect.gen(function* () {
        for (;;) {
          yield* send("/api/credentials", { headers: neighbor })
          if (yield* Deferred.isDone(over)) return
          answered++
        }
      })
      yield* Effect.all([attack, ask], { concurrency: "unbounded" })
      expect(answered).toBeGreaterThanOrEqual(5)
    }).pipe(Effect.provide(apiServer), Effect.provideService(Processor, shares))
  })
})
