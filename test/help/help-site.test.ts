import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { promisify } from "node:util"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startBrowser } from "../console/browser.ts"
import { type ConsoleServer, startConsoleServer } from "../console/console-server.ts"
import { findings } from "../console/stage.ts"
import { tocsin } from "../server/child-process.ts"

const root = join(import.meta.dirname, "../..")
const site = join(root, "apps/server/dist/help")

/** How many of the results of a search are looked at. */
const resultsMax = 6

/** The most that a first visit loads, in bytes. */
const firstLoadMaxBytes = 150_000

/** What people search for, and the pages of which one must be found. */
const questions: ReadonlyArray<readonly [question: string, ...pages: ReadonlyArray<string>]> = [
  ["slack", "guides/templates"],
  ["add user", "guides/add-your-team", "commands/credentials"],
  ["certificate", "guides/install", "settings"],
  ["rate vs increase", "guides/prometheus", "errors/rate_not_count"],
  ["budget negative", "guides/slos"],
  ["rotate signing key", "commands/keys", "guides/delivery"],
  ["backup", "guides/operations"],
  ["upgrade", "guides/operations"],
  ["kubernetes", "guides/install"],
  ["docker compose", "guides/install"],
  ["silence", "guides/alerting", "commands/silence"],
  ["acknowledge alert", "guides/alerting"],
  ["webhook retries", "guides/delivery", "spec/delivery"],
  ["verify signature python", "guides/verify-a-notification"],
  ["opentelemetry", "guides/opentelemetry"],
  ["import sloth", "guides/openslo"],
  ["terraform", "spec/clients"],
  ["assistant mcp", "guides/assistants", "spec/mcp"],
  ["rate limit", "spec/rate-limits"],
  ["composite objective", "guides/slos", "spec/slos"],
  ["burn rate", "guides/slos", "guides/alerting"],
  ["status page", "spec/status-pages"],
  ["private address", "errors/url_address_forbidden"],
  ["exit codes", "commands/topics"],
  ["tocsin apply", "commands/apply"],
  ["TOCSIN_BASE_URL", "settings", "guides/configuration"],
  ["missing data", "guides/alerting"],
  ["access token expired", "errors/access_token_expired"],
  ["alertmanager", "guides/alertmanager"],
  ["mute maintenance", "guides/alerting"],
  ["unknown property", "errors/unknown_property"],
  ["pagerduty", "guides/templates"],
  ["dns_not_found", "errors/dns_not_found"],
  ["connect_timeout", "errors/connect_timeout"],
  ["tls_invalid", "errors/tls_invalid"],
  ["method_disabled", "errors/method_disabled"],
  ["subscribe to status page", "guides/incidents", "spec/status-pages"],
  ["post-mortem", "guides/incidents"],
  ["lost update 412", "guides/api", "errors/revision_mismatch"],
  ["counts every 5 minutes", "guides/api", "guides/slos"],
  ["what is an slo", "guides/slos"],
  ["delete project", "commands/delete", "guides/definitions"],
  ["forgot password", "guides/add-your-team", "commands/credentials"],
  ["too many requests", "errors/rate_limit_exceeded", "spec/rate-limits"],
  ["export data to another database", "guides/operations", "guides/runbooks"],
  ["alert did not fire", "guides/alerting"],
  ["weekly report", "guides/reviews", "guides/slos"],
  ["latency percentile", "guides/prometheus"],
]

/** Pages of each kind. */
const samples = [
  "",
  "guides/alerting",
  "guides/verify-a-notification",
  "spec/errors",
  "commands/apply",
  "errors/duplicate",
  "settings",
  "api/alerts",
]

let server: ConsoleServer
let browser: Browser

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string
}

const buildSite = (env: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, [join(root, "scripts/help.mjs")], { env: { ...process.env, ...env } })

beforeAll(async () => {
  await buildSite()
  ;[server, browser] = await Promise.all([startConsoleServer(), startBrowser()])
}, 900_000)

afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

