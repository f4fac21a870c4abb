import { serverVariables } from "@tocsin/server/config/Settings"
import { describe, expect, it } from "vitest"
import { read, readYaml } from "./Files.ts"

const chart = "deploy/helm/tocsin"

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
}

type Values = { readonly [name: string]: unknown }

/** The paths of all values: maps and lists without entries are values themselves, as `resources` is. */
const pathsOf = (values: Values, prefix = ""): ReadonlyArray<string> =>
  Object.entries(values).flatMap(([name, value]) => {
    const path = `${prefix}${name}`
    const isGroup = typeof value === "object" && value !== null && !Array.isArray(value)
    return isGroup && Object.keys(value).length > 0 && path !== "resources"
      ? pathsOf(value as Values, `${path}.`)
      : [path]
  })

describe("the Helm chart", () => {
  const values = readYaml<Values>(`${chart}/values.yaml`)
  const schema = readYaml<Schema>(`${chart}/values.schema.json`)

  it("accepts as config each variable of the server that no other value sets", () => {
    const elsewhere = [
      "PORT",
      "DATABASE_URL",
      "TOCSIN_BASE_URL",
      "TOCSIN_BOOTSTRAP_CREDENTIALS",
      "TOCSIN_DRAIN_SECONDS",
      "TOCSIN_EGRESS_CA_FILE",
      "TOCSIN_MASTER_KEY",
      "TOCSIN_METRICS_PORT",
      "TOCSIN_PREVIOUS_MASTER_KEY",
      // The ingress uses the certificate.
      "TOCSIN_TLS_CERT_FILE",
      "TOCSIN_TLS_KEY_FILE",
      // A pod keeps no data.
      "TOCSIN_DATA_DIR",
      "TOCSIN_STORE",
    ]
    expect(Object.keys(schema.properties?.["config"]?.properties ?? {})).toEqual(
      serverVariables.filter((name) => !elsewhere.includes(name)),
    )
  })

  it("describes each value and its default in its README, in order", () => {
    const rows = [...read(`${chart}/README.md`).matchAll(/^\| (`[^|]*`)\s*\| ([^|]*?)\s*\|/gm)].flatMap(
      ([, names = "", fallback = ""]) =>
        [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name, fallback.replaceAll("`", "")] as const),
    )
    expect(rows.map(([name]) => name).toSorted()).toEqual(pathsOf(values).toSorted())
    for (const [path = "", fallback] of rows) {
      if (fallback === "empty" || fallback.startsWith("see ")) continue
      const value = path.split(".").reduce<unknown>((group, name) => (group as Values)[name], values)
      expect(typeof value === "string" && value !== "" ? value : JSON.stringify(value), path).toBe(fallback)
    }
  })

  it("has a schema for each value", () => {
    const known = (path: string): boolean =>
      path.split(".").reduce<Schema | undefined>((group, name) => group?.properties?.[name], schema) !==
      undefined
    expect(pathsOf(values).filter((path) => !known(path))).toEqual([])
  })
})
