import { sampleVariableValues } from "@tocsin/domain/template"
import type { Page, Route } from "playwright-core"
import { describe, expect, it } from "vitest"
import { aMethod } from "./sign-in-suite.ts"
import { eventually, type Stage, visit } from "./stage.ts"

/** The form of contract 2.1: every rule while typing, and no input lost. */
export const formSuite = (stage: () => Stage) =>
  describe("the form of an alert method", () => {
    it("creates one with predefined details, after every kind of error", async () => {
      const { receiver } = stage().server
      await visit(stage(), {}, async ({ page, open, says }) => {
        await open("/alert-methods")
        await page.getByRole("link", { name: "Create alert method" }).click()

        // An untouched field shows no error; the first submit shows all errors and focuses the first field.
        await page.getByRole("button", { name: "Create alert method" }).click()
        await errorOf(page, "Name", "Is required.")
        await errorOf(page, "URL", /^Is required/)
        await expect.poll(() => focusedId(page)).toBe("metadata.name")
        // What a field shows is not said again above the buttons.
        expect(await page.getByRole("alert").allInnerTexts()).toEqual([])

        // The name follows the display name until it is edited.
        await page.getByLabel("Display name").fill("Ops – On Call №1")
        await expect.poll(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe("ops-on-call-no1")
        await page.getByLabel("Name", { exact: true }).fill("On_Call")
        await errorOf(page, "Name", /lowercase/i)
        await page.getByLabel("Display name").fill("Ops on call")
        await expect.poll(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe("On_Call")
        await page.getByLabel("Name", { exact: true }).fill("")
        await page.getByLabel("Display name").fill("Ops on call!")
        await expect.poll(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe("ops-on-call")

        await page.getByLabel("Project", { exact: true }).fill("nowhere")
        await errorOf(page, "Project", /does not exist: nowhere/)
        await page.getByLabel("Project", { exact: true }).fill("")

        await page.getByLabel("Description", { exact: true }).fill("ü".repeat(1_051))
        await says("1,051 of 1,050 characters")
        await errorOf(page, "Description", /1,?050/)
        await page.getByLabel("Description", { exact: true }).fill("Pages the engineer on call")
        await says("26 of 1,050 characters")

        await page.getByRole("button", { name: "Add annotation" }).click()
        await page.getByLabel("Key of annotation 1").fill("-owner")
        await errorOf(page, "Key of annotation 1", /letter or digit/)
        await page.getByLabel("Key of annotation 1").fill("example.com/owner")
        await page.getByLabel("Value of annotation 1").fill("payments")
        await page.getByRole("button", { name: "Add annotation" }).click()
        await page.getByLabel("Key of annotation 2").fill("example.com/owner")
        await errorOf(page, "Key of annotation 2", /use each key once/)
        await page.getByRole("button", { name: "Remove annotation 2" }).click()

        for (const [url, message] of [
          ["http://hooks.example.com/", /must start with https/i],
          ["https://user:pass@hooks.example.com/", /user/i],
          ["https://10.0.0.1/", /public/i],
        ] as const) {
          await page.getByLabel("URL").fill(url)
          await errorOf(page, "URL", message)
        }
        await page.getByLabel("URL").fill(`${receiver.url}/predefined`)

        await page.getByRole("button", { name: "Add header" }).click()
        await page.getByLabel("Name of header 1").fill("Content-Digest")
        await errorOf(page, "Name of header 1", /Tocsin sets/)
        await page.getByLabel("Name of header 1").fill("X Team")
        await errorOf(page, "Name of header 1", /digits, - and _/)
        await page.getByLabel("Name of header 1").fill("X-Team")
        await page.getByLabel("Value of header 1").fill("päyments")
        await errorOf(page, "Value of header 1", /ASCII/)
        await page.getByLabel("Value of header 1").fill("payments")
        await page.getByRole("button", { name: "Add header" }).click()
        await page.getByLabel("Name of header 2").fill("x-team")
        await errorOf(page, "Name of header 2", /./)
        await page.getByLabel("Name of header 2").fill("Api-Key")
        await page.getByLabel("Header 2 is secret").click()
        await page.getByLabel("Value of header 2").fill("s3cr3t-value")
        await expect.poll(() => page.getByLabel("Value of header 2").getAttribute("type")).toBe("password")

        // Ten are ticked at first; at least one has to be.
        const boxes = page
          .getByRole("group", { name: /details, in the order of selection/ })
          .getByRole("checkbox")
        await expect.poll(() => boxes.count()).toBe(28)
        await expect.poll(() => page.getByRole("checkbox", { checked: true }).count()).toBe(10)
        for (const box of await page
          .getByRole("checkbox", { checked: true })
          .all()
          .then((all) => all.toReversed())) {
          await box.uncheck()
        }
        await says("Select at least one detail.")
        await page.getByRole("checkbox", { name: "severity" }).check()
        await page.getByRole("checkbox", { name: "slo_name", exact: true }).check()
        await page.getByRole("checkbox", { name: "alert_policy_conditions[]" }).check()

        // The very body, in the order of the ticks.
        await page.getByText("Raw").click()
        const body = page.getByRole("region", { name: "Body" })
        await eventually(async () =>
          expect(await body.innerText()).toBe(
            JSON.stringify({
              severity: sampleVariableValues.severity,
              slo_name: sampleVariableValues.slo_name,
              alert_policy_conditions: sampleVariableValues.alert_policy_conditions,
            }),
          ),
        )
        await page.getByRole("tab", { name: "Headers" }).click()
        await says("Signature-Input")
        await says("X-Team")
        expect(await page.getByRole("tabpanel").innerText()).not.toContain("s3cr3t-value")
        await page.getByRole("tab", { name: "Signature base" }).click()
        await says(`"@authority": ${new URL(receiver.url).host}`)

        // The YAML is a form of its own. A secret that was entered survives a change of it.
        const yaml = page.getByLabel("Definition as YAML", { exact: true })
        const written = await yaml.inputValue()
        expect(written).toContain("kind: AlertMethod")
        expect(written).toContain("[hidden]")
        expect(written).not.toContain("s3cr3t-value")
        await yaml.fill(written.replace("Pages the engineer on call", "Pages the SRE on call"))
        await expect
          .poll(() => page.getByLabel("Description", { exact: true }).inputValue())
          .toBe("Pages the SRE on call")
        await yaml.fill(written.replace("kind: AlertMethod", "kind: AlertMethod\n  - no: YAML"))
        await errorOf(page, "Definition as YAML", /^Line 3: /)
        await page.getByRole("button", { name: "Discard YAML changes" }).click()
        await page.getByLabel("Description", { exact: true }).fill("Pages the engineer on call")
        await expect.poll(() => yaml.inputValue()).toContain("Pages the engineer on call")
        await page.getByLabel("Show secret values").click()
        await expect.poll(() => yaml.inputValue()).toContain("s3cr3t-value")

        await page.getByRole("button", { name: "Create alert method" }).click()
        await page.getByRole("heading", { level: 1, name: "Ops on call!", exact: true }).waitFor()
        await says("Pages the engineer on call")
        await expect.poll(() => page.url()).toContain("/alert-methods/default/ops-on-call")
        expect(await page.locator("main").innerText()).not.toContain("s3cr3t-value")
      })
    })

    it("focuses the first error also when it is submitted before the check has finished", async () => {
      await visit(stage(), {}, async ({ page, open }) => {
        const held: Array<Route> = []
        let isHolding = true
        await page.route(/dry_run=true/, (route) => {
          if (isHolding && route.request().postData()?.includes("On call")) held.push(route)
          else return route.continue()
        })
        await open("/alert-methods/new")
        await page.getByLabel("Display name").fill("On call")
        await eventually(async () => expect(held.length).toBe(1))
        isHolding = false
        await page.getByRole("button", { name: "Create alert method" }).click()
        await held[0]?.continue()
        await errorOf(page, "URL", /Is required/)
        await expect.poll(() => focusedId(page)).toBe("spec.webhook.url")
      })
    })

    it("creates one with custom JSON, completes variables after a dollar, and shows every error at its line", async () => {
      const { receiver } = stage().server
      await visit(stage(), {}, async ({ page, open, api }) => {
        await open("/alert-methods/new")
        await page.getByLabel("Display name").fill("Custom")
        await page.getByLabel("URL").fill(`${receiver.url}/custom`)
        await page.getByText("Custom JSON").click()
        const editor = page.getByRole("textbox", { name: "Template" })
        // It begins with what the list would send.
        await expect.poll(() => editor.innerText()).toContain('"severity": "$severity"')

        const issues = page.getByRole("list", { name: "Template errors" })
        const write = async (text: string): Promise<void> => {
          await editor.click()
          await page.keyboard.press("Control+a")
          await page.keyboard.insertText(text)
        }
        for (const [template, line, message] of [
          ["text", 1, /JSON|value/i],
          ['{\n  "text": "$slo_nam"\n}', 2, /Did you mean \$slo_name/],
          ['{\n\n  "conditions": "$alert_policy_conditions[]"\n}', 3, /quotes|array/i],
          ['{ "severity": $severity }', 1, /quotes/i],
          ['{ "a": 1, "a": 2 }', 1, /duplicated/],
        ] as const) {
          await write(template)
          await eventually(async () => {
            const said = await issues.innerText()
            expect(said).toContain(`Line ${line}: `)
            expect(said).toMatch(message)
          })
          await eventually(async () =>
            expect(await page.locator(".cm-lint-marker-error").count()).toBeGreaterThan(0),
          )
        }

        await write("")
        await page.keyboard.type('{ "text": "$slo_di')
        await page.getByRole("option", { name: "$slo_display_name", selected: true }).waitFor()
        // The editor takes no key for a choice that came up under the finger.
        await page.waitForTimeout(150)
        await page.keyboard.press("Enter")
        await eventually(async () =>
          expect(await editor.innerText()).toContain('{ "text": "$slo_display_name"}'),
        )
        await page.getByText("Raw").click()
        await eventually(async () =>
          expect(await page.getByRole("region", { name: "Body" }).innerText()).toBe(
            '{"text":"Checkout latency"}',
          ),
        )
        await expect.poll(() => issues.innerText()).toBe("")
        await page.getByLabel("Notify when an alert is resolved").click()
        await page.getByRole("button", { name: "Create alert method" }).click()
        await page.getByText("Sent", { exact: true }).waitFor()
        const stored = await api.send("GET", "/api/get/alertmethods?name=custom", undefined, "default")
        expect(JSON.parse(stored)[0].spec.webhook).toMatchObject({
          template: '{ "text": "$slo_display_name"}',
          sendResolution: true,
        })
      })
    })

    it("keeps a secret in an edit, and replaces it on request", async () => {
      const { receiver } = stage().server
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const headers = [
          { name: "Api-Key", value: "kept-secret", isSecret: true },
          { name: "Other-Key", value: "old-secret", isSecret: true },
        ]
        await api.apply([
          aMethod("secretive", `${receiver.url}/secretive`, { templateFields: ["slo_name"], headers }),
        ])
        await open("/alert-methods/default/secretive")
        await page.getByRole("link", { name: "Edit method" }).click()
        await page.getByLabel("Description", { exact: true }).fill("Edited")
        expect(await page.getByLabel("Definition as YAML", { exact: true }).inputValue()).toContain(
          "[hidden]",
        )
        expect(await page.content()).not.toContain("kept-secret")
        await page.getByRole("button", { name: "Replace value of header 2" }).click()
        await page.getByLabel("Value of header 2").fill("new-secret")
        await page.getByRole("button", { name: "Save changes" }).click()
        await page.getByRole("link", { name: "Edit method" }).waitFor()
        await says("Edited")
        await page.getByRole("button", { name: "Send test" }).click()
        await says("Test completed successfully!")
        const sent = receiver.received.find(({ path }) => path === "/secretive")
        expect(sent?.headers.get("api-key")).toBe("kept-secret")
        expect(sent?.headers.get("other-key")).toBe("new-secret")

        // A secret does not follow its URL to another host.
        await page.getByRole("link", { name: "Edit method" }).click()
        await page.getByRole("button", { name: "Replace URL" }).click()
        await page.getByLabel("URL").fill("https://elsewhere.example.com/")
        await page.getByRole("button", { name: "Save changes" }).click()
        await errorOf(page, "Value of header 1, stored and hidden", /./)
      })
    })

    it("rejects a name that is taken, and keeps unsaved values after navigation and while the server is down", async () => {
      const { receiver } = stage().server
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([aMethod("taken", `${receiver.url}/taken`)])
        await open("/alert-methods/new")
        await page.getByLabel("Display name").fill("Taken")
        await page.getByLabel("URL").fill(`${receiver.url}/other`)
        await errorOf(page, "Name", /already in use/)
        await page.getByLabel("Display name").fill("Free")

        await page.getByRole("link", { name: "Deliveries" }).click()
        await page.getByRole("heading", { level: 1, name: "Deliveries", exact: true }).waitFor()
        await page.goBack()
        await says("Your unsaved changes were restored.")
        await expect.poll(() => page.getByLabel("Display name").inputValue()).toBe("Free")

        await page.route("**/api/**", (route) => route.abort())
        await page.getByRole("button", { name: "Create alert method" }).click()
        await says("The server did not respond.")
        await expect.poll(() => page.getByLabel("Display name").inputValue()).toBe("Free")
        await page.unroute("**/api/**")
        await page.getByRole("button", { name: "Create alert method" }).click()
        await page.getByRole("heading", { level: 1, name: "Free", exact: true }).waitFor()
      })
    })
  })

/** Waits until a field says what is wrong with it. */
const errorOf = (page: Page, label: string, message: string | RegExp): Promise<void> =>
  eventually(async () => {
    const described = await page.getByLabel(label, { exact: true }).getAttribute("aria-describedby")
    const ids = (described ?? "").split(" ").filter((id) => id.endsWith("error"))
    const texts = await Promise.all(
      ids.map((id) => page.locator(`[id="${id}"]`).innerText({ timeout: 1_000 })),
    )
    expect(texts.join(" ")).toMatch(message)
  })

const focusedId = (page: Page): Promise<string | undefined> => page.evaluate("document.activeElement?.id")