/** The HTML of each page by its path, such as `guides/alerting`. */
const readPages = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(site, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".html"))
      .map((name) => [
        name.slice(0, -".html".length).replace(/(^|\/)index$/, "$1"),
        readFileSync(join(site, name), "utf8"),
      ]),
  )

const idsOf = (html: string): ReadonlySet<string> =>
  new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id = ""]) => id))

/** A function that says of an address below `/help/` whether the page and the anchor exist. */
const makeExists = (pages: ReadonlyMap<string, string>) => {
  const ids = new Map(Array.from(pages, ([path, html]) => [path, idsOf(html)]))
  return (address: string): boolean => {
    const [path = "", anchor] = address.slice("/help/".length).split("#")
    const found = ids.get(path)
    return found !== undefined && (anchor === undefined || found.has(decodeURIComponent(anchor)))
  }
}

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
}

/** Serves a directory at `/tocsin/`, as hosts of static sites do: a path without an extension is a page. */
const serveStatic = async (directory: string): Promise<Server> => {
  const files = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://localhost").pathname
    const name = path.replace(/^\/tocsin\//, "").replace(/(^|\/)$/, "$1index")
    const extension = extname(name)
    const isPage = contentTypes[extension] === undefined
    readFile(join(directory, isPage ? `${name}.html` : name)).then(
      (bytes) =>
        response
          .writeHead(200, { "content-type": isPage ? "text/html" : contentTypes[extension] })
          .end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((done) => files.listen(0, "127.0.0.1", done))
  return files
}

const newPage = async (colorScheme: "light" | "dark" = "light") => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme })
  const complaints: Array<string> = []
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())))
  page.on("pageerror", ({ message }) => void complaints.push(message))
  const open = (path: string) => page.goto(`${server.url}/help/${path}`, { waitUntil: "networkidle" })
  return { page, open, complaints }
}

const search = async (page: Page, question: string): Promise<void> => {
  await page.locator("#localsearch-input").fill(question)
}

