import type { AlertMethod } from "@tocsin/domain/adapter"
import type { StoredDefinition } from "@tocsin/domain/ports"
import { makePreparedMethods, prepareMethod } from "../../src/notification/NotificationRequest.ts"
import { describe, expect, it } from "vitest"
import { aMethod } from "@tocsin/testing/fixtures"

const stored = (name: string, version = "1"): StoredDefinition<AlertMethod> => ({
  definition: aMethod({ project: "shop", name }),
  version,
  createdAt: 0,
  updatedAt: 0,
})

describe("makePreparedMethods", () => {
  it("prepares each stored definition once", () => {
    const prepare = makePreparedMethods()
    const hook = stored("hook")
    const first = prepare(hook)
    expect(first?.url.authority).toBe("hook.example.com")
    expect(prepare(hook)).toBe(first)
    expect(prepare(stored("hook", "2"))).not.toBe(first)
    expect(makePreparedMethods()(hook)).not.toBe(first)
  })
})

describe("prepareMethod", () => {
  it("leaves it to the transport to judge an address", () => {
    const key = { project: "shop", name: "hook" }
    expect(prepareMethod(aMethod(key, { url: "https://10.0.0.1/" })).url.host).toBe("10.0.0.1")
  })
})
