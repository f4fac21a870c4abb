import { describe, expect, it } from "vitest"
import { eventually, findings, overflowOf, type Stage, visit } from "./stage.ts"

const service = (description: string) => ({
  apiVersion: "tocsin/v1alpha",
  kind: "Service",
  metadata: { name: "web", project: "default" },
  spec: { description },
})

const method = {
  apiVersion: "tocsin/v1alpha",
  kind: "AlertMethod",
  metadata: { name: "pager", project: "default" },
  spec: { webhook: { url: "https://hooks.example.com/s3cr3t", templateFields: ["slo_name"] } },
}

/** The history of definitions: who changed what, versions to restore, and what was deleted. */
export const historySuite = (stage: () => Stage) =>
  describe("the history of definitions", () => {
    it("spec/console §15: shows a change and its diff, restores a version, and restores what was deleted", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const button = (name: string) => page.getByRole("button", { name, exact: true })
        const changes = page.getByRole("table", { name: "Changes of this definition" })
        const dialog = page.getByRole("dialog")
        await api.apply([service("first")])
        await api.apply([service("second"), method])

        await open("/services/default/web")
        await expect.poll(() => changes.getByRole("link").allTextContents()).toEqual(["Updated", "Created"])
        await changes.getByRole("link", { name: "Created" }).click()
        await says("by editor on")
        await expect.poll(() => new URL(page.url()).searchParams.get("revision")).toMatch(/^\d+$/)
        await page.reload()
        await page.getByRole("region", { name: "What changed" }).waitFor()
        expect(await findings(page)).toEqual([])
        await button("Restore this version").click()
        const diff = page.getByRole("region", { name: "What changes" })
        await expect
          .poll(() => diff.innerText())
          .toMatch(/Removed:\s+−\s+description: second\s+Added:\s+\+\s+description: first/)
        await button("Restore").click()
        await dialog.waitFor({ state: "hidden" })
        await expect.poll(() => changes.getByRole("link").allTextContents()).toHaveLength(3)
        await says("description: first")
        await changes.getByRole("link").first().click()
        await says("This is the current version.")
        expect(await button("Restore this version").count()).toBe(0)
        await button("Close").click()

        await button("Delete service").click()
        await says("The definition can be restored for 30 days")
        await dialog.getByRole("textbox").fill("web")
        await dialog.getByRole("button", { name: "Delete service" }).click()
        await page.getByRole("heading", { level: 1, name: "Services" }).waitFor()
        await api.send("DELETE", "/api/delete/alertmethod?name=pager")
        await page.getByRole("link", { name: "Recently deleted" }).click()
        await page.getByRole("link", { name: "web", exact: true }).click()
        await says("Definition at the time of deletion:")
        await button("Restore this version").click()
        await button("Restore").click()
        await says("web was restored.")

        // Secrets are not in the history.
        await page.getByRole("link", { name: "pager", exact: true }).click()
        await button("Restore this version").click()
        expect(await page.content()).not.toContain("s3cr3t")
        await button("Restore").click()
        await dialog.getByRole("alert").waitFor()
        const yaml = dialog.getByRole("textbox")
        await yaml.fill((await yaml.inputValue()).replace("[hidden]", "https://hooks.example.com/again"))
        await button("Restore").click()
        await says("pager was restored.")
        await says("Nothing was deleted")
        await page.getByRole("link", { name: "pager", exact: true }).click()
        await page.getByRole("heading", { level: 1, name: "pager" }).waitFor()
      })
    })

    it("spec/console §15: viewers read the history, on a phone too, without an offer to restore", async () => {
      const { server } = stage()
      const organization = server.newOrganization()
      const api = await server.api(organization)
      await api.apply([service("first")])
      await api.apply([service("second")])
      await api.send("DELETE", "/api/delete/service?name=web")
      await visit(
        stage(),
        { organization, role: "viewer", width: 390, colorScheme: "dark" },
        async ({ page, open, says }) => {
          await open("/deleted")
          await page.getByRole("link", { name: "web", exact: true }).click()
          await says("Definition at the time of deletion:")
          expect(await page.getByRole("button", { name: "Restore this version" }).count()).toBe(0)
          await eventually(async () => expect(await findings(page)).toEqual([]))
          expect(await overflowOf(page)).toBe(0)
          await page.goBack()
          await page.getByRole("dialog").waitFor({ state: "hidden" })
        },
      )
    })
  })
