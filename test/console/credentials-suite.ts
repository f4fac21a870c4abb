import { issueOperatorToken } from "@tocsin/adapters-http/server"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { consoleMasterKey } from "./console-server.ts"
import {
  eventually,
  overflowOf,
  pressEscRepeatedly,
  seriousFindings,
  type Stage,
  visit,
  watchFaults,
} from "./stage.ts"

/** Who may sign in: the page of credentials, and links that sign in. */
export const credentialsSuite = (stage: () => Stage) =>
  describe("credentials", () => {
    it("are created, rotated, disabled and deleted by an admin, with secrets that are shown once", async () => {
      await visit(stage(), { role: "admin" }, async ({ page, open, says, organization }) => {
        await open("/credentials")
        await page.getByRole("button", { name: "Create credential" }).click()
        await page.getByLabel("Role").selectOption("editor")
        await page.getByLabel("Client ID").fill("ci:deploy")
        await page.getByRole("button", { name: "Create", exact: true }).click()
        await says("must be visible ASCII characters without a colon")
        await page.getByLabel("Client ID").fill("ci-deploy")
        await page.getByRole("button", { name: "Create", exact: true }).click()
        await says("The secret is shown only now.")
        await pressEscRepeatedly(page)
        const variables = await page.getByRole("region", { name: "Environment variables" }).innerText()
        const [, first] = /TOCSIN_CLIENT_SECRET='([\w-]{43})'/.exec(variables) ?? []
        expect(await seriousFindings(page)).toEqual([])
        await page.getByRole("button", { name: "Done" }).click()

        const token = async (secret: string | undefined): Promise<number> => {
          const response = await fetch(`${stage().server.url}/api/console/session`, {
            method: "POST",
            headers: { "content-type": "application/json", "x-tocsin-console": "1" },
            body: JSON.stringify({ organization, clientId: "ci-deploy", clientSecret: secret }),
          })
          return response.status
        }
        expect(await token(first)).toBe(200)
        const row = page.getByRole("row").filter({ hasText: "ci-deploy" })
        await row.getByText("Editor").waitFor()

        await page.getByRole("button", { name: "Rotate secret of ci-deploy" }).click()
        await page.getByLabel("The current secret stops working").selectOption({ label: "Immediately" })
        await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click()
        const second = await page.getByRole("region", { name: "Client secret" }).innerText()
        expect(second).not.toBe(first)
        expect([await token(first), await token(second)]).toEqual([401, 200])
        await page.getByRole("button", { name: "Done" }).click()
        expect(await page.content()).not.toContain(second)

        await row.getByRole("button", { name: "Disable" }).click()
        const disable = page.getByRole("dialog").getByRole("button", { name: "Disable" })
        expect(await disable.isDisabled()).toBe(true)
        await page.getByLabel(/^Type .+ to confirm$/).fill("ci-deploy")
        await disable.click()
        // Not the text of the dialog, which is in the row too.
        await row.getByText("Disabled", { exact: true }).waitFor()
        expect(await token(second)).toBe(401)
        await row.getByRole("button", { name: "Delete" }).click()
        await page.getByRole("dialog").getByLabel("to confirm").fill("ci-deploy")
        await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
        await row.waitFor({ state: "detached" })

        const own = page.getByRole("row").filter({ hasText: "in use by you" })
        expect(await own.getByRole("button", { name: "Delete" }).count()).toBe(0)
      })
    })

    it("are explained to an editor, and fit on a phone in the dark", async () => {
      await visit(stage(), { role: "editor" }, async ({ open, says, page }) => {
        await open("/credentials")
        await says("Managing credentials requires the admin role.")
        expect(await page.getByRole("button", { name: "Create credential" }).count()).toBe(0)
      })
      await visit(stage(), { role: "admin", width: 390, colorScheme: "dark" }, async ({ open, page }) => {
        await open("/credentials")
        await page.getByText("viewer").first().waitFor()
        expect(await overflowOf(page)).toBe(0)
        expect(await seriousFindings(page)).toEqual([])
      })
    })

    it("spec/console §1: a link signs in once, and then leads to the form", async () => {
      const { browser, server } = stage()
      const organization = server.newOrganization()
      const response = await fetch(`${server.url}/api/operator/credentials/viewer/sign-in-link`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${await Effect.runPromise(issueOperatorToken(consoleMasterKey))}`,
          organization,
        },
      })
      const { hash } = new URL(((await response.json()) as { readonly url: string }).url)
      const context = await browser.newContext({ baseURL: server.url })
      try {
        const page = await context.newPage()
        const faults = watchFaults(page)
        await page.goto(`/sign-in${hash}`)
        await page.getByRole("navigation", { name: "Pages" }).waitFor()
        await eventually(async () => expect(page.url()).not.toContain("link"))
        await context.clearCookies()
        const again = await context.newPage()
        await again.goto(`/sign-in${hash}`)
        await again.getByText("The sign-in link was used, or it has expired.").waitFor()
        expect(await again.getByLabel("Organization").count()).toBe(1)
        await eventually(async () => expect(again.url()).not.toContain("link"))
        expect(faults).toEqual([])
      } finally {
        await context.close()
      }
    })
  })
