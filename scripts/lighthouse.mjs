// Measures pages of the demo with Lighthouse, which it installs in an exact version in a temporary folder. Run by
// `npm run lighthouse`, which builds the demo first. Fails if a score for a desktop is below 95; scores for a phone, whose
// processor Lighthouse simulates, depend on what else the machine does. The browser reaches this machine only.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { startBrowser } from "../test/console/browser.ts"
import { startDemo } from "./demo.mjs"

const version = "13.5.0"
const minScore = 95
const categories = ["performance", "accessibility", "best-practices"]
const pages = [
  { name: "Sign-in", path: "/sign-in", isSignedOut: true },
  { name: "Home", path: "/" },
  { name: "List of SLOs", path: "/slos" },
  { name: "SLO", path: "/slos/shop/checkout-latency" },
  { name: "API reference", path: "/docs" },
]

const folder = mkdtempSync(join(tmpdir(), "tocsin-lighthouse-"))
let demo
let browser
try {
  execFileSync(
    "npm",
    ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", `lighthouse@${version}`],
    { stdio: ["ignore", "ignore", "inherit"] },
  )
  const entry = join(folder, "node_modules/lighthouse/core/index.js")
  const { default: lighthouse, desktopConfig } = await import(pathToFileURL(entry).href)
  demo = await startDemo()
  const port = await freePort()
  browser = await startBrowser([
    `--remote-debugging-port=${port}`,
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  ])
  const base = new URL(demo.link).origin
  const context = await browser.newContext({ baseURL: base })
  const page = await context.newPage()
  await page.goto(demo.link)
  await page.getByRole("navigation", { name: "Pages" }).waitFor()
  const cookies = await context.cookies()
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ")
  await context.close()
  console.log("| Page | Device | Performance | Accessibility | Best practices | LCP | TBT | CLS |")
  for (const device of ["desktop", "phone"]) {
    for (const { name, path, isSignedOut } of pages) {
      const { lhr } = await lighthouse(
        new URL(path, base).href,
        {
          port,
          logLevel: "error",
          onlyCategories: categories,
          ...(!isSignedOut && { extraHeaders: { cookie } }),
        },
        device === "desktop" ? desktopConfig : undefined,
      )
      const scores = categories.map((id) => Math.round(lhr.categories[id].score * 100))
      const times = ["largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift"].map(
        (id) => lhr.audits[id].displayValue,
      )
      console.log(`| ${[name, device, ...scores, ...times].join(" | ")} |`)
      if (device === "desktop" && scores.some((score) => score < minScore)) process.exitCode = 1
    }
  }
} finally {
  await browser?.close()
  await demo?.stop()
  rmSync(folder, { recursive: true, force: true })
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
