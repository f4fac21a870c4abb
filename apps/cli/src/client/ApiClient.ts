import {
  accessTokens,
  type ClientCall,
  clientOf,
  type ClientOf,
  type Operations,
  resource,
  type Resource,
  ResponseIsMalformed as MalformedResponse,
} from "@tocsin/api"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"

export interface ApiClientConfig {
  readonly url: string
  readonly organization: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
}

/** `path` starts with a slash; the body is `json`, or else `body`. */
export interface ApiCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly json?: unknown
}

/** The server returned an error. The message has one line per error. */
export class ApiRejected extends Data.TaggedError("ApiRejected")<{
  readonly status: number
  readonly errors: ReadonlyArray<typeof ApiError.Type>
  /** The pages of the documentation about the errors. */
  readonly help: ReadonlyArray<string>
}> {
  override get message(): string {
    const lines = this.errors.map(({ title, detail, source: { propertyName, propertyValue } = {} }) => {
      const problem =
        this.status === 404 && propertyValue !== undefined
          ? `${title}: ${propertyValue}`
          : [propertyName, title].filter((part) => part !== undefined).join(": ")
      return detail === undefined ? problem : `${problem} (${detail})`
    })
    if (lines.length > 0) return errorsText(lines)
    const isRedirect = this.status >= 300 && this.status < 400
    return `the server returned status ${this.status}${isRedirect ? "; redirects are not followed, so check TOCSIN_URL" : ""}`
  }

  /** With the flags of a command in place of the properties that they set. */
  withFlags(flags: Readonly<Record<string, string>>): ApiRejected {
    const errors = this.errors.map((error) => {
      const property = error.source?.propertyName ?? ""
      const flag = Object.hasOwn(flags, property) ? flags[property] : undefined
      if (flag === undefined) return error
      const { detail } = error
      return {
        ...error,
        source: { ...error.source, propertyName: flag },
        ...(detail?.startsWith(`${property} `) === true && { detail: flag + detail.slice(property.length) }),
      }
    })
    return new ApiRejected({ status: this.status, errors, help: this.help })
  }
}

/** One error as it is, several as a list. */
export const errorsText = (errors: ReadonlyArray<string>): string =>
  errors.length === 1 ? errors.join() : [`${errors.length} errors:`, ...errors].join("\n  ")

const ApiError = Schema.Struct({
  title: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  source: Schema.optionalKey(
    Schema.Struct({
      propertyName: Schema.optionalKey(Schema.String),
      propertyValue: Schema.optionalKey(Schema.String),
    }),
  ),
  /** The stored definition that the request did not expect. */
  current: Schema.optionalKey(Schema.Unknown),
})

export class ResponseIsMalformed extends Data.TaggedError("ResponseIsMalformed") {
  override get message(): string {
    return "unexpected response; check that TOCSIN_URL is a Tocsin server of the same version"
  }
}

export class ServerIsUnreachable extends Data.TaggedError("ServerIsUnreachable")<{
  readonly url: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `cannot connect to ${this.url}${connectHint(this.url, this.cause)}`
  }
}

/** What is wrong with TLS, as far as Node.js reports it; otherwise, that the server may be down. */
const connectHint = (url: string, cause: unknown): string => {
  const { code = "", reason } = ((cause as Error).cause ?? {}) as {
    readonly code?: string
    readonly reason?: string
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `: the certificate is for another host (${reason}); check the host in TOCSIN_URL`
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code))
    return ": the certificate of the server has expired or is not valid yet; check it and the clock of this machine"
  if (/SELF_SIGNED|^UNABLE_TO_(GET_ISSUER|VERIFY)|UNTRUSTED/.test(code))
    return `: the certificate of the server is not trusted (${code}); set NODE_EXTRA_CA_CERTS to the file of its certificate authority`
  if (url.startsWith("https:") && /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(code))
    return ": the server does not use TLS; write http:// in TOCSIN_URL, or check the port"
  if (url.startsWith("http:") && /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|HPE_\w+)$/.test(code))
    return ": the connection was closed before the response; if the server uses TLS, write https:// in TOCSIN_URL"
  return "; check that the server is running and that TOCSIN_URL is correct"
}

export type ApiFailure = ApiRejected | ServerIsUnreachable | ResponseIsMalformed

/** An access token; `expiresAt` is Unix milliseconds. */
export interface AccessToken {
  readonly accessToken: string
  readonly expiresAt: number
}

/** Stores the access token of one client between runs of the command line. */
export interface TokenCache {
  readonly read: Effect.Effect<AccessToken | undefined>
  readonly write: (token: AccessToken) => Effect.Effect<void>
  readonly remove: Effect.Effect<void>
}

/** The body of a response, and the path of its link to the next part. */
export interface ResponsePage {
  readonly body: string
  readonly next: string | undefined
}

export interface ApiClient {
  readonly call: (call: ApiCall) => Effect.Effect<string, ApiFailure>
  /** Like `call`, with the path of the next part of a list. */
  readonly callForPage: (call: ApiCall) => Effect.Effect<ResponsePage, ApiFailure>
  readonly accessToken: Effect.Effect<string, ApiFailure>
}

/**
 * Creates a client that uses one access token, from the cache if possible. A token that the server rejects is replaced
 * once.
 */