describe("the documentation site", () => {
  it("links to pages, anchors and files that exist", () => {
    const pages = readPages()
    const exists = makeExists(pages)
    const files = new Set(readdirSync(site, { recursive: true, encoding: "utf8" }))
    const dead = Array.from(pages).flatMap(([path, html]) =>
      Array.from(html.matchAll(/ (?:href|src)="(#[^"]*|\/[^"]*)"/g), ([, target = ""]) => target)
        .map((target) => (target.startsWith("#") ? `/help/${path}${target}` : target))
        .filter((target) => !exists(target) && !files.has(target.slice("/help/".length)))
        // The server's own pages, and the place for the text of a page.
        .filter((target) => !/^\/(docs|openapi\.json)$|#VPContent$/.test(target))
        .map((target) => `${path}: ${target}`),
    )
    expect(pages.size).toBeGreaterThan(200)
    expect(dead).toEqual([])
  })

  it("is linked from errors of the API, which the command line explains", async () => {
    const response = await fetch(`${server.url}/api/nothing`)
    expect(response.headers.get("link")).toBe('</help/errors/not_found>; rel="help"')
    const page = await fetch(`${server.url}/help/errors/not_found`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("What to do")])
    const { stdout } = await tocsin(["help", "url_address_forbidden"])
    expect(stdout).toContain("TOCSIN_EGRESS_ALLOW_CIDRS")
    expect(stdout).toContain("/help/errors/url_address_forbidden")
  })

  it("loads at most 150 KB at the first visit, and nothing that its policy forbids", async () => {
    for (const path of ["", "guides/alerting", "errors/duplicate"]) {
      const { page, open, complaints } = await newPage()
      const session = await page.context().newCDPSession(page)
      let bytes = 0
      await session.send("Network.enable")
      session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength))
      await open(path)
      expect(bytes, path).toBeGreaterThan(10_000)
      expect(bytes, path).toBeLessThanOrEqual(firstLoadMaxBytes)
      expect(complaints).toEqual([])
      await page.close()
    }
  })

  it("has no finding of a checker of accessibility, in both themes", async () => {
    const found: Array<string> = []
    for (const scheme of ["light", "dark"] as const) {
      const { page, open, complaints } = await newPage(scheme)
      const check = async (name: string): Promise<void> => {
        for (const each of await findings(page)) found.push(`${scheme} ${name}: ${each}`)
      }
      for (const path of samples) {
        await open(path)
        expect(await page.locator("html.dark").count(), path).toBe(scheme === "dark" ? 1 : 0)
        await check(path)
      }
      await open("")
      await page.keyboard.press("Control+k")
      await search(page, "alert")
      await page.locator(".result").first().waitFor()
      await check("search")
      expect(complaints).toEqual([])
      await page.close()
    }
    expect(found).toEqual([])
  })

  it("colors code, differently in each theme", async () => {
    const colors: Array<ReadonlyArray<string>> = []
    for (const scheme of ["light", "dark"] as const) {
      const { page, open } = await newPage(scheme)
      await open("guides/verify-a-notification")
      colors.push(
        await page.evaluate<ReadonlyArray<string>>(
          `[...new Set(Array.from(document.querySelectorAll(".vp-code .line span"), (token) => getComputedStyle(token).color))]`,
        ),
      )
      await page.close()
    }
    const [light = [], dark = []] = colors
    expect(light.length).toBeGreaterThan(3)
    expect(dark.length).toBeGreaterThan(3)
    expect(light.filter((color) => dark.includes(color))).toEqual([])
  })

  it("shows its version, and lists other versions that are published beside it, including later ones", async () => {
    const { page, open } = await newPage()
    const nav = page.getByRole("navigation", { name: "Main Navigation" })
    const listed = async () => {
      await nav.getByRole("button", { name: version, exact: true }).hover()
      return nav.locator(".VPFlyout a").allTextContents()
    }
    await open("guides/alerting")
    expect(await listed()).toEqual(["Changelog"])
    const directory = mkdtempSync(join(tmpdir(), "tocsin-help-"))
    const add = (other: string): void => {
      mkdirSync(join(directory, other))
      writeFileSync(join(directory, other, "index.html"), `<title>${other}</title>`)
    }
    const files = await serveStatic(directory)
    try {
      const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}/tocsin/`
      const publish = () => buildSite({ HELP_URL: url, HELP_OUTPUT: directory })
      add("0.0.9")
      await publish()
      await page.goto(`${url}${version}/guides/alerting`, { waitUntil: "networkidle" })
      expect(await listed()).toEqual(["Changelog", "0.0.9"])
      add("0.10.0")
      await publish()
      await page.reload({ waitUntil: "networkidle" })
      expect(await listed()).toEqual(["Changelog", "0.10.0", "0.0.9"])
      await nav.getByRole("link", { name: "0.10.0" }).click()
      await page.waitForURL(`${url}0.10.0/`)
      expect(await page.title()).toBe("0.10.0")
    } finally {
      files.close()
      rmSync(directory, { recursive: true })
      await page.close()
    }
  }, 900_000)

  it("finds the pages that people look for", async () => {
    const { page, open } = await newPage()
    await open("")
    await page.keyboard.press("Control+k")
    const missed: Array<string> = []
    for (const [question, ...wanted] of questions) {
      await search(page, "")
      await expect.poll(() => page.locator(".result").count()).toBe(0)
      await search(page, question)
      await page.locator(".result, .no-results").first().waitFor()
      const found = await page
        .locator("a.result")
        .evaluateAll((results) => results.map((each) => each.getAttribute("href") ?? ""))
      const pages = [...new Set(found.map((href) => href.replace(/^\/help\/|#.*$/g, "")))].slice(
        0,
        resultsMax,
      )
      if (!wanted.some((each) => pages.includes(each))) missed.push(`${question}: ${pages.join(", ")}`)
    }
    expect(missed).toEqual([])
  })
})
