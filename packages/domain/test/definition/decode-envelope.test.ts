import { decodeDefinition } from "@tocsin/domain"
import { atOnce } from "@tocsin/domain/adapter"
import { nameMaxCharacters } from "@tocsin/domain/limits"
import * as Result from "effect/Result"
import { decodeDefinitions } from "../../src/definition/DecodeDefinition.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  aProject,
  aService,
  anAlertMethod,
  anAlertPolicy,
  anSlo,
  changed,
  codesOf,
  decodeOptions,
  issuesOf,
} from "../../../../test/definition/valid-definitions.ts"
import { issuesMax } from "../../src/codec/Issue.ts"

/** An object with a property for each of these names, which counts how often any of them is read. */
const counted = (names: ReadonlyArray<string>, onRead: () => void): object =>
  new Proxy(
    {},
    {
      ownKeys: () => (onRead(), [...names]),
      getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }),
    },
  )

const all = [aProject(), aService(), anSlo(), anAlertPolicy(), anAlertMethod()]

describe("the envelope of a definition", () => {
  it.each(all)("$kind: a valid definition has no issue", (definition) => {
    expect(issuesOf(definition)).toEqual([])
  })

  it("spec/definitions §2: another vendor prefix is rejected and the message names the expected value", () => {
    const other = changed(aProject(), "apiVersion", "acme/v1alpha")
    expect(issuesOf(other)).toEqual([
      { path: "apiVersion", code: "not_allowed_value", message: "must be tocsin/v1alpha" },
    ])
    expect(issuesOf(other, { ...decodeOptions, vendorPrefix: "acme" })).toEqual([])
  })

  it("spec/status-api §10: the version of definitions is v1alpha", () => {
    expect(codesOf(changed(aProject(), "apiVersion", "tocsin/v1"))).toEqual([
      ["apiVersion", "not_allowed_value"],
    ])
  })

  it("spec/definitions §7: what every kind has is judged where the kind is missing or mistyped, too", () => {
    expect(codesOf(changed(changed(aProject(), "kind", "project"), "metadata.name", "A b"))).toEqual([
      ["kind", "not_allowed_value"],
      ["metadata.name", "invalid_format"],
    ])
  })

  it("a kind is case-sensitive; for a typo, the nearest kind is suggested", () => {
    expect(issuesOf(changed(anSlo(), "kind", "slo"))[0]?.message).toContain("did you mean SLO?")
    expect(codesOf(changed(anSlo(), "kind", "Dashboard"))).toEqual([["kind", "not_allowed_value"]])
  })

  it("spec/definitions §6: an unknown property is rejected with its path and the nearest known one", () => {
    expect(issuesOf(changed(anAlertMethod(), "spec.webhook.templatefields", []))).toMatchObject([
      { path: "spec.webhook.templatefields", code: "unknown_property" },
    ])
    const [issue] = issuesOf(changed(aService(), "metadata.dispalyName", "Web"))
    expect(issue).toMatchObject({ path: "metadata.dispalyName", code: "unknown_property" })
    expect(issue?.message).toBe("is not a property of this object; did you mean displayName?")
  })

  it("spec/definitions §6: organization and manifestSrc at the top are ignored, and nowhere else", () => {
    const read = { ...anAlertMethod(), organization: "acme", manifestSrc: "a.yaml" }
    expect(issuesOf(read)).toEqual([])
    expect(codesOf(changed(read, "metadata.organization", "acme"))).toEqual([
      ["metadata.organization", "unknown_property"],
    ])
  })

  it("spec/definitions §6: any key may stand under metadata.annotations", () => {
    expect(issuesOf(changed(aProject(), "metadata.annotations", { displayNam: "x", "1": "" }))).toEqual([])
  })

  it("spec/definitions §6: names that every object of the language has are unknown like any other", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      const text = JSON.stringify(aService()).replace('"spec":', `"${name}":{"x":1},"spec":`)
      expect(codesOf(JSON.parse(text))).toEqual([[name, "unknown_property"]])
    }
    const decoded = decodeDefinition(
      changed(aProject(), "metadata.annotations", { constructor: "x" }),
      decodeOptions,
    )
    expect(Result.isSuccess(decoded) && decoded.success.metadata).toMatchObject({
      annotations: { constructor: "x" },
    })
  })

  it("spec/definitions §4: a definition without a project is rejected, unless a default project is given", () => {
    for (const project of [undefined, null, ""]) {
      const without = changed(anAlertMethod(), "metadata.project", project)
      expect(codesOf(without)).toEqual([["metadata.project", "required"]])
      const filled = decodeDefinition(without, { ...decodeOptions, defaultProject: "default" })
      expect(Result.isSuccess(filled) && filled.success.metadata).toMatchObject({ project: "default" })
    }
    expect(codesOf(changed(aProject(), "metadata.project", "x"))).toEqual([
      ["metadata.project", "unknown_property"],
    ])
  })

  it("a text that no UTF-8 or not every store can hold is rejected", () => {
    for (const text of ["a\u0000", "a\ud83d", "\udd14a"]) {
      for (const path of ["metadata.displayName", "spec.description", "metadata.annotations.a"]) {
        const definition = changed(aProject(), "metadata.annotations", {})
        expect(codesOf(changed(definition, path, text))).toEqual([[path, "invalid_format"]])
      }
    }
    expect(issuesOf(changed(aProject(), "metadata.displayName", "a\n🔔\u2028"))).toEqual([])
  })

  it.each([null, undefined, 1, "x", [], true])("%j is no definition", (input) => {
    expect(codesOf(input)).toEqual([["", "wrong_type"]])
  })

  it("the lengths of hostile input cost little and at most 1,000 issues are reported", () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`p${at}`, 1]))
    const issues = issuesOf({ ...aProject(), ...wide })
    expect(issues).toHaveLength(issuesMax + 1)
    expect(issues[0]).toMatchObject({ path: "", code: "document_invalid" })
  })

  it("decoding returns for all plain data, with issues if it is not a definition", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: false }), (input) => {
        const decoded = decodeDefinition(input, decodeOptions)
        expect(Result.isSuccess(decoded)).toBe(false)
      }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.jsonValue(), fc.nat(20), (definition, value, at) => {
        const paths = ["metadata", "spec", "metadata.name", "metadata.labels", "metadata.annotations", "kind"]
        const [path = "spec"] = paths.slice(at % paths.length)
        issuesOf(changed(definition, path, value))
      }),
    )
  })
})

