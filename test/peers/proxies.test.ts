import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { request } from "node:https"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { makeCertificates } from "../egress/certificates.ts"
import { freePort } from "../FreePort.ts"
import { startTocsin } from "../server/child-process.ts"
import { editorCredential, environmentOf } from "../server/organizations.ts"
import { startProxy } from "./Proxy.ts"

const certificates = await makeCertificates()

/** A request over TLS to the proxy, which is verified. */
const send = async (
  url: string,
  options: {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  },
) => {
  const { method = "GET", headers = {}, body } = options
  const sent = request(url, { method, headers, ca: certificates.ca })
  sent.end(body)
  const [response] = (await once(sent, "response")) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

describe.each(["nginx", "caddy"] as const)("behind %s, as the guide configures it", (name) => {
  it("signs in to the console, and takes no client address that a client claims", async () => {
    const [port, upstreamPort] = [Number(await freePort()), Number(await freePort())]
    const url = `https://localhost:${port}`
    const server = startTocsin(
      ["serve"],
      environmentOf(["acme"], {
        TOCSIN_STORE: "memory",
        PORT: String(upstreamPort),
        TOCSIN_BASE_URL: url,
        TOCSIN_TRUSTED_PROXIES: "1",
      }),
    )
    await server.until(/listening on/)
    const proxy = await startProxy(name, { port, upstreamPort, certificates })
    try {
      expect((await send(`${url}/readyz`, {})).status).toBe(200)
      // The server itself rejects it with 401.
      expect((await send(`${url}/api/operator/credentials`, {})).status).toBe(404)
      const page = { origin: url, "sec-fetch-site": "same-origin", "x-tocsin-console": "1" }
      const signIn = (secret: string, forged: string) =>
        send(`${url}/api/console/session`, {
          method: "POST",
          headers: { ...page, "content-type": "application/json", "x-forwarded-for": forged },
          body: JSON.stringify({
            organization: "acme",
            clientId: editorCredential.clientId,
            clientSecret: secret,
          }),
        })
      const signedIn = await signIn(editorCredential.clientSecret, "192.0.2.1")
      expect(signedIn.status, signedIn.body).toBeLessThan(300)
      expect(signedIn.headers["set-cookie"]?.[0]).toMatch(/^__Host-tocsin_session=.*; Secure$/)
      const statuses = []
      for (let address = 1; address <= 6; address++)
        statuses.push((await signIn("x".repeat(43), `192.0.2.${address}`)).status)
      expect(statuses.at(-1)).toBe(429)
    } finally {
      await proxy.close()
      server.kill("SIGTERM")
      await server.ended
    }
  })
})
