import { createHash } from "node:crypto"
import { startTocsin, type TestServer } from "@tocsin/testing"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { freePort } from "../FreePort.ts"
import { type Certificates, makeCertificates } from "../egress/certificates.ts"
import { headersOf, methodYaml, triggerAlert, withSlo } from "./definitions.ts"
import { headerOf, type Received, type RecordingReceiver, startReceiver } from "./https-receiver.ts"
import {
  publicKeyOf,
  verifiesByHttpMessageSig,
  verifiesByHttpMessageSignatures,
} from "./independent-verifiers.ts"

let certificates: Certificates
let server: TestServer
let receiver: RecordingReceiver
let stranger: RecordingReceiver
let expired: RecordingReceiver

beforeAll(async () => {
  certificates = await makeCertificates()
  receiver = await startReceiver(certificates, (path) =>
    path === "/gone"
      ? { status: 410 }
      : path === "/missing"
        ? { status: 404 }
        : path === "/moved"
          ? { status: 302, headers: { location: "/ok" } }
          : { status: 204 },
  )
  stranger = await startReceiver(await makeCertificates())
  const past = { notBefore: new Date("2026-01-01T00:00:00Z"), notAfter: new Date("2026-01-02T00:00:00Z") }
  const expiredCertificates = await makeCertificates(past)
  expired = await startReceiver(expiredCertificates)
  server = await startTocsin({
    organization: "acme",
    egress: {
      allowCidrs: ["127.0.0.0/8", "::1/128"],
      caPem: `${certificates.ca}\n${expiredCertificates.ca}`,
    },
  })
})
afterAll(async () => {
  await server?.stop()
  await receiver?.close()
  await stranger?.close()
  await expired?.close()
})

/** Sends a request to the API as the editor of the organization. */
const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { ...(await headersOf(server)), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get("content-type") === "application/json"
  return { status: response.status, text, json: isJson ? JSON.parse(text) : undefined }
}

/** Waits until a delivery is in a state, and gives its log. */
const deliveryIn = async (state: string, id: string | undefined) =>
  vi.waitFor(
    async () => {
      const { json } = await call("GET", `/api/deliveries/${id}`)
      expect(json.state).toBe(state)
      return json
    },
    { timeout: 60_000, interval: 10 },
  )

const define = (name: string, path: string, ...webhook: ReadonlyArray<string>) =>
  server.apply(withSlo(methodYaml(name, `${receiver.url}${path}`, ...webhook)))

const fields = "templateFields: [slo_name]"

const expectVerified = async (received: Received): Promise<void> => {
  const digest = createHash("sha256").update(received.body).digest("base64")
  expect(headerOf(received, "content-digest")).toBe(`sha-256=:${digest}:`)
  const key = await publicKeyOf(server.url)
  expect(await verifiesByHttpMessageSig(received, key)).toBe(true)
  expect(await verifiesByHttpMessageSignatures(received, key)).toBe(true)
  const elsewhere = { ...received, url: received.url.replace("localhost", "127.0.0.1") }
  expect(await verifiesByHttpMessageSig(elsewhere, key)).toBe(false)
  expect(await verifiesByHttpMessageSignatures(elsewhere, key)).toBe(false)
}

