import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, inject } from "vitest"
import { isOfOneOrganization, refusalsOf } from "./StatementRules.ts"

/** A statement that an operation sent, and how the database plans to carry it out. */
export interface PlannedStatement {
  readonly text: string
  readonly plan: string
}

/** Runs an operation and gives the statements that it sent, but for those that open and close transactions. */
export const sentBy = <A, E, R>(operation: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sent: Array<{ readonly text: string; readonly parameters: ReadonlyArray<unknown> }> = []
    const value = yield* Effect.provideService(operation, Statement.CurrentTransformer, (statement) =>
      Effect.sync(() => {
        const [text, parameters] = statement.compile()
        sent.push({ text, parameters })
        return statement
      }),
    )
    return { value, sent }
  })

/** Runs an operation and gives the plans of its statements. */
export const statementsOf = <A, E, R>(operation: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { sent } = yield* sentBy(operation)
    return yield* Effect.forEach(sent, ({ text, parameters }): Effect.Effect<PlannedStatement, unknown> =>
      Effect.map(sql.unsafe<{ readonly "QUERY PLAN": string }>(`EXPLAIN ${text}`, parameters), (rows) => ({
        text,
        plan: rows.map((row) => row["QUERY PLAN"]).join("\n"),
      })),
    )
  })

const recorded = new Map<string, ReadonlyArray<unknown>>()

const refused = new Set<string>()

/** Records and checks the statements of the tests that it is provided to. */
export const recordStatements = Layer.succeed(Statement.CurrentTransformer, (statement) =>
  Effect.sync(() => {
    const [text, parameters] = statement.compile()
    for (const refusal of refusalsOf(text, parameters)) refused.add(`${refusal}: ${text}`)
    recorded.set(text, parameters)
    return statement
  }),
)

/**
 * Expects that none of the statements recorded so far is one that Citus rejects. On a cluster, also expects that each is
 * planned as one task, which is on one node.
 */
export const expectStatementsOfOneOrganization = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  expect([...refused]).toEqual([])
  const checked = [...recorded].filter(([text]) => isOfOneOrganization(text))
  expect(checked.length).toBeGreaterThan(0)
  if (inject("postgres").workers.length === 0) return
  for (const [text, parameters] of checked) {
    const rows = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`EXPLAIN ${text}`, parameters)
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n")
    // The coordinator copies the rows of an insert from lists to the one shard that they belong to: not for each delivery.
    const isForEachDelivery = /INSERT INTO\s+(?:deliveries|delivery_queue|delivery_attempts)\b/.test(text)
    const isCopied =
      !isForEachDelivery &&
      /method: pull to coordinator\s+->\s+(?:Function Scan|Result|HashAggregate|Unique)/.test(plan)
    const counts = plan.match(/Task Count: .*/g) ?? (isCopied ? ["Task Count: 1"] : [])
    expect(new Set(counts), `${text}\n${plan}`).toEqual(new Set(["Task Count: 1"]))
  }
})
