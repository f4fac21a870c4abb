import { randomUUID } from "node:crypto"
import type { TestServer } from "@tocsin/testing"

/** An SLO with its service and the definitions given, in the project `default`, as YAML. */
export const withSlo = (...documents: ReadonlyArray<string>): string => [sloYaml, ...documents].join("---\n")

const sloYaml = `
apiVersion: tocsin/v1alpha
kind: Service
metadata: { name: web, project: default }
spec: {}
---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: checkout, displayName: Checkout, project: default, labels: { team: [a, b] } }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: good, displayName: Good, target: 0.99 }]
`

/** An alert method of a name, with the lines of its webhook after the URL. */
export const methodYaml = (name: string, url: string, ...webhook: ReadonlyArray<string>): string => `
apiVersion: tocsin/v1alpha
kind: AlertMethod
metadata: { name: ${name}, project: default }
spec:
  webhook:
    url: ${url}
${webhook.map((line) => `    ${line}\n`).join("")}`

/** The alert method `on-call` with an SLO. */
export const alertMethodYaml = (url: string): string =>
  withSlo(methodYaml("on-call", url, "templateFields: [slo_name, alert_id]"))

/** The headers of a client of the test server. */
export const headersOf = async (server: Pick<TestServer, "accessToken" | "organization">) => ({
  authorization: `Bearer ${await server.accessToken()}`,
  organization: server.organization,
})

/** Notifies alert methods of the project `default` of a new alert; returns the alert's ID and its deliveries. */
export const triggerAlert = async (
  server: TestServer,
  ...names: ReadonlyArray<string>
): Promise<{ readonly alertId: string; readonly deliveries: ReadonlyArray<{ readonly id: string }> }> => {
  const methods = names.length === 0 ? ["on-call"] : names
  const response = await fetch(`${server.url}/api/alerts`, {
    method: "POST",
    headers: { ...(await headersOf(server)), "content-type": "application/json" },
    body: JSON.stringify({
      status: "triggered",
      alertId: randomUUID(),
      slo: { name: "checkout", project: "default" },
      objective: "good",
      severity: "High",
      conditions: ['burn rate "high"', "for 15 minutes"],
      alertMethods: methods.map((name) => ({ name, project: "default" })),
    }),
  })
  if (response.status !== 202) throw new Error(`answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Awaited<ReturnType<typeof triggerAlert>>
}
