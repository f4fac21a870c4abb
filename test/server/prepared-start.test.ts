import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Script } from "node:vm"
import { describe, expect, it } from "vitest"
import { copyTocsin, dataDirectory, startProgram } from "./child-process.ts"

const folderOf = (name: string): string => {
  const folder = join(dataDirectory(), name)
  mkdirSync(folder)
  copyTocsin(folder)
  return folder
}

/** What a bundled server responds at the paths of the documents. */
const documentsOf = async (folder: string) => {
  const server = startProgram(join(folder, "tocsin.mjs"), ["serve"], {
    PORT: "0",
    TOCSIN_STORE: "memory",
    TOCSIN_MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
  })
  const [, url = ""] = await server.until(/listening on (\S+)/)
  const responses = []
  for (const path of ["/openapi.json", "/openapi-v1.json", "/docs"]) {
    const response = await fetch(url + path)
    const { date: _, "trace-id": __, ...headers } = Object.fromEntries(response.headers)
    responses.push({ status: response.status, headers, body: await response.text() })
  }
  server.kill("SIGTERM")
  expect((await server.ended).code).toBe(0)
  return { responses, stderr: server.stderr() }
}

describe("what the build of the server prepares", () => {
  const folder = folderOf("prepared")
  const lib = join(folder, "lib")
  const [program = ""] = readdirSync(lib).filter((name) => name.endsWith(".cjs"))

  it("is compiled code that this version of Node.js takes", () => {
    const code = readFileSync(join(lib, program))
    expect(code.every((byte) => byte < 128)).toBe(true)
    const cachedData = readFileSync(join(lib, `${program}.cache`))
    expect(new Script(code.toString("latin1"), { cachedData }).cachedDataRejected).toBe(false)
  })

  it("serves the same documents as a server without it, or with that of another version", async () => {
    const other = folderOf("other")
    writeFileSync(join(other, "lib", `${program}.cache`), Buffer.alloc(1_000, 1))
    rmSync(join(other, "lib", program.replace(".cjs", "")), { recursive: true })
    const bare = folderOf("bare")
    rmSync(join(bare, "lib", `${program}.cache`))
    const { responses } = await documentsOf(folder)
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    for (const each of [other, bare]) {
      const { responses: made, stderr } = await documentsOf(each)
      expect(made).toEqual(responses)
      expect(stderr).not.toMatch(/cache|reject/i)
    }
  })
})
