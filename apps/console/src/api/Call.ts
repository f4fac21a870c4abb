import type { Calls } from "./ApiTypes.ts"

/** One thing that is wrong with a request, in the server's words. Source: decision 0501. */
export interface ErrorItem {
  readonly title: string
  readonly code?: string
  readonly detail?: string
  readonly source?: { readonly propertyName?: string; readonly propertyValue?: string }
}

/** The server refused a call, or did not answer: then `status` is 0. */
export class CallFailed extends Error {
  readonly status: number
  readonly errors: ReadonlyArray<ErrorItem>
  /** By which the server's log finds it. */
  readonly traceId: string | undefined
  /** Of a 429 or 503. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, errors: ReadonlyArray<ErrorItem>, headers: Headers = new Headers()) {
    const first = errors[0]
    super(first === undefined ? `The server answered ${status}` : (first.detail ?? first.title))
    this.name = "CallFailed"
    this.status = status
    this.errors = errors
    this.traceId = headers.get("trace-id") ?? undefined
    const retryAfter = Number(headers.get("retry-after") ?? Number.NaN)
    this.retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined
  }
}

/** What a call was rejected with; anything else than `CallFailed` is an answer that is none of the server's. */
export const failureOf = (error: unknown): CallFailed =>
  error instanceof CallFailed ? error : new CallFailed(0, [unreadable])

const unreadable: ErrorItem = {
  title: "The answer cannot be read",
  detail: "The answer cannot be read. Something between this browser and the server may have changed it.",
}

/** Whether nobody answered, or only to say that it cannot now: the same call may go through later. */
export const isPassing = (failure: CallFailed): boolean =>
  failure.status === 0 || failure.status === 429 || failure.status === 502 || failure.status === 503

/** The parts of a call that have to be given. */
type Needed<C> = {
  readonly [
    P in keyof C as P extends "answer"
      ? never
      : undefined extends C[P]
        ? never
        : object extends C[P]
          ? never
          : P
  ]: C[P]
}

/** The parts of a call of which nothing has to be given. */
type Free<C> = {
  readonly [P in keyof C as P extends "answer" ? never : object extends C[P] ? P : never]?: C[P]
}

/** What a call takes. */
type CallInput<K extends keyof Calls> = Needed<Calls[K]> &
  Free<Calls[K]> & { readonly signal?: AbortSignal | undefined }

/** What every call carries out of the body. */
interface AnyInput {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | ReadonlyArray<string> | undefined>>
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/**
 * The session that calls are made in: its organization, which every call names, so that nothing is done in another one
 * when somebody signs in there beside this page; and who is asked to sign in again when the session has ended.
 */
export const sessionGate: { organization?: string; signInAgain?: () => Promise<void> } = {}

/**
 * Makes a call of the API in the session of this browser, and gives its answer.
 *
 * Rejects with `CallFailed`, or with the signal's reason when it was aborted. A session that has ended is no failure:
 * the call waits until somebody has signed in again.
 */
export const call = async <K extends keyof Calls>(
  key: K,
  input: CallInput<K>,
): Promise<Calls[K]["answer"]> => {
  return jsonOf(await request(key, input as unknown as AnyInput, "application/json"))
}

/** As `call`, for a list whose next page is told by the header `Link`. Source: decision 0600; RFC 8288. */
export const callForPage = async <K extends keyof Calls>(
  key: K,
  input: CallInput<K>,
): Promise<{ readonly data: Calls[K]["answer"]; readonly links: { readonly next?: string } }> => {
  const response = await request(key, input as unknown as AnyInput, "application/json")
  const next = /^<(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1]
  return { data: await response.json(), links: { ...(next !== undefined && { next }) } }
}

/** As `call`, with the answer as YAML. */
export const callForYaml = async <K extends keyof Calls>(key: K, input: CallInput<K>): Promise<string> =>
  (await request(key, input as unknown as AnyInput, "application/yaml")).text()

/** As `call`, without the way back into an ended session. */
export const callOnce = async <K extends keyof Calls>(
  key: K,
  input: CallInput<K>,
): Promise<Calls[K]["answer"]> => {
  return jsonOf(await send(key, input as unknown as AnyInput, "application/json"))
}

const jsonOf = async (response: Response) => {
  const text = await response.text()
  return text === "" ? undefined : JSON.parse(text)
}

const request = async (key: string, input: AnyInput, accept: string): Promise<Response> => {
  for (;;) {
    try {
      return await send(key, input, accept)
    } catch (error) {
      const isEnded = error instanceof CallFailed && error.status === 401
      if (!isEnded || sessionGate.signInAgain === undefined) throw error
      await sessionGate.signInAgain()
      input.signal?.throwIfAborted()
    }
  }
}

const send = async (key: string, input: AnyInput, accept: string): Promise<Response> => {
  const [method = "GET", pattern = ""] = key.split(" ", 2)
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(input.path?.[name] ?? ""),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    for (const each of Array.isArray(value) ? value : [value ?? []].flat()) query.append(name, `${each}`)
  }
  const headers = new Headers({ accept })
  for (const [name, value] of Object.entries(input.headers ?? {}))
    if (value !== undefined) headers.set(name, value)
  if (method !== "GET") headers.set("x-tocsin-console", "1")
  if (sessionGate.organization !== undefined) headers.set("organization", sessionGate.organization)
  if (input.body !== undefined) headers.set("content-type", "application/json")
  let response: Response
  try {
    response = await fetch(query.size === 0 ? path : `${path}?${query}`, {
      method,
      headers,
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    })
  } catch {
    input.signal?.throwIfAborted()
    throw new CallFailed(0, [noAnswer])
  }
  if (!response.ok) throw new CallFailed(response.status, await errorsOf(response), response.headers)
  return response
}

const noAnswer: ErrorItem = {
  title: "The server does not answer",
  detail: "The server does not answer. It may be restarting, or the network is down.",
}

const errorsOf = async (response: Response): Promise<ReadonlyArray<ErrorItem>> => {
  try {
    const body = (await response.json()) as { readonly errors?: ReadonlyArray<ErrorItem> }
    return Array.isArray(body.errors) ? body.errors : []
  } catch {
    return []
  }
}
