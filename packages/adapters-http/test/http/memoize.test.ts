import { memoize } from "../../src/frame/Memoize.ts"
import { describe, expect, it } from "vitest"

describe("what is made once", () => {
  it("is computed again after a failure, and never again after a success", async () => {
    let calls = 0
    const get = memoize(async () => {
      calls++
      if (calls === 1) throw new Error("not yet")
      return calls
    })
    await expect(Promise.allSettled([get(), get()])).resolves.toMatchObject([
      { status: "rejected" },
      { status: "rejected" },
    ])
    expect([await get(), await get(), calls]).toEqual([2, 2, 2])
  })
})
