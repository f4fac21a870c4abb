import { nearestName } from "@tocsin/domain/codec"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("nearestName", () => {
  it("spec/definitions §6: finds the name that a mistyped one means", () => {
    const known = ["template", "templateFields", "headers", "url", "sendResolution"]
    expect(nearestName("templateField", known)).toBe("templateFields")
    expect(nearestName("tempalte", known)).toBe("template")
    expect(nearestName("template_fields", known)).toBe("templateFields")
    expect(nearestName("HEADERS", known)).toBe("headers")
    expect(nearestName("uri", known)).toBe("url")
  })

  it("finds nothing when nothing is near", () => {
    expect(nearestName("colour", ["template", "headers", "url"])).toBeUndefined()
    expect(nearestName("ab", ["cd", "x"])).toBeUndefined()
    expect(nearestName("a", ["b", ""])).toBeUndefined()
    expect(nearestName("", ["a", "abc"])).toBeUndefined()
    expect(nearestName("abc", [])).toBeUndefined()
  })

  it("prefers the nearest, and the first among equally near ones", () => {
    expect(nearestName("slo_nam", ["slo_map", "slo_name", "slo_nama"])).toBe("slo_name")
  })

  it("finds a known name after any one character was dropped from it", () => {
    const word = fc.stringMatching(/^[a-z_]{5,40}$/)
    fc.assert(
      fc.property(word, fc.nat(), fc.array(fc.stringMatching(/^[0-9]{6,9}$/)), (known, at, others) => {
        const cut = at % known.length
        expect(nearestName(known.slice(0, cut) + known.slice(cut + 1), [...others, known])).toBe(known)
      }),
    )
  })

  it("is quick for huge input", () => {
    const huge = "a".repeat(1_000_000)
    expect(nearestName(huge, ["a", huge])).toBeUndefined()
    expect(nearestName("abcd", [huge, "abce"])).toBe("abce")
  })
})
