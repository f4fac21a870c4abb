import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fetchedFileMaxBytes } from "../src/command/FileSources.ts"
import { freePort } from "../../../test/FreePort.ts"
import { scratch, startTocsin, tocsin } from "../../../test/server/child-process.ts"
import { useMemoryServer } from "../../../test/server/memory-server.ts"

const environment = useMemoryServer()

const service = (name: string, more = "") =>
  `apiVersion: tocsin/v1alpha\nkind: Service\nmetadata: { name: ${name}${more} }\n`

const folder = join(scratch, "definitions")

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

let web: Server
let origin: string

beforeAll(async () => {
  // The commands that run at once use its token.
  await tocsin(["token"], environment())
  write("b.yaml", service("b"))
  write("a.yml", service("a"))
  write("c.json", JSON.stringify({ apiVersion: "tocsin/v1alpha", kind: "Service", metadata: { name: "c" } }))
  write("notes.txt", "no: definition")
  write(".hidden.yaml", service("hidden"))
  write(".git/config.yaml", service("hidden"))
  write("below/d.yaml", service("d"))
  write("below/deeper/e.yaml", service("e"))
  write("wrong/first.yaml", "kind: [")
  write("wrong/second.json", "{")
  write("wrong/third.yaml", `${service("f")}---\n${service("Not a name")}`)
  write("text/x.yaml", `${service("f")}---\nfoo\n`)
  write("valid/x.yaml", "[]\n")
  symlinkSync(join(folder, "b.yaml"), join(folder, "linked.yaml"))
  web = createServer((request, response) => {
    const [path, query] = (request.url ?? "").split("?")
    if (path === "/services.yaml") return response.end(query === "token=s3cret" ? service("served") : "{")
    if (path === "/loop") return response.writeHead(302, { location: "/loop" }).end()
    if (path === "/moved") return response.writeHead(301, { location: "/services.yaml?token=s3cret" }).end()
    if (path === "/json")
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(`{"apiVersion": "tocsin/v1alpha", "kind": "Service", "metadata": {"name": 1}`)
    if (path === "/away") return response.writeHead(302, { location: "file:///etc/hostname" }).end()
    if (path === "/large") return response.end("#".repeat(fetchedFileMaxBytes + 1))
    return response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
})

afterAll(() => void web.close())

const apply = async (...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await tocsin(["apply", "--dry-run", ...args], environment())
  return { code, names: [...stdout.matchAll(/default\/(\S+)/g)].map(([, name]) => name), stderr }
}

describe("-f", () => {
  it("reads directories and globs in the order of their names, each file once", async () => {
    const [directory, recursive, glob, deep, several] = await Promise.all([
      apply("-f", folder),
      apply("-f", join(folder, "below"), "-R"),
      apply("-f", join(folder, "[a-b].y*ml")),
      apply("-f", join(folder, "b*", "deep??", "*.yaml")),
      apply("-f", join(folder, "b.yaml"), "-f", join(folder, "c.json"), join(folder, "*.json")),
    ])
    // The link is another file with the same object.
    expect([directory.code, directory.stderr]).toEqual([
      1,
      expect.stringContaining("linked.yaml (Service b)"),
    ])
    expect(recursive).toEqual({ code: 0, names: ["d", "e"], stderr: "" })
    expect(glob).toEqual({ code: 0, names: ["a", "b"], stderr: "" })
    expect(deep).toEqual({ code: 0, names: ["e"], stderr: "" })
    expect(several.names).toEqual(["b", "c"])
  })

  it("reads URLs and stdin", async () => {
    const applying = startTocsin(
      ["apply", "--dry-run", "-f", "-", "-f", `${origin}/services.yaml?token=s3cret`],
      environment(),
    )
    applying.write(service("piped"))
    expect(await applying.ended).toEqual({
      code: 0,
      stdout: "Service default/piped created (dry run)\nService default/served created (dry run)\n",
      stderr: "",
    })
    expect(await apply("-f", `${origin}/moved`)).toEqual({ code: 0, names: ["served"], stderr: "" })
  })

  it("names all files that cannot be read, and no part of a URL that can be secret", async () => {
    const closed = `http://127.0.0.1:${await freePort()}`
    const withPassword = origin.replace("//", "//me:s3cret@")
    const urls = [
      ...["/loop", "/away", "/large", "/absent"].map((path) => origin + path),
      `${closed}/a.yaml`,
      `${withPassword}/services.yaml`,
    ]
    const { code, stderr } = await apply(
      ...["absent.yaml", "*.toml", "below"].flatMap((path) => ["-f", join(folder, path)]),
      ...urls.flatMap((url) => ["-f", url]),
    )
    expect(code).toBe(1)
    expect(stderr.replaceAll(folder, "").replaceAll(origin, "").replaceAll(closed, "closed")).toBe(
      `tocsin: 8 errors:
  /absent.yaml: no such file or directory; relative paths start at the current directory
  /*.toml: matches no file; check the pattern
  /loop: has more than 5 redirects; specify the final URL
  /away: is redirected to file://; specify an http:// or https:// URL
  /large: is too large: at most 4 MiB are read
  /absent: cannot be read (status 404)
  closed/a.yaml: cannot be read (ECONNREFUSED)
  /services.yaml: cannot be read; check the URL, which must not contain a user or password
`,
    )
    expect(stderr).not.toContain("s3cret")
  })

  it("prints the names of files with invalid documents and the objects that the server rejects", async () => {
    const [syntax, rejected, empty, without] = await Promise.all([
      apply("-f", join(folder, "wrong"), "-f", `${origin}/json`),
      apply("-f", join(folder, "wrong", "third.yaml"), "-f", join(folder, "b.yaml")),
      apply("-f", join(folder, "valid")),
      apply("-f", join(scratch, "definitions", "below", "deeper", "..", "..")),
    ])
    expect(syntax.stderr.replaceAll(folder, "").replaceAll(origin, "").split("\n")).toEqual([
      "tocsin: 3 errors:",
      expect.stringMatching(/^ {2}\/wrong\/first\.yaml: \S/),
      expect.stringMatching(/^ {2}\/wrong\/second\.json: .*invalid JSON/),
      expect.stringMatching(/^ {2}\/json: .*invalid JSON/),
      "",
    ])
    expect(rejected.stderr.replaceAll(folder, "")).toMatch(
      /^tocsin: \/wrong\/third\.yaml, document 2 \(Service Not a name\): metadata\.name: must consist of/,
    )
    expect(empty.stderr.replaceAll(folder, "")).toBe(
      "tocsin: /valid: has no definitions; a definition begins with apiVersion and kind\n",
    )
    expect(without.code).toBe(1)
    expect((await apply("-f", join(folder, "text"))).stderr.replaceAll(folder, "")).toBe(
      "tocsin: /text/x.yaml, document 2: must be an object such as { apiVersion: …, kind: … }\n",
    )
    mkdirSync(join(folder, "none", "below"), { recursive: true })
    expect((await apply("-f", join(folder, "none"))).stderr).toBe(
      `tocsin: ${join(folder, "none")}: has no .yaml, .yml or .json file; add -R to read its subdirectories\n`,
    )
  })
})
