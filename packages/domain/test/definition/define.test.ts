import * as UseCases from "@tocsin/domain"
import {
  decodeDefinition,
  defineAlertMethod,
  defineAlertPolicy,
  defineBudgetAdjustment,
  defineProject,
  defineService,
  defineSlo,
  type DefinitionDocument,
} from "@tocsin/domain"
import { kindList } from "@tocsin/domain/definitions"
import { publicAddressesOnly } from "@tocsin/domain/delivery"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"

const options = { vendorPrefix: "tocsin", addressPolicy: publicAddressesOnly }
const metadata = { name: "checkout", project: "default" }
const spec = {
  service: "web",
  budgetingMethod: "Occurrences",
  timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
  objectives: [{ target: 0.99 }],
} as const

/** Definitions that do not compile, by what is wrong. */
const wrong: Readonly<Record<string, () => DefinitionDocument>> = {
  "a kind that does not exist": () =>
    // @ts-expect-error -- SLOO is no kind
    defineSlo({ kind: "SLOO", metadata, spec }),
  "a document of a kind that does not exist": () =>
    // @ts-expect-error -- SLOO is no kind
    ({ apiVersion: "tocsin/v1alpha", kind: "SLOO", metadata, spec }),
  "a misspelled property": () =>
    // @ts-expect-error -- the property is metadata
    defineSlo({ metdata: metadata, spec }),
  "a misspelled property of metadata": () =>
    // @ts-expect-error -- the property is displayName
    defineService({ metadata: { ...metadata, displayname: "Web" } }),
  "a misspelled property of an entry": () =>
    // @ts-expect-error -- the property is target
    defineSlo({ metadata, spec: { ...spec, objectives: [{ targt: 0.99 }] } }),
  "a value that is not allowed": () =>
    // @ts-expect-error -- the unit is Day
    defineSlo({ metadata, spec: { ...spec, timeWindows: [{ unit: "Days", count: 28, isRolling: true }] } }),
  "a missing property": () =>
    // @ts-expect-error -- an alert method needs its spec
    defineAlertMethod({ metadata }),
}

describe("typed definitions", () => {
  it("have a function for each kind", () => {
    const names = kindList.map((kind) => `define${kind === "SLO" ? "Slo" : kind}`)
    expect(Object.keys(UseCases).filter((name) => name.startsWith("define"))).toEqual(names.toSorted())
  })

  it("are valid documents of their kind", () => {
    const documents: ReadonlyArray<DefinitionDocument> = [
      defineProject({ metadata: { name: "shop", labels: { team: ["payments"] } } }),
      defineService({ metadata, spec: { description: "Storefront" } }),
      defineSlo({ metadata, spec }),
      defineAlertMethod({
        metadata: { name: "on-call", project: "default" },
        spec: { webhook: { url: "https://hooks.example.com/on-call", templateFields: ["slo_name"] } },
      }),
      defineAlertPolicy({
        metadata: { name: "fast-burn", project: "default" },
        spec: {
          severity: "High",
          conditions: [{ measurement: "averageBurnRate", value: 14.4, alertingWindow: "1h" }],
          alertMethods: [{ metadata: { name: "on-call" } }],
        },
      }),
      defineBudgetAdjustment({
        metadata: { name: "maintenance", project: "default" },
        spec: {
          reason: "Planned",
          slos: [{ name: "checkout" }],
          period: { startTime: "2026-01-01T00:00:00Z", duration: "1h" },
        },
      }),
    ]
    for (const document of documents) {
      const decoded = decodeDefinition(document, options)
      expect(Result.isSuccess(decoded) ? decoded.success.kind : decoded.failure).toBe(document.kind)
    }
  })

  it("have the apiVersion that they are given", () => {
    expect(defineService({ metadata }).apiVersion).toBe("tocsin/v1alpha")
    expect(defineService({ apiVersion: "acme/v1alpha", metadata }).apiVersion).toBe("acme/v1alpha")
  })

  it.each(Object.entries(wrong))("neither compile nor decode with %s", (_, define) => {
    expect(Result.isFailure(decodeDefinition(define(), options))).toBe(true)
  })

  it("are of one kind", () => {
    // @ts-expect-error -- an SLO is no Service
    const service: DefinitionDocument<"Service"> = defineSlo({ metadata, spec })
    expect(service.kind).toBe("SLO")
  })
})
