import { storedStatuses } from "@tocsin/domain/adapter"
import type { PgConnection } from "@tocsin/adapters-pg/admin"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { Browser, Page } from "playwright-core"
import { startBrowser } from "../test/console/browser.ts"
import {
  buildConsole,
  type ConsoleServer,
  startConsoleServer,
  type TestApi,
} from "../test/console/console-server.ts"
import { run as runStatement, urlOf } from "../test/crash/CrashDatabase.ts"
import { benchDatabase } from "./BenchDatabase.ts"
import { compare, type Comparison, type Contender, median } from "./Compare.ts"
import { openPage, signedIn } from "./Opening.ts"
import { amount, roundsOf } from "./Length.ts"

const sloCount = amount(10_000, 300)
const limit = "the limit of 500 ms"
const blockSize = Math.min(1_000, sloCount)
const countedSlos = 40
const frame = "a frame at 60 frames a second"

/**
 * The list of 10,000 SLOs of an organization on PostgreSQL: what the server takes for it, how long until it can be used in a
 * browser that has nothing of the console yet, and how long frames take while it scrolls.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  buildConsole()
  const scope = Scope.makeUnsafe()
  const browser = await startBrowser()
  try {
    const connection = await Effect.runPromise(Scope.provide(benchDatabase, scope))
    const store = {
      kind: "postgres" as const,
      url: Redacted.make(urlOf(connection)),
      masterKey: Redacted.make(new Uint8Array(32).fill(7)),
    }
    const first = await startConsoleServer(store)
    const organization = first.newOrganization()
    await fill(connection, await first.api(organization))
    await first.stop()
    // A process that has read nothing yet.
    const server = await startConsoleServer(store)
    try {
      const api = await server.api(organization)
      const start = performance.now()
      const before = process.cpuUsage()
      const rows = await api.send("GET", "/api/console/rows")
      const { user, system } = process.cpuUsage(before)
      const took = Math.round(performance.now() - start)
      console.log(
        `The first response of a process, of ${rows.length} bytes: ${took} ms, ${Math.round((user + system) / 1_000)} ms of CPU time`,
      )
      return [
        await serverComparison(connection, api),
        await openingComparison(browser, server, organization),
        await usingComparison(browser, server, organization),
        await scrollingComparison(browser, server, organization),
      ]
    } finally {
      await server.stop()
    }
  } finally {
    await browser.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const fill = async (connection: PgConnection, api: TestApi): Promise<void> => {
  const services = Array.from({ length: 50 }, (_, at) => `service-${at}`)
  await api.apply(services.map((name) => ({ kind: "Service", metadata: { name, project: "default" } })))
  for (let block = 0; block < sloCount; block += blockSize) {
    await api.apply(
      Array.from({ length: blockSize }, (_, at) => ({
        kind: "SLO",
        metadata: {
          name: `slo-${block + at}`,
          project: "default",
          displayName: `Endpoint ${block + at} answers in time`,
          labels: { team: [`team-${at % 20}`], env: [at % 3 === 0 ? "test" : "prod"] },
        },
        spec: {
          service: services[at % services.length],
          budgetingMethod: "Occurrences",
          timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
          objectives: [{ name: "fast", displayName: "Faster than 300 ms", target: 0.99 }],
        },
      })),
    )
  }
  const now = Math.floor(Date.now() / 3_600_000) * 3_600_000
  for (let at = 0; at < countedSlos; at++) {
    const counts = Array.from({ length: amount(1_340, 100) }, (_, back) => ({
      objective: "fast",
      at: new Date(now - back * 3_600_000).toISOString(),
      good: 990 + ((at + back) % 10),
      total: 1_000,
    }))
    for (let first = 0; first < counts.length; first += 1_000)
      await api.send("POST", `/api/slos/slo-${at}/counts`, counts.slice(first, first + 1_000), "default")
  }
  // Every status is computed before it is replaced by one of those that a month of use gives.
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const due = await runStatement(
      connection,
      "SELECT count(*)::integer AS due FROM slos WHERE due_at <= now_ms()",
    )
    if (JSON.stringify(due).includes('"due":0')) break
  }
  await runStatement(connection, changeStatuses("true"))
  await runStatement(connection, "VACUUM ANALYZE")
}

/** Writes other figures to some SLOs, which are not due before the benchmark is over. */
const changeStatuses = (condition: string): string => {
  const { json } = storedStatuses.write(
    new Map([
      [
        "fast",
        {
          burnRate: 0.123,
          errorBudgetRemaining: 12_345,
          errorBudgetRemainingPercentage: 0.456,
          reliability: 0.9876,
        },
      ],
    ]),
  )
  const varied = json
    .replace("0.123", "' || round(random()::numeric * 3, 4) || '")
    .replace("0.456", "' || round(random()::numeric * 1.3 - 0.3, 6) || '")
    .replace("0.9876", "' || round(0.98 + random()::numeric / 50, 6) || '")
  // The server may be writing statuses in another order: without waiting for it, each could wait for the other.
  return `DO $$ BEGIN
    LOCK TABLE slos IN SHARE ROW EXCLUSIVE MODE;
    UPDATE slos SET statuses = '${varied}', revision = revision + 1, due_at = now_ms() + 3600000 WHERE ${condition};
  END $$`
}

const milliseconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return (performance.now() - start) * 1_000
}

/** A snapshot is used for ten times as long as it took to read: each round waits until it is read again. */
const again = () => new Promise((resolve) => setTimeout(resolve, amount(6_000, 1_000)))

const serverComparison = (connection: PgConnection, api: TestApi): Promise<Comparison> => {
  const trends = Array.from({ length: 20 }, (_, at) => `slo=default/slo-${at}`).join("&")
  const contenders: ReadonlyArray<Contender> = [
    { name: limit, round: () => Promise.resolve(500_000) },
    {
      name: "all rows, a sixth of them changed",
      round: async () => {
        await runStatement(connection, changeStatuses("hashtext(name) % 6 = 0"))
        await again()
        return milliseconds(() => api.send("GET", "/api/console/rows"))
      },
    },
    { name: "all rows again", round: () => milliseconds(() => api.send("GET", "/api/console/rows")) },
    {
      name: "what needs attention",
      round: async () => {
        await again()
        return milliseconds(() => api.send("GET", "/api/console/overview"))
      },
    },
    {
      name: "the trends of 20 SLOs",
      round: () => milliseconds(() => api.send("GET", `/api/console/trends?${trends}`)),
    },
  ]
  return compare(`What the server takes for ${sloCount} SLOs on PostgreSQL`, contenders, {
    time: "wall",
    ...roundsOf(5, 1),
    bounds: contenders.slice(1).map(({ name }) => ({ name, against: limit, atLeast: 1 })),
  })
}

const openingComparison = (
  browser: Browser,
  server: ConsoleServer,
  organization: string,
): Promise<Comparison> => {
  const list = `opening the list of ${sloCount} SLOs`
  return compare(
    "Opening the list in a browser that has nothing of the console yet",
    [
      { name: limit, round: () => Promise.resolve(500_000) },
      {
        name: list,
        round: () =>
          openPage(browser, server, organization, {
            path: "/slos",
            shown: "main [role=rowheader] a",
            count: 10,
          }),
      },
      {
        name: "opening the home page",
        round: () =>
          openPage(browser, server, organization, { path: "/", shown: "#services ~ *, #services", count: 1 }),
      },
    ],
    { time: "wall", ...roundsOf(10, 2), bounds: [{ name: list, against: limit, atLeast: 1 }] },
  )
}

const listOf = async (browser: Browser, server: ConsoleServer, organization: string) => {
  const { context, page } = await signedIn(browser, server, organization)
  await page.goto("/slos")
  await page.getByText(`${sloCount.toLocaleString("en")} SLOs listed`).waitFor({ state: "attached" })
  return { context, page }
}

