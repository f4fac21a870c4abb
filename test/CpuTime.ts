/** The processor time that a function takes, in milliseconds: what else the machine does adds nothing to it. */
export const cpuTimeMs = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
