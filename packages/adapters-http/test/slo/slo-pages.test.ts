import { array, assert, constantFrom, integer, property, record, string, subarray } from "fast-check"
import type { SloRecord } from "@tocsin/domain"
import { describe, expect, it } from "vitest"
import { makeSloEncoder, sloToJson } from "../../src/slos/SloJson.ts"

const recordOf = (name: string, description: string): SloRecord =>
  ({
    slo: {
      metadata: { name, project: "shop" },
      spec: { description, service: "web", budgetingMethod: "Occurrences", objectives: [] },
    },
    createdAt: 0,
    statuses: new Map(),
    project: { name: "shop" },
    service: { name: "web" },
  }) as unknown as SloRecord

const textOf = (records: ReadonlyArray<SloRecord>, links: object): string =>
  `{"data":[${records.map((record) => sloToJson({ record }, "v2")).join(",")}],"links":${JSON.stringify(links)}}`

describe("a page of SLOs", () => {
  it("has the bytes of its records, whichever of them have changed since it was read", () => {
    assert(
      property(
        integer({ min: 0, max: 6 }),
        array(
          record({
            changed: subarray([0, 1, 2, 3, 4, 5]),
            next: constantFrom("", "more"),
            text: string(),
          }),
          { maxLength: 8 },
        ),
        (length, reads) => {
          const encoder = makeSloEncoder()
          let records = Array.from({ length }, (_, index) => recordOf(`slo-${index}`, "as it is"))
          for (const { changed, next, text } of reads) {
            records = records.map((each, index) =>
              changed.includes(index) ? recordOf(each.slo.metadata.name, `“${text}”`) : each,
            )
            const links = { self: "/api/v2/slos", ...(next !== "" && { next }) } as never
            expect(Buffer.from(encoder.page(records, "v2", links)).toString()).toBe(textOf(records, links))
          }
        },
      ),
    )
  })

  it("is the same bytes while nothing changes, and keeps those of others", () => {
    const encoder = makeSloEncoder()
    const links = { self: "/api/v2/slos" } as never
    const [one, other] = ["a", "b"].map((name) => [recordOf(name, "x"), recordOf(`${name}-2`, "y")])
    const bytes = encoder.page(one as Array<SloRecord>, "v2", links)
    encoder.page(other as Array<SloRecord>, "v2", links)
    encoder.page(one as Array<SloRecord>, "v1", links)
    expect(encoder.page([...(one as Array<SloRecord>)], "v2", links)).toBe(bytes)
  })

  it("is not kept when others take its place", () => {
    const encoder = makeSloEncoder()
    const links = { self: "/api/v2/slos" } as never
    const page = (name: string) => [recordOf(name, "x".repeat(6_000_000))]
    const [first = [], ...others] = ["a", "b", "c"].map(page)
    const bytes = encoder.page(first, "v2", links)
    for (const other of others) encoder.page(other, "v2", links)
    const again = encoder.page(first, "v2", links)
    // Comparing them takes minutes, even if it passes.
    expect(again === bytes).toBe(false)
    expect(Buffer.compare(again, bytes)).toBe(0)
  })
})
