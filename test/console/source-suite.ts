import { describe, expect, it } from "vitest"
import { startPrometheus } from "../indicator/PrometheusServer.ts"
import { anSlo } from "./delivery-suite.ts"
import { eventually, type Stage, visit } from "./stage.ts"

/** Data sources: they are tested before they are created, and show which SLOs cannot be read and why. */
export const sourceSuite = (stage: () => Stage) =>
  describe("the pages of data sources", () => {
    it("spec/data-sources §6: test what is entered, create and edit it without secrets, and delete it", async () => {
      const asked: Array<string | undefined> = []
      const prometheus = await startPrometheus(
        ({ query }) => (query === "vector(1)" ? () => 1 : () => undefined),
        undefined,
        (headers) => {
          asked.push(headers.authorization)
          return headers.authorization === `Basic ${btoa("tocsin:correct horse")}`
        },
      )
      try {
        await visit(stage(), {}, async ({ page, open, says, api }) => {
          const field = (label: string) => page.getByLabel(label, { exact: true })
          const testButton = page.getByRole("button", { name: "Test connection" })
          await open("/data-sources")
          await says("No data sources yet")
          await page.getByRole("link", { name: "Create data source" }).click()
          await testButton.click()
          await says("Is required.")
          await field("URL").fill("ftp://metrics")
          await testButton.click()
          await says("Must start with https:// or http://")
          await field("URL").fill(prometheus.url)
          await testButton.click()
          await says("The server responded with 401; check the credentials of the data source.")
          await page.getByText("Basic", { exact: true }).click()
          await field("User name").fill("tocsin")
          await field("Password").fill("correct horse")
          await page.getByRole("button", { name: "Add header" }).click()
          await field("Name of header 1").fill("Cookie")
          await testButton.click()
          await says("Is required.")
          await field("Value of header 1").fill("payments")
          await testButton.click()
          await says("Is a header that Tocsin sets; choose another name.")
          await field("Name of header 1").fill("X-Team")
          await testButton.click()
          await says(/The server responded after [\d,]+ ms\./)

          await page.getByRole("button", { name: "Create data source" }).click()
          await says("Is required.")
          await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("metadata.name")
          await field("Name").fill("metrics")
          await page.getByRole("button", { name: "Create data source" }).click()
          await page.getByRole("heading", { level: 1, name: "metrics", exact: true }).waitFor()
          await says("Unused")
          await says("Basic as tocsin, with a hidden password")
          await says("X-Team: payments")
          expect(await page.content()).not.toContain("correct horse")

          await page.getByRole("link", { name: "Edit data source" }).click()
          await field("Password").waitFor()
          await expect.poll(() => field("Password").inputValue()).toBe("••••••••")
          const yaml = field("Definition as YAML")
          const written = await yaml.inputValue()
          expect(written).toContain('password: "[hidden]"')
          await yaml.fill(
            written.replace("name: metrics", "name: metrics\n  displayName: Metrics of the shop"),
          )
          await expect.poll(() => field("Display name").inputValue()).toBe("Metrics of the shop")
          asked.length = 0
          await testButton.click()
          await says(/The server responded after/)
          expect(asked).toEqual([`Basic ${btoa("tocsin:correct horse")}`])
          // A stored secret is sent to no other server.
          await field("URL").fill("http://127.0.0.1:1")
          await testButton.click()
          await says("Must be specified again because the scheme, host, port or path of the URL changed")
          await field("URL").fill(prometheus.url)
          await page.getByRole("button", { name: "Replace password" }).click()
          await field("Password").fill("incorrect horse")
          await page.getByRole("button", { name: "Save data source" }).click()
          await page.getByRole("heading", { level: 1, name: "Metrics of the shop", exact: true }).waitFor()
          await testButton.click()
          await says("The server responded with 401; check the credentials of the data source.")

          const indicator = { prometheus: { dataSource: { name: "metrics" }, good: "good", total: "total" } }
          await api.apply([
            { kind: "Service", metadata: { name: "checkout", project: "default" } },
            anSlo("checkout", { indicator }),
          ])
          const deleteSource = async (): Promise<void> => {
            await page.getByRole("button", { name: "Delete data source" }).click()
            await page.getByLabel(/^Type .* to confirm$/).fill("metrics")
            await page.getByRole("dialog").getByRole("button", { name: "Delete data source" }).click()
          }
          await deleteSource()
          await page.getByRole("dialog").getByRole("alert").waitFor()
          await page.keyboard.press("Escape")
          await api.apply([anSlo("checkout")])
          await deleteSource()
          await says("No data sources yet")

          await open("/data-sources/default/no-such-source")
          await says("Data source no-such-source was not found in project default.")
        })
      } finally {
        await prometheus.close()
      }
    })

    it("spec/data-sources §14: show since when one cannot be read, why, and which SLOs are affected", async () => {
      let isUp = false
      const prometheus = await startPrometheus(() =>
        isUp ? () => 10 : { status: 503, contentType: "text/plain", body: "not now" },
      )
      try {
        await visit(stage(), {}, async ({ page, open, says, api }) => {
          const source = (url: string) => ({
            kind: "DataSource",
            metadata: { name: "metrics", project: "default" },
            spec: { prometheus: { url } },
          })
          const indicator = { prometheus: { dataSource: { name: "metrics" }, good: "good", total: "total" } }
          await api.apply([
            { kind: "Service", metadata: { name: "checkout", project: "default" } },
            source(prometheus.url),
            anSlo("checkout", { indicator }),
          ])
          await eventually(async () => {
            const stored = await api.send("GET", "/api/slos/checkout/indicator", undefined, "default")
            expect(JSON.parse(stored)).toHaveProperty("unavailableSince")
          })
          await page.clock.install()
          await open("/slos/default/checkout")
          await says(/The data source metrics has been unavailable since .* The server responded with 503\./)
          await page.getByRole("note").getByRole("link", { name: "metrics", exact: true }).click()
          await page.getByRole("heading", { level: 1, name: "metrics", exact: true }).waitFor()
          await says("Unavailable")
          await says(/This data source has been unavailable since .* The server responded with 503\./)
          const slos = page.getByRole("list", { name: "Affected SLOs" })
          await slos.waitFor()
          await expect.poll(() => slos.getByRole("listitem").allInnerTexts()).toEqual(["default / checkout"])
          await open("/data-sources")
          const row = page.getByRole("row").filter({ hasText: "metrics" })
          await expect
            .poll(() => row.innerText())
            .toMatch(/Unavailable\s+First failure: [\s\S]*1 of 1 affected/)

          await open("/slos/default/checkout")
          await says(/has been unavailable/)
          await open("/data-sources")
          isUp = true
          // A change makes its indicators due at once.
          await api.apply([source(`${prometheus.url}/`)])
          await eventually(async () => {
            const stored = await api.send("GET", "/api/slos/checkout/indicator", undefined, "default")
            expect(JSON.parse(stored)).not.toHaveProperty("unavailableSince")
          })
          // Longer than until the list is refreshed.
          await page.clock.fastForward(20_000)
          await expect.poll(() => row.innerText()).toMatch(/Available/)
          await row.getByRole("link").click()
          await says("Last read")
          await slos.waitFor({ state: "detached" })
          await open("/slos/default/checkout")
          await page.getByText("Definition", { exact: true }).waitFor()
          expect(await page.getByText(/has been unavailable since/).count()).toBe(0)
        })
      } finally {
        await prometheus.close()
      }
    })

    it("are read-only for viewers", async () => {
      await visit(stage(), { role: "viewer" }, async ({ open, says, page, api }) => {
        await api.apply([
          {
            kind: "DataSource",
            metadata: { name: "metrics", project: "default" },
            spec: { prometheus: { url: "http://127.0.0.1:1", bearer: { token: "t0ken" } } },
          },
        ])
        await open("/data-sources")
        expect(await page.getByRole("link", { name: "Create data source" }).count()).toBe(0)
        await page.getByRole("link", { name: "metrics" }).click()
        await says("Bearer token, hidden")
        for (const name of ["Test connection", "Delete data source"])
          expect(await page.getByRole("button", { name }).count()).toBe(0)
        expect(await page.content()).not.toContain("t0ken")
        await open("/data-sources/default/metrics/edit")
        await says("Your role is viewer")
      })
    })
  })
