import { readFile } from "node:fs/promises"
import type { Locator } from "playwright-core"
import { describe, expect, it } from "vitest"
import type { TestApi } from "./console-server.ts"
import { anSlo } from "./delivery-suite.ts"
import { overflowOf, seriousFindings, type Stage, visit, watchRequests } from "./stage.ts"

/** Two SLOs of a service, with an open alert each. */
const fill = async (api: TestApi, slug?: string): Promise<void> => {
  await api.apply([
    { kind: "Project", metadata: { name: "shop" }, spec: slug === undefined ? {} : { statusPage: { slug } } },
    { kind: "Service", metadata: { name: "checkout", project: "shop", displayName: "Checkout" } },
    {
      kind: "AlertPolicy",
      metadata: { name: "fast", project: "shop" },
      spec: {
        severity: "High",
        conditions: [{ measurement: "averageBurnRate", value: 2, alertingWindow: "15m" }],
        alertMethods: [],
      },
    },
    {
      ...anSlo("pay", { alertPolicies: ["fast"] }),
      metadata: { name: "pay", project: "shop", displayName: "Payments work" },
    },
    {
      ...anSlo("refund", { alertPolicies: ["fast"] }),
      metadata: { name: "refund", project: "shop", displayName: "Refunds work" },
    },
  ])
  for (const name of ["pay", "refund"])
    await api.send("POST", "/api/alerts", {
      status: "triggered",
      slo: { name, project: "shop" },
      objective: "fast",
      alertPolicy: { name: "fast", project: "shop" },
      conditions: ["Everything fails"],
      alertId: `${name}-1`,
    })
}

