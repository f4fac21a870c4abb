import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { scratch, startTocsin, tocsin } from "./child-process.ts"

const masterKey = Buffer.alloc(32, 9).toString("base64")
const file = (name: string, text: string): string => {
  const path = join(scratch, name)
  writeFileSync(path, text)
  return path
}
const keyFile = file("master-key.txt", `${masterKey}\n`)

describe.concurrent("tocsin config", () => {
  it("checks the configuration, and reports everything that is wrong with it", async () => {
    const valid = { TOCSIN_STORE: "memory", TOCSIN_MASTER_KEY_FILE: keyFile }
    expect(await tocsin(["config", "check"], valid)).toEqual({
      code: 0,
      stdout: "The configuration is valid.\n",
      stderr: "",
    })
    const wrong = await tocsin(["config", "check"], {
      ...valid,
      PORT: "http",
      TOCSIN_MASTER_KEY_FILE: join(scratch, "nowhere"),
      TOCSIN_LOG_FROMAT: "json",
      OTEL_TRACES_EXPORTER: "zipkin",
    })
    expect(wrong).toEqual({
      code: 1,
      stdout: "",
      stderr: [
        'tocsin: PORT must be an integer from 0 to 65535, but is "http"',
        `TOCSIN_MASTER_KEY_FILE must name a file that can be read, but is "${join(scratch, "nowhere")}"`,
        "OTEL_TRACES_EXPORTER must be otlp or none",
        "TOCSIN_LOG_FROMAT is not a known variable; did you mean TOCSIN_LOG_FORMAT?",
        "",
      ].join("\n"),
    })
    const both = await tocsin(["config", "check"], { ...valid, TOCSIN_MASTER_KEY: masterKey })
    expect(both.stderr).toContain("TOCSIN_MASTER_KEY_FILE must not be set together with TOCSIN_MASTER_KEY\n")
  })

  it("shows every setting and where it comes from, without secrets", async () => {
    const url = file("database-url", "postgres://me:hunter2@127.0.0.1:1/tocsin")
    const given = { DATABASE_URL_FILE: url, TOCSIN_MASTER_KEY: masterKey, TOCSIN_QUOTA_DEFINITIONS: "7" }
    const { stdout, stderr, code } = await tocsin(["config", "show", "-o", "json"], given)
    expect([code, stderr]).toEqual([0, ""])
    const settings = JSON.parse(stdout) as ReadonlyArray<{ readonly variable: string }>
    const setting = (variable: string) => settings.find((each) => each.variable === variable)
    expect(setting("DATABASE_URL")).toEqual({ variable: "DATABASE_URL", value: "[hidden]", from: "file" })
    expect(setting("TOCSIN_MASTER_KEY")).toMatchObject({ value: "[hidden]", from: "environment" })
    expect(setting("TOCSIN_STORE")).toMatchObject({ value: "postgres", from: "default" })
    expect(setting("TOCSIN_QUOTA_DEFINITIONS")).toMatchObject({ value: "7", from: "environment" })
    expect(setting("TOCSIN_V1_API")).toMatchObject({ value: "on", from: "default" })
    const table = (await tocsin(["config", "show"], given)).stdout
    expect(table).toMatch(/^SETTING +FROM +VALUE\nPORT +default +8080\n/)
    for (const secret of ["hunter2", masterKey]) expect(stdout + table).not.toContain(secret)
  })

  it("reads the secrets of the server and of the client from files", async () => {
    const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"
    const credentials = [{ organization: "acme", clientId: "me", clientSecret, role: "viewer" }]
    const server = startTocsin(["serve"], {
      PORT: "0",
      TOCSIN_STORE: "memory",
      TOCSIN_MASTER_KEY_FILE: keyFile,
      TOCSIN_BOOTSTRAP_CREDENTIALS_FILE: file("credentials.json", JSON.stringify(credentials)),
    })
    const [, TOCSIN_URL = ""] = await server.until(/listening on (\S+)/)
    const client = { TOCSIN_URL, TOCSIN_ORGANIZATION: "acme", TOCSIN_CLIENT_ID: "me" }
    const listed = await tocsin(["get", "projects", "-o", "name"], {
      ...client,
      TOCSIN_CLIENT_SECRET_FILE: file("client-secret", `${clientSecret}\r\n`),
    })
    expect(listed).toEqual({ code: 0, stdout: "project/default\n", stderr: "" })
    const missing = await tocsin(["get", "projects"], { ...client, TOCSIN_CLIENT_SECRET_FILE: "/nowhere" })
    expect(missing.stderr).toBe(
      'tocsin: TOCSIN_CLIENT_SECRET_FILE must name a file that can be read, but is "/nowhere"\n',
    )
    server.kill("SIGTERM")
    expect((await server.ended).code).toBe(0)
  })
})
