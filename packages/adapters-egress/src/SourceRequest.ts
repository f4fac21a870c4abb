import { headerSecrets } from "@tocsin/domain"
import type { PrometheusServer } from "@tocsin/domain/definitions"
import type { WebhookUrl } from "@tocsin/domain/delivery"
import { reveal } from "@tocsin/domain/ports"
import type { Dispatcher } from "undici"

/** What is asked below the URL of a server. */
export interface SourceRequest {
  /** Begins with `/`, or is empty for the URL itself; can have a query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Posted; without it, the request is a GET. */
  readonly form?: string | undefined
}

/** A request as it is sent. */
export const requestOf = (
  url: WebhookUrl,
  { path, headers, form }: SourceRequest,
  userAgent: string,
): Dispatcher.DispatchOptions => ({
  method: form === undefined ? "GET" : "POST",
  path: path === "" ? url.path : `${url.path.replace(/\/$/, "")}${path}`,
  headers: {
    ...headers,
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": userAgent,
    ...(form !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
  },
  ...(form !== undefined && { body: form }),
})

/** The headers with which one logs in to a server. */
export const headersOf = (
  { bearer, basic, tenant, headers }: PrometheusServer,
  token: string | undefined,
): Readonly<Record<string, string>> => {
  const bearerToken = token ?? (bearer && reveal(bearer.token))
  const password = basic && reveal(basic.password)
  return {
    ...Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), reveal(value)])),
    ...(bearerToken !== undefined && { authorization: `Bearer ${bearerToken}` }),
    ...(basic !== undefined && {
      authorization: `Basic ${Buffer.from(`${basic.username}:${password}`).toString("base64")}`,
    }),
    ...(tenant !== undefined && { "x-scope-orgid": tenant }),
  }
}

/** The secrets of a request: a server can repeat what it was sent in the text of an error. */
export const secretsOf = (
  { basic, oauth2, headers }: PrometheusServer,
  sent: Readonly<Record<string, string>>,
): ReadonlyArray<string> => [
  ...headerSecrets([...headers.map(({ value }) => reveal(value)), sent["authorization"] ?? ""]),
  ...(basic === undefined ? [] : [reveal(basic.password)]),
  ...(oauth2 === undefined ? [] : [reveal(oauth2.clientSecret)]),
]
