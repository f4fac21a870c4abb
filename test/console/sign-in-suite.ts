import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { clientSecret } from "./console-server.ts"
import { pressEscRepeatedly, type Stage, visit, watchFaults } from "./stage.ts"

/** Signing in, and the permissions of roles. */
export const signInSuite = (stage: () => Stage) =>
  describe("signing in", () => {
    it("reports a wrong secret, and opens the requested page with the right one", async () => {
      const { browser, server } = stage()
      const context = await browser.newContext({ baseURL: server.url })
      const page = await context.newPage()
      const faults = watchFaults(page)
      await page.goto("/deliveries")
      await page.getByLabel("Organization").fill(server.newOrganization())
      await page.getByLabel("Client ID").fill("editor")
      await page.getByLabel("Client secret", { exact: true }).fill("not the secret")
      await page.keyboard.press("Enter")
      await page.getByText("Invalid organization, client ID or client secret.").waitFor()

      await page.getByLabel("Client secret", { exact: true }).fill(clientSecret)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: "Deliveries", exact: true }).waitFor()
      const [cookie] = await context.cookies()
      expect(cookie).toMatchObject({ name: "tocsin_session", httpOnly: true, sameSite: "Strict" })
      expect(faults).toEqual([])
      await context.close()
    })

    it("signs out, and shows nothing to the next user", async () => {
      await visit(stage(), {}, async ({ page, context, open }) => {
        await open("/alert-methods")
        await page.getByRole("button", { name: "Sign out" }).click()
        await page.getByRole("form", { name: "Sign in" }).waitFor()
        expect(await context.cookies()).toEqual([])
        await page.goto("/alert-methods")
        await page.getByRole("form", { name: "Sign in" }).waitFor()
        expect(await page.getByRole("navigation").count()).toBe(0)
      })
    })

    it("asks again when the session has expired, and keeps unsaved input", async () => {
      const { server } = stage()
      await visit(stage(), {}, async ({ page, open, says }) => {
        await open("/alert-methods/new")
        await page.getByLabel("Display name").fill("On call")
        await page.getByLabel("URL").fill(`${server.receiver.url}/kept`)
        // The session expires after a check of both: the headers of a valid request are shown.
        await page.getByRole("tab", { name: "Headers" }).click()
        await says("Signature-Input")
        await expireDuring(page, () =>
          page.getByLabel("Description", { exact: true }).fill("Typed after the end"),
        )
        const dialog = page.getByRole("dialog", { name: "Your session has expired" })
        await dialog.waitFor()
        await expect.poll(() => page.evaluate("document.activeElement?.name")).toBe("password")
        expect(await dialog.getByLabel("Organization").getAttribute("readonly")).not.toBeNull()
        await pressEscRepeatedly(page)
        await dialog.getByLabel("Client secret", { exact: true }).fill(clientSecret)
        await dialog.getByRole("button", { name: "Sign in", exact: true }).click()
        await dialog.waitFor({ state: "detached" })

        await expect.poll(() => page.getByLabel("Display name").inputValue()).toBe("On call")
        await expect
          .poll(() => page.getByLabel("Description", { exact: true }).inputValue())
          .toBe("Typed after the end")
        // Also the call that saves waits for it.
        await expireDuring(page, () => page.getByRole("button", { name: "Create alert method" }).click())
        await dialog.getByLabel("Client secret", { exact: true }).fill(clientSecret)
        await dialog.getByRole("button", { name: "Sign in", exact: true }).click()
        await page.getByRole("heading", { name: "On call" }).waitFor()
        await says("Typed after the end")
      })
    })

    it("shows a viewer everything without any action that changes something", async () => {
      const { server } = stage()
      const organization = server.newOrganization()
      const api = await server.api(organization)
      await api.apply([aMethod("on-call", `${server.receiver.url}/viewed`)])
      await visit(stage(), { role: "viewer", organization }, async ({ page, open, says }) => {
        await open("/alert-methods")
        await says("On call")
        expect(await page.getByRole("link", { name: "Create alert method" }).count()).toBe(0)
        await open("/alert-methods/default/on-call")
        await says("Definition")
        expect(await page.locator("main button:not([aria-label^=Copy])").count()).toBe(0)
        await open("/alert-methods/default/on-call/edit")
        await says("Your role is viewer")
        await open("/signing")
        await says("Active")
        expect(await page.getByRole("button", { name: "Rotate key" }).count()).toBe(0)
        const refused = await page.evaluate(async () => {
          const headers = { "x-tocsin-console": "1" }
          const { status } = await fetch("/api/alertmethods/on-call/test", { method: "POST", headers })
          return status
        })
        expect(refused).toBe(403)
      })
    })
  })

/** A definition of an alert method with a URL. */
export const aMethod = (name: string, url: string, webhook: object = { templateFields: ["slo_name"] }) => ({
  kind: "AlertMethod",
  metadata: { name, project: "default", displayName: "On call" },
  spec: { webhook: { url, ...webhook } },
})

/**
 * Lets the session expire while somebody does something. The server hears of nothing before it is done: any other
 * request, such as those that keep the page live, would open the dialog, which takes the focus and every click.
 */
const expireDuring = async (page: Page, act: () => Promise<void>): Promise<void> => {
  let release = (): void => undefined
  const isDone = new Promise<void>((resolve) => (release = resolve))
  await page.route("**/api/**", async (route) => {
    await isDone
    await route.fallback()
  })
  await page.context().clearCookies()
  await act()
  release()
}
