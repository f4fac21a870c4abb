// Tests of your own program against a Tocsin server in the same process. Works with vitest and jest too. Run it:
//   npm install
//   node --import tsx --conditions=source examples/src/test-suite.ts
import assert from "node:assert/strict"
import { after, test } from "node:test"
import { startTocsin } from "@tocsin/testing"
import { createReceiver } from "./receive-fetch.ts"

const tocsin = await startTocsin()
after(() => tocsin.stop())

await tocsin.apply(`
apiVersion: tocsin/v1alpha
kind: Service
metadata: { name: web, project: default }
spec: {}
---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: checkout, project: default }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: good, target: 0.99 }]
---
apiVersion: tocsin/v1alpha
kind: AlertMethod
metadata: { name: on-call, project: default }
spec:
  webhook:
    url: https://hooks.example.com/on-call
    templateFields: [slo_name, severity]
`)

const headers = { authorization: `Bearer ${await tocsin.accessToken()}`, organization: tocsin.organization }

test("the SLO is listed", async () => {
  const response = await fetch(`${tocsin.url}/api/v2/slos`, { headers })
  const { data } = (await response.json()) as { data: ReadonlyArray<{ name: string }> }
  assert.deepEqual(
    data.map(({ name }) => name),
    ["checkout"],
  )
})

test("our receiver takes the notification of an alert", async () => {
  const taken: Array<unknown> = []
  const receive = createReceiver(tocsin.url, "hooks.example.com", (notification) =>
    taken.push(notification.json()),
  )

  const answer = await fetch(`${tocsin.url}/api/alerts`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({
      status: "triggered",
      slo: { project: "default", name: "checkout" },
      severity: "High",
      alertMethods: [{ project: "default", name: "on-call" }],
    }),
  })
  assert.equal(answer.status, 202)
  const [notification] = await tocsin.notificationsArrived(1)
  assert.ok(notification)
  const received = await receive(new Request(notification.url, { method: "POST", ...notification }))

  assert.equal(received.status, 204)
  assert.deepEqual(taken, [{ slo_name: "checkout", severity: "high" }])
})
