import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/**
 * A port of loopback that is free now, and stays free while the program that listens on it starts again: systems give
 * connections and listeners without a port of their own only ports above these.
 */
export const freePort = async (): Promise<string> => {
  const port = randomInt(16_384, 32_768)
  const probe = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false))
    probe.listen(port, "127.0.0.1", () => resolve(true))
  })
  if (!isFree) return freePort()
  await new Promise((resolve) => probe.close(resolve))
  return String(port)
}