/** From an event until the next frame after the list has changed, by the browser's clock. */
const timeOf = (page: Page, act: string, isDone: string): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    const start = performance.now()
    ${act}
    const look = () => ${isDone}
      ? setTimeout(() => resolve((performance.now() - start) * 1000))
      : requestAnimationFrame(look)
    requestAnimationFrame(look)
  })`)

const usingComparison = async (
  browser: Browser,
  server: ConsoleServer,
  organization: string,
): Promise<Comparison> => {
  const { context, page } = await listOf(browser, server, organization)
  const sorts = ["Burn rate", "SLI"]
  let turn = 0
  const contenders: ReadonlyArray<Contender> = [
    { name: limit, round: () => Promise.resolve(500_000) },
    {
      name: "sorting by a column",
      round: () => {
        const name = sorts[turn++ % 2]
        return timeOf(
          page,
          `const button = [...document.querySelectorAll("[role=columnheader] button")].find((each) => each.textContent === ${JSON.stringify(name)}); button.click()`,
          `button.parentElement.hasAttribute("aria-sort")`,
        )
      },
    },
    {
      name: "searching",
      round: async () => {
        const text = `slo-${sloCount / 10 + turn++}`
        const time = await timeOf(
          page,
          `const input = document.querySelector("input[type=search]")
           Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, ${JSON.stringify(text)})
           input.dispatchEvent(new Event("input", { bubbles: true }))`,
          `document.querySelector("[role=table]").getAttribute("aria-rowcount") === "2"`,
        )
        await page.locator("input[type=search]").fill("")
        await page.locator(`[role=table][aria-rowcount="${sloCount + 1}"]`).waitFor()
        return time
      },
    },
  ]
  const comparison = await compare(`Sorting and searching ${sloCount} SLOs in the browser`, contenders, {
    time: "wall",
    ...roundsOf(10, 2),
    bounds: contenders.slice(1).map(({ name }) => ({ name, against: limit, atLeast: 1 })),
  })
  await context.close()
  return comparison
}

/** Scrolls by 40 pixels a frame, which is about two screens a second; returns the times between frames. */
const scroll = (page: Page): Promise<ReadonlyArray<number>> =>
  page.evaluate(`new Promise((resolve) => {
    const times = []
    let last
    const step = (now) => {
      if (last !== undefined) times.push((now - last) * 1000)
      last = now
      if (times.length === ${scrolledFrames}) return resolve(times)
      scrollBy(0, 40)
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)

const scrolledFrames = amount(300, 20)

/**
 * The processor time that the page takes for a frame while it scrolls, which does not depend on what else the machine does,
 * and the time between frames, which does.
 */
const scrollingComparison = async (
  browser: Browser,
  server: ConsoleServer,
  organization: string,
): Promise<Comparison> => {
  const { context, page } = await listOf(browser, server, organization)
  const session = await context.newCDPSession(page)
  await session.send("Performance.enable", { timeDomain: "threadTicks" })
  const taskSeconds = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics")
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN
  }
  const name = "the page, while it scrolls"
  const intervals: Array<number> = []
  const comparison = await compare(
    `A frame of the list of ${sloCount} SLOs`,
    [
      { name: frame, round: () => Promise.resolve(1_000_000 / 60) },
      {
        name,
        round: async () => {
          const before = await taskSeconds()
          intervals.push(...(await scroll(page)))
          return (((await taskSeconds()) - before) * 1_000_000) / scrolledFrames
        },
      },
    ],
    { time: "cpu", ...roundsOf(5, 1), bounds: [{ name, against: frame, atLeast: 1 }] },
  )
  console.log(`Median time between frames while scrolling: ${Math.round(median(intervals)) / 1_000} ms`)
  await context.close()
  return comparison
}