/** Incidents, from an alert to the status page and the post-mortem. */
export const incidentSuite = (stage: () => Stage) =>
  describe("incidents", () => {
    it("spec/console §17: lead from an alert on the first page to a published post and a post-mortem in 12 clicks", async () => {
      await visit(stage(), {}, async ({ page, context, open, says, api, organization }) => {
        const slug = `incident-${organization}`
        await fill(api, slug)
        const faults = watchRequests(page)
        let clicks = 0
        const click = async (element: Locator): Promise<void> => {
          clicks++
          await element.click()
        }
        const button = (name: string) => page.getByRole("button", { name, exact: true })
        const status = page.getByRole("radiogroup", { name: "Status of the incident" })
        const events = page.getByRole("list", { name: "Timeline" })
        await open("/")
        await click(button("Create incident for the alert on Payments work"))
        await page.getByRole("heading", { level: 1, name: "Alert on Payments work" }).waitFor()
        await events.getByText("Alert triggered: Payments work").waitFor()
        await click(button("Take ownership"))
        await says("Owner: editor")
        await page.getByRole("textbox", { name: "Note" }).fill("The new release fails")
        await click(button("Add note"))
        await events.getByText("The new release fails").waitFor()
        await click(page.getByText("Task", { exact: true }).first())
        await page.getByRole("textbox", { name: "Task" }).fill("Roll back")
        await click(button("Add task"))
        await click(page.getByRole("checkbox", { name: "Roll back" }))
        await says("Done by editor")
        await click(page.getByText("Public post", { exact: true }))
        await page.getByRole("textbox", { name: "Public post" }).fill("Payments fail. We roll back.")
        clicks++
        await page.getByRole("combobox", { name: "Status of the incident" }).selectOption("identified")
        expect(await seriousFindings(page)).toEqual([])
        await click(button("Publish post"))
        await events.getByText("Post: Identified").waitFor()
        await click(status.getByText("Resolved"))
        await events.getByText("Status: Resolved").waitFor()
        const downloaded = page.waitForEvent("download")
        await click(button("Download post-mortem"))
        const markdown = await readFile(await (await downloaded).path(), "utf8")
        expect(markdown).toContain("Alert on Payments work")
        expect(markdown).toContain("Roll back")
        expect(clicks).toBeLessThanOrEqual(12)
        expect(faults).toEqual([])

        await page.emulateMedia({ media: "print" })
        await events.getByText("The new release fails").waitFor()
        expect(await button("Publish post").isVisible()).toBe(false)
        await page.emulateMedia({ media: "screen" })

        const published = await context.newPage()
        await published.goto(`/status/${slug}`)
        await published.getByText("Payments fail. We roll back.").waitFor()
        const text = await published.locator("body").innerText()
        expect(text).toContain("Checkout: Resolved")
        for (const hidden of ["The new release fails", "Roll back\n", "editor"])
          expect(text).not.toContain(hidden)
      })
    })

    it("spec/console §17: group alerts, and are listed, edited and deleted", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await fill(api)
        const button = (name: string) => page.getByRole("button", { name, exact: true })
        const dialog = page.getByRole("dialog")
        await open("/incidents")
        await says("No incidents yet")
        await button("Create incident").click()
        await dialog.getByLabel("Title").fill("Payments fail")
        await dialog.getByLabel("Severity").selectOption("critical")
        await dialog.getByRole("button", { name: "Create incident" }).click()
        await page.getByRole("heading", { level: 1, name: "Payments fail" }).waitFor()
        await says("Add alerts from their own pages.")

        await open("/alerts/pay-1")
        await button("Add to incident").click()
        await button("Payments fail").click()
        await page.getByRole("link", { name: "View incident" }).click()
        const alerts = page.getByRole("table", { name: "Alerts of the incident" })
        await alerts.getByText("Payments work").waitFor()
        // The first page leads to the incident that has the alert already.
        await open("/")
        const open1 = page.getByRole("region", { name: "Open incidents" })
        await open1.getByText("Payments fail").waitFor()
        await button("Create incident for the alert on Payments work").click()
        await page.getByRole("heading", { level: 1, name: "Payments fail" }).waitFor()

        await button("Edit").click()
        await dialog.getByLabel("Title").fill("Payments and refunds fail")
        await dialog.getByLabel("Owner").fill("anna")
        await dialog.getByRole("button", { name: "Save changes" }).click()
        await page.getByRole("heading", { level: 1, name: "Payments and refunds fail" }).waitFor()
        await says("Owner: anna")
        await button("Edit").click()
        await dialog.getByLabel("Owner").fill("")
        await dialog.getByRole("button", { name: "Save changes" }).click()
        await says("No owner")
        await page.getByText("Link", { exact: true }).click()
        await page.getByLabel("URL", { exact: true }).fill("javascript:alert(1)")
        await button("Add link").click()
        await says(/must be a URL that begins with https/)
        await page.getByLabel("URL", { exact: true }).fill("https://127.0.0.1/runbook")
        await button("Add link").click()
        const link = page.getByRole("link", { name: "https://127.0.0.1/runbook" })
        await link.waitFor()
        expect(await link.getAttribute("rel")).toBe("noreferrer")
        await page.setViewportSize({ width: 390, height: 840 })
        expect(await overflowOf(page)).toBe(0)
        await page.setViewportSize({ width: 1280, height: 840 })

        await open("/incidents?status=resolved")
        await says("No matching incidents")
        await open("/incidents?status=open")
        expect(await seriousFindings(page)).toEqual([])
        await page.getByRole("link", { name: "Payments and refunds fail" }).click()
        await button("Delete incident").click()
        await dialog.getByRole("button", { name: "Delete incident" }).click()
        await says("No incidents yet")
      })
    })

    it("spec/console §17: are read-only for viewers", async () => {
      await visit(stage(), {}, async ({ api, organization }) => {
        await fill(api)
        const body = { title: "Payments fail", severity: "minor", alerts: ["pay-1"] }
        const { id } = JSON.parse(await api.send("POST", "/api/incidents", body)) as { readonly id: string }
        await visit(stage(), { organization, role: "viewer" }, async ({ page, open, says }) => {
          await open(`/incidents/${id}`)
          await says("1 alert added")
          for (const name of ["Edit", "Take ownership", "Add note", "Delete incident"])
            expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0)
          await open("/")
          await page.getByRole("region", { name: "Open incidents" }).getByText("Payments fail").waitFor()
          expect(await page.getByRole("button", { name: /^Create incident/ }).count()).toBe(0)
        })
      })
    })
  })
