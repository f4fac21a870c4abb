import {
  type ClientCall,
  clientOf,
  type credentials,
  definitions,
  type JsonOf,
  noContent,
  type Operation,
  resends,
  ResponseIsMalformed,
} from "@tocsin/api"
import { type HandlerOf, serve } from "../../src/serve/Serve.ts"
import { defineProject, defineService } from "@tocsin/domain"
import { findBulkResend } from "@tocsin/domain/features/resend"
import { listSlosPolicy } from "@tocsin/domain/rate-limit"
import { expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import { ask, slo, test } from "../../../../test/http/delivery-client.ts"

type Operations = (typeof resends)["operations"]

type Find = Operations["findResend"]

/** Sends the calls of a client to the server of the test. */
const sendCall = ({ method, path, headers, json }: ClientCall) =>
  Effect.flatMap(ask(method, path, { headers, body: json }), ({ status, json: body }) =>
    status < 300 ? Effect.succeed(JSON.stringify(body) ?? "") : Effect.fail({ status, body }),
  )

const api = clientOf(resends, sendCall)

test(
  "a client that is derived from the operations calls the server, and gets the JSON that they describe",
  Effect.gen(function* () {
    const count = yield* api.resendDeliveries({ body: { dryRun: true, from: "2026-01-30T12:00:00Z" } })
    expect(count).toEqual({ matched: 0, mayMatchMore: false })
    const started = yield* api.resendDeliveries({ body: { states: ["failed"] } })
    if (!("id" in started)) throw new Error("only a dry run counts")
    const found: JsonOf<Find["success"]> = yield* api.findResend({ id: started.id })
    expect(found).toEqual(started)
    expect((yield* api.listResends({ limit: 1 })).data).toEqual([started])
    expect((yield* api.cancelResend({ id: started.id })).state).toBe("canceled")
    expect(yield* Effect.flip(api.findResend({ id: "a/b?c" }))).toMatchObject({ status: 404 })
  }),
)

test(
  "a client applies, lists, moves and deletes definitions",
  Effect.gen(function* () {
    const api = clientOf(definitions, sendCall)
    yield* api.applyDefinitions({ body: defineProject({ metadata: { name: "shop" }, spec: {} }) })
    const body = [defineService({ metadata: { name: "billing", project: "shop" }, spec: {} })]
    const of = { kind: "service", project: "shop", name: ["billing"] }
    const changed = { kind: "Service", project: "shop", name: "billing", outcome: "created" }
    expect(yield* api.applyDefinitions({ body, dry_run: "true" })).toEqual({
      data: [{ ...changed, revision: "0", after: body[0] }],
      warnings: [],
    })
    expect(yield* api.listDefinitions(of)).toEqual([])
    expect(yield* api.applyDefinitions({ body })).toEqual({ data: [changed], warnings: [] })
    expect(yield* api.listDefinitions(of)).toEqual(body)
    expect(yield* api.listWarnings({ ...of, name: "billing" })).toEqual({ warnings: [] })
    yield* api.moveSlos({ body: { sloNames: [slo.name], oldProject: slo.project, service: "billing" } })
    const [moved] = yield* api.listDefinitions({ kind: "slo", project: "shop" })
    expect(moved?.spec).toMatchObject({ service: "billing" })
    expect(yield* Effect.flip(api.deleteDefinitions({ body }))).toMatchObject({ status: 400 })
    expect(yield* Effect.flip(api.deleteDefinitionsByName({ ...of, name: [] }))).toMatchObject({
      status: 400,
    })
    yield* api.deleteDefinitionsByName({ kind: "slo", project: "shop", name: [slo.name] })
    yield* api.deleteDefinitions({
      body: body.map(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata })),
    })
    expect(yield* api.listDefinitions(of)).toEqual([])
  }),
)

it.effect("a client rejects a response of another server", () =>
  Effect.gen(function* () {
    for (const text of ["<html></html>", "{}", '{"data":[{}],"links":{"self":""}}', ""]) {
      const { listResends } = clientOf(resends, () => Effect.succeed(text))
      expect(yield* Effect.flip(listResends({}))).toEqual(
        new ResponseIsMalformed({ operation: "listResends" }),
      )
    }
  }),
)

it("a call that an operation does not describe does not compile", () => {
  const calls = [
    // @ts-expect-error a parameter with another name
    () => api.findResend({ idd: "1" }),
    // @ts-expect-error a state that does not exist
    () => api.resendDeliveries({ body: { states: ["lost"] } }),
    // @ts-expect-error a parameter of the query that is not described
    () => api.listResends({ state: "done" }),
  ]
  expect(calls).toHaveLength(3)
})

it("a handler that leaves out a field, or a resource without one of its handlers, does not compile", () => {
  const complete: HandlerOf<Find> = ({ organization, id }) => findBulkResend(organization, id)
  const withoutField: HandlerOf<Find> = ({ organization, id }) =>
    // @ts-expect-error the field createdAt is missing
    Effect.map(findBulkResend(organization, id), ({ createdAt, ...rest }) => ({
      ...rest,
      created: createdAt,
    }))
  const renamed: HandlerOf<Find> = ({ organization, id }) =>
    // @ts-expect-error the field resent has another name
    Effect.map(findBulkResend(organization, id), ({ resent, ...rest }) => ({ ...rest, resentCount: resent }))
  // @ts-expect-error the other operations have no handlers
  const incomplete = () => serve(resends, { findResend: complete })
  expect([withoutField, renamed, incomplete]).toHaveLength(3)
})

it("a handler gets what its operation has, and nothing of the caller hides a parameter", () => {
  const rotate: HandlerOf<(typeof credentials)["operations"]["rotateCredential"]> = ({ clientId, caller }) =>
    Effect.fail([clientId satisfies string, caller.clientId])
  const find: HandlerOf<Find> = ({ organization, id, ...rest }) =>
    // @ts-expect-error an operation without a body or pages has neither
    Effect.fail([organization, id, rest.body, rest.page])
  expect([rotate, find]).toHaveLength(2)
})

it("an operation that is open to everybody has neither a role nor a limit of an organization", () => {
  const open = { method: "GET", path: "/", access: "open", success: noContent, summary: "" } as const
  const operations: ReadonlyArray<Operation> = [
    open,
    // @ts-expect-error nobody has a role
    { ...open, role: "editor" },
    // @ts-expect-error requests of nobody would count as those of one organization
    { ...open, policy: listSlosPolicy },
  ]
  expect(operations).toHaveLength(3)
})
