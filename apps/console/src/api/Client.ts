import type { ApiOperations, ErrorBody, PathsOf } from "@tocsin/api"
import createClient from "openapi-fetch"
import { t } from "../language/Text.tsx"

/** One item of an error response. */
export type ErrorItem = ErrorBody["errors"][number]

/** A request that failed; `status` is 0 when there was no usable response. */
export class ApiError extends Error {
  readonly status: number
  readonly errors: ReadonlyArray<ErrorItem>
  readonly traceId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, errors: ReadonlyArray<ErrorItem>, headers: Headers = new Headers()) {
    const first = errors[0]
    super(
      first === undefined
        ? t("The server returned status {status}.", { status })
        : (first.detail ?? first.title),
    )
    this.name = "ApiError"
    this.status = status
    this.errors = errors
    this.traceId = headers.get("trace-id") ?? undefined
    const retryAfter = Number(headers.get("retry-after") ?? Number.NaN)
    this.retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined
  }

  /** Everything that is wrong. */
  get messages(): ReadonlyArray<string> {
    return this.errors.length > 1 ? this.errors.map(({ detail, title }) => detail ?? title) : [this.message]
  }

  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return [0, 429, 502, 503].includes(this.status)
  }
}

/** Why an action cannot be done with an item, where no request says it. */
export const rejection = (detail: string): ApiError => new ApiError(400, [{ title: detail, detail }])

/** The error of a rejected request. Anything but an `ApiError` means that the response could not be parsed. */
export const apiErrorOf = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError(0, [
        {
          title: t("Invalid response"),
          detail: t(
            "The response could not be read. Check whether a proxy between this browser and the server changes it.",
          ),
        },
      ])

/**
 * The session that requests are made in.
 *
 * Every request names its organization, so that a sign-in to another organization in another tab cannot redirect it.
 * `signInAgain` resolves when the user has renewed an expired session.
 */
export const currentSession: { organization?: string | undefined; signInAgain?: () => Promise<void> } = {}

/** The session resource returns 401 to the sign-in form itself. */
const sessionPath = "/api/console/session"

const fetchInSession = async (request: Request): Promise<Response> => {
  if (request.method !== "GET") request.headers.set("x-tocsin-console", "1")
  if (currentSession.organization !== undefined) {
    request.headers.set("organization", currentSession.organization)
  }
  const { signInAgain } = new URL(request.url).pathname === sessionPath ? {} : currentSession
  if (isCheck(request)) request.headers.set("x-tocsin-check", "1")
  for (;;) {
    const response = await send(request.clone())
    const status = Number(response.headers.get("x-tocsin-status") ?? response.status)
    if (status < 400) return response
    if (status !== 401 || signInAgain === undefined) {
      throw new ApiError(status, await errorsOf(response), response.headers)
    }
    await signInAgain()
    request.signal.throwIfAborted()
  }
}

/**
 * Whether a request asks if something is valid, or is there. The status of the answer is then in a header, as browsers log each
 * 400 and 404 as an error.
 */
const isCheck = ({ url, method }: Request): boolean => {
  const { pathname, searchParams } = new URL(url)
  return (
    searchParams.get("dry_run") === "true" ||
    pathname.endsWith("/preview") ||
    pathname.startsWith("/api/indicators/") ||
    (method === "GET" && (pathname.endsWith("/indicator/backfill") || pathname.endsWith("/public-keys")))
  )
}

const send = async (request: Request): Promise<Response> => {
  try {
    return await fetch(request)
  } catch {
    request.signal.throwIfAborted()
    throw new ApiError(0, [
      {
        title: t("No response"),
        detail: t(
          "The server did not respond. It may be restarting, or your network connection may be down.",
        ),
      },
    ])
  }
}

const errorsOf = async (response: Response): Promise<ReadonlyArray<ErrorItem>> => {
  try {
    const { errors } = (await response.json()) as { readonly errors?: ReadonlyArray<ErrorItem> }
    return Array.isArray(errors) ? errors : []
  } catch {
    return []
  }
}

/** The API client. A request rejects with an `ApiError`; one in an expired session waits for the next sign-in. */
export const client = createClient<PathsOf<ApiOperations>>({ fetch: fetchInSession })

/** The body of a response. */
export const bodyOf = async <T>(response: Promise<{ readonly data?: T }>): Promise<T> =>
  (await response).data as T
