import { Redacted } from "effect"
import { describe, it } from "vitest"
import { urlOf } from "../crash/CrashDatabase.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { startConsoleServer } from "./console-server.ts"
import { anSlo } from "./delivery-suite.ts"
import { type Stage, visit } from "./stage.ts"

/** The way through the console once more, on PostgreSQL. */
export const postgresSuite = (stage: () => Stage) =>
  describe("on PostgreSQL", () => {
    it("an alert method is made and tested, an alert rings it, and all of it is shown", async () => {
      const server = await startConsoleServer({
        kind: "postgres",
        url: Redacted.make(urlOf(await newDatabase("schema"))),
        masterKey: Redacted.make(new Uint8Array(32).fill(9)),
      })
      await visit({ ...stage(), server }, {}, async ({ page, open, says, api }) => {
        await open("/alert-methods/new")
        await page.getByLabel("Display name").fill("On call")
        await page.getByLabel("URL").fill(`${server.receiver.url}/pg`)
        await page.getByRole("button", { name: "Create alert method" }).click()
        await page.getByRole("button", { name: "Test", exact: true }).click()
        await says("Test completed successfully!")
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("checkout-latency"),
        ])
        await open("/deliveries")
        await api.send("POST", "/api/alerts", {
          status: "triggered",
          slo: { name: "checkout-latency", project: "default" },
          alertMethods: [{ name: "on-call", project: "default" }],
        })
        await page
          .getByRole("table", { name: /Deliveries/ })
          .getByText("Delivered")
          .waitFor()
        await open("/alert-methods")
        await says("Healthy")
        await open("/slos?search=latency")
        await says("No data in the window")
        await open("/alerts")
        await page.getByRole("table", { name: "Open alerts" }).getByText("checkout-latency").waitFor()
      })
      await server.stop()
    })
  })
