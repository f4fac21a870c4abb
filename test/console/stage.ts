import axe, { type AxeResults } from "axe-core"
import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import { expect, vi } from "vitest"
import { type Credentials, startSession } from "./browser.ts"
import { type ConsoleServer, clientSecret, type TestApi } from "./console-server.ts"

/** Where the browser tests play: one browser, one server. */
export interface Stage {
  readonly browser: Browser
  readonly server: ConsoleServer
}

/** Who looks at the console, and how. */
export interface VisitOptions {
  readonly role?: "admin" | "editor" | "viewer"
  /** Default: one that nobody has used. */
  readonly organization?: string
  /** In pixels; 390 is a phone's. */
  readonly width?: number
  readonly colorScheme?: "light" | "dark"
  /** Whether the screen is touched. */
  readonly hasTouch?: boolean
  /** The time zone of the browser. */
  readonly timezoneId?: string
}

/** Somebody at the console, who is signed in. */
export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  readonly organization: string
  readonly api: TestApi
  /** Opens a page by its path; before the first, none is open. */
  readonly open: (path: string) => Promise<void>
  /** Waits until the page says a text. */
  readonly says: (text: string | RegExp) => Promise<void>
}

/**
 * Gives somebody a session, in a browser of their own, and lets them do something.
 *
 * Fails when a script of the page fails, or when the page's policy refuses anything, whatever the visit is about.
 */
export const visit = async (
  { browser, server }: Stage,
  options: VisitOptions,
  act: (visit: Visit) => Promise<void>,
): Promise<void> => {
  const { organization = server.newOrganization(), role = "editor" } = options
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: 840 },
    colorScheme: options.colorScheme ?? "light",
    reducedMotion: "reduce",
    hasTouch: options.hasTouch ?? false,
    ...(options.timezoneId !== undefined && { timezoneId: options.timezoneId }),
    baseURL: server.url,
  })
  try {
    const page = await context.newPage()
    const faults = watchFaults(page)
    const api = await server.api(organization)
    await startSession(context, { organization, clientId: role, clientSecret })
    await act({
      page,
      context,
      organization,
      api,
      open: async (path) => {
        await page.goto(path)
        await eventually(async () => expect(await page.evaluate(isComplete)).toBe(true))
      },
      says: async (text) => {
        const shown = page.getByText(text).first()
        try {
          // The browser's driver itself looks only every 500 ms.
          await expect.poll(() => shown.isVisible(), { message: `The page says ${text}` }).toBe(true)
        } catch (cause) {
          const shownInstead = (await page.locator("main").innerText()).slice(0, 4000)
          throw new Error(`The page does not say ${text}, but:\n${shownInstead}`, { cause })
        }
      },
    })
    expect(faults).toEqual([])
  } finally {
    await context.close()
  }
}

/** Whether a page shows what it is about. Waiting for this by the browser's driver would take up to 500 ms longer. */
const isComplete = `document.querySelector("h1")?.checkVisibility() === true &&
  document.querySelector("main:not([aria-busy=true])") !== null`

/** Opens a path and signs in there. */
export const signIn = async (page: Page, credentials: Credentials, path = "/"): Promise<void> => {
  await page.goto(path)
  await page.getByLabel("Organization").fill(credentials.organization)
  await page.getByLabel("Client ID").fill(credentials.clientId)
  await page.getByLabel("Client secret", { exact: true }).fill(credentials.clientSecret)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("navigation", { name: "Pages" }).waitFor()
}

/** Gathers what must never happen while somebody only does what works: as `watchFaults`, and requests that fail. */
export const watchRequests = (page: Page): ReadonlyArray<string> => {
  const faults: Array<string> = []
  page.on("pageerror", (error) => faults.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text())
  })
  page.on("response", (response) => {
    if (response.status() >= 400)
      faults.push(`${response.request().method()} ${response.url()}: ${response.status()}`)
  })
  page.on("requestfailed", (request) => {
    // The browser cancels the requests of a page that is left.
    const reason = request.failure()?.errorText
    if (reason !== "net::ERR_ABORTED") faults.push(`${request.method()} ${request.url()}: ${reason}`)
  })
  return faults
}

/** Gathers what must never happen on any page. */
export const watchFaults = (page: Page): ReadonlyArray<string> => {
  const faults: Array<string> = []
  page.on("pageerror", (error) => faults.push(error.message))
  page.on("console", (message) => {
    // The browser logs every response with a status of 400 or more; the tests check them.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text())
  })
  return faults
}

/** Tries until what is expected of a page is so. */
export const eventually = (expectation: () => Promise<void>): Promise<void> =>
  vi.waitFor(expectation, { timeout: 60_000, interval: 50 })

/** What a checker of accessibility finds serious or worse on the page as it is, by all its rules or by some. */
export const seriousFindings = async (
  page: Page,
  rules?: ReadonlyArray<string>,
): Promise<ReadonlyArray<string>> => findings(page, rules, ["serious", "critical"])

/** What a checker of accessibility finds on the page as it is, of every impact or of some. */
export const findings = async (
  page: Page,
  rules?: ReadonlyArray<string>,
  impacts?: ReadonlyArray<string>,
): Promise<ReadonlyArray<string>> => {
  // Evaluated by the debugger, as the page's own policy lets no such script in.
  if (await page.evaluate("globalThis.axe === undefined")) await page.evaluate(axe.source)
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) }
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`)
  return violations
    .filter(({ impact }) => impacts === undefined || impacts.includes(impact ?? ""))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    )
}

/** By how many pixels a page is wider than what is seen of it. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate("Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)")

/** Presses Esc more often than Chromium lets a page prevent that a dialog closes. */
export const pressEscRepeatedly = async (page: Page): Promise<void> => {
  for (let pressed = 0; pressed < 5; pressed++) await page.keyboard.press("Escape")
}

/** Whether an element has the focus. */
export const isFocused = async (element: Locator): Promise<boolean> =>
  (await element.and(element.page().locator(":focus")).count()) === 1
