import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { freePort } from "../test/FreePort.ts"
import { type Comparison, judgeLimit } from "./Compare.ts"
import { roundsOf } from "./Length.ts"
import { cpuWithChildren } from "./ProcessCpu.ts"

const { rounds, warmUps } = roundsOf(9, 2)

/** From starting the built server until it answers a request: with the memory store, and with the embedded PostgreSQL and its data. */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  execFileSync(process.execPath, [join(root, "scripts/bundle.mjs"), "program"])
  const folder = mkdtempSync(join(tmpdir(), "tocsin-bench-"))
  chmodSync(folder, 0o755)
  try {
    const memory: Array<Started> = []
    const embedded: Array<Started> = []
    const dataDirectory = join(folder, "data")
    await start({ TOCSIN_STORE: "embedded", TOCSIN_DATA_DIR: dataDirectory })
    for (let round = 0; round < warmUps + rounds; round++) {
      const ofMemory = await start({ TOCSIN_STORE: "memory", TOCSIN_MASTER_KEY: masterKey })
      const ofEmbedded = await start({ TOCSIN_STORE: "embedded", TOCSIN_DATA_DIR: dataDirectory })
      if (round < warmUps) continue
      memory.push(ofMemory)
      embedded.push(ofEmbedded)
    }
    const first = "From the start to the first response"
    return [
      {
        title: `${first}, memory store`,
        time: "cpu",
        ...judgeLimit(
          "450 ms",
          450_000,
          server,
          memory.map(({ cpu }) => cpu),
        ),
      },
      {
        title: "Memory after the start, memory store",
        time: "bytes",
        ...judgeLimit(
          "100 MB",
          100e6,
          server,
          memory.map(({ bytes }) => bytes),
        ),
      },
      {
        title: `${first}, embedded PostgreSQL with data`,
        time: "wall",
        ...judgeLimit(
          "600 ms",
          600_000,
          server,
          embedded.map(({ wall }) => wall),
        ),
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const root = fileURLToPath(new URL("..", import.meta.url))
const server = "tocsin serve"
const masterKey = Buffer.alloc(32, 5).toString("base64")

/** What a start took until the first response: CPU time and wall time in microseconds, and what is in memory then. */
interface Started {
  readonly cpu: number
  readonly wall: number
  readonly bytes: number
}

/** Starts the server, waits until it is ready, and stops it. */
const start = async (environment: Readonly<Record<string, string>>): Promise<Started> => {
  const port = await freePort()
  const begin = performance.now()
  const child = spawn(process.execPath, [join(root, "apps/server/dist/tocsin.mjs"), "serve"], {
    env: {
      PATH: process.env["PATH"],
      HOME: tmpdir(),
      PORT: port,
      TOCSIN_DRAIN_SECONDS: "0",
      ...environment,
    },
    stdio: ["ignore", "ignore", "pipe"],
  })
  const ended = once(child, "exit")
  let output = ""
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const { pid } = child
  if (pid === undefined) throw new Error("the server has not started")
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error(`the server has ended: ${output}`)
      await wait(5)
    }
    const wall = (performance.now() - begin) * 1_000
    const [, kibibytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    return { cpu: cpuWithChildren(pid), wall, bytes: Number(kibibytes) * 1_024 }
  } finally {
    child.kill()
    await ended
  }
}

const isReady = async (port: string): Promise<boolean> => {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  } catch {
    return false
  }
}
