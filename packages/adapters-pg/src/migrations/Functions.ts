/** The two clocks that statements read, in Unix milliseconds. Every time in the schema is one of theirs. */
export const functions: ReadonlyArray<string> = [
  `-- The start of the statement: for conditions, which an index can then serve.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
  RETURN (extract(epoch FROM statement_timestamp()) * 1000)::bigint`,
  `-- This very moment: for decisions that must not be older than a lock that the statement waited for.
CREATE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE
  RETURN (extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
]
