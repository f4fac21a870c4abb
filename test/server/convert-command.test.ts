import * as Result from "effect/Result"
import { readDocuments } from "@tocsin/formats/documents"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "vitest"
import { stringify } from "yaml"
import { documents, service, slo, target } from "../conversion/documents.ts"
import { scratch, tocsin } from "./child-process.ts"

const fileWith = (name: string, written: ReadonlyArray<unknown>): string => {
  const file = join(scratch, name)
  writeFileSync(file, written.map((document) => stringify(document)).join("---\n"))
  return file
}

const objectsOf = (yaml: string) => {
  const read = readDocuments(yaml, "application/yaml")
  if (Result.isFailure(read)) throw new Error(read.failure.message)
  return read.success as ReadonlyArray<{ kind: string; apiVersion: string; metadata: Record<string, string> }>
}

describe.concurrent("tocsin convert", () => {
  it("spec/openslo §2: prints definitions, of the project and prefix that are given", async ({ expect }) => {
    const file = fileWith("all.yaml", documents)
    const { code, stdout, stderr } = await tocsin(["convert", "-f", file, "-p", "shop"], {
      TOCSIN_VENDOR_PREFIX: "acme",
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const objects = objectsOf(stdout)
    expect(objects.map(({ kind }) => kind)).toEqual(["Service", "AlertMethod", "AlertPolicy", "SLO"])
    expect(new Set(objects.map(({ apiVersion }) => apiVersion))).toEqual(new Set(["acme/v1alpha"]))
    expect(new Set(objects.map(({ metadata }) => metadata["project"]))).toEqual(new Set(["shop"]))
  })

  it("spec/openslo §2: reports what it could not convert, with file and document, and exits with 1 when an object is missing", async ({
    expect,
  }) => {
    const mail = { ...target, spec: { target: "email" } }
    const ratio = { ...slo, spec: { ...slo.spec, budgetingMethod: "RatioTimeslices" } }
    const first = fileWith("first.yaml", [service, mail])
    const second = fileWith("second.yaml", [ratio])
    const { code, stdout, stderr } = await tocsin(["convert", "-f", first, second])
    expect(code).toBe(1)
    expect(objectsOf(stdout).map(({ kind }) => kind)).toEqual(["Service", "AlertMethod"])
    expect(stderr).toContain(
      `${first}, document 2 (AlertNotificationTarget on-call): spec.target: becomes a webhook`,
    )
    expect(stderr).toContain(
      `${second}, document 1 (SLO checkout): spec.budgetingMethod: is not supported, so the SLO is omitted`,
    )
    expect(stderr).toContain("tocsin: some documents were not converted")
  })

  it("spec/openslo §4, spec/openslo §5: reads Sloth and Pyrra, with a service and a window of the options", async ({
    expect,
  }) => {
    const query = "sum(rate(x_total[{{.window}}]))"
    const file = fileWith("sloth-pyrra.yaml", [
      {
        version: "prometheus/v1",
        service: "shop",
        slos: [
          {
            name: "x",
            objective: 99,
            sli: { events: { error_query: query, total_query: query } },
            alerting: {},
          },
        ],
      },
      {
        apiVersion: "pyrra.dev/v1alpha1",
        kind: "ServiceLevelObjective",
        metadata: { name: "y" },
        spec: { target: "99", window: "1w", indicator: { bool_gauge: { metric: "up" } } },
      },
      { apiVersion: "n9/v1alpha", kind: "SLO", metadata: { name: "z" } },
    ])
    const options = ["--service", "web", "--sloth-window", "4w", "--prometheus-url", "http://localhost:9090"]
    const { code, stdout, stderr } = await tocsin(["convert", "-f", file, ...options])
    expect(code).toBe(1)
    const slos = objectsOf(stdout).filter(({ kind }) => kind === "SLO")
    expect(slos).toMatchObject([
      { spec: { service: "shop", timeWindows: [{ unit: "Day", count: 28 }] } },
      { spec: { service: "web", timeWindows: [{ unit: "Day", count: 7 }] } },
    ])
    expect(stderr).toContain(`${file}, document 3 (SLO z): is a Nobl9 document (SLO, n9/v1alpha)`)
    const invalid = await tocsin(["convert", "-f", file, "--sloth-window", "1M", "--service", "Web"])
    expect(invalid.code).toBe(1)
    expect(invalid.stderr).toContain("It must be a whole number of m, h, d or w, such as 28d.")
  })

  it("spec/openslo §2: rejects URLs that no alert method and no indicator could have", async ({ expect }) => {
    const file = fileWith("urls.yaml", documents)
    const webhook = await tocsin(["convert", "-f", file, "--webhook-url", "http://example.com"])
    const prometheus = await tocsin(["convert", "-f", file, "--prometheus-url", "example.com:9090"])
    expect([webhook.code, prometheus.code]).toEqual([1, 1])
    expect(webhook.stderr).toContain("It must start with https://.")
    expect(prometheus.stderr).toContain("It must start with https:// or http://.")
  })
})
