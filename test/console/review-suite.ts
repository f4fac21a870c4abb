import type { Locator } from "playwright-core"
import { describe, expect, it } from "vitest"
import { anSlo } from "./delivery-suite.ts"
import { seriousFindings, type Stage, visit } from "./stage.ts"

/** The start of the quarter of a time in UTC, or of one some quarters later. */
const quarterStart = (time: number, later = 0): number => {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), (Math.floor(date.getUTCMonth() / 3) + later) * 3, 1)
}

const service = { kind: "Service", metadata: { name: "checkout", project: "default" } }

/** Reviews of many SLOs. */
export const reviewSuite = (stage: () => Stage) =>
  describe("reviews", () => {
    it("spec/reports §9: the quarter of 40 SLOs is reviewed in six clicks, from the first page to a decision", async () => {
      await visit(stage(), { timezoneId: "UTC" }, async ({ page, open, says, api }) => {
        const names = Array.from({ length: 40 }, (_, index) => `slo-${String(index).padStart(2, "0")}`)
        await api.apply([service, ...names.map((name) => anSlo(name))])
        const at = new Date(quarterStart(Date.now(), -1) + 3_600_000).toISOString()
        await api.send(
          "POST",
          "/api/counts",
          names.map((slo) => ({
            project: "default",
            slo,
            objective: "fast",
            at,
            good: slo === "slo-17" ? 1 : 10,
            total: 10,
          })),
        )
        await open("/")
        let clicks = 0
        const click = async (target: Locator) => {
          clicks++
          await target.click()
        }
        const button = (name: string) => page.getByRole("button", { name, exact: true })
        await click(page.getByRole("link", { name: "Reviews", exact: true }).first())
        await click(button("Create review").first())
        const form = page.getByRole("dialog")
        await form.getByLabel("Title").fill("Last quarter")
        await form.getByLabel("Project").fill("default")
        await click(form.getByRole("button", { name: "Create review" }))
        await page.getByRole("heading", { level: 1, name: "Last quarter", exact: true }).waitFor()
        const rows = page.getByRole("table", { name: "SLOs" }).locator("tbody tr")
        await expect.poll(() => rows.count()).toBe(40)
        expect(await rows.first().innerText()).toMatch(/The SLO slo-17[\s\S]*Missed/)
        expect(await rows.nth(1).innerText()).toContain("Insufficient data")
        await says("The signature is valid.")

        await click(button("Edit notes"))
        await form.getByLabel("Decisions and notes").fill("Move the cache to another zone.")
        await click(form.getByRole("button", { name: "Save notes" }))
        await says("Move the cache to another zone.")
        expect(await seriousFindings(page)).toEqual([])

        await click(rows.first().getByRole("button", { name: "Open report" }))
        await page.getByRole("heading", { level: 1, name: "SLO report: The SLO slo-17" }).waitFor()
        expect(clicks).toBe(6)
      })
    })

    it("spec/reports §10: notes about an SLO are kept, the first page says which review is due, and an editor deletes it", async () => {
      await visit(stage(), { timezoneId: "UTC" }, async ({ page, open, says, api }) => {
        await api.apply([service, anSlo("checkout")])
        const to = quarterStart(Date.now())
        const { id } = JSON.parse(
          await api.send("POST", "/api/reviews", {
            title: "Weekly",
            from: new Date(to - 86_400_000).toISOString(),
            to: new Date(to).toISOString(),
            nextReviewAt: new Date(to).toISOString(),
          }),
        ) as { readonly id: string }
        await open(`/reviews/${id}`)
        await page.getByRole("button", { name: "Add note" }).click()
        const form = page.getByRole("dialog")
        await form.getByLabel("Note").fill("Nobody uses it.")
        await form.getByRole("button", { name: "Save notes" }).click()
        await says("Nobody uses it.")
        await page.getByRole("button", { name: "Edit note", exact: true }).waitFor()

        await open("/")
        await says("Review of Weekly is due")
        await page.getByRole("link", { name: "Weekly", exact: true }).click()
        await form.getByRole("button", { name: "Create review" }).waitFor()

        await open(`/reviews/${id}`)
        await page.getByRole("button", { name: "Delete review" }).click()
        await form.getByRole("button", { name: "Delete review" }).click()
        await says("No reviews yet")
        expect(JSON.parse(await api.send("GET", "/api/reviews"))).toMatchObject({ data: [] })
      })
    })

    it("spec/reports §11: a saved report of each type is generated, its cells and folders lead to SLOs, and its CSV is saved", async () => {
      await visit(stage(), { timezoneId: "UTC" }, async ({ page, open, says, api }) => {
        const labelled = (name: string, team: string) => {
          const slo = anSlo(name)
          return { ...slo, metadata: { ...slo.metadata, labels: { team: [team] } } }
        }
        const report = (name: string, spec: object) => ({
          kind: "Report",
          metadata: { name },
          spec: { filters, ...spec },
        })
        const filters = { projects: ["default"] }
        const timeFrame = { rolling: { unit: "Week", count: 1 }, timeZone: "UTC" }
        await api.apply([
          service,
          labelled("cart", "pay"),
          labelled("search", "find"),
          report("health", {
            systemHealthReview: {
              timeFrame: { snapshot: { point: "latest" }, timeZone: "UTC" },
              rowGroupBy: "service",
              columns: [
                { displayName: "Payments", labels: { team: ["pay"] } },
                { displayName: "Any", labels: { team: [] } },
              ],
              thresholds: { redLte: 0.2, greenGt: 0.5, showNoData: true },
            },
          }),
          report("history", { sloHistory: { timeFrame } }),
          report("budgets", { errorBudgetStatus: {} }),
          report("rollup", { reliabilityRollup: { timeFrame } }),
        ])
        const at = new Date(Math.floor(Date.now() / 60_000 - 1) * 60_000).toISOString()
        await api.send("POST", "/api/counts", [
          { project: "default", slo: "cart", objective: "fast", at, good: 1, total: 10 },
          { project: "default", slo: "search", objective: "fast", at, good: 10, total: 10 },
        ])
        const generated = async () => JSON.parse(await api.send("GET", "/api/saved-reports/budgets")).states
        await expect.poll(generated, { timeout: 30_000 }).toMatchObject({ breached: 1, healthy: 1 })

        await open("/saved-reports")
        await says("Reliability roll-up")
        await page.getByRole("link", { name: "health", exact: true }).click()
        const table = page.getByRole("table", { name: "Health of SLOs" })
        await table.waitFor()
        const slos = () => page.getByRole("table", { name: /^SLOs: / }).locator("tbody tr")
        expect(await slos().count()).toBe(2)
        await table.locator("tbody tr").nth(1).getByRole("button").nth(1).click()
        await page.getByRole("table", { name: /, Payments$/ }).waitFor()
        expect(await slos().allInnerTexts()).toMatchObject([
          expect.stringMatching(/The SLO cart[\s\S]*Exhausted/),
        ])
        expect(await seriousFindings(page)).toEqual([])
        const saved = page.waitForEvent("download")
        await page.getByRole("button", { name: "Download CSV" }).click()
        expect((await saved).suggestedFilename()).toBe("health.csv")

        await open("/saved-reports/rollup")
        await page.getByRole("button", { name: /2 SLOs$/ }).click()
        const scores = page.getByRole("table", { name: "Reliability scores" })
        expect(await scores.innerText()).toMatch(
          /50%[\s\S]*The SLO cart[\s\S]*0 of [12][\s\S]*The SLO search[\s\S]*[12] of [12]/,
        )
        expect(await seriousFindings(page)).toEqual([])

        await open("/saved-reports/history")
        await says("1 missed, 1 with insufficient data")
        await open("/saved-reports/budgets")
        await says("Breached")
        expect(await seriousFindings(page)).toEqual([])
        await page.getByRole("link", { name: "The SLO cart" }).click()
        await page.getByRole("heading", { level: 1, name: "The SLO cart" }).waitFor()
      })
    })
  })
