import { TaggedError } from "@tocsin/domain/adapter"
import { type Issue, IssueList, nearestName } from "@tocsin/domain/codec"
import { defaultProjectName } from "@tocsin/domain/definitions"
import { type Labels, parseLabelFilter, type ProjectKey } from "@tocsin/domain/kernel"
import { type PageLinks, pageLinks } from "@tocsin/domain/pagination"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ApiRequest } from "./ApiRequest.ts"

/** The query parameters with these names that are present; the first value of a repeated one. */
export const queryOf = <Name extends string>(
  request: ApiRequest,
  names: ReadonlyArray<Name>,
): { readonly [N in Name]?: string } => {
  const query: { [N in Name]?: string } = {}
  if (request.query.size === 0) return query
  for (const name of names) {
    const value = request.query.get(name)
    if (value !== null) query[name] = value
  }
  return query
}

/**
 * Fails with `ParametersAreInvalid` if there is a query parameter that is not known: a filter that is ignored would list more
 * than was asked for, and what is listed may be deleted next.
 */
export const onlyKnownQuery = (
  request: ApiRequest,
  known: ReadonlyArray<string>,
): Effect.Effect<void, ParametersAreInvalid> => {
  const unknown = [...new Set(request.query.keys())].filter((name) => !known.includes(name))
  if (unknown.length === 0) return Effect.void
  const issues = new IssueList()
  for (const name of unknown) {
    const nearest = nearestName(name, known)
    const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`
    issues.add(name, "unknown_property", `is not a query parameter of this request${hint}`)
  }
  return Effect.fail(new ParametersAreInvalid({ issues: issues.sorted() }))
}

/** The labels to filter by; fails with `ParametersAreInvalid`. */
export const labelsOf = (request: ApiRequest): Effect.Effect<Labels, ParametersAreInvalid> => {
  const labels = parseLabelFilter(request.query.getAll("labels").join(","))
  return Result.isSuccess(labels)
    ? Effect.succeed(labels.success)
    : Effect.fail(new ParametersAreInvalid({ issues: [labels.failure] }))
}

/** Query parameters are unknown or have invalid values. */
export class ParametersAreInvalid extends TaggedError("ParametersAreInvalid")<{
  readonly issues: ReadonlyArray<Issue>
}> {}

/** The value of the `Project` header for all projects. */
export const everyProject = "*"

/** The project in the header `Project`; `default` when it is absent or empty. */
export const projectOf = (request: ApiRequest): string => request.header("project") || defaultProjectName

/** The name in the path with the project in the header `Project`, as `projectOf`. */
export const projectKeyOf = ({
  project,
  name,
}: {
  readonly project?: string | undefined
  readonly name: string
}): ProjectKey => ({ project: project || defaultProjectName, name })

/** The links of a page, with the request's filters of these names. */
export const filteredLinks = (
  request: ApiRequest,
  path: string,
  filterNames: ReadonlyArray<string>,
  { limit, next }: { readonly limit: number; readonly next: string | undefined },
): PageLinks => {
  const links = pageLinks(path, limit, request.query.get("cursor") ?? "", next)
  const filters = new URLSearchParams(
    [...request.query].filter(([name, value]) => filterNames.includes(name) && value !== ""),
  ).toString()
  const withFilters = (link: string): string => (filters === "" ? link : `${link}&${filters}`)
  return {
    self: withFilters(links.self),
    ...(links.next !== undefined && { next: withFilters(links.next) }),
  }
}
