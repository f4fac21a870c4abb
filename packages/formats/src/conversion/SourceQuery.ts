import * as Result from "effect/Result"
import { type Codec, type IssueList, string } from "@tocsin/domain/codec"
import { promqlMaxCharacters } from "@tocsin/domain/definitions"
import { foreign } from "./Foreign.ts"
import { isTooDeep, type ParsedQuery, partsOf, type PromQlParser, queryDepthMax } from "./PromQlNode.ts"

/** A query of a document, valid, without comments, and with one minute as its window. */
export interface SourceQuery extends ParsedQuery {
  /** Whether its range is the window of Sloth, `[{{.window}}]`. */
  readonly hasWindow: boolean
}

const quotedText = `"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`[^\`]*\``

const quotedOrComment = new RegExp(`${quotedText}|[ \\t]*#[^\\n]*`, "gs")

/** The template variable of Sloth for the range of a query. */
const windowVariable = /\{\{-?\s*\$?\.window\s*-?\}\}/g

/** Reads a query of a document. Says what is wrong with it, at its line and column, and returns `undefined` then. */
export const sourceQuery = (promql: PromQlParser): Codec<SourceQuery> =>
  foreign((value, path, issues, context) => {
    const written = string({ max: promqlMaxCharacters }).read(value, path, issues, context)
    return written === undefined ? undefined : readSourceQuery(promql, written, path, issues)
  })

export const readSourceQuery = (
  promql: PromQlParser,
  written: string,
  path: string,
  issues: IssueList,
): SourceQuery | undefined => {
  const omitted = (why: string): undefined => issues.add(path, "invalid_format", `is omitted: ${why}`)
  const isComment = (part: string): boolean => part.trimStart().startsWith("#")
  const code = written.replaceAll(quotedOrComment, (part) =>
    isComment(part) ? " ".repeat(part.length) : part,
  )
  const names = written.replaceAll(quotedOrComment, (part) => " ".repeat(part.length))
  const windows = [...code.matchAll(windowVariable)]
  if (windows.some(({ index }) => names[index] === " ")) {
    return omitted("one of its strings depends on the window")
  }
  if (windows.some(({ index }) => /[\w:]/.test(names[index - 1] ?? ""))) {
    return omitted(
      "the name of its metric depends on the window; write the query that the metric is recorded by",
    )
  }
  // In place of the variable, so that problems are where they are in the document.
  const filled = code.replaceAll(windowVariable, (variable) => "1m".padEnd(variable.length))
  if (filled.includes("{{")) return omitted("its query has a placeholder other than {{.window}}")
  if (/\$\w|\$\{|\[\[/.test(names)) return omitted("its query has a placeholder; it must be complete PromQL")
  const problems = promql.check(filled)
  for (const problem of problems) omitted(problem)
  if (problems.length > 0) return undefined
  const hasComment = code !== written
  const short = hasComment ? code.replaceAll(/[ \t]+$/gm, "").replaceAll(/\n{2,}/g, "\n") : code
  const text = short.replaceAll(windowVariable, "1m").trim()
  const root = promql.parse(text)
  if (Result.isFailure(root)) return omitted("it is not valid PromQL")
  if (isTooDeep(root.success)) return omitted(`its parts are nested more than ${queryDepthMax} deep`)
  return { text, root: root.success, hasWindow: windows.length > 0 }
}

/** Reads a query over a range `[{{.window}}]`, as Sloth requires it. */
export const windowedQuery = (promql: PromQlParser): Codec<SourceQuery> =>
  foreign((value, path, issues, context) => {
    const query = sourceQuery(promql).read(value, path, issues, context)
    return query === undefined || query.hasWindow
      ? query
      : issues.add(path, "invalid_format", "is omitted: its query has no range [{{.window}}]")
  })

/** The names of the functions and selectors without a range in a query. */
export const hasRange = ({ root }: ParsedQuery): boolean =>
  partsOf(root).some(({ name }) => name === "MatrixSelector" || name === "SubqueryExpr")
