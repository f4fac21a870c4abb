import {
  egressGuard,
  type EgressOptions,
  networkFailure,
  makeGuardedConnector,
} from "@tocsin/adapters-egress"
import { listen } from "@tocsin/adapters-http/server"
import { parseWebhookUrl } from "@tocsin/domain/delivery"
import { TransportFailure } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { once } from "node:events"
import * as http from "node:http"
import * as https from "node:https"
import { isIP } from "node:net"
import { text } from "node:stream/consumers"
import type { ServerConfig } from "../config/ServerConfig.ts"
import { reachableHost } from "../server/Server.ts"
import { type CheckResult, failed, ok, skipped } from "./Check.ts"

/** Checks that each port is free, or that Tocsin itself listens on it. */
export const checkPorts = ({
  host,
  port,
  metrics,
  tls,
}: Pick<ServerConfig, "host" | "port" | "metrics" | "tls">): Effect.Effect<ReadonlyArray<CheckResult>> =>
  Effect.forEach(
    [
      {
        check: "port",
        setting: "PORT",
        host,
        port,
        protocol: tls === undefined ? ("http" as const) : ("https" as const),
        path: "/openapi.json",
        mark: /"title":\s*"Tocsin/,
      },
      ...(metrics === undefined
        ? []
        : [
            {
              check: "metrics port",
              setting: "TOCSIN_METRICS_PORT",
              ...metrics,
              protocol: "http" as const,
              path: "/metrics",
              mark: /^tocsin_/m,
            },
          ]),
    ],
    checkPort,
  )

interface Listener {
  readonly check: string
  readonly setting: string
  readonly host: string
  readonly port: number
  readonly protocol: "http" | "https"
  /** What Tocsin answers here. */
  readonly path: string
  readonly mark: RegExp
}

const checkPort = ({
  check,
  setting,
  host,
  port,
  protocol,
  path,
  mark,
}: Listener): Effect.Effect<CheckResult> => {
  const where = `port ${port} of ${host}`
  if (port === 0) return Effect.succeed(ok(check, "any free port"))
  return Effect.acquireUseRelease(
    Effect.sync(() => http.createServer()),
    (server) =>
      Effect.as(
        listen(server, { host, port }, () => undefined),
        ok(check, `${where} is free`),
      ),
    (server) => Effect.sync(() => void server.close()),
  ).pipe(
    Effect.catch(({ reason }) => {
      if (reason !== "EADDRINUSE")
        return Effect.succeed(
          failed(check, `cannot listen on ${where} (${reason}); check the address and ${setting}`),
        )
      const inUse = failed(check, `${where} is in use by another program; set ${setting} to another port`)
      return textOf(new URL(`${protocol}://${reachableHost(host)}:${port}${path}`)).pipe(
        Effect.timeout("2 seconds"),
        Effect.match({
          onFailure: () => inUse,
          onSuccess: (text) => (mark.test(text) ? ok(check, `Tocsin listens on ${where}`) : inUse),
        }),
      )
    }),
  )
}

/** The body of a response. The certificate is not verified: the request has no secret, and the response only shows which program listens. */
const textOf = (url: URL): Effect.Effect<string, unknown> =>
  Effect.tryPromise(async (signal) => {
    const options = { signal, rejectUnauthorized: false }
    const request = url.protocol === "https:" ? https.get(url, options) : http.get(url, options)
    const [response] = (await once(request, "response", { signal })) as [http.IncomingMessage]
    return await text(response)
  })

const egressSteps = ["egress URL", "egress DNS", "egress address", "egress TCP", "egress TLS"] as const

type EgressStep = (typeof egressSteps)[number]

/**
 * Connects to the host of a URL as deliveries do, without sending a request: the URL, the addresses of its name, whether
 * they are allowed, TCP and TLS. The first step that fails is reported, and the later ones are skipped.
 */
export const checkEgress = (
  target: string,
  options: EgressOptions,
): Effect.Effect<ReadonlyArray<CheckResult>> =>
  Effect.gen(function* () {
    const guard = yield* egressGuard(options)
    const url = parseWebhookUrl(target.includes("://") ? target : `https://${target}`, guard.policy)
    if (Result.isFailure(url)) {
      const isDenied = ["url_host_forbidden", "url_address_forbidden"].includes(url.failure.code)
      const advice = isDenied ? `; ${adviceOf["egress address"]}` : ""
      return resultsOf("egress URL", `the URL ${url.failure.message}${advice}`, {})
    }
    const { host, port, authority } = url.success
    const found: Partial<Record<EgressStep, string>> = { "egress URL": authority }
    if (isIP(host) !== 0) found["egress DNS"] = "the URL has an address"
    let step: Exclude<EgressStep, "egress URL"> = "egress DNS"
    const connect = makeGuardedConnector({
      ...guard,
      resolve: async (name) => {
        const addresses = await guard.resolve(name)
        found["egress DNS"] = addresses.join(", ")
        return addresses
      },
      dial: (to) => {
        step = "egress TCP"
        const socket = guard.dial(to)
        socket.once("connect", () => {
          step = "egress TLS"
          found["egress TCP"] = `connected to ${to.host} port ${to.port}`
        })
        return socket
      },
    })
    return yield* Effect.tryPromise({
      try: async (signal) => (await connect(url.success, signal)).destroy(),
      catch: (cause) =>
        cause instanceof TransportFailure ? cause : networkFailure("sender_unavailable", String(cause)),
    }).pipe(
      Effect.match({
        onFailure: ({ reason, detail }) => {
          const at = reason === "address_blocked" ? "egress address" : step
          return resultsOf(at, `${detail}; ${adviceOf[at]}`, found)
        },
        onSuccess: () =>
          resultsOf(undefined, "", { ...found, "egress TLS": `${host} port ${port} is verified` }),
      }),
    )
  })

const adviceOf: Readonly<Record<Exclude<EgressStep, "egress URL">, string>> = {
  "egress DNS": "check the name and the name servers of this machine",
  "egress address": "if the receiver is yours, add its network to TOCSIN_EGRESS_ALLOW_CIDRS",
  "egress TCP": "check that the receiver is up, and check the firewalls",
  "egress TLS": "fix the certificate of the receiver, or set TOCSIN_EGRESS_CA_FILE to the CA that issued it",
}

/** All steps: those before the failed one are fine. */
const resultsOf = (
  failedStep: EgressStep | undefined,
  message: string,
  found: Partial<Record<EgressStep, string>>,
): ReadonlyArray<CheckResult> => {
  const failedAt = failedStep === undefined ? egressSteps.length : egressSteps.indexOf(failedStep)
  return egressSteps.map((step, index) => {
    if (index === failedAt) return failed(step, message)
    return index < failedAt ? ok(step, found[step] ?? "allowed") : skipped(step, `${failedStep} failed`)
  })
}
