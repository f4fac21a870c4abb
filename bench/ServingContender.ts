import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import fastJsonStringify from "fast-json-stringify"
import { fastify } from "fastify"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { startServer } from "@tocsin/server/server/Server"
import { serverDefaults } from "@tocsin/server/config/ServerConfig"
import type { BootstrapCredential } from "@tocsin/server/config/Settings"
import type { SloRecord as SloJson } from "@tocsin/api"
import { answerParent } from "./ContenderProcess.ts"

/** A list of SLOs as it is answered. */
export interface SloList {
  readonly data: ReadonlyArray<SloJson>
  readonly links: { readonly self: string }
}

/** What a rival serves: the list of each organization. */
export type SloLists = Readonly<Record<string, SloList>>

/** The credential of each organization. */
export type ServedCredentials = ReadonlyArray<
  Omit<BootstrapCredential, "clientSecret"> & { readonly clientSecret: string }
>

/** The whole server as `tocsin serve` composes it, without an access log. */
const startTocsin = async (credentials: ServedCredentials): Promise<number> => {
  const { url } = await Effect.runPromise(
    Scope.provide(
      startServer({
        ...serverDefaults,
        quotas: { ...serverDefaults.quotas, countRequestsPerSecond: 10_000 },
        port: 0,
        store: { kind: "memory", masterKey: Redacted.make(new Uint8Array(32).fill(7)) },
        bootstrapCredentials: credentials.map((one) => ({
          ...one,
          clientSecret: Redacted.make(one.clientSecret),
        })),
        logLevel: "warning",
      }),
      Scope.makeUnsafe(),
    ),
  )
  return Number(new URL(url).port)
}

/** Node's server alone: finds the objects and encodes them; no access, no limits, no other path. */
const startNodeHttp = (lists: SloLists): Promise<number> => {
  const records = recordsByName(lists)
  const server = createServer((request, response) => {
    const organization = String(request.headers["organization"])
    const path = (request.url ?? "").split("?", 1)[0] ?? ""
    const found =
      path === listPath
        ? lists[organization]
        : records[organization]?.get(decodeURIComponent(path.slice(listPath.length + 1)))
    const body = JSON.stringify(found ?? { errors: [] })
    response
      .writeHead(found === undefined ? 404 : 200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      })
      .end(body)
  })
  return listening(server)
}

/** Fastify with its router and compiled serializers; no access, no limits. */
const startFastify = async (lists: SloLists): Promise<number> => {
  const records = recordsByName(lists)
  const app = fastify()
  app.setSerializerCompiler(({ schema }) => fastJsonStringify(schema as fastJsonStringify.Schema))
  app.get(listPath, { schema: { response: { 200: listSchema } } }, (request) =>
    Promise.resolve(lists[String(request.headers["organization"])]),
  )
  app.get<{ Params: { sloName: string } }>(
    `${listPath}/:sloName`,
    { schema: { response: { 200: recordSchema } } },
    (request) =>
      Promise.resolve(records[String(request.headers["organization"])]?.get(request.params.sloName)),
  )
  await app.listen({ host: "127.0.0.1", port: 0 })
  return (app.server.address() as AddressInfo).port
}

const recordsByName = (lists: SloLists): Readonly<Record<string, ReadonlyMap<string, SloJson>>> =>
  Object.fromEntries(
    Object.entries(lists).map(([organization, { data }]) => [
      organization,
      new Map(data.map((record) => [record.name, record])),
    ]),
  )

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.keepAliveTimeout = 60_000
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

const listPath = "/api/v2/slos"

const text = { type: "string" } as const
const number = { type: "number" } as const
const labels = { type: "object", additionalProperties: { type: "array", items: text } } as const
const named = { type: "object", properties: { name: text, displayName: text, labels } } as const
const recordSchema = {
  type: "object",
  properties: {
    project: named,
    service: named,
    name: text,
    displayName: text,
    description: text,
    objectives: {
      type: "array",
      items: {
        type: "object",
        properties: {
          name: text,
          displayName: text,
          target: number,
          burnRate: number,
          errorBudgetRemaining: number,
          errorBudgetRemainingPercentage: number,
          reliability: number,
          sliType: text,
        },
      },
    },
    createdAt: text,
    labels,
    annotations: { type: "object", additionalProperties: text },
    budgetingMethod: text,
  },
} as const
const listSchema = {
  type: "object",
  properties: {
    data: { type: "array", items: recordSchema },
    links: { type: "object", properties: { self: text } },
  },
} as const

/** Each starts one server and answers its port. */
answerParent({ tocsin: startTocsin, nodeHttp: startNodeHttp, fastify: startFastify })