describe("names", () => {
  const named = (name: unknown) => changed(aService(), "metadata.name", name)

  it.each(["a", "0", "a-b", "a--b", "1a"])("spec/definitions §2: %s is one", (name) => {
    expect(issuesOf(named(name))).toEqual([])
  })

  it.each(["-a", "a-", "-", "A", "a_b", "a.b", "a b", "é", "a\n", "ａ"])(
    "spec/definitions §2: %j is invalid",
    (name) => {
      expect(codesOf(named(name))).toEqual([["metadata.name", "invalid_format"]])
    },
  )

  it("spec/definitions §3: have 1 to 253 characters", () => {
    expect(codesOf(named(""))).toEqual([["metadata.name", "required"]])
    expect(issuesOf(named("x".repeat(nameMaxCharacters)))).toEqual([])
    expect(codesOf(named("x".repeat(254)))).toEqual([["metadata.name", "too_long"]])
    expect(codesOf(changed(aService(), "metadata.project", "x".repeat(254)))).toEqual([
      ["metadata.project", "too_long"],
    ])
  })

  it("spec/definitions §3: of SLOs and objectives have at most 63 characters", () => {
    for (const path of ["metadata.name", "spec.objectives[0].name"]) {
      expect(issuesOf(changed(anSlo(), path, "x".repeat(63)))).toEqual([])
      expect(codesOf(changed(anSlo(), path, "x".repeat(64)))).toEqual([[path, "too_long"]])
    }
  })

  it("spec/definitions §3: a display name has at most 253 characters and may be anything", () => {
    const shown = (displayName: string) => changed(aService(), "metadata.displayName", displayName)
    expect(issuesOf(shown("ß ".repeat(126)))).toEqual([])
    expect(issuesOf(shown("🔔".repeat(253)))).toEqual([])
    expect(codesOf(shown("x".repeat(254)))).toEqual([["metadata.displayName", "too_long"]])
  })
})

