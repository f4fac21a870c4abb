import { readFileSync } from "node:fs"
import { join } from "node:path"
import { satisfies } from "semver"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

interface Package {
  readonly version?: string
  readonly link?: boolean
  readonly optional?: boolean
  readonly resolved?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly engines?: Readonly<Record<string, string>>
}

const read = <A>(file: string): A => JSON.parse(readFileSync(join(root, file), "utf8")) as A

const text = readFileSync(join(root, "package-lock.json"), "utf8")
const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, Package>> }

/** The packages from the registry, by name. A name can be there in several versions. */
const installed = Object.entries(packages).flatMap(([path, found]) => {
  const at = path.lastIndexOf("node_modules/")
  return at === -1 || found.link === true ? [] : [{ name: path.slice(at + "node_modules/".length), ...found }]
})

/**
 * Optional binaries of a development tool, for other platforms. `@effect/tsgo` depends on them, but the registry has no packages of
 * these names: there is nothing to install, and so no checksum. Once they are published, `npm install` adds it, and this list is deleted.
 */
const unhashed = [
  "@effect/tsgo-darwin-arm64",
  "@effect/tsgo-darwin-x64",
  "@effect/tsgo-linux-arm",
  "@effect/tsgo-linux-arm64",
  "@effect/tsgo-win32-arm64",
  "@effect/tsgo-win32-x64",
]

describe("the lock file", () => {
  it("has the hash of every package, so that npm rejects a changed one", () => {
    expect(installed.length).toBeGreaterThan(300)
    const without = installed.filter(({ integrity = "" }) => !/^sha512-[\w+/]{86}==$/.test(integrity))
    expect(without.map(({ name }) => name).toSorted()).toEqual(unhashed)
  })

  it("names no host of a registry, so that each user's own is used", () => {
    expect(installed.filter(({ resolved }) => resolved !== undefined)).toEqual([])
    expect(text).not.toMatch(/"resolved": "(?!packages\/|apps\/|test"|bench"|examples")/)
  })

  it("has only packages that support the oldest supported versions of Node.js", () => {
    const { engines } = read<Package>("package.json")
    expect(engines?.["node"]).toBe("^20.19 || >=22.12")
    for (const version of ["20.19.0", "22.12.0"]) {
      const unsupported = installed.filter(
        // npm leaves out an optional package that does not support the version, without a warning.
        ({ engines, optional }) =>
          optional !== true && engines?.["node"] !== undefined && !satisfies(version, engines["node"]),
      )
      expect(
        unsupported.map(({ name, engines }) => `${name} needs Node.js ${engines?.["node"]}`),
        `Node.js ${version}`,
      ).toEqual([])
    }
  })

  it("has install scripts only of the packages in allowScripts, and of all of them", () => {
    const { allowScripts } = read<{ readonly allowScripts: Readonly<Record<string, boolean>> }>(
      "package.json",
    )
    const scripts = installed.filter(({ hasInstallScript }) => hasInstallScript === true)
    expect(scripts.map(({ name }) => name).toSorted()).toEqual(Object.keys(allowScripts).toSorted())
    expect(Object.values(allowScripts)).toEqual(scripts.map(() => true))
  })
})
