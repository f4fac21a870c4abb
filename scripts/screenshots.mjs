// Takes the screenshots of the documentation from the demo, in its own data folder and on a free port, and writes them to
// docs/images. Run by `npm run screenshots`, which builds the demo first. A page that the console does not have is skipped.
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { startBrowser } from "../test/console/browser.ts"
import { startDemo } from "./demo.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const folder = join(root, "docs/images")
/** A larger image is taken again with less of the page. */
const maxBytes = 110_000
const minHeight = 600

/**
 * Where each image is taken. `follow` is the first link to open on the page, and `act` what to do there; `isOptional`
 * skips the image if the page has no such link, or does not exist.
 */
const shots = [
  { name: "console-home", path: "/", isOptional: true },
  { name: "console-slos", path: "/slos" },
  { name: "console-slo", path: "/slos/shop/checkout-latency", height: 1200 },
  { name: "console-alert", path: "/alerts", follow: 'main a[href^="/alerts/"]', height: 1100 },
  { name: "console-form", path: "/alert-methods/new", height: 1100 },
  {
    name: "console-test",
    path: "/alert-methods",
    follow: 'main a[href^="/alert-methods/"]:not([href$="/new"])',
    act: sendTest,
  },
  { name: "console-delivery", path: "/deliveries", follow: 'main a[href^="/deliveries/"]', height: 1100 },
  { name: "console-credentials", path: "/credentials", isOptional: true },
  { name: "api-reference", path: "/docs", height: 1000 },
]

const demo = await startDemo()
const failures = []
let browser
try {
  const { link } = demo
  browser = await startBrowser()
  const context = await browser.newContext({
    baseURL: new URL(link).origin,
    colorScheme: "light",
    reducedMotion: "reduce",
    locale: "en-US",
    timezoneId: "UTC",
  })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole("navigation", { name: "Pages" }).waitFor()
  for (const shot of shots) {
    try {
      await take(page, shot)
    } catch (error) {
      failures.push(`${shot.name}: ${error instanceof Error ? error.message : error}`)
    }
  }
} finally {
  await browser?.close()
  await demo.stop()
}
for (const failure of failures) console.error(failure)
if (failures.length > 0) process.exitCode = 1

async function take(page, { name, path, follow, act, height = 900, isOptional = false }) {
  await page.setViewportSize({ width: 1440, height })
  await page.goto(path)
  await settled(page)
  const isMissing =
    new URL(page.url()).pathname !== path ||
    (await page.getByRole("heading", { name: "Page not found" }).count()) > 0
  if (isMissing) {
    if (!isOptional) throw new Error(`${path} is not a page`)
    return console.log(`${name}: skipped, there is no page ${path}`)
  }
  if (follow !== undefined) {
    await page.locator(follow).first().click()
    await settled(page)
  }
  if (act !== undefined) await act(page)
  for (let shown = height; ; shown = Math.floor(shown * 0.85)) {
    await page.setViewportSize({ width: 1440, height: shown })
    await settled(page)
    const image = await webpOf(
      page.context(),
      await page.screenshot({ animations: "disabled", caret: "hide" }),
    )
    if (image.length > maxBytes && shown > minHeight) continue
    console.log(`${name}: ${Math.round(image.length / 1000)} KB`)
    if (image.length > maxBytes) throw new Error(`${image.length} bytes; at most ${maxBytes} are allowed`)
    return writeFileSync(join(folder, `${name}.webp`), image)
  }
}

/** An image as WebP, which the browser encodes; a PNG is twice as large. */
async function webpOf(context, png) {
  const page = await context.newPage()
  const url = await page.evaluate(
    async (source) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = document.createElement("canvas")
      canvas.width = image.width
      canvas.height = image.height
      canvas.getContext("2d").drawImage(image, 0, 0)
      return canvas.toDataURL("image/webp", 0.8)
    },
    `data:image/png;base64,${png.toString("base64")}`,
  )
  await page.close()
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64")
}

/** Waits until the page has its content. The console refreshes its figures for ever, so the network may never be idle. */
async function settled(page) {
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.locator("main:not([aria-busy=true])").waitFor()
  await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => undefined)
  await page.waitForFunction("document.querySelectorAll('main [aria-busy=true]').length === 0")
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
}

async function sendTest(page) {
  await page.getByRole("button", { name: "Send test" }).first().click()
  const response = page.getByText("Response status 20").first()
  await response.waitFor({ timeout: 20_000 })
  await response.scrollIntoViewIfNeeded()
}
