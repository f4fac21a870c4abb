import { startBrowser } from "./console/browser.ts"
import { startConsoleServer } from "./console/console-server.ts"
const [browser, server] = await Promise.all([startBrowser(), startConsoleServer()])
const paths = (process.argv[2] ?? "/help/").split(",")
for (const scheme of ["light", "dark"] as const) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: scheme })
  page.on("console", (m) => console.log(m.type(), m.text()))
  page.on("pageerror", (e) => console.log("error", e.message))
  let bytes = 0
  const client = await page.context().newCDPSession(page)
  await client.send("Network.enable")
  client.on("Network.loadingFinished", (e) => { bytes += e.encodedDataLength })
  for (const path of paths) {
    bytes = 0
    await page.goto(`${server.url}${path}`, { waitUntil: "networkidle" })
    console.log(path, bytes, await page.title())
    await page.screenshot({ path: `/tmp/shot${path.replaceAll("/", "_")}-${scheme}.png` })
  }
  await page.close()
}
await browser.close()
await server.stop()
