import { nameMaxCharacters } from "@tocsin/domain/limits"
import { nameFromDisplayName } from "@tocsin/domain/forms"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("nameFromDisplayName", () => {
  it.each([
    ["Ops – On Call #1", "ops-on-call-1"],
    ["already-a-name", "already-a-name"],
    ["Équipe Système №2", "equipe-systeme-no2"],
    ["ＦＵＬＬ ①", "full-1"],
    ["İstanbul", "istanbul"],
    ["  --a__b..c--  ", "a-b-c"],
    ["a\u0301\u0302b", "ab"],
    ["日本語", ""],
    ["🔥 🔥", ""],
    ["", ""],
  ])("spec/definitions §2: %j gives %j", (displayName, name) => {
    expect(nameFromDisplayName(displayName)).toBe(name)
  })

  it("spec/definitions §3: for any text the result is a valid name or empty", () => {
    const any = fc.oneof(
      fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 600 }),
      fc.string({ unit: "binary", maxLength: 600 }),
      fc.string({
        unit: fc.constantFrom("a", "Z", "é", "-", " ", "ß", "½", "ﷺ", "\u0130", "\ud800"),
        maxLength: 600,
      }),
    )
    fc.assert(
      fc.property(any, (displayName) => {
        const name = nameFromDisplayName(displayName)
        expect(name).toMatch(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)?$/)
        expect(name.length).toBeLessThanOrEqual(nameMaxCharacters)
        expect(nameFromDisplayName(name)).toBe(name)
      }),
    )
  })

  it("spec/definitions §3: a name of 253 characters is kept, a longer one is cut, never at a dash", () => {
    const longest = "a".repeat(nameMaxCharacters)
    expect(nameFromDisplayName(longest)).toBe(longest)
    expect(nameFromDisplayName(`${longest}b`)).toBe(longest)
    expect(nameFromDisplayName(`${longest.slice(1)} b`)).toBe(longest.slice(1))
  })

  it("huge input is fast", () => {
    expect(nameFromDisplayName("- ".repeat(500_000))).toBe("")
    expect(nameFromDisplayName("\u0301".repeat(1_000_000))).toBe("")
  })
})
