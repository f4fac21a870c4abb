// Imported before the demo by `npm start`: builds the documentation once the server listens, which must not wait for that,
// in a process of low priority that ends with the server. What it prints is in apps/server/dist/help.log.
import { subscribe } from "node:diagnostics_channel"
import { fileURLToPath } from "node:url"

subscribe("tocsin:listening", () => void buildHelp().catch((error) => console.error(error)))

async function buildHelp() {
  const { spawn } = await import("node:child_process")
  const { closeSync, openSync } = await import("node:fs")
  const { setPriority } = await import("node:os")
  const log = openSync(fileURLToPath(new URL("../apps/server/dist/help.log", import.meta.url)), "w")
  const child = spawn(process.execPath, [fileURLToPath(new URL("help.mjs", import.meta.url))], {
    // It ends when the channel is closed, however this process ends.
    stdio: ["ignore", log, log, "ipc"],
  })
  closeSync(log)
  child.on("error", (error) => console.error(`The documentation is not built: ${error.message}`))
  child.unref()
  child.channel?.unref()
  if (child.pid !== undefined) setPriority(child.pid, 10)
}