describe("a notification, end to end over TLS", () => {
  it("spec/templates §2, spec/signatures §1, spec/signatures §9: of a template arrives signed, with the custom headers, and verifies elsewhere", async () => {
    await define(
      "template",
      "/template?token=query-is-not-covered",
      "template: |",
      '  {"text": "$slo_name of $organization: $alert_policy_conditions_text", "all": $alert_policy_conditions[],',
      '   "severity": "$severity", "n": 1.50, "labels": "$slo_labels_text"}',
      "headers:",
      "  - { name: X-Team, value: on call }",
      "  - { name: X_Api-Key2, value: s3cr3t, isSecret: true }",
    )
    await triggerAlert(server, "template")
    const [received, ...others] = await receiver.until(1, "/template")
    if (received === undefined) throw new Error("nothing came")
    expect(others).toEqual([])

    expect(received.method).toBe("POST")
    expect(received.url).toContain("/template?token=query-is-not-covered")
    expect(headerOf(received, "content-type")).toBe("application/json")
    expect(received.body.toString()).toBe(
      '{"text":"checkout of acme: burn rate \\"high\\", for 15 minutes",' +
        '"all":["burn rate \\"high\\"","for 15 minutes"],"severity":"high","n":1.50,"labels":"team:a, team:b"}',
    )
    expect(headerOf(received, "signature-input")).toMatch(
      /^sig1=\("@method" "@authority" "@path" "content-digest" "content-type"\);created=\d+;keyid="[\w-]{43}";alg="ed25519"$/,
    )
    expect(headerOf(received, "signature")).toMatch(/^sig1=:[A-Za-z0-9+/]{86}==:$/)
    expect(headerOf(received, "x-team")).toBe("on call")
    expect(headerOf(received, "x_api-key2")).toBe("s3cr3t")
    expect(headerOf(received, "notification-event")).toBe("alert.triggered")
    expect(headerOf(received, "notification-attempt")).toBe("1")
    expect(headerOf(received, "notification-id")).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-/,
    )
    expect(received.headers.map(([name]) => name.toLowerCase()).sort()).toEqual([
      "accept-encoding",
      "connection",
      "content-digest",
      "content-length",
      "content-type",
      "host",
      "notification-attempt",
      "notification-event",
      "notification-id",
      "signature",
      "signature-input",
      "user-agent",
      "x-team",
      "x_api-key2",
    ])
    await expectVerified(received)
  })

  it("spec/templates §6: of templateFields arrives as one flat object, and verifies elsewhere", async () => {
    await define(
      "fields",
      "/fields",
      "templateFields:",
      '  - "alert_policy_conditions[]"',
      "  - slo_name",
      "  - alert_id",
    )
    const { alertId } = await triggerAlert(server, "fields")
    const [received] = await receiver.until(1, "/fields")
    if (received === undefined) throw new Error("nothing came")
    expect(received.body.toString()).toBe(
      `{"alert_policy_conditions":["burn rate \\"high\\"","for 15 minutes"],"slo_name":"checkout","alert_id":"${alertId}"}`,
    )
    await expectVerified(received)
  })

  it("spec/delivery §1: of an alert that ends comes to the method that asks for it", async () => {
    await define("ending", "/ending", 'templateFields: ["alert_status"]', "sendResolution: true")
    await define("not-ending", "/not-ending", fields)
    const { alertId } = await triggerAlert(server, "ending", "not-ending")
    const slo = { name: "checkout", project: "default" }
    const resolved = await call(
      "POST",
      "/api/alerts",
      { status: "resolved", slo, objective: "good", alertId },
      json,
    )
    expect(resolved.status).toBe(202)
    expect(resolved.json.deliveries).toHaveLength(1)
    const both = await receiver.until(2, "/ending")
    // Ordering is not promised (spec/delivery §7).
    expect(new Set(both.map((each) => headerOf(each, "notification-event")))).toEqual(
      new Set(["alert.triggered", "alert.resolved"]),
    )
    expect(new Set(both.map(({ body }) => body.toString()))).toEqual(
      new Set(['{"alert_status":"triggered"}', '{"alert_status":"resolved"}']),
    )
    for (const each of both) await expectVerified(each)
    expect(await receiver.until(1, "/not-ending")).toHaveLength(1)
  })

  it("spec/signatures §5: is signed with a key whose endpoint needs no credentials", async () => {
    const key = await publicKeyOf(server.url)
    expect(Object.keys(key)).toEqual(["keyId", "algorithm", "publicKeyPem"])
    expect(key.algorithm).toBe("ed25519")
  })
})

