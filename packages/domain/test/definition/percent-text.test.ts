import { percentText } from "@tocsin/domain/codec"
import { expect, it } from "vitest"

it.each([
  [0.9995, undefined, "99.95%"],
  [0.07, undefined, "7%"],
  [0.29, undefined, "29%"],
  [1 - 0.9, undefined, "10%"],
  [-1.5, undefined, "-150%"],
  [0.1 + 0.2 - 0.3, undefined, "0%"],
  [0.123456, 3, "12.3%"],
] as const)("the share %d with %s digits is %s", (share, digits, text) => {
  expect(percentText(share, digits)).toBe(text)
})
