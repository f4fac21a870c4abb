// Builds the documentation in the background, once the server of `npm start` is open: it must not wait for that. What the
// build prints is in apps/server/dist/help.log.
import { spawn } from "node:child_process"
import { openSync } from "node:fs"
import { connect } from "node:net"
import { setPriority } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const file = fileURLToPath(import.meta.url)
const host = process.env.HOST ?? "127.0.0.1"
const port = Number(process.env.PORT ?? 8080)

if (process.argv[2] === "wait") {
  if (await isOpened()) {
    setPriority(10)
    await import("./help.mjs")
  }
} else {
  const log = openSync(join(dirname(file), "../apps/server/dist/help.log"), "w")
  spawn(process.execPath, [file, "wait"], { detached: true, stdio: ["ignore", log, log] }).unref()
}

/** Waits at most five minutes for the server. */
async function isOpened() {
  for (let tried = 0; tried < 600; tried++) {
    if (await isOpen()) return true
    await sleep(500)
  }
  return false
}

function isOpen() {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1_000 })
    const end = (result) => {
      socket.destroy()
      resolve(result)
    }
    socket
      .once("connect", () => end(true))
      .once("timeout", () => end(false))
      .once("error", () => end(false))
  })
}
