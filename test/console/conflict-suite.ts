import { describe, expect, it } from "vitest"
import { anSlo } from "./delivery-suite.ts"
import { type Stage, type Visit, visit } from "./stage.ts"

const service = { kind: "Service", metadata: { name: "checkout", project: "default" } }

const silence = (spec: object) => ({
  kind: "AlertSilence",
  metadata: { name: "night", project: "default" },
  spec: { slo: "checkout", period: { duration: "1h" }, ...spec },
})

const merged = "Someone else has changed this definition in the meantime, and their changes are kept."
const conflicting = "Someone else has changed the same values since you opened this definition."

const specOf = async ({ api }: Pick<Visit, "api">, path: string) =>
  JSON.parse(await api.send("GET", `/api/get/${path}`, undefined, "default"))[0].spec

/** Two people who change a definition at the same time: nothing that either of them has saved is lost. */
export const conflictSuite = (stage: () => Stage) =>
  describe("a form of what someone else changes", () => {
    it("spec/console §10: saves both changes, and shows a value that both have changed", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const field = (label: string) => page.getByLabel(label, { exact: true })
        const save = page.getByRole("button", { name: "Save silence" })
        const shown = page.getByRole("heading", { level: 1, name: "night", exact: true })
        await api.apply([service, anSlo("checkout"), silence({})])
        await open("/silences/default/night/edit")
        await field("Duration").fill("2h")
        await api.apply([silence({ description: "Backup" })])
        await save.click()
        await shown.waitFor()
        await says(merged)
        await says("spec.description")
        expect(await specOf({ api }, "alertsilences")).toMatchObject({
          description: "Backup",
          period: { duration: "2h" },
        })

        await page.getByRole("link", { name: "Edit silence" }).click()
        await field("Description").fill("Mine")
        await field("Duration").fill("3h")
        await api.apply([silence({ description: "Theirs", period: { duration: "4h" } })])
        await save.click()
        await says(conflicting)
        await says("Before: Backup")
        // Nothing is saved before each value is chosen.
        await page.getByRole("radio", { name: "Your value: Mine" }).check()
        await save.click()
        await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("conflicts")
        expect(await specOf({ api }, "alertsilences")).toMatchObject({ description: "Theirs" })
        await page.getByRole("radio", { name: "Stored value: 4h" }).check()
        await save.click()
        await shown.waitFor()
        expect(await specOf({ api }, "alertsilences")).toMatchObject({
          description: "Mine",
          period: { duration: "4h" },
        })

        // YAML is merged, too. What is deleted can be created again.
        await page.getByRole("link", { name: "Edit silence" }).click()
        const yaml = field("Definition as YAML")
        await yaml.fill((await yaml.inputValue()).replace("description: Mine", "description: As YAML"))
        await api.apply([silence({ description: "Mine", period: { duration: "5h" } })])
        await save.click()
        await shown.waitFor()
        await says(merged)
        expect(await specOf({ api }, "alertsilences")).toMatchObject({
          description: "As YAML",
          period: { duration: "5h" },
        })
        await page.getByRole("link", { name: "Edit silence" }).click()
        await field("Description").fill("Created again")
        await api.send("DELETE", "/api/delete/alertsilence?name=night", undefined, "default")
        await save.click()
        await says("Someone else has deleted this definition since you opened it.")
        await save.click()
        await shown.waitFor()
        expect(await specOf({ api }, "alertsilences")).toMatchObject({ description: "Created again" })
      })
    })

    it("spec/console §13: is the same for an SLO, in its fields and as YAML", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const field = (label: string) => page.getByLabel(label, { exact: true })
        const save = page.getByRole("button", { name: "Save SLO" })
        const shown = page.getByRole("heading", { level: 1, name: "The SLO edited", exact: true })
        const withTarget = (target: number, spec: object = {}) =>
          anSlo("edited", { objectives: [{ name: "good", target }], ...spec })
        await api.apply([service, withTarget(0.995)])
        await open("/slos/default/edited/edit")
        await field("Description").fill("Mine")
        await api.apply([withTarget(0.999)])
        await page.getByRole("button", { name: "Review" }).click()
        await save.click()
        await shown.waitFor()
        await says(merged)
        expect(await specOf({ api }, "slos")).toMatchObject({
          description: "Mine",
          objectives: [{ target: 0.999 }],
        })

        await open("/slos/default/edited/edit?step=review")
        const yaml = field("Definitions as YAML")
        await expect.poll(() => yaml.inputValue()).toContain("description: Mine")
        await yaml.fill((await yaml.inputValue()).replace("description: Mine", "description: As YAML"))
        await api.apply([withTarget(0.99, { description: "Theirs" })])
        await save.click()
        await says(conflicting)
        expect(await specOf({ api }, "slos")).toMatchObject({ description: "Theirs" })
        await page.getByRole("radio", { name: "Your value: As YAML" }).check()
        await save.click()
        await shown.waitFor()
        expect(await specOf({ api }, "slos")).toMatchObject({
          description: "As YAML",
          objectives: [{ target: 0.99 }],
        })
      })
    })
  })
