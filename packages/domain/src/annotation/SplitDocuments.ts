import { entryPath, type Issue, joinPaths } from "../codec/Issue.ts"
import { isObject } from "../codec/Leaves.ts"

/** A document of a request. */
export interface Entry {
  readonly input: unknown
  /** The place in the request, and the prefix of the paths of issues. */
  readonly index: number
  readonly path: string
}

/** The annotations of a request, and its other documents. */
export const splitDocuments = (inputs: ReadonlyArray<unknown>) => {
  const entries = inputs.map((input, index): Entry => ({
    input,
    index,
    path: inputs.length > 1 ? entryPath("", index) : "",
  }))
  return {
    annotations: entries.filter(({ input }) => isAnnotation(input)),
    others: entries.filter(({ input }) => !isAnnotation(input)),
  }
}

/** The issues of a part of a request, with the places that its entries have in the whole. */
export const placedIn = (part: ReadonlyArray<Entry>, issues: ReadonlyArray<Issue>): ReadonlyArray<Issue> =>
  issues.map((issue) => {
    if (part.length === 1) return { ...issue, path: joinPaths(part[0]?.path ?? "", issue.path) }
    const [prefix = "", index = ""] = /^\[(\d+)\]/.exec(issue.path) ?? []
    const entry = index === "" ? undefined : part[Number(index)]
    return entry === undefined ? issue : { ...issue, path: `${entry.path}${issue.path.slice(prefix.length)}` }
  })

const isAnnotation = (input: unknown): boolean => isObject(input) && input["kind"] === "Annotation"
