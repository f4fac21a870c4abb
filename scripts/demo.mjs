// Runs the built demo for other scripts.
import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const command = join(dirname(fileURLToPath(import.meta.url)), "../apps/server/dist/tocsin.mjs")
const startMs = 180_000

/**
 * Starts the demo on a free port with a data folder of its own, which `stop` deletes. Waits until it has printed everything: then
 * the alert has fired, and its notification was delivered.
 */
export async function startDemo() {
  const directory = mkdtempSync(join(tmpdir(), "tocsin-demo-"))
  // PostgreSQL runs as another user if this one is root.
  chmodSync(directory, 0o755)
  const demo = spawn(process.execPath, [command, "demo"], {
    env: { ...process.env, PORT: "0", TOCSIN_DATA_DIR: join(directory, "data") },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const exited = new Promise((resolve) => demo.once("exit", resolve))
  const stop = async () => {
    demo.kill("SIGTERM")
    await exited
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    return { link: await printedLink(demo), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function printedLink(demo) {
  return new Promise((resolve, reject) => {
    let printed = ""
    const timer = setTimeout(() => reject(new Error(`The demo did not start:\n${printed}`)), startMs)
    demo.once("exit", () => {
      clearTimeout(timer)
      reject(new Error(`The demo ended:\n${printed}`))
    })
    demo.stdout.setEncoding("utf8").on("data", (text) => {
      printed += text
      const [link] = /https?:\S+\/sign-in#\S+(?=\s)/.exec(printed) ?? []
      if (link === undefined || !printed.includes("Press Ctrl-C")) return
      clearTimeout(timer)
      resolve(link)
    })
  })
}
