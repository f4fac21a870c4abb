import { expect, it } from "vitest"

interface Item {
  readonly id: string
  readonly text: string
  readonly detail?: string
}

const { matching } = (await import(
  new URL("../../apps/console/src/shell/PaletteMatch.ts", import.meta.url).href
)) as {
  readonly matching: (query: string, items: ReadonlyArray<Item>, max: number) => ReadonlyArray<Item>
}

const found = (query: string, texts: ReadonlyArray<string>, max = 10): ReadonlyArray<string> =>
  matching(
    query,
    texts.map((text) => ({ id: text, text })),
    max,
  ).map(({ text }) => text)

it("the palette finds items that have every typed word, the beginning of names first", () => {
  const texts = ["Mail delivery", "Deliveries", "Redelivery", "Alerts"]
  expect(found("deliv", texts)).toEqual(["Deliveries", "Mail delivery", "Redelivery"])
  expect(found("MAIL del", texts)).toEqual(["Mail delivery"])
  expect(found("del mail", texts)).toEqual(["Mail delivery"])
  expect(found("x", texts)).toEqual([])
  expect(found("deliv", texts, 2)).toHaveLength(2)
})

it("the palette ignores letter case and diacritics, and takes every character as it is", () => {
  expect(found("uber", ["Zahlung über 100 €"])).toHaveLength(1)
  expect(found("[a-z]", ["letters", "[a-z] range"])).toEqual(["[a-z] range"])
  expect(found("(", ["a (b)"])).toEqual(["a (b)"])
  expect(found("\\", ["a"])).toEqual([])
})

it("the palette finds an item by its detail, after those whose name begins with the word", () => {
  const items = [
    { id: "a", text: "Latency", detail: "shop / checkout" },
    { id: "b", text: "Checkout", detail: "pay" },
  ]
  expect(matching("check", items, 5).map(({ id }) => id)).toEqual(["b", "a"])
})
