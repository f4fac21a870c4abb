import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { isDistributed } from "./CitusTables.ts"
import { sqlStateOf } from "./PortOperation.ts"

/**
 * Reads rows of all organizations. The statement takes no locks, and its parameters are numbers and strings.
 *
 * While a node of a distributed database is unavailable, reads the shards of the others: the work of their organizations goes
 * on. The order and the limit of the statement then apply to each shard.
 */
export const readAcrossOrganizations = <Row extends object>(
  sql: SqlClient.SqlClient,
  statement: Statement<Row>,
): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
  Effect.catchIf(statement, isNodeUnavailable, (error) =>
    Effect.flatMap(isDistributed(sql), (distributed) =>
      distributed ? readAvailableShards(sql, statement) : Effect.fail(error),
    ),
  )

/** Classes 08 and 57: connection exceptions and operator intervention. */
const isNodeUnavailable = (error: SqlError): boolean => /^(?:08|57)/.test(sqlStateOf(error) ?? "")

/** Reads the shards of one range of organizations after the other, on the nodes that have them; leaves out what fails. */
export const readAvailableShards = <Row extends object>(
  sql: SqlClient.SqlClient,
  statement: Statement<Row>,
): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
  Effect.gen(function* () {
    const [text, parameters] = statement.compile()
    const shards = yield* sql<ShardRow>`
      SELECT c.relname AS table, s.shardid AS id, s.shardminvalue AS start, n.nodename AS host, n.nodeport AS port
      FROM pg_dist_shard s
      JOIN pg_class c ON c.oid = s.logicalrelid
      JOIN pg_dist_placement p ON p.shardid = s.shardid
      JOIN pg_dist_node n ON n.groupid = p.groupid
      WHERE s.shardminvalue IS NOT NULL AND NOT c.relispartition AND n.noderole = 'primary'
        AND ${text} ~ ('\\m' || c.relname || '\\M')
      ORDER BY c.relname`
    const byRange = new Map<string, Array<ShardRow>>()
    for (const shard of shards) byRange.set(shard.start, [...(byRange.get(shard.start) ?? []), shard])
    const ranges = [...byRange.values()].flatMap((some) => {
      const [first] = some
      return first === undefined ? [] : [{ ...first, command: shardCommand(text, parameters, some) }]
    })
    const results = yield* sql<{ readonly success: boolean; readonly result: string }>`
      SELECT success, result FROM master_run_on_worker(
        ARRAY(SELECT jsonb_array_elements_text(${JSON.stringify(ranges.map(({ host }) => host))}::jsonb)),
        ARRAY(SELECT jsonb_array_elements_text(${JSON.stringify(ranges.map(({ port }) => port))}::jsonb)::integer),
        ARRAY(SELECT jsonb_array_elements_text(${JSON.stringify(ranges.map(({ command }) => command))}::jsonb)),
        true)`
    const read = results.flatMap(({ success, result }) =>
      success ? [JSON.parse(result) as ReadonlyArray<Row>] : [],
    )
    // In turns, so that a caller that takes the first rows takes some of each shard.
    const most = Math.max(0, ...read.map((rows) => rows.length))
    return Array.from({ length: most }, (_, index) => read.flatMap((rows) => rows[index] ?? [])).flat()
  })

interface ShardRow {
  readonly table: string
  readonly id: number
  readonly start: string
  readonly host: string
  readonly port: number
}

/** The statement on some shards, with its parameters as literals; its result is one JSON array. */
const shardCommand = (
  text: string,
  parameters: ReadonlyArray<unknown>,
  shards: ReadonlyArray<Pick<ShardRow, "table" | "id">>,
): string => {
  const renamed = shards.reduce(
    (command, { table, id }) =>
      command.replaceAll(new RegExp(`"?\\b${table}\\b"?(?!\\.)`, "g"), `${table}_${id}`),
    text,
  )
  const literal = renamed.replaceAll(/\$(\d+)/g, (_, number) => {
    const value = parameters[Number(number) - 1]
    return typeof value === "number" ? String(value) : `'${String(value).replaceAll("'", "''")}'`
  })
  return `SELECT coalesce(json_agg(read), '[]') FROM (${literal}) read`
}
