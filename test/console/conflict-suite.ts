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

    it("spec/console §10: saves a change that is valid only with what someone else has changed", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([service, anSlo("checkout"), silence({})])
        await open("/silences/default/night/edit")
        const yaml = page.getByLabel("Definition as YAML", { exact: true })
        await yaml.fill(`revision: "7"\n${await yaml.inputValue()}`)
        await says("The YAML has revision 7, but you are editing revision")
        await page.getByRole("button", { name: "Discard YAML changes" }).first().click()
        await page.getByLabel("Duration", { exact: true }).fill("2h")
        await api.apply([anSlo("payments"), silence({ slo: "payments" })])
        await api.send("DELETE", "/api/delete/slo?name=checkout", undefined, "default")
        await page.getByRole("button", { name: "Save silence" }).click()
        await page.getByRole("heading", { level: 1, name: "night", exact: true }).waitFor()
        await says(merged)
        expect(await specOf({ api }, "alertsilences")).toMatchObject({
          slo: "payments",
          period: { duration: "2h" },
        })
      })
    })

    it("spec/console §13: creates nothing with an SLO that someone else has created meanwhile", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const save = page.getByRole("button", { name: "Save SLO" })
        const yaml = page.getByLabel("Definitions as YAML", { exact: true })
        await api.apply([service, anSlo("other"), anSlo("edited")])
        await open("/slos/default/edited/edit?step=alerts")
        await page.getByLabel("Fast burn (page)", { exact: true }).check()
        const policy = {
          kind: "AlertPolicy",
          metadata: { name: "fast-burn", project: "default" },
          spec: { description: "Theirs", severity: "Low", sreWorkbook: "page", alertMethods: [] },
        }
        await page.getByRole("button", { name: "Review" }).click()
        await expect.poll(() => yaml.inputValue()).toContain("name: fast-burn")
        // Both changes are found by one request: the SLO is not merged with the policy.
        await api.apply([policy, anSlo("edited", { description: "Theirs" })])
        await save.click()
        await says("These definitions already exist: AlertPolicy fast-burn.")
        await expect.poll(() => yaml.inputValue()).not.toContain("sreWorkbook")
        expect(await specOf({ api }, "slos?name=edited")).not.toHaveProperty("alertPolicies")
        await save.click()
        await page.getByRole("heading", { level: 1, name: "The SLO edited", exact: true }).waitFor()
        await says(merged)
        expect(await specOf({ api }, "alertpolicies")).toMatchObject({ description: "Theirs" })
        expect(await specOf({ api }, "slos?name=edited")).toMatchObject({
          description: "Theirs",
          alertPolicies: ["fast-burn"],
        })

        // YAML with another name creates another SLO, and replaces none.
        await open("/slos/default/edited/edit?step=review")
        await expect.poll(() => yaml.inputValue()).toContain("name: edited")
        const text = await yaml.inputValue()
        await yaml.fill(text.replace("name: edited", "name: other"))
        await says(/Is already in use in this project/)
        await save.click()
        await says("These definitions already exist: SLO other.")
        expect(await specOf({ api }, "slos?name=other")).not.toHaveProperty("alertPolicies")
        await yaml.fill(text.replace("name: edited", "name: third"))
        await save.click()
        await page.getByRole("heading", { level: 1, name: "The SLO edited", exact: true }).waitFor()
        expect(new URL(page.url()).pathname).toBe("/slos/default/third")
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
