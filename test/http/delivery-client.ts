import { NodeApiServer } from "@tocsin/adapters-http"
import { WebhookTransportRecording as Recording } from "@tocsin/adapters-memory"
import { aMethod, anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { testSigner } from "../signature/TestKey.ts"
import { headersOf, send } from "./api-client.ts"
import { api, apiPortsWith } from "./api-ports.ts"

/** The organization, its SLO and its alert method in these tests, and the time at which they start. */
export const organization = "acme"
export const slo = { project: "shop", name: "checkout" }
export const hook = { project: "shop", name: "hook" }
export const start = Date.UTC(2026, 0, 30, 12)

/** A server over the ports in memory and a transport of one's own. It signs on this thread: the test clock waits for no other. */
const serverWith = (recording: Recording.WebhookTransportRecording) =>
  NodeApiServer.layer({ host: "127.0.0.1", port: 0 }, api).pipe(
    Layer.provideMerge(testSigner),
    Layer.provideMerge(apiPortsWith(recording.layer)),
  )

type Context = Layer.Success<ReturnType<typeof serverWith>>

/** A test of a server whose organization has an SLO and an alert method. */
export const test = (
  what: string,
  effect: Effect.Effect<void, unknown, Context | Scope.Scope>,
  recording = Recording.make(),
): void =>
  it.effect(what, () =>
    TestClock.setTime(start).pipe(
      Effect.andThen(putDefinitions(organization, [anSlo(slo), aMethod(hook)])),
      Effect.andThen(effect),
      Effect.provide(serverWith(recording)),
    ),
  )

/** Sends a request as an editor of the organization, or with the given headers; returns the status, the parsed body and the headers. */
export const ask = (
  method: string,
  path: string,
  options: {
    readonly body?: unknown
    readonly headers?: Readonly<Record<string, string>>
    readonly role?: "viewer" | "editor"
    readonly organization?: string
  } = {},
) =>
  Effect.gen(function* () {
    const access = yield* headersOf(options.organization ?? organization, options.role ?? "editor")
    const { body } = options
    const response = yield* send(path, {
      method,
      headers: {
        ...access,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })
    const isJson = response.headers.get("content-type") === "application/json"
    return {
      status: response.status,
      headers: response.headers,
      text: response.text,
      json: isJson ? JSON.parse(response.text) : undefined,
    }
  })
