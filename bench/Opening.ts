import type { Browser } from "playwright-core"
import { startBrowser, startSession } from "../test/console/browser.ts"
import {
  buildConsole,
  type ConsoleServer,
  clientSecret,
  startConsoleServer,
} from "../test/console/console-server.ts"
import { compare, type Comparison, type Contender } from "./Compare.ts"
import { amount, roundsOf } from "./Length.ts"

const { rounds, warmUps } = roundsOf(10, 2)
const sloCount = amount(500, 50)
const deliveryCount = amount(100, 50)
const limit = "the limit of one second"

/**
 * How long a page of the console takes until it can be used, in a browser that has nothing of it yet: from asking for
 * it until what it shows of the server's is drawn, by the browser's own clock.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  buildConsole()
  const [browser, server] = await Promise.all([startBrowser(), startConsoleServer()])
  try {
    const organization = server.newOrganization()
    await fill(server, organization)
    const bytes = await firstLoadBytes(browser, server, organization)
    const second: Contender = { name: limit, round: () => Promise.resolve(1_000_000) }
    const contenders = Object.entries(pages).map(([name, page]): Contender => ({
      name,
      round: () => openPage(browser, server, organization, page),
    }))
    const title = `Opening a page of the console, of which ${Math.round(bytes / 1000)} KB are loaded at first`
    const bounds = contenders.map(({ name }) => ({ name, against: limit, atLeast: 1 }))
    return [await compare(title, [second, ...contenders], { time: "wall", rounds, warmUps, bounds })]
  } finally {
    await browser.close()
    await server.stop()
  }
}

/** A page by its path, and what of the server's it shows, of which there are at least `count`. */
export interface OpenedPage {
  readonly path: string
  readonly shown: string
  readonly count: number
}

const pages: Readonly<Record<string, OpenedPage>> = {
  [`the list of ${sloCount} SLOs`]: { path: "/slos", shown: "main [role=rowheader] a", count: 10 },
  "an SLO with its charts": { path: "/slos/default/slo-0", shown: "main figure path[d^=M]", count: 2 },
  [`the log of ${deliveryCount} deliveries`]: { path: "/deliveries", shown: "main tbody tr", count: 50 },
  "the form of an alert method, with what it would send": {
    path: "/alert-methods/new",
    shown: "main form pre",
    count: 1,
  },
}

export const openPage = async (
  browser: Browser,
  server: ConsoleServer,
  organization: string,
  { path, shown, count }: OpenedPage,
): Promise<number> => {
  const { context, page } = await signedIn(browser, server, organization)
  // The driver's own waiting looks at a page twice a second after a while.
  await page.addInitScript(`globalThis.opened = new Promise((resolve, reject) => {
    setTimeout(reject, 30_000, new Error(${JSON.stringify(`${path} never was there`)}))
    const look = () => document.querySelectorAll(${JSON.stringify(shown)}).length >= ${count}
      ? requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
      : requestAnimationFrame(look)
    look()
  })`)
  await page.goto(path, { waitUntil: "commit" })
  const milliseconds = await page.evaluate<number>("opened")
  await context.close()
  return milliseconds * 1000
}

/** A browser that has the session's cookie and no file of the console. */
export const signedIn = async (browser: Browser, server: ConsoleServer, organization: string) => {
  const context = await browser.newContext({ baseURL: server.url })
  await startSession(context, { organization, clientId: "editor", clientSecret })
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
    {
      kind: "AlertMethod",
      metadata: { name: "on-call", project: "default" },
      spec: { webhook: { url: `${server.receiver.url}/hook`, templateFields: ["slo_name"] } },
    },
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
  for (const name of names.slice(0, deliveryCount)) {
    await api.send("POST", "/api/alerts", {
      status: "triggered",
      slo: { name, project: "default" },
      alertMethods: [{ name: "on-call", project: "default" }],
    })
  }
}
