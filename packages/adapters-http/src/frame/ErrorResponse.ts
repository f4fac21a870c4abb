import type { ErrorCode } from "@tocsin/api"
import type { Issue } from "@tocsin/domain/codec"
import type { ApiResponse } from "./ApiResponse.ts"

interface ErrorItem<Code extends string = string> {
  readonly title: string
  /** snake_case. */
  readonly code?: Code
  readonly detail?: string
  /** The header, parameter or property that is wrong, and its value; never a secret. */
  readonly source?: { readonly propertyName?: string; readonly propertyValue?: string }
  /** The stored definition that a request did not expect, with its revision. */
  readonly current?: object
}

/** An error of this package: its code has a page in the documentation. */
export type KnownErrorItem = ErrorItem<ErrorCode>

export interface ErrorStatus {
  readonly status: number
  readonly errors: readonly [ErrorItem, ...ReadonlyArray<ErrorItem>]
  readonly headers?: Readonly<Record<string, string>>
}

export interface ApiFailure {
  readonly _tag: string
}

/** How each of these failures is reported, by its tag. A tag without an entry does not compile. */
export type StatusTable<Failure extends ApiFailure> = {
  readonly [Tag in Failure["_tag"]]: (failure: Extract<Failure, { readonly _tag: Tag }>) => ErrorStatus
}

/** What to do if a project has no object of a name. */
export const checkNameAndProject =
  "Check the name, and the project: the Project header, or -p of the command line."

export const oneError = (
  status: number,
  error: KnownErrorItem,
  headers: Readonly<Record<string, string>> = {},
): ErrorStatus => ({ status, errors: [error], headers })

/** A 400 with one error for each issue of the body. */
export const invalidBody = (title: string, issues: ReadonlyArray<Issue>): ErrorStatus => {
  const [first = { title }, ...rest]: ReadonlyArray<KnownErrorItem> = issues.map(
    ({ path, code, message }): KnownErrorItem => ({
      title,
      code,
      detail: message,
      ...(path !== "" && { source: { propertyName: path } }),
    }),
  )
  return { status: 400, errors: [first, ...rest] }
}

/** The body of every 4xx and 5xx response. */
export const errorResponse = ({ status, errors, headers }: ErrorStatus): ApiResponse => ({
  status,
  headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  body: JSON.stringify({ errors }),
})