export const makeApiClient = (config: ApiClientConfig, cache?: TokenCache): Effect.Effect<ApiClient> =>
  Effect.gen(function* () {
    const current = yield* Ref.make<AccessToken | undefined>(undefined)
    const lock = yield* Semaphore.make(1)

    const accessToken = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const known = (yield* Ref.get(current)) ?? (cache === undefined ? undefined : yield* cache.read)
      const token = known !== undefined && known.expiresAt > now ? known : yield* issueToken(config)
      yield* Ref.set(current, token)
      if (token !== known && cache !== undefined) yield* cache.write(token)
      return token.accessToken
    }).pipe(lock.withPermits(1))

    const forget = Effect.andThen(Ref.set(current, undefined), cache?.remove ?? Effect.void)

    const callOnce = (call: ApiCall) =>
      Effect.flatMap(accessToken, (token) =>
        sendForPage(config.url, {
          ...call,
          headers: { authorization: `Bearer ${token}`, organization: config.organization, ...call.headers },
        }),
      )

    const callForPage: ApiClient["callForPage"] = (call) =>
      Effect.catchIf(callOnce(call), isUnauthorized, () => Effect.andThen(forget, callOnce(call)))

    return { accessToken, callForPage, call: (call) => Effect.map(callForPage(call), ({ body }) => body) }
  })

const isUnauthorized = (error: ApiFailure): boolean => error._tag === "ApiRejected" && error.status === 401

const issueToken = ({ url, organization, clientId, clientSecret }: ApiClientConfig) =>
  Effect.gen(function* () {
    const basic = Buffer.from(`${clientId}:${Redacted.value(clientSecret)}`).toString("base64")
    const headers = {
      authorization: `Basic ${basic}`,
      organization,
      accept: "application/json; version=v1alpha",
    }
    const api = operationsOf(tokens, (call) => send(url, { ...call, headers }))
    const { access_token: accessToken, expires_in: seconds } = yield* api.issueAccessToken({})
    // A minute less, so that a token does not expire on its way to the server.
    const expiresAt = (yield* Clock.currentTimeMillis) + (seconds - 60) * 1_000
    return { accessToken, expiresAt }
  })

/** Of other versions, too, whose tokens live longer or shorter. */
const tokens = resource("Access tokens", {
  issueAccessToken: {
    ...accessTokens.operations.issueAccessToken,
    success: Schema.Struct({ access_token: Schema.String, expires_in: Schema.Finite }),
  },
})

/** The operations of a resource. The failure of a malformed response says what may be wrong. */
export const operationsOf = <const O extends Operations, E>(
  resource: Resource<O>,
  send: (call: ClientCall) => Effect.Effect<string, E>,
): ClientOf<O, E> => {
  const calls = Object.entries<(given: never) => Effect.Effect<unknown, E | MalformedResponse>>(
    clientOf(resource, send),
  )
  return Object.fromEntries(
    calls.map(([name, call]) => [
      name,
      (given: never) =>
        Effect.mapError(call(given), (error) =>
          error instanceof MalformedResponse ? new ResponseIsMalformed() : error,
        ),
    ]),
  ) as unknown as ClientOf<O, E>
}

/** The JSON of a response, which the schema describes. */
export const readResponse = <A>(
  schema: Schema.Codec<unknown, A>,
  response: string,
): Effect.Effect<A, ResponseIsMalformed> =>
  Effect.mapError(
    Schema.decodeEffect(Schema.fromJsonString(Schema.toEncoded(schema)))(response),
    () => new ResponseIsMalformed(),
  )

/**
 * Sends a request and returns the body of the response. A rate limited request is retried at most three times, when
 * the server says so. Redirects are not followed, as they could send the secrets of definitions to another host.
 */
export const send = (
  url: string,
  call: ApiCall,
  retriesLeft?: number,
): Effect.Effect<string, ApiRejected | ServerIsUnreachable> =>
  Effect.map(sendForPage(url, call, retriesLeft), ({ body }) => body)

const sendForPage = (
  url: string,
  call: ApiCall,
  retriesLeft = 3,
): Effect.Effect<ResponsePage, ApiRejected | ServerIsUnreachable> =>
  Effect.gen(function* () {
    const [response, text] = yield* Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(`${url.replace(/\/+$/, "")}${call.path}`, {
          method: call.method,
          headers: {
            ...(call.json !== undefined && { "content-type": "application/json" }),
            ...call.headers,
          },
          signal,
          redirect: "manual",
          body: call.json === undefined ? (call.body ?? null) : JSON.stringify(call.json),
        })
        return [response, await response.text()] as const
      },
      catch: (cause) => new ServerIsUnreachable({ url, cause }),
    })
    if (response.ok) {
      const next = /^<(\/[^>]*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1]
      return { body: text, next }
    }
    if (response.status === 429 && retriesLeft > 0) {
      const seconds = Math.min(Number(response.headers.get("retry-after") ?? "1") || 1, 10)
      yield* Effect.sleep(`${seconds} seconds`)
      return yield* sendForPage(url, call, retriesLeft - 1)
    }
    return yield* new ApiRejected({
      status: response.status,
      errors: errorsOf(text),
      help: helpOf(url, response.headers.get("link") ?? ""),
    })
  })

/** The pages that the server links to. Each is a path, so that a server cannot name a page of another host. */
const helpOf = (url: string, links: string): ReadonlyArray<string> =>
  [...links.matchAll(/<(\/help\/[\w/-]+)>; rel="help"/g)].map(
    ([, path]) => `${url.replace(/\/+$/, "")}${path}`,
  )

/** Empty if the response is not one of Tocsin, but for example of a proxy. */
const errorsOf = (text: string): ReadonlyArray<typeof ApiError.Type> =>
  Option.match(readErrors(text), { onNone: () => [], onSome: ({ errors }) => errors })

const readErrors = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ errors: Schema.Array(ApiError) })),
)
