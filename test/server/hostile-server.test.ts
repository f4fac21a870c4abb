import { execFileSync } from "node:child_process"
import { createServer, type RequestListener } from "node:http"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "vitest"
import { methodYaml } from "../e2e/definitions.ts"
import { closeServer, listen } from "../receiver/KeyServer.ts"
import { scratch, tocsin } from "./child-process.ts"

/** Runs a command against a server that answers as told. */
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
    const { stdout } = await against(
      (_, response) => response.end(JSON.stringify({ organization, clientId, clientSecret })),
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

  it("is not led to another host with what it sends", async ({ expect }) => {
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
      { TOCSIN_CLIENT_ID: "me", TOCSIN_CLIENT_SECRET: "0123456789abcdef" },
    )
    await closeServer(other)
    expect([code, received]).toEqual([1, []])
    expect(stderr).toBe("tocsin: the server answered 307; redirects are not followed, is TOCSIN_URL right?\n")
  })
})
