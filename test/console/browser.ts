import chromium from "@sparticuz/chromium"
import { type Browser, type BrowserContext, chromium as driver } from "playwright-core"

/** Starts Chromium from the package that brings it along; nothing has to be installed. */
export const startBrowser = async (more: ReadonlyArray<string> = []): Promise<Browser> =>
  driver.launch({
    executablePath: await chromium.executablePath(),
    args: [
      // What the package adds for small cloud functions would also turn off what is tested here.
      ...chromium.args.filter(
        (each) =>
          !/^--(disable-web-security|allow-running|single-process|headless)/.test(each) &&
          // Pages are drawn without a simulated graphics card, which would take longer than all the rest.
          !/^--(use-gl|use-angle|enable-unsafe-swiftshader|ignore-gpu-blocklist|in-process-gpu)/.test(each),
      ),
      "--disable-gpu",
      "--disable-background-networking",
      ...more,
    ],
  })

/** What somebody signs in with. */
export interface Credentials {
  readonly organization: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Starts a session as the form does, without a page. */
export const startSession = async (context: BrowserContext, credentials: Credentials): Promise<void> => {
  const start = () =>
    context.request.post("/api/console/session", {
      data: credentials,
      headers: { "x-tocsin-console": "1" },
    })
  let response = await start()
  // A fast machine signs in more often than is allowed.
  while (response.status() === 429) {
    const seconds = Number(response.headers()["retry-after"] ?? 1)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
    response = await start()
  }
  if (!response.ok()) throw new Error(`Signing in was answered ${response.status()}`)
}
