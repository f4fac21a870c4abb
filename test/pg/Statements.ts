import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import * as Effect from "effect/Effect"

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