describe("annotations", () => {
  const annotated = (key: string, value: unknown = "v") =>
    changed(aProject(), "metadata.annotations", { [key]: value })

  it.each(["a", "A.b-c_d", "0", "example.com/team", "a-b.c/D"])("spec/definitions §2: %s is a key", (key) => {
    expect(issuesOf(annotated(key))).toEqual([])
  })

  it.each(["", "-a", "a.", "a b", "é", "/a", "a/", "a/b/c", "Example.com/a", "a..b/c"])(
    "spec/definitions §5: %j is not a valid key",
    (key) => {
      expect(issuesOf(annotated(key))).toMatchObject([{ code: "invalid_format" }])
    },
  )

  it("spec/definitions §5: a key has a name of at most 63 characters and a prefix of at most 253", () => {
    expect(issuesOf(annotated(`${"x".repeat(253)}/${"y".repeat(63)}`))).toEqual([])
    expect(issuesOf(annotated("x".repeat(64)))).toMatchObject([{ code: "invalid_format" }])
    expect(issuesOf(annotated(`${"x".repeat(254)}/a`))).toMatchObject([{ code: "invalid_format" }])
  })

  it("spec/definitions §5: a value has at most 1,050 characters and is text", () => {
    expect(issuesOf(annotated("a", "x".repeat(1050)))).toEqual([])
    expect(codesOf(annotated("a", "x".repeat(1051)))).toEqual([["metadata.annotations.a", "too_long"]])
    expect(issuesOf(annotated("a.b/c", 1))).toEqual([
      {
        path: 'metadata.annotations["a.b/c"]',
        code: "wrong_type",
        message: "must be a string: put it in quotes",
      },
    ])
  })
})

describe("labels", () => {
  const labelled = (labels: unknown) => changed(aProject(), "metadata.labels", labels)

  it("spec/status-api §4: map keys to lists of different values", () => {
    expect(issuesOf(labelled({ team: ["a", "b"], "größe-1": [] }))).toEqual([])
    expect(codesOf(labelled({ team: "a" }))).toEqual([["metadata.labels.team", "wrong_type"]])
    expect(codesOf(labelled({ team: ["a", "a"] }))).toEqual([["metadata.labels.team", "duplicate"]])
    expect(codesOf(labelled({ Team: [], "1a": [], "a-": [] })).map(([, code]) => code)).toEqual([
      "invalid_format",
      "invalid_format",
      "invalid_format",
    ])
    expect(codesOf(labelled({ ["x".repeat(64)]: ["y".repeat(201)] })).map(([, code]) => code)).toEqual([
      "too_long",
      "too_long",
    ])
  })

  it("definitions are not decoded for issues that would be discarded", () => {
    let decoded = 0
    const names = Array.from({ length: 100 }, (_, index) => `unknown${index}`)
    const bad = Array.from({ length: 1_000 }, (_, index) => ({
      ...aService(`s-${index}`),
      spec: counted(names, () => (decoded += 1)),
    }))
    const { issues, keys } = atOnce(decodeDefinitions(bad, decodeOptions))
    expect(issues.sorted()).toHaveLength(issuesMax + 1)
    expect(keys.size).toBe(1_000)
    expect(decoded).toBeLessThan(20)
  })
})