describe("an alert method, end to end", () => {
  it("spec/definitions §8: reads [hidden], and is edited without its secrets being known", async () => {
    await define(
      "edited",
      "/edited",
      fields,
      "headers:",
      "  - { name: X-Key, value: s3cr3t, isSecret: true }",
    )
    const read = await call("GET", "/api/get/alertmethods?name=edited", undefined, {
      accept: "application/yaml",
    })
    expect(read.text).toContain('url: "[hidden]"')
    expect(read.text).not.toContain("localhost")
    expect(read.text).not.toContain("s3cr3t")

    const edited = read.text.replace("slo_name", "severity")
    const applied = await call("PUT", "/api/apply", edited, { "content-type": "application/yaml" })
    expect(applied.json.data).toEqual([
      { kind: "AlertMethod", project: "default", name: "edited", outcome: "updated" },
    ])
    await triggerAlert(server, "edited")
    const [received] = await receiver.until(1, "/edited")
    if (received === undefined) throw new Error("nothing came")
    expect(headerOf(received, "x-key")).toBe("s3cr3t")
    expect(received.body.toString()).toBe('{"severity":"high"}')

    const copied = await call("PUT", "/api/apply", edited.replace("name: edited", "name: copied"), {
      "content-type": "application/yaml",
    })
    expect(copied.status).toBe(400)
    expect(
      copied.json.errors.map((error: { source: { propertyName: string } }) => error.source.propertyName),
    ).toEqual([
      expect.stringMatching(/spec\.webhook\.headers\[0\]\.value$/),
      expect.stringMatching(/spec\.webhook\.url$/),
    ])
    expect(copied.text).not.toContain("s3cr3t")
  })

  it("spec/delivery §14: lists its deliveries with their attempts, and one can be resent", async () => {
    await define("logged", "/logged", fields)
    const { alertId, deliveries } = await triggerAlert(server, "logged")
    const id = deliveries[0]?.id
    const log = await deliveryIn("delivered", id)
    expect(log).toMatchObject({
      id,
      alertId,
      alertMethod: { project: "default", name: "logged" },
      event: "alert.triggered",
      attempt: 1,
      attempts: [{ number: 1, status: 204 }],
    })
    const listed = await call("GET", "/api/deliveries?alertMethod=logged&project=default&state=delivered")
    expect(listed.json.data.map((each: { id: string }) => each.id)).toEqual([id])

    expect((await call("POST", `/api/deliveries/${id}/resend`)).status).toBe(202)
    const both = await receiver.until(2, "/logged")
    expect(both.map((each) => headerOf(each, "notification-id"))).toEqual([id, id])
    expect(both.map((each) => headerOf(each, "notification-attempt"))).toEqual(["1", "2"])
    const again = await deliveryIn("delivered", id)
    expect(again.attempts.map((each: { number: number }) => each.number)).toEqual([1, 2])
    expect(JSON.stringify(again)).not.toContain("localhost")
  })

  it("spec/delivery §3: is disabled by 410, until it is enabled again", async () => {
    await define("gone", "/gone", fields)
    const first = await triggerAlert(server, "gone")
    const failed = await deliveryIn("failed", first.deliveries[0]?.id)
    expect(failed.attempts).toMatchObject([{ status: 410, reason: "http_status" }])
    const health = () => call("GET", "/api/alertmethods/gone/health")
    expect((await health()).json).toMatchObject({ isDisabled: true, disabledBecause: "gone" })

    const second = await triggerAlert(server, "gone")
    const unsent = await deliveryIn("failed", second.deliveries[0]?.id)
    expect(unsent.attempts).toMatchObject([{ reason: "method_disabled" }])
    expect(await receiver.until(1, "/gone")).toHaveLength(1)

    expect((await call("POST", "/api/alertmethods/gone/enable")).json).toMatchObject({ isDisabled: false })
    await triggerAlert(server, "gone")
    expect(await receiver.until(2, "/gone")).toHaveLength(2)
  })

  it("spec/delivery §15: a test takes the path of a delivery, and returns the attempt", async () => {
    await define("tested", "/tested", 'templateFields: ["alert_status", "slo_name"]')
    const test = await call("POST", "/api/alertmethods/tested/test")
    expect([test.status, test.json.message]).toEqual([200, "Test completed successfully!"])
    const [received] = await receiver.until(1, "/tested")
    if (received === undefined) throw new Error("nothing came")
    expect(headerOf(received, "notification-event")).toBe("test")
    expect(JSON.parse(received.body.toString())).toMatchObject({ alert_status: "test" })
    await expectVerified(received)
    const again = await call("POST", "/api/alertmethods/tested/test")
    expect(again.status).toBe(429)
    expect(await receiver.until(1, "/tested")).toHaveLength(1)
    expect((await call("POST", "/api/alertmethods/nobody/test")).status).toBe(404)
  })

  it("spec/delivery §15: a test that fails says what is wrong, never where", async () => {
    const closed = `https://localhost:${await freePort()}`
    const cases = [
      ["refused", `${closed}/`, "connect_refused", /refused the connection/],
      ["untrusted", `${stranger.url}/`, "tls_invalid", /certificate/],
      ["expired", `${expired.url}/`, "tls_invalid", /the certificate expired on 2026-01-02/],
      ["missing", `${receiver.url}/missing`, "http_status", /responded with 404/],
      ["moved", `${receiver.url}/moved`, "redirect_rejected", /redirect/],
    ] as const
    await server.apply(cases.map(([name, url]) => methodYaml(name, url, fields)).join("---\n"))
    for (const [name, , reason, words] of cases) {
      const { json: test } = await call("POST", `/api/alertmethods/${name}/test`)
      expect(test).toMatchObject({ message: "Test failed", detail: expect.stringMatching(words) })
      expect(test.attempt).toMatchObject({ number: 1, reason })
      expect(JSON.stringify(test)).not.toMatch(/localhost|127\.0\.0\.1/)
    }
    expect([...stranger.received, ...expired.received]).toEqual([])
    expect(await receiver.until(1, "/missing")).toHaveLength(1)
  })

  it("spec/alert-methods §2, spec/delivery §11: a URL without TLS, or to an address that is not public, is rejected when applied", async () => {
    const urls = [
      "http://hooks.example.com/",
      "https://10.0.0.1/",
      "https://169.254.169.254/",
      "https://[fd00::1]/",
    ]
    for (const url of urls) {
      const applied = await call("PUT", "/api/apply", methodYaml("refused-url", `"${url}"`, fields), {
        "content-type": "application/yaml",
      })
      expect(applied.status).toBe(400)
      expect(applied.json.errors).toMatchObject([
        { source: { propertyName: expect.stringMatching(/spec\.webhook\.url$/) } },
      ])
    }
    const both = methodYaml("both", `${receiver.url}/`, fields, "template: '{}'")
    expect((await call("PUT", "/api/apply", both, { "content-type": "application/yaml" })).status).toBe(400)
    const neither = methodYaml("neither", `${receiver.url}/`)
    expect((await call("PUT", "/api/apply", neither, { "content-type": "application/yaml" })).status).toBe(
      400,
    )
    const notJson = methodYaml("not-json", `${receiver.url}/`, "template: 'no JSON'")
    expect((await call("PUT", "/api/apply", notJson, { "content-type": "application/yaml" })).status).toBe(
      400,
    )
  })
})

