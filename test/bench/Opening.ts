import type { Browser } from "playwright-core"
import { startBrowser } from "../console/browser.ts"
import {
  buildConsole,
  type ConsoleServer,
  clientSecret,
  startConsoleServer,
} from "../console/console-server.ts"
import { compare, type Comparison, type Contender } from "./Compare.ts"

const rounds = 10
const sloCount = 500
const asked = "the second that is asked"

/**
 * How long a page of the console takes until it can be used, in a browser that has nothing of it yet: from asking for
 * it until what it shows of the server's is there.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  buildConsole()
  const [browser, server] = await Promise.all([startBrowser(), startConsoleServer()])
  try {
    const organization = server.newOrganization()
    await fill(server, organization)
    const bytes = await firstLoadBytes(browser, server, organization)
    const second: Contender = { name: asked, round: () => Promise.resolve(1_000_000) }
    const pages = Object.entries(pathByPage).map(([name, path]): Contender => ({
      name,
      round: () => open(browser, server, organization, path),
    }))
    const title = `Opening a page of the console, of which ${Math.round(bytes / 1000)} KB are loaded at first`
    const bounds = pages.map(({ name }) => ({ name, against: asked, atLeast: 1 }))
    return [await compare(title, [second, ...pages], { time: "wall", rounds, warmUps: 2, bounds })]
  } finally {
    await browser.close()
    await server.stop()
  }
}

const pathByPage = {
  [`the list of ${sloCount} SLOs`]: "/slos",
  "an SLO with its charts": "/slos/default/slo-0",
  deliveries: "/deliveries",
  "the form of an alert method": "/alert-methods/new",
}

const open = async (
  browser: Browser,
  server: ConsoleServer,
  organization: string,
  path: string,
): Promise<number> => {
  const { context, page } = await signedIn(browser, server, organization)
  const begun = performance.now()
  await page.goto(path, { waitUntil: "commit" })
  await page.locator("main:not([aria-busy=true]) h1").waitFor()
  const microseconds = (performance.now() - begun) * 1000
  await context.close()
  return microseconds
}

/** A browser that has the session's cookie and no file of the console. */
const signedIn = async (browser: Browser, server: ConsoleServer, organization: string) => {
  const context = await browser.newContext({ baseURL: server.url })
  const answer = await context.request.post("/api/console/session", {
    data: { organization, clientId: "editor", clientSecret },
    headers: { "x-tocsin-console": "1" },
  })
  if (!answer.ok()) throw new Error(`signing in was answered ${answer.status()}`)
  return { context, page: await context.newPage() }
}

/** What the first page takes of files, as they come over the wire. */
const firstLoadBytes = async (
  browser: Browser,
  server: ConsoleServer,
  organization: string,
): Promise<number> => {
  const { context, page } = await signedIn(browser, server, organization)
  const sizes: Array<Promise<{ readonly responseBodySize: number }>> = []
  page.on("requestfinished", (request) => {
    if (!new URL(request.url()).pathname.startsWith("/api/")) sizes.push(request.sizes())
  })
  await page.goto("/")
  await page.locator("main:not([aria-busy=true]) h1").waitFor()
  const read = await Promise.all(sizes)
  await context.close()
  return read.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
}

const fill = async (server: ConsoleServer, organization: string): Promise<void> => {
  const api = await server.api(organization)
  const names = Array.from({ length: sloCount }, (_, at) => `slo-${at}`)
  await api.apply([
    { kind: "Service", metadata: { name: "checkout", project: "default" } },
    ...names.map((name) => ({
      kind: "SLO",
      metadata: { name, project: "default" },
      spec: {
        service: "checkout",
        budgetingMethod: "Occurrences",
        timeWindows: [{ unit: "Day", count: 7, isRolling: true }],
        objectives: [{ name: "fast", target: 0.99 }],
      },
    })),
  ])
  const now = Math.floor(Date.now() / 60_000)
  const counts = Array.from({ length: 7 * 1_440 }, (_, back) => ({
    objective: "fast",
    at: new Date((now - back) * 60_000).toISOString(),
    good: 995,
    total: 1_000,
  }))
  for (let from = 0; from < counts.length; from += 5_000) {
    await api.send("POST", "/api/slos/slo-0/counts", counts.slice(from, from + 5_000), "default")
  }
}
