import type { ApiFetchHandler } from "@tocsin/adapters-http"
import { embedCore } from "@tocsin/examples/embed-core"
import { embedTocsin } from "@tocsin/examples/embed-fetch"
import { defineService, defineSlo } from "@tocsin/domain"
import { afterAll, beforeAll, expect, it } from "vitest"

const baseUrl = "https://host.example"
const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"
const credential = { organization: "acme", clientId: "me", clientSecret }
const hosts = {
  core: embedCore(baseUrl, "me", clientSecret),
  whole: embedTocsin({ baseUrl, masterKey: new Uint8Array(32).fill(1), credential }),
}
afterAll(() => Promise.all(Object.values(hosts).map((host) => host.dispose())))

const callerOf = async (host: ApiFetchHandler) => {
  const call = (path: string, init?: RequestInit) => host.handler(new Request(`${baseUrl}${path}`, init))
  const response = await call("/api/accessToken", {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`me:${clientSecret}`)}`, organization: "acme" },
  })
  expect(response.status).toBe(200)
  const { access_token: token } = (await response.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${token}`, organization: "acme", project: "default" }
  return (method: string, path: string, body?: unknown) =>
    call(path, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
}

/** Tokens are issued at most once a second. */
let core: Awaited<ReturnType<typeof callerOf>>
let whole: typeof core
beforeAll(async () => {
  core = await callerOf(hosts.core)
  whole = await callerOf(hosts.whole)
})

const project = "default"
const documents = [
  defineService({ metadata: { name: "web", project } }),
  defineSlo({
    metadata: { name: "checkout", project },
    spec: {
      service: "web",
      budgetingMethod: "Occurrences",
      timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
      objectives: [{ name: "good", target: 0.99 }],
    },
  }),
]
const annotation = {
  apiVersion: "tocsin/v1alpha",
  kind: "Annotation",
  metadata: { name: "deployed", project },
  spec: {
    slo: "checkout",
    description: "Deployed",
    startTime: "2026-03-31T12:00:00Z",
    endTime: "2026-03-31T12:10:00Z",
  },
}

it.each(["core", "whole"])("the %s API serves SLOs and takes counts", async (name) => {
  const call = name === "core" ? core : whole
  expect((await call("PUT", "/api/apply", documents)).status).toBe(200)
  const at = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()
  const counts = [{ objective: "good", at, good: 970, total: 1_000 }]
  expect((await call("POST", "/api/slos/checkout/counts", counts)).status).toBe(204)
  const found = (await (await call("GET", "/api/v2/slos/checkout")).json()) as {
    objectives: ReadonlyArray<{ reliability: number }>
  }
  expect(found.objectives.map(({ reliability }) => reliability)).toEqual([0.97])
})

it.each([
  ["GET", "/api/slos/checkout/annotations"],
  ["POST", "/api/slos/checkout/backtest"],
  ["GET", "/api/reports"],
  ["GET", "/api/resends"],
  ["GET", "/api/budget-adjustments/changes"],
  ["POST", "/api/otlp/v1/metrics"],
  ["POST", "/api/alertmanager"],
  ["GET", "/api/console/overview"],
  ["GET", "/status/shop"],
])("the core API has no route for %s %s, which the whole API has", async (method, path) => {
  const [missing, found] = await Promise.all([core(method, path), whole(method, path)])
  const error = expect.objectContaining({ title: "Not found", code: "not_found" })
  expect(await missing.json()).toEqual({ errors: [error] })
  expect((await found.text()).includes('"title":"Not found","code":"not_found"')).toBe(false)
})

it("a kind of a feature that is left out is not a kind", async () => {
  expect((await whole("PUT", "/api/apply", [...documents, annotation])).status).toBe(200)
  const rejected = await core("PUT", "/api/apply", [...documents, annotation])
  expect([rejected.status, await rejected.text()]).toEqual([400, expect.stringContaining("[2].kind")])
})

it("the OpenAPI document of the core API has what it serves", async () => {
  const pathsOf = async (call: typeof core) => {
    const document = (await (await call("GET", "/openapi.json")).json()) as { readonly paths: object }
    return Object.keys(document.paths)
  }
  const [ofCore, ofWhole] = await Promise.all([pathsOf(core), pathsOf(whole)])
  const missing = ofWhole.filter((path) => !ofCore.includes(path))
  expect(missing).toContain("/api/slos/{sloName}/annotations")
  const leftOut =
    /annotation|backtest|incident|report|review|subscription|explain|proposal|resend|adjustment|otlp|alertmanager|console\/(overview|rows|trends|reliability|alert-coverage|policy-reach)/
  expect(missing.filter((path) => !leftOut.test(path))).toEqual([])
  expect(ofCore).toContain("/api/v2/slos/{sloName}")
  expect(ofCore.filter((path) => !ofWhole.includes(path))).toEqual([])
})