describe("the status API, end to end", () => {
  it("spec/status-api §5, spec/status-api §8, spec/status-api §10: returns the same SLOs in both versions, with counts on request", async () => {
    await server.apply(withSlo())
    const at = new Date(Math.floor(Date.now() / 60_000) * 60_000)
    const counted = await call(
      "POST",
      "/api/slos/checkout/counts",
      [{ objective: "good", at: at.toISOString(), good: 99, total: 100 }],
      { ...json, project: "default" },
    )
    expect(counted.status).toBe(204)
    const v2 = await call("GET", "/api/v2/slos?limit=1")
    const v1 = await call("GET", "/api/v1/slos?limit=1")
    expect(v2.json.data).toMatchObject([
      { name: "checkout", project: { name: "default" }, service: { name: "web" } },
    ])
    expect(v1.json.data).toEqual([{ ...v2.json.data[0], project: "default", service: "web" }])

    const range = `from=${new Date(at.getTime() - 60_000).toISOString()}&to=${new Date(at.getTime() + 60_000).toISOString()}`
    for (const version of ["v1", "v2"]) {
      const found = await call("GET", `/api/${version}/slos/checkout?fields=counts&${range}`, undefined, {
        project: "default",
      })
      expect(found.json.objectives).toMatchObject([{ name: "good", counts: { good: 99, total: 100 } }])
    }
  })
})

const json = { "content-type": "application/json" }
