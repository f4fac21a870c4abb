import { readFileSync, readdirSync } from "node:fs"

/**
 * CPU time that a process and those that it started have used so far, in microseconds, from the 10 ms ticks of Linux: also that of
 * its processes which have ended.
 */
export const cpuWithChildren = (pid: number): number => {
  const ticks = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = statOf(name)
      if (Number(name) === pid) return stat.slice(12, 16).map(Number)
      return Number(stat[2]) === pid ? stat.slice(12, 14).map(Number) : []
    })
  return ticks.reduce((sum, each) => sum + each, 0) * 10_000
}

/** The process that started this one. */
export const parentOf = (pid: number): number => Number(statOf(String(pid))[2])

/** The fields of `/proc/{pid}/stat` behind the name, from its end on; none once the process has ended. */
const statOf = (pid: string): ReadonlyArray<string> => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")")).split(" ")
  } catch {
    return []
  }
}
