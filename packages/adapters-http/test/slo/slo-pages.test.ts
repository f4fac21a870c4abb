import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { array, assert, constantFrom, integer, property, record, string, subarray } from "fast-check"
import type { SloRecord } from "@tocsin/domain"
import type { OrganizationId } from "@tocsin/domain/kernel"
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

const acme = "acme" as OrganizationId
const umbrella = "umbrella" as OrganizationId

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
            shown: integer({ min: 0, max: 6 }),
            text: string(),
          }),
          { maxLength: 8 },
        ),
        (length, reads) => {
          const encoder = makeSloEncoder()
          let records = Array.from({ length }, (_, index) => recordOf(`slo-${index}`, "as it is"))
          for (const { changed, next, shown, text } of reads) {
            records = records.map((each, index) =>
              changed.includes(index) ? recordOf(each.slo.metadata.name, `“${text}”`) : each,
            )
            const links = { self: "/api/v2/slos", ...(next !== "" && { next }) } as never
            const page = records.slice(0, shown)
            expect(Buffer.from(encoder.page(acme, page, "v2", links)).toString()).toBe(textOf(page, links))
          }
        },
      ),
    )
  })

  const links = { self: "/api/v2/slos" } as never

  it("is the same bytes while nothing changes, and keeps those of others", () => {
    const encoder = makeSloEncoder()
    const [one = [], other = []] = ["a", "b"].map((name) => [recordOf(name, "x"), recordOf(`${name}-2`, "y")])
    const bytes = encoder.page(acme, one, "v2", links)
    encoder.page(umbrella, other, "v2", links)
    encoder.page(acme, other, "v2", { self: "/api/v2/slos?limit=2" } as never)
    encoder.page(acme, one, "v1", links)
    expect(encoder.page(acme, [...one], "v2", links)).toBe(bytes)
  })

  const large = (name: string) => [recordOf(name, "x".repeat(6_000_000))]

  it("is not kept when others take its place", () => {
    const encoder = makeSloEncoder()
    const [first = [], ...others] = ["a", "b", "c"].map(large)
    const bytes = encoder.page(acme, first, "v2", links)
    for (const [index, other] of others.entries()) {
      encoder.page(`other-${index}` as OrganizationId, other, "v2", links)
    }
    const again = encoder.page(acme, first, "v2", links)
    // Comparing them takes minutes, even if it passes.
    expect(again === bytes).toBe(false)
    expect(Buffer.compare(again, bytes)).toBe(0)
  })

  it("takes the place of the one before it, whatever has changed", () => {
    const encoder = makeSloEncoder()
    const other = large("other")
    const bytes = encoder.page(umbrella, other, "v2", links)
    for (const name of ["a", "b", "c", "d"]) encoder.page(acme, large(name), "v2", links)
    expect(encoder.page(umbrella, other, "v2", links) === bytes).toBe(true)
  })

  it("takes memory even if it has hardly any bytes", () => {
    const encoder = makeSloEncoder()
    const records = [recordOf("a", "x")]
    const bytes = encoder.page(acme, records, "v2", links)
    for (let index = 0; index < 20_000; index++) {
      encoder.page(`other-${index}` as OrganizationId, [], "v2", links)
    }
    expect(encoder.page(acme, records, "v2", links) === bytes).toBe(false)
  })

  it("keeps no record", async () => {
    const encoder = makeSloEncoder()
    const pageOf = (name: string) => {
      const record = recordOf(name, "x")
      encoder.page(acme, [record], "v2", links)
      return new WeakRef(record)
    }
    const record = pageOf("a")
    // What a weak reference was made of or read from lives until the end of the task.
    await new Promise((resolve) => setImmediate(resolve))
    setFlagsFromString("--expose-gc")
    ;(runInNewContext("gc") as () => void)()
    expect(record.deref()).toBeUndefined()
  })
})
