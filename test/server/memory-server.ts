import { afterAll, beforeAll } from "vitest"
import { freePort } from "../FreePort.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { type Running, startTocsin } from "./child-process.ts"

export const masterKey = Buffer.alloc(32, 6).toString("base64")

const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"

/** The environment of commands for a server in memory that runs during the tests of a file; read it within tests. */
export const useMemoryServer = (
  own: Readonly<Record<string, string>> = {},
): (() => Readonly<Record<string, string>>) => {
  let server: Running
  let environment: Readonly<Record<string, string>> = {}
  beforeAll(async () => {
    const port = await freePort()
    const credential = { organization: "acme", clientId: "me", clientSecret, role: "editor" }
    server = startTocsin(["serve"], {
      PORT: port,
      TOCSIN_STORE: "memory",
      TOCSIN_MASTER_KEY: masterKey,
      TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([credential]),
      ...own,
    })
    environment = {
      TOCSIN_URL: `http://127.0.0.1:${port}`,
      TOCSIN_ORGANIZATION: "acme",
      TOCSIN_CLIENT_ID: "me",
      TOCSIN_CLIENT_SECRET: clientSecret,
    }
    await server.until(/listening on/)
  })
  afterAll(async () => {
    server?.kill("SIGTERM")
    await server?.ended
  })
  return () => environment
}

/** Applies an SLO and the alert method `on-call`. */
export const applyMethod = async (
  environment: Readonly<Record<string, string>>,
  url: string,
): Promise<void> => {
  const applying = startTocsin(["apply", "-f", "-"], environment)
  applying.write(withSlo(methodYaml("on-call", url, "templateFields: [slo_name]")))
  await applying.ended
}
