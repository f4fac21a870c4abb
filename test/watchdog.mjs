// Outlives the process that started it, and ends what that one leaves behind when it is killed. Each line of the input
// is `+process <pid>`, `+folder <path>`, or the same with `-` when that has ended by itself. When the input ends, the
// processes are killed, and so is every PostgreSQL whose files are in one of the folders, which are deleted.
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

const left = new Set()
for await (const line of createInterface({ input: process.stdin }))
  if (line.startsWith("+")) left.add(line.slice(1))
  else left.delete(line.slice(1))

const named = (kind) =>
  [...left].filter((each) => each.startsWith(`${kind} `)).map((each) => each.slice(kind.length + 1))

// With the group, where the process leads one.
for (const pid of named("process")) for (const each of [-pid, Number(pid)]) send(each, "SIGKILL")
for (const folder of named("folder")) {
  const servers = postmasters(folder)
  for (const pid of servers) send(pid, "SIGQUIT")
  for (let waited = 0; waited < 10_000 && servers.some((pid) => send(pid, 0)); waited += 50)
    await new Promise((resolve) => setTimeout(resolve, 50))
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** The servers whose files are in a folder or below it. */
function postmasters(folder) {
  try {
    return readdirSync(folder, { recursive: true })
      .filter((path) => path.endsWith("postmaster.pid"))
      .map((path) => Number(readFileSync(join(folder, path), "utf8").split("\n")[0]))
      .filter((pid) => pid > 1)
  } catch {
    return []
  }
}

/** Whether there was a process to send the signal to. */
function send(pid, signal) {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
