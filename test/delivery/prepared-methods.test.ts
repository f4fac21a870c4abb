import type { AlertMethod } from "@tocsin/domain/alert-method/AlertMethod"
import type { StoredDefinition } from "@tocsin/domain/definition/DefinitionStore"
import { Limits } from "@tocsin/domain/Limits"
import { prepareMethod } from "@tocsin/domain/notification/PreparedMethod"
import { makePreparedMethods } from "@tocsin/domain/notification/PreparedMethods"
import { describe, expect, it } from "vitest"
import { aMethod } from "../contract/deliveries.ts"

const stored = (name: string, version = "1"): StoredDefinition<AlertMethod> => ({
  definition: aMethod({ project: "shop", name }),
  version,
  createdAt: 0,
  updatedAt: 0,
})

describe("makePreparedMethods", () => {
  it("prepares each version of a method once, of each organization", () => {
    const prepare = makePreparedMethods()
    const first = prepare("acme", stored("hook"))
    expect(first?.url.authority).toBe("hook.example.com")
    expect(prepare("acme", stored("hook"))).toBe(first)
    expect(prepare("acme", stored("hook", "2"))).not.toBe(first)
    expect(prepare("another", stored("hook", "2"))).not.toBe(prepare("acme", stored("hook", "2")))
  })

  it("forgets the method known longest when there are too many", () => {
    const prepare = makePreparedMethods()
    const [first, second] = [prepare("acme", stored("m-0")), prepare("acme", stored("m-1"))]
    for (let count = 2; count <= Limits.preparedMethodsMax; count++) prepare("acme", stored(`m-${count}`))
    expect(prepare("acme", stored("m-1"))).toBe(second)
    expect(prepare("acme", stored("m-0"))).not.toBe(first)
  })
})

describe("prepareMethod", () => {
  it("leaves it to the transport to judge an address, and prepares nothing that is invalid", () => {
    const key = { project: "shop", name: "hook" }
    expect(prepareMethod(aMethod(key, { url: "https://10.0.0.1/" }))?.url.host).toBe("10.0.0.1")
    expect(prepareMethod(aMethod(key, { url: "http://example.com/" }))).toBeUndefined()
    expect(prepareMethod(aMethod(key, { template: "$nope" }))).toBeUndefined()
  })
})
