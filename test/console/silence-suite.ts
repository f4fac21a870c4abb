import { describe, expect, it } from "vitest"
import { anSlo } from "./delivery-suite.ts"
import { aMethod } from "./sign-in-suite.ts"
import { type Stage, visit } from "./stage.ts"

/** Silences: what one covers is shown before it is created. */
export const silenceSuite = (stage: () => Stage) =>
  describe("the form of a silence", () => {
    it("spec/alerting §21: shows what the silence covers and when, creates it, and deletes it", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const payments = anSlo("checkout", { alertPolicies: ["fast"] })
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          {
            kind: "AlertPolicy",
            metadata: { name: "fast", project: "default" },
            spec: {
              severity: "High",
              conditions: [{ measurement: "averageBurnRate", value: 2, alertingWindow: "15m" }],
              alertMethods: [],
            },
          },
          { ...payments, metadata: { ...payments.metadata, labels: { team: ["payments"] } } },
          anSlo("search"),
          aMethod("on-call", "https://hooks.example.com/"),
        ])
        await api.send("POST", "/api/alerts", {
          status: "triggered",
          slo: { name: "checkout", project: "default" },
          objective: "fast",
          alertPolicy: { name: "fast", project: "default" },
          alertId: "burn-1",
        })
        await open("/alerts")
        await page.getByRole("link", { name: "View silences" }).click()
        await says("No silences yet")
        await page.getByRole("link", { name: "Create silence" }).click()
        await says("Enter what to silence and for how long")

        await page.getByLabel("SLO", { exact: true }).fill("serach")
        await says("References an SLO that does not exist: serach in project default")
        await page.getByText("SLOs with labels").click()
        await page.getByLabel("Labels", { exact: true }).fill(",")
        await says("Must be key=value pairs joined with commas")
        await page.getByLabel("Labels", { exact: true }).fill("team=payments")
        const slos = page.getByRole("list", { name: "Silenced SLOs" })
        await slos.waitFor()
        await expect.poll(() => slos.getByRole("listitem").allInnerTexts()).toEqual(["The SLO checkout"])
        const alerts = page.getByRole("list", { name: "Silenced alerts" })
        await expect
          .poll(() => alerts.getByRole("listitem").allInnerTexts())
          .toEqual(["Alert on The SLO checkout Fast enough · fast"])
        const periods = page.getByRole("list", { name: "Active periods" }).getByRole("listitem")
        await expect.poll(() => periods.count()).toBe(1)

        await page.getByText("Recurring", { exact: true }).click()
        await page.getByLabel("Repeats").selectOption("FREQ=DAILY")
        await page.getByLabel("Start", { exact: true }).fill("2026-01-01 02:00")
        await expect.poll(() => periods.count()).toBe(10)

        await page.getByLabel("Notify before the end", { exact: true }).fill("1h")
        await page.getByLabel("Add alert method").selectOption("default/on-call")
        await says("Must be less than the duration of the silence.")
        await page.getByLabel("Notify before the end", { exact: true }).fill("15m")
        await periods.first().waitFor()

        await page.getByRole("button", { name: "Create silence" }).click()
        await says("Is required.")
        await page.getByLabel("Name", { exact: true }).fill("nightly")
        await page.getByRole("button", { name: "Create silence" }).click()
        await page.getByRole("heading", { level: 1, name: "nightly", exact: true }).waitFor()
        await says("sloLabels: team=payments")
        await says(/before: "?15m/)
        await page.getByRole("link", { name: "Edit silence" }).click()
        await expect
          .poll(() => page.getByLabel("Notify before the end", { exact: true }).inputValue())
          .toBe("15m")
        await page.getByLabel("Description").fill("While the database is backed up")
        await page.getByRole("button", { name: "Save silence" }).click()
        await says("While the database is backed up")
        await expect.poll(() => slos.getByRole("listitem").allInnerTexts()).toEqual(["The SLO checkout"])

        await open("/silences/new")
        await page.getByLabel("Name", { exact: true }).fill("nightly")
        await page.getByLabel("SLO", { exact: true }).fill("search")
        await page.getByRole("button", { name: "Create silence" }).click()
        await says("Is already in use in this project.")

        await open("/silences")
        await page.getByRole("link", { name: "nightly" }).click()
        await page.getByRole("button", { name: "Delete silence" }).click()
        await page.getByLabel(/^Type .* to confirm$/).fill("nightly")
        await page.getByRole("dialog").getByRole("button", { name: "Delete silence" }).click()
        await says("No silences yet")
      })
    })

    it("spec/console §11: silences the alerts of a policy until the next morning, and several alerts at once", async () => {
      await visit(stage(), { timezoneId: "Europe/Berlin" }, async ({ page, open, says, api }) => {
        const policy = {
          severity: "High",
          conditions: [{ measurement: "averageBurnRate", value: 2, alertingWindow: "15m" }],
          alertMethods: [],
        }
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          { kind: "AlertPolicy", metadata: { name: "fast", project: "default" }, spec: policy },
          ...["checkout", "search", "mail"].map((name) => anSlo(name, { alertPolicies: ["fast"] })),
        ])
        const trigger = (alertId: string, slo: string) =>
          api.send("POST", "/api/alerts", {
            status: "triggered",
            slo: { name: slo, project: "default" },
            objective: "fast",
            alertPolicy: { name: "fast", project: "default" },
            alertId,
          })
        for (const [alertId, slo] of [
          ["a-1", "checkout"],
          ["a-2", "search"],
          ["a-3", "mail"],
        ] as const)
          await trigger(alertId, slo)
        const stored = async (): Promise<
          ReadonlyArray<{ readonly spec: Readonly<Record<string, unknown>> }>
        > => JSON.parse(await api.send("GET", "/api/get/alertsilences", undefined, "default"))
        await open("/alerts/a-1")
        await page.getByRole("button", { name: "Silence", exact: true }).click()
        await page.getByRole("button", { name: "Until tomorrow, 09:00" }).click()
        await says("This applies only to the alert policy fast.")
        const [silence] = await stored()
        expect(silence?.spec).toMatchObject({ slo: "checkout", alertPolicy: { name: "fast" } })
        const { endTime = "" } = (silence?.spec["period"] ?? {}) as { readonly endTime?: string }
        const inBerlin = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Berlin", timeStyle: "medium" })
        expect(inBerlin.format(Date.parse(endTime))).toBe("09:00:00")
        expect(Date.parse(endTime)).toBeGreaterThan(Date.now())

        await page.getByRole("button", { name: "Silence", exact: true }).click()
        await page.getByRole("button", { name: "Until resolved (acknowledge)" }).click()
        await says("Acknowledged by editor")

        await open("/alerts")
        await page.getByRole("checkbox", { name: "Select alert a-3 on The SLO mail" }).click()
        await page.getByRole("checkbox", { name: "Select alert a-2 on The SLO search" }).click()
        const bar = page.getByRole("toolbar", { name: "Selected items" })
        await bar.getByRole("button", { name: "Silence" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Duration").selectOption("4h")
        await dialog.getByLabel("Description").fill("The data center moves")
        await dialog.getByRole("button", { name: "Silence" }).click()
        await says("2 items changed.")
        const added = (await stored()).filter(({ spec }) => spec["description"] === "The data center moves")
        expect(added.map(({ spec }) => spec["slo"]).toSorted()).toEqual(["mail", "search"])
      })
    })

    it("spec/console §10: keeps what others changed after a form was begun", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const field = (label: string) => page.getByLabel(label, { exact: true })
        const silence = (spec: object) => ({
          kind: "AlertSilence",
          metadata: { name: "night", project: "default", annotations: { owner: "anna", room: "one" } },
          spec: { slo: "checkout", period: { duration: "1h" }, ...spec },
        })
        const stored = async () =>
          JSON.parse(await api.send("GET", "/api/get/alertsilences", undefined, "default"))[0]
        const kept = "Your unsaved changes were restored. What others have changed since is kept"
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("checkout"),
          silence({}),
        ])
        await open("/silences/default/night")
        const edit = page.getByRole("link", { name: "Edit silence" })
        await edit.click()
        await field("Value of annotation 1").fill("jane")
        await page.goBack()
        await edit.waitFor()
        await api.apply([silence({ period: { duration: "3h" } })])
        await edit.click()
        await says(kept)
        await expect.poll(() => field("Duration").inputValue()).toBe("3h")
        await expect.poll(() => field("Value of annotation 1").inputValue()).toBe("jane")

        // So does YAML.
        const yaml = field("Definition as YAML")
        await yaml.fill((await yaml.inputValue()).replace("room: one", "room: two"))
        await page.goBack()
        await edit.waitFor()
        await api.apply([silence({ period: { duration: "4h" }, description: "Backup" })])
        await edit.click()
        await says(kept)
        await expect.poll(() => field("Description").inputValue()).toBe("Backup")
        await expect.poll(() => field("Value of annotation 2").inputValue()).toBe("two")
        await page.getByRole("button", { name: "Save silence" }).click()
        await page.getByRole("heading", { level: 1, name: "night", exact: true }).waitFor()
        expect(await stored()).toMatchObject({
          metadata: { annotations: { owner: "jane", room: "two" } },
          spec: { description: "Backup", period: { duration: "4h" } },
        })
      })
    })

    it("keeps times that are not changed, also when the time zone is switched", async () => {
      await visit(stage(), { timezoneId: "Europe/Berlin" }, async ({ page, open, api }) => {
        const field = (label: string) => page.getByLabel(label, { exact: true })
        const stored = async (kind: string) =>
          JSON.parse(await api.send("GET", `/api/get/${kind}`, undefined, "default"))[0].spec
        const period = { startTime: "2026-06-01T21:00:15Z", endTime: "2026-06-01T23:00:00Z" }
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("checkout"),
          {
            kind: "AlertSilence",
            metadata: { name: "night", project: "default" },
            spec: { slo: "checkout", period },
          },
        ])
        await open("/silences/default/night/edit")
        await expect.poll(() => field("Start").inputValue()).toBe("2026-06-01 23:00")
        // What is no time is said, a time of another form may be pasted, and the arrow keys change the part at the cursor.
        await field("End").fill("2026-06-31 02:00")
        await field("Description").focus()
        await page.getByText("Enter a day and a time, such as 2026-11-29 14:05.").waitFor()
        await field("End").fill("2026-06-02T03:00:00")
        await field("End").fill("2026-06-02 03:00")
        await field("End").press("Home")
        for (const key of Array.from({ length: 12 }, () => "ArrowRight")) await page.keyboard.press(key)
        await page.keyboard.press("ArrowDown")
        await expect.poll(() => field("End").inputValue()).toBe("2026-06-02 02:00")
        expect(await page.getByText("Enter a day and a time").count()).toBe(0)
        await page.getByRole("button", { name: /Switch to UTC/ }).click()
        await expect.poll(() => field("Start").inputValue()).toBe("2026-06-01 21:00")
        await expect.poll(() => field("End").inputValue()).toBe("2026-06-02 00:00")
        await page.getByText("Recurring", { exact: true }).click()
        await expect.poll(() => field("Start").inputValue()).toBe("2026-06-01 21:00")
        expect(await field("Time zone").inputValue()).toBe("UTC")
        await page.getByText("Once", { exact: true }).click()
        await field("Description").fill("Edited")
        await page.getByRole("button", { name: "Save silence" }).click()
        await page.getByRole("heading", { level: 1, name: "night", exact: true }).waitFor()
        expect((await stored("alertsilences")).period).toEqual({
          startTime: period.startTime,
          endTime: "2026-06-02T00:00:00Z",
        })

        // Two times that the clock shows alike.
        await page.getByRole("button", { name: /Switch to Europe/ }).click()
        const [from, to] = ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"]
        await open(`/budget-adjustments/new?slo=default/checkout&from=${from}&to=${to}`)
        await expect.poll(() => field("Start").inputValue()).toBe("2026-10-25 02:30")
        await expect.poll(() => field("End").inputValue()).toBe("2026-10-25 02:30")
        await field("Name").fill("repeated-hour")
        await field("Reason").fill("The clock went back")
        await page.getByRole("button", { name: "Create budget adjustment" }).click()
        await page.getByRole("heading", { level: 1, name: "repeated-hour" }).waitFor()
        expect((await stored("budgetadjustments")).period).toEqual({ startTime: from, endTime: to })
      })
    })

    it("is read-only for viewers", async () => {
      await visit(stage(), { role: "viewer" }, async ({ open, says, page }) => {
        await open("/silences")
        await says("No silences yet")
        expect(await page.getByRole("link", { name: "Create silence" }).count()).toBe(0)
        await open("/silences/new")
        await says("Your role is viewer")
      })
    })
  })
