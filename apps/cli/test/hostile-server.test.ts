import * as Result from "effect/Result"
import { execFileSync } from "node:child_process"
import { createServer, type RequestListener } from "node:http"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { decodeClientConfig } from "../src/client/ClientConfig.ts"
import { describe, it } from "vitest"
import { methodYaml } from "../../../test/e2e/definitions.ts"
import { closeServer, listen } from "../../../test/receiver/KeyServer.ts"
import { scratch, tocsin } from "../../../test/server/child-process.ts"

/** Runs a command against a server with the given response. */
const against = async (
  answer: RequestListener,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
) => {
  const server = createServer(answer)
  const url = await listen(server)
  const ended = await tocsin([...args, "--url", url], {
    TOCSIN_ORGANIZATION: "acme",
    TOCSIN_MASTER_KEY: Buffer.alloc(32, 6).toString("base64"),
    ...environment,
  })
  await closeServer(server)
  return ended
}

describe("a command whose server is hostile", () => {
  it("prints new credentials so that a shell runs nothing of them", async ({ expect }) => {
    const organization = "a\ntouch pwned"
    const clientId = "b'; touch pwned; '\\''"
    const clientSecret = "$(touch pwned)`touch pwned`\\"
    const created = { role: "viewer", isDisabled: false, createdAt: "2026-01-30T12:00:00.000Z" }
    const { stdout } = await against(
      (_, response) => response.end(JSON.stringify({ ...created, organization, clientId, clientSecret })),
      ["credentials", "create"],
    )
    const script = `${stdout}\nprintf '%s|%s|%s' "$TOCSIN_ORGANIZATION" "$TOCSIN_CLIENT_ID" "$TOCSIN_CLIENT_SECRET"; ls`
    const ran = execFileSync("sh", ["-c", script], { cwd: scratch, encoding: "utf8" })
    expect(ran.startsWith(`${organization}|${clientId}|${clientSecret}`)).toBe(true)
    expect(ran.slice(organization.length + clientId.length + clientSecret.length)).not.toContain("pwned")
  })

  it("sends no control characters to the terminal", async ({ expect }) => {
    const { stderr } = await against(
      (_, response) => {
        response.writeHead(400)
        response.end(
          JSON.stringify({ errors: [{ title: "a\u001b]0;b\u0007\r\u009b2J\u202e", detail: "c\nd" }] }),
        )
      },
      ["credentials", "list"],
    )
    expect(stderr).toBe("tocsin: a\ufffd]0;b\ufffd\ufffd\ufffd2J\ufffd (c\nd)\n")
  })

  it("is reported as not a Tocsin server, in one line, when its responses make no sense", async ({
    expect,
  }) => {
    const user = {
      TOCSIN_CLIENT_ID: "me",
      TOCSIN_CLIENT_SECRET: "0123456789abcdef0123456789abcdef0123456789A",
    }
    const said = (args: ReadonlyArray<string>, answer: string, status = 200) =>
      against((_, response) => response.writeHead(status).end(answer), args, user)
    const malformed = "tocsin: unexpected response; check that TOCSIN_URL is a Tocsin server"
    for (const [args, answer] of [
      [["token"], "<html>"],
      [["token"], "null"],
      [["credentials", "create"], "{}"],
      [["credentials", "list"], '{"data":[null]}'],
      [["keys", "show"], "[]"],
      [
        ["keys", "rotate", "--server"],
        '{"keyId":"k","algorithm":"ed25519","publicKeyPem":"","state":"next","activeFromMs":1e300}',
      ],
    ] as const) {
      const { code, stdout, stderr } = await said(args, answer)
      expect([code, stdout, stderr.split("\n").length]).toEqual([1, "", 2])
      expect(stderr).toContain(malformed)
    }
    const { stderr } = await said(["credentials", "list"], '{"errors":[null]}', 500)
    expect(stderr).toBe("tocsin: the server returned status 500\n")
  })

  it("is sent no secret over plain HTTP, unless it is on this machine", async ({ expect }) => {
    const secrets = {
      TOCSIN_ORGANIZATION: "acme",
      TOCSIN_CLIENT_ID: "me",
      TOCSIN_CLIENT_SECRET: "0123456789abcdef0123456789abcdef0123456789A",
      TOCSIN_MASTER_KEY: Buffer.alloc(32, 6).toString("base64"),
    }
    for (const args of [["token"], ["credentials", "list"]]) {
      const { code, stderr } = await tocsin([...args, "--url", "http://tocsin.invalid:8080"], secrets)
      expect([code, stderr]).toEqual([
        1,
        "tocsin: TOCSIN_URL (or --url) must start with https://, because secrets are sent to tocsin.invalid\n",
      ])
    }
    const isTaken = (url: string): boolean => Result.isSuccess(decodeClientConfig({ url }, secrets))
    for (const url of [
      "https://tocsin.example.com",
      "http://localhost:8080",
      "http://[::1]:1",
      "http://127.0.0.2",
    ])
      expect(isTaken(url), url).toBe(true)
    for (const url of [
      "http://127.0.0.1.example.com",
      "HTTP://example.com",
      "http://notlocalhost",
      "http://[::2]",
    ])
      expect(isTaken(url), url).toBe(false)
  })

  it("is not redirected to another host with its credentials", async ({ expect }) => {
    const received: Array<string> = []
    const other = createServer((request, response) => {
      received.push(request.url ?? "")
      response.end("{}")
    })
    const location = await listen(other)
    const file = join(scratch, "led-away.yaml")
    writeFileSync(file, methodYaml("hook", "https://hooks.example.com/s3cret", "templateFields: [slo_name]"))
    const { code, stderr } = await against(
      (request, response) => {
        if (request.url === "/api/accessToken") {
          response.end(JSON.stringify({ access_token: "token", expires_in: 3600 }))
        } else response.writeHead(307, { location: location + request.url }).end()
      },
      ["apply", "-f", file],
      { TOCSIN_CLIENT_ID: "me", TOCSIN_CLIENT_SECRET: "0123456789abcdef0123456789abcdef0123456789A" },
    )
    await closeServer(other)
    expect([code, received]).toEqual([1, []])
    expect(stderr).toBe(
      "tocsin: the server returned status 307; redirects are not followed, so check TOCSIN_URL\n",
    )
  })
})
