import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makeCertificates } from "../../../test/egress/certificates.ts"
import { send } from "../src/client/ApiClient.ts"
import { closeServer, listen } from "../../../test/receiver/KeyServer.ts"
import { scratch, tocsin } from "../../../test/server/child-process.ts"

const failureOf = async (url: string): Promise<string> => {
  const failure = await Effect.runPromise(Effect.flip(send(url, { method: "GET", path: "/api/version" })))
  return failure.message
}

describe("a server that the command line cannot connect to", () => {
  it("says that the server does not use TLS", async () => {
    const server = createHttpServer((_, response) => response.end("{}"))
    const url = (await listen(server)).replace("http:", "https:")
    expect(await failureOf(url)).toBe(
      `cannot connect to ${url}: the server does not use TLS; write http:// in TOCSIN_URL, or check the port`,
    )
    await closeServer(server)
  })

  it("says what is wrong with a certificate, and that the server may use TLS", async () => {
    const { ca, cert, key } = await makeCertificates({ names: ["localhost"] })
    const server = createHttpsServer({ cert: `${cert}\n${ca}`, key }, (_, response) => response.end("{}"))
    const plain = await listen(server)
    const url = plain.replace("http:", "https:")
    expect(await failureOf(url)).toMatch(
      /: the certificate of the server is not trusted \([A-Z_]+\); set NODE_EXTRA_CA_CERTS/,
    )
    expect(await failureOf(plain)).toContain("; if the server uses TLS, write https:// in TOCSIN_URL")
    await closeServer(server)
  })

  it("says that a certificate is for another host, or has expired", async () => {
    for (const [options, message] of [
      [{ names: ["localhost"] }, "the certificate is for another host"],
      [
        { ips: ["127.0.0.1"], notBefore: new Date("2020-01-01"), notAfter: new Date("2020-01-02") },
        "has expired or is not valid yet",
      ],
    ] as const) {
      const { ca, cert, key } = await makeCertificates(options)
      const server = createHttpsServer({ cert, key }, (_, response) => response.end("{}"))
      const url = (await listen(server)).replace("http:", "https:")
      const file = join(scratch, "ca.pem")
      writeFileSync(file, ca)
      const ended = await tocsin(["keys", "show", "--url", url], { NODE_EXTRA_CA_CERTS: file })
      expect(ended.stderr).toContain(message)
      await closeServer(server)
    }
  })
})
