import { SortedTable } from "../../src/collections/SortedTable.ts"
import { expect, it } from "vitest"

it("a page read backwards costs its size, however many rows there are", () => {
  const table = new SortedTable<number>()
  const keyOf = (row: number) => ({ project: "", name: String(row) })
  for (let row = 10_000; row < 20_000; row++) table.set(keyOf(row), row)
  let looked = 0
  const isWanted = (): boolean => ++looked > 0
  expect(table.pageBackwards({ limit: 2 }, isWanted)).toEqual({ items: [19_999, 19_998], hasMore: true })
  expect(table.pageBackwards({ limit: 2, after: keyOf(15_000) }, isWanted).items).toEqual([14_999, 14_998])
  expect(table.pageBackwards({ limit: 2, after: keyOf(10_001) }, isWanted)).toEqual({
    items: [10_000],
    hasMore: false,
  })
  expect(looked).toBe(7)
})
