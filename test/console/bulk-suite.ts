import { describe, expect, it } from "vitest"
import { anSlo } from "./delivery-suite.ts"
import { overflowOf, pressEscRepeatedly, seriousFindings, type Stage, visit } from "./stage.ts"

/** Several items of a list at once: chosen by checkbox, with a result for each. */
export const bulkSuite = (stage: () => Stage) =>
  describe("bulk actions", () => {
    it("spec/console §10: labels SLOs, gives them an alert policy, and says what failed for which", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([
          { kind: "Project", metadata: { name: "shop" } },
          ...["default", "shop"].map((project) => ({
            kind: "Service",
            metadata: { name: "checkout", project },
          })),
          ...["a", "b", "c"].map((name) => anSlo(name)),
          { ...anSlo("d"), metadata: { name: "d", project: "shop", displayName: "The SLO c" } },
          {
            kind: "AlertPolicy",
            metadata: { name: "fast", project: "default" },
            spec: { severity: "High", sreWorkbook: "page", alertMethods: [] },
          },
        ])
        const slos = async (): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> =>
          JSON.parse(await api.send("GET", "/api/get/slos", undefined, "*")).map(
            ({
              metadata,
              spec,
            }: {
              readonly metadata: { readonly name: string; readonly labels?: object }
              readonly spec: { readonly alertPolicies?: ReadonlyArray<string> }
            }) => ({ name: metadata.name, labels: metadata.labels, policies: spec.alertPolicies ?? [] }),
          )
        await open("/slos?sort=name")
        await page.getByRole("button", { name: "Select", exact: true }).click()
        const bar = page.getByRole("toolbar", { name: "Selected items" })
        const dialog = page.getByRole("dialog")
        await page.getByLabel("Select default/a").click()
        await page.getByLabel("Select default/c").click({ modifiers: ["Shift"] })
        await bar.getByText("3 selected").waitFor()
        await bar.getByRole("button", { name: "Add label" }).click()
        await dialog.getByLabel("Label").fill("team=payments")
        expect(await seriousFindings(page)).toEqual([])
        let release = (): void => undefined
        const held = new Promise<void>((resolve) => (release = resolve))
        await page.route("**/api/**", async (route) => {
          if (route.request().method() !== "GET") await held
          await route.fallback()
        })
        await dialog.getByRole("button", { name: "Add label" }).click()
        await dialog.getByText("0 of 3").waitFor()
        await pressEscRepeatedly(page)
        await dialog.getByText("0 of 3").waitFor()
        release()
        await says("3 items changed.")
        const team = { team: ["payments"] }
        expect((await slos()).map(({ labels }) => labels)).toEqual([team, team, team, undefined])

        await page.getByLabel("Select default/b").click()
        await page.getByLabel("Select shop/d").click()
        await bar.getByRole("button", { name: "Add alert policy" }).click()
        await dialog.getByLabel("Alert policy").fill("fast")
        await dialog.getByRole("button", { name: "Add alert policy" }).click()
        await says("1 of 2 changed. The others stay selected:")
        // By the name that the list shows, and the key, which tells two of that name apart.
        await says("The SLO c shop/d")
        await bar.getByText("1 selected").waitFor()
        expect((await slos()).map(({ policies }) => policies)).toEqual([[], ["fast"], [], []])
        expect(await page.getByLabel("Select shop/d").isChecked()).toBe(true)

        await page.getByLabel("Select default/a").click()
        await page.getByLabel("Select default/b").click()
        await bar.getByRole("button", { name: "Move", exact: true }).click()
        await dialog.getByLabel("New project").fill("shop")
        expect(
          await dialog.getByRole("list", { name: "Selected items" }).getByRole("listitem").allInnerTexts(),
        ).toEqual(["The SLO a default/a", "The SLO b default/b", "The SLO c shop/d"])
        expect(await seriousFindings(page)).toEqual([])
        await dialog.getByRole("button", { name: "Move", exact: true }).click()
        await says("1 of 3 changed. The others stay selected:")
        await says("The SLO is already in project shop.")
        await says(
          "The SLO has alert policies. Select “Remove alert policies” to move it to another project.",
        )
        await page.getByLabel("Select shop/a").waitFor()
        await page.getByLabel("Select shop/d").click()
        await bar.getByRole("button", { name: "Move", exact: true }).click()
        await dialog.getByLabel("Remove alert policies").click()
        await dialog.getByRole("button", { name: "Move", exact: true }).click()
        await says("1 item changed.")
        await page.getByLabel("Select shop/b").click()
        await page.setViewportSize({ width: 390, height: 840 })
        expect(await overflowOf(page)).toBe(0)
        expect(await seriousFindings(page)).toEqual([])
      })
    })

    it("spec/console §11: moves an SLO to a new project on its page, once no silence names it", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("a"),
          {
            kind: "AlertSilence",
            metadata: { name: "night", project: "default" },
            spec: { slo: "a", period: { startTime: new Date().toISOString(), duration: "1h" } },
          },
        ])
        await open("/slos/default/a")
        await page.getByRole("button", { name: "Move", exact: true }).click()
        const dialog = page.getByRole("dialog")
        expect(await dialog.getByRole("button", { name: "Move", exact: true }).isDisabled()).toBe(true)
        await dialog.getByLabel("New project").fill("payments")
        await dialog.getByLabel("New project").press("Enter")
        await says("because a silence is of one project: delete ")
        expect(await seriousFindings(page)).toEqual([])
        await api.send("DELETE", "/api/delete/alertsilences?name=night")
        await dialog.getByLabel("Service", { exact: true }).fill("cards")
        await dialog.getByRole("button", { name: "Move", exact: true }).click()
        await page.waitForURL("**/slos/payments/a")
        await says("payments / cards")
      })
    })

    it("spec/console §10: ends silences that are active, and deletes them", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const silence = (name: string, spec: object) => ({
          kind: "AlertSilence",
          metadata: { name, project: "default", displayName: `Silence ${name}` },
          spec: { slo: "checkout", ...spec },
        })
        const startTime = new Date(Date.now() - 600_000).toISOString()
        // Between two of its periods on every day of the week.
        const threeDaysAgo = new Date(Date.now() - 3 * 86_400_000).toISOString()
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("checkout"),
          silence("once", { period: { startTime, duration: "2h" } }),
          silence("over", { period: { startTime: threeDaysAgo, duration: "1h" } }),
          silence("always", {
            recurrence: {
              startTime: "2026-01-01 02:00:00",
              timeZone: "UTC",
              rrule: "FREQ=DAILY",
              duration: "24h",
            },
          }),
          silence("weekly", {
            recurrence: {
              startTime: `${threeDaysAgo.slice(0, 16).replace("T", " ")}:00`,
              timeZone: "UTC",
              rrule: "FREQ=WEEKLY",
              duration: "1h",
            },
          }),
        ])
        await open("/slos/default/checkout")
        await says(/Alerts are silenced until .* by Silence once\./)
        await says("Alerts are silenced by Silence always.")
        await open("/silences/default/always")
        await says("for more than a year")
        await api.send("DELETE", "/api/delete/alertsilences?name=always")
        await open("/silences")
        await says(/Active\s*until /)
        await says(/Scheduled\s*from /)
        const bar = page.getByRole("toolbar", { name: "Selected items" })
        await page.getByLabel("Select default/once").click()
        await bar.getByRole("button", { name: "Select all" }).click()
        await bar.getByRole("button", { name: "End now" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "End now" }).click()
        await says("A recurring silence can’t be ended. Delete it instead.")
        await says("Silence weekly default/weekly")
        const [once] = JSON.parse(await api.send("GET", "/api/get/alertsilences?name=once", undefined, "*"))
        expect(once.spec.period).not.toHaveProperty("duration")
        expect(Date.parse(once.spec.period.endTime)).toBeLessThanOrEqual(Date.now())
        expect(once.spec.period.startTime).toBe(startTime)
        const [over] = JSON.parse(await api.send("GET", "/api/get/alertsilences?name=over", undefined, "*"))
        expect(over.spec.period).toEqual({ startTime: threeDaysAgo, duration: "1h" })
        await bar.getByText("1 selected").waitFor()
        await bar.getByRole("button", { name: "Delete" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
        await says("1 item changed.")
        await page.getByLabel("Select default/weekly").waitFor({ state: "detached" })
      })
    })
  })
